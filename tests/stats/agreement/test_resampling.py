"""Units crossed with participants, and intervals from resamples."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats.agreement.resampling import (
    NO_WIDTH,
    _draw_one_by_one,
    _multinomial_counts,
    _poisson_counts,
    cross_units,
    pair_of,
    pair_participants,
    percentiles,
    unit_draws,
)

# Units 0 and 1 are judged alike by 5 and 7, unit 2 differently, unit 3 by one person alone.
UNIT = np.array([0, 0, 1, 1, 2, 2, 3])
PERSON = np.array([5, 7, 5, 7, 5, 7, 5])
VALUE = np.array([1.0, 2.0, 1.0, 2.0, 3.0, 3.0, 1.0])


def test_units_with_the_same_judgments_are_one_kind():
    crossing = cross_units(UNIT, PERSON, VALUE)
    assert sorted(crossing.units.tolist()) == [1, 2]
    assert (crossing.n, crossing.judgments, crossing.repeats) == (3, 6, 0)
    assert crossing.people.tolist() == [5, 7]


def test_a_pair_has_one_cell_for_each_two_values_that_met():
    crossing = cross_units(UNIT, PERSON, VALUE)
    pairs = pair_participants(crossing)
    counts = pairs.weights(crossing.units.astype(float))
    met = zip(pairs.values[pairs.x], pairs.values[pairs.y], counts, strict=True)
    assert set(met) == {(1.0, 2.0, 2.0), (3.0, 3.0, 1.0)}


def test_judging_a_unit_twice_is_a_repeat():
    assert (
        cross_units(np.array([0, 0, 0]), np.array([1, 1, 2]), np.array([1.0, 2.0, 1.0])).repeats
        == 1
    )


def test_two_lists_are_a_pair():
    pairs = pair_of(VALUE[::2][:3], VALUE[1::2])
    assert pairs.weights(np.ones(3)).tolist() == [2.0, 1.0]


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
    interval, reasons = percentiles(np.full(9, 0.3), level=0.95)
    assert interval is None
    assert reasons == (NO_WIDTH,)


def test_percentiles_by_hand():
    """0 … 100: the middle 90 % lies between 5 and 95."""
    interval, _ = percentiles(np.arange(101.0), level=0.9)
    assert (interval.low, interval.high) == (pytest.approx(5), pytest.approx(95))
