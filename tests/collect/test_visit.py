"""Who comes, where they go next, who waits at the gate, and how long a batch is kept for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from judged_study import PAIRWISE, RATING, SLIDER, drawn, small_study
from rejudge.collect.assignment import (
    FINISHED,
    STATUSES,
    Assignment,
    PastAssignment,
    first_lease,
    lease,
)
from rejudge.collect.visit import (
    Arrival,
    CalibrationGate,
    Visit,
    first_open,
    has_gate,
    is_at_gate,
    platform_arrival,
    recruiter_of,
    step_of,
)
from rejudge.design.duration import estimate_duration

NOW = datetime(2026, 3, 1, tzinfo=UTC)


WORKER, TASK = "A1B2C3D4E5F6G7", "3C4D5E6F7G8H9I0J1K2L3M"
ONE, TWO = "0123456789abcdef01234567", "89abcdef0123456789abcdef"
FROM_PROLIFIC = {"PROLIFIC_PID": ONE, "STUDY_ID": TWO, "SESSION_ID": TWO}
FROM_MTURK = {"workerId": WORKER, "assignmentId": TASK, "hitId": TASK}


@pytest.mark.parametrize(
    ("recruiter", "query", "who"),
    [
        ("prolific", FROM_PROLIFIC, Arrival("prolific", ONE, TWO)),
        ("prolific", {**FROM_PROLIFIC, "PROLIFIC_PID": f" {ONE} "}, Arrival("prolific", ONE, TWO)),
        ("prolific", {**FROM_PROLIFIC, "utm": "mail"}, Arrival("prolific", ONE, TWO)),
        ("prolific", {}, "missing"),
        ("prolific", {"p": "anna"}, "missing"),
        ("prolific", FROM_MTURK, "missing"),
        ("prolific", {"STUDY_ID": TWO}, "odd"),
        ("prolific", {"PROLIFIC_PID": ONE, "SESSION_ID": TWO}, "odd"),
        ("prolific", {**FROM_PROLIFIC, "PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, "odd"),
        ("prolific", {**FROM_PROLIFIC, "SESSION_ID": TWO[:-1]}, "odd"),
        ("prolific", {**FROM_PROLIFIC, "SESSION_ID": f"{TWO}\n"}, Arrival("prolific", ONE, TWO)),
        ("prolific", {**FROM_PROLIFIC, "STUDY_ID": "<script>"}, "odd"),
        ("mturk", FROM_MTURK, Arrival("mturk", WORKER, TASK)),
        ("mturk", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": TASK}, "preview"),
        ("mturk", {**FROM_MTURK, "workerId": "A1"}, "odd"),
        ("mturk", FROM_PROLIFIC, "missing"),
    ],
)
def test_a_link_says_who_comes_or_why_that_cannot_be_told(recruiter, query, who):
    assert platform_arrival(recruiter, query) == who


@pytest.mark.parametrize(
    ("recruitment", "recruiter"),
    [
        ({}, "link"),
        ({"open": True}, "open"),
        ({"platform": "prolific"}, "prolific"),
        ({"platform": "mturk"}, "mturk"),
        ({"platform": "spreadsheet"}, "link"),
    ],
)
def test_the_study_says_whose_arrivals_it_takes(recruitment, recruiter):
    assert recruiter_of(small_study(recruitment=recruitment)) == recruiter


def test_a_batch_is_kept_for_a_shorter_time_until_somebody_begins():
    short = small_study()
    assert first_lease(short, drawn(short)) == timedelta(minutes=15)
    said = small_study(site={"minutes_to_begin": 4})
    assert first_lease(said, drawn(said)) == timedelta(minutes=4)
    tight = small_study(site={"minutes_held": 7.5})
    assert first_lease(tight, drawn(tight)) == timedelta(minutes=7.5)
    heavy = replace(short, pages={"instructions": "word " * 238 * 20})  # 20 minutes to read
    once = estimate_duration(heavy, drawn(heavy)).parts.once
    assert first_lease(heavy, drawn(heavy)) == timedelta(minutes=3 * once)


def test_a_list_on_one_page_is_kept_as_long_as_it_takes():
    """Without JavaScript all answers come together, after half an hour or more."""
    listed = small_study(site={"show": "list"}, payment={"minutes": 40, "hourly": 12})
    assert first_lease(listed, drawn(listed)) == timedelta(minutes=3 * 40)
    paid = small_study(site={"show": "list"}, payment={"minutes": 2, "hourly": 12})
    heavy = replace(paid, pages={"instructions": "word " * 238 * 20})  # 20 minutes to read
    longest = estimate_duration(heavy, drawn(heavy)).longest
    assert first_lease(heavy, drawn(heavy)) == timedelta(minutes=3 * longest)
    said = small_study(site={"show": "list", "minutes_to_begin": 4})
    assert first_lease(said, drawn(said)) == timedelta(minutes=4)


def assignment(status="held", submitted_at=None):
    return Assignment(1, 1, "p0001", "b1", 0, status, NOW, NOW, submitted_at)


def visit(**parts: Any):
    return Visit(1, "p0001", NOW, **parts)


READY = {"consented_at": NOW, "instructed_at": NOW}


@pytest.mark.parametrize(
    ("here", "has_next", "step"),
    [
        (visit(), True, "consent"),
        (visit(declined_at=NOW), True, "declined"),
        (visit(is_turned_away=True), True, "full"),
        (visit(consented_at=NOW), True, "instructions"),
        (visit(**READY), True, "task"),
        (visit(**READY), False, "full"),
        (visit(**READY, assignments=(assignment(),)), False, "task"),
        (visit(**READY, assignments=(assignment("expired"),)), False, "task"),
        (visit(**READY, assignments=(assignment("submitted", NOW),)), True, "task"),
        (visit(**READY, assignments=(assignment("submitted", NOW),)), False, "exit"),
        (visit(**READY, assignments=(assignment("surplus", NOW),)), False, "exit"),
        (visit(**READY, assignments=(assignment("returned", NOW),)), False, "exit"),
        (visit(**READY, assignments=(assignment("submitted", NOW),), left_at=NOW), False, "thanks"),
    ],
)
def test_people_are_sent_to_the_next_page_they_need(here, has_next, step):
    study = small_study(site={"comment": True})
    assert step_of(study, here, has_next_batch=has_next) == step


def test_without_questions_at_the_end_people_go_straight_to_the_thanks():
    study = small_study(site={"comment": False})
    done = visit(**READY, assignments=(assignment("submitted", NOW),))
    assert step_of(study, done, has_next_batch=False) == "thanks"


def test_practice_stands_before_the_first_task():
    example = {
        "input": "x", "outputs": ["y", "z"], "answers": {"meaning": "a"}, "explanation": "so",
    }  # fmt: skip
    study = small_study(practice={"examples": [example]})
    assert step_of(study, visit(**READY), has_next_batch=True) == "practice"
    assert step_of(study, visit(**READY, practised_at=NOW), has_next_batch=True) == "task"


def test_the_first_open_task_is_the_first_with_a_required_answer_missing():
    optional = {**RATING, "required": False}
    study = small_study(PAIRWISE, optional)
    order = drawn(study).batches[0].tasks
    pairs = [task for task in order if len(task.options) == 2]
    given = {(task.id, "meaning") for task in pairs}
    assert first_open(study, order, given) is None
    given.remove((pairs[1].id, "meaning"))
    assert first_open(study, order, given) == order.index(pairs[1]) + 1


def test_a_batch_is_kept_as_long_as_the_study_says():
    study = small_study(site={"minutes_held": 7.5})
    assert lease(study, drawn(study)) == timedelta(minutes=7.5)


def test_a_batch_is_kept_three_times_the_expected_duration_and_at_least_half_an_hour():
    paid = small_study(payment={"minutes": 20, "kind": "paid"})
    assert lease(paid, drawn(paid)) == timedelta(minutes=60)
    short = small_study()
    assert estimate_duration(short, drawn(short)).minutes < 10
    assert lease(short, drawn(short)) == timedelta(minutes=30)
    long = small_study(PAIRWISE, design={"batch": {"inputs": 12}})
    heavy = replace(long, pages={"instructions": "word " * 238 * 20})  # 20 minutes to read
    expected = estimate_duration(heavy, drawn(heavy)).minutes
    assert lease(heavy, drawn(heavy)) == timedelta(minutes=3 * expected)


@pytest.mark.parametrize(
    ("question", "right", "given", "verdict"),
    [
        (PAIRWISE, "a", "a", True),
        (PAIRWISE, "a", "b", False),
        (PAIRWISE, "a", "tie", False),
        (RATING, "4", "4", True),
        (RATING, "4", "3", False),
        (SLIDER, "80", "90", True),  # ten or less apart
        (SLIDER, "80", "91", False),
    ],
)
def test_practice_tells_right_from_wrong(question, right, given, verdict):
    [asked] = small_study(question).spec.questions
    parts = 2 if question is PAIRWISE else 1
    assert asked.is_right(right, given, parts=parts) == verdict


CALIBRATION = {"calibration": 1}
PLAN = drawn(small_study(design=CALIBRATION))
SHARED = next(batch.id for batch in PLAN.batches if batch.is_calibration)
OWN = next(batch.id for batch in PLAN.batches if not batch.is_calibration)


@pytest.mark.parametrize(
    ("holds", "design", "expected"),
    [(True, CALIBRATION, True), (False, CALIBRATION, False), (True, {}, False)],
)
def test_a_gate_needs_calibration_and_the_wish_for_one(holds, design, expected):
    study = small_study(design=design, site={"hold_after_calibration": holds})
    assert has_gate(study, drawn(study)) is expected


@pytest.mark.parametrize("status", STATUSES)
def test_somebody_stands_at_the_gate_once_calibration_is_handed_in(status):
    assert is_at_gate(PLAN, [PastAssignment(SHARED, status)]) == (status in FINISHED)


def test_nobody_stands_there_before_or_after():
    assert not is_at_gate(PLAN, [])
    assert not is_at_gate(PLAN, [PastAssignment(SHARED, "submitted"), PastAssignment(OWN, "held")])
    assert not is_at_gate(drawn(small_study()), [])


def test_a_new_gate_is_nobodys_decision():
    gate = CalibrationGate(is_open=False)
    assert (gate.at, gate.who, gate.reason) == (None, "", "")
