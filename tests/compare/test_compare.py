"""Three ways to say that a run succeeded."""

from __future__ import annotations

import pytest

from compared import select, single
from fluency_runs import FIRST, ORIGINAL, SECOND, contrast, printed
from rejudge.compare.compare import compare
from rejudge.tables.comparison import success_in_words

# Of three pairs two were tested and differ significantly, in every run.
TESTS = (contrast("svm", "gedi", 0.5, p=0.001), contrast("svm", "dexpert", 0.8, p=0.001))
BARE = {system: (mean, None) for system, (mean, _) in ORIGINAL.items()}


def read(*others: tuple, further=TESTS, scores=ORIGINAL):
    runs = (printed(name, table, further=further) for name, table in others)
    return compare(printed("original", scores, further=further), *runs).findings


def counts(findings, by, run="first"):
    found = single(findings, "success", "original", run, method=by)
    return found.extra["agreeing"], found.n


def test_a_reproduction_may_succeed_by_hypotheses_and_fail_by_means_and_effects():
    """As van Miltenburg et al. (2024), section 7.1, read their first reproduction."""
    found = read(("first", FIRST))
    assert counts(found, "hypotheses") == (2, 2)
    assert counts(found, "means") == (0, 3)
    assert counts(found, "effects") == (1, 3)


def test_the_second_reproduction_comes_close_in_effects():
    """Section 5.4: its means and its effects are much closer to the original's."""
    found = read(("second", SECOND))
    assert counts(found, "effects", "second") == (3, 3)
    means = single(found, "success", method="means")
    assert (means.extra["different"], means.extra["independent"]) == (0, 3)


def test_each_run_is_read_in_three_ways_against_the_original_alone():
    found = select(read(("first", FIRST), ("second", SECOND)), "success")
    assert [(each.key.runs[1], each.key.method) for each in found] == [
        (run, by) for run in ("first", "second") for by in ("hypotheses", "means", "effects")
    ]


def test_without_tests_ranks_stand_for_hypotheses():
    found = single(read(("first", FIRST), further=()), "success", method="hypotheses")
    assert success_in_words(found) == "3 of 3 ranks of two systems of the original confirmed"


@pytest.mark.parametrize("by", ["means", "effects"])
def test_what_cannot_be_told_is_said(by):
    found = single(read(("first", FIRST), scores=BARE), "success", method=by)
    assert (found.value, found.n) == (None, 0)
    assert success_in_words(found).startswith("unknown: needs ")
