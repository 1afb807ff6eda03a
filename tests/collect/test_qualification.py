"""Who passes a batch of checks, and the two error rates of a pass mark."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import binom

from judged_study import PAIRWISE, RATING, gold_task, small_study
from participants import BEST_WORST, RANKING, SEGMENTS, SLIDER
from rejudge.collect.qualification import (
    at_least,
    attempt_order,
    count_right,
    has_passed,
    open_gold_task,
    pass_rates,
    stage_rates,
)
from rejudge.design.plan import Batch, Expected, Plan, Task

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


# ── a gold batch before the others ───────────────────────────────────────────────────────────────


def gold_pair(number: int, answer: str = "a") -> dict[str, Any]:
    outputs = [f"first {number}", f"second {number}"]
    return {"input": f"gold {number}", "outputs": outputs, "answers": {"meaning": answer}}


def staged(question=PAIRS, **asked: Any):
    """A study with a gold batch."""
    wanted = {"pass_mark": 8, "tasks": [gold_pair(n, "ab"[n % 2]) for n in range(10)]}
    return small_study(question, qualification={**wanted, **asked})


def exact_pass_rate(trials: int, mark: int, chance: float) -> float:
    """The upper tail of the binomial distribution, from scipy."""
    return float(binom.sf(mark - 1, trials, chance))


def test_error_rates_of_both_attempts_agree_with_the_binomial_distribution():
    rates = stage_rates(staged())
    assert (rates.checks, rates.mark, rates.attempts) == (10, 8, 2)
    once = exact_pass_rate(10, 8, 0.5)
    assert rates.guessing == pytest.approx(once, abs=1e-12)
    assert rates.within_attempts(rates.guessing) == pytest.approx(1 - (1 - once) ** 2, abs=1e-12)
    for accuracy, rate in rates.by_accuracy:
        fails = 1 - exact_pass_rate(10, 8, accuracy)
        assert 1 - rate == pytest.approx(fails, abs=1e-12)
        assert 1 - rates.within_attempts(rate) == pytest.approx(fails**2, abs=1e-12)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4))
def test_error_rates_for_any_mark(tasks, mark, attempts):
    mark = min(mark, tasks)
    many = [gold_pair(n) for n in range(tasks)]
    rates = stage_rates(staged(tasks=many, pass_mark=mark, attempts=attempts))
    once = exact_pass_rate(tasks, mark, 0.5)
    assert rates.guessing == pytest.approx(once, abs=1e-12)
    in_all = 1 - (1 - once) ** attempts
    assert rates.within_attempts(rates.guessing) == pytest.approx(in_all, abs=1e-12)
    assert rates.same_answer == tasks


def test_the_best_habit_is_the_commoner_answer():
    tasks = [gold_pair(n, "a") for n in range(6)] + [gold_pair(9, "b")]
    assert stage_rates(staged(tasks=tasks, pass_mark=6)).same_answer == 6


@pytest.mark.parametrize(
    ("question", "task", "asked", "chance"),
    [
        (TIED, gold_pair(1, "tie"), {}, 1 / 3),
        (
            RATING,
            {"input": "i", "outputs": ["o"], "answers": {"fluency": 5}},
            {},
            1 / 5,
        ),
        (
            RATING,
            {"input": "i", "outputs": ["o"], "answers": {"fluency": 5}},
            {"within": 1},
            2 / 5,
        ),
        (
            RANKING,
            {"input": "i", "outputs": ["x", "y", "z"], "answers": {"rank": "c,a,b"}},
            {},
            1 / 6,
        ),
        (
            BEST_WORST,
            {"input": "i", "outputs": ["x", "y", "z"], "answers": {"best": "a,c"}},
            {},
            1 / 6,
        ),
        (
            SLIDER,
            {"input": "i", "outputs": ["o"], "answers": {"ease": 50}},
            {"within": 20},
            0.4,
        ),
        (
            SLIDER,
            {"input": "i", "outputs": ["o"], "answers": {"ease": 100}},
            {},
            0.1,
        ),
        (
            SEGMENTS,
            {"input": "i", "outputs": ["One. Two."], "answers": {"facts": [0, 2]}},
            {},
            1 / 9,
        ),
    ],
)
def test_guessing_by_kind_of_question(question, task, asked, chance):
    study = staged(question, tasks=[task], pass_mark=1, **asked)
    assert stage_rates(study).guessing == pytest.approx(chance)


def test_a_study_without_a_gold_batch_has_no_rates():
    assert stage_rates(small_study(PAIRS)) is None


def test_same_tasks_again_come_in_another_order():
    study = staged(attempts=3)
    asked = study.spec.qualification
    orders = [attempt_order(study, asked, number) for number in (1, 2, 3)]
    assert orders[0] == tuple(range(10))
    assert len(set(orders)) == 3
    assert {tuple(sorted(order)) for order in orders} == {orders[0]}
    assert attempt_order(study, asked, 2) == orders[1]


def test_other_tasks_are_taken_in_their_order():
    study = staged(tasks_per_attempt=5, pass_mark=4)
    asked = study.spec.qualification
    assert attempt_order(study, asked, 1) == (0, 1, 2, 3, 4)
    assert attempt_order(study, asked, 2) == (5, 6, 7, 8, 9)


def test_what_cannot_be_read_is_not_right():
    study = staged(tasks=[gold_pair(1)], pass_mark=1)
    asked = study.spec.qualification
    for raw, right in (("a", 1), ("b", 0), ("", 0), ("ä", 0)):
        assert count_right(study, asked, 1, {("@qualification-1-1", "meaning"): raw}) == right
    assert count_right(study, asked, 1, {}) == 0
    assert open_gold_task(study, asked, 1, {}) == 1


def test_too_few_tasks_for_other_ones_in_each_attempt_are_refused():
    with pytest.raises(ValidationError, match="need 12 tasks, and there are 10"):
        staged(tasks_per_attempt=6)
