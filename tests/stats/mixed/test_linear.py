"""Linear mixed models.

The estimate of how long a mixed model takes.
"""

from __future__ import annotations

import csv
import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mixed_examples import (
    DYESTUFF,
    DYESTUFF_BATCH,
    PENICILLIN,
    PENICILLIN_BLEND,
    PENICILLIN_TREATMENT,
    codes,
    favoured,
    study,
)
from whys import why

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import (
    Why,
    level_contrasts,
    linear_mixed,
    ordinal_mixed,
    random_groupings,
)

# ── published and other programs ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reml", "criterion", "batch", "error"),
    [(True, 319.6543, 1764.05, 19.38), (False, 327.3271, 1388.33, 17.69)],
)
def test_the_fit_is_that_of_the_lme4_book(reml, criterion, batch, error):
    """Bates, “lme4: mixed-effects modeling with R” (2010), section 1.3: Yield ~ 1 + (1|Batch)."""
    fit = linear_mixed(DYESTUFF, {}, {"batch": DYESTUFF_BATCH}, reml=reml)
    assert fit.criterion == pytest.approx(criterion, abs=5e-5)
    assert fit.variance("batch") == pytest.approx(batch, abs=5e-3)
    assert fit.variance("residual") == pytest.approx(2451.25, abs=5e-3)
    assert fit.coefficient("intercept").value == pytest.approx(1527.5)
    assert fit.coefficient("intercept").standard_error == pytest.approx(error, abs=5e-3)


def test_the_fit_is_that_which_faraway_prints():
    """Faraway, “Changes to the mixed effects models chapters” (2015), randomized block design:
    lmer(yield ~ treat + (1|blend)). Standard errors stand there twice rounded."""
    fit = linear_mixed(PENICILLIN, {"treatment": PENICILLIN_TREATMENT}, {"blend": PENICILLIN_BLEND})
    assert fit.criterion == pytest.approx(103.8, abs=0.05)
    assert fit.variance("blend") == pytest.approx(11.8, abs=0.05)
    assert fit.variance("residual") == pytest.approx(18.8, abs=0.05)
    assert [c.value for c in fit.coefficients] == pytest.approx([84, 1, 5, 2])
    assert fit.coefficients[0].standard_error == pytest.approx(2.48, abs=0.01)
    assert fit.coefficients[1].standard_error == pytest.approx(2.75, abs=0.01)


@pytest.fixture
def ratings(published):
    """Fluency ratings of definitions, first attempts only, and the published figures."""
    folder, figures = published("august2022_miltenburg2024")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["attempt"] == "1"]
    fixed = {name: codes(rows, name) for name in ("system", "category", "domain")}
    groups = {"participant": codes(rows, "rater"), "item": codes(rows, "item")}
    return np.array([float(row["score"]) for row in rows]), fixed, groups, figures


def test_a_model_with_participants_is_that_of_lme4(ratings):
    """lme4 1.1.31 on R 4.2.2: score ~ system + category + domain + (1|participant), 1,920 rows."""
    value, fixed, groups, _ = ratings
    fit = linear_mixed(value, fixed, {"participant": groups["participant"]})
    assert fit.criterion == pytest.approx(5116.60416424, abs=1e-7)
    assert fit.variance("participant") == pytest.approx(0.08948, abs=5e-6)
    assert fit.variance("residual") == pytest.approx(0.82153, abs=5e-6)
    assert fit.coefficient("system", 1).standard_error == pytest.approx(0.0509, abs=5e-5)
    domain = fit.coefficient("domain", 1)
    assert domain.statistic == pytest.approx(4.93, abs=5e-3)
    assert domain.p == pytest.approx(9e-7, abs=5e-8)  # with items as well, below, it is .0455


