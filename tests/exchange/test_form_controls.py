"""A task as the controls of a form, and their values as the answer again."""

from __future__ import annotations

from typing import Any

import pytest

from judged_study import (
    BEST_WORST,
    EVERY_KIND,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    drawn,
    small_study,
)
from rejudge.design.plan import answer_parts
from rejudge.exchange.form_controls import answer_of, controls_of, shown_texts


def first_task(question, **parts: Any):
    """A study of one question, its plan and its first task."""
    study = small_study(question, **parts)
    plan = drawn(study)
    return study, plan, next(plan.tasks())


def controls(question):
    study, plan, task = first_task(question)
    return controls_of(study, plan, task, study.spec.questions[0])


@pytest.mark.parametrize(
    ("question", "number", "options"),
    [
        (PAIRWISE, 1, ["A", "B", "About the same"]),
        (RATING, 1, ["1", "2", "3", "4", "5"]),
        ({**RATING, "labels": {1: "bad", 5: "good"}}, 1, ["1 – bad", "2", "3", "4", "5 – good"]),
        (BEST_WORST, 2, ["A", "B", "C"]),
        (RANKING, 3, ["1", "2", "3"]),
        (SEGMENTS, 2, ["0", "1", "2"]),
    ],
)
def test_a_form_offers_the_answers_of_its_question(question, number, options):
    found = controls(question)
    assert len(found) == number
    assert all([option.label for option in each.options] == options for each in found)
    assert all(each.bounds is None for each in found)
    assert len({each.name for each in found}) == number


def test_a_line_is_a_number_between_its_ends():
    (control,) = controls(SLIDER)
    assert (control.options, control.bounds) == ((), (0.0, 100.0))


def test_every_part_of_an_answer_has_a_prompt_of_its_own():
    assert [c.prompt for c in controls(BEST_WORST)] == [
        "Best and worst? Best:",
        "Best and worst? Worst:",
    ]
    assert [c.prompt for c in controls(RANKING)][2].endswith("Place of C (1 is best):")
    assert len({c.prompt for c in controls(SEGMENTS)}) == 2


@pytest.mark.parametrize("kind", EVERY_KIND, ids=lambda q: q["kind"])
def test_an_answer_survives_its_way_through_a_form(kind):
    study, plan, task = first_task(kind)
    question = study.spec.questions[0]
    parts = answer_parts(plan, task, question)
    raw = question.first_answer(parts)
    values = question.controls(question.id, raw)
    assert {c.name for c in controls_of(study, plan, task, question)} == set(values)
    assert answer_of(question, values, parts) == raw
    assert answer_of(question, {}, parts) is None


def test_texts_are_in_the_order_in_which_people_read_them():
    study, plan, task = first_task(PAIRWISE)
    headings, texts = zip(*shown_texts(study, plan, task), strict=True)
    assert headings == ("Input", "A", "B")
    assert texts[0] == study.item[task.item].input
    alone = shown_texts(*first_task(RATING))
    assert [heading for heading, _ in alone] == ["Input", "Text"]


def test_an_instruction_stands_in_place_of_the_input():
    check = {"kind": "instruction", "id": "look", "question": "meaning"}
    study, plan, _ = first_task(PAIRWISE, checks=[check])
    task = next(task for task in plan.tasks() if task.instruction)
    assert shown_texts(study, plan, task)[0] == ("", task.instruction)
