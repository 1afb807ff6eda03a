"""Results without their judgments: the interval of a difference that they store is used."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import t

from compared import select
from rejudge.analysis.analyse import analyse
from rejudge.analysis.results import Results
from rejudge.compare.alignment import align
from rejudge.compare.compare import compare
from rejudge.compare.differences import (
    JUDGMENTS,
    SCORES,
    STORED,
    differences,
    ordered_pairs,
    rank_stability,
)
from rejudge.compare.effects import effects
from rejudge.compare.from_results import from_table
from rejudge.compare.meta_analysis import pooled_effects
from rejudge.compare.run import Run, RunCriterion, contrast_of
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments

FLUENCY = RunCriterion("fluency", "fluency", "rating", 1.0, 7.0)


def ends(interval) -> tuple[float, float]:
    return interval.low, interval.high


LABS = ("one", "two", "three")


def judged(seed: int, *, turned: bool = False) -> Judgments:
    """Six people rate two systems on ten items; people and items differ much, systems a little."""
    rng = np.random.default_rng(seed)
    person, item = rng.normal(0, 1, 6), rng.normal(0, 1, 10)
    rows = []
    for p, i, (system, ahead) in product(range(6), range(10), (("a", 0.4), ("b", 0.0))):
        score = 4 + person[p] + item[i] + ahead + rng.normal(0, 0.5)
        value = float(np.clip(round(score), 1, 7))
        rows.append(
            Judgment(f"p{p}", f"i{i}", "fluency", 8 - value if turned else value, system=system)
        )
    return Judgments.from_rows(rows, systems=("a", "b"))


def analysed(judgments: Judgments) -> Results:
    return analyse(exclude_rows(judgments, ExclusionRules()))


@cache
def rated(seed: int, *, turned: bool = False) -> tuple[Judgments, Results]:
    """An analysis takes a second, so every one is made once."""
    judgments = judged(seed, turned=turned)
    return judgments, analysed(judgments)


def run(name: str, seed: int, *, raw: bool, criterion: RunCriterion = FLUENCY) -> Run:
    judgments, results = rated(seed, turned=not criterion.is_higher_better)
    return from_table(
        results,
        name,
        criteria=(criterion,),
        conditions={"platform": "none"},
        judgments=judgments if raw else None,
    )


def labs(*, raw: bool, **more: RunCriterion):
    first, *others = (run(name, seed, raw=raw, **more) for seed, name in enumerate(LABS))
    return align(first, others)


def test_results_give_the_error_that_their_judgments_give():
    """Independent scores would give several times the error, for people and items are shared."""
    pair = ("a", "b")
    raw, stored = (
        differences(labs(raw=is_raw), FLUENCY, "two", [pair])[pair] for is_raw in (True, False)
    )
    assert (raw.key.method, stored.key.method) == (JUDGMENTS, STORED)
    assert stored.value == pytest.approx(raw.value)
    assert stored.standard_error == pytest.approx(raw.standard_error)
    assert stored.df == raw.df
    assert (stored.interval.low, stored.interval.high) == pytest.approx(
        (raw.interval.low, raw.interval.high)
    )
    reach = t.ppf(0.975, raw.df) * raw.standard_error
    assert stored.interval.high - stored.value == pytest.approx(reach)


def test_effects_and_stability_do_not_depend_on_keeping_the_judgments_but_shared_items_do():
    raw, stored = labs(raw=True), labs(raw=False)
    one, two = (next(pooled_effects(each)) for each in (raw, stored))
    assert two.value == pytest.approx(one.value, abs=1e-3)
    assert "shared items" in one.method
    assert "items that were also judged in other runs cannot be accounted for" in two.note
    for each, other in zip(effects(raw), effects(stored), strict=True):
        assert ends(other.interval) == pytest.approx(ends(each.interval))
        assert "allow for shared items and participants" in other.note
    for each, other in zip(rank_stability(raw), rank_stability(stored), strict=True):
        assert other.value == pytest.approx(each.value)


def test_the_interval_of_d_is_that_of_the_clustered_difference():
    """d ± t(df) √((SE / SD)² + d² / 2n), SE and df those of the stored difference."""
    aligned = labs(raw=False)
    pair = ordered_pairs(aligned, FLUENCY)[0]
    gap = differences(aligned, FLUENCY, "one", [pair])[pair]
    found = next(effects(aligned))
    scores = {name: aligned.score("fluency", "one", name) for name in "ab"}
    sd = math.sqrt((scores["a"].spread.sd ** 2 + scores["b"].spread.sd ** 2) / 2)  # as many of each
    d = (scores[pair[0]].value - scores[pair[1]].value) / sd
    error = math.sqrt((gap.standard_error / sd) ** 2 + d**2 / (2 * 120))
    assert found.value == pytest.approx(d)
    assert found.interval.high == pytest.approx(d + t.ppf(0.975, gap.df) * error)


def test_where_lower_is_better_the_differences_are_turned():
    errors = replace(FLUENCY, is_higher_better=False)
    up, down = (run("one", 0, raw=False, criterion=each) for each in (FLUENCY, errors))
    pair = ("a", "b")
    one = differences(align(up, []), FLUENCY, "one", [pair])[pair]
    two = differences(align(down, []), errors, "one", [pair])[pair]
    assert two.value == pytest.approx(one.value)
    assert two.interval.low == pytest.approx(one.interval.low)
    tested = [contrast_of(each, "fluency", *pair) for each in (up, down)]
    assert tested[1].value == pytest.approx(tested[0].value)


def test_a_longer_scale_stretches_the_stored_difference():
    wide = RunCriterion("fluency", "fluency", "rating", 0.0, 60.0)
    first = from_table(rated(0)[1], "wide", criteria=(wide,), conditions={"platform": "none"})
    aligned = align(first, [run("two", 1, raw=False)])
    pair = ("a", "b")
    own = differences(labs(raw=False), FLUENCY, "two", [pair])[pair]
    found = differences(aligned, wide, "two", [pair])[pair]
    assert ends(found.interval) == pytest.approx([10 * end for end in ends(own.interval)])


def test_a_comparison_says_which_run_has_no_interval_of_its_differences():
    one, two = run("one", 0, raw=False), run("two", 1, raw=False)
    assert not any("No judgments and no intervals" in note for note in compare(one, two).notes)
    alone = tuple(each for each in two.findings if each.interval is None or len(each.systems) < 2)
    found = compare(one, replace(two, findings=alone))
    (note,) = [each for each in found.notes if "No judgments and no intervals" in each]
    assert "differences between systems on fluency were found for two." in note
    pooled = select(found.findings, "pooled-effect")[0]
    assert "No interval of the difference is stored for two:" in pooled.note


# ── comparisons of two systems ───────────────────────────────────────────────────────────────────


def chosen(name: str, seed: int, *, raw: bool, systems: str = "ab") -> Run:
    rng = np.random.default_rng(seed)
    pairs = [(x, y) for x in systems for y in systems if x < y]
    rows = [
        Judgment(f"p{p}", f"i{i}", "q", "a" if rng.random() < 0.6 else "b", system_a=x, system_b=y)
        for p in range(6)
        for i in range(10)
        for x, y in pairs
    ]
    judgments = Judgments.from_rows(rows, systems=tuple(systems))
    return from_table(
        analysed(judgments),
        name,
        conditions={"platform": "none"},
        judgments=judgments if raw else None,
    )


def test_of_two_systems_the_share_of_wins_is_the_difference_of_their_scores():
    found = []
    for raw in (True, False):
        aligned = align(chosen("one", 0, raw=raw), [chosen("two", 1, raw=raw)])
        found.append(differences(aligned, aligned.criteria[0], "two", [("a", "b")])["a", "b"])
    one, two = found
    assert (one.key.method, two.key.method) == (JUDGMENTS, STORED)
    assert (two.value, two.standard_error) == pytest.approx((one.value, one.standard_error))


def test_of_three_systems_no_difference_of_scores_is_stored():
    aligned = align(
        chosen("one", 0, raw=False, systems="abc"), [chosen("two", 1, raw=False, systems="abc")]
    )
    found = differences(aligned, aligned.criteria[0], "two", [("a", "b")])["a", "b"]
    assert found.key.method == SCORES
    assert "ignoring what the same judgments have in common" in found.note


def test_only_the_pairs_that_the_original_plans_are_compared_and_corrected_for():
    one, two = (chosen(name, seed, raw=True, systems="abc") for seed, name in enumerate(LABS[:2]))
    planned = replace(one, pairs={"q": frozenset({frozenset("ac")})})
    found = compare(planned, two)
    assert {frozenset(each.systems) for each in select(found.findings, "effect")} == {
        frozenset("ac")
    }
    pooled = select(found.findings, "pooled-effect")[0]
    assert pooled.p_adjusted == pooled.p
    ranks = select(found.findings, "confirmed-share", method="pairwise-ranks")
    assert ranks[0].n == 1
    assert any("only the pairs of systems that one plans" in note for note in found.notes)


def test_errors_of_scores_are_not_taken_from_wide_t_intervals_as_if_these_were_normal():
    """s₁² + s₂² + s₁ s₂ of three rivals, with the stored errors and the few degrees of freedom."""
    two = chosen("two", 1, raw=False, systems="abc")
    aligned = align(chosen("one", 0, raw=False, systems="abc"), [two])
    found = differences(aligned, aligned.criteria[0], "two", [("a", "b")])["a", "b"]
    one, other = (
        aligned.score(aligned.criteria[0].id, "two", name).standard_error for name in "ab"
    )
    assert found.standard_error**2 == pytest.approx(one**2 + other**2 + one * other)
    assert found.df == min(aligned.score(aligned.criteria[0].id, "two", name).df for name in "ab")
    reach = t.ppf(0.975, found.df) * found.standard_error
    assert found.interval.high == pytest.approx(found.value + reach)


def test_runs_without_differences_are_named_in_one_note():
    one, two = (chosen(name, seed, raw=False, systems="abc") for seed, name in enumerate(LABS[:2]))
    (note,) = [each for each in compare(one, two).notes if "No judgments and no" in each]
    assert "were found for one, two." in note


def swept(name: str) -> Run:
    """Every choice is for `a`, so that nothing varies."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "q", "a", system_a="a", system_b="b")
        for p in range(4)
        for i in range(5)
    ]
    judgments = Judgments.from_rows(rows, systems=("a", "b"))
    found = analysed(judgments)
    return from_table(found, name, conditions={"platform": "none"}, judgments=judgments)


def test_a_clean_sweep_has_no_error_and_does_not_stop_the_others_from_being_summarised():
    one, two = (chosen(name, seed, raw=True) for seed, name in enumerate(LABS[:2]))
    found = compare(swept("sweep"), one, two)
    pooled = select(found.findings, "pooled-effect")[0]
    assert pooled.key.runs == ("one", "two")
    assert "Without sweep: the error of the difference is unknown there." in pooled.note
    assert not [each for each in select(found.findings, "effect") if "sweep" in each.key.runs]
    assert {e.key.runs[0]: e.value is None for e in select(found.findings, "same-order")} == {
        "sweep": True,
        "one": False,
        "two": False,
    }
