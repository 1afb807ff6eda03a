"""The columns of the judgments as the statistics want them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_study import PAIRWISE, SEGMENTS, by_id, chosen, of_rows, small_study
from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments


def test_segments_are_averaged_per_output_first():
    """ash on i0 has 0 2 2, on i1 only 0: output means 4/3 and 0, mean 2/3; pooled it were 1."""
    rows = [
        Judgment("p1", "i0", "facts", value, system="ash", segment=place)
        for place, value in enumerate((0.0, 2.0, 2.0), start=1)
    ]
    rows.append(Judgment("p2", "i1", "facts", 0.0, system="ash", segment=1))
    mean = by_id(of_rows(small_study(SEGMENTS), rows))["facts.mean.ash"]
    assert mean.value == pytest.approx(2 / 3)
    assert (mean.n, mean.n_of) == (2, "scores")


def test_agreement_of_choices_does_not_hang_on_the_names_of_systems():
    """Two people, four items; on i1 and i2 beech is shown first. As first or second shown:

    i0 first first, i1 second first, i2 first first, i3 first second. Of 8 answers 6 are first, and
    two units disagree: 1 − 7 · (2 + 2) / (2 · 6 · 2).
    """
    shown = [("i0", "a", "aa"), ("i1", "b", "ab"), ("i2", "b", "bb"), ("i3", "a", "ab")]
    rows = [
        chosen(f"p{place}", item, value, side=side)
        for item, side, values in shown
        for place, value in enumerate(values)
    ]
    alpha = by_id(of_rows(small_study(PAIRWISE), rows))["meaning.krippendorff-alpha"]
    assert alpha.value == pytest.approx(1 - 7 * 4 / 24)


def test_agreement_can_be_coded_by_the_winner_instead():
    """i0 ash ash, i1 ash beech, i2 beech beech: 3 ash, 3 beech, one unit of three disagrees.

    Its two orders count: 1 − (6 − 1) · 2 / (2 · 3 · 3).
    """
    sides = {"i0": "ab", "i1": "aa", "i2": "ba"}
    votes = {"i0": "aa", "i1": "ab", "i2": "bb"}
    rows = [
        chosen(f"p{place}", item, votes[item][place], side=sides[item][place])
        for item in votes
        for place in range(2)
    ]
    table = Judgments.from_rows(rows)
    alpha = by_id(analyse(table, coding="winner"))["meaning.krippendorff-alpha"]
    assert alpha.value == pytest.approx(1 - 5 * 2 / 18)


def test_items_of_one_input_are_one_cluster():
    study = small_study(PAIRWISE)
    paired = replace(
        study,
        items=tuple(
            replace(item, group=f"g{place // 2}") for place, item in enumerate(study.items)
        ),
    )
    rows = [chosen(f"p{n % 6}", f"i{n}", "ab"[n % 3 == 0]) for n in range(12)]
    assert by_id(of_rows(study, rows))["meaning.cluster-robust.ash.beech"].items == 12
    assert by_id(of_rows(paired, rows))["meaning.cluster-robust.ash.beech"].items == 6


def test_repeats_and_checks_do_not_count():
    rows = [
        chosen("p1", "i0", "a"),
        replace(chosen("p1", "i0", "b"), kind="repeat"),
        replace(chosen("p1", "i9", "b", ("@reference", "@input")), kind="check"),
    ]
    found = by_id(of_rows(small_study(PAIRWISE), rows))
    assert found["meaning.wins.ash"].n == 1
