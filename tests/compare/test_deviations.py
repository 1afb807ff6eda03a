"""A deviation is listed once, with what follows from it, and hides nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from printed_papers import run
from rejudge.compare.deviations import OF_CRITERIA, deviations
from rejudge.paper.model import StatedDeviation

SCORES = {"q": {"s": 1, "t": 2}}
BEFORE: dict[str, Any] = {
    "criteria": ("fluency", "meaning"),
    "definitions": "fluency: well written; not odd; meaning: the same sense",
    "criteria-asked-together": True,
    "scale": "1 to 5, A or B",
    "platform": "Prolific",
}
AFTER = {
    **BEFORE,
    "criteria": ("meaning",),
    "definitions": "meaning: the same sense",
    "criteria-asked-together": False,
    "scale": "A or B",
}
FEWER = StatedDeviation(property="criteria", reason="one is enough", covers=OF_CRITERIA)


def found(after: dict[str, Any], *stated: StatedDeviation) -> dict[str, str]:
    """The deviations by property, with their notes."""
    original = run("a", SCORES, conditions=BEFORE)
    told = [each.model_dump() for each in stated]
    here = run("b", SCORES, conditions=after, deviations=told)
    return {each.property: each.note for each in deviations(original, [here])}


def test_what_follows_from_fewer_criteria_is_listed_with_them():
    assert found(AFTER, FEWER) == {
        "criteria": "with it: Criteria asked together, Definitions shown, Scale"
    }


def test_without_a_statement_every_condition_is_a_deviation():
    assert set(found(AFTER)) == {
        "criteria", "definitions", "criteria-asked-together", "scale",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("definitions", "meaning: the same sense; in all parts"),
        ("definitions", "meaning: well written; not odd"),
        ("scale", "A, B or a tie"),
        ("platform", "MTurk"),
    ],
)
def test_another_change_stays_a_deviation_of_its_own(key, value):
    assert set(found({**AFTER, key: value}, FEWER)) == {"criteria", key}


def test_a_definition_that_lost_a_clause_is_a_deviation_of_its_own():
    after = {**AFTER, "criteria": ("fluency",), "definitions": "fluency: well written"}
    assert set(found(after, FEWER)) == {"criteria", "definitions"}


def test_a_condition_that_is_stated_itself_keeps_its_reason():
    own = StatedDeviation(property="scale", reason="ties were confusing")
    assert set(found(AFTER, FEWER, own)) == {"criteria", "scale"}
