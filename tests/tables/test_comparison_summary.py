"""A comparison in brief."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rejudge as rj
from rejudge.compare import compare
from rejudge.tables.comparison_summary import (
    compact_confirmed,
    compact_scores,
    has_numbers,
    short_runs,
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
    assert table.column("claims upheld") == ("2 of 2", "2 of 2")
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
    many = compare(*runs, *(replace(runs[1], id=f"lab-{n}") for n in range(3)))
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
    assert rows["claims"][0] == "2 of 2 (2 not assessable)"
    assert rows["  contradicted"] == (1, 0, 0)


def test_short_names_are_joined_closely_and_long_ones_apart():
    assert short_runs(["A", "B"]) == "A–B"
    assert short_runs(["hosking-2021", "steen-2025"]) == "hosking-2021 – steen-2025"


def test_runs_without_common_numbers_are_known_as_such(three):
    assert has_numbers(three)
    empty = replace(three, variations=(), correlations=(), agreement=(), confirmed=())
    assert not has_numbers(empty)
