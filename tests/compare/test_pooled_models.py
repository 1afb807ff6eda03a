"""Raw judgments of several labs together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fluency_runs import FIRST, FLUENCY, ORIGINAL, both, from_judgments, printed
from rejudge.analysis.formula import with_crossings
from rejudge.compare.alignment import align
from rejudge.compare.labs import labs_of
from rejudge.compare.meta_analysis import random_effects_summaries
from rejudge.compare.pooled_models import pooled_effects
from rejudge.compare.run import RunCriterion, RunScore
from rejudge.judgments.table import Judgment, Judgments
from rejudge.stats import level_contrasts, linear_mixed

R = json.loads(
    (Path(__file__).parents[1] / "reference" / "several_studies_r.json").read_text(encoding="utf-8")
)["labs"]


def test_two_labs_together_are_analysed_as_lme4_and_lmertest_do(published):
    """The ratings of participants 1 and 2 as one lab, those of 9 and 10 as the other."""
    folder, _ = published("august2022_miltenburg2024")
    aligned = both(folder)
    found = {(each.first, each.second): each for each in pooled_effects(aligned)}
    each, theirs = found["svm", "dexpert"], R["svm_dexpert"]
    assert each.value == pytest.approx(theirs["value"], rel=1e-6)
    assert (each.n, each.runs, each.by) == (1200, ("first", "second"), "pooled-mixed-model")
    rows = labs_of(aligned, FLUENCY, ("first", "second"))
    groups = with_crossings(
        rows.system, {"lab": rows.lab, "participant": rows.participant, "item": rows.item}
    )
    fit = linear_mixed(rows.value, {"system": rows.system}, groups)
    pair = tuple(rows.systems.index(name) for name in ("svm", "dexpert"))
    (model,) = level_contrasts(fit, "system", pairs=[pair], adjust="none")
    assert model.p_alone == pytest.approx(theirs["p"], rel=1e-3)  # df of the average information
    assert fit.variance("system × lab") == pytest.approx(R["variances"]["system:lab"], rel=1e-4)
    assert fit.variance("item") == pytest.approx(R["variances"]["item"], rel=1e-3)


def test_two_labs_speak_for_themselves_alone(published):
    folder, _ = published("august2022_miltenburg2024")
    found = pooled_effects(both(folder))
    assert {each.speaks_for for each in found} == {"these labs"}
    assert all("not to labs in general" in each.note for each in found)
    assert "system, lab and system × lab fixed" in found[0].method
    assert all(each.heterogeneity is None and each.prediction is None for each in found)


def test_each_lab_shows_its_own_difference(published):
    """Published means 3.12 − 2.57 and 3.62 − 3.23, of 200 ratings each."""
    folder, _ = published("august2022_miltenburg2024")
    found = next(each for each in pooled_effects(both(folder)) if each.second == "gedi")
    assert [part.value for part in found.parts] == pytest.approx([0.55, 0.39], abs=0.01)
    assert found.prediction is None
    assert "Two labs" in found.note


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
    (found,) = pooled_effects(align(labs[0], labs[1:]))
    assert found.interval.low < 0.5 < found.interval.high
    assert found.p < 0.01
    assert found.prediction.low <= found.interval.low


def test_a_further_lab_is_never_better_known_than_the_mean_of_the_labs():
    """Labs of four people that favour no system differently: τ² is near 0, and t has 2 df."""
    rng = np.random.default_rng(1)
    labs = [made(f"lab{place}", rng, items=20) for place in range(3)]
    (found,) = pooled_effects(align(labs[0], labs[1:]))
    assert found.prediction.low <= found.interval.low
    assert found.prediction.high >= found.interval.high


def test_labs_that_favour_different_systems_widen_the_interval():
    alike, apart = (
        [made(f"lab{place}", rng, pull=times * pull) for place, pull in enumerate((0.4, -0.4, 0.0))]
        for times, rng in ((0.0, np.random.default_rng(2)), (1.0, np.random.default_rng(2)))
    )
    (same,), (other,) = (pooled_effects(align(labs[0], labs[1:])) for labs in (alike, apart))
    assert other.heterogeneity > same.heterogeneity
    assert other.interval.high - other.interval.low > same.interval.high - same.interval.low


def test_labs_with_other_scales_are_put_on_the_originals():
    rng = np.random.default_rng(3)
    one, two = made("one", rng), made("two", rng)
    wide = replace(FLUENCY, low=0.0, high=6.0)
    rows = [replace(row, value=2 * (row.value - 1)) for row in two.judgments.rows()]
    stretched = from_judgments("two", Judgments.from_rows(rows), criterion=wide)
    (plain,), (moved,) = pooled_effects(align(one, [two])), pooled_effects(align(one, [stretched]))
    assert moved.value == pytest.approx(plain.value)
    assert moved.interval.high == pytest.approx(plain.interval.high, rel=1e-6)


def test_one_lab_with_labels_is_not_pooled():
    lab = made("lab", np.random.default_rng(4))
    bare = printed("original", {"a": (3.0, 0.8), "b": (2.5, 0.8)})
    assert pooled_effects(align(bare, [lab])) == ()
    assert pooled_effects(align(printed("original", ORIGINAL), [printed("first", FIRST)])) == ()


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
    (found,) = pooled_effects(align(labs[0], labs[1:]))
    wins = sum(float(lab.judgments.value.sum()) for lab in labs)
    assert found.value == pytest.approx(100 * wins / 900, abs=0.5)  # labs weigh nearly the same
    assert (found.measure, found.by, found.n) == ("win-percent", "pooled-mixed-model", 900)
    assert [part.value for part in found.parts] == pytest.approx([70, 60, 65], abs=7)
    assert found.p < 0.02  # three labs: t with two degrees of freedom


def test_the_better_system_of_the_original_comes_first_though_it_is_named_second():
    rng = np.random.default_rng(6)
    labs = [chosen(f"lab{place}", rng, 0.3) for place in range(2)]
    (found,) = pooled_effects(align(labs[0], labs[1:]))
    assert (found.first, found.second) == ("y", "x")
    assert found.value == pytest.approx(70, abs=6)


def leaning(name, rng, share, *, people=6):
    """Everybody of a lab leans the same way: what differs is the lab."""
    return chosen(name, rng, share, items=40, people=people)


def test_labs_that_disagree_do_not_make_a_surer_share():
    """30, 50 and 90 % in three labs: t(2) of three shares, √(Var/3) · 4.3 is far beyond 50 ± 6."""
    rng = np.random.default_rng(7)
    labs = [leaning(f"lab{place}", rng, share) for place, share in enumerate((0.3, 0.5, 0.9))]
    (found,) = pooled_effects(align(labs[0], labs[1:]))
    assert found.speaks_for == "labs in general"
    assert found.p > 0.3
    assert found.interval is None
    assert "No interval: there are too few studies." in found.note


def test_two_labs_that_disagree_speak_for_these_two():
    rng = np.random.default_rng(8)
    labs = [leaning(f"lab{place}", rng, share) for place, share in enumerate((0.3, 0.9))]
    (found,) = pooled_effects(align(labs[0], labs[1:]))
    assert found.speaks_for == "these labs"
    wins = sum(float(lab.judgments.value.sum()) for lab in labs)
    share = 100 * wins / 480
    assert found.value in (pytest.approx(share), pytest.approx(100 - share))
    assert "not to labs in general" in found.note


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
    (found,), (model,) = (
        random_effects_summaries(align(first, rest)),
        pooled_effects(align(first, rest)),
    )
    width = model.interval.high - model.interval.low
    assert width / 2 / 2.776 == pytest.approx(0.18 if own else 0.41, rel=0.35)  # t(4)
    reach = (found.interval.high - found.interval.low) / 2  # of g: SD of scores about 1.1
    assert reach == pytest.approx(2.776 * 0.18 / 1.1 if own else 2.2 * 0.41 / 1.1, rel=0.5)
    assert ("shared items: variance" in found.method) is not own
    assert found.heterogeneity < 0.1


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
    for found in (
        pooled_effects(align(labs[0], labs[1:])),
        random_effects_summaries(align(labs[0], labs[1:])),
    ):
        ordered = sorted(found, key=lambda each: each.p)
        assert ordered[0].p_adjusted == pytest.approx(min(1, 3 * ordered[0].p))
        assert all(each.p_adjusted >= each.p for each in ordered)
