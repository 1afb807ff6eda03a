"""Three ways to say that a run succeeded."""

from __future__ import annotations

from fluency_runs import FIRST, ORIGINAL, SECOND, printed
from rejudge.compare.alignment import align
from rejudge.compare.compare import readings
from rejudge.compare.comparison import ConfirmedShare
from rejudge.compare.effects import effect_comparisons, equivalences
from rejudge.compare.run import Run

SIGNIFICANT = tuple(
    ConfirmedShare("significance", None, run, confirmed=2, assessable=2, left_out=1, contradicted=0)
    for run in ("first", "second")
)


def read(*others: Run, confirmed=SIGNIFICANT, scores=ORIGINAL):
    aligned = align(printed("original", scores), others)
    found = readings(
        aligned,
        confirmed=confirmed,
        equivalence=equivalences(aligned),
        effects=effect_comparisons(aligned),
    )
    return {(each.run, each.by): each for each in found}


def test_a_reproduction_may_succeed_by_hypotheses_and_fail_by_means_and_effects():
    """As van Miltenburg et al. (2024), section 7.1, read their first reproduction."""
    found = read(printed("first", FIRST))
    assert (found["first", "hypotheses"].agreeing, found["first", "hypotheses"].of) == (2, 2)
    assert (found["first", "means"].agreeing, found["first", "means"].of) == (0, 3)
    assert (found["first", "effects"].agreeing, found["first", "effects"].of) == (1, 3)


def test_the_second_reproduction_comes_close_in_effects():
    """Section 5.4: its means and its effects are much closer to the original's."""
    found = read(printed("second", SECOND))
    assert (found["second", "effects"].agreeing, found["second", "effects"].of) == (3, 3)
    assert found["second", "means"].says.endswith(
        "0 significantly different (judgments assumed independent)"
    )


def test_each_run_is_read_in_three_ways_against_the_original_alone():
    found = read(printed("first", FIRST), printed("second", SECOND))
    assert list(found) == [
        (run, by) for run in ("first", "second") for by in ("hypotheses", "means", "effects")
    ]


def test_without_tests_ranks_stand_for_hypotheses():
    ranks = ConfirmedShare(
        "pairwise-ranks", None, "first", confirmed=3, assessable=3, left_out=0, contradicted=0
    )
    none = ConfirmedShare(
        "significance", None, "first", confirmed=0, assessable=0, left_out=2, contradicted=0
    )
    found = read(printed("first", FIRST), confirmed=(none, ranks))["first", "hypotheses"]
    assert found.says == "3 of 3 ranks of two systems of the original confirmed"


def test_what_cannot_be_told_is_said():
    bare = {system: (mean, None) for system, (mean, _) in ORIGINAL.items()}
    found = read(printed("first", FIRST), confirmed=(), scores=bare)
    assert [each.of for each in found.values()] == [0, 0, 0]
    assert all(each.says.startswith("unknown: ") for each in found.values())
