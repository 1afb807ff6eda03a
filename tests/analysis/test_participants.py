"""How each participant worked."""

from __future__ import annotations

import numpy as np
import pytest

from judged_rows import chosen, frame_of, rated
from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgments


def test_a_straight_line_is_flagged_from_ten_judgments_on():
    rows = [rated("p1", f"i{k}", "ash", 3) for k in range(10)]
    ten, nine = (frame_of(some, "people").rows[0] for some in (rows, rows[:9]))
    assert (ten["longest_run"], ten["modal_share"]) == (10, 100)
    assert (ten["flags"], nine["flags"]) == (("one-answer",), ())


def test_a_pull_to_one_side_is_flagged_by_the_corrected_exact_test():
    """Ten of ten: p = 2 / 2¹⁰; one participant alone needs no correction."""
    rows = [chosen("p1", f"i{k}", "ab"[k % 2], side="ab"[k % 2]) for k in range(10)]
    row = frame_of(rows, "people").rows[0]
    assert (row["first_shown"], row["first_shown_n"]) == (100, 10)
    assert row["first_shown_p"] == pytest.approx(2 / 1024)
    assert "one-side" in row["flags"]


def test_self_consistency_is_counted_for_each_participant():
    rows = [rated("p1", f"i{k}", "ash", k) for k in range(4)]
    again = [rated("p1", f"i{k}", "ash", min(k, 2), kind="repeat") for k in range(4)]
    row = frame_of([*rows, *again], "people").rows[0]
    assert (row["judgments"], row["repeats"], row["same_again"]) == (4, 4, 75)


def test_the_mean_correlation_is_over_the_others():
    """p1 and p2 say the same, p3 the opposite: 1 and −1, so 0, 0 and −1 on average."""
    rows = [
        rated(who, f"i{k}", "ash", value)
        for k in range(4)
        for who, value in (("p1", k), ("p2", k), ("p3", 3 - k))
    ]
    results = analyse(Judgments.from_rows(rows))
    people = results.frame("people", "fluency")
    assert people.facts["measure"] == "spearman"
    assert people.columns["correlation"] == pytest.approx((0, 0, -1))
    assert people.columns["others"] == (2, 2, 2)
    pairs = results.frame("people-pairs", "fluency")
    assert pairs.columns["spearman"] == pytest.approx((1, -1, -1))


def test_a_crowd_has_no_pairs_but_means_over_others():
    rng = np.random.default_rng(1)
    rows = [
        rated(f"p{who}", f"i{k}", "ash", int(rng.integers(1, 6)))
        for k in range(4)
        for who in range(61)
    ]
    results = analyse(Judgments.from_rows(rows))
    people = results.frame("people", "fluency")
    assert "people-pairs" not in {frame.name for frame in results.frames}
    assert people.size == 61
    assert "more than 60" in " ".join(people.notes)
    assert any(row["correlation"] is not None for row in people.rows)


def test_each_participant_has_the_share_of_their_judgments_that_most_others_share():
    """i0: 3 3 3 5, so that p1 to p3 are with the majority of the others and p4 is not. i1: 2 2 4 4,
    where the others of each are 2:1 for the other score, so that nobody is. i2: p1 alone."""
    said = {"i0": (3, 3, 3, 5), "i1": (2, 2, 4, 4), "i2": (1,)}
    rows = [
        rated(f"p{n}", item, "ash", value)
        for item, values in said.items()
        for n, value in enumerate(values, start=1)
    ]
    found = frame_of(rows, "people").rows
    assert [
        (row["participant"], row["with_majority"], row["with_majority_n"]) for row in found
    ] == [
        ("p1", 50, 2),
        ("p2", 50, 2),
        ("p3", 50, 2),
        ("p4", 0, 2),
    ]
