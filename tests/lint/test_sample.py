"""Rules about the sample: its size, planned looks, and which inputs are selected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from good_study import RATING, make_item, make_study

from looked_study import ANALYSIS, PAID, looked_study, stop
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.design.selection import SelectedInput, Selection
from rejudge.lint.evidence import StudyEvidence
from rejudge.lint.rules import check
from rejudge.lint.sample import uncompared_pair
from rejudge.study.model import Study
from rejudge.study.sample_size import FilledSize
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


OURS = {"R436", "R437", "R438", "R439", "R440"}
MODEL = {"tests": [{"question": "meaning", "test": "mixed-model"}]}


def study_with(sample: dict, weights=(), strata=(), listed=4, **changes: Any) -> Study:
    items = [
        make_item(
            n + 1,
            weight=float(weights[n]) if weights else None,
            stratum=strata[n] if strata else None,
            is_listed=n < listed and sample["method"] == "listed",
        )
        for n in range(8)
    ]
    return make_study({"items.sample": sample, **changes}, items=items)


def found(study: Study, plan: Plan | None = None) -> dict[str, str]:
    return {
        each.code: each.message for each in check(study, plan or draw(study)) if each.code in OURS
    }


def weighted(weights, **changes: Any) -> Study:
    sample = {"inputs": 4, "method": "weighted", "column": "w"}
    return study_with(sample, weights=weights, **changes)


@pytest.mark.parametrize(
    "sample",
    [
        {"inputs": 4},
        {"inputs": 4, "method": "random"},
        {"inputs": 4, "method": "stratified"},
        {"inputs": 4, "method": "stratified", "allocation": "proportional"},
    ],
)
def test_a_random_sample_is_sound(sample):
    study = make_study({"items.sample": sample})
    assert found(study) == {}


def test_listed_items_cannot_decide_claims_about_others():
    assert found(study_with({"method": "listed", "column": "use"})) == {
        "R436": "The inputs are listed, so results apply only to these items, but 1 planned "
        "test and 1 claim are about new items."
    }


def test_listed_items_may_decide_what_is_about_participants():
    tests = [{"question": "fluency", "test": "paired-t", "unit": "participant"}]
    study = study_with(
        {"method": "listed", "column": "use"},
        questions=[RATING],
        checks=[],
        practice=None,
        analysis={"tests": tests},
        claims=[],
    )
    assert found(study) == {}


def test_weights_that_the_analysis_ignores_make_claims_about_new_items_void():
    tests = {"tests": [{"question": "meaning", "test": "cluster-robust"}], "item_weights": False}
    messages = found(weighted([1, 2, 3, 4, 5, 6, 7, 8], analysis=tests))
    assert set(messages) == {"R436"}
    assert "the analysis ignores it" in messages["R436"]


def test_weights_in_the_analysis_are_sound():
    assert found(weighted([1, 2, 3, 4, 5, 6, 7, 8])) == {}


def test_extremely_unequal_weights_are_reported_with_what_they_cost():
    """Weights of 1, 1, 1 and 50: 53² / 2,503 = 1.12 inputs, a design effect of 3.56."""
    study = weighted([1, 2, 3, 4, 5, 6, 7, 8])
    shares = {"q1": 1.0, "q2": 1.0, "q3": 1.0, "q4": 0.02}
    inputs = tuple(SelectedInput(name, share) for name, share in shares.items())
    selection = Selection("weighted", 8, column="w", selected=inputs)
    assert found(study, replace(draw(study), selection=selection)) == {
        "R437": "4 inputs are worth 1.12 of equal weight (design effect 3.56)."
    }


def test_a_test_that_ignores_weights_is_reported():
    messages = found(weighted([1, 2, 3, 4, 5, 6, 7, 8], analysis=MODEL))
    assert set(messages) == {"R439"}
    assert messages["R439"].startswith("mixed-model on 'meaning' treats all inputs as equally")


def test_a_stratum_with_one_input_is_named():
    sample = {"inputs": 4, "method": "stratified", "column": "g"}
    messages = found(study_with(sample, strata=["a", "b", "c", "c", "c", "c", "c", "c"]))
    assert "2 of 3 strata have a single selected input: “a”, “b”." in messages["R438"]


def test_inputs_that_cannot_be_selected_are_counted():
    messages = found(weighted([0, 1, 1, 1, 1, 1, 1, 1]))
    assert messages == {
        "R440": "1 input of weight 0 (12 % of the file) cannot be selected, so results do not "
        "cover it."
    }


def test_without_probabilities_nothing_is_said_about_weights():
    study = weighted([1, 2, 3, 4, 5, 6, 7, 8])
    assert found(study, replace(draw(study), selection=None)) == {}
