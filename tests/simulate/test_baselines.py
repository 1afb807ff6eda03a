"""What baselines show: which checks, pass marks and exclusion rules notice a rule."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, RATING, checked_study, drawn, small_study
from rejudge.simulate.baseline_run import run_baselines
from rejudge.study.baselines import Baseline

CHOICE = {**PAIRWISE, "tie": False}
GOOD, BAD = "What is the way up the hill?", "Up?"


def checks(study, *rules: str):
    """By sort and id: how many pass, of how many, and whether that is enough."""
    baseline = Baseline(id="it", rules=rules)
    (run,) = run_baselines(study, drawn(study), baselines=(baseline,)).runs
    return {(c.sort, c.id): (c.passed, c.of, c.is_passed) for c in run.checks}, run


def gold(*answers: str):
    """Gold tasks whose right answers are these letters; the longer output is always A."""
    return [{"input": "Up?", "outputs": [GOOD, BAD], "answers": {"meaning": a}} for a in answers]


def test_a_gold_check_on_the_meaning_is_passed_by_counting_words_of_the_input():
    found, run = checks(checked_study(CHOICE, inputs=3), "input-overlap-wins")
    assert found["check", "gold"] == (3, 3, True)
    assert found["exclusion", "failed-checks"] == (3, 3, True)
    assert run.kept == run.participants == 3


def test_checks_that_a_rule_fails_exclude_whoever_follows_it():
    found, run = checks(checked_study(RATING, inputs=3), "top")
    assert found["check", "gold"] == (0, 3, False)
    assert found["exclusion", "failed-checks"] == (0, 3, False)
    assert run.kept == 0


def test_straight_lining_is_noticed():
    rules = {"exclude": {"straight_lining": 0.9}}
    design = {"batch": {"inputs": 4}}
    study = small_study(CHOICE, inputs=4, analysis=rules, design=design)
    assert checks(study, "first-shown")[0]["exclusion", "straight-lining"] == (0, 3, False)
    assert checks(study, "random")[0]["exclusion", "straight-lining"][2]


@pytest.mark.parametrize(("rule", "right"), [("first-shown", 3), ("last-shown", 1)])
def test_a_qualification_is_passed_by_its_mark(rule, right):
    stage = {"pass_mark": 3, "attempts": 1, "tasks": gold("a", "a", "b", "a")}
    found, _ = checks(small_study(CHOICE, inputs=3, qualification=stage), rule)
    assert found["qualification", "qualification"] == (right, 4, right >= 3)


def test_the_best_attempt_at_a_qualification_counts():
    stage = {
        "pass_mark": 2, "attempts": 2, "tasks_per_attempt": 2, "tasks": gold("b", "b", "a", "a")
    }  # fmt: skip
    found, _ = checks(small_study(CHOICE, inputs=3, qualification=stage), "first-shown")
    assert found["qualification", "qualification"] == (2, 2, True)


def test_practice_counts_where_it_has_a_mark():
    examples = [{**each, "explanation": "So."} for each in gold("a", "b")]
    for mark, is_passed in ((1, True), (2, False)):
        practice = {"pass_mark": mark, "examples": examples}
        screening = {"screening": {"reward": 0.1}}
        study = small_study(CHOICE, inputs=3, practice=practice, recruitment=screening)
        found, _ = checks(study, "longer-wins")
        assert found["practice", "practice"] == (1, 2, is_passed)
    study = small_study(CHOICE, inputs=3, practice={"examples": examples})
    assert checks(study, "longer-wins")[0] == {}


def test_what_a_rule_cannot_decide_is_not_right():
    stage = {"pass_mark": 1, "tasks": gold("a")}
    found, _ = checks(small_study(CHOICE, inputs=3, qualification=stage), "top")
    assert found["qualification", "qualification"] == (0, 1, False)


def test_missing_answers_of_a_rule_are_not_held_against_it():
    """`top` answers the rating and not the comparison."""
    study = small_study(RATING, CHOICE, inputs=3)
    _, run = checks(study, "top")
    assert run.kept == run.participants > 0


def test_rules_about_time_are_said_not_to_be_applied():
    study = small_study(CHOICE, inputs=3, analysis={"exclude": {"faster_than_reading": True}})
    found = run_baselines(study, drawn(study), baselines=(Baseline(id="a", rules=("random",)),))
    assert "time were not applied" in found.notes[0]
