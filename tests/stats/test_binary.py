"""Binary mixed models."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.stats import binary_mixed, level_contrasts, linear_mixed, ordinal_mixed

# Lesnoff et al. (2004), Preventive Veterinary Medicine 64: new cases of a disease among the cattle
# in each of 15 herds and four periods, as (herd, cases, animals, period).
HERDS = """
1,2,14,1 1,3,12,2 1,4,9,3 1,0,5,4 2,3,22,1 2,1,18,2 2,1,21,3 3,8,22,1 3,2,16,2 3,0,16,3 3,2,20,4
4,2,10,1 4,0,10,2 4,2,9,3 4,0,6,4 5,5,18,1 5,0,25,2 5,0,24,3 5,1,4,4 6,3,17,1 6,0,17,2 6,0,18,3
6,1,20,4 7,8,16,1 7,1,10,2 7,3,9,3 7,0,5,4 8,12,34,1 9,2,9,1 9,0,6,2 9,0,8,3 9,0,6,4 10,1,22,1
10,1,22,2 10,0,18,3 10,2,22,4 11,0,25,1 11,5,27,2 11,3,22,3 11,1,22,4 12,2,10,1 12,1,8,2 12,0,6,3
12,0,5,4 13,1,21,1 13,2,24,2 13,0,19,3 13,0,23,4 14,11,19,1 14,0,2,2 14,0,3,3 14,0,2,4 15,1,19,1
15,1,15,2 15,1,15,3 15,0,15,4
"""


def animals():
    rows = np.array([[int(cell) for cell in row.split(",")] for row in HERDS.split()])
    herd, cases, size, period = rows.T
    value = np.concatenate([[1.0] * c + [0.0] * (s - c) for c, s in zip(cases, size, strict=True)])
    return value, {"period": np.repeat(period, size)}, {"herd": np.repeat(herd, size)}


def test_the_fit_is_that_of_glmer():
    """R, lme4::glmer(cbind(incidence, size - incidence) ~ period + (1 | herd), binomial, cbpp), as
    its documentation prints it: fixed effects −1.3983, −0.9919, −1.1282, −1.5797, SD of herds
    0.6421, log-likelihood −92.03. That of single animals lacks the binomial coefficients. glmer
    stops its search a little before the top, hence the fourth digit."""
    fit = binary_mixed(*animals())
    assert [c.value for c in fit.coefficients] == pytest.approx(
        [-1.3983, -0.9919, -1.1282, -1.5797], abs=1e-3
    )
    assert [c.term for c in fit.coefficients] == ["intercept", *["period"] * 3]
    assert fit.components[0].standard_deviation == pytest.approx(0.6421, abs=5e-4)
    counts = [[int(cell) for cell in row.split(",")] for row in HERDS.split()]
    ways = sum(math.log(math.comb(size, cases)) for _, cases, size, _ in counts)
    assert fit.log_likelihood + ways == pytest.approx(-92.03, abs=0.005)
    assert fit.outcome == 1.0


def test_the_likelihood_is_near_that_of_numerical_integration():
    """Each herd's integral over its offset by 60 Gauss–Hermite nodes, at the fitted parameters.
    Laplace's approximation leaves out terms of the order of one over the herd's size."""
    value, fixed, groups = animals()
    fit = binary_mixed(value, fixed, groups)
    intercept, *effects = (c.value for c in fit.coefficients)
    base = intercept + np.array([0.0, *effects])[fixed["period"] - 1]
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    total = 0.0
    for herd in range(1, 16):
        rows = groups["herd"] == herd
        eta = base[rows][:, None] + fit.components[0].standard_deviation * nodes
        logs = np.where(value[rows][:, None] == 1, -np.log1p(np.exp(-eta)), -np.log1p(np.exp(eta)))
        total += math.log(float(weights @ np.exp(logs.sum(axis=0))) / math.sqrt(2 * math.pi))
    assert fit.log_likelihood == pytest.approx(total, abs=0.1)


def test_without_variance_between_groups_it_is_the_logistic_regression_of_statsmodels():
    import statsmodels.api as sm

    item, system = np.arange(240) % 30, np.arange(240) // 30 % 2
    value = np.array([0.0, 1.0])[(np.arange(240) // 60 + system * (item % 3 == 0)) % 2]
    fit = binary_mixed(value, {"system": system}, {"item": item})
    other = sm.Logit(value, sm.add_constant(system.astype(float))).fit(disp=False)
    assert fit.singular
    assert [c.value for c in fit.coefficients] == pytest.approx(other.params.tolist(), abs=1e-4)
    assert [c.standard_error for c in fit.coefficients] == pytest.approx(
        other.bse.tolist(), rel=1e-3
    )
    assert fit.log_likelihood == pytest.approx(other.llf, abs=1e-6)


def test_any_two_values_are_the_two_outcomes():
    value, fixed, groups = animals()
    fit, moved = (binary_mixed(each, fixed, groups) for each in (value, 3 + 4 * value))
    assert moved.log_likelihood == pytest.approx(fit.log_likelihood)
    assert moved.outcome == 7.0


def test_effects_are_those_of_the_ordinal_model_and_the_intercept_minus_its_threshold():
    fit, other = binary_mixed(*animals()), ordinal_mixed(*animals())
    assert fit.coefficients[1:] == other.coefficients
    assert fit.coefficients[0].value == -other.thresholds[0].value
    assert level_contrasts(fit, "period") == level_contrasts(other, "period")


def test_three_values_are_not_binary():
    value, fixed, groups = animals()
    value[0] = 2.0
    fit = binary_mixed(value, fixed, groups)
    assert (fit.coefficients, fit.note) == ((), "It needs two different values; there are 3.")


def test_one_value_has_no_log_odds():
    value, fixed, groups = animals()
    assert binary_mixed(0 * value, fixed, groups).note == "All values are the same."


def test_a_level_with_one_outcome_only_has_no_finite_log_odds():
    value, fixed, groups = animals()
    value[fixed["period"] == 4] = 0.0
    fit = binary_mixed(value, fixed, groups)
    assert fit.coefficients == ()
    assert "No finite estimate" in fit.note


def test_an_effect_has_the_sign_that_means_have():
    value, fixed, groups = animals()
    one = binary_mixed(value, fixed, groups).coefficient("period", 2)
    two = linear_mixed(value, fixed, groups).coefficient("period", 2)
    assert one.value < 0
    assert two.value < 0
