"""One effect in several studies.

Where the effect of a further study may lie.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t
from statsmodels.stats.meta_analysis import combine_effects
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    SharedError,
    Summary,
    Why,
    random_effects,
    standardised_difference,
)
from rejudge.stats.reproducibility.meta import _further_study

REFERENCE = Path(__file__).parents[2] / "reference"
R = json.loads((REFERENCE / "several_studies_r.json").read_text(encoding="utf-8"))
WAYS = {
    "reml": ("reml", "hartung-knapp"),
    "reml_floored": ("reml", "hartung-knapp-floored"),
    "paule_mandel": ("paule-mandel", "hartung-knapp"),
}


def summarised(studies, tau="reml", errors="hartung-knapp-floored"):
    return random_effects(
        np.array(studies["effect"]), np.array(studies["standard_error"]), tau=tau, errors=errors
    )


@pytest.mark.parametrize("data", ["bcg", "close", "apart"])
@pytest.mark.parametrize("way", WAYS)
def test_a_summary_of_studies_is_that_of_metafor(data, way):
    theirs, ours = R[data][way], summarised(R[data], *WAYS[way])
    numbers = {
        "value": ours.value,
        "standard_error": ours.standard_error,
        "low": ours.interval.low,
        "high": ours.interval.high,
        "p": ours.p,
        "prediction_low": ours.other.low,
        "prediction_high": ours.other.high,
        "tau_squared": ours.between.value,
        "i_squared": ours.i_squared,
        "q": ours.heterogeneity.statistic,
        "q_p": ours.heterogeneity.p,
        "tau_low": ours.between.interval.low,
        "tau_high": ours.between.interval.high,
    }
    expected = {name: value for name, value in theirs.items() if name != "weights"}
    assert numbers == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert ours.weights == pytest.approx(theirs["weights"])


def test_the_summary_of_published_trials_is_the_published_one():
    """Viechtbauer (2010) on thirteen trials: μ −0.7145, τ² 0.3132, I² 92.22 %, Q 152.2330."""
    found = summarised(R["bcg"])
    assert found.value == pytest.approx(-0.7145, abs=5e-5)
    assert found.between.value == pytest.approx(0.3132, abs=5e-5)
    assert found.i_squared == pytest.approx(92.22, abs=5e-3)
    assert found.heterogeneity.statistic == pytest.approx(152.2330, abs=5e-5)


@pytest.mark.parametrize("data", ["bcg", "apart"])
def test_a_summary_of_studies_is_that_of_statsmodels(data):
    """Paule–Mandel and the unfloored interval of Hartung and Knapp."""
    effect, error = np.array(R[data]["effect"]), np.array(R[data]["standard_error"])
    theirs = combine_effects(effect, error**2, method_re="iterated", use_t=True, atol=1e-12)
    ours = random_effects(effect, error, tau="paule-mandel", errors="hartung-knapp")
    assert ours.between.value == pytest.approx(theirs.tau2, rel=1e-6)
    assert ours.value == pytest.approx(theirs.mean_effect_re, rel=1e-6)
    assert ours.standard_error == pytest.approx(theirs.sd_eff_w_re_hksj, rel=1e-6)


def test_hedges_g_and_its_variance_are_those_of_metafor():
    """August et al. (2022), as printed: SVM against GeDi and against DExpert."""
    svm, gedi, dexpert = (
        Summary(mean, sd, 200) for mean, sd in ((3.71, 0.59), (3.20, 1.06), (2.33, 0.85))
    )
    found = [standardised_difference(svm, other) for other in (gedi, dexpert)]
    assert [each.value for each in found] == pytest.approx(R["smd"]["g"])
    assert [each.standard_error**2 for each in found] == pytest.approx(R["smd"]["variance"])


def test_a_given_error_of_the_difference_takes_the_place_of_that_of_independent_values():
    one, two = Summary(3.0, 2.0, 50), Summary(2.0, 2.0, 50)
    plain = standardised_difference(one, two)
    same = standardised_difference(one, two, error=2.0 * math.sqrt(1 / 50 + 1 / 50))
    wide = standardised_difference(one, two, error=0.8)
    assert same.standard_error == pytest.approx(plain.standard_error)
    # √((0.8/2)² + g²/200)
    assert wide.standard_error == pytest.approx(math.sqrt(0.16 + plain.value**2 / 200))


def test_two_equal_studies_done_by_hand():
    """Both 1 with error 0.2: τ² 0, μ 1, √(0.04/2), and q = 0 floored to 1; t(1) = 12.7062."""
    found = random_effects(np.array([1.0, 1.0]), np.array([0.2, 0.2]))
    assert (found.value, found.between.value, found.heterogeneity.statistic) == pytest.approx(
        (1.0, 0.0, 0.0)
    )
    assert found.standard_error == pytest.approx(0.2 / math.sqrt(2))
    assert found.interval.high == pytest.approx(1 + 12.7062 * 0.2 / math.sqrt(2), rel=1e-5)


def test_an_error_that_studies_share_stays_however_many_they_are():
    """Five studies, s² .05 each, of which .03 is shared: own part .02/5 (q floored, 4 df), so that
    SE² = .004 + .03. Cochran & Cox (1957): t = (.004 t(4) + .03 t(20)) / .034."""
    effect, error = np.array([0.31, 0.29, 0.3, 0.3, 0.3]), np.full(5, math.sqrt(0.05))
    found = random_effects(effect, error, shared=SharedError(0.03, 20))
    assert found.value == pytest.approx(0.3)
    assert found.standard_error == pytest.approx(math.sqrt(0.034))
    quantile = (0.004 * t.ppf(0.975, 4) + 0.03 * t.ppf(0.975, 20)) / 0.034
    assert t.ppf(0.975, found.df) == pytest.approx(quantile)
    assert found.interval.high == pytest.approx(0.3 + quantile * math.sqrt(0.034))


def test_differences_between_studies_are_not_hidden_by_what_they_share():
    """Spread .04 beyond chance: own variances .05 − .03 leave room for τ² that .05 would hide."""
    effect, error = np.array([0.1, 0.3, 0.5]), np.full(3, math.sqrt(0.05))
    assert random_effects(effect, error).between.value == 0
    found = random_effects(effect, error, shared=SharedError(0.03, 20))
    assert found.between.value == pytest.approx(0.04 - 0.02)
    quantile = (0.04 / 3 * t.ppf(0.975, 2) + 0.03 * t.ppf(0.975, 20)) / (0.04 / 3 + 0.03)
    assert t.ppf(0.975, found.df) == pytest.approx(quantile)


def test_nothing_shared_changes_nothing():
    effect, error = np.array([0.1, 0.3, 0.9]), np.array([0.2, 0.1, 0.3])
    alone = random_effects(effect, error)
    assert random_effects(effect, error, shared=SharedError(0.0, 9)) == alone


def test_two_studies_foretell_nothing_of_a_third():
    found = random_effects(np.array([1.0, 1.4]), np.array([0.2, 0.2]))
    assert found.other is None
    assert why(found) == [Why.FEW]


def test_without_its_floor_the_interval_of_equal_studies_has_no_width():
    found = random_effects(np.array([1.0, 1.0]), np.array([0.2, 0.2]), errors="hartung-knapp")
    assert found.interval is None
    assert why(found) == [Why.FEW, Why.SAME]


def test_one_study_has_no_summary_and_none_has_no_value():
    assert random_effects(np.array([0.5]), np.array([0.1])).interval is None
    assert random_effects(np.zeros(0), np.zeros(0)).value is None


@pytest.mark.parametrize(
    ("error", "why"), [(0.0, "Leave out studies"), (-1.0, "Leave out studies"), (np.nan, "missing")]
)
def test_an_error_that_is_none_is_refused(error, why):
    with pytest.raises(DataError, match=why):
        random_effects(np.array([0.5, 0.6]), np.array([0.1, error]))


def test_effects_without_their_errors_are_refused():
    with pytest.raises(DataError, match="one standard error for each effect"):
        random_effects(np.array([0.5, 0.6]), np.array([0.1]))


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (Summary(1.0, 1.0, 1), Summary(2.0, 1.0, 5), "at least two values"),
        (Summary(1.0, 0.0, 5), Summary(2.0, 0.0, 5), "do not vary"),
    ],
)
def test_g_is_undefined_without_a_spread(first, second, why):
    found = standardised_difference(first, second)
    assert found.value is None
    assert why in found.note


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(0.05, 3)), min_size=2, max_size=8),
    st.floats(-3, 3),
    st.floats(0.1, 10),
)
def test_moving_and_stretching_the_effects_moves_and_stretches_the_summary(studies, by, times):
    effect, error = (np.array(each) for each in zip(*studies, strict=True))
    plain = random_effects(effect, error)
    moved = random_effects(by + times * effect, times * error)
    assert moved.value == pytest.approx(by + times * plain.value, rel=1e-5, abs=1e-5)
    assert moved.between.value == pytest.approx(times**2 * plain.between.value, rel=1e-4, abs=1e-6)
    assert moved.heterogeneity.statistic == pytest.approx(
        plain.heterogeneity.statistic, rel=1e-6, abs=1e-9
    )


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.05, 3)), min_size=2, max_size=8))
def test_the_floored_interval_is_never_the_narrower_one(studies):
    effect, error = (np.array(each) for each in zip(*studies, strict=True))
    bare = random_effects(effect, error, errors="hartung-knapp")
    floored = random_effects(effect, error)
    assert floored.standard_error >= bare.standard_error * (1 - 1e-12)


@pytest.mark.parametrize("prediction", ["t", "integrated"])
def test_a_further_study_is_never_better_known_than_the_mean(prediction):
    """Far closer than their errors of .2: τ² is 0, so both are 1.3/3 ± t(2) · .2/√3."""
    found = random_effects(np.array([0.45, 0.42, 0.43]), np.full(3, 0.2), prediction=prediction)
    reach = t.ppf(0.975, 2) * 0.2 / np.sqrt(3)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (1.3 / 3 - reach, 1.3 / 3 + reach)
    )
    assert found.other == found.interval


def test_items_that_all_studies_share_limit_the_prediction_as_they_do_the_mean():
    """Ten studies that agree, but share three items: t has hardly more than two df."""
    effect = np.linspace(0.49, 0.51, 10)
    found = random_effects(effect, np.full(10, 0.3), shared=SharedError(0.08, 2.0))
    assert found.df < 3
    assert found.other.low <= found.interval.low
    assert found.other.high >= found.interval.high


def test_studies_without_error_of_their_own_are_a_sample_of_the_next():
    """The textbook prediction interval: mean ± t(k − 1) SD √(1 + 1/k)."""
    effect = np.array([0.2, 0.5, 0.1, 0.9, 0.4])
    found = _further_study(effect, np.full(5, 1e-12))
    reach = t.ppf(0.975, 4) * effect.std(ddof=1) * np.sqrt(1 + 1 / 5)
    assert (found.low, found.high) == pytest.approx(
        (effect.mean() - reach, effect.mean() + reach), rel=5e-3
    )


def test_studies_as_close_as_chance_allows_leave_little_room():
    """Far closer than their errors of .3: Q is below nearly every quantile of χ², so τ² is 0 but
    for a few, and the next effect is about as sure as the mean: ± 1.96 · .3/√8."""
    found = _further_study(0.5 + 1e-3 * np.arange(8), np.full(8, 0.09))
    reach = norm.ppf(0.975) * 0.3 / np.sqrt(8)
    assert found.high - 0.5035 == pytest.approx(reach, rel=0.02)


def test_an_error_that_all_studies_share_widens_the_interval():
    effect, variance = np.array([0.1, 0.3, 0.2, 0.6]), np.full(4, 0.01)
    plain, shared = (_further_study(effect, variance, shared=each) for each in (0.0, 0.2))
    assert shared.high - shared.low > plain.high - plain.low
    assert shared.high - shared.low > 2 * norm.ppf(0.975) * np.sqrt(0.2)


def test_two_studies_say_nothing_of_a_third():
    assert _further_study(np.array([0.1, 0.2]), np.array([0.01, 0.01])) is None


def test_the_interval_moves_and_stretches_with_the_effects():
    effect, variance = np.array([0.1, 0.3, 0.9, 0.4]), np.array([0.01, 0.04, 0.02, 0.03])
    found, moved = _further_study(effect, variance), _further_study(5 - 2 * effect, 4 * variance)
    assert (moved.low, moved.high) == pytest.approx((5 - 2 * found.high, 5 - 2 * found.low))


def test_equal_studies_have_an_interval():
    found = _further_study(np.zeros(3), np.full(3, 0.04))
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
        for found in [_further_study(own, np.ones(5))]
    ]
    assert 0.936 <= np.mean(held) <= 0.985
