"""Hourly pay from finished batches and the time they took."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import pytest

from judged_study import PAIRWISE, checked_study, drawn
from rejudge.collect import Status, earned_by_clock, has_finished, stint
from rejudge.design import quote

STUDY = checked_study(PAIRWISE, payment={"currency": "GBP", "minutes": 30, "hourly": 12})
PLAN = drawn(STUDY)
QUOTE = quote(STUDY, PLAN, on=date(2026, 3, 2))
FIRST, SECOND, *_ = (batch.id for batch in PLAN.main)


@dataclass
class Person:
    """A participant, as far as pay is concerned."""

    statuses: dict[str, Status] = field(default_factory=dict)
    wall_minutes: float = 30.0


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({}, False),
        ({FIRST: "held"}, False),
        ({FIRST: "submitted"}, True),
        ({FIRST: "excluded"}, True),
        ({FIRST: "returned"}, False),
        ({FIRST: "accepted", SECOND: "held"}, False),
    ],
)
def test_somebody_has_finished_who_handed_in_a_batch_and_holds_none(statuses, expected):
    assert has_finished(Person(statuses)) is expected


def test_only_finished_batches_are_paid():
    assert stint(Person({FIRST: "accepted", SECOND: "returned"}), PLAN, 20.0).batches == 1


def test_pay_per_hour_is_that_of_those_who_finished():
    """The reward of half an hour at 12 an hour is 6; taking an hour for it, 6 an hour is left."""
    people = [Person({FIRST: "submitted"}, 60.0), Person({FIRST: "held"}, 1.0)]
    found = earned_by_clock(QUOTE, PLAN, people)
    assert QUOTE.reward == Decimal("6.00")
    assert found is not None
    assert found.hourly == Decimal("6.00")


def test_nobody_has_earned_anything_before_the_first_batch_is_handed_in():
    assert earned_by_clock(QUOTE, PLAN, [Person({FIRST: "held"})]) is None
