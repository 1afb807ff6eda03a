"""Whether a repetition keeps the order."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from fluency_runs import FIRST, ORIGINAL, both, printed
from rejudge.compare.alignment import align
from rejudge.compare.differences import rank_stability
from rejudge.compare.run import RunCriterion


def of(found, run):
    return next(each for each in found if each.run == run)


def test_a_pair_is_kept_as_its_standard_error_has_it():
    """GeDi 2.57 (1.21) and DExpert 2.28 (1.00), 200 each: Φ(.29 / √(2 (1.21² + 1.00²) / 200))."""
    aligned = align(printed("original", ORIGINAL), [printed("first", FIRST)])
    found = of(rank_stability(aligned), "first")
    expected = norm.cdf(0.29 / math.sqrt(2 * (1.21**2 + 1.00**2) / 200))
    assert found.order == ("svm", "gedi", "dexpert")
    assert found.by_pair["gedi > dexpert"] == pytest.approx(expected)
    assert found.probability <= expected
    assert "independent" in found.note


def test_two_people_make_an_order_less_sure_than_two_hundred_ratings_look(published):
    folder, _ = published("august2022_miltenburg2024")
    raw = of(rank_stability(both(folder)), "first")
    bare = of(rank_stability(align(printed("o", ORIGINAL), [printed("first", FIRST)])), "first")
    assert raw.probability < bare.probability
    assert "Only 2 participants" in raw.note
    assert "clusters of items and of participants" in raw.method


def test_it_is_the_same_every_time_and_hangs_on_the_seed_by_a_hair():
    aligned = align(printed("original", ORIGINAL), [printed("first", FIRST)])
    assert rank_stability(aligned) == rank_stability(aligned)
    one, two = (of(rank_stability(aligned, seed=seed), "first").probability for seed in (1, 2))
    assert one == pytest.approx(two, abs=0.01)


def test_the_best_comes_first_where_lower_is_better():
    errors = RunCriterion("errors", "Errors", "rating", 0.0, 4.0, is_higher_better=False)
    run = printed("one", {"a": (2.0, 0.5), "b": (1.0, 0.5)}, criterion=errors)
    again = printed("two", {"a": (2.0, 0.5), "b": (1.0, 0.5)}, criterion=errors)
    assert of(rank_stability(align(run, [again])), "one").order == ("b", "a")


def test_an_order_of_bare_scores_is_shown_without_a_probability():
    bare = {system: (mean, None) for system, (mean, _) in FIRST.items()}
    found = of(
        rank_stability(align(printed("original", ORIGINAL), [printed("bare", bare)])), "bare"
    )
    assert (found.order, found.probability) == (("svm", "gedi", "dexpert"), None)
    assert "needs an interval" in found.note
