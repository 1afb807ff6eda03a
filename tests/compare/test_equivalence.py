"""The same score in two runs, within what matters."""

from __future__ import annotations

import pytest

from fluency_runs import FIRST, ORIGINAL, SECOND, both, printed
from rejudge.compare.aligned import align
from rejudge.compare.equivalence import equivalences


def of(found, system, *runs: str):
    return next(each for each in found if each.system == system and each.runs == runs)


def test_the_bounds_and_p_of_two_reproductions_are_the_published_ones(published):
    """van Miltenburg et al. (2024), section 5.4: 0.2 SDs of the first reproduction, ±0.185."""
    folder, figures = published("august2022_miltenburg2024")
    svm = of(equivalences(both(folder), effect=0.2), "svm", "first", "second")
    assert svm.bound == pytest.approx(figures["S5.4.TOST.bound"]["value"], abs=5e-4)
    assert svm.p == pytest.approx(figures["S5.4.TOST.p"]["value"], abs=5e-3)
    assert svm.is_equivalent is False
    assert svm.effect == pytest.approx(figures["S5.4.R1vR2.SVM.d"]["value"], abs=5e-3)
    assert svm.p_differ < 0.001


def test_with_wide_bounds_p_is_that_of_the_authors_notebook(published):
    folder, figures = published("august2022_miltenburg2024")
    svm = of(equivalences(both(folder), effect=0.5), "svm", "first", "second")
    assert svm.p == pytest.approx(figures["nb.TOST.p.es0.5"]["value"], abs=5e-4)


def test_the_bound_is_the_smallest_effect_that_the_earlier_run_could_call_significant():
    """t(.975; 398) √(1/200 + 1/200) = 0.19659, which the authors round to 0.2; × SD 0.59."""
    found = of(
        equivalences(align(printed("original", ORIGINAL), [printed("first", FIRST)])),
        "svm", "original", "first",
    )  # fmt: skip
    assert found.standardised_bound == pytest.approx(0.19659, abs=1e-5)
    assert found.bound == pytest.approx(0.19659 * 0.59, abs=1e-5)
    assert "d = 0.197" in found.bound_from


def test_a_score_that_hardly_moved_is_equivalent():
    """DExpert 2.28 and 2.27 of the two reproductions, SDs 1.00 and 0.92."""
    found = equivalences(align(printed("first", FIRST), [printed("second", SECOND)]))
    assert of(found, "dexpert", "first", "second").is_equivalent
    assert not of(found, "svm", "first", "second").is_equivalent


def test_every_system_is_tested_in_every_pair_of_runs():
    runs = printed("first", FIRST), printed("second", SECOND)
    assert len(equivalences(align(printed("original", ORIGINAL), runs))) == 3 * 3


@pytest.mark.parametrize("n", [None, 1])
def test_without_spread_or_number_nothing_is_tested(n):
    aligned = align(printed("original", ORIGINAL, n=n), [printed("first", FIRST)])
    assert equivalences(aligned) == ()
