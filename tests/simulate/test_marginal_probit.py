"""Quality, ties and position from choices that are treated as independent."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rejudge.simulate.marginal_probit import fit_marginal_probit
from rejudge.stats import Comparisons


def comparisons(*rows: tuple[int, int, float, int]):
    """Rows of first, second, preference and how often."""
    listed = [row[:3] for row in rows for _ in range(row[3])]
    first, second, preference = (np.array(column) for column in zip(*listed, strict=True))
    nobody = np.zeros(len(listed), dtype=np.int64)
    return Comparisons(first, second, preference.astype(float), nobody, nobody, 3)


def test_two_systems_differ_by_the_quantile_of_the_win_share():
    """By hand: 84 of 100 wins are Φ(0.994)."""
    found = fit_marginal_probit(comparisons((0, 1, 1, 84), (0, 1, 0, 16)), None)
    assert found.quality[0] - found.quality[1] == pytest.approx(norm.ppf(0.84), abs=2e-3)
    assert (found.tie_width, found.position_bias) == (0.0, None)


def test_ties_lie_between_two_thresholds():
    """By hand: of equal systems 38 % ties lie within ±Φ⁻¹(0.69)."""
    found = fit_marginal_probit(comparisons((0, 1, 1, 31), (0, 1, 0, 31), (0, 1, 0.5, 38)), None)
    assert found.tie_width == pytest.approx(norm.ppf(0.69), abs=2e-3)


def test_a_position_that_always_goes_with_the_systems_is_not_known():
    table = comparisons((0, 1, 1, 60), (0, 1, 0, 40))
    assert fit_marginal_probit(table, np.ones(100, dtype=int)).position_bias is None
    assert fit_marginal_probit(table, np.zeros(100, dtype=int)).position_bias is None


def test_a_position_shows_where_either_system_comes_first():
    """By hand: first shown wins 70 % either way."""
    table = comparisons((0, 1, 1, 70), (0, 1, 0, 30), (1, 0, 1, 70), (1, 0, 0, 30))
    found = fit_marginal_probit(table, np.ones(200, dtype=int))
    assert found.position_bias == pytest.approx(norm.ppf(0.7), abs=2e-3)
    assert found.quality[0] == pytest.approx(0, abs=1e-3)
