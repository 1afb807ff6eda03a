"""Distributions and rescaled scores, and how long people took."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import (
    empirical_shares,
    histogram,
    normalise,
    score_table,
    session_times,
    time_quantile,
    z_by_participant,
)

VALUES = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=30).map(np.array)


def test_a_histogram_counts_what_lies_outside_apart():
    found = histogram(np.array([0.0, 1.0, 1.5, 2.0, 7.0]), np.array([0.0, 1.0, 2.0]))
    assert (found.counts.tolist(), found.outside) == ([1, 3], 1)


def test_a_score_table_has_values_that_nobody_gave():
    values, system = np.array([1.0, 3.0, 3.0, 2.5]), np.array([0, 0, 1, 1])
    found = score_table(values, system, groups=3, scale=np.array([1.0, 2.0, 3.0]))
    assert found.counts.tolist() == [[1, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert found.off_scale == 1


@given(VALUES)
def test_a_score_table_counts_each_judgment_once(values):
    found = score_table(values, np.zeros(len(values), dtype=int), groups=1, scale=np.arange(1.0, 6))
    assert found.counts.sum() == len(values)
    assert float(found.counts[0] @ found.values) == pytest.approx(values.sum())


RATINGS = st.lists(
    st.tuples(st.integers(1, 7).map(float), st.integers(0, 3)), min_size=1, max_size=40
)


def test_scores_are_normalised_by_the_declared_bounds_not_the_observed_ones():
    assert normalise(np.array([2.0, 3.0]), (1, 5)).tolist() == [0.25, 0.5]


def test_a_score_outside_the_scale_is_an_error_that_says_how_many():
    with pytest.raises(DataError, match="1 of 2 scores lie outside the scale of 1 to 5"):
        normalise(np.array([0.0, 3.0]), (1, 5))


def test_bounds_the_wrong_way_round_are_an_error():
    with pytest.raises(DataError, match="lower bound first"):
        normalise(np.array([3.0]), (5, 1))


def test_z_scores_by_hand():
    """Participant 0: 1, 3 (mean 2, sd √2); participant 4: 2, 4, 6 (mean 4, sd 2)."""
    found = z_by_participant(np.array([1.0, 2, 3, 4, 6]), np.array([0, 4, 0, 4, 4]))
    half = np.sqrt(0.5)
    assert found.value == pytest.approx([-half, -1, half, 0, 1])
    assert (found.constant, found.note) == ((), "")


def test_z_scores_are_those_of_scipy():
    rng = np.random.default_rng(1)
    values = rng.normal(5, 2, 30)
    found = z_by_participant(values, np.zeros(30, dtype=int))
    assert found.value == pytest.approx(scipy.stats.zscore(values, ddof=1))


def test_who_gave_one_score_throughout_is_centred_and_named():
    found = z_by_participant(np.array([3.0, 3, 3, 1, 2, 5]), np.array([1, 1, 1, 0, 0, 2]))
    assert found.value[[0, 1, 2, 5]].tolist() == [0.0] * 4
    assert found.constant == (1, 2)
    assert "2 of 3 participants" in found.note


@given(RATINGS)
def test_z_scores_do_not_depend_on_how_a_participant_uses_the_scale(rows):
    value, participant = (np.array(column) for column in zip(*rows, strict=True))
    stretched = value * (participant + 1) + 10 * participant
    before, after = (z_by_participant(v, participant) for v in (value, stretched))
    assert after.value == pytest.approx(before.value)
    assert after.constant == before.constant


TIMES = st.lists(st.floats(1, 1e6), min_size=1, max_size=40).map(np.array)


def test_active_time_shortens_pauses():
    """Steps 60, 1000, 40 with a limit of 300: wall 1100, active 60 + 300 + 40 = 400."""
    clock = np.array([1100.0, 0, 60, 1060, 5])
    (long, single) = session_times(clock, np.array([2, 2, 2, 2, 9]))
    assert (long.session, long.n, long.wall_seconds, long.active_seconds, long.pauses) == (
        2, 4, 1100.0, 400.0, 1,
    )  # fmt: skip
    assert (single.wall_seconds, single.active_seconds) == (None, None)
    assert "a single time stamp" in single.note


@given(TIMES, st.floats(1, 1000))
def test_active_time_is_never_longer_than_wall_time(clock, limit):
    (found,) = session_times(clock, np.zeros(len(clock), dtype=int), idle_after_seconds=limit)
    assert (found.active_seconds or 0) <= (found.wall_seconds or 0) * (1 + 1e-12)


@pytest.mark.parametrize(("share", "n"), [(0.5, 10), (0.5, 101), (0.9, 60), (0.25, 40)])
def test_the_interval_of_a_quantile_is_that_of_scipy(share, n):
    """scipy.stats.quantile_test's interval, from the binomial law too."""
    seconds = np.random.default_rng(n).lognormal(3, 1, n)
    found = time_quantile(seconds, share)
    expected = scipy.stats.quantile_test(seconds, p=share).confidence_interval(0.95)
    assert found.value == pytest.approx(np.quantile(seconds, share))
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected))


def test_the_interval_of_a_median_of_six_runs_from_the_least_to_the_most():
    """P(all six on one side) = 1/64 = .0156 ≤ .025, P(five or more) = 7/64 > .025."""
    found = time_quantile(np.array([6.0, 1, 5, 2, 4, 3]))
    assert (found.value, found.interval.low, found.interval.high) == (3.5, 1.0, 6.0)


def test_five_times_are_too_few_for_an_interval_of_95_percent():
    """P(all five on one side) = 1/32 > .025."""
    found = time_quantile(np.arange(1.0, 6))
    assert (found.value, found.interval) == (3.0, None)
    assert "too few" in found.note


def test_no_times_have_no_quantile_and_no_shares():
    assert time_quantile(np.zeros(0)).value is None
    assert empirical_shares(np.zeros(0)).n == 0


def test_empirical_shares_by_hand():
    """Of 1, 2, 2, 4: ¼ up to 1, ¾ up to 2 and 3, all up to 4.

    Band: √(ln(2/.05)/8) = √(3.68888/8) = .67905, cut at 0 and 1.
    """
    found = empirical_shares(np.array([2.0, 4, 1, 2]), np.array([1.0, 2, 3, 4]))
    assert found.share.tolist() == [0.25, 0.75, 0.75, 1.0]
    reach = math.sqrt(math.log(40) / 8)
    assert found.low == pytest.approx([0, 0.75 - reach, 0.75 - reach, 1 - reach])
    assert found.high == pytest.approx([0.25 + reach, 1, 1, 1])


@given(TIMES)
def test_empirical_shares_are_those_of_scipy(seconds):
    found = empirical_shares(seconds)
    expected = scipy.stats.ecdf(seconds).cdf
    assert found.at == pytest.approx(expected.quantiles)
    assert found.share == pytest.approx(expected.probabilities)


def test_no_sessions_have_no_sittings():
    assert session_times(np.zeros(0), np.zeros(0, dtype=int)) == ()
