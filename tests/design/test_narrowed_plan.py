"""A plan for some of the questions: the same batches, order and sides, without the other checks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import PAIRWISE, RATING, make_study

from rejudge.design.draw import draw
from rejudge.design.narrowed_plan import narrow_plan
from rejudge.design.plan import check_plan
from rejudge.errors import DesignError

CLOSER = {"id": "closer", "kind": "pairwise", "prompt": "Which is closer?"}
GOLD = [
    {"kind": "gold", "id": "kept", "question": "meaning"},
    {"kind": "gold", "id": "gone", "question": "closer", "contrast": "input"},
]


def planned(questions, checks=(), **parts: Any):
    study = make_study(inputs=14, sample=10, questions=questions, checks=list(checks), **parts)
    return draw(study)


def narrower(questions, checks=(), **parts: Any):
    return make_study(inputs=14, sample=10, questions=questions, checks=list(checks), **parts)


@given(st.integers(0, 2**16), st.integers(2, 5))
def test_what_is_left_is_the_originals_in_its_order(seed, systems):
    plan = planned([PAIRWISE, CLOSER], GOLD, seed=seed, systems=systems)
    study = narrower([PAIRWISE], GOLD[:1], seed=seed, systems=systems)
    made = narrow_plan(plan, study, aimed={}, dropped={"gone"})
    assert [(b.id, b.tasks) for b in made.batches] == [
        (b.id, tuple(task for task in b.tasks if task.check != "gone")) for b in plan.batches
    ]
    assert check_plan(study, made) == ()


@given(st.integers(0, 2**16))
def test_a_check_from_another_batch_takes_the_place_of_one_that_is_gone(seed):
    plan = planned([PAIRWISE, CLOSER], GOLD, seed=seed)
    study = narrower([PAIRWISE], [{**GOLD[0], "per_batch": 2}], seed=seed)
    made = narrow_plan(plan, study, aimed={}, dropped={"gone"}, replacement="kept")
    for before, after in zip(plan.batches, made.batches, strict=True):
        assert len(before.tasks) == len(after.tasks)
        replaced = [task for task in after.tasks if task.id.endswith("-replaced")]
        assert [task.check for task in replaced] == ["kept"]
        judged = {task.item for task in after.tasks if task.is_real}
        assert not {task.item for task in replaced} & judged
    assert check_plan(study, made) == ()


def test_one_batch_has_no_other_to_take_a_check_from():
    one = {"batch": {"inputs": 10}}
    plan = planned([PAIRWISE, CLOSER], GOLD, design=one)
    study = narrower([PAIRWISE], GOLD[:1], design=one)
    with pytest.raises(DesignError, match="Leave out --keep-length"):
        narrow_plan(plan, study, aimed={}, dropped={"gone"}, replacement="kept")


def test_an_instruction_is_about_the_question_that_it_is_aimed_at():
    look = {"kind": "instruction", "id": "look", "question": "closer"}
    plan = planned([PAIRWISE, CLOSER], [look])
    study = narrower([PAIRWISE], [{**look, "question": "meaning"}])
    made = narrow_plan(plan, study, aimed={"look": "meaning"}, dropped=())
    asked = {task.expected.question for task in made.tasks() if task.expected}
    assert asked == {"meaning"}


def test_tasks_that_no_question_is_asked_about_go():
    plan = planned([PAIRWISE, RATING])
    assert {len(task.options) for task in plan.tasks()} == {1, 2}
    made = narrow_plan(plan, narrower([RATING]), aimed={}, dropped=())
    assert {len(task.options) for task in made.tasks()} == {1}
    assert made.texts == {}
