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

from rejudge.stats import (
    Comparisons,
    block_contrasts,
    friedman,
    hotelling,
    repeated_measures,
    scores_by_block,
)

SCORES = hnp.arrays(float, (8, 4), elements=st.integers(-3, 3).map(float))


def made_scores(seed=1, *, blocks=30, systems=4):
    """Zero-sum scores with ties."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(np.linspace(0, 0.5, systems), [0.5, 1.0, 1.5, 2.0][:systems])
    raw = rng.normal(raw, 1.0, size=(blocks, systems)).round()
    return raw - raw.mean(axis=1, keepdims=True)


def compare(rows, systems):
    first, second, preference, item, participant = (np.array(c) for c in zip(*rows, strict=True))
    return Comparisons(first, second, preference.astype(float), item, participant, systems)


# ── scores by block ──────────────────────────────────────────────────────────────────────────────


def test_scores_by_item_by_hand():
    """Item 0: 0 beats 1 twice, 1 ties with 2, 2 beats 0. Item 1: three wins of the first.

    Item 0: system 0 has +1 +1 −1 in three, 1 has −1 −1 0, 2 has 0 +1 in two.
    """
    rows = [(0, 1, 1, 0, 0), (1, 0, 0, 0, 1), (1, 2, 0.5, 0, 0), (0, 2, 0, 0, 0),
            (0, 1, 1, 1, 0), (1, 2, 1, 1, 0), (2, 0, 1, 1, 0)]  # fmt: skip
    scores = scores_by_block(compare(rows, 3))
    assert scores.sums == pytest.approx(np.array([[1, -2, 1], [0, 0, 0]]))
    assert scores.means == pytest.approx(np.array([[1 / 3, -2 / 3, 1 / 2], [0, 0, 0]]))
    assert scores.blocks.tolist() == [0, 1]


def test_blocks_that_lack_a_system_are_left_out_and_counted():
    rows = [(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (0, 1, 1, 5, 0)]
    scores = scores_by_block(compare(rows, 3))
    assert (scores.blocks.tolist(), scores.left_out) == ([0], 1)
    assert "1 of 2 blocks" in scores.note


def test_blocks_can_be_batches_of_items():
    rows = [(0, 1, 1, 0, 0), (1, 0, 1, 1, 0), (0, 1, 1, 2, 0)]
    scores = scores_by_block(compare(rows, 2), np.array([7, 7, 7]))
    assert scores.sums.tolist() == [[1.0, -1.0]]
    assert scores.blocks.tolist() == [7]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([(0, 1), (1, 2), (2, 0)]),
            st.sampled_from([0.0, 0.5, 1.0]),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_the_sums_of_a_block_cancel(rows):
    comparisons = compare([(*pair, preference, item, 0) for pair, preference, item in rows], 3)
    assert scores_by_block(comparisons).sums.sum(axis=1) == pytest.approx(0)


def test_no_comparisons_have_no_blocks():
    none = np.zeros(0, dtype=int)
    scores = scores_by_block(Comparisons(none, none, np.zeros(0), none, none, 3))
    assert scores.means.shape == (0, 3)
    assert friedman(scores.means).p is None


# ── Friedman ─────────────────────────────────────────────────────────────────────────────────────


def test_friedman_is_that_of_scipy_with_ties():
    scores = made_scores()
    expected = scipy.stats.friedmanchisquare(*scores.T)
    found = friedman(scores)
    assert (found.chi_squared, found.p) == pytest.approx(tuple(expected))
    assert (found.df, found.blocks) == (3, 30)


def test_friedman_by_hand():
    """Three blocks rank 1 2 3, one ranks 2 1 3: rank sums 5, 7, 12 of mean 8.

    Q = 12/(n k (k+1)) Σ (R − 8)² = 12/48 · (9 + 1 + 16) = 6.5; W = 6.5/(4·2) = .8125.
    """
    found = friedman(np.array([[1.0, 2, 3], [4, 5, 6], [0, 1, 9], [2, 1, 3]]))
    assert found.chi_squared == pytest.approx(6.5)
    assert found.concordance == pytest.approx(0.8125)
    assert found.p == pytest.approx(np.exp(-3.25))  # the tail of chi-squared with 2 df
    assert found.mean_ranks == (1.25, 1.75, 3.0)


def test_friedman_is_undefined_where_all_systems_tie_in_every_block():
    found = friedman(np.ones((5, 3)))
    assert (found.chi_squared, found.p) == (None, None)
    assert "tied in every block" in found.note


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
    assert (found.f, found.df, found.df_error, found.p) == pytest.approx(tuple(row))


def test_two_systems_repeated_measures_are_a_paired_t_test():
    """F = t², and with two systems nothing can depart from sphericity."""
    scores = made_scores(systems=2)
    expected = scipy.stats.ttest_rel(*scores.T)
    found = repeated_measures(scores)
    assert found.f == pytest.approx(expected.statistic**2)
    assert (found.p, found.epsilon, found.p_corrected) == pytest.approx(
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
    expected = scipy.stats.f.sf(found.f, 2 * 25 / 34, 6 * 25 / 34)
    assert found.p_corrected == pytest.approx(expected)


@pytest.mark.parametrize("test", [repeated_measures, hotelling])
def test_without_any_variation_between_blocks_f_is_undefined(test):
    found = test(np.tile([1.0, 2.0, 3.0], (6, 1)))
    assert (found.f, found.p) == (None, None)
    assert "Undefined" in found.note


# ── Hotelling ────────────────────────────────────────────────────────────────────────────────────


def test_hotelling_is_that_of_statsmodels():
    """The intercept of a multivariate model of the differences from the first system."""
    scores = made_scores()
    differences = scores[:, 1:] - scores[:, [0]]
    table = MANOVA(differences, np.ones((len(scores), 1))).mv_test().results["x0"]["stat"]
    found = hotelling(scores)
    row = table.loc["Hotelling-Lawley trace"]
    assert (found.f, found.df, found.df_error, found.p) == pytest.approx(
        (row["F Value"], row["Num DF"], row["Den DF"], row["Pr > F"])
    )
    assert found.t_squared == pytest.approx(29 * row["Value"])


def test_two_systems_hotelling_is_a_paired_t_test():
    scores = made_scores(systems=2)
    expected = scipy.stats.ttest_rel(*scores.T)
    found = hotelling(scores)
    assert (found.t_squared, found.p) == pytest.approx((expected.statistic**2, expected.pvalue))


def test_hotelling_needs_as_many_blocks_as_systems():
    found = hotelling(made_scores(blocks=3))
    assert (found.f, found.p) == (None, None)
    assert "4 or more blocks" in found.note


@given(SCORES, st.permutations(range(4)))
def test_hotelling_does_not_depend_on_the_order_of_systems(scores, order):
    usual, turned = hotelling(scores), hotelling(scores[:, order])
    assume(usual.f is not None and turned.f is not None)
    assert turned.f == pytest.approx(usual.f, rel=1e-6)


# ── contrasts ────────────────────────────────────────────────────────────────────────────────────


def test_contrasts_are_paired_t_tests_with_holm():
    scores = made_scores(systems=3)
    expected = scipy.stats.ttest_rel(scores[:, 0], scores[:, 2])
    found = block_contrasts(scores)
    assert [(c.first, c.second) for c in found] == [(0, 1), (0, 2), (1, 2)]
    assert (found[1].t, found[1].p) == pytest.approx((expected.statistic, expected.pvalue))
    interval = expected.confidence_interval()
    assert (found[1].interval.low, found[1].interval.high) == pytest.approx(tuple(interval))
    ordered = sorted(found, key=lambda c: c.p)
    assert ordered[0].p_adjusted == pytest.approx(min(1.0, 3 * ordered[0].p))


def test_a_difference_that_does_not_vary_has_no_test():
    scores = np.stack([np.arange(5.0), np.arange(5.0) + 1], axis=1)
    (found,) = block_contrasts(scores)
    assert (found.value, found.t, found.p, found.p_adjusted) == (-1.0, None, None, None)


@pytest.mark.parametrize("test", [friedman, repeated_measures, hotelling])
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (5, 1)])
def test_too_few_blocks_or_systems_are_undefined(test, shape):
    found = test(np.zeros(shape))
    assert found.p is None
    assert "Undefined" in found.note


def test_no_blocks_have_contrasts_without_numbers():
    assert [(c.value, c.p) for c in block_contrasts(np.zeros((0, 2)))] == [(None, None)]


@given(SCORES, st.permutations(range(8)))
def test_blocks_can_come_in_any_order(scores, order):
    assert friedman(scores[order]).chi_squared == pytest.approx(friedman(scores).chi_squared)
    assert repeated_measures(scores[order]).f == pytest.approx(repeated_measures(scores).f)


@given(SCORES)
def test_what_all_systems_share_in_a_block_does_not_matter(scores):
    shifted = scores + 10 * np.arange(8)[:, np.newaxis]
    assert repeated_measures(shifted).f == pytest.approx(repeated_measures(scores).f)
    assert friedman(shifted).chi_squared == pytest.approx(friedman(scores).chi_squared)


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
