"""What every part of study.yaml has in common."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from rejudge.study.parts import Count, Part, Slug, Text


class Example(Part):
    """A part with one key."""

    share: float = 0.5


def test_an_unknown_key_and_a_number_without_end_are_errors():
    for wrong in ({"shere": 1}, {"share": float("nan")}, {"share": float("inf")}):
        with pytest.raises(ValidationError):
            Example.model_validate(wrong)


def test_a_part_cannot_be_changed():
    with pytest.raises(ValidationError):
        Example().share = 1.0


@pytest.mark.parametrize("name", ["a", "A-1", "x_y.z", "9", "a" * 64])
def test_short_names_have_letters_digits_and_three_signs(name):
    assert TypeAdapter(Slug).validate_python(name) == name


@pytest.mark.parametrize("name", ["", "-a", ".a", "a b", "ä", "a" * 65, "a\n"])
def test_other_names_are_refused(name):
    with pytest.raises(ValidationError):
        TypeAdapter(Slug).validate_python(name)


def test_texts_are_stripped_and_not_empty_and_counts_begin_at_one():
    assert TypeAdapter(Text).validate_python(" a b ") == "a b"
    for kind, wrong in ((Text, "  "), (Count, 0)):
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(wrong)
