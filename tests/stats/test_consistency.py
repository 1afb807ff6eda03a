"""Agreement of people with themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import passes, self_consistency

FIRST = np.array([1.0, 2, 3, 4, 2, 1, 3, 3])
SECOND = np.array([1.0, 2, 4, 4, 1, 1, 3, 2])


def rng():
    return np.random.default_rng(7)


def test_passes_go_by_attempt_and_by_participant():
    """Participant 0 judged unit 5 in attempts 2, 1 and 3; participant 1 judged unit 5 once."""
    found = passes(np.array([5, 5, 5, 5, 6]), np.array([0, 0, 1, 0, 0]), np.array([2, 1, 1, 3, 1]))
    assert (found.first.tolist(), found.second.tolist(), found.later) == ([1], [0], 1)


def test_without_repeats_there_are_no_passes():
    found = passes(np.array([0, 1]), np.array([0, 0]), np.array([1, 1]))
    assert (len(found.first), len(found.second), found.later) == (0, 0, 0)


def test_the_coefficients_are_those_between_two_people():
    """Five of eight units the same: 62.5 %. Changes +1 −1 −1, mean −1/8."""
    from scipy.stats import spearmanr
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = np.zeros((4, 4))
    np.add.at(counts, (FIRST.astype(int) - 1, SECOND.astype(int) - 1), 1)
    found = self_consistency(FIRST, SECOND, measured="ordinal", rng=rng())
    assert found.n == 8
    assert found.percent.value == pytest.approx(62.5)
    assert found.mean_change == pytest.approx(-1 / 8)
    assert found.correlation.value == pytest.approx(spearmanr(FIRST, SECOND).statistic)
    assert found.kappa.value == pytest.approx(cohens_kappa(counts, wt="quadratic").kappa)


def test_alpha_of_two_passes_is_that_of_two_people():
    import evalica

    both = np.vstack([FIRST, SECOND])
    found = self_consistency(FIRST, SECOND, measured="ordinal", rng=rng())
    assert found.alpha.value == pytest.approx(alpha_of(evalica, both))


def alpha_of(evalica, matrix):
    import pandas as pd

    return evalica.alpha(pd.DataFrame(matrix), distance="ordinal").alpha


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_the_interval_is_that_of_resampling_units_one_by_one(method):
    from scipy import stats

    theirs = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
    }[method]
    chance = np.random.default_rng(3)
    truth = chance.normal(size=60)
    first = np.round(truth + chance.normal(size=60))
    second = np.round(truth + chance.normal(size=60))
    found = self_consistency(first, second, measured="interval", rng=rng(), method=method)
    rows = (chance.integers(0, 60, 60) for _ in range(1000))
    drawn = [theirs(first[row], second[row]).statistic for row in rows]
    interval = found.correlation.interval
    plain = np.quantile(drawn, [0.025, 0.975])
    assert [interval.low, interval.high] == pytest.approx(plain, abs=0.04)


def test_names_have_neither_order_nor_change():
    found = self_consistency(FIRST, SECOND, measured="nominal", rng=rng())
    assert (found.correlation.value, found.mean_change) == (None, None)
    assert found.kappa.value is not None


def test_the_same_answer_every_time_is_undefined_but_for_percent():
    same = np.ones(5)
    found = self_consistency(same, same, measured="ordinal", rng=rng())
    assert (found.percent.value, found.alpha.value) == (100, None)
    assert (found.kappa.value, found.correlation.value) == (None, None)


def test_nothing_judged_twice_is_undefined():
    nothing = np.zeros(0)
    found = self_consistency(nothing, nothing, measured="ordinal", rng=rng())
    assert (found.n, found.percent.value, found.correlation.value) == (0, None, None)
    assert found.mean_change is None


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=3, max_size=12))
def test_which_pass_came_first_matters_only_for_the_change(answers):
    first, second = np.array(answers, dtype=float).T
    there = self_consistency(first, second, measured="ordinal", rng=rng(), replicates=5)
    back = self_consistency(second, first, measured="ordinal", rng=rng(), replicates=5)
    assert back.percent.value == pytest.approx(there.percent.value)
    assert back.kappa.value == pytest.approx(there.kappa.value, abs=1e-9)
    assert back.correlation.value == pytest.approx(there.correlation.value, abs=1e-9)
    assert back.mean_change == pytest.approx(-there.mean_change)
