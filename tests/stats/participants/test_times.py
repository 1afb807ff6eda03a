"""Elapsed and active time, and its distribution."""

from __future__ import annotations

import math
from datetime import datetime

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import (
    elapsed,
    empirical_shares,
    sittings,
    time_quantile,
    total_times,
    without_days,
)

TIMES = st.lists(st.floats(1, 1e6), min_size=1, max_size=40).map(np.array)


def moments(*texts: str):
    return np.array(texts, dtype="datetime64[ms]")


def test_a_session_over_several_days_keeps_its_days():
    """6 days, 21 hours, 24 minutes and 9 seconds: 6·86,400 + 77,049 = 595,449 s."""
    found = elapsed(moments("2023-06-01T10:00:00"), moments("2023-06-08T07:24:09"))
    assert found.seconds.tolist() == [595_449.0]
    assert found.days.tolist() == [6]
    assert "1 of 1 sessions lasted a day" in found.note


def test_what_python_calls_seconds_drops_the_days():
    """`timedelta.seconds` is the slip that `without_days` repeats."""
    delta = datetime.fromisoformat("2023-06-08T07:24:09") - datetime.fromisoformat(
        "2023-06-01T10:00:00"
    )
    assert without_days(np.array([delta.total_seconds()])).tolist() == [delta.seconds] == [77_049]


def test_parts_of_seconds_count():
    found = elapsed(moments("2023-06-01T10:00:00.250"), moments("2023-06-01T10:00:02.000"))
    assert (found.seconds.tolist(), found.note) == ([1.75], "")


def test_a_session_that_ends_before_it_starts_is_an_error():
    with pytest.raises(DataError, match="1 of 1 sessions end before they start"):
        elapsed(moments("2023-06-01T10:00:00"), moments("2023-06-01T09:00:00"))


def test_active_time_shortens_pauses():
    """Steps 60, 1000, 40 with a limit of 300: wall 1100, active 60 + 300 + 40 = 400."""
    clock = np.array([1100.0, 0, 60, 1060, 5])
    (long, single) = sittings(clock, np.array([2, 2, 2, 2, 9]))
    assert (long.session, long.n, long.wall_seconds, long.active_seconds, long.pauses) == (
        2, 4, 1100.0, 400.0, 1,
    )  # fmt: skip
    assert (single.wall_seconds, single.active_seconds) == (None, None)
    assert "a single time stamp" in single.note


@given(TIMES, st.floats(1, 1000))
def test_active_time_is_never_longer_than_wall_time(clock, limit):
    (found,) = sittings(clock, np.zeros(len(clock), dtype=int), idle_after_seconds=limit)
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


def test_a_page_counts_once_however_many_judgments_were_given_on_it():
    """Participant 4: pages 0 (two judgments, 30 s) and 1 (12 s); participant 2: page 0 (50 s)."""
    found = total_times(
        np.array([30.0, 50, 12, 30]), np.array([0, 0, 1, 0]), np.array([4, 2, 4, 4])
    )
    assert [(t.participant, t.pages, t.seconds) for t in found] == [(2, 1, 50.0), (4, 2, 42.0)]
    assert total_times(np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int)) == ()


def test_a_page_with_two_times_is_an_error():
    with pytest.raises(DataError, match="different times"):
        total_times(np.array([30.0, 31]), np.array([0, 0]), np.array([1, 1]))


def test_no_sessions_have_no_sittings():
    assert sittings(np.zeros(0), np.zeros(0, dtype=int)) == ()
    assert elapsed(moments(), moments()).seconds.tolist() == []
