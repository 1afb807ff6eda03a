"""Sizes of differences in two runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compared import select, single
from fluency_runs import FIRST, FLUENCY, ORIGINAL, SECOND, both, contrast, printed
from rejudge.compare.alignment import align
from rejudge.compare.effects import effects
from rejudge.compare.run import RunCriterion
from rejudge.findings.model import EffectSize
from rejudge.stats import Interval

PUBLISHED = "original", "first"


def between(aligned, first, second, *runs: str):
    """How far two runs differ in an effect."""
    return single(effects(aligned), "effect-difference", *runs, systems=(first, second))


def of(aligned, first, second, run: str):
    """An effect in one run."""
    return single(effects(aligned), "effect", run, systems=(first, second))


def test_effects_of_both_reproductions_are_the_published_ones(published):
    """van Miltenburg et al. (2024), table 4; the original's follow from its means and SDs."""
    folder, figures = published("august2022_miltenburg2024")
    aligned = both(folder)
    for second, code in (("gedi", "GEDI"), ("dexpert", "DEX")):
        for run, section in (("first", "S3.1"), ("second", "S5.4")):
            expected = figures[f"{section}.SVMv{code}.d"]["value"]
            found = of(aligned, "svm", second, run)
            assert (found.by, found.value) == ("d", pytest.approx(expected, abs=5e-4))
    assert of(aligned, "svm", "dexpert", "original").value == pytest.approx(1.88, abs=0.01)


def test_one_reproduction_has_half_the_effect_of_the_original_and_the_other_as_large_a_one():
    """As the authors read table 4: 1.88 against 0.88 differ, 1.88 against 1.72 do not."""
    runs = printed("first", FIRST), printed("second", SECOND)
    aligned = align(printed("original", ORIGINAL), runs)
    half = between(aligned, "svm", "dexpert", "original", "first")
    whole = between(aligned, "svm", "dexpert", "original", "second")
    assert (half.extra["overlap"], whole.extra["overlap"]) == (0, 1)
    assert half.interval.low > 0
    assert whole.interval.low < 0 < whole.interval.high


def test_every_pair_of_systems_is_shown_in_every_pair_of_runs():
    runs = printed("first", FIRST), printed("second", SECOND)
    found = list(effects(align(printed("original", ORIGINAL), runs)))
    assert len(select(found, "effect-difference")) == len(select(found, "effect")) == 3 * 3
    assert {each.systems for each in found} == {
        ("svm", "gedi"),
        ("svm", "dexpert"),
        ("gedi", "dexpert"),
    }


def test_where_lower_is_better_the_better_system_still_comes_first_with_a_positive_effect():
    errors = RunCriterion("errors", "Errors", "rating", 0.0, 4.0, is_higher_better=False)
    one = printed("one", {"a": (1.0, 0.5), "b": (2.0, 0.5)}, criterion=errors)
    two = printed("two", {"a": (1.2, 0.5), "b": (2.0, 0.5)}, criterion=errors)
    first, second = (of(align(one, [two]), "a", "b", run) for run in ("one", "two"))
    assert (first.value, second.value) == pytest.approx((2.0, 1.6))
    assert first.interval.low < 2.0 < first.interval.high


def test_a_printed_effect_counts_where_it_cannot_be_computed():
    bare = {system: (mean, None) for system, (mean, _) in ORIGINAL.items()}
    effect = EffectSize("d", -0.6, Interval(-0.8, -0.4, 0.95))
    tested = contrast("gedi", "svm", -0.5, p=0.001, effect=effect)
    original = printed("original", bare, further=(tested,))
    found = of(align(original, [printed("first", FIRST)]), "svm", "gedi", "original")
    assert found.value == pytest.approx(0.6)
    assert found.interval == Interval(0.4, 0.8, 0.95)
    assert found.note.startswith("As printed.")


def test_a_printed_effect_is_nearer_the_truth_than_one_from_rounded_means():
    """0.516 is printed, 0.512 follows from 3.12 (0.92) and 2.57 (1.21). Limit: R, pt()."""
    tested = contrast("svm", "gedi", 0.55, p_below=0.001, effect=EffectSize("d", 0.516))
    first = printed("first", FIRST, further=(tested,))
    found = of(align(printed("original", ORIGINAL), [first]), "svm", "gedi", "first")
    assert found.value == pytest.approx(0.516)
    assert found.interval.low == pytest.approx(0.3164, abs=5e-4)


def test_without_spreads_and_printed_effects_there_is_nothing_to_compare():
    bare = {system: (mean, None) for system, (mean, _) in ORIGINAL.items()}
    assert list(effects(align(printed("o", bare), [printed("r", FIRST)]))) == []


def test_shares_of_wins_are_compared_by_their_differences():
    """Win rates .79 and .47 of 600 comparisons each among four: SDs of wins and losses, rivals."""
    wins = RunCriterion("meaning", "Meaning", "win-rate", 0.0, 1.0)
    scores = {"vae": (0.79, None), "separator": (0.47, None), "lbow": (0.44, None),
              "dips": (0.305, None)}  # fmt: skip
    original = printed("original", scores, n=600, criterion=wins)
    again = printed("again", {**scores, "separator": (0.485, None)}, n=600, criterion=wins)
    aligned = align(original, [again])
    found, other = (of(aligned, "vae", "separator", run) for run in ("original", "again"))
    assert found.by == "difference"
    assert (found.value, other.value) == pytest.approx((0.32, 0.305))
    # s = √(p q / 600) of both, and 2 s₁ s₂ / 3 since a win of one is a loss of another
    one, two = (p * (1 - p) / 600 for p in (0.79, 0.47))
    reach = 1.959964 * (one + two + 2 * (one * two) ** 0.5 / 3) ** 0.5
    assert found.interval.high == pytest.approx(0.32 + reach)
    assert between(aligned, "vae", "separator", "original", "again").extra["overlap"]


def test_a_run_on_another_scale_has_the_same_effects():
    """d has no unit: the ratings of 1 to 4 moved to 0 to 6 change nothing."""
    wide = replace(FLUENCY, low=0.0, high=6.0)
    moved = {system: (2 * (mean - 1), 2 * sd) for system, (mean, sd) in FIRST.items()}
    found = effects(align(printed("o", ORIGINAL), [printed("r", moved, criterion=wide)]))
    plain = effects(align(printed("o", ORIGINAL), [printed("r", FIRST)]))
    assert [each.value for each in found] == [pytest.approx(each.value) for each in plain]
