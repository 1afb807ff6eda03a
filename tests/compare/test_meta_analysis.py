"""Differences between systems summarised over runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from compared import select
from fluency_runs import FIRST, ORIGINAL, SECOND, both, from_judgments, printed
from rejudge.compare.alignment import align
from rejudge.compare.meta_analysis import pooled_effects
from rejudge.compare.run import RunCriterion
from rejudge.judgments.table import Judgment, Judgments
from rejudge.stats import Summary, random_effects, standardised_difference

R = json.loads(
    (Path(__file__).parents[1] / "reference" / "several_studies_r.json").read_text(encoding="utf-8")
)


def of(aligned, first, second):
    return next(each for each in pooled_effects(aligned) if each.systems == (first, second))


def parts(aligned, first, second):
    """What the runs contribute, in their order."""
    found = select(pooled_effects(aligned), "pooled-effect", systems=(first, second))
    return [each for each in found if len(each.key.runs) == 1]


def test_three_printed_runs_are_summarised_by_hedges_g():
    """g of the original as metafor has it; the summary by `random_effects`, checked elsewhere."""
    runs = printed("first", FIRST), printed("second", SECOND)
    aligned = align(printed("original", ORIGINAL), runs)
    found = of(aligned, "svm", "dexpert")
    effects = [
        standardised_difference(Summary(*table["svm"], 200), Summary(*table["dexpert"], 200))
        for table in (ORIGINAL, FIRST, SECOND)
    ]
    whole = random_effects(
        np.array([each.value for each in effects]),
        np.array([each.standard_error for each in effects]),
        prediction="integrated",
    )
    own = parts(aligned, "svm", "dexpert")
    assert own[0].value == pytest.approx(R["smd"]["g"][1])
    assert (found.value, found.extra["variance between labs"]) == (whole.value, whole.between.value)
    assert found.extra["a further lab"] == whole.other
    assert (found.key.method, found.key.runs) == ("g", ("original", "first", "second"))
    assert sum(each.extra["weight"] for each in own) == pytest.approx(100)


def test_runs_that_find_other_effects_leave_the_next_one_open():
    """1.88, 0.88 and 1.72: I² above 90 %, and a fourth lab may find next to nothing."""
    runs = printed("first", FIRST), printed("second", SECOND)
    aligned = align(printed("original", ORIGINAL), runs)
    found = of(aligned, "svm", "dexpert")
    assert found.extra["variance between labs"] > 0
    assert found.extra["a further lab"].low < 0.5
    assert "3 studies" in found.note


def test_judgments_at_hand_count_for_what_they_are_not_as_independent(published):
    folder, _ = published("august2022_miltenburg2024")
    pair = ("svm", "gedi")
    raw = of(both(folder), *pair)
    runs = printed("first", FIRST), printed("second", SECOND)
    one, two = parts(both(folder), *pair), parts(align(printed("original", ORIGINAL), runs), *pair)
    assert one[1].interval.low < two[1].interval.low
    assert one[0].extra["weight"] > two[0].extra["weight"]
    assert "Judgments of original were assumed independent" in raw.note


WINS = RunCriterion("meaning", "Meaning", "best-worst", -100.0, 100.0)


def won(name, first, second, *, n=600):
    scores = {"vae": (first, None), "sep": (second, None), "dips": (-first - second, None)}
    return printed(name, scores, n=n, criterion=WINS)


def test_shares_of_wins_are_summarised_as_differences_of_scores():
    runs = [won("original", 58, -6), won("again", 58, -3), won("third", 58, 0)]
    found = of(align(runs[0], runs[1:]), "vae", "sep")
    assert found.key.method == "score-difference"
    assert found.value == pytest.approx((64 + 61 + 58) / 3, abs=0.1)
    assert found.interval.low < 61 < found.interval.high


def test_two_studies_have_an_estimate_but_no_interval():
    """t with one degree of freedom reaches 12.7 standard errors to either side."""
    found = of(align(won("original", 58, -6), [won("again", 58, -3)]), "vae", "sep")
    assert found.value == pytest.approx(62.5, abs=0.1)
    assert (found.interval, found.extra["a further lab"], found.p) == (None, None, None)
    assert "Two studies do not determine an interval" in found.note


def test_an_interval_beyond_every_possible_difference_is_left_out_and_a_further_labs_is_cut():
    """90, −60 and 40: a mean of about 23 with an error of 44 and t(2) = 4.3, and further out for a
    new lab. Scores lie between −100 and 100, so differences lie between −200 and 200."""
    runs = [won("original", 45, -45), won("again", -30, 30), won("third", 20, -20)]
    found = of(align(runs[0], runs[1:]), "vae", "sep")
    assert found.value == pytest.approx(23, abs=2)
    further = found.extra["a further lab"]
    assert (further.low, further.high) == (-200, 200)  # cut: all is possible
    assert "No interval: there are too few studies." in found.note
    assert "beyond what is possible (-200 to 200)" in found.note
    assert found.interval is None or -200 <= found.interval.low < found.interval.high <= 200


def test_a_run_without_spread_is_left_out_and_alone_there_is_no_summary():
    bare = replace(printed("bare", {system: (mean, None) for system, (mean, _) in FIRST.items()}))
    assert list(pooled_effects(align(printed("original", ORIGINAL), [bare]))) == []


def rated_together(rng, *, labs, own, items=12, people=6):
    """Labs that rate the same items, each of which suits one system or the other; or own items."""
    liking = rng.normal(0, 1.0, (labs, items, 2))
    liking[:] = liking if own else liking[0]
    for lab in range(labs):
        rows = [
            Judgment(f"p{person}", f"{lab if own else ''}i{item}", "fluency",
                     2.5 + liking[lab, item, k] + float(rng.normal(0, 0.4)), system="ab"[k])
            for item in range(items)
            for person in range(people)
            for k in range(2)
        ]  # fmt: skip
        yield from_judgments(f"lab{lab}", Judgments.from_rows(rows))


@pytest.mark.parametrize("own", [False, True])
def test_labs_that_share_items_share_their_error(own):
    """Each lab's difference has variance 2 σ²/12 from items, σ = 1: √(2/12) = .41 however many labs
    judge the same items, and .41/√5 = .18 with items of their own."""
    first, *rest = rated_together(np.random.default_rng(9), labs=5, own=own)
    found = next(pooled_effects(align(first, rest)))
    reach = (found.interval.high - found.interval.low) / 2  # of g: SD of scores about 1.1
    assert reach == pytest.approx(2.776 * 0.18 / 1.1 if own else 2.2 * 0.41 / 1.1, rel=0.5)
    assert ("shared items: variance" in found.method) is not own
    assert found.extra["variance between labs"] < 0.1


def test_p_values_of_several_pairs_are_corrected_after_holm():
    rng = np.random.default_rng(10)
    labs = []
    for lab in range(3):
        rows = [
            Judgment(f"p{person}", f"i{item}", "fluency",
                     2 + 0.4 * k + float(rng.normal(0, 0.6)), system="abc"[k])
            for item in range(12) for person in range(4) for k in range(3)
        ]  # fmt: skip
        labs.append(from_judgments(f"lab{lab}", Judgments.from_rows(rows)))
    found = [each for each in pooled_effects(align(labs[0], labs[1:])) if each.p is not None]
    ordered = sorted(found, key=lambda each: each.p)
    assert ordered[0].p_adjusted == pytest.approx(min(1, 3 * ordered[0].p))
    assert all(each.p_adjusted >= each.p for each in ordered)
