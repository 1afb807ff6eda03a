"""Sizes of effects and their exact intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.stats import (
    Summary,
    Why,
    cohen_d,
    cohen_d_from_summary,
    cohen_dz,
    eta_squared,
    hedges_g,
    hedges_gz,
    omega_squared,
    partial_eta_squared,
)
from rejudge.stats.testing.effects import _integrated_t_cdf, noncentral_t_cdf

SCORES = st.lists(st.integers(1, 7), min_size=3, max_size=20).filter(lambda x: len(set(x)) > 1)


def test_d_is_the_difference_over_the_pooled_spread():
    """(1, 2, 3) and (3, 4, 5): both variances 1, so d = −2 / 1."""
    d = cohen_d(np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0]))
    assert (d.value, d.measure, d.n) == (-2, "d", 6)


def test_the_limits_of_d_put_t_at_the_ends_of_the_noncentral_distribution():
    """By definition, with scipy.stats.nct: t = d·√(n₁n₂/(n₁ + n₂))."""
    from scipy.stats import nct

    d = cohen_d_from_summary(Summary(3.0, 1.2, 12), Summary(2.1, 0.9, 17))
    precision = math.sqrt(12 * 17 / 29)
    t = d.value * precision
    assert nct.cdf(t, 27, d.interval.low * precision) == pytest.approx(0.975, abs=1e-9)
    assert nct.cdf(t, 27, d.interval.high * precision) == pytest.approx(0.025, abs=1e-9)


def test_an_effect_of_two_against_two_far_apart_still_has_an_interval():
    """Here the usual series fails; the interval must hold the effect and be wide."""
    d = cohen_d_from_summary(Summary(10.0, 1.0, 2), Summary(0.0, 1.0, 2))
    assert d.interval.low < 2
    assert d.interval.high > 15


def test_an_effect_beyond_the_reach_of_the_series_has_the_interval_of_a_spread():
    """Where d is huge its error is that of the SD alone: d·√(χ²_p(1998)/1998), .025 and .975."""
    from scipy.special import chdtri

    d = cohen_d_from_summary(Summary(1e9, 1.0, 1000), Summary(0.0, 1.0, 1000))
    ends = [1e9 * math.sqrt(chdtri(1998, tail) / 1998) for tail in (0.975, 0.025)]
    assert (d.interval.low, d.interval.high) == pytest.approx(ends, rel=1e-8)


@pytest.mark.parametrize("t", [0.0, 2.0, 40.0])
@pytest.mark.parametrize("df", [2, 30, 1000])
def test_the_noncentral_t_by_quadrature_equals_the_series(t, df):
    from scipy.stats import nct

    away = math.sqrt(1 + t * t / (2 * df))
    shifts = [t - 2 * away, t, t + 2 * away]
    found = [_integrated_t_cdf(t, df, shift) for shift in shifts]
    assert found == pytest.approx([nct.cdf(t, df, shift) for shift in shifts], abs=1e-9)


def test_the_noncentral_t_has_a_number_where_the_series_has_none():
    """T = (Z + 40)/S is negative only if Z < −40, which never is."""
    assert noncentral_t_cdf(-2.5, 5, 40) == pytest.approx(0, abs=1e-12)
    assert noncentral_t_cdf(2.5, 5, -40) == pytest.approx(1)


def test_g_shrinks_d_by_the_exact_factor():
    """J(4) = Γ(2) / (√2 · Γ(1.5)) = 1 / (√2 · √π/2) = √(2/π) = .797885."""
    one, two = np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0])
    g = hedges_g(one, two)
    assert g.value == pytest.approx(-2 * math.sqrt(2 / math.pi))
    assert g.interval.low == pytest.approx(cohen_d(one, two).interval.low * 0.7978845608)


def test_dz_is_the_mean_difference_over_the_spread_of_differences():
    """Differences 1, 2, 3: mean 2, SD 1. J(2) = Γ(1)/Γ(½) = 1/√π = .56419."""
    one, two = np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0])
    assert cohen_dz(one, two).value == pytest.approx(2)
    assert hedges_gz(one, two).value == pytest.approx(2 / math.sqrt(math.pi))


@pytest.mark.parametrize("effect", [cohen_d, hedges_g])
@pytest.mark.parametrize(
    ("one", "two", "reason"),
    [
        ([1.0], [2.0, 3.0], "at least two values"),
        ([], [], "at least two values"),
        ([2.0, 2.0], [3.0, 3.0], "do not vary"),
        ([0.1 + 0.2, 0.3], [0.3, 0.3], "do not vary"),
    ],
)
def test_without_spread_an_effect_is_undefined(effect, one, two, reason):
    found = effect(np.array(one), np.array(two))
    assert found.value is None
    assert reason in found.note


@pytest.mark.parametrize("effect", [cohen_dz, hedges_gz])
@pytest.mark.parametrize(("one", "two"), [([1.0], [2.0]), ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])])
def test_without_varying_differences_a_paired_effect_is_undefined(effect, one, two):
    found = effect(np.array(one), np.array(two))
    assert found.value is None
    assert found.note


def test_two_pairs_are_too_few_to_correct():
    assert hedges_gz(np.array([1.0, 3.0]), np.array([0.0, 1.0])).value is None


@given(one=SCORES, two=SCORES, factor=st.floats(0.1, 100), shift=st.floats(-50, 50))
def test_d_does_not_depend_on_the_unit_and_turns_with_the_order(one, two, factor, shift):
    a, b = np.array(one, dtype=float), np.array(two, dtype=float)
    d = cohen_d(a, b)
    assert cohen_d(a * factor + shift, b * factor + shift).value == pytest.approx(d.value, abs=1e-9)
    turned = cohen_d(b, a)
    assert turned.value == pytest.approx(-d.value)
    assert turned.interval.low == pytest.approx(-d.interval.high, abs=1e-7)
    assert d.interval.low <= d.value <= d.interval.high


def test_shares_of_variance_by_hand():
    """(1, 3), (4, 6), (7, 9): means 2, 5, 8; SS_b = 2·(9 + 0 + 9) = 36, SS_w = 6, MS_w = 2.

    η² = 36/42; ω² = (36 − 2·2)/(42 + 2) = 32/44. F = 18/2 = 9 on 2 and 3 gives partial η² 18/21.
    """
    value, group = np.array([1.0, 3, 4, 6, 7, 9]), np.array([0, 0, 1, 1, 2, 2])
    assert eta_squared(value, group).value == pytest.approx(36 / 42)
    assert omega_squared(value, group).value == pytest.approx(32 / 44)
    assert partial_eta_squared(9, (2, 3)).value == pytest.approx(18 / 21)


def test_a_published_share_of_variance_follows_from_its_f():
    """Arvan & Parde (2024): F = 79.93 on 3 and 1196, η² = .167."""
    assert partial_eta_squared(79.93, (3, 1196)).value == pytest.approx(0.167, abs=5e-4)


def test_the_limits_of_a_share_put_f_at_the_ends_of_the_noncentral_distribution():
    """By definition, with scipy.stats.ncf: λ = N · η²/(1 − η²)."""
    from scipy.stats import ncf

    found = partial_eta_squared(6.5, (3, 96), level=0.9)
    low, high = (100 * x / (1 - x) for x in (found.interval.low, found.interval.high))
    assert ncf.cdf(6.5, 3, 96, low) == pytest.approx(0.95, abs=1e-9)
    assert ncf.cdf(6.5, 3, 96, high) == pytest.approx(0.05, abs=1e-9)


def test_a_share_no_larger_than_chance_has_an_interval_from_zero():
    found = partial_eta_squared(0.2, (3, 96))
    assert found.interval.low == 0
    assert partial_eta_squared(0.001, (3, 96)).interval.high == 0


def test_a_negative_omega_is_reported_as_it_is_and_explained():
    """(1, 5), (2, 4): SS_b = 0, MS_w = (8 + 2)/2 = 5, ω² = −5/15."""
    found = omega_squared(np.array([1.0, 5, 2, 4]), np.array([0, 0, 1, 1]))
    assert found.value == pytest.approx(-1 / 3)
    assert why(found) == [Why.NEGATIVE]


@pytest.mark.parametrize("share", [eta_squared, omega_squared])
@pytest.mark.parametrize(
    ("value", "group", "reason"),
    [
        ([], [], "at least two groups"),
        ([1.0, 2.0], [0, 0], "at least two groups"),
        ([1.0, 2.0], [0, 1], "at least two values in one of"),
        ([1.0, 1.0, 2.0, 2.0], [0, 0, 1, 1], "do not vary"),
    ],
)
def test_without_groups_or_spread_a_share_is_undefined(share, value, group, reason):
    found = share(np.array(value), np.array(group, dtype=int))
    assert found.value is None
    assert reason in found.note


def test_a_share_of_almost_all_variance_has_no_interval_but_a_reason():
    found = partial_eta_squared(1e15, (3, 100))
    assert found.interval is None
    assert why(found) == [Why.NO_BOUND]


@pytest.mark.parametrize("f", [-1.0, math.inf])
def test_a_share_needs_a_true_f(f):
    assert partial_eta_squared(f, (2, 10)).value is None
