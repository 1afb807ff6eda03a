"""Statistics without a unit: the same on every scale, and undefined on every scale or on none."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge import stats
from rejudge.stats.agreement.disagreement import alphas

Scores = np.ndarray  # items × participants


def long(scores):
    item, person = np.indices(scores.shape)
    return item.ravel(), person.ravel(), scores.ravel()


def rng():
    return np.random.default_rng(7)


def limits(interval):
    return (None, None) if interval is None else (interval.low, interval.high)


def intraclass(scores):
    return [
        x
        for icc in stats.intraclass(*long(scores))
        for x in (icc.value, icc.statistic, *limits(icc.interval))
    ]


def alpha(scores, measured):
    unit, _, value = long(scores)
    table = stats.count_table(unit, value)
    whole = stats.krippendorff_alpha(table, measured, rng=rng(), replicates=50)
    left = stats.alpha_jackknife(table, measured)
    return [whole.value, *limits(whole.interval), *limits(left.interval)]


def cohen(scores, weights):
    kappas = stats.cohen_kappas(*long(scores), rng=rng(), weights=weights, replicates=50)
    return [kappas.value, *limits(kappas.interval), *(p.value for p in kappas.pairs)]


def fleiss(scores):
    unit, _, value = long(scores)
    return [stats.fleiss_kappa(stats.count_table(unit, value), rng=rng(), replicates=50).value]


def cross_kappa(scores):
    unit, person, value = long(scores)
    found = stats.cross_kappa(unit, value, person > 0, "interval")
    return [found.value, found.normalised, *found.inside, *limits(found.interval)]


def between_participants(scores, method):
    found = stats.compare_participants(*long(scores), measure=method).value
    return [None if np.isnan(value) else value for value in found.tolist()]


def correlation(scores, function):
    whole = function(scores[:, 0], scores[:, 1])
    return [whole.value, whole.p, *limits(whole.interval)]


def kendall_w(scores):
    found = stats.kendall_w(scores.T)
    return [found.value, found.statistic, found.p]


def effect(scores, function):
    whole = function(scores[:, 0], scores[:, 1])
    return [whole.value, *limits(whole.interval)]


def contrast(scores, function, **options: bool):
    whole = function(scores[:, 0], scores[:, 1], **options)
    return [whole.df, whole.p, *ratios(whole)]


def ratios(whole):
    has_t = whole.standard_error is not None
    effect = next((each.value for each in whole.test.effects), None)
    return [whole.statistic, effect] if has_t else [effect]


def anova(scores, **options: bool):
    _, group, value = long(scores)
    whole = stats.one_way_anova(value, group, **options)
    return [
        whole.statistic,
        *(whole.df or ()),
        whole.p,
        *(each.value for each in whole.effects),
    ]


def group_test(scores, function):
    _, group, value = long(scores)
    whole = function(value, group)
    return [whole.statistic, whole.p]


def tukey(scores):
    found = stats.tukey_hsd(list(scores.T))
    return [x for pair in found for x in (pair.statistic, pair.p)]


def friedman(scores):
    found = stats.friedman(scores)
    return [found.statistic, found.p, *(each.value for each in found.effects)]


def repeated(scores):
    found = stats.repeated_measures(scores)
    return [found.statistic, found.p, found.epsilon, found.p_uncorrected]


def hotelling(scores):
    found = stats.hotelling(scores)
    return [found.statistic, found.p]


def judged(scores):
    """Systems judged on the same items by the same people: rows 0, 2, … and rows 1, 3, …"""
    row, person, value = long(scores)
    return value, row % 2, row // 2, person


def mean_difference(scores):
    value, system, item, person = judged(scores)
    found = stats.mean_difference(value, system, (0, 1), item=item, participant=person)
    ratio = found.value / found.standard_error if found.standard_error else None
    return [found.df, found.p, ratio]


def mixed(scores):
    value, system, item, person = judged(scores)
    fit = stats.linear_mixed(value, {"system": system}, {"participant": person, "item": item})
    return [c.statistic for c in fit.coefficients if c.level is not None]


def trend(scores):
    position, person, value = long(scores)
    found = stats.trend_by_position(value, position.astype(float), person)
    return [found.p]


def equivalence(scores):
    found = stats.paired_t_test(scores[:, 0], scores[:, 1])
    if found.standard_error is None:
        return [None]
    reach = 0.5 * found.standard_error
    bounds = stats.Interval(-reach, reach, 1.0)
    return [stats.tost(found.value, found.standard_error, found.df, bounds).p]


def z_scores(scores):
    _, person, value = long(scores)
    found = stats.z_by_participant(value, person)
    return [*found.value, *found.constant]


def disagreement(scores):
    unit, _, value = long(scores)
    found = stats.disagreement_by_unit(unit, value, "interval")
    return [*found.contribution_rank, *found.span_rank, *found.variance_rank]


def standardised_difference(scores):
    one, two = (stats.Summary.of(scores[:, k]) for k in (0, 1))
    found = stats.standardised_difference(one, two)
    return [found.value, found.standard_error]


STATISTICS: dict[str, Callable[[Scores], list[float | None]]] = {
    "intraclass": intraclass,
    "alpha nominal": partial(alpha, measured="nominal"),
    "alpha ordinal": partial(alpha, measured="ordinal"),
    "alpha interval": partial(alpha, measured="interval"),
    "kappa": partial(cohen, weights="none"),
    "linear kappa": partial(cohen, weights="linear"),
    "quadratic kappa": partial(cohen, weights="quadratic"),
    "Fleiss' kappa": fleiss,
    "cross kappa": cross_kappa,
    "Pearson between participants": partial(between_participants, method="pearson"),
    "Spearman between participants": partial(between_participants, method="spearman"),
    "Kendall between participants": partial(between_participants, method="kendall"),
    "Pearson": partial(correlation, function=stats.pearson),
    "Spearman": partial(correlation, function=stats.spearman),
    "tau": partial(correlation, function=stats.kendall_tau),
    "W": kendall_w,
    "d": partial(effect, function=stats.cohen_d),
    "g": partial(effect, function=stats.hedges_g),
    "dz": partial(effect, function=stats.cohen_dz),
    "gz": partial(effect, function=stats.hedges_gz),
    "r": partial(effect, function=stats.mann_whitney_r),
    "Student's t": partial(contrast, function=stats.t_test),
    "Welch's t": partial(contrast, function=stats.t_test, equal_variances=False),
    "paired t": partial(contrast, function=stats.paired_t_test),
    "Wilcoxon": partial(contrast, function=stats.wilcoxon),
    "Mann–Whitney": partial(contrast, function=stats.mann_whitney),
    "sign test": partial(contrast, function=stats.sign_test),
    "ANOVA": partial(anova),
    "Welch's ANOVA": partial(anova, equal_variances=False),
    "Brown–Forsythe": partial(group_test, function=stats.levene),
    "Kruskal–Wallis": partial(group_test, function=stats.kruskal_wallis),
    "Tukey": tukey,
    "Friedman": friedman,
    "repeated measures": repeated,
    "Hotelling": hotelling,
    "clustered difference": mean_difference,
    "mixed model": mixed,
    "trend": trend,
    "equivalence": equivalence,
    "z scores": z_scores,
    "disagreement": disagreement,
    "standardised difference": standardised_difference,
}

# Items × participants. The first is the table that once had an ICC of −1.7e16 when stretched by 3.
TABLES = {
    "no variance left for the ratio": [[1, 2, 9], [1, 7, 4], [5, 2, 5]],
    "judges and error cancel": [[1, 1, 4], [1, 5, 1]],
    "constant": [[3, 3, 3]] * 4,
    "constant within participants": [[1, 3, 4]] * 4,
    "constant within items": [[1] * 3, [4] * 3, [2] * 3, [5] * 3],
    "items and participants add up": [[1, 2, 4], [3, 4, 6], [2, 3, 5], [6, 7, 9]],
    "two values": [[0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1]],
    "one value differs": [[7, 7, 7], [7, 7, 7], [7, 7, 8], [7, 7, 7]],
    "distances from the median are equal": [[1, 2, 5], [3, 4, 7], [1, 4, 7], [3, 2, 5]],
    "ordinary": [[1, 2, 3], [4, 4, 2], [5, 3, 5], [2, 2, 1], [3, 5, 4], [1, 1, 2]],
}
SCALES = {  # others are drawn below
    "by 3": lambda x: 3 * x,
    "by 1e-6": lambda x: 1e-6 * x,
    "up 1e6": lambda x: x + 1e6,
    "by 0.1, up 1000": lambda x: 1000 + 0.1 * x,
}


def same(found, expected):
    assert [x is None for x in found] == [x is None for x in expected]
    assert [x for x in found if x is not None] == pytest.approx(
        [x for x in expected if x is not None], rel=1e-5, abs=1e-6
    )


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_without_a_unit_is_the_same_on_every_scale(name, table):
    scores = np.array(TABLES[table], dtype=float)
    expected = STATISTICS[name](scores)
    assert all(x is None or math.isfinite(x) for x in expected)
    for stretched in SCALES.values():
        same(STATISTICS[name](stretched(scores)), expected)


@given(
    st.sampled_from(sorted(set(STATISTICS) - {"mixed model"})),
    st.integers(2, 5).flatmap(
        lambda items: st.lists(
            st.lists(st.integers(1, 7), min_size=3, max_size=3), min_size=items, max_size=items
        )
    ),
    st.sampled_from([3.0, 0.1, 0.7, 1e-6, 1e6]),
    st.sampled_from([0.0, 1e6, -1e6]),
)
def test_neither_stretching_nor_shifting_changes_a_statistic_without_a_unit(
    name, scores, factor, shift
):
    table = np.array(scores, dtype=float)
    expected = STATISTICS[name](table)
    same(STATISTICS[name](factor * table), expected)
    same(STATISTICS[name](table + shift), expected)


# Statistics with an absolute zero, which a shift changes.
def cv_star(scores):
    low = float(scores.min())
    found = stats.cv_star(scores[0], scale_minimum=low)
    return [found.value, found.within_one, found.within_two]


def meta(scores):
    found = stats.random_effects(scores[:, 0], scores[:, 1], errors="hartung-knapp")
    return [
        found.p,
        found.i_squared,
        found.heterogeneity.statistic,
        found.heterogeneity.p,
        *found.weights,
    ]


FROM_ZERO = {
    "CV*": cv_star,
    "random effects": meta,
    "ratio alpha": partial(alpha, measured="ratio"),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", FROM_ZERO)
@pytest.mark.parametrize("factor", [3.0, 0.1, 1 / 3, 1e-6, 1e6])
def test_a_statistic_with_a_zero_is_the_same_in_every_unit(name, table, factor):
    scores = 1.0 + np.array(TABLES[table], dtype=float)
    same(FROM_ZERO[name](factor * scores), FROM_ZERO[name](scores))


def test_scores_at_the_lower_end_of_their_scale_have_no_cv_star():
    """0.1 + 0.2 is not 0.3 for a computer; the mean above the scale's end is 0 all the same."""
    found = stats.cv_star([0.3, 0.3, 0.1 + 0.2], scale_minimum=0.1 + 0.2)
    assert (found.value, found.mean, found.sd) == (None, 0.0, 0.0)


