"""Rules about a size that a pilot fills in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from good_study import make_study

from looked_study import ANALYSIS, PAID, looked_study, stop
from rejudge.design import draw
from rejudge.lint import check
from rejudge.lint.evidence import StudyEvidence
from rejudge.lint.sample_size import uncompared_pair
from rejudge.study import FilledSize
from small_site import study_of

SIZE = FilledSize(
    "r", "p", 10, 3, 6, 0.64, reached=False, judgments=60, hours=1.0, cost=None, currency=None,
    on="2026-11-17", source="pilot", engine="numpy",
)  # fmt: skip


def ruled(**parts: object):
    asked = make_study({}).spec.questions[0].id
    rule = {"effect": {asked: 5}, "pilot": "pilot", "inputs": [10, 20]}
    return make_study({"sample_size": rule, **parts})


def codes(study) -> set[str]:
    return {each.code for each in check(study)} & {"R441", "R442", "R443"}


def test_a_study_without_a_rule_is_left_alone():
    assert codes(make_study({})) == set()


def test_a_rule_is_filled_in_before_the_study_runs():
    study = ruled(recruitment={"platform": "link"})

    assert codes(study) == {"R441"}
    assert codes(replace(study, size=replace(SIZE, reached=True))) == set()


def test_a_size_below_its_power_is_noted():
    assert codes(replace(ruled(recruitment={"platform": "link"}), size=SIZE)) == {"R443"}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, {"R441", "R442"}),
        ({"site": {"exclude_studies": ["pilot"]}}, {"R441"}),
    ],
)
def test_participants_of_the_pilot_stay_out(parts, expected):
    assert codes(ruled(recruitment={"platform": "prolific"}, **parts)) == expected


CODES = {"R431", "R432", "R433", "R434", "R435"}


def look_codes(study, plan, *, is_frozen=True):
    return {each.code for each in check(study, plan, is_frozen=is_frozen)} & CODES


def test_a_sound_plan_has_no_findings():
    assert look_codes(*looked_study(12, 3)) == set()
    assert look_codes(*study_of(2), is_frozen=False) == set()


@pytest.mark.parametrize(
    "planned",
    [
        "",
        "analysis: {tests: [{question: meaning, test: friedman}]}\n",
    ],
)
def test_looks_without_a_planned_test_are_found(planned):
    text = stop().replace(ANALYSIS, planned)
    assert look_codes(*study_of(12, 3, more=text)) == {"R431"}


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
    assert look_codes(*study_of(4, 10, more=text)) - {"R432"} == {"R434"}


def test_looks_of_an_unfrozen_study_are_noted():
    study, plan = looked_study(12, 3)
    assert look_codes(study, plan, is_frozen=False) == {"R435"}
    assert look_codes(study, plan, is_frozen=None) == set()


def test_a_plan_that_cannot_be_staged_is_an_obstacle_and_no_fault_of_the_rules():
    study, _ = study_of(1, 2, more=PAID + stop(looks=5).removeprefix(PAID))
    assert look_codes(study, draw(study)) == set()
