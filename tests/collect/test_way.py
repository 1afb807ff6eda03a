"""Who comes, where they are to go, and how long a batch is kept for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from judged_study import PAIRWISE, RATING, SLIDER, drawn, small_study
from rejudge.collect import (
    Arrival,
    Assignment,
    Visit,
    arrival,
    first_open,
    is_right,
    lease,
    step_of,
)
from rejudge.design import estimate

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "who"),
    [
        (
            {"PROLIFIC_PID": "5f0c", "STUDY_ID": "77", "SESSION_ID": "9a"},
            Arrival("prolific", "5f0c", "9a"),
        ),
        ({"workerId": "A1", "assignmentId": "3X", "hitId": "H"}, Arrival("mturk", "A1", "3X")),
        ({"p": "anna_1"}, Arrival("link", "anna_1", "anna_1")),
        ({"p": " anna "}, Arrival("link", "anna", "anna")),
        ({"workerId": "A1", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}, "preview"),
        ({}, "missing"),
        ({"STUDY_ID": "77"}, "missing"),
        ({"PROLIFIC_PID": "5f0c"}, "odd"),
        ({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}", "SESSION_ID": "{{%SESSION_ID%}}"}, "odd"),
        ({"p": "../../etc/passwd"}, "odd"),
        ({"p": "<script>"}, "odd"),
        ({"p": ""}, "odd"),
        ({"p": "x" * 65}, "odd"),
    ],
)
def test_a_link_says_who_comes_or_why_that_cannot_be_told(query, who):
    assert arrival(query) == who


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
    assert estimate(short, drawn(short)).minutes < 10
    assert lease(short, drawn(short)) == timedelta(minutes=30)
    long = small_study(PAIRWISE, design={"batch": {"inputs": 12}})
    heavy = replace(long, pages={"instructions": "word " * 238 * 20})  # 20 minutes to read
    expected = estimate(heavy, drawn(heavy)).minutes
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
    assert is_right(asked, right, given, parts=parts) == verdict
