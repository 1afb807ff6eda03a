"""Papers whose numbers were computed from judgments and then rounded have no error.

The numbers come from numpy and scipy, not from what the audit uses, wherever they offer them.
"""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from property_settings import examples
from rejudge.audit import audit
from rejudge.paper import Paper
from rejudge.stats import (
    EtaSquared,
    adjusted,
    anova_power,
    anova_sample_size,
    cv_star,
    spearman,
)

SYSTEMS = ("a", "b", "c", "d")
REFERENCE = {"authors": "Doe", "year": 2026, "title": "Made up"}
HALVES = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN])
PLACES = st.integers(1, 4)


def printed(value, decimals, halves=ROUND_HALF_EVEN):
    """A number as a table prints it."""
    unit = Decimal(1).scaleb(-decimals)
    return str(Decimal(repr(float(value))).quantize(unit, rounding=halves))


def errors_of(paper: object, *others: object) -> list[tuple[str, str]]:
    found = audit(Paper.model_validate(paper), *(Paper.model_validate(each) for each in others))
    return [(each.code, each.says) for each in found.findings if each.severity == "error"]


def whole(
    part: dict[str, object], *, points: int = 5, systems: int = 2, **more: object
) -> dict[str, object]:
    return {
        "id": "made-up",
        "reference": REFERENCE,
        "systems": [{"id": each} for each in SYSTEMS[:systems]],
        "criteria": [
            {"id": "quality", "scale": {"kind": "rating", "low": 1, "high": points,
                                        "points": points}}
        ],
        **part,
        **more,
    }  # fmt: skip


