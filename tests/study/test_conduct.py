"""How a study is conducted: screening questions, and how long data are kept."""

from __future__ import annotations

from datetime import date

import pytest

from judged_study import PAIRWISE, small_study
from rejudge.errors import RejudgeError
from rejudge.study.conduct import Retention, Screening, ScreeningQuestion
from rejudge.study.parse import parse

ASKED = {"id": "q", "prompt": "Which?", "options": ["one", "two"], "admit": ["one"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": ["one"]}, "at least 2"),
        ({"admit": []}, "at least 1"),
        ({"admit": ["three"]}, "not one of the options"),
        ({"admit": ["one", "two"]}, "every option is admitted"),
        ({"options": ["one", "one", "two"]}, "listed twice"),
    ],
)
def test_a_screening_question_decides_something(change, words):
    with pytest.raises(ValueError, match=words):
        ScreeningQuestion.model_validate(ASKED | change)


def test_screening_questions_have_different_ids_and_pay_is_above_zero():
    with pytest.raises(ValueError, match="have the id 'q'"):
        Screening.model_validate({"questions": [ASKED, ASKED]})
    with pytest.raises(ValueError, match="greater than 0"):
        Screening.model_validate({"reward": 0})


STUDY = """
id: kept
title: Kept
systems: [north, south]
questions: [{id: meaning, kind: pairwise, prompt: 'Which?'}]
design: {seed: 1, batch: {inputs: 2}}
"""
ITEMS = b"id,input,north,south\na,1,2,3\nb,4,5,6\n"


def read(more: str):
    return parse(STUDY + more, {"items.csv": ITEMS}.get, file="study.yaml").spec


@pytest.mark.parametrize(
    ("words", "retention"),
    [
        ("{until: 2031-06-30}", Retention(until=date(2031, 6, 30))),
        ("{days: 0, delete: times}", Retention(days=0, delete=("times",))),
        ("{days: 9, delete: [free-text, times]}", Retention(days=9, delete=("free-text", "times"))),
    ],
)
def test_a_day_or_a_number_of_days_is_read(words, retention):
    assert read(f"retention: {words}").retention == retention


@pytest.mark.parametrize(
    "words",
    [
        "{}",
        "{until: 2031-06-30, days: 3}",
        "{until: soon}",
        "{until: 2031-02-30}",
        "{days: -1}",
        "{days: 999999999}",
        "{days: 3, delete: []}",
        "{days: 3, delete: ids}",
        "{days: 3, delete: {times: yes}}",
        "12",
    ],
)
def test_anything_else_is_refused_where_it_stands(words):
    with pytest.raises(RejudgeError) as refused:
        read(f"retention: {words}")
    assert all(problem.field.startswith("retention") for problem in refused.value.problems)


def test_everything_includes_the_rest_and_the_order_is_one():
    assert Retention(days=1, delete=("times", "everything")).erased == ("everything",)
    both = ("free-text", "platform-ids", "free-text")
    assert Retention(days=1, delete=both).erased == ("platform-ids", "free-text")


def test_a_plan_does_not_depend_on_retention():
    kept = small_study(PAIRWISE, retention={"days": 3})
    assert kept.spec.to_json()["retention"]["days"] == 3
    assert kept.fingerprint != small_study(PAIRWISE).fingerprint
    assert kept.design_fingerprint == small_study(PAIRWISE).design_fingerprint
