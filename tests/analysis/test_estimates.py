"""Scores of systems and the differences between them."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, RATING, analysed, by_id, chosen, of_rows, scored, small_study


def test_wins_and_pairs_by_hand():
    """ash–beech: a, a, b, tie on four items: (2 + ½)/4 = 62.5 %. ash–cedar: a, b: 50 %.

    ash altogether: 3 wins, 2 losses, 1 tie of 6: 3.5/6 = 58.3 %, score 100/6 = 16.7.
    """
    rows = [
        chosen("p1", "i0", "a"),
        chosen("p2", "i1", "a"),
        chosen("p1", "i2", "b"),
        chosen("p2", "i3", "tie"),
        chosen("p1", "i4", "a", ("ash", "cedar")),
        chosen("p2", "i5", "a", ("cedar", "ash")),
    ]
    found = by_id(of_rows(small_study(PAIRWISE), rows))
    assert found["meaning.cluster-robust.ash.beech"].value == 62.5
    assert found["meaning.cluster-robust.ash.cedar"].value == 50
    assert found["meaning.wins.ash"].value == pytest.approx(100 * 3.5 / 6)
    assert found["meaning.best-worst.ash"].value == pytest.approx(100 / 6)
    assert "meaning.cluster-robust.beech.cedar" not in found


def test_the_score_has_the_interval_and_the_error_of_the_percentage_doubled():
    found = by_id(analysed(small_study(PAIRWISE)))
    wins, score = found["meaning.wins.ash"], found["meaning.best-worst.ash"]
    assert (score.interval.low, score.interval.high) == pytest.approx(
        (2 * wins.interval.low - 100, 2 * wins.interval.high - 100)
    )
    assert score.standard_error == pytest.approx(2 * wins.standard_error)


def test_a_sign_flip_of_scores_is_refused_with_another_way():
    analysis = {"tests": [{"question": "fluency", "test": "sign-flip"}]}
    found = by_id(analysed(small_study(RATING, analysis=analysis)))
    assert found["fluency.sign-flip"].value is None
    assert "wilcoxon" in found["fluency.sign-flip"].note
    assert not found["fluency.cluster-robust.ash.beech"].is_planned


def test_the_sign_flip_stands_beside_the_cluster_robust_test():
    tests = [{"question": "meaning", "test": t} for t in ("cluster-robust", "sign-flip")]
    found = by_id(analysed(small_study(PAIRWISE, analysis={"tests": tests})))
    robust = found["meaning.cluster-robust.ash.cedar"]
    flipped = found["meaning.sign-flip.ash.cedar"]
    assert (robust.value, robust.n) == (flipped.value, flipped.n)
    assert 0 < flipped.p <= 1
    assert flipped.population == "items"
    assert "for new items and these participants" in flipped.method


def test_means_and_differences_by_hand():
    """ash 5 4, beech 3 2: means 4.5 and 2.5, difference 2."""
    rows = [
        scored("p1", "i0", "ash", 5.0),
        scored("p2", "i1", "ash", 4.0),
        scored("p1", "i0", "beech", 3.0),
        scored("p2", "i1", "beech", 2.0),
    ]
    found = by_id(of_rows(small_study(RATING), rows))
    assert found["fluency.mean.ash"].value == 4.5
    assert found["fluency.cluster-robust.ash.beech"].value == 2
    assert found["fluency.mean.cedar"].value is None
    assert found["fluency.mean.cedar"].note == "No judgments."
