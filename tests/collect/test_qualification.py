"""Who passes a batch of checks, and the two error rates of a pass mark."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import binom

from judged_study import PAIRWISE, RATING, small_study
from participants import BEST_WORST, RANKING, SEGMENTS, SLIDER
from rejudge.collect.qualification import (
    at_least,
    attempt_order,
    count_right,
    open_gold_task,
    stage_rates,
)

PAIRS = {**PAIRWISE, "tie": False}
TIED = {**PAIRWISE, "tie": True}


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
