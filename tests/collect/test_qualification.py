"""Who passes a batch of checks, and the two error rates of a pass mark."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import PAIRWISE, RATING, gold_task, small_study
from rejudge.collect import has_passed, pass_rates
from rejudge.collect.qualification import at_least
from rejudge.design import Batch, Expected, Plan, Task

PAIRS = {**PAIRWISE, "tie": False}
TIED = {**PAIRWISE, "tie": True}


def plan_of(study, tasks, *, attempts: int = 2) -> Plan:
    return Plan(
        study=study.design_fingerprint,
        seed=1,
        order="listed",
        batches_per_participant=attempts,
        batches=(Batch("b1", tuple(tasks), 5),),
        texts={},
        segments={},
        conflicts={},
    )


def gold(many: int) -> list[Task]:
    return [gold_task(f"b1-{n}") for n in range(1, many + 1)]


def qualifying(question, *, mark: int | None = 8):
    checks = [{"kind": "gold", "id": "gold", "question": question["id"]}]
    recruitment = {} if mark is None else {"pass_mark": mark}
    return small_study(question, checks=checks, recruitment=recruitment)


@given(st.integers(0, 12), st.integers(0, 12), st.floats(0, 1))
def test_equal_chances_give_the_binomial_distribution(mark, trials, chance):
    wanted = sum(
        comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(mark, trials + 1)
    )
    assert at_least(mark, [chance] * trials) == pytest.approx(wanted, abs=1e-12)


def test_unequal_chances_by_hand():
    """One of two, with 1/2 and 1/5: 1 - 1/2 · 4/5."""
    assert at_least(1, [0.5, 0.2]) == pytest.approx(0.6)
    assert at_least(2, [0.5, 0.2]) == pytest.approx(0.1)


def test_guessing_eight_of_ten_pairs():
    """(45 + 10 + 1) / 1024; the participant of 90 % accuracy fails with 7.0 %."""
    study = qualifying(PAIRS)
    rates = pass_rates(study, plan_of(study, gold(10)))
    assert (rates.checks, rates.mark, rates.attempts) == (10, 8, 2)
    assert rates.guessing == pytest.approx(56 / 1024)
    assert rates.within_attempts(rates.guessing) == pytest.approx(1 - (968 / 1024) ** 2)
    assert 1 - dict(rates.by_accuracy)[0.9] == pytest.approx(0.0702, abs=1e-4)


def test_a_tie_button_makes_guessing_harder():
    study = qualifying(TIED, mark=1)
    assert pass_rates(study, plan_of(study, gold(1))).guessing == pytest.approx(1 / 3)


def test_on_a_scale_the_right_points_count():
    study = qualifying(RATING, mark=1)
    right = Expected("fluency", at_most=2)
    task = Task("b1-1", "i0", ("@input",), "check", "gold", right)
    points = len(study.spec.questions[0].values)
    rates = pass_rates(study, plan_of(study, [task]))
    assert rates.guessing == pytest.approx(2 / points)


def test_a_mark_that_nobody_can_reach_is_never_passed():
    study = qualifying(PAIRWISE)
    rates = pass_rates(study, plan_of(study, gold(3)))
    assert (rates.guessing, rates.by_accuracy[-1][1]) == (0, 0)


def test_without_a_mark_there_is_nothing_to_pass():
    study = qualifying(PAIRWISE, mark=None)
    plan = plan_of(study, gold(3))
    assert pass_rates(study, plan) is None
    assert not has_passed(study, plan.batches[0], 0)
    assert "pass_mark" not in study.spec.to_json()["recruitment"]


def test_passing_is_reaching_the_mark():
    study = qualifying(PAIRWISE, mark=2)
    batch = plan_of(study, gold(3)).batches[0]
    passed = [has_passed(study, batch, failed) for failed in (0, 1, 2, 3, None)]
    assert passed == [True, True, False, False, False]
    assert not has_passed(study, replace(batch, tasks=batch.tasks[:1]), 0)
