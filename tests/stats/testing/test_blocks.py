"""Tests for scores by block: against other programs and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.multivariate.manova import MANOVA
from statsmodels.stats.anova import AnovaRM
from whys import why

from rejudge.stats import (
    Why,
    friedman,
    hotelling,
    repeated_measures,
)

SCORES = hnp.arrays(float, (8, 4), elements=st.integers(-3, 3).map(float))


def made_scores(seed=1, *, blocks=30, systems=4):
    """Zero-sum scores with ties."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(np.linspace(0, 0.5, systems), [0.5, 1.0, 1.5, 2.0][:systems])
    raw = rng.normal(raw, 1.0, size=(blocks, systems)).round()
    return raw - raw.mean(axis=1, keepdims=True)


# ── scores by block ──────────────────────────────────────────────────────────────────────────────


# ── Friedman ─────────────────────────────────────────────────────────────────────────────────────


def test_friedman_is_that_of_scipy_with_ties():
    scores = made_scores()
    expected = scipy.stats.friedmanchisquare(*scores.T)
    found = friedman(scores)
    assert (found.statistic, found.p) == pytest.approx(tuple(expected))
    assert (found.df, found.n) == ((3,), 30)


def test_friedman_by_hand():
    """Three blocks rank 1 2 3, one ranks 2 1 3: rank sums 5, 7, 12 of mean 8.

    Q = 12/(n k (k+1)) Σ (R − 8)² = 12/48 · (9 + 1 + 16) = 6.5; W = 6.5/(4·2) = .8125.
    """
    found = friedman(np.array([[1.0, 2, 3], [4, 5, 6], [0, 1, 9], [2, 1, 3]]))
    assert found.statistic == pytest.approx(6.5)
    assert found.effects[0].value == pytest.approx(0.8125)
    assert found.p == pytest.approx(np.exp(-3.25))  # the tail of chi-squared with 2 df


def test_friedman_is_undefined_where_all_systems_tie_in_every_block():
    found = friedman(np.ones((5, 3)))
    assert (found.statistic, found.p) == (None, None)
    assert why(found) == [Why.TIED]


# ── repeated measures ────────────────────────────────────────────────────────────────────────────


def test_repeated_measures_are_those_of_statsmodels():
    scores = made_scores()
    blocks, systems = scores.shape
    frame = pd.DataFrame(
        {
            "score": scores.ravel(),
            "block": np.repeat(np.arange(blocks), systems),
            "system": np.tile(np.arange(systems), blocks),
        }
    )
    (row,) = AnovaRM(frame, "score", "block", within=["system"]).fit().anova_table.to_numpy()
    found = repeated_measures(scores)
    assert (found.statistic, found.p_uncorrected) == pytest.approx((row[0], row[3]))
    assert found.df == pytest.approx((found.epsilon * row[1], found.epsilon * row[2]))


def test_two_systems_repeated_measures_are_a_paired_t_test():
    """F = t², and with two systems nothing can depart from sphericity."""
    scores = made_scores(systems=2)
    expected = scipy.stats.ttest_rel(*scores.T)
    found = repeated_measures(scores)
    assert found.statistic == pytest.approx(expected.statistic**2)
    assert (found.p_uncorrected, found.epsilon, found.p) == pytest.approx(
        (expected.pvalue, 1.0, expected.pvalue)
    )


def test_greenhouse_geisser_by_hand():
    """Orthogonal contrasts with variances 4 and 1 and no covariance:
    ε = (4 + 1)² / (2 · (16 + 1)) = 25/34.

    (1, −1, 0)/√2 has scores ±a and (1, 1, −2)/√6 has ±b over four blocks with all signs;
    variances a²·4/3 and b²·4/3, so a = 2b.
    """
    one, two = np.array([1, -1, 0]) / np.sqrt(2), np.array([1, 1, -2]) / np.sqrt(6)
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    scores = np.array([2 * s * one + t * two for s, t in signs])
    found = repeated_measures(scores + np.array([0, 0, 0.5]))
    assert found.epsilon == pytest.approx(25 / 34)
    expected = scipy.stats.f.sf(found.statistic, 2 * 25 / 34, 6 * 25 / 34)
    assert found.p == pytest.approx(expected)


