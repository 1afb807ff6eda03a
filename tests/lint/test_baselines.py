"""Checks that nobody has to read for, and rules of baselines without effect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from good_study import GOLD, NONSENSE, RATING, SLIDER, make_item, make_study

from rejudge.design import draw
from rejudge.lint import check

LOW = {"kind": "nonsense", "id": "salad", "question": "fluency", "per_batch": 2}


def found(study, code: str):
    return [each for each in check(study, draw(study)) if each.code == code]


def rated(question=RATING, checks=(LOW,), **exclude: Any):
    return make_study(
        {
            "questions": [question],
            "checks": list(checks),
            "claims": [],
            "practice": None,
            "analysis.tests": [{"question": "fluency", "test": "cluster-robust"}],
            "analysis.exclude": {"failed_checks": 1, **exclude},
        }
    )


@pytest.mark.parametrize("question", [RATING, SLIDER])
def test_ratings_whose_checks_all_ask_for_a_low_score_are_found(question):
    (finding,) = found(rated(question), "R446")
    assert (finding.severity, finding.places) == ("warning", ("checks",))
    assert "always gives the lowest score" in finding.message
    assert "4 check tasks" in finding.message


@pytest.mark.parametrize(
    "exclude",
    [{"straight_lining": 0.9}, {"faster_than_reading": True}, {"too_fast_total_seconds": 60}],
)
def test_what_other_exclusions_notice_is_not_reported(exclude):
    messages = [each.message for each in found(rated(**exclude), "R446")]
    assert not any("always gives the lowest" in message for message in messages)


def test_instructions_cannot_be_passed_with_one_answer():
    told = {"kind": "instruction", "id": "told", "question": "fluency", "per_batch": 2}
    assert found(rated(checks=({**LOW, "per_batch": 1}, told)), "R446") == []


def test_checks_that_only_flag_do_not_count():
    assert found(rated(checks=({**LOW, "on_fail": "flag"},)), "R446") == []


def test_few_check_tasks_can_be_passed_by_luck():
    assert found(rated(checks=({**LOW, "per_batch": 1},)), "R446") == []


def test_a_gold_answer_that_is_always_the_shorter_text_is_found():
    """Shuffled words of two references are longer than either."""
    study = make_study(
        {"checks": [{**NONSENSE, "per_batch": 2}], "analysis.exclude": {"failed_checks": 1}}
    )
    (finding,) = found(study, "R446")
    assert "always prefers the shorter output" in finding.message


def test_gold_of_equal_lengths_is_not_left_to_chance():
    """Texts that differ in no way a rule sees: chance decides, and chance fails."""
    items = [make_item(number, reference=f"Reference {number}.") for number in range(1, 9)]
    study = make_study(
        {"checks": [{**GOLD, "per_batch": 2}], "analysis.exclude": {"failed_checks": 1}},
        items=items,
    )
    assert found(study, "R446") == []


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (["top"], "no question has a scale"),
        (["random", "longer-wins"], "'random' comes before it"),
    ],
)
def test_rules_that_decide_nothing_are_found(rules, reason):
    study = make_study({"baselines": [{"id": "lazy", "rules": rules}]})
    (finding,) = [each for each in check(study) if each.code == "R447"]
    assert reason in finding.message


def test_rules_need_what_they_look_at():
    study = rated(checks=())
    bare = replace(study, items=tuple(replace(i, input="", reference=None) for i in study.items))
    spec = bare.spec.model_copy(update={"baselines": make_study({"baselines": [
        {"id": "all", "rules": ["copy-wins", "reference-overlap-wins", "first-shown"]}
    ]}).spec.baselines})  # fmt: skip
    messages = [e.message for e in check(replace(bare, spec=spec)) if e.code == "R447"]
    assert ["no inputs" in messages[0], "no references" in messages[1]] == [True, True]
    assert "side by side" in messages[2]


def test_baselines_that_can_decide_are_left_alone():
    study = make_study({"baselines": [{"id": "usual", "rules": ["copy-wins", "first-shown"]}]})
    assert [each for each in check(study) if each.code == "R447"] == []
