"""Raw judgments of several labs together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fluency_runs import FIRST, FLUENCY, ORIGINAL, both, from_judgments, printed
from rejudge.compare.aligned import align
from rejudge.compare.pooled import pooled
from rejudge.compare.run import RunCriterion, RunScore
from rejudge.judgments import Judgment, Judgments

R = json.loads(
    (Path(__file__).parents[1] / "reference" / "several_studies_r.json").read_text(encoding="utf-8")
)["labs"]


def test_two_labs_together_are_analysed_as_lme4_and_lmertest_do(published):
    """The ratings of participants 1 and 2 as one lab, those of 9 and 10 as the other."""
    folder, _ = published("august2022_miltenburg2024")
    found = {(each.first, each.second): each for each in pooled(both(folder))}
    each, theirs = found["svm", "dexpert"], R["svm_dexpert"]
    assert each.value == pytest.approx(theirs["value"], rel=1e-6)
    assert each.p == pytest.approx(theirs["p"], rel=1e-3)  # df of the average information
    assert each.heterogeneity == pytest.approx(R["variances"]["system:lab"], rel=1e-4)
    assert (each.n, each.runs, each.by) == (1200, ("first", "second"), "pooled-mixed-model")
    assert f"item {R['variances']['item']:.3g}" in each.method


def test_each_lab_shows_its_own_difference(published):
    """Published means 3.12 − 2.57 and 3.62 − 3.23, of 200 ratings each."""
    folder, _ = published("august2022_miltenburg2024")
    found = next(each for each in pooled(both(folder)) if each.second == "gedi")
    assert [part.value for part in found.parts] == pytest.approx([0.55, 0.39], abs=0.01)
    assert found.prediction is None
    assert "2 labs" in found.note


def made(name, rng, *, shift=0.0, pull=0.0, items=40, people=4):
    """Ratings of two systems for the same items; `pull`: how far this lab favours the first."""
    liking, mood = rng.normal(0, 0.5, items), rng.normal(0, 0.3, people)
    rows = [
        Judgment(
            f"p{person}",
            f"i{item}",
            "fluency",
            2.5 + shift + (0.5 + pull) * (system == "a") + liking[item] + mood[person]
            + float(rng.normal(0, 0.5)),
            system=system,
        )
        for item in range(items)
        for person in range(people)
        for system in "ab"
    ]  # fmt: skip
    return from_judgments(name, Judgments.from_rows(rows))


def test_labs_that_use_the_scale_differently_still_show_the_difference_of_systems():
    rng = np.random.default_rng(1)
    labs = [made(f"lab{place}", rng, shift=shift) for place, shift in enumerate((0.0, 0.8, -0.6))]
    (found,) = pooled(align(labs[0], labs[1:]))
    assert found.interval.low < 0.5 < found.interval.high
    assert found.p < 0.01
    assert found.prediction.low <= found.interval.low


def test_labs_that_favour_different_systems_widen_the_interval():
    alike, apart = (
        [made(f"lab{place}", rng, pull=times * pull) for place, pull in enumerate((0.4, -0.4, 0.0))]
        for times, rng in ((0.0, np.random.default_rng(2)), (1.0, np.random.default_rng(2)))
    )
    (same,), (other,) = (pooled(align(labs[0], labs[1:])) for labs in (alike, apart))
    assert other.heterogeneity > same.heterogeneity
    assert other.interval.high - other.interval.low > same.interval.high - same.interval.low


def test_labs_with_other_scales_are_put_on_the_originals():
    rng = np.random.default_rng(3)
    one, two = made("one", rng), made("two", rng)
    wide = replace(FLUENCY, low=0.0, high=6.0)
    rows = [replace(row, value=2 * (row.value - 1)) for row in two.judgments.rows()]
    stretched = from_judgments("two", Judgments.from_rows(rows), criterion=wide)
    (plain,), (moved,) = pooled(align(one, [two])), pooled(align(one, [stretched]))
    assert moved.value == pytest.approx(plain.value)
    assert moved.interval.high == pytest.approx(plain.interval.high, rel=1e-6)


def test_one_lab_with_labels_is_not_pooled():
    lab = made("lab", np.random.default_rng(4))
    bare = printed("original", {"a": (3.0, 0.8), "b": (2.5, 0.8)})
    assert pooled(align(bare, [lab])) == ()
    assert pooled(align(printed("original", ORIGINAL), [printed("first", FIRST)])) == ()


MEANING = RunCriterion("meaning", "Meaning", "win-rate", 0.0, 1.0)


def chosen(name, rng, share, *, items=60, people=5):
    rows = [
        Judgment(f"p{person}", f"i{item}", "meaning", "a" if rng.random() < share else "b",
                 system_a="x", system_b="y")
        for item in range(items)
        for person in range(people)
    ]  # fmt: skip
    run = printed(name, {"x": (share, None), "y": (1 - share, None)}, criterion=MEANING)
    scores = tuple(
        RunScore("meaning", system, value, n=items * people)
        for system, value in (("x", share), ("y", 1 - share))
    )
    return replace(run, scores=scores, judgments=Judgments.from_rows(rows))


def test_comparisons_of_several_labs_are_one_share_of_wins():
    rng = np.random.default_rng(5)
    labs = [chosen(f"lab{place}", rng, share) for place, share in enumerate((0.7, 0.6, 0.65))]
    (found,) = pooled(align(labs[0], labs[1:]))
    wins = sum(float(lab.judgments.value.sum()) for lab in labs)
    assert found.value == pytest.approx(100 * wins / 900)
    assert (found.measure, found.by, found.n) == ("win-percent", "pooled-cluster-robust", 900)
    assert [part.value for part in found.parts] == pytest.approx([70, 60, 65], abs=7)
    assert found.p < 0.001


def test_the_better_system_of_the_original_comes_first_though_it_is_named_second():
    rng = np.random.default_rng(6)
    labs = [chosen(f"lab{place}", rng, 0.3) for place in range(2)]
    (found,) = pooled(align(labs[0], labs[1:]))
    assert (found.first, found.second) == ("y", "x")
    assert found.value == pytest.approx(70, abs=6)