@pytest.mark.parametrize("test", [repeated_measures, hotelling])
def test_without_any_variation_between_blocks_f_is_undefined(test):
    found = test(np.tile([1.0, 2.0, 3.0], (6, 1)))
    assert (found.statistic, found.p) == (None, None)
    assert found.reasons[0].lost == "value"


# ── Hotelling ────────────────────────────────────────────────────────────────────────────────────


def test_hotelling_is_that_of_statsmodels():
    """The intercept of a multivariate model of the differences from the first system."""
    scores = made_scores()
    differences = scores[:, 1:] - scores[:, [0]]
    table = MANOVA(differences, np.ones((len(scores), 1))).mv_test().results["x0"]["stat"]
    found = hotelling(scores)
    row = table.loc["Hotelling-Lawley trace"]
    assert (found.statistic, *found.df, found.p) == pytest.approx(
        (row["F Value"], row["Num DF"], row["Den DF"], row["Pr > F"])
    )


def test_two_systems_hotelling_is_a_paired_t_test():
    scores = made_scores(systems=2)
    expected = scipy.stats.ttest_rel(*scores.T)
    found = hotelling(scores)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic**2, expected.pvalue))


def test_hotelling_needs_as_many_blocks_as_systems():
    found = hotelling(made_scores(blocks=3))
    assert (found.statistic, found.p) == (None, None)
    assert why(found) == [Why.NEEDS_MORE]


@given(SCORES, st.permutations(range(4)))
def test_hotelling_does_not_depend_on_the_order_of_systems(scores, order):
    usual, turned = hotelling(scores), hotelling(scores[:, order])
    assume(usual.statistic is not None and turned.statistic is not None)
    assert turned.statistic == pytest.approx(usual.statistic, rel=1e-6)


# ── contrasts ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("test", [friedman, repeated_measures, hotelling])
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (5, 1)])
def test_too_few_blocks_or_systems_are_undefined(test, shape):
    found = test(np.zeros(shape))
    assert found.p is None
    assert found.reasons[0].lost == "value"


@given(SCORES, st.permutations(range(8)))
def test_blocks_can_come_in_any_order(scores, order):
    assert friedman(scores[order]).statistic == pytest.approx(friedman(scores).statistic)
    assert repeated_measures(scores[order]).statistic == pytest.approx(
        repeated_measures(scores).statistic
    )


@given(SCORES)
def test_what_all_systems_share_in_a_block_does_not_matter(scores):
    shifted = scores + 10 * np.arange(8)[:, np.newaxis]
    assert repeated_measures(shifted).statistic == pytest.approx(
        repeated_measures(scores).statistic
    )
    assert friedman(shifted).statistic == pytest.approx(friedman(scores).statistic)


# ── how often they err ───────────────────────────────────────────────────────────────────────────


def equal_systems(rng, *, studies, items=100, people=3):
    """Summed scores by item of four systems that are equal on the whole but not on an item:
    all six pairs, each judged by three people, item effects of sd 1.5 on the log odds."""
    taste = rng.normal(0, 1.5, (studies, items, 4))
    scores = np.zeros((studies, items, 4))
    for first, second in combinations(range(4), 2):
        chance = 1 / (1 + np.exp(-(taste[..., first] - taste[..., second])))
        gained = 2 * rng.binomial(people, chance) - people
        scores[..., first] += gained
        scores[..., second] -= gained
    return scores


@pytest.mark.parametrize(
    "p_of",
    [
        lambda scores: friedman(scores).p,
        lambda scores: repeated_measures(scores).p,
        lambda scores: hotelling(scores).p,
    ],
    ids=["friedman", "repeated-measures", "hotelling"],
)
def test_tests_within_blocks_keep_their_level_where_one_way_analysis_does_not(p_of):
    """1,500 studies: at 5 % the Monte-Carlo error is √(.05·.95/1500) = .0056; allow three."""
    studies = equal_systems(np.random.default_rng(11), studies=1500)
    rejected = np.mean([p_of(scores) < 0.05 for scores in studies])
    assert rejected == pytest.approx(0.05, abs=3 * 0.0056)
    one_way = scipy.stats.f_oneway(*np.moveaxis(studies, 2, 0), axis=1).pvalue
    assert np.mean(one_way < 0.05) > 0.1
