"""Cumulative link mixed models."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from mixed_examples import WINE, WINE_CONTACT, WINE_JUDGE, WINE_WARM, codes, crowd, study

from rejudge.stats import estimated_ordinal_seconds, ordinal_mixed
from rejudge.stats.mixed import ordinal_offsets, ordinal_search


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


def rated_by_a_crowd():
    value, fixed, groups = crowd(3, 30, 12)
    return np.clip(np.round(value), 1, 5), fixed, groups


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


def test_the_slope_of_the_likelihood_is_that_of_its_values():
    """Central differences of log L, with three crossed groupings."""
    from rejudge.stats.mixed.ordinal_laplace import Judged, Look, Parameters, look

    value, fixed, groups = rated(3)
    item, participant = groups["item"], groups["participant"]
    third = (item + participant) % 5
    seen, category = np.unique(value, return_inverse=True)
    columns = (fixed["system"][:, None] == [1, 2]).astype(float)
    judged = Judged.of(category, len(seen), columns, (item, participant, third))
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


def test_large_tables_are_solved_as_small_ones_are(monkeypatch):
    """Sparse tables in strips of a few rows, instead of dense ones as a whole."""
    plain = ordinal_mixed(*rated_by_a_crowd())
    for name, value in {"_SMALL": 0, "_SPARSE": 0, "_ROOM": 500}.items():
        monkeypatch.setattr(ordinal_offsets, name, value)
    large = ordinal_mixed(*rated_by_a_crowd())
    assert large.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    for before, after in zip(plain.coefficients, large.coefficients, strict=True):
        assert after.value == pytest.approx(before.value, rel=1e-6)
        assert after.standard_error == pytest.approx(before.standard_error, rel=1e-5)


@pytest.mark.parametrize("effect", [0.0, 2.0, 4.0, 8.0])
def test_few_looks_at_the_likelihood_suffice_where_systems_nearly_decide(effect, monkeypatch):
    """120 ratings; from an effect of 4 on the better system nearly always has the best score."""
    looks, look = [], ordinal_search.look
    monkeypatch.setattr(ordinal_search, "look", lambda *given: looks.append(1) or look(*given))
    rng = np.random.default_rng(7)
    system, item, participant = (each.ravel() for each in np.indices((2, 10, 6)))
    value = 3 + effect * system + rng.normal(0, 0.7, 10)[item] + rng.normal(0, 1, 120)
    groups = {"participant": participant, "item": item, "system × item": item * 2 + system}
    ordinal_mixed(np.clip(np.round(value), 1, 5), {"system": system}, groups)
    assert 5 < len(looks) < 100


def test_a_variance_that_starts_at_0_is_found_where_the_likelihood_rises():
    """At a standard deviation of 0 the slope is 0, whatever lies beyond."""
    value, _, groups = rated_by_a_crowd()
    judged = ordinal_search.Judged.of(
        value.astype(int) - 1, 5, np.zeros((len(value), 0)), list(groups.values())
    )
    start = np.array([-2.0, 0.5, 0.3, 0.6, 0.0, 0.0, 0.0, 0.0])
    peak = ordinal_search.climb(judged, start)
    assert peak.is_top
    assert (peak.parameters.deviations > 0.2).all()


# ── seconds ──────────────────────────────────────────────────────────────────────────────────────


def test_the_estimated_time_grows_with_judgments_effects_and_levels():
    few, many, levels = crowd(1, 20, 10)[2], crowd(1, 200, 10)[2], crowd(1, 200, 300)[2]
    assert estimated_ordinal_seconds(few, 5, 5) < estimated_ordinal_seconds(many, 5, 5)
    assert estimated_ordinal_seconds(many, 5, 5) < estimated_ordinal_seconds(many, 13, 5)
    assert estimated_ordinal_seconds(many, 5, 5) < estimated_ordinal_seconds(levels, 5, 5)


def test_nothing_takes_no_time():
    assert estimated_ordinal_seconds({}, 1, 5) == 0
    assert estimated_ordinal_seconds({"item": np.zeros(0, dtype=np.int64)}, 1, 5) == 0


@pytest.mark.parametrize("shape", ["crowd", "panel"])
def test_the_estimated_time_is_near_what_the_benchmark_measured(shape):
    """From a second on, within a factor of two and a half."""
    path = Path(__file__).parents[2] / "benchmarks" / "results" / "ordinal.json"
    rows = json.loads(path.read_text("utf-8"))[shape]["rejudge"].values()
    long = [row for row in rows if isinstance(row, dict) and row["cpu_seconds"] > 1]
    assert long
    for row in long:
        assert 0.4 < row["estimated_seconds"] / row["cpu_seconds"] < 2.5


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