def rated(seed, n, points):
    """Ratings of two systems that vary."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, points + 1, size=(2, n))
    ratings[:, 0], ratings[:, 1] = 1, points
    return ratings


@settings(max_examples=examples(150))
@given(st.integers(0, 10**6), st.integers(3, 400), st.integers(2, 9), PLACES, PLACES, HALVES)
def test_means_sds_tests_and_effects_of_real_ratings_have_no_error(
    seed, n, points, decimals, fewer, halves
):
    first, second = rated(seed, n, points)
    scores = [
        {
            "criterion": "quality", "system": system, "n": n,
            "value": printed(each.mean(), decimals, halves),
            "sd": printed(each.std(ddof=seed % 2), fewer, halves),
        }
        for system, each in zip("ab", (first, second), strict=True)
    ]  # fmt: skip
    t, p = scipy_stats.ttest_ind(first, second)
    d = t * np.sqrt(2 / n)
    test = {
        "criterion": "quality", "systems": ["a", "b"], "test": "independent t-test",
        "statistic": {"name": "t", "value": printed(t, fewer, halves), "df": [2 * n - 2]},
        "p": printed(p, decimals, halves), "n": [n, n], "correction": "none",
        "effect": {"name": "d", "value": printed(d, decimals, halves)},
    }  # fmt: skip
    if seed % 2 == 0:  # t and d are of SDs with n − 1
        test.pop("effect")
        scores = [{**each, "sd": None} for each in scores]
    assert errors_of(whole({"cases": [{"scores": scores, "tests": [test]}]}, points=points)) == []


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(4, 60), PLACES)
def test_an_analysis_of_variance_has_no_error(seed, groups, n, decimals):
    rng = np.random.default_rng(seed)
    values = [rng.normal(group / 3, 1, n) for group in range(groups)]
    f, p = scipy_stats.f_oneway(*values)
    between = n * sum((each.mean() - np.mean(values)) ** 2 for each in values)
    share = between / sum(((each - np.mean(values)) ** 2).sum() for each in values)
    test = {
        "criterion": "quality", "test": "one-way ANOVA on item means", "unit": "item",
        "statistic": {"name": "F", "value": printed(f, decimals),
                      "df": [groups - 1, groups * (n - 1)]},
        "p": printed(p, decimals + 1), "n": [n] * groups, "correction": "none",
        "effect": {"name": "eta-squared", "value": printed(share, decimals)},
    }  # fmt: skip
    assert errors_of(whole({"cases": [{"tests": [test]}]}, systems=groups)) == []


@settings(max_examples=examples(150))
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=8), PLACES, PLACES, HALVES)
def test_sums_differences_averages_and_ratios_of_rounded_numbers_have_no_error(
    values, decimals, fewer, halves
):
    parts = [printed(each, decimals, halves) for each in values]
    first, second = values[:2]
    entries = [
        {"kind": "sum", "parts": parts, "total": printed(sum(values), fewer, halves)},
        {"kind": "average", "parts": parts, "average": printed(np.mean(values), fewer, halves)},
        {"kind": "difference", "first": parts[0], "second": parts[1], "absolute": True,
         "difference": printed(abs(first - second), fewer, halves)},
        {"kind": "product", "factors": parts[:2],
         "product": printed(first * second, fewer, halves)},
        {"kind": "ratio", "part": parts[0], "whole": printed(60 + second, decimals, halves),
         "times": 100, "ratio": printed(100 * first / (60 + second), fewer, halves)},
        {"kind": "same", "values": [parts[0], printed(first, fewer, halves)]},
    ]  # fmt: skip
    assert errors_of(whole({"arithmetic": [{"what": "numbers", **each} for each in entries]})) == []


@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(st.floats(1, 5), st.floats(1, 5)), min_size=3, max_size=4), PLACES, PLACES
)
def test_cv_star_and_correlations_of_unrounded_scores_have_no_error(scores, decimals, fewer):
    figures = []
    for system, pair in zip(SYSTEMS, scores, strict=False):
        value = cv_star(pair, scale_minimum=1).value
        if value is not None:
            figures.append({"measure": "cv-star", "criterion": "quality", "system": system,
                            "value": printed(value, decimals)})  # fmt: skip
    ours, theirs = np.array(scores).T
    if np.ptp(ours) > 1e-3 and np.ptp(theirs) > 1e-3:
        r, p = scipy_stats.pearsonr(ours, theirs)
        figures.append({"measure": "pearson", "criterion": "quality",
                        "value": printed(r, decimals), "p": printed(p, fewer)})  # fmt: skip
        if len(set(ours)) == len(set(theirs)) == len(scores):
            rho = spearman(ours, theirs)
            figures.append({"measure": "spearman", "criterion": "quality",
                            "value": printed(rho.value, decimals),
                            "p": printed(rho.p, fewer)})  # fmt: skip

    def paper(side: int, **more: object) -> dict[str, object]:
        rows = [
            {"criterion": "quality", "system": system, "value": printed(pair[side], fewer)}
            for system, pair in zip(SYSTEMS, scores, strict=False)
        ]
        return whole({"cases": [{"scores": rows}]}, systems=len(scores), **more)

    original = {**paper(0), "id": "original"}
    assert errors_of(paper(1, reproduces="original", reproducibility=figures), original) == []


@settings(max_examples=examples(60), deadline=None)
@given(st.floats(0.01, 0.4), st.integers(2, 5), st.integers(5, 120), st.booleans())
def test_a_power_analysis_that_was_done_rightly_has_no_error(share, groups, n, is_total):
    effect = EtaSquared(float(printed(share, 3)))
    reached = anova_power(effect, groups=groups, per_group=n).value
    needed = anova_sample_size(effect, groups=groups)
    entry = {
        "kind": "power", "what": "power", "effect": "eta-squared", "value": printed(share, 3),
        "groups": groups, "n": n * groups if is_total else n,
        "n_counts": "total" if is_total else "per-group", "power": printed(reached, 2),
        "needed": needed.total if is_total else needed.per_group,
        "needed_counts": "total" if is_total else "per-group",
    }  # fmt: skip
    assert errors_of(whole({"arithmetic": [entry]})) == []


@settings(max_examples=examples(100))
@given(st.lists(st.floats(0, 3000), min_size=2, max_size=30), st.integers(0, 2))
def test_rows_of_real_durations_have_no_error(minutes, decimals):
    row = {
        "who": "somebody", "n": len(minutes), "low": printed(min(minutes), decimals),
        "high": printed(max(minutes), decimals), "mean": printed(np.mean(minutes), decimals),
        "median": printed(np.median(minutes), decimals),
        "sd": printed(np.std(minutes, ddof=1), decimals), "total": printed(sum(minutes), decimals),
    }  # fmt: skip
    entry = {"kind": "durations", "what": "times", "unit": "minutes", "rows": [row]}
    assert errors_of(whole({"arithmetic": [entry]})) == []


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(3, 12), PLACES)
def test_means_with_the_others_have_no_error(seed, people, decimals):
    rng = np.random.default_rng(seed)
    table = np.corrcoef(rng.normal(size=(people, 20)) + rng.normal(size=20))
    means = (table.sum(axis=1) - 1) / (people - 1)
    entry = {
        "kind": "mean-with-others", "what": "people",
        "table": [[printed(cell, decimals) for cell in row] for row in table],
        "lowest": printed(means.min(), 2), "highest": printed(means.max(), 2),
    }  # fmt: skip
    assert errors_of(whole({"arithmetic": [entry]})) == []


@settings(max_examples=examples(100))
@given(st.lists(st.floats(0.001, 0.3), min_size=2, max_size=8), st.sampled_from(["holm",
       "bonferroni"]), st.integers(3, 4))  # fmt: skip
def test_a_correction_that_was_done_as_named_is_no_finding(p_values, name, decimals):
    entry = {
        "kind": "correction", "what": "pairs", "named": name,
        "p": [printed(p, decimals) for p in p_values],
        "adjusted": [printed(p, decimals) for p in adjusted(p_values, name)],
    }  # fmt: skip
    found = audit(Paper.model_validate(whole({"arithmetic": [entry]})))
    assert found.findings == ()


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(3, 4), st.integers(2, 300), st.integers(0, 3))
def test_zero_sum_scores_of_real_comparisons_have_no_error(seed, systems, rounds, decimals):
    """Every pair of systems is compared equally often."""
    rng = np.random.default_rng(seed)
    balance = np.zeros(systems)
    for i in range(systems):
        for j in range(i):
            wins = rng.integers(0, rounds + 1)
            balance[i] += 2 * wins - rounds
            balance[j] -= 2 * wins - rounds
    n = rounds * (systems - 1)
    rows = [
        {"criterion": "quality", "system": system, "n": n,
         "value": printed(100 * each / n, decimals)}
        for system, each in zip(SYSTEMS, balance, strict=False)
    ]  # fmt: skip
    scale = {"kind": "best-worst", "low": -100, "high": 100}
    made = whole({"cases": [{"scores": rows}]}, systems=systems)
    assert errors_of({**made, "criteria": [{"id": "quality", "scale": scale}]}) == []


def test_numbers_that_were_cut_off_in_place_of_rounded_are_found():
    """2.349 cut off is 2.34, the difference to 1.000 then 1.34 and not 1.35: the property above
    would not hold for any way of printing."""
    cut = printed(2.3499, 2, ROUND_DOWN)
    entry = {"kind": "same", "what": "one number", "values": [cut, "2.350"]}
    assert [code for code, _ in errors_of(whole({"arithmetic": [entry]}))] == ["A406"]
