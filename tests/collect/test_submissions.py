"""Our data beside a platform's submissions: four cases, and what a platform's word changes."""

from __future__ import annotations

import itertools

import pytest

from rejudge.collect import (
    STATUSES,
    SUBMISSION_STATUSES,
    TAKES_PLACE,
    after,
    effect,
    reconcile_visit,
)


@pytest.mark.parametrize(("said", "status"), list(itertools.product(SUBMISSION_STATUSES, STATUSES)))
def test_every_effect_can_happen_and_frees_the_place(said, status):
    event = effect(said, status)
    if event is None:
        return
    led_to = after(status, event, place_is_free=True)
    assert led_to is not None
    assert led_to not in TAKES_PLACE


@pytest.mark.parametrize("said", SUBMISSION_STATUSES)
def test_deleted_work_stays_deleted(said):
    assert effect(said, "withdrawn") is None


def test_approval_pays_and_says_nothing_about_data():
    assert {effect("approved", status) for status in STATUSES} == {None}


@pytest.mark.parametrize(
    ("said", "statuses", "quadrant", "advice"),
    [
        ("submitted", ["submitted"], "both", "Approve."),
        ("approved", ["excluded"], "both", "Nothing to do."),
        ("timed-out", ["submitted"], "only data", "pay by hand"),
        (None, ["submitted"], "only data", "does not know"),
        ("active", ["surplus"], "only data", "send the code"),
        ("submitted", [], "only submission", "Ask the person"),
        ("submitted", ["held"], "only submission", "Ask the person"),
        ("submitted", ["submitted", "held"], "only submission", "Ask the person"),
        ("returned", ["returned"], "neither", "the place is free"),
        ("active", ["held"], "neither", "At work"),
        (None, ["held"], "neither", "Nothing to do"),
        ("unknown", [], "neither", "Nothing to do"),
    ],
)
def test_visits_fall_into_four_cases(said, statuses, quadrant, advice):
    found = reconcile_visit(said, statuses, participant="p0001", session="s")
    assert found.quadrant == quadrant
    assert advice in found.advice


def test_a_missing_code_is_no_reason_to_withhold_pay_where_the_data_are_complete():
    found = reconcile_visit(
        "submitted", ["submitted"], participant="p1", session="s", code_is_right=False
    )
    assert found.advice.endswith("approve.")
