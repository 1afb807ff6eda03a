"""Rules about planned looks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from looked_study import ANALYSIS, PAID, looked_study, stop
from rejudge.design import draw
from rejudge.lint import check
from rejudge.lint.evidence import StudyEvidence
from rejudge.lint.stopping import uncompared_pair
from small_site import study_of

CODES = {"R431", "R432", "R433", "R434", "R435"}


def codes(study, plan, *, is_frozen=True):
    return {each.code for each in check(study, plan, is_frozen=is_frozen)} & CODES


def test_a_sound_plan_has_no_findings():
    assert codes(*looked_study(12, 3)) == set()
    assert codes(*study_of(2), is_frozen=False) == set()


@pytest.mark.parametrize(
    "planned",
    [
        "",
        "analysis: {tests: [{question: meaning, test: friedman}]}\n",
    ],
)
def test_looks_without_a_planned_test_are_found(planned):
    text = stop().replace(ANALYSIS, planned)
    assert codes(*study_of(12, 3, more=text)) == {"R431"}


def test_a_first_look_at_few_clusters_is_found():
    (found,) = (e for e in check(*looked_study(4, 2), is_frozen=True) if e.code == "R432")
    assert "6 inputs and 4 participants" in found.message


def test_a_pair_that_is_never_compared_is_found():
    study, plan = looked_study(12, 3)
    tasks = {b.id: tuple(replace(t, options=("north",)) for t in b.tasks) for b in plan.batches}
    batches = tuple(replace(b, tasks=tasks[b.id]) for b in plan.batches)
    found = list(uncompared_pair(StudyEvidence(study, replace(plan, batches=batches))))
    assert ["Before look 1" in each.message for each in found] == [True]


def test_looks_far_from_their_fractions_are_found():
    text = stop(more=", fractions: [0.9, 1]")
    assert codes(*study_of(4, 10, more=text)) - {"R432"} == {"R434"}


def test_looks_of_an_unfrozen_study_are_noted():
    study, plan = looked_study(12, 3)
    assert codes(study, plan, is_frozen=False) == {"R435"}
    assert codes(study, plan, is_frozen=None) == set()


def test_a_plan_that_cannot_be_staged_is_an_obstacle_and_no_fault_of_the_rules():
    study, _ = study_of(1, 2, more=PAID + stop(looks=5).removeprefix(PAID))
    assert codes(study, draw(study)) == set()
