"""Stages of a study with planned looks: what is open before each look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studies import PAIRWISE, RATING, make_study

from property_settings import examples
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.design.stages import clusters_at, stages_of
from rejudge.errors import DesignError
from rejudge.study.model import Study
from rejudge.study.sample_size import Stop


def staged(looks: int = 3, fractions: tuple[float, ...] | None = None, **parts: Any) -> Study:
    study = make_study(**parts)
    stop = Stop(
        looks=looks,
        question=study.spec.questions[0].id,
        systems=("sys0", "sys1"),
        fractions=fractions,
    )
    return replace(study, spec=study.spec.model_copy(update={"stop": stop}))


def test_a_study_without_looks_has_no_stages():
    study = make_study()
    assert stages_of(study, draw(study)) is None


def test_whole_batches_are_opened_in_random_order():
    study = staged(inputs=60, design={"participants_per_batch": 3, "batch": {"inputs": 5}})
    plan = draw(study)
    stages = stages_of(study, plan)
    assert stages is not None
    assert (stages.unit, stages.places) == ("batches", (12, 24, 36))
    assert stages.fractions == pytest.approx((1 / 3, 2 / 3, 1))
    first = [batch for batch, n in stages.open_places[0].items() if n]
    assert first != [batch.id for batch in plan.batches[: len(first)]]
    assert stages == stages_of(study, plan)
    assert sum(stages.added(2).values()) == 12
    assert stages.people == (12, 24, 36)


def test_lists_that_share_their_inputs_are_opened_a_part_each():
    """Each list of a Latin square shows the same inputs: none is complete without the others."""
    study = staged(
        inputs=10, systems=2, questions=[RATING],
        design={"inputs": "apart", "batch": {"inputs": 5}, "participants_per_batch": 9},
    )  # fmt: skip
    plan = draw(study)
    assert plan.conflicts
    linked = replace(plan, conflicts={plan.batches[0].id: tuple(b.id for b in plan.batches[1:])})
    stages = stages_of(study, linked)
    assert stages is not None
    assert stages.unit == "places"
    assert [set(stage.values()) for stage in stages.open_places] == [{3}, {6}, {9}]


def test_comparisons_can_be_opened_by_batch_whatever_they_share():
    study = staged(inputs=12, design={"batch": {"inputs": 2}, "participants_per_batch": 1})
    plan = draw(study)
    ids = [batch.id for batch in plan.batches]
    linked = replace(plan, conflicts={ids[0]: tuple(ids[1:])})
    stages = stages_of(study, linked)
    assert stages is not None
    assert stages.places == (2, 4, 6)


def test_a_plan_with_too_few_parts_is_refused():
    study = staged(
        looks=4, inputs=4, questions=[RATING],
        design={"batch": {"inputs": 4}, "participants_per_batch": 2},
    )  # fmt: skip
    with pytest.raises(DesignError, match="cannot be done in 4 stages"):
        stages_of(study, draw(study))


def test_people_with_lists_do_them_in_their_order():
    study = staged(looks=2, inputs=20, design={"participants_per_batch": 2})
    plan = draw(study)
    ids = [batch.id for batch in plan.batches]
    lists = {"anna": tuple(ids), "ben": tuple(ids)}
    stages = stages_of(study, replace(plan, lists=lists))
    assert stages is not None
    assert [b for b, n in stages.open_places[0].items() if n] == ids[:2]


def test_clusters_are_inputs_with_both_systems_and_people():
    study = staged(looks=2, inputs=20, questions=[PAIRWISE], design={"participants_per_batch": 3})
    plan = draw(study)
    stages = stages_of(study, plan)
    assert stages is not None
    assert clusters_at(study, plan, stages, 1).inputs == 10
    assert (
        clusters_at(study, plan, stages, 2).people,
        clusters_at(study, plan, stages, 2).least,
    ) == (12, 12)


@settings(max_examples=examples(8), deadline=None)
@given(
    batches=st.integers(1, 12),
    places=st.lists(st.integers(1, 7), min_size=12, max_size=12),
    looks=st.integers(2, 6),
    steps=st.lists(st.integers(1, 20), min_size=6, max_size=6),
)
def test_every_stage_opens_something_and_the_last_opens_everything(batches, places, looks, steps):
    total = sum(steps[:looks])
    fractions = [sum(steps[: k + 1]) / total for k in range(looks)]
    study = staged(
        looks, (*fractions[:-1], 1.0), inputs=2 * batches, design={"batch": {"inputs": 2}}
    )
    plan = _with_places(draw(study), places)
    try:
        stages = stages_of(study, plan)
    except DesignError:
        assert len(plan.main) < looks
        return
    assert stages is not None
    assert stages.open_places[-1] == {b.id: b.participants for b in plan.main}
    for look in range(1, looks + 1):
        assert min(stages.added(look).values()) >= 0
        assert max(stages.added(look).values()) > 0


def _with_places(plan: Plan, places: list[int]) -> Plan:
    batches = [replace(b, participants=n) for b, n in zip(plan.batches, places, strict=False)]
    return replace(plan, batches=tuple(batches))


@pytest.mark.parametrize("look", [-1, 0, 3])
def test_there_are_no_clusters_at_a_look_that_is_not_planned(look):
    study = staged(looks=2, inputs=20, questions=[PAIRWISE])
    plan = draw(study)
    with pytest.raises(DesignError, match="the study has 2 looks"):
        clusters_at(study, plan, stages_of(study, plan), look)
