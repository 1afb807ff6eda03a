"""Sizes of differences in two runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fluency_runs import FIRST, FLUENCY, ORIGINAL, SECOND, both, contrast, printed
from rejudge.compare.alignment import align
from rejudge.compare.effects import effect_comparisons
from rejudge.compare.run import RunCriterion
from rejudge.findings.model import EffectSize
from rejudge.stats import Interval


def of(found, first, second, *runs: str):
    return next(
        each for each in found if (each.first, each.second) == (first, second) and each.runs == runs
    )


def test_effects_of_both_reproductions_are_the_published_ones(published):
    """van Miltenburg et al. (2024), table 4; the original's follow from its means and SDs."""
    folder, figures = published("august2022_miltenburg2024")
    found = effect_comparisons(both(folder))
    gedi = of(found, "svm", "gedi", "first", "second")
    dexpert = of(found, "svm", "dexpert", "first", "second")
    assert gedi.name == "d"
    assert gedi.values == pytest.approx(
        (figures["S3.1.SVMvGEDI.d"]["value"], figures["S5.4.SVMvGEDI.d"]["value"]), abs=5e-4
    )
    assert dexpert.values == pytest.approx(
        (figures["S3.1.SVMvDEX.d"]["value"], figures["S5.4.SVMvDEX.d"]["value"]), abs=5e-4
    )
    assert of(found, "svm", "dexpert", "original", "first").values[0] == pytest.approx(
        1.88, abs=0.01
    )


def test_one_reproduction_has_half_the_effect_of_the_original_and_the_other_as_large_a_one():
    """As the authors read table 4: 1.88 against 0.88 differ, 1.88 against 1.72 do not."""
    runs = printed("first", FIRST), printed("second", SECOND)
    found = effect_comparisons(align(printed("original", ORIGINAL), runs))
    half = of(found, "svm", "dexpert", "original", "first")
    whole = of(found, "svm", "dexpert", "original", "second")
    assert (half.do_overlap, whole.do_overlap) == (False, True)
    assert half.difference_interval.low > 0
    assert whole.difference_interval.low < 0 < whole.difference_interval.high


def test_every_pair_of_systems_is_shown_in_every_pair_of_runs():
    runs = printed("first", FIRST), printed("second", SECOND)
    found = effect_comparisons(align(printed("original", ORIGINAL), runs))
    assert len(found) == 3 * 3
    assert {(each.first, each.second) for each in found} == {
        ("svm", "gedi"),
        ("svm", "dexpert"),
        ("gedi", "dexpert"),
    }


def test_where_lower_is_better_the_better_system_still_comes_first_with_a_positive_effect():
    errors = RunCriterion("errors", "Errors", "rating", 0.0, 4.0, is_higher_better=False)
    one = printed("one", {"a": (1.0, 0.5), "b": (2.0, 0.5)}, criterion=errors)
    two = printed("two", {"a": (1.2, 0.5), "b": (2.0, 0.5)}, criterion=errors)
    (found,) = effect_comparisons(align(one, [two]))
    assert (found.first, found.second) == ("a", "b")
    assert found.values == pytest.approx((2.0, 1.6))
    assert found.intervals[0].low < 2.0 < found.intervals[0].high


def test_a_printed_effect_counts_where_it_cannot_be_computed():
    bare = {system: (mean, None) for system, (mean, _) in ORIGINAL.items()}
    effect = EffectSize("d", -0.6, Interval(-0.8, -0.4, 0.95))
    tested = contrast("gedi", "svm", -0.5, p=0.001, effect=effect)
    original = printed("original", bare, further=(tested,))
    (found,) = effect_comparisons(align(original, [printed("first", FIRST)]))
    assert (found.first, found.values[0]) == ("svm", pytest.approx(0.6))
    assert found.intervals[0] == Interval(0.4, 0.8, 0.95)
    assert found.note.startswith("original: As printed.")


def test_a_printed_effect_is_nearer_the_truth_than_one_from_rounded_means():
    """0.516 is printed, 0.512 follows from 3.12 (0.92) and 2.57 (1.21). Limit: R, pt()."""
    tested = contrast("svm", "gedi", 0.55, p_below=0.001, effect=EffectSize("d", 0.516))
    first = printed("first", FIRST, further=(tested,))
    found = of(
        effect_comparisons(align(printed("original", ORIGINAL), [first])),
        "svm", "gedi", "original", "first",
    )  # fmt: skip
    assert found.values[1] == pytest.approx(0.516)
    assert found.intervals[1].low == pytest.approx(0.3164, abs=5e-4)


def test_without_spreads_and_printed_effects_there_is_nothing_to_compare():
    bare = {system: (mean, None) for system, (mean, _) in ORIGINAL.items()}
    assert effect_comparisons(align(printed("o", bare), [printed("r", FIRST)])) == ()


def test_shares_of_wins_are_compared_by_their_differences():
    """Win rates .79 and .47 of 600 comparisons each among four: SDs of wins and losses, rivals."""
    wins = RunCriterion("meaning", "Meaning", "win-rate", 0.0, 1.0)
    scores = {"vae": (0.79, None), "separator": (0.47, None), "lbow": (0.44, None),
              "dips": (0.305, None)}  # fmt: skip
    original = printed("original", scores, n=600, criterion=wins)
    again = printed("again", {**scores, "separator": (0.485, None)}, n=600, criterion=wins)
    found = of(
        effect_comparisons(align(original, [again])), "vae", "separator", "original", "again"
    )
    assert found.name == "difference"
    assert found.values == pytest.approx((0.32, 0.305))
    # s = √(p q / 600) of both, and 2 s₁ s₂ / 3 since a win of one is a loss of another
    one, two = (p * (1 - p) / 600 for p in (0.79, 0.47))
    reach = 1.959964 * (one + two + 2 * (one * two) ** 0.5 / 3) ** 0.5
    assert found.intervals[0].high == pytest.approx(0.32 + reach)
    assert found.do_overlap


def test_a_run_on_another_scale_has_the_same_effects():
    """d has no unit: the ratings of 1 to 4 moved to 0 to 6 change nothing."""
    wide = replace(FLUENCY, low=0.0, high=6.0)
    moved = {system: (2 * (mean - 1), 2 * sd) for system, (mean, sd) in FIRST.items()}
    found = effect_comparisons(align(printed("o", ORIGINAL), [printed("r", moved, criterion=wide)]))
    plain = effect_comparisons(align(printed("o", ORIGINAL), [printed("r", FIRST)]))
    assert [each.values for each in found] == [pytest.approx(each.values) for each in plain]
