"""What the fake keeps of a study, a submission and a payment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from fake_account import CODES, LINK, START, study_body

from rejudge.prolific.fake.records import (
    FakeRefusal,
    FakeStudy,
    FakeSubmission,
    LedgerEntry,
)


def study(**changes: Any) -> FakeStudy:
    return FakeStudy("s1", study_body(**changes), START)


def test_a_code_is_found_by_what_somebody_entered():
    assert study().code("DONE1") == CODES[0]
    assert study().code("done1") is None
    assert study(completion_codes=None).code("DONE1") is None


def test_places_and_reward_are_those_of_the_body():
    assert (study().places, study().reward) == (3, 200)


def test_a_submission_takes_from_start_to_completion():
    somebody = FakeSubmission("x", "p", "s1", "ACTIVE", START, LINK)
    assert somebody.seconds is None
    somebody.started_at = START
    assert somebody.seconds is None
    somebody.completed_at = START + timedelta(days=1, seconds=2.5)
    assert somebody.seconds == 86_402.5


def test_a_payment_costs_fee_and_tax_too():
    assert LedgerEntry("bonus", "s1", "p", "x", 100, 33, 7).total == 140


@pytest.mark.parametrize("detail", ["Not found.", {"name": ["This field is required."]}])
def test_a_refusal_keeps_its_detail(detail):
    refusal = FakeRefusal(detail, status=404)
    assert (refusal.detail, refusal.status) == (detail, 404)
