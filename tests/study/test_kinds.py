"""Kinds of question: what they show and which answers they take."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from rejudge.errors import DataError
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS, AnyQuestion

ADAPTER: TypeAdapter[Question] = TypeAdapter(AnyQuestion)


def question(kind: str, **fields: object) -> Question:
    ends = {"low": "bad", "high": "good"} if kind == "slider" else {}
    return ADAPTER.validate_python({"kind": kind, "id": "q", "prompt": "?", **ends, **fields})


@pytest.mark.parametrize(
    ("kind", "fields", "shown", "level"),
    [
        ("pairwise", {}, 2, "nominal"),
        ("rating", {}, 1, "ordinal"),
        ("slider", {}, 1, "interval"),
        ("best-worst", {"of": 4}, 4, "nominal"),
        ("ranking", {}, 5, "ordinal"),
        ("ranking", {"of": 3}, 3, "ordinal"),
        ("segments", {}, 1, "ordinal"),
        ("rating", {"measured": "interval"}, 1, "interval"),
    ],
)
def test_a_kind_says_how_many_outputs_it_shows_and_how_its_answers_are_measured(
    kind, fields, shown, level
):
    asked = question(kind, **fields)
    assert (asked.shows(5), asked.level) == (shown, level)


def test_every_kind_is_in_the_list_of_kinds():
    assert list(KINDS) == [
        "pairwise", "rating", "slider", "best-worst", "ranking", "segments",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "fields", "raw", "parts", "value"),
    [
        ("pairwise", {}, "b", 2, "b"),
        ("pairwise", {"tie": True}, "tie", 2, "tie"),
        ("rating", {}, "5", 1, 5.0),
        ("rating", {"points": 3, "lowest": 0}, "0", 1, 0.0),
        ("rating", {"points": 3, "lowest": -0.1, "step": 0.1}, "0.1", 1, 0.1),
        ("slider", {}, "33.5", 1, 33.5),
        ("best-worst", {}, "a,c", 4, ("a", "c")),
        ("ranking", {}, "c,a,b", 3, ("c", "a", "b")),
        ("segments", {"points": 2, "lowest": 0}, "1,0,1", 3, (1.0, 0.0, 1.0)),
    ],
)
def test_an_answer_becomes_a_value(kind, fields, raw, parts, value):
    assert question(kind, **fields).parse(raw, parts) == value


@pytest.mark.parametrize(
    ("kind", "raw", "parts"),
    [
        ("pairwise", "tie", 2),
        ("pairwise", "c", 2),
        ("pairwise", "", 2),
        ("rating", "6", 1),
        ("rating", "2.5", 1),
        ("rating", "nan", 1),
        ("rating", "", 1),
        ("slider", "101", 1),
        ("slider", "nan", 1),
        ("slider", "much", 1),
        ("best-worst", "a,a", 4),
        ("best-worst", "a", 4),
        ("best-worst", "a,e", 4),
        ("best-worst", ",a", 4),
        ("ranking", "a,b", 3),
        ("ranking", "a,a,b", 3),
        ("segments", "1,2", 3),
        ("segments", "1,x", 2),
    ],
)
def test_what_is_no_answer_is_refused_with_what_would_be_one(kind, raw, parts):
    with pytest.raises(DataError, match=r"is not an answer to 'q'\. \w+"):
        question(kind).parse(raw, parts)


def test_points_are_exact_also_with_a_step_that_binary_numbers_cannot_hold():
    assert question("rating", points=4, lowest=0, step=0.1).values == (0, 0.1, 0.2, 0.3)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"labels": {1: "bad", 6: "good"}}, "labels name 6"),
        ({"labels": {1: "bad"}}, "the end 5 has no label"),
        ({"labels": {3: "middle"}}, "the end 1, 5 has no label"),
        ({"step": 1e-12}, "too near"),
        ({"lowest": float("nan")}, "finite"),
        ({"points": 12}, "less than or equal to 11"),
    ],
)
def test_a_scale_that_cannot_be_shown_is_refused(fields, words):
    with pytest.raises(ValidationError, match=words):
        question("rating", **fields)
