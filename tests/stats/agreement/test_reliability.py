"""Variance by facet, and reliability at other sizes.

Agreement of people with themselves.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    GStudy,
    VariancePart,
    Why,
    find_passes,
    g_study,
    intraclass,
    reliability,
    reliability_curve,
    self_consistency,
)

# Shrout & Fleiss (1979), table 2: six targets, four judges.
RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def two_facets():
    table = np.array(RATINGS, dtype=float)
    target, judge = (part.ravel() for part in np.indices(table.shape))
    return g_study(table.ravel(), {"target": target, "judge": judge})


def from_mean_squares(table):
    """Variances of a complete table of three facets, from expected mean squares (Brennan 2001):
    E[MS(A)] = Σ over effects that contain A of σ² times the sizes of the facets outside it."""
    sizes = table.shape
    subsets = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    effects: dict[tuple[int, ...], np.ndarray] = {(): np.array(table.mean()).reshape(1, 1, 1)}
    squares = {}
    for subset in subsets:
        outside = tuple(axis for axis in range(3) if axis not in subset)
        own = table.mean(axis=outside, keepdims=True)
        effects[subset] = own - sum(effects[e] for e in effects if set(e) < set(subset))
        times = np.prod([sizes[axis] for axis in outside])
        df = np.prod([sizes[axis] - 1 for axis in subset])
        squares[subset] = times * np.sum(effects[subset] ** 2) / df
    variances: dict[tuple[int, ...], float] = {}
    for subset in reversed(subsets):
        above = [e for e in variances if set(subset) < set(e)]
        out = [np.prod([sizes[axis] for axis in range(3) if axis not in e]) for e in above]
        rest = sum(variances[e] * o for e, o in zip(above, out, strict=True))
        mine = np.prod([sizes[axis] for axis in range(3) if axis not in subset])
        variances[subset] = float((squares[subset] - rest) / mine)
    return variances


def three_facets(table):
    codes = [part.ravel() for part in np.indices(table.shape)]
    return g_study(table.ravel(), dict(zip(("system", "item", "participant"), codes, strict=True)))


def test_the_published_reliabilities_of_shrout_and_fleiss():
    """ICC(2,1) = .29 and ICC(2,4) = .62 are Φ, ICC(3,1) = .71 and ICC(3,4) = .91 are Eρ²."""
    study = two_facets()
    one, four = (reliability(study, "target", {"judge": k}) for k in (1, 4))
    assert (one.absolute, four.absolute) == pytest.approx((0.29, 0.62), abs=0.005)
    assert (one.relative, four.relative) == pytest.approx((0.71, 0.91), abs=0.005)


def test_judgments_divide_what_items_and_participants_have_together():
    """σ² s 4, si 2, sp 1, sip 6, i and p and ip 0; 4 items, 2 participants: by 8 or by 5 judgments.

    Eρ² = 4 / (4 + 2/4 + 1/2 + 6/8) and 4 / (4 + 2/4 + 1/2 + 6/5).
    """
    variances = {("system",): 4, ("item",): 0, ("participant",): 0, ("system", "item"): 2}
    variances |= {("system", "participant"): 1, ("item", "participant"): 0}
    variances |= {("system", "item", "participant"): 6}
    parts = tuple(VariancePart(facets, float(size)) for facets, size in variances.items())
    study = GStudy(("system", "item", "participant"), (20, 4, 2), parts, 100)
    sizes = {"item": 4, "participant": 2}
    whole, part = (reliability(study, "system", sizes, judgments=n) for n in (None, 5))
    assert (whole.relative, whole.judgments) == (pytest.approx(4 / 5.75), 8)
    assert (part.relative, part.judgments) == (pytest.approx(4 / 6.2), 5)


def test_reliabilities_of_two_facets_are_intraclass_correlations():
    table = np.array(RATINGS, dtype=float)
    target, judge = (part.ravel() for part in np.indices(table.shape))
    forms = {each.form: each.value for each in intraclass(target, judge, table.ravel())}
    one, four = (reliability(two_facets(), "target", {"judge": k}) for k in (1, 4))
    assert one.absolute == pytest.approx(forms["2,1"])
    assert four.absolute == pytest.approx(forms["2,k"])
    assert one.relative == pytest.approx(forms["3,1"])
    assert four.relative == pytest.approx(forms["3,k"])


@given(st.integers(0, 10_000))
def test_a_complete_table_has_the_variances_of_its_mean_squares(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=tuple(rng.integers(2, 6, 3))) + rng.normal(size=(1, 1, 1))
    table += 2 * rng.normal(size=(table.shape[0], 1, 1)) + rng.normal(size=(1, *table.shape[1:]))
    expected = from_mean_squares(table)
    study = three_facets(table)
    names = ("system", "item", "participant")
    for subset, variance in expected.items():
        found = study.variance(*(names[axis] for axis in subset))
        assert found == pytest.approx(max(0.0, variance), abs=1e-9)


def test_reliability_of_systems_by_hand():
    """σ² of system 4, item 2, participant 1, s×i 1, s×p .5, i×p .2, rest 3; 10 items, 5 people:
    σ²(δ) = 1/10 + .5/5 + 3/50 = .26, σ²(Δ) = .26 + 2/10 + 1/5 + .2/50 = .664."""
    from rejudge.stats import GStudy, VariancePart

    parts = {
        ("system",): 4.0, ("item",): 2.0, ("participant",): 1.0, ("system", "item"): 1.0,
        ("system", "participant"): 0.5, ("item", "participant"): 0.2,
        ("system", "item", "participant"): 3.0,
    }  # fmt: skip
    names = ("system", "item", "participant")
    study = GStudy(names, (12, 10, 5), tuple(VariancePart(*each) for each in parts.items()), 600)
    found = reliability(study, "system", {"item": 10, "participant": 5})
    assert found.relative == pytest.approx(4 / 4.26)
    assert found.absolute == pytest.approx(4 / 4.664)
    assert found.judgments == 50


def test_the_curve_rises_with_participants_and_items():
    study = three_facets(
        np.random.default_rng(1).normal(size=(4, 8, 6)) + np.arange(4.0)[:, None, None]
    )
    curve = reliability_curve(study, "system", {"item": (5, 20), "participant": (3, 30)})
    assert [(r.sizes["item"], r.sizes["participant"]) for r in curve] == [
        (5, 3), (5, 30), (20, 3), (20, 30),
    ]  # fmt: skip
    assert curve[0].relative < curve[1].relative < curve[3].relative
    assert why(curve[0]) == [Why.FEW_LEVELS]


def test_missing_judgments_hardly_change_the_variances():
    """A table of 60 × 40 with variances 1, .5 and 1, of which a third is missing at random."""
    rng = np.random.default_rng(2)
    table = (
        rng.normal(size=(60, 1)) + 0.5**0.5 * rng.normal(size=(1, 40)) + rng.normal(size=(60, 40))
    )
    target, judge = (part.ravel() for part in np.indices(table.shape))
    kept = rng.random(2400) < 2 / 3
    whole = g_study(table.ravel(), {"target": target, "judge": judge})
    part = g_study(table.ravel()[kept], {"target": target[kept], "judge": judge[kept]})
    for facets in (("target",), ("judge",), ("target", "judge")):
        assert part.variance(*facets) == pytest.approx(whole.variance(*facets), rel=0.05)


def test_what_a_design_cannot_tell_apart_is_none():
    """Each participant judged one item: no two judgments share a participant alone."""
    rng = np.random.default_rng(3)
    item = np.repeat(np.arange(10), 3)
    study = g_study(rng.normal(size=30), {"item": item, "participant": np.arange(30)})
    assert study.variance("participant") is None
    assert study.variance("item") is not None
    found = reliability(study, "item", {"participant": 3})
    assert found.relative is None
    assert why(found) == [Why.NO_BOUND]


def test_negative_estimates_are_none_and_said():
    table = np.array([[1.0, 2.0], [2.0, 1.0]])
    target, judge = (part.ravel() for part in np.indices(table.shape))
    study = g_study(table.ravel(), {"target": target, "judge": judge})
    assert study.variance("target") == 0
    assert any("below 0" in part.note for part in study.parts)
    assert sum(part.share for part in study.parts) == pytest.approx(1)


def test_scores_that_do_not_vary_have_no_parts():
    study = g_study(np.ones(4), {"item": np.arange(4), "participant": np.arange(4)})
    assert study.parts == ()
    assert reliability(study, "item", {"participant": 2}).relative is None


def test_impossible_questions_are_refused():
    with pytest.raises(DataError, match="two or three facets"):
        g_study(np.ones(2), {"item": np.arange(2)})
    with pytest.raises(DataError, match="each of the others"):
        reliability(two_facets(), "target", {"item": 3})


FIRST = np.array([1.0, 2, 3, 4, 2, 1, 3, 3])
SECOND = np.array([1.0, 2, 4, 4, 1, 1, 3, 2])


def rng():
    return np.random.default_rng(7)


def test_passes_go_by_attempt_and_by_participant():
    """Participant 0 judged unit 5 in attempts 2, 1 and 3; participant 1 judged unit 5 once."""
    found = find_passes(
        np.array([5, 5, 5, 5, 6]), np.array([0, 0, 1, 0, 0]), np.array([2, 1, 1, 3, 1])
    )
    assert (found.first.tolist(), found.second.tolist(), found.later) == ([1], [0], 1)


def test_without_repeats_there_are_no_passes():
    found = find_passes(np.array([0, 1]), np.array([0, 0]), np.array([1, 1]))
    assert (len(found.first), len(found.second), found.later) == (0, 0, 0)


def test_the_coefficients_are_those_between_two_people():
    """Five of eight units the same: 62.5 %. Changes +1 −1 −1, mean −1/8."""
    from scipy.stats import spearmanr
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = np.zeros((4, 4))
    np.add.at(counts, (FIRST.astype(int) - 1, SECOND.astype(int) - 1), 1)
    found = self_consistency(FIRST, SECOND, measured="ordinal", rng=rng())
    assert found.n == 8
    assert found.percent.value == pytest.approx(62.5)
    assert found.mean_change == pytest.approx(-1 / 8)
    assert found.correlation.value == pytest.approx(spearmanr(FIRST, SECOND).statistic)
    assert found.kappa.value == pytest.approx(cohens_kappa(counts, wt="quadratic").kappa)


def test_alpha_of_two_passes_is_that_of_two_people():
    import evalica

    both = np.vstack([FIRST, SECOND])
    found = self_consistency(FIRST, SECOND, measured="ordinal", rng=rng())
    assert found.alpha.value == pytest.approx(alpha_of(evalica, both))


def alpha_of(evalica, matrix):
    import pandas as pd

    return evalica.alpha(pd.DataFrame(matrix), distance="ordinal").alpha


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_the_interval_is_that_of_resampling_units_one_by_one(method):
    from scipy import stats

    theirs = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
    }[method]
    chance = np.random.default_rng(3)
    truth = chance.normal(size=60)
    first = np.round(truth + chance.normal(size=60))
    second = np.round(truth + chance.normal(size=60))
    found = self_consistency(first, second, measured="interval", rng=rng(), method=method)
    rows = (chance.integers(0, 60, 60) for _ in range(1000))
    drawn = [theirs(first[row], second[row]).statistic for row in rows]
    interval = found.correlation.interval
    plain = np.quantile(drawn, [0.025, 0.975])
    assert [interval.low, interval.high] == pytest.approx(plain, abs=0.04)


def test_names_have_neither_order_nor_change():
    found = self_consistency(FIRST, SECOND, measured="nominal", rng=rng())
    assert (found.correlation.value, found.mean_change) == (None, None)
    assert found.kappa.value is not None


def test_the_same_answer_every_time_is_undefined_but_for_percent():
    same = np.ones(5)
    found = self_consistency(same, same, measured="ordinal", rng=rng())
    assert (found.percent.value, found.alpha.value) == (100, None)
    assert (found.kappa.value, found.correlation.value) == (None, None)


def test_nothing_judged_twice_is_undefined():
    nothing = np.zeros(0)
    found = self_consistency(nothing, nothing, measured="ordinal", rng=rng())
    assert (found.n, found.percent.value, found.correlation.value) == (0, None, None)
    assert found.mean_change is None


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=3, max_size=12))
def test_which_pass_came_first_matters_only_for_the_change(answers):
    first, second = np.array(answers, dtype=float).T
    there = self_consistency(first, second, measured="ordinal", rng=rng(), replicates=5)
    back = self_consistency(second, first, measured="ordinal", rng=rng(), replicates=5)
    assert back.percent.value == pytest.approx(there.percent.value)
    assert back.kappa.value == pytest.approx(there.kappa.value, abs=1e-9)
    assert back.correlation.value == pytest.approx(there.correlation.value, abs=1e-9)
    assert back.mean_change == pytest.approx(-there.mean_change)
