"""Rankings and best–worst choices: one answer is one judgment, though it implies comparisons."""

from __future__ import annotations

from itertools import combinations

import pytest

from judged_study import RANKING, analysed, by_id, small_study
from rejudge.analysis.analyse import analyse
from rejudge.compare.alignment import align
from rejudge.compare.differences import differences
from rejudge.compare.from_results import from_judgments
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments

FOUR = ("ash", "beech", "cedar", "dogwood")


def best_and_worst(person, item, best, worst):
    """What one choice among four implies: the two in the middle are not compared."""
    return [
        Judgment(
            person,
            item,
            "best",
            "a" if best == a or worst == b else "b",
            system_a=a,
            system_b=b,
            task=f"t-{item}",
        )
        for a, b in combinations(FOUR, 2)
        if {best, worst} & {a, b}
    ]


CHOICES = (
    ("p1", "i0", "ash", "dogwood"),
    ("p1", "i1", "ash", "cedar"),
    ("p2", "i0", "beech", "dogwood"),
    ("p2", "i1", "ash", "beech"),
    ("p3", "i0", "ash", "dogwood"),
    ("p3", "i1", "cedar", "ash"),
)


def chosen():
    rows = [row for choice in CHOICES for row in best_and_worst(*choice)]
    return Judgments.from_rows(rows, systems=FOUR)


def test_the_best_worst_score_is_times_best_minus_times_worst_by_times_shown():
    """ash: 4 times best, once worst of 6. Over comparisons it would be 12 + 1 − 3 − 1 of 17."""
    found = by_id(analyse(chosen()))
    scores = {name: found[f"best.best-worst.{name}"] for name in FOUR}
    assert scores["ash"].value == pytest.approx(100 * 3 / 6)
    assert scores["beech"].value == pytest.approx(0)
    assert scores["cedar"].value == pytest.approx(0)
    assert scores["dogwood"].value == pytest.approx(-100 * 3 / 6)
    assert (scores["ash"].n, scores["ash"].n_of) == (6, "judgments")
    assert scores["ash"].interval.low < 50 < scores["ash"].interval.high
    assert "times best − times worst" in scores["ash"].method


def test_shares_of_wins_count_comparisons():
    found = by_id(analyse(chosen()))
    wins = found["best.wins.ash"]
    assert (wins.n, wins.n_of) == (17, "comparisons")
    assert wins.value == pytest.approx(100 * 13 / 17)
    assert found["best.cluster-robust.ash.dogwood"].n_of == "comparisons"


def test_an_answer_is_one_judgment_of_the_study_and_of_its_participant():
    results = analyse(chosen())
    assert (results.flow.judgments, results.flow.judgments_kept) == (6, 6)
    assert results.flow.real_rows == 30
    assert results.frame("people", "best").columns["judgments"] == (2, 2, 2)


def test_a_ranking_is_one_judgment():
    results = analysed(small_study(RANKING))
    ranked = results.flow
    assert 3 * ranked.judgments == ranked.real_rows  # three systems, three pairs
    scores = results.select("rank", "best-worst-score")
    wins = results.select("rank", "win-percent", "wins")
    for score, share in zip(scores, wins, strict=True):
        assert score.value == pytest.approx(2 * share.value - 100)
        assert 2 * score.n == share.n


def test_a_comparison_of_runs_uses_the_same_scores():
    """ash 50, dogwood −50."""
    run = from_judgments(exclude_rows(chosen(), ExclusionRules()), run="one")
    pair = ("ash", "dogwood")
    gap = differences(align(run, []), run.criteria[0], "one", [pair])[pair]
    assert gap.value == pytest.approx(100)
    assert gap.key.method == "judgments"
