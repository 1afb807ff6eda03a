"""Kenward and Roger's errors and degrees of freedom.

All numbers: R 4.2.2, lme4 1.1-31, lmerTest 3.1-3 with pbkrtest 0.5.2, on the same rows:
coef(summary(lmer(value ~ system + …), ddf = "Kenward-Roger")) and anova(…, ddf = "Kenward-Roger").
"""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import crowd, favoured, study
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    Why,
    factor_test,
    level_contrasts,
    linear_mixed,
    marginal_means,
)
from rejudge.stats.mixed import linear

# Scores of two systems by four participants, item by item.
PAIRS = "43 54 33 42 | 22 31 22 33 | 54 55 43 53 | 33 42 31 22 | 44 53 43 33 | 12 32 21 21"


def small(*, without=()):
    """Value, system, item and participant; system 1 was not judged on the items `without`."""
    rows = [
        (float(pair[system]), system, item, person)
        for item, line in enumerate(PAIRS.split("|"))
        for person, pair in enumerate(line.split())
        for system in (0, 1)
        if not (system and item in without)
    ]
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def crossed(system, codes):
    return np.unique(codes * 2 + system, return_inverse=True)[1]


def fitted(value, fixed, groups):
    return linear_mixed(value, fixed, groups, df="kenward-roger")


def numbers(fit):
    found = [(c.value, c.standard_error, c.df, c.p) for c in fit.coefficients[1:]]
    return [number for row in found for number in row]


def f_of(fit):
    test = factor_test(fit, "system")
    return [test.statistic, *test.df, test.p]


def test_a_variance_of_0_counts_as_one_that_is_not_known_for_sure():
    """Balanced; the variance of system × item is 0. Satterthwaite's df are 3.0."""
    value, system, item, person = small()
    groups = {"item": item, "participant": person, "system × item": crossed(system, item)}
    fit = fitted(
        value, {"system": system}, groups | {"system × participant": crossed(system, person)}
    )
    assert fit.singular
    assert numbers(fit) == pytest.approx(
        [-0.79166667, 0.23935678, 2.4978035, 0.059189858], rel=1e-5
    )
    assert f_of(fit) == pytest.approx([10.93939, 1, 2.4978035, 0.05919], rel=1e-5)


def test_systems_with_different_items_and_a_coverage_term():
    value, system, item, person = small(without=(0, 2, 4))
    share = np.array([np.mean(system[item == each] == 0) for each in item])
    groups = {"item": item, "participant": person, "system × participant": crossed(system, person)}
    fit = fitted(value, {"system": system, "share": share - share.mean()}, groups)
    expected = [-0.66666667, 0.37625154, 3.8400082, 0.15409016]
    expected += [3.5, 0.71062650, 5.3956009, 0.0035535256]
    assert numbers(fit) == pytest.approx(expected, rel=2e-5)
    assert f_of(fit) == pytest.approx([3.1395, 1, 3.8400082, 0.1540902], rel=2e-5)


def test_an_unbalanced_table_with_three_systems():
    value, fixed, groups = study(1)
    fit = fitted(value, {"system": fixed["system"]}, groups)
    expected = [-0.061767092, 0.22349022, 36.977608, 0.78379904]
    expected += [0.786335589, 0.22329762, 36.880983, 0.0011620172]
    assert numbers(fit) == pytest.approx(expected, rel=1e-5)
    assert f_of(fit) == pytest.approx([8.80229, 2, 36.693341, 0.00075417], rel=1e-5)


def test_crossings_with_the_system():
    value, fixed, groups = favoured(2, 12, 6)
    fit = fitted(value, {"system": fixed["system"]}, groups)
    expected = [0.76812638, 0.24672597, 9.4482555, 0.011753678]
    expected += [0.71879978, 0.24782468, 9.4866345, 0.016670811]
    assert numbers(fit) == pytest.approx(expected, rel=1e-5)
    assert f_of(fit) == pytest.approx([6.09584, 2, 9.3958736, 0.020081], rel=5e-5)


