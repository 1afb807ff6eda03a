"""Whether a repetition keeps the order."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from compared import single
from fluency_runs import FIRST, ORIGINAL, both, printed
from rejudge.compare.alignment import align
from rejudge.compare.differences import rank_stability
from rejudge.compare.run import RunCriterion
from rejudge.stats.reasons import Why


def of(aligned, run, **more: int):
    """The whole order of a run."""
    return next(each for each in rank_stability(aligned, **more) if each.key.runs == (run,))


def test_a_pair_is_kept_as_its_standard_error_has_it():
    """GeDi 2.57 (1.21) and DExpert 2.28 (1.00), 200 each: Φ(.29 / √(2 (1.21² + 1.00²) / 200))."""
    aligned = align(printed("original", ORIGINAL), [printed("first", FIRST)])
    found = of(aligned, "first")
    expected = norm.cdf(0.29 / math.sqrt(2 * (1.21**2 + 1.00**2) / 200))
    assert found.systems == ("svm", "gedi", "dexpert")
    pair = single(rank_stability(aligned), "same-order", "first", systems=("gedi", "dexpert"))
    assert pair.value == pytest.approx(expected)
    assert found.value <= expected
    assert "independent" in found.note


def test_two_people_make_an_order_less_sure_than_two_hundred_ratings_look(published):
    folder, _ = published("august2022_miltenburg2024")
    raw = of(both(folder), "first")
    bare = of(align(printed("o", ORIGINAL), [printed("first", FIRST)]), "first")
    assert raw.value < bare.value
    assert "Only 2 participants" in raw.note
    assert "clusters of items and of participants" in raw.method


def test_it_is_the_same_every_time_and_hangs_on_the_seed_by_a_hair():
    aligned = align(printed("original", ORIGINAL), [printed("first", FIRST)])
    assert list(rank_stability(aligned)) == list(rank_stability(aligned))
    one, two = (of(aligned, "first", seed=seed).value for seed in (1, 2))
    assert one == pytest.approx(two, abs=0.01)


def test_the_best_comes_first_where_lower_is_better():
    errors = RunCriterion("errors", "Errors", "rating", 0.0, 4.0, is_higher_better=False)
    run = printed("one", {"a": (2.0, 0.5), "b": (1.0, 0.5)}, criterion=errors)
    again = printed("two", {"a": (2.0, 0.5), "b": (1.0, 0.5)}, criterion=errors)
    assert of(align(run, [again]), "one").systems == ("b", "a")


def test_an_order_of_bare_scores_is_shown_without_a_probability():
    bare = {system: (mean, None) for system, (mean, _) in FIRST.items()}
    found = of(align(printed("original", ORIGINAL), [printed("bare", bare)]), "bare")
    assert (found.systems, found.value) == (("svm", "gedi", "dexpert"), None)
    assert found.has(Why.NEEDS)
