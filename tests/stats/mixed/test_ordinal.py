"""Cumulative link mixed models.

Binary mixed models.
"""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from mixed_examples import (
    WINE,
    WINE_CONTACT,
    WINE_JUDGE,
    WINE_WARM,
    codes,
    rated,
    rated_by_a_crowd,
    study,
)
from whys import why

from rejudge.stats import (
    Why,
    binary_mixed,
    level_contrasts,
    linear_mixed,
    ordinal_mixed,
)

# ── published and other programs ─────────────────────────────────────────────────────────────────


def test_the_fit_is_that_of_the_ordinal_package_tutorial():
    """Christensen, “A tutorial on fitting cumulative link mixed models with clmm2”: Laplace
    approximation, rating ~ temp + contact + (1|judge) on the wine data of Randall (1989)."""
    fit = ordinal_mixed(WINE, {"warm": WINE_WARM, "contact": WINE_CONTACT}, {"judge": WINE_JUDGE})
    assert fit.log_likelihood == pytest.approx(-81.57, abs=0.005)
    assert [t.value for t in fit.thresholds] == pytest.approx(
        [-1.6237, 1.5134, 4.2285, 6.0888], abs=5e-5
    )
    assert [t.standard_error for t in fit.thresholds] == pytest.approx(
        [0.6824, 0.6038, 0.8090, 0.9725], abs=1e-4
    )
    warm, contact = fit.coefficients
    assert (warm.value, warm.standard_error) == pytest.approx((3.0630, 0.5954), abs=1e-4)
    assert (contact.value, contact.standard_error) == pytest.approx((1.8349, 0.5125), abs=1e-4)
    assert fit.components[0].variance == pytest.approx(1.2795, abs=1e-4)


def test_crossed_groupings_are_fitted_as_by_clmm(published):
    """R's ordinal::clmm: score ~ system + category + domain + (1|participant) + (1|item)."""
    folder, _ = published("august2022_miltenburg2024")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["attempt"] == "1"]
    fit = ordinal_mixed(
        np.array([float(row["score"]) for row in rows]),
        {name: codes(rows, name) for name in ("system", "category", "domain")},
        {"participant": codes(rows, "rater"), "item": codes(rows, "item")},
    )
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(-1876.315, abs=5e-4)
    values = [c.value for c in fit.coefficients]
    errors = [c.standard_error for c in fit.coefficients]
    assert values == pytest.approx([2.1103, 3.5890, -0.7552, 0.5215], abs=1e-4)
    assert errors == pytest.approx([0.3284, 0.3381, 0.2703, 0.2668], abs=1e-4)
    assert fit.coefficient("domain", 1).p == pytest.approx(0.051, abs=5e-4)


def test_crossings_with_the_system_are_fitted_as_by_clmm():
    """R 4.2.2, ordinal 2022.11.16: clmm(value ~ system + (1|participant) + (1|item) +
    (1|system × participant) + (1|system × item)), all as factors, on the same 450 rows."""
    fit = ordinal_mixed(*rated_by_a_crowd())
    assert fit.log_likelihood == pytest.approx(-643.708045, abs=1e-6)
    values = [0.3465303, 0.5447796, 0.2211090, 0.7213710]
    errors = [0.3706677, 0.3727007, 0.3779054, 0.3751940]
    assert [c.value for c in fit.coefficients] == pytest.approx(values, abs=5e-5)
    assert [c.standard_error for c in fit.coefficients] == pytest.approx(errors, abs=2e-5)
    thresholds = [-2.4505570, -0.6496056, 0.7654020, 2.7657088]
    assert [t.value for t in fit.thresholds] == pytest.approx(thresholds, abs=5e-5)
    variances = [1.1693224, 0.9258791, 0.2221885, 0.2789409]
    assert [part.variance for part in fit.components] == pytest.approx(variances, abs=5e-5)


