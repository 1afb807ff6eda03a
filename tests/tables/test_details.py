"""The tables behind the findings of a question."""

from __future__ import annotations

import pytest

from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments
from rejudge.tables.details import (
    coverage_table,
    own_difference_grid,
    own_difference_table,
    people_table,
    score_grid,
    unit_table,
    win_matrix,
)

LABELS = {"ash": "Ash"}


@pytest.fixture(scope="module")
def details():
    rows = (
        Judgment(f"p{p}", f"i{i}", "q", float(1 + (p * i + s) % 5), system=system)
        for p in range(4)
        for i in range(6)
        for s, system in enumerate(("ash", "beech"))
    )
    (found,) = analyse(Judgments.from_rows(rows)).details
    return found


def test_shares_of_scores_add_up_to_a_hundred_percent(details):
    table = score_grid("q", details.scores, LABELS)
    assert table.column("system") == ("Ash", "beech")
    assert all(sum(row[2:]) == pytest.approx(100) for row in table.rows)


def test_systems_are_apart_for_programs_and_together_for_people(details):
    table = coverage_table("q", details.coverage, LABELS)
    assert [c.name for c in table.rendering("csv").columns][:2] == ["first", "second"]
    (row,) = table.rendering("print").rows
    assert row == ("Ash, beech", 6, 4, pytest.approx(100))


def test_own_differences_have_signs_and_a_column_per_participant(details):
    table = own_difference_grid(details, LABELS)
    long = own_difference_table(details, LABELS)
    (row,) = table.rows
    assert [column.name for column in table.columns] == ["systems", "p0", "p1", "p2", "p3"]
    assert row[0] == "Ash – beech"
    first = dict(zip(long.column("participant"), long.column("difference"), strict=True))["p0"]
    assert float(row[1].replace("−", "-")) == pytest.approx(first, abs=0.005)
    assert row[1][0] in "+−"


def test_two_systems_have_no_matrix_of_wins(details):
    assert not win_matrix(details, LABELS).rows


def test_the_hardest_unit_comes_first(details):
    disagreement = unit_table("q", details.units, LABELS).column("disagreement")
    assert disagreement[0] == max(disagreement)


def test_columns_that_nobody_has_are_left_out(details):
    names = [column.name for column in people_table("q", details.people).columns]
    assert "participant" in names
    assert "seconds" not in names
