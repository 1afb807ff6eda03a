"""A comparison in brief."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rejudge as rj
from rejudge.compare.compare import compare
from rejudge.compare.comparison import ConfirmedShare, RunCard, UnsupportedDifference
from rejudge.tables.comparison_summary import (
    compact_confirmed,
    compact_scores,
    has_numbers,
    short_runs,
    unsupported_in_words,
    verdict_table,
)
from rejudge.tables.runs import run_scores

NAMES = ("hosking-2021", "steen-2025", "arvan-2025")


@pytest.fixture(scope="module")
def three():
    return compare(*(run for name in NAMES for run in rj.runs_of(rj.open_paper(name))))


def test_each_reproduction_has_one_row(three):
    table = verdict_table(three)
    assert table.column("reproduction") == ("Steen and Markert 2025", "Arvan and Parde 2025")
    assert table.column("claims supported") == ("1 of 2", "2 of 2")
    assert table.column("order: ρ (type II)") == ("1.00", "1.00")


def test_what_no_run_has_is_not_a_column(three):
    names = [column.name for column in verdict_table(three).columns]
    assert "labels (type III)" not in names


def test_the_terminal_has_one_column_per_run_and_one_per_group_of_runs(three):
    (scores,) = run_scores(three)
    table = compact_scores(three, scores, dict(zip(NAMES, "ABC", strict=True)))
    names = [column.name for column in table.columns]
    assert names == ["system", "A", "B", "C", "CV* of all", "CV* A–B", "CV* A–C", "CV* B–C"]
    assert table.rows[-1][:4] == ("mean", None, None, None)


def test_of_many_runs_only_the_spread_of_all_stands_beside_the_scores(three):
    runs = [run for name in NAMES[:2] for run in rj.runs_of(rj.open_paper(name))]
    many = compare(*runs, *(replace(runs[1], id=f"lab-{n}", fingerprint=f"{n}") for n in range(3)))
    names = dict(zip((run.id for run in many.runs), "ABCDE", strict=True))
    (scores,) = run_scores(many)
    heads = [column.name for column in compact_scores(many, scores, names).columns]
    assert [head for head in heads if head.startswith("CV*")] == ["CV* of all"]


def test_findings_are_counted_among_those_that_could_be_assessed(three):
    table = compact_confirmed(three, dict(zip(NAMES, "ABC", strict=True)))
    assert [column.name for column in table.columns] == ["family", "B", "C", "every run"]
    assert table.rows[-1] == ("significant differences", "4 of 5", "5 of 5", "4 of 5")


def test_a_contradicted_finding_has_a_row_of_its_own(three):
    changed = tuple(
        replace(each, contradicted=1, left_out=2)
        if (each.family, each.run) == ("claims", "steen-2025")
        else each
        for each in three.confirmed
    )
    table = compact_confirmed(
        replace(three, confirmed=changed), dict(zip(NAMES, "ABC", strict=True))
    )
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["claims"][0] == "1 of 2 (2 not assessable)"
    assert rows["  contradicted"] == (1, 0, 0)


def test_short_names_are_joined_closely_and_long_ones_apart():
    assert short_runs(["A", "B"]) == "A–B"
    assert short_runs(["hosking-2021", "steen-2025"]) == "hosking-2021 – steen-2025"


def test_runs_without_common_numbers_are_known_as_such(three):
    assert has_numbers(three)
    empty = replace(three, variations=(), correlations=(), agreement=(), confirmed=())
    assert not has_numbers(empty)


LABS = [RunCard(name, name, "results", None, "") for name in ("lab1", "lab2", "lab3")]


def unsupported(three, *found: UnsupportedDifference, of: int = 1, runs: int = 3) -> str:
    """What is told of significant differences that are not supported again."""
    whose = "all" if runs > 2 else "lab2"
    share = ConfirmedShare("significance", None, whose, of - 1, of, 0, contradicted=0)
    return unsupported_in_words(
        replace(
            three,
            original="lab1",
            runs=tuple(LABS[:runs]),
            confirmed=(share,),
            unsupported=found,
        )
    )


def test_a_difference_that_no_run_supports_is_not_called_absent(three):
    told = unsupported(
        three,
        UnsupportedDifference("lab2", "q", "b", "a", 0.944, does_effect_differ=False),
        UnsupportedDifference("lab3", "q", "b", "a", 0.676, does_effect_differ=False),
    )
    assert told == (
        "The significant difference is not supported in either, which does not show that it is "
        "absent: the smallest difference found with 80 % power is 0.94 in lab2 and 0.68 in lab3; "
        "the effects do not differ detectably from the original’s."
    )


def test_of_several_differences_those_that_are_supported_again_are_counted_first(three):
    found = UnsupportedDifference("lab2", "q", "b", "a", None, does_effect_differ=True)
    told = unsupported(three, found, of=5, runs=2)
    assert told == (
        "Of 5 significant differences, 4 are supported again; 1 is not supported in lab2, which "
        "does not show that it is absent: what it could detect is not known; the effect differs "
        "from the original’s."
    )
