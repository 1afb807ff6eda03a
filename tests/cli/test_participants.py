"""Finding a participant: every way of naming one leads to the same person, or says why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.cli.participants import find_pseudonym
from rejudge.collect import read_receipt, receipt_code
from rejudge.errors import DataError

SECRET = b"of this study alone, and long enough"
CODE = receipt_code(SECRET, "p0002")


@dataclass
class People:
    """What a store says about who took part."""

    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def pseudonyms_of(self, known: str) -> tuple[str, ...]:
        return self.ids.get(known, ())

    def participant_of_receipt(self, code: str) -> str | None:
        return {CODE: "p0002"}.get(read_receipt(code) or "")


def found(given: str, **ids: tuple[str, ...]) -> str:
    people: Any = People(ids)
    return find_pseudonym(people, given)


def refusal(given: str, **ids: tuple[str, ...]) -> str:
    with pytest.raises(DataError) as error:
        found(given, **ids)
    return str(error.value)


@pytest.mark.parametrize("typed", [CODE, CODE.lower(), f"  {CODE} ", CODE.replace("-", " ")])
def test_a_receipt_code_is_read_as_people_type_it(typed):
    assert found(typed) == "p0002"


@pytest.mark.parametrize("typed", ["p0001", " P0001\n", "p12345"])
def test_a_participant_number_is_taken_as_people_copy_it(typed):
    assert found(typed) == typed.strip().lower()


def test_a_platform_id_leads_to_its_participant():
    assert found("anna@example.org ", **{"anna@example.org": ("p0007",)}) == "p0007"


def test_a_platform_id_in_the_form_of_a_receipt_code_is_an_id():
    assert found(CODE, **{CODE: ("p0009",)}) == "p0009"


def test_a_mistyped_receipt_code_is_not_looked_up():
    letters = CODE.replace("-", "")
    wrong = letters[:-1] + ("C" if letters[-1] != "C" else "D")
    assert "mistyped" in refusal(wrong)
    assert "no participant of this study" in refusal(receipt_code(SECRET, "p0003"))


def test_a_number_that_is_also_the_id_of_somebody_else_is_refused():
    assert "the platform id of someone else (p0004)" in refusal("p0001", p0001=("p0004",))
    assert found("p0001", p0001=("p0001",)) == "p0001"


def test_an_id_of_two_people_names_both_and_chooses_neither():
    assert "as p0003 and p0004" in refusal("carl", carl=("p0004", "p0003"))


@given(st.text(min_size=12))
def test_an_unknown_id_is_never_repeated_in_a_message(typed):
    assert typed not in refusal(f"@{typed}")
