"""Spreads and qualities come back from simulated choices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from drawn_opinions import drawn_choices, recovered
from rejudge.simulate.components import components_of_choices, fit_marginal_probit
from rejudge.stats import Comparisons

THREE_SYSTEMS = (0.6, 0.0, -0.6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tie_width", "bias", "design"),
    [
        (0.5, 0.3, {"keep": 1.0, "items": 40, "people": 20}),
        (0.0, 0.0, {"keep": 0.2}),
        (0.5, -0.3, {"keep": 0.1, "people": 80}),
    ],
    ids=["balanced", "forced", "unbalanced"],
)
def test_spreads_and_qualities_come_back_from_choices(tie_width, bias, design):
    """Opinions vary in all as they are assumed to (0.6, 0.3 and 0.7), so that ratios are values."""
    estimates = []
    for seed in range(16):
        comparisons, side = drawn_choices(
            seed, THREE_SYSTEMS, tie_width=tie_width, position_bias=bias, **design
        )
        found = components_of_choices(comparisons, side)
        own = [found.spreads[name] for name in ("system_by_item", "system_by_participant", "noise")]
        assert (found.tie_width is None) == (tie_width == 0)
        estimates.append([*own, *found.quality.values(), found.position_bias, found.tie_width or 0])
    assert recovered(estimates, [0.6, 0.3, 0.7, *THREE_SYSTEMS, bias, tie_width])


def test_choices_by_one_person_show_nothing_of_people():
    comparisons, side = drawn_choices(1, THREE_SYSTEMS, people=1, keep=1.0)
    found = components_of_choices(comparisons, side)
    assert any("noise" in sentence and "participant" in sentence for sentence in found.shared)


def test_a_system_that_always_wins_has_a_finite_quality():
    comparisons, side = drawn_choices(1, (50.0, 0.0, -0.5), items=20, people=8)
    found = components_of_choices(comparisons, side)
    assert found.quality[0] > 2
    assert np.isfinite(list(found.quality.values())).all()


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
