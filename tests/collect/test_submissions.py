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
    ("said", "statuses", "code", "quadrant", "advice"),
    [
        ("submitted", ["submitted"], "completed", "both", "Approve."),
        ("submitted", ["submitted"], "none", "both", "data are complete: approve"),
        ("submitted", ["accepted"], "another", "both", "data are complete: approve"),
        ("approved", ["excluded"], "completed", "both", "Nothing to do."),
        ("rejected", ["excluded"], "completed", "both", "excluded here"),
        ("timed-out", ["submitted"], None, "only data", "and pay"),
        (None, ["submitted"], None, "only data", "does not know"),
        ("active", ["surplus"], None, "only data", "send the code"),
        ("active", ["excluded"], None, "only data", "Wait"),
        ("submitted", [], None, "only submission", "Ask the person"),
        ("submitted", ["held"], "none", "only submission", "Ask the person"),
        ("submitted", ["submitted", "held"], None, "only submission", "Ask the person"),
        ("submitted", [], "full", "only submission", "as the page promised"),
        ("submitted", [], "declined", "only submission", "return the submission"),
        ("approved", [], "full", "only submission", "Nothing to do"),
        ("returned", ["returned"], None, "neither", "no place is held"),
        ("timed-out", ["held"], None, "neither", "becomes free"),
        ("active", ["held"], None, "neither", "At work"),
        (None, ["held"], None, "neither", "Nothing to do"),
        ("unknown", [], None, "neither", "Nothing to do"),
    ],
)
def test_visits_fall_into_four_cases(said, statuses, code, quadrant, advice):
    found = reconcile_visit(said, statuses, participant="p0001", session="s", code=code)
    assert found.quadrant == quadrant
    assert advice in found.advice
