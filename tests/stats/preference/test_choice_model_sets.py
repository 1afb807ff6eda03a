"""Mixed models of best–worst choices and rankings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from choice_examples import as_sets, best_worst, dense_sets, table
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import helmert
from whys import why

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import JudgedSets, Why, choice_model, set_model

NAMES = ("judgment", "system", "score", "item", "participant")


def of(rows, sets):
    return replace(sets, **{name: getattr(sets, name)[rows] for name in NAMES})


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sets_of_different_sizes_give_what_the_matrices_written_out_give(seed):
    sets = best_worst(seed, items=10, people=6)
    found, expected = set_model(sets), dense_sets(sets)
    assert found.criterion == pytest.approx(expected.criterion, abs=1e-5)
    assert list(found.variances.values()) == pytest.approx(expected.variances, abs=2e-4)
    for each in found.contrasts:
        value, error = expected.contrast(each.first, each.second)
        assert each.value == pytest.approx(value, abs=2e-4)
        assert each.standard_error == pytest.approx(error, rel=1e-3)


def test_sets_of_two_are_comparisons():
    """Half a point for and against is a choice of ±1: the same contrasts and variances, with half
    the residual, for a choice has the errors of two scores."""
    comparisons, _ = table()
    pairs, sets = choice_model(comparisons), set_model(as_sets(comparisons))
    for one, other in zip(pairs.contrasts, sets.contrasts, strict=True):
        assert 50 + 50 * other.value == pytest.approx(one.value)
        assert 50 * other.standard_error == pytest.approx(one.standard_error)
        assert other.df == pytest.approx(one.df)
        assert other.p == pytest.approx(one.p)
    assert 2 * sets.variances["residual"] == pytest.approx(pairs.variances["residual"])
    assert sets.variances["system × item"] == pytest.approx(pairs.variances["system × item"])
    assert sets.n == pairs.n


def test_complete_rankings_of_independent_judges_are_a_two_way_analysis_of_variance():
    """Twelve people rank four systems once, each on an item of their own. By definition the error
    variance of a difference is 2 MSE / 12, MSE = Σ (y − row mean − column mean + mean)² / (11 · 3),
    with 33 degrees of freedom."""
    rng = np.random.default_rng(4)
    ranks = np.array([rng.permutation(4) for _ in range(12)], dtype=float)
    judgment = np.repeat(np.arange(12), 4)
    sets = JudgedSets(judgment, np.tile(np.arange(4), 12), ranks.ravel(), judgment, judgment, 4)
    found = set_model(sets, adjust="none")
    left = ranks - ranks.mean(axis=1, keepdims=True) - ranks.mean(axis=0) + ranks.mean()
    error = np.sqrt(2 * (left**2).sum() / 33 / 12)
    for each in found.contrasts:
        expected = ranks[:, each.first].mean() - ranks[:, each.second].mean()
        assert each.value == pytest.approx(expected)
        assert each.standard_error == pytest.approx(error)
        assert each.df == pytest.approx(33)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), shift=st.floats(-5, 5), stretch=st.floats(0.1, 10))
@settings(max_examples=examples(8))
def test_order_names_and_a_constant_in_each_judgment_do_not_matter(seed, shift, stretch):
    """Contrasts follow the unit of the scores; p does not."""
    sets = best_worst(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(sets.score))
    score = stretch * sets.score + shift * sets.judgment
    other = of(order, replace(sets, score=score, judgment=1000 - 3 * sets.judgment))
    for one, two in zip(set_model(sets).contrasts, set_model(other).contrasts, strict=True):
        assert two.value == pytest.approx(stretch * one.value, abs=1e-4)
        assert two.standard_error == pytest.approx(stretch * one.standard_error, rel=1e-3)
        assert two.p == pytest.approx(one.p, rel=1e-2, abs=1e-6)


def test_turning_best_and_worst_round_changes_only_signs():
    sets = best_worst(7)
    one, other = set_model(sets), set_model(replace(sets, score=-sets.score))
    assert [-c.value for c in one.contrasts] == pytest.approx([c.value for c in other.contrasts])
    assert other.criterion == pytest.approx(one.criterion)


def test_a_judgment_of_one_system_says_nothing():
    sets = best_worst(8)
    more = replace(
        sets,
        **{
            name: np.concatenate([getattr(sets, name), [extra]])
            for name, extra in zip(NAMES, (9999, 0, 1.0, 0, 0), strict=True)
        },
    )
    one, other = set_model(sets), set_model(more)
    assert other.contrasts == one.contrasts
    assert why(other) == [Why.SINGULAR, Why.LEFT_OUT]


def test_two_outputs_of_one_system_in_a_judgment_tell_about_chance_alone():
    """Each judgment shows two outputs of system 0 and one of system 1; every judgment stands for
    itself. Least squares of the Helmert differences, by NumPy."""
    rng = np.random.default_rng(5)
    score, system = rng.normal(size=(30, 3)), np.tile([0, 0, 1], 30)
    judgment = np.repeat(np.arange(30), 3)
    found = set_model(JudgedSets(judgment, system, score.ravel(), judgment, judgment, 2))
    turn = helmert(3)
    column = np.tile(turn @ [0, 0, 1], 30)
    value = (score @ turn.T).ravel()
    beta = column @ value / (column @ column)
    left = value - beta * column
    error = np.sqrt(left @ left / 59 / (column @ column))
    assert found.contrasts[0].value == pytest.approx(-beta)
    assert found.contrasts[0].standard_error == pytest.approx(error)
    assert found.contrasts[0].df == pytest.approx(59)


def test_judgments_of_one_system_only_are_undefined():
    codes = np.arange(4)
    found = set_model(JudgedSets(codes, codes % 2, np.ones(4), codes, codes, 2))
    assert found.contrasts == ()
    assert why(found) == [Why.NEEDS]


def test_equal_scores_are_0_without_a_test():
    sets = best_worst(9)
    found = set_model(replace(sets, score=np.ones(len(sets.score))))
    assert [c.value for c in found.contrasts] == pytest.approx([0.0] * 10)
    assert [c.p_adjusted for c in found.contrasts] == [None] * 10


def test_a_judgment_belongs_to_one_item():
    sets = best_worst(9)
    item = sets.item.copy()
    item[0] += 1
    with pytest.raises(DataError, match="several items"):
        set_model(replace(sets, item=item))


def test_a_missing_score_is_refused():
    sets = best_worst(9)
    with pytest.raises(DataError):
        set_model(replace(sets, score=np.full(len(sets.score), np.nan)))