def test_without_variance_between_groups_it_is_the_model_of_statsmodels():
    """Where the variance is estimated as 0, proportional odds without groupings remain."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    rng = np.random.default_rng(5)
    item = np.arange(240) % 30
    system = rng.integers(0, 2, 240)
    value = np.tile([1.0, 2.0, 3.0, 4.0], 60)[np.argsort(item, kind="stable").argsort()]
    value = np.clip(value + system * (rng.random(240) < 0.3), 1, 4)
    fit = ordinal_mixed(value, {"system": system}, {"item": item})
    other = OrderedModel(value, system[:, None].astype(float), distr="logit").fit(
        method="bfgs", disp=False
    )
    assert fit.singular
    assert fit.log_likelihood == pytest.approx(other.llf, abs=1e-4)
    found = fit.coefficient("system", 1)
    assert (found.value, found.standard_error) == pytest.approx(
        (other.params[0], other.bse[0]), rel=1e-3
    )


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


def test_without_effects_and_variance_the_thresholds_are_log_odds():
    """Each item has ratings 1, 2, 2, 3: a quarter lies below the first threshold, three quarters
    below the second. log(¼/¾) = −log 3 and log 3; log L = n (½ log ¼ + ½ log ½)."""
    item = np.repeat(np.arange(10), 4)
    fit = ordinal_mixed(np.tile([1.0, 2.0, 2.0, 3.0], 10), {}, {"item": item})
    assert fit.singular
    assert [t.value for t in fit.thresholds] == pytest.approx([-math.log(3), math.log(3)], abs=1e-4)
    assert fit.log_likelihood == pytest.approx(40 * (math.log(1 / 4) + math.log(1 / 2)) / 2)


# ── undefined ────────────────────────────────────────────────────────────────────────────────────

ITEM = np.repeat(np.arange(10), 4)
PERSON = np.tile(np.arange(4), 10)
MIXED = np.tile([1.0, 3.0, 2.0, 4.0, 2.0], 8)


@pytest.mark.parametrize(
    ("value", "groups", "reason"),
    [
        (np.full(40, 3.0), {"item": ITEM}, "all values are the same"),
        (MIXED, {"participant": PERSON * 0, "item": ITEM}, "Only one participant"),
        (MIXED, {"item": np.arange(40)}, "its own item"),
        (ITEM % 2 + 1.0, {"participant": PERSON, "item": ITEM}, "no estimate is finite"),
        (ITEM % 3 + 1.0, {"item": ITEM}, "no estimate is finite"),
        (np.arange(100) / 7.0, {"item": np.arange(100) // 2}, "use the linear model"),
    ],
)
def test_what_has_no_estimate_has_none_and_says_why(value, groups, reason):
    system = (np.arange(len(value)) // 4) % 2
    fit = ordinal_mixed(value, {"system": system}, groups)
    assert (fit.coefficients, fit.thresholds, fit.log_likelihood) == ((), (), None)
    assert reason in fit.note


@pytest.mark.parametrize("judgments", [4, 20])
def test_a_system_judged_seldom_and_always_best_has_no_finite_estimate(judgments):
    """In a direction of unit variance the estimate is small; in log odds it has no end."""
    value, _, groups = rated()
    system = groups["item"] % 2
    system[np.flatnonzero(system == 0)[:judgments]] = 2
    value[system == 2] = 5.0
    fit = ordinal_mixed(value, {"system": system}, groups)
    assert fit.coefficients == ()
    assert why(fit) == [Why.NO_BOUND]


def test_the_unit_of_a_covariate_does_not_make_it_run_away():
    """Length in units of a million characters: the effect is large and so is its error."""
    value, fixed, groups = study(1)
    value = np.clip(np.round(value), 1, 5)
    plain = ordinal_mixed(value, {"length": fixed["length"]}, groups).coefficients[0]
    large = ordinal_mixed(value, {"length": fixed["length"] / 1e6}, groups).coefficients[0]
    assert large.value == pytest.approx(1e6 * plain.value, rel=1e-3)
    assert large.standard_error > 100


def test_no_judgments_have_no_fit():
    empty = np.zeros(0, dtype=int)
    assert ordinal_mixed(np.zeros(0), {}, {"item": empty}).note == "No judgments."


# ── properties ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", [1, 2])
def test_only_the_order_of_the_points_counts(seed):
    """Points 1 to 5 called 1, 10, 11, 50, 80 give the same effects."""
    value, fixed, groups = rated(seed)
    names = np.array([0.0, 1.0, 10.0, 11.0, 50.0, 80.0])
    plain = ordinal_mixed(value, fixed, groups)
    renamed = ordinal_mixed(names[value.astype(int)], fixed, groups)
    assert plain.coefficients == renamed.coefficients
    assert plain.log_likelihood == renamed.log_likelihood


def test_a_scale_turned_round_turns_the_effects_and_nothing_else():
    value, fixed, groups = rated(4)
    plain, turned = ordinal_mixed(value, fixed, groups), ordinal_mixed(6 - value, fixed, groups)
    assert turned.log_likelihood == pytest.approx(plain.log_likelihood)
    for before, after in zip(plain.coefficients, turned.coefficients, strict=True):
        assert after.value == pytest.approx(-before.value, rel=1e-3)
        assert after.standard_error == pytest.approx(before.standard_error, rel=1e-3)


def test_order_of_rows_and_names_of_levels_do_not_matter():
    value, fixed, groups = rated(5)
    rng = np.random.default_rng(5)
    order = rng.permutation(len(value))
    renamed = {n: rng.permutation(90)[c][order] for n, c in groups.items()}
    plain = ordinal_mixed(value, fixed, groups)
    again = ordinal_mixed(value[order], {"system": fixed["system"][order]}, renamed)
    assert again.log_likelihood == pytest.approx(plain.log_likelihood)
    for before, after in zip(plain.coefficients, again.coefficients, strict=True):
        assert after.value == pytest.approx(before.value, rel=1e-3)


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
    assert (fit.coefficients, fit.reasons[0].get("n")) == ((), 3)


def test_one_value_has_no_log_odds():
    value, fixed, groups = animals()
    fit = binary_mixed(0 * value, fixed, groups)
    assert fit.reasons[0].why.name == "SAME"


def test_a_level_with_one_outcome_only_has_no_finite_log_odds():
    value, fixed, groups = animals()
    value[fixed["period"] == 4] = 0.0
    fit = binary_mixed(value, fixed, groups)
    assert fit.coefficients == ()
    assert why(fit) == [Why.NO_BOUND]


def test_an_effect_has_the_sign_that_means_have():
    value, fixed, groups = animals()
    one = binary_mixed(value, fixed, groups).coefficient("period", 2)
    two = linear_mixed(value, fixed, groups).coefficient("period", 2)
    assert one.value < 0
    assert two.value < 0