def test_a_mean_of_zero_up_to_rounding_has_no_cv_star():
    found = stats.cv_star([-0.1, -0.2, 0.3], scale_minimum=-1.0, variant="unshifted")
    assert (found.value, found.mean) == (None, 0.0)


def test_means_of_the_same_scores_are_one_value_whatever_the_order_of_summing():
    first, second = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    assert first != second
    table = stats.count_table(np.array([0, 0, 1, 1]), np.array([first, second, second, first]))
    assert len(table.values) == 1
    assert stats.krippendorff_alpha(table, "interval", rng=rng()).value is None


def test_block_means_that_differ_by_rounding_are_tied():
    first, second = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    found = stats.friedman(np.array([[first, second], [second, first], [first, second]]))
    assert found.statistic is None


def test_values_far_from_the_lowest_but_close_together_keep_their_digits():
    """Two units, judged 1e8 and 1e8 + 1 alike by both, beside one unit of zeros in other resamples:
    the spread of (1e8, 1e8 + 1, 1e8, 1e8 + 1) is that of (0, 1, 0, 1)."""
    far = stats.count_table(np.array([0, 0, 1, 1, 2, 2]), np.array([1e8, 1e8 + 1] * 2 + [0.0, 0.0]))
    near = stats.count_table(np.array([0, 0, 1, 1]), np.array([0.0, 1.0] * 2))
    without_zeros = np.array([[float(row[0] == 0) for row in far.patterns]]) * far.units
    expected = alphas(near, near.units[np.newaxis, :].astype(float), "interval")
    assert alphas(far, without_zeros, "interval") == pytest.approx(expected, rel=1e-9)
