"""Studies of other sizes: their plans can be run, and show every item with all its systems."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planned_studies import PAIRWISE, RATING, planned_study, rating_study
from power_studies import BEST_WORST, study_of
from rejudge.design.draw import draw
from rejudge.design.plan import check_plan
from rejudge.errors import DesignError
from rejudge.judgments.answers import tabulate
from rejudge.power.sizes import StudyShape, batches_needed, planned_shape, resize_study
from rejudge.simulate.people import judge

TOGETHER = "{seed: 1, batch: {inputs: 5}, participants_per_batch: 3}"
APART = "{seed: 1, inputs: apart, batch: {inputs: 5}, participants_per_batch: 3}"
ANYWHERE = "{seed: 1, inputs: anywhere, batch: {tasks: 7}, participants_per_batch: 3}"
CALIBRATED = "{seed: 1, calibration: 2, batch: {inputs: 6}, participants_per_batch: 3}"
SEGMENTS = "kind: segments, id: fluency, prompt: How fluent, points: 4, lowest: 0"


def seen_systems(plan) -> dict[str, Counter[str]]:
    """How many people judge each system, by item."""
    seen: dict[str, Counter[str]] = {}
    for batch in plan.main:
        for task in batch.real:
            for option in task.options:
                seen.setdefault(task.item, Counter())[option] += batch.participants
    return seen


@given(
    items=st.integers(1, 70),
    per_item=st.integers(1, 5),
    design=st.sampled_from([TOGETHER, APART, ANYWHERE, CALIBRATED]),
)
def test_every_item_is_judged_for_all_systems_by_as_many_people_as_asked(items, per_item, design):
    study = rating_study(design=design)
    plan = draw(study)

    sized, resized = resize_study(study, plan, StudyShape(items, per_item, 40 * per_item, 2))

    seen = seen_systems(resized)
    assert len(seen) == items
    assert all(set(each.values()) == {per_item} and len(each) == 2 for each in seen.values())
    assert check_plan(sized, resized) == ()
    assert batches_needed(plan, items) == len(resized.main)


@pytest.mark.parametrize("design", [TOGETHER, APART, ANYWHERE, CALIBRATED])
def test_the_planned_size_is_the_plan_itself(design):
    study = rating_study(design=design)
    plan = draw(study)

    sized, resized = resize_study(study, plan, planned_shape(study, plan))

    assert sized.items == study.items
    assert {b.id: b.tasks for b in resized.main} == {b.id: b.tasks for b in plan.main}


@pytest.mark.parametrize("design", [TOGETHER, APART, ANYWHERE, CALIBRATED])
def test_a_larger_study_can_be_answered(design):
    study = rating_study(design=design)
    shape = StudyShape(47, 2, 30, 2)
    sized, resized = resize_study(study, draw(study), shape)

    answers = judge(sized, resized, rng=np.random.default_rng(1))
    table = tabulate(sized, resized, answers, origin="simulated")

    calibration = sum(b.participants * len(b.real) for b in resized.batches if b.is_calibration)
    assert len(table.of_kind("real")) - calibration == 47 * 2 * 2


def test_nobody_sees_an_input_twice_where_inputs_are_apart():
    study = rating_study(design=APART.replace("}, p", "}, batches_per_participant: 2, p"))
    sized, resized = resize_study(study, draw(study), StudyShape(47, 2, 20, 2))

    answers = judge(sized, resized, rng=np.random.default_rng(1))

    item = {task.id: task.item for task in resized.tasks()}
    seen = Counter((each.participant, item[each.task]) for each in answers)
    assert max(seen.values()) == 1


def test_texts_that_are_used_again_are_cut_at_the_same_places():
    study = planned_study((SEGMENTS,), "{question: fluency, test: mixed-model}")
    sized, resized = resize_study(study, draw(study), StudyShape(45, 2, 18, 2))

    assert check_plan(sized, resized) == ()


def test_sets_of_some_systems_stay_together():
    study = study_of(BEST_WORST, systems=4)
    _, resized = resize_study(study, draw(study), StudyShape(7, 2, 8, 4))

    assert {tuple(each.values()) for each in seen_systems(resized).values()} == {(6, 6, 6, 6)}


def test_choices_of_all_pairs_stay_together():
    study = planned_study((PAIRWISE,), "", systems="[a, b, c]")
    _, resized = resize_study(study, draw(study), StudyShape(33, 2, 14, 3))

    assert len(seen_systems(resized)) == 33
    assert sum(len(batch.real) for batch in resized.main) == 33 * 3


def test_a_plan_without_batches_is_refused():
    study = planned_study((RATING,), "")
    with pytest.raises(DesignError, match="no batches"):
        resize_study(study, replace(draw(study), batches=()), StudyShape(8, 2, 4))
