"""Systems that were judged on different items, in the runs that are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compared import select
from fluency_runs import from_judgments
from rejudge.analysis.analyse import analyse
from rejudge.compare.alignment import align
from rejudge.compare.compare import compare
from rejudge.compare.differences import differences
from rejudge.compare.from_results import from_judgments as run_of
from rejudge.compare.meta_analysis import pooled_effects
from rejudge.compare.run import RunCriterion, are_unlinked
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments

NO_RULES = ExclusionRules.parse(())
SCALE = RunCriterion("fluency", "Fluency", "rating", -10.0, 10.0)


def rated(seed, *, c_on, items=30, people=6, prefix="p"):
    """A and B on every item, C on those that `c_on` names; the first ten items are easy.

    C is 0.2 better than A on every item, A and B are equal.
    """
    rng = np.random.default_rng(seed)
    truth = {"a": 0.0, "b": 0.0, "c": 0.2}
    ease = np.where(np.arange(items) < items // 3, 2.0, -1.0)
    rows = [
        Judgment(f"{prefix}{person}", f"i{item}", "fluency",
                 ease[item] + truth[system] + float(rng.normal(0, 0.3)), system=system)
        for item in range(items)
        for person in range(people)
        for system in "abc"
        if system != "c" or item in c_on
    ]  # fmt: skip
    return Judgments.from_rows(rows)


HARD = range(10, 30)


def runs(c_on=HARD):
    return [
        from_judgments(f"lab{k}", rated(k, c_on=c_on, prefix=f"l{k}"), criterion=SCALE)
        for k in (0, 1, 2)
    ]


def test_a_system_on_hard_items_alone_is_compared_within_items():
    """Raw means: C seems about 0.8 worse than A, because it has the hard items alone."""
    first, *rest = runs()
    aligned = align(first, rest)
    raw = {each.systems[0]: each.value for each in first.findings if len(each.systems) == 1}
    assert raw["c"] - raw["a"] < -0.7
    gap = differences(aligned, SCALE, "lab0", [("c", "a")])["c", "a"]
    assert gap.value == pytest.approx(0.2, abs=0.1)
    assert "compared within items" in gap.method


def test_the_difference_of_a_run_is_that_of_its_own_analysis():
    table = rated(0, c_on=HARD)
    results = analyse(table)
    found = next(
        each
        for each in results.findings
        if each.by == "cluster-robust" and set(each.systems) == {"a", "c"}
    )
    run = run_of(exclude_rows(table, NO_RULES), "lab")
    aligned = align(run, [run_of(exclude_rows(rated(1, c_on=HARD), NO_RULES), "other")])
    gap = differences(aligned, aligned.criteria[0], "lab", [found.systems])[found.systems]
    assert gap.value == pytest.approx(found.value)
    assert gap.interval.low == pytest.approx(found.interval.low)


def test_summaries_over_runs_take_the_differences_within_items():
    first, *rest = runs()
    aligned = align(first, rest)
    found = [each for each in pooled_effects(aligned) if set(each.systems) == {"a", "c"}]
    assert len(found) == 1 + len(aligned.runs)
    assert all((1 if each.systems[0] == "c" else -1) * each.value > 0 for each in found)


@pytest.mark.slow
def test_the_size_of_an_effect_is_that_within_items():
    found = compare(*runs())
    values = [
        (1 if each.systems[0] == "c" else -1) * each.value
        for each in select(found.findings, "effect")
        if set(each.systems) == {"a", "c"}
    ]
    assert values
    assert min(values) > 0


def without_shared(seed):
    """A and B on the first ten items, C on the others."""
    rows = rated(seed, c_on=HARD, prefix=f"l{seed}").rows()
    return Judgments.from_rows(
        [each for each in rows if each.system == "c" or int(each.item[1:]) < 10]
    )


def test_systems_without_shared_items_are_not_compared_and_the_comparison_says_so():
    labs = [from_judgments(f"lab{k}", without_shared(k), criterion=SCALE) for k in (0, 1, 2)]
    found = compare(*labs)
    assert not [each for each in select(found.findings, "effect") if "c" in each.systems]
    pooled = select(found.findings, "pooled-effect")
    assert not [each for each in pooled if "c" in each.systems and each.interval]
    assert (
        sum("no item was judged for both" in note for note in found.notes) == 6
    )  # 2 pairs, 3 runs
    assert any("--items-dealt-at-random" in note for note in found.notes)


def test_systems_without_shared_items_are_compared_where_chance_dealt_the_items():
    labs = [
        from_judgments(f"lab{k}", without_shared(k), criterion=SCALE, items_dealt_at_random=True)
        for k in (0, 1, 2)
    ]
    found = compare(*labs)
    assert [each for each in select(found.findings, "effect") if "c" in each.systems]
    assert not any("no item was judged for both" in note for note in found.notes)


def test_results_remember_which_systems_shared_no_items():
    """Only results.json is there: the refusal of the analysis holds for the comparison too."""
    own = [run_of(exclude_rows(without_shared(k), NO_RULES), f"lab{k}") for k in (0, 1)]
    assert are_unlinked(own[0], own[0].criteria[0], ("c", "a"))
    assert not are_unlinked(own[0], own[0].criteria[0], ("b", "a"))
    bare = [replace(run, judgments=None) for run in own]
    found = compare(*bare)
    assert not [each for each in select(found.findings, "effect") if "c" in each.systems]