def test_a_model_with_participants_and_items_is_that_of_lme4(ratings):
    """〃 + (1|item), degrees of freedom by lmerTest, which takes the observed information."""
    value, fixed, groups, _ = ratings
    fit = linear_mixed(value, fixed, groups)
    assert fit.criterion == pytest.approx(4340.64047397, abs=1e-7)
    variances = [part.variance for part in fit.components]
    assert variances == pytest.approx([0.08885, 0.44724, 0.40028], abs=5e-6)
    first, second = fit.coefficient("system", 1), fit.coefficient("system", 2)
    assert first.standard_error == pytest.approx(0.1022, abs=5e-5)
    assert (first.df, second.df) == pytest.approx((290.87, 289.88), rel=0.01)
    domain = fit.coefficient("domain", 1)
    assert domain.statistic == pytest.approx(2.01, abs=5e-3)
    assert domain.p == pytest.approx(0.0455, abs=1e-4)


TABLE_5 = {
    "(Intercept)": ("intercept", None),
    "systemGEDI": ("system", 1),
    "systemSVM-RERANK": ("system", 2),
    "categoryWIKI": ("category", 1),
    "domainNEWS": ("domain", 1),
}


@pytest.mark.parametrize("name", TABLE_5)
def test_the_published_table_of_a_mixed_model_comes_out(ratings, name):
    """van Miltenburg et al. (2024), table 5, but for its profile intervals."""
    value, fixed, groups, figures = ratings
    fit = linear_mixed(value, fixed, {"participant": groups["participant"]})
    found = fit.coefficient(*TABLE_5[name])
    ours = (found.value, found.standard_error, found.statistic)
    printed = [figures[f"T5.{name}.{part}"] for part in ("est", "se", "t")]
    assert [
        abs(each - figure["value"]) <= figure["tolerance"] + 1e-9
        for each, figure in zip(ours, printed, strict=True)
    ] == [True] * 3


