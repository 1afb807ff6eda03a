"""Cumulative link mixed models."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from mixed_examples import WINE, WINE_CONTACT, WINE_JUDGE, WINE_WARM, codes, study

from rejudge.stats import ordinal_mixed


def rated(seed=1):
    """A simulated crossed study on a scale from 1 to 5."""
    value, fixed, groups = study(seed)
    return np.clip(np.round(value), 1, 5), {"system": fixed["system"]}, groups


# ── published and other programs ─────────────────────────────────────────────────────────────────


def test_the_fit_is_that_of_the_ordinal_package_tutorial():
    """Christensen, «A tutorial on fitting cumulative link mixed models with clmm2»: Laplace
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


def test_the_slope_of_the_likelihood_is_that_of_its_values():
    """Central differences of log L, with three crossed groupings."""
    from rejudge.stats.ordinal_laplace import Judged, Look, Parameters, look

    value, fixed, groups = rated(3)
    item, participant = groups["item"], groups["participant"]
    third = (item + participant) % 5
    seen, category = np.unique(value, return_inverse=True)
    columns = (fixed["system"][:, None] == [1, 2]).astype(float)
    judged = Judged(category, len(seen), columns, (item, participant, third), (40, 9, 5))
    place = np.concatenate([np.linspace(-2, 2.5, len(seen) - 1), [0.3, -0.4], [0.8, 0.5, 0.3]])
    cut = len(seen) - 1

    def at(x) -> Look:
        return look(judged, Parameters(x[:cut], x[cut : cut + 2], x[cut + 2 :]))

    slope = at(place).slope
    exact = np.concatenate([slope.thresholds, slope.effects, slope.deviations])
    step = 1e-5
    nearby = [
        (at(place + e).value - at(place - e).value) / (2 * step) for e in np.eye(len(place)) * step
    ]
    assert exact == pytest.approx(nearby, rel=1e-5, abs=1e-5)


# ── undefined ────────────────────────────────────────────────────────────────────────────────────

ITEM = np.repeat(np.arange(10), 4)
PERSON = np.tile(np.arange(4), 10)
MIXED = np.tile([1.0, 3.0, 2.0, 4.0, 2.0], 8)


@pytest.mark.parametrize(
    ("value", "groups", "reason"),
    [
        (np.full(40, 3.0), {"item": ITEM}, "All values are the same"),
        (MIXED, {"participant": PERSON * 0, "item": ITEM}, "Only one participant"),
        (MIXED, {"item": np.arange(40)}, "its own item"),
        (ITEM % 2 + 1.0, {"participant": PERSON, "item": ITEM}, "No finite estimate"),
        (ITEM % 3 + 1.0, {"item": ITEM}, "No finite estimate"),
        (np.arange(100) / 7.0, {"item": np.arange(100) // 2}, "no ordinal scale"),
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
    assert "No finite estimate" in fit.note


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
