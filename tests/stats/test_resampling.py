"""Drawing units anew."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats.resampling import (
    _draw_one_by_one,
    _multinomial_counts,
    _poisson_counts,
    percentiles,
    unit_draws,
)

UNITS = np.array([1, 2, 5, 12, 80, 200])


@pytest.mark.parametrize("draw", [_multinomial_counts, _draw_one_by_one, _poisson_counts])
def test_every_way_draws_as_many_units_as_there_are(draw):
    drawn = draw(UNITS, np.random.default_rng(1), 500)
    assert set(drawn.sum(axis=1).tolist()) == {300}


@pytest.mark.parametrize("draw", [_multinomial_counts, _draw_one_by_one, _poisson_counts])
def test_every_way_is_multinomial(draw):
    """Means n·p, variances n·p(1 − p), covariances −n·p·q, within five standard errors.

    A mean of 20,000 has standard error √(np(1−p)/20000); a variance about √(2 + 1/np)/√20000 of it.
    """
    drawn = draw(UNITS, np.random.default_rng(2), 20_000).astype(float)
    p = UNITS / 300
    variance = 300 * p * (1 - p)
    assert np.all(np.abs(drawn.mean(axis=0) - UNITS) < 5 * np.sqrt(variance / 20_000))
    error = np.sqrt((2 + 1 / variance) / 20_000)
    assert np.all(np.abs(drawn.var(axis=0) / variance - 1) < 5 * error)
    covariance = np.cov(drawn[:, 4], drawn[:, 5])[0, 1]
    assert covariance == pytest.approx(-300 * p[4] * p[5], rel=0.05)


@pytest.mark.parametrize("kinds", [1, 3, 90, 1500])
def test_blocks_add_up_to_the_resamples_asked_for(kinds):
    units = np.ones(kinds, dtype=np.int64)
    rows = np.concatenate(list(unit_draws(units, np.random.default_rng(3), 70)))
    assert rows.shape == (70, kinds)
    assert set(rows.sum(axis=1)) == {kinds}


def test_what_does_not_vary_has_no_interval():
    interval, reason = percentiles(np.full(9, 0.3), level=0.95)
    assert interval is None
    assert "no spread" in reason


def test_percentiles_by_hand():
    """0 … 100: the middle 90 % lies between 5 and 95."""
    interval, _ = percentiles(np.arange(101.0), level=0.9)
    assert (interval.low, interval.high) == (pytest.approx(5), pytest.approx(95))