@pytest.fixture(scope="module")
def theirs():
    """mixedlm, a second program; only what it is known to do right: fits and simple df."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixedlm = pytest.importorskip("mixedlm")
        import pandas as pd

    def fit(value, fixed, groups, formula) -> Any:  # mixedlm is not typed
        frame = pd.DataFrame({"value": value, **fixed})
        for name, each in groups.items():
            frame[name] = each.astype(str)
        for name, each in fixed.items():
            if np.issubdtype(each.dtype, np.integer):
                frame[name] = pd.Categorical(each.astype(str))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return mixedlm.lmer(formula, frame)

    return fit


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_unbalanced_crossed_fits_are_those_of_mixedlm(theirs, seed):
    value, fixed, groups = study(seed)
    other = theirs(value, fixed, groups, "value ~ system + length + (1|participant) + (1|item)")
    fit = linear_mixed(value, fixed, groups)
    assert fit.criterion == pytest.approx(other.REMLcrit(), abs=1e-6)
    assert [c.value for c in fit.coefficients] == pytest.approx(
        list(other.fixef().values()), abs=1e-5
    )
    errors = np.sqrt(np.diag(other.vcov()))
    assert [c.standard_error for c in fit.coefficients] == pytest.approx(list(errors), rel=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mixedlm import satterthwaite_df

        df = satterthwaite_df(other).df
    assert [c.df for c in fit.coefficients] == pytest.approx(list(df), rel=0.03)


def test_three_groupings_one_of_them_nested_are_fitted_as_by_mixedlm(theirs):
    """The topic of an item as a third grouping."""
    value, fixed, groups = study(4, items=60)
    topic = groups["item"] // 6
    value = value + np.random.default_rng(9).normal(0, 0.8, 10)[topic]
    groups = {**groups, "topic": topic}
    formula = "value ~ system + length + (1|participant) + (1|item) + (1|topic)"
    fit = linear_mixed(value, fixed, groups)
    assert fit.criterion == pytest.approx(
        theirs(value, fixed, groups, formula).REMLcrit(), abs=1e-6
    )


def test_systems_that_vary_over_items_and_people_are_fitted_as_by_lme4():
    """lme4 1.1.31 with lmerTest 3.1.3: value ~ system + (1|participant) + (1|item) + (1|output) +
    (1|liking), rhoend 1e-10."""
    fit = linear_mixed(*favoured(1))
    assert fit.criterion == pytest.approx(920.279336764, abs=1e-7)
    assert [part.variance for part in fit.components] == pytest.approx(
        [0.16694295, 0.35945018, 0.26043589, 0.18571267, 0.64105760], rel=5e-5
    )
    found = fit.coefficients
    assert [c.value for c in found] == pytest.approx([2.70804659, 0.62192039, 0.61544376], rel=1e-6)
    assert [c.standard_error for c in found] == pytest.approx(
        [0.23895106, 0.24861596, 0.24894167], rel=1e-5
    )
    assert [c.df for c in found] == pytest.approx([51.075416, 33.870981, 33.981812], rel=0.05)


@pytest.mark.parametrize("seed", [2, 3])
def test_systems_that_vary_over_items_and_people_are_fitted_as_by_mixedlm(theirs, seed):
    value, fixed, groups = favoured(seed)
    formula = "value ~ system + (1|participant) + (1|item) + (1|output) + (1|liking)"
    other = theirs(value, fixed, groups, formula)
    assert linear_mixed(value, fixed, groups).criterion == pytest.approx(other.REMLcrit(), abs=1e-6)


def test_one_grouping_is_fitted_as_by_statsmodels():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from statsmodels.regression.mixed_linear_model import MixedLM

        value, fixed, groups = study(5)
        system = fixed["system"]
        columns = np.column_stack([np.ones(len(value)), system == 1, system == 2]).astype(float)
        other = MixedLM(value, columns, groups["item"]).fit(reml=True, method=["powell", "lbfgs"])
    fit = linear_mixed(value, {"system": system}, {"item": groups["item"]})
    assert [c.value for c in fit.coefficients] == pytest.approx(list(other.fe_params), rel=1e-4)
    assert fit.variance("item") == pytest.approx(float(other.cov_re[0, 0]), rel=1e-3)
    assert fit.criterion == pytest.approx(-2 * other.llf, abs=1e-4)


# Six items × four people, "43" is 4 of system 0 and 3 of system 1. Numbers by lmerTest 3.1.3 (lme4
# 1.1.31, R 4.2.2): value ~ system + (1|item) + (1|rater) + (1|system:item) + (1|system:rater).
SIX_BY_FOUR = """43 54 33 42  22 31 22 33  54 55 43 53  33 42 31 22  44 53 43 33  12 32 21 21"""


def six_by_four():
    value = np.array([float(digit) for pair in SIX_BY_FOUR.split() for digit in pair])
    item, rater, system = (each.ravel() for each in np.mgrid[:6, :4, :2])
    return value, item, rater, system


def four_groupings(item, rater, system):
    crossed = {"system × item": 2 * item + system, "system × rater": 2 * rater + system}
    return {"item": item, "rater": rater} | crossed


def test_a_complete_table_has_the_fit_of_lmertest():
    value, item, rater, system = six_by_four()
    fit = linear_mixed(value, {"system": system}, four_groupings(item, rater, system))
    assert fit.criterion == pytest.approx(112.809361, abs=1e-6)
    assert [part.variance for part in fit.components] == pytest.approx(
        [0.86908, 0.10647, 0.0, 0.05319, 0.36845], abs=1e-4
    )
    (found,) = level_contrasts(fit, "system")
    assert found.value == pytest.approx(0.7916667, abs=1e-7)
    assert found.standard_error == pytest.approx(0.2393682, abs=5e-5)
    assert found.df == pytest.approx(2.9996, abs=1e-3)
    assert found.p == pytest.approx(0.04549, abs=5e-5)


def test_coverage_terms_as_covariates_give_the_fit_of_lmertest():
    """Without system 1 on items 0, 2 and 4, with the share of system 0 in each item's judgments as
    a covariate. The estimate is that of a regression with dummies of items and raters, .666667. The
    degrees of freedom are those of the average information; lmerTest has 8.26."""
    value, item, rater, system = six_by_four()
    kept = ~((system == 1) & (item % 2 == 0))
    value, item, rater, system = (each[kept] for each in (value, item, rater, system))
    plain = linear_mixed(value, {"system": system}, four_groupings(item, rater, system))
    assert level_contrasts(plain, "system")[0].value == pytest.approx(0.7421208, abs=1e-5)
    assert level_contrasts(plain, "system")[0].standard_error == pytest.approx(0.374655, abs=1e-4)
    share = (np.bincount(item, system == 0) / np.bincount(item))[item]
    fixed = {"system": system, "share of 0": share - share.mean()}
    fit = linear_mixed(value, fixed, four_groupings(item, rater, system))
    assert fit.criterion == pytest.approx(76.160995, abs=1e-6)
    assert fit.variance("item") == pytest.approx(0.1001, abs=1e-4)
    assert fit.variance("system × rater") == pytest.approx(0.1641, abs=1e-4)
    assert fit.variance("residual") == pytest.approx(0.3570, abs=1e-4)
    (found,) = level_contrasts(fit, "system")
    assert found.value == pytest.approx(0.6666667, abs=1e-6)
    assert found.standard_error == pytest.approx(0.3762533, abs=5e-5)
    assert found.df == pytest.approx(8.015, abs=5e-3)


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


def test_a_full_crossing_has_the_estimates_of_the_analysis_of_variance():
    """a participants × b items, each once, only an intercept. Where none is negative REML equals
    the estimates from mean squares (Searle, Casella & McCulloch 1992, section 4.4):

        σ²(participant) = (MSA − MSE)/b    σ²(item) = (MSB − MSE)/a    σ² = MSE
        var(mean) = (MSA + MSB − MSE)/(ab)

    and since mean squares are independent with variance 2 MS²/df, Satterthwaite's df are
    (MSA + MSB − MSE)² / (MSA²/(a−1) + MSB²/(b−1) + MSE²/((a−1)(b−1))).
    """
    a, b = 6, 11
    rng = np.random.default_rng(3)
    table = rng.normal(0, 1, (a, 1)) + rng.normal(0, 1.5, (1, b)) + rng.normal(0, 1, (a, b))
    rows, columns = table.mean(1, keepdims=True), table.mean(0, keepdims=True)
    msa = b * float(((rows - table.mean()) ** 2).sum()) / (a - 1)
    msb = a * float(((columns - table.mean()) ** 2).sum()) / (b - 1)
    mse = float(((table - rows - columns + table.mean()) ** 2).sum()) / ((a - 1) * (b - 1))
    participant, item = (each.ravel() for each in np.mgrid[:a, :b])
    fit = linear_mixed(table.ravel(), {}, {"participant": participant, "item": item})
    variances = [part.variance for part in fit.components]
    assert variances == pytest.approx([(msa - mse) / b, (msb - mse) / a, mse], rel=1e-6)
    mean = fit.coefficient("intercept")
    combined = msa + msb - mse
    assert mean.value == pytest.approx(table.mean())
    assert mean.standard_error**2 == pytest.approx(combined / (a * b), rel=1e-6)
    expected = combined**2 / (msa**2 / (a - 1) + msb**2 / (b - 1) + mse**2 / ((a - 1) * (b - 1)))
    assert mean.df == pytest.approx(expected, rel=1e-4)


def test_two_systems_on_the_same_items_are_compared_as_by_a_paired_t_test():
    """With an offset per item the difference has the error of the paired differences."""
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(2)
    offset = rng.normal(0, 1, 15)
    first, second = offset + rng.normal(0, 0.5, 15), offset + 0.4 + rng.normal(0, 0.5, 15)
    value = np.concatenate([first, second])
    fit = linear_mixed(
        value, {"system": np.repeat([0, 1], 15)}, {"item": np.tile(np.arange(15), 2)}
    )
    paired, found = ttest_rel(second, first), fit.coefficient("system", 1)
    assert found.statistic == pytest.approx(paired.statistic, rel=1e-6)
    assert found.p == pytest.approx(paired.pvalue, rel=1e-4)
    assert found.df == pytest.approx(14, rel=1e-4)


def test_a_grouping_without_any_variance_is_kept_at_zero_and_said():
    """Values 0 1 0 1 … within each item vary more within items than between: the estimate is 0,
    and what is left is the plain regression on n − 3 degrees of freedom."""
    item = np.repeat(np.arange(10), 4)
    system, value = item % 3, np.tile([0.0, 1.0, 0.0, 1.0], 10)
    fit = linear_mixed(value, {"system": system}, {"item": item})
    assert fit.variance("item") == 0
    assert fit.singular
    assert why(fit) == [Why.SINGULAR]
    assert fit.variance("residual") == pytest.approx(10 / 37)
    assert fit.coefficient("system", 1).df == pytest.approx(37)


# ── undefined ────────────────────────────────────────────────────────────────────────────────────

ITEM = np.repeat(np.arange(10), 4)
PERSON = np.tile(np.arange(4), 10)


def noise(n=40):
    return np.random.default_rng(0).normal(size=n)


@pytest.mark.parametrize(
    ("value", "groups", "reason"),
    [
        (noise(), {"participant": PERSON * 0, "item": ITEM}, "Only one participant"),
        (noise(), {"item": np.arange(40)}, "its own item"),
        (noise(), {"item": ITEM, "input": 9 - ITEM}, "always occur together"),
        (np.full(40, 3.0), {"item": ITEM}, "do not vary"),
        (ITEM % 2 + 0.0, {"item": ITEM}, "do not vary"),
        (ITEM % 7 + 0.0, {"participant": PERSON, "item": ITEM}, "no residual"),
    ],
)
def test_what_has_no_estimate_has_none_and_says_why(value, groups, reason):
    fit = linear_mixed(value, {"system": ITEM % 2}, groups)
    assert fit.coefficients == ()
    assert fit.criterion is None
    assert {part.variance for part in fit.components} == {None}
    assert reason in fit.note


def test_no_judgments_have_no_fit():
    empty = np.zeros(0, dtype=int)
    assert linear_mixed(np.zeros(0), {"system": empty}, {"item": empty}).note == "No judgments."


def test_few_levels_are_said():
    fit = linear_mixed(noise(), {"system": ITEM % 2}, {"participant": PERSON, "item": ITEM})
    assert why(fit) == [Why.FEW_LEVELS]
    assert fit.components[0].note


def test_an_effect_that_always_goes_with_another_is_undefined():
    fit = linear_mixed(noise(), {"system": ITEM % 2, "dataset": ITEM % 2}, {"item": ITEM})
    assert fit.coefficient("system", 1).value is None
    assert why(fit.coefficient("dataset", 1)) == [Why.NOT_SEPARABLE]
    assert fit.coefficient("intercept").value is not None


def test_columns_of_unequal_length_are_refused_all_at_once():
    with pytest.raises(DataError, match="grouping 'item' has 3 codes for 40 judgments"):
        linear_mixed(noise(), {}, {"item": ITEM[:3]})
    with pytest.raises(DataError, match="needs a grouping"):
        linear_mixed(noise(), {}, {})
    with pytest.raises(DataError, match="'system' has 2 values"):
        linear_mixed(noise(), {"system": ITEM[:2]}, {"item": ITEM})


def test_an_effect_that_the_model_does_not_have_is_named_with_those_it_has():
    fit = linear_mixed(noise(), {"system": ITEM % 2}, {"item": ITEM})
    with pytest.raises(DataError, match="It has: intercept, system 1"):
        fit.coefficient("sytem", 1)


# ── properties ───────────────────────────────────────────────────────────────────────────────────


def numbers(fit):
    parts = [fit.criterion, *(part.variance for part in fit.components)]
    return parts + [x for c in fit.coefficients for x in (c.value, c.standard_error, c.df)]


@settings(max_examples=examples(10))
@given(st.integers(0, 10_000))
def test_order_of_rows_and_names_of_levels_do_not_matter(seed):
    value, fixed, groups = study(seed % 50)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(value))
    renamed = {
        name: rng.permutation(3 * (int(each.max()) + 1))[each][order]
        for name, each in groups.items()
    }
    again = linear_mixed(value[order], {n: c[order] for n, c in fixed.items()}, renamed)
    assert numbers(again) == pytest.approx(
        numbers(linear_mixed(value, fixed, groups)), rel=1e-4, abs=1e-6
    )


@settings(max_examples=examples(10))
@given(st.floats(-1e6, 1e6), st.floats(0.01, 1000))
def test_another_unit_of_the_scale_changes_values_and_nothing_else(shift, factor):
    value, fixed, groups = study(7)
    plain, other = (
        linear_mixed(value, fixed, groups),
        linear_mixed(shift + factor * value, fixed, groups),
    )
    for before, after in zip(plain.coefficients[1:], other.coefficients[1:], strict=True):
        assert after.value == pytest.approx(factor * before.value, rel=1e-4)
        assert after.p == pytest.approx(before.p, rel=1e-3)
    assert other.variance("item") == pytest.approx(factor**2 * plain.variance("item"), rel=1e-3)


@settings(max_examples=examples(30))
@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(1, 5))
@example(1774, 5, 5)  # two thresholds of the ordinal model meet
def test_no_judgments_whatever_crash_it_or_give_a_number_that_is_none(seed, n, points):
    """Few judgments, few levels, constant columns, gaps in codes: all is said, nothing raised."""
    rng = np.random.default_rng(seed)
    value = rng.integers(0, points, n) * 10.0 ** rng.integers(-3, 4)
    fixed = {"system": rng.integers(0, 4, n), "length": rng.normal(size=n)}
    groups = {"participant": rng.integers(0, 4, n), "item": 2 * rng.integers(0, 6, n)}
    for fit in (linear_mixed(value, fixed, groups), ordinal_mixed(value, fixed, groups)):
        assert fit.coefficients or fit.note
        found = [x for c in fit.coefficients for x in (c.value, c.standard_error, c.df, c.p)]
        found += [part.variance for part in fit.components]
        assert all(x is None or math.isfinite(x) for x in found)


@pytest.mark.slow
def test_equal_systems_are_called_different_in_one_study_of_twenty():
    """800 studies without any difference, system by item: 5 % ± 3 · √(0.05 · 0.95 / 800)."""
    p = []
    for seed in range(800):
        value, fixed, groups = study(seed, items=24, people=8, systems=2)
        fit = linear_mixed(value - 0.4 * fixed["system"], fixed, groups)
        p.append(fit.coefficient("system", 1).p)
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.023)


def test_one_persons_opinion_of_an_item_is_shared_by_all_systems():
    """Complete tables: the variance of a difference is that of its mean squares."""
    rng = np.random.default_rng(3)
    systems, people, items = 3, 6, 9
    system, person, item = (
        axis.ravel()
        for axis in np.meshgrid(range(systems), range(people), range(items), indexing="ij")
    )
    value = rng.normal(0, 1, (items, people))[item, person] + rng.normal(0, 0.5, len(system))
    value += rng.normal(0, 2, items)[item] + rng.normal(0, 2, people)[person]
    value += rng.normal(0, 0.6, (systems, people))[system, person]
    value += rng.normal(0, 0.6, (systems, items))[system, item]
    groups = random_groupings(system, {"participant": person, "item": item})
    assert list(groups)[2:] == ["system × participant", "system × item", "item × participant"]
    found = level_contrasts(linear_mixed(value, {"system": system}, groups), "system")[0]
    table = value.reshape(systems, people, items)
    table = table - table.mean(0)
    of_people, of_items = table.mean(2), table.mean(1)
    rest = table - of_people[:, :, None] - of_items[:, None] + table.mean((1, 2))[:, None, None]
    rest = (rest**2).sum() / ((systems - 1) * (people - 1) * (items - 1))
    sp = ((of_people - of_people.mean(1)[:, None]) ** 2).sum() * items
    si = ((of_items - of_items.mean(1)[:, None]) ** 2).sum() * people
    sp /= (systems - 1) * (people - 1)
    si /= (systems - 1) * (items - 1)
    variance = 2 * (sp + si - rest) / (people * items)
    assert found.standard_error == pytest.approx(variance**0.5, rel=1e-6)


def test_without_several_systems_for_one_person_and_item_there_is_no_such_grouping():
    system = np.arange(24) % 3
    groups = random_groupings(
        system, {"participant": np.arange(24) // 6, "item": np.arange(24) % 6}
    )
    assert "item × participant" not in groups
