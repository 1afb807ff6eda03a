"""Where the effect of a further study may lie."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from rejudge.stats import further_study


def test_studies_without_error_of_their_own_are_a_sample_of_the_next():
    """The textbook prediction interval: mean ± t(k − 1) SD √(1 + 1/k)."""
    effect = np.array([0.2, 0.5, 0.1, 0.9, 0.4])
    found = further_study(effect, np.full(5, 1e-12))
    reach = t.ppf(0.975, 4) * effect.std(ddof=1) * np.sqrt(1 + 1 / 5)
    assert (found.low, found.high) == pytest.approx(
        (effect.mean() - reach, effect.mean() + reach), rel=5e-3
    )


def test_studies_as_close_as_chance_allows_leave_little_room():
    """Far closer than their errors of .3: Q is below nearly every quantile of χ², so τ² is 0 but
    for a few, and the next effect is about as sure as the mean: ± 1.96 · .3/√8."""
    found = further_study(0.5 + 1e-3 * np.arange(8), np.full(8, 0.09))
    reach = norm.ppf(0.975) * 0.3 / np.sqrt(8)
    assert found.high - 0.5035 == pytest.approx(reach, rel=0.02)


def test_an_error_that_all_studies_share_widens_the_interval():
    effect, variance = np.array([0.1, 0.3, 0.2, 0.6]), np.full(4, 0.01)
    plain, shared = (further_study(effect, variance, shared=each) for each in (0.0, 0.2))
    assert shared.high - shared.low > plain.high - plain.low
    assert shared.high - shared.low > 2 * norm.ppf(0.975) * np.sqrt(0.2)


def test_two_studies_say_nothing_of_a_third():
    assert further_study(np.array([0.1, 0.2]), np.array([0.01, 0.01])) is None


def test_the_interval_moves_and_stretches_with_the_effects():
    effect, variance = np.array([0.1, 0.3, 0.9, 0.4]), np.array([0.01, 0.04, 0.02, 0.03])
    found, moved = further_study(effect, variance), further_study(5 - 2 * effect, 4 * variance)
    assert (moved.low, moved.high) == pytest.approx((5 - 2 * found.high, 5 - 2 * found.low))


def test_equal_studies_have_an_interval():
    found = further_study(np.zeros(3), np.full(3, 0.04))
    assert found.high == pytest.approx(norm.ppf(0.975) * 0.2 / np.sqrt(3), rel=1e-6)


@pytest.mark.slow
def test_the_interval_holds_the_effect_of_a_further_study_as_often_as_it_says():
    """Five studies, τ = s: 95 % ± 1.4 (1.96 standard errors) of 1,000 simulated sixth effects."""
    rng = np.random.default_rng(3)
    effects = rng.normal(0, np.sqrt(2), (1000, 5))
    further = rng.normal(0, 1, 1000)
    held = [
        found.low <= each <= found.high
        for own, each in zip(effects, further, strict=True)
        for found in [further_study(own, np.ones(5))]
    ]
    assert 0.936 <= np.mean(held) <= 0.985
