"""A platform's submissions beside our data: what they change, and what allows a rejection."""

from __future__ import annotations

import itertools

import pytest

from participants import made_study
from rejudge.collect.assignment import STATUSES, TAKES_PLACE, next_status
from rejudge.collect.submissions import (
    SUBMISSION_STATUSES,
    can_screen_out,
    failures_to_reject,
    reconcile_visit,
    rejecting_checks,
    study_minutes,
    submission_event,
)
from small_site import study_of


@pytest.mark.parametrize(("said", "status"), list(itertools.product(SUBMISSION_STATUSES, STATUSES)))
def test_every_effect_can_happen_and_frees_the_place(said, status):
    event = submission_event(said, status)
    if event is None:
        return
    led_to = next_status(status, event, place_is_free=True)
    assert led_to is not None
    assert led_to not in TAKES_PLACE


@pytest.mark.parametrize("said", SUBMISSION_STATUSES)
def test_deleted_work_stays_deleted(said):
    assert submission_event(said, "withdrawn") is None


def test_approval_pays_and_says_nothing_about_data():
    assert {submission_event("approved", status) for status in STATUSES} == {None}


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


CHECKS = [
    {"kind": "gold", "id": "gold", "question": "meaning", "on_fail": "reject"},
    {"kind": "instruction", "id": "told", "question": "meaning", "on_fail": "reject"},
    {"kind": "nonsense", "id": "words", "question": "meaning", "on_fail": "reject"},
    {"kind": "instruction", "id": "flagged", "question": "meaning", "on_fail": "flag"},
]


def test_a_short_study_needs_one_failed_check_and_any_other_two():
    assert [failures_to_reject(minutes) for minutes in (1, 4.99, 5, 60)] == [1, 1, 2, 2]


def test_gold_items_never_count_towards_a_rejection():
    assert rejecting_checks(made_study(checks=CHECKS)) == {"told", "words"}


def test_a_study_counts_as_long_as_it_says_or_as_it_is():
    short, plan = study_of(1, 1)
    long, _ = study_of(1, 1, more="payment: {currency: GBP, minutes: 30, hourly: 12}")
    assert study_minutes(short, plan) < 5
    assert study_minutes(long, plan) == 30


SCREENING = "recruitment: {screening: {questions: [%s]}}"
QUESTION = "{id: q, prompt: 'Which?', options: [one, two], admit: [one]}"
EXAMPLE = "{input: i, outputs: [x, y], answers: {meaning: a}, explanation: e}"


@pytest.mark.parametrize(
    ("more", "can"),
    [
        ("", False),
        (SCREENING % "", False),
        (SCREENING % QUESTION, True),
        (f"practice: {{examples: [{EXAMPLE}]}}", False),
        (f"practice: {{pass_mark: 1, examples: [{EXAMPLE}]}}", True),
    ],
)
def test_people_are_screened_out_by_questions_or_a_pass_mark(more, can):
    assert can_screen_out(study_of(1, 1, more=more)[0]) == can
