"""Which failures allow a rejection, and who can be screened out."""

from __future__ import annotations

import pytest

from participants import made_study
from rejudge.collect import (
    can_screen_out,
    failures_to_reject,
    rejecting_checks,
    study_minutes,
)
from small_site import study_of

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
