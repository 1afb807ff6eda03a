"""Monte-Carlo intervals, and how many studies they take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.power.intervals import studies_needed, wilson
from rejudge.stats import Interval


@given(found=st.integers(0, 50), more=st.integers(0, 50))
def test_an_interval_holds_its_share(found, more):
    interval = wilson(found, found + more)
    share = found / max(1, found + more)

    assert 0 <= interval.low <= max(share, interval.low) <= interval.high <= 1


def test_wilsons_interval_is_the_published_one():
    """Newcombe (1998), table I: 81 of 263 gives .2553 to .3662."""
    interval = wilson(81, 263)

    assert (interval.low, interval.high) == (
        pytest.approx(0.2553, abs=5e-5),
        pytest.approx(0.3662, abs=5e-5),
    )


def test_one_percent_takes_about_ten_thousand_studies():
    """1.96² · 0.25 / 0.01² = 9,604."""
    assert studies_needed(Interval(0.4, 0.6, 0.95), 0.01) == 9604
    assert studies_needed(Interval(0.98, 1.0, 0.95), 0.01) < 1000