def test_a_crowd_with_five_systems():
    fit = fitted(*crowd(3, 30, 12))
    expected = [0.27557205, 0.22367060, 47.975783, 0.22393701]
    expected += [0.29512674, 0.22528756, 48.002436, 0.19643039]
    expected += [0.12056303, 0.22640136, 48.777122, 0.59678425]
    expected += [0.36317202, 0.22498034, 48.258206, 0.11299617]
    assert numbers(fit) == pytest.approx(expected, rel=1e-5)
    assert f_of(fit) == pytest.approx([0.86082, 4, 48.266264, 0.49421], rel=1e-5)


def test_contrasts_and_means_use_the_adjusted_errors():
    fit = fitted(*crowd(3, 30, 12))
    contrast = level_contrasts(fit, "system", pairs=[(0, 1)], adjust="none")[0]
    assert (contrast.standard_error, contrast.df) == pytest.approx((0.22367060, 47.975783))
    assert marginal_means(fit, "system")[0].df == pytest.approx(
        31.041858, rel=1e-5
    )  # the intercept
    assert fit.df_method == "kenward-roger"


def test_in_a_balanced_design_it_is_the_paired_t_test_of_items():
    """Two systems, two judgments of each output: t over the items' differences, 11 df."""
    rng = np.random.default_rng(3)
    system, item, again = (each.ravel() for each in np.indices((2, 12, 2)))
    value = rng.normal(0, 1, 12)[item] + rng.normal(0, 1, (2, 12))[system, item]
    value = value + rng.normal(0, 0.5, 48) + 0.01 * again
    fit = fitted(value, {"system": system}, {"item": item, "output": item * 2 + system})
    differences = value.reshape(2, 12, 2).mean(axis=2)[1] - value.reshape(2, 12, 2).mean(axis=2)[0]
    error = differences.std(ddof=1) / np.sqrt(12)
    found = fit.coefficient("system", 1)
    assert (found.value, found.standard_error) == pytest.approx((differences.mean(), error))
    assert found.df == pytest.approx(11)


def test_the_estimates_stay_those_of_the_fit():
    plain, adjusted = linear_mixed(*crowd(3, 30, 12)), fitted(*crowd(3, 30, 12))
    assert [c.value for c in plain.coefficients] == [c.value for c in adjusted.coefficients]
    assert plain.components == adjusted.components
    assert all(
        b.standard_error >= a.standard_error
        for a, b in zip(plain.coefficients, adjusted.coefficients, strict=True)
    )


@pytest.mark.parametrize("limit", ["EXACT_UP_TO", "MOST_LEVELS"])
def test_a_table_that_is_too_large_keeps_satterthwaites_and_says_so(limit, monkeypatch):
    monkeypatch.setattr(linear, limit, 10)
    fit = fitted(*crowd(3, 30, 12))
    assert fit.df_method == "satterthwaite"
    assert Why.ANOTHER_METHOD in why(fit)


def test_full_likelihood_is_refused():
    with pytest.raises(DataError, match="need REML"):
        linear_mixed(*crowd(3, 30, 12), df="kenward-roger", reml=False)


def test_what_has_no_fit_has_no_adjustment():
    item = np.repeat(np.arange(5), 4)
    fit = fitted(np.full(20, 3.0), {"system": np.arange(20) % 2}, {"item": item})
    assert (fit.coefficients, fit.df_method) == ((), "satterthwaite")


def test_order_of_rows_and_names_of_levels_do_not_matter():
    value, fixed, groups = crowd(3, 30, 12)
    order = np.random.default_rng(5).permutation(len(value))
    renamed = {name: (codes.max() - codes)[order] * 3 for name, codes in groups.items()}
    again = fitted(value[order], {"system": fixed["system"][order]}, renamed)
    assert numbers(again) == pytest.approx(numbers(fitted(value, fixed, groups)), rel=1e-5)
