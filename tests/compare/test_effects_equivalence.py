"""The same score in two runs, within what matters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compared import select, single
from fluency_runs import FIRST, ORIGINAL, SECOND, both, from_judgments, printed
from rejudge.compare.alignment import align
from rejudge.compare.effects import equivalences
from rejudge.judgments.table import Judgment, Judgments


def of(found, system, *runs: str, method="tost"):
    return single(found, "run-difference", *runs, systems=(system,), method=method)


def as_printed(aligned):
    """The same runs as a paper prints them: means, SDs and numbers of judgments alone."""
    first, *rest = (replace(run, judgments=None, source="paper") for run in aligned.runs)
    return align(first, rest)


def test_the_bounds_and_p_of_two_reproductions_are_the_published_ones(published):
    """van Miltenburg et al. (2024), section 5.4: 0.2 SDs of the first reproduction, ±0.185."""
    folder, figures = published("august2022_miltenburg2024")
    found = list(equivalences(as_printed(both(folder)), effect=0.2))
    svm = of(found, "svm", "first", "second")
    assert svm.extra["bound"] == pytest.approx(figures["S5.4.TOST.bound"]["value"], abs=5e-4)
    assert svm.p == pytest.approx(figures["S5.4.TOST.p"]["value"], abs=5e-3)
    assert svm.is_supported is False
    usual = of(found, "svm", "first", "second", method="difference")
    assert usual.effect.value == pytest.approx(figures["S5.4.R1vR2.SVM.d"]["value"], abs=5e-3)
    assert usual.p < 0.001


def test_with_wide_bounds_p_is_that_of_the_authors_notebook(published):
    folder, figures = published("august2022_miltenburg2024")
    svm = of(equivalences(as_printed(both(folder)), effect=0.5), "svm", "first", "second")
    assert svm.p == pytest.approx(figures["nb.TOST.p.es0.5"]["value"], abs=5e-4)


def test_the_bound_is_the_smallest_effect_that_the_earlier_run_could_call_significant():
    """t(.975; 398) √(1/200 + 1/200) = 0.19659, which the authors round to 0.2; × SD 0.59."""
    found = of(
        equivalences(align(printed("original", ORIGINAL), [printed("first", FIRST)])),
        "svm", "original", "first",
    )  # fmt: skip
    assert found.extra["bound in SDs"] == pytest.approx(0.19659, abs=1e-5)
    assert found.extra["bound"] == pytest.approx(0.19659 * 0.59, abs=1e-5)
    assert "d = 0.197" in found.method
    assert "200 judgments of each of two systems, had they been independent" in found.method


def test_the_bound_of_a_run_with_judgments_allows_for_what_they_share():
    """Differences of a and b by person: 1, 0, 2 and 1 on each of ten items, so the error of their
    mean, 1, is that of people: SD √(2/3) / √4 = .408 with 3 degrees of freedom, t 3.182."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", 2.0 + i % 2 + (apart if system == "a" else 0),
                 system=system)
        for p, apart in enumerate((1, 0, 2, 1)) for i in range(10) for system in "ab"
    ]  # fmt: skip
    run = from_judgments("lab", Judgments.from_rows(rows))
    found = of(equivalences(align(run, [replace(run, id="again")])), "a", "lab", "again")
    assert found.extra["bound"] == pytest.approx(3.182 * 0.408, rel=0.01)
    sd = run.findings[0].spread.sd
    assert found.extra["bound in SDs"] == pytest.approx(found.extra["bound"] / sd)
    assert "a and b that lab could call significant" in found.method


def test_without_the_error_of_a_difference_there_is_no_bound_and_no_verdict():
    rng = np.random.default_rng(5)
    first, second = rated("one", rng), rated("two", rng)
    aligned = align(replace(first, judgments=None), [replace(second, judgments=None)])
    found = select(equivalences(aligned), "run-difference", method="tost")
    assert {(e.extra["bound"], e.p, e.is_supported) for e in found} == {(None, None, None)}
    assert "Decide on a bound" in found[0].note


def test_a_score_that_hardly_moved_is_equivalent():
    """DExpert 2.28 and 2.27 of the two reproductions, SDs 1.00 and 0.92."""
    found = list(equivalences(align(printed("first", FIRST), [printed("second", SECOND)])))
    assert of(found, "dexpert", "first", "second").is_supported
    assert not of(found, "svm", "first", "second").is_supported


def test_every_system_is_tested_in_every_pair_of_runs():
    runs = printed("first", FIRST), printed("second", SECOND)
    assert len(list(equivalences(align(printed("original", ORIGINAL), runs)))) == 2 * 3 * 3


@pytest.mark.parametrize("n", [None, 1])
def test_without_spread_or_number_nothing_is_tested(n):
    aligned = align(printed("original", ORIGINAL, n=n), [printed("first", FIRST)])
    assert list(equivalences(aligned)) == []


def rated(name, rng, people=4, items=10):
    """One truth: everybody has a mood and every item a quality of its own."""
    quality, mood = rng.normal(0, 0.6, items), rng.normal(0, 0.6, people)
    rows = [
        Judgment(f"p{p}", f"{name}{i}", "fluency",
                 2.5 + quality[i] + mood[p] + float(rng.normal(0, 0.3)), system=system)
        for p in range(people) for i in range(items) for system in "ab"
    ]  # fmt: skip
    return from_judgments(name, Judgments.from_rows(rows))


def differing(pairs):
    found = (equivalences(align(*pair)) for pair in pairs)
    tests = (each for one in found for each in one if each.by == "difference")
    return sum(each.p < 0.05 for each in tests)


def test_runs_of_one_truth_rarely_differ_by_their_judgments_though_often_by_their_spreads():
    """Of 60 pairs of runs, both systems; at 5 % each: 120 tests, 6 expected."""
    rng = np.random.default_rng(3)
    pairs = [(rated("one", rng), [rated("two", rng)]) for _ in range(60)]
    bare = [(replace(a, judgments=None), [replace(b, judgments=None)]) for a, [b] in pairs]
    assert differing(pairs) <= 14
    assert differing(bare) >= 36


def test_stored_errors_of_means_are_used_where_there_are_no_judgments():
    """√(0.3² + 0.4²) = 0.5, with 0.25² / (0.09²/6 + 0.16²/8) = 13.7 degrees of freedom."""
    one, two = printed("original", ORIGINAL), printed("first", FIRST)
    sure = [
        replace(run, findings=tuple(replace(s, standard_error=e, df=df) for s in run.findings))
        for run, e, df in ((one, 0.3, 6), (two, 0.4, 8))
    ]
    found = next(iter(equivalences(align(sure[0], [sure[1]]))))
    half = (found.interval.high - found.interval.low) / 2
    assert half == pytest.approx(0.5 * 1.7634, rel=1e-3)  # t(.95; 13.7)
    assert found.extra["clustered"]
    assert found.note == "Errors allow for shared items and participants."
