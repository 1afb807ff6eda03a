"""Descriptive tables from the registry of columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_study import PAIRWISE, RATING, analysed, checked_study
from rejudge.analysis.analyse import analyse
from rejudge.findings.frame import Frame
from rejudge.judgments.table import Judgment, Judgments
from rejudge.layout.numbers import NARROW
from rejudge.tables.columns import (
    COLUMNS,
    MOST_REMARK_CHARACTERS,
    TABLES,
    frame_file,
    frame_table,
    quantile_table,
    score_grid,
    win_matrix,
)

LABELS = {"ash": "Ash"}


@pytest.fixture(scope="module")
def results():
    rows = (
        Judgment(f"p{p}", f"i{i}", "q", float(1 + (p * i + s) % 5), system=system)
        for p in range(4)
        for i in range(6)
        for s, system in enumerate(("ash", "beech"))
    )
    return analyse(Judgments.from_rows(rows))


def test_every_frame_has_a_caption_and_its_columns_are_registered():
    frames = analysed(checked_study(PAIRWISE, RATING)).frames
    assert {frame.name for frame in frames} <= TABLES.keys()
    for frame in filter(len, frames):
        table = frame_table(frame, {}, "csv")
        assert len(table.rows) == len(frame)
        assert len(table.columns) > 1


@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_a_paper_has_at_most_eight_columns(name):
    """Of people, those of comparisons and those of scores are never in one table."""
    own = [each for each in COLUMNS if "paper" in each.tables.get(name, "").split()]
    never_together = {"people": 3, "people-pairs": 2}
    assert len(own) - never_together.get(name, 0) <= 8


def test_shares_of_scores_add_up_to_a_hundred_percent(results):
    table = score_grid(results.frame("scores", "q"), LABELS)
    assert table.column("system") == ("Ash", "beech")
    assert all(sum(row[2:]) == pytest.approx(100) for row in table.rows)


def test_systems_are_apart_for_programs_and_together_for_people(results):
    table = frame_file([results.frame("coverage-pairs", "q")], LABELS)
    assert [c.name for c in table.columns][:3] == ["question", "first", "second"]
    (row,) = table.rendering("print").rows
    assert row == ("Ash, beech", 6, 4, pytest.approx(100))


def test_a_matrix_of_wins_has_its_systems_in_one_order_and_two_need_none():
    cells = [("a", "b", 75.0), ("a", "c", 60.0), ("b", "a", 25.0), ("b", "c", None),
             ("c", "a", 40.0), ("c", "b", None)]  # fmt: skip
    rows = [{"row": row, "column": column, "win_percent": share} for row, column, share in cells]
    table = win_matrix(Frame.of("wins", rows, question="q"), {"a": "A"})
    assert [column.name for column in table.columns[1:]] == ["A", "b", "c"]
    assert table.rows == (("A", None, 75, 60), ("b", 25, None, None), ("c", 40, None, None))
    assert not win_matrix(Frame.of("wins", (rows[0], rows[2]), question="q"), {}).rows


def test_columns_that_nobody_has_are_left_out(results):
    names = [column.name for column in frame_table(results.frame("people", "q"), {}, "csv").columns]
    assert "participant" in names
    assert "seconds" not in names


def test_a_list_that_was_cut_says_how_long_it_is(results):
    units = results.frame("units", "q")
    table = frame_table(units.with_rows(units.rows[:5]), LABELS, "page")
    assert "5 of 12 are listed." in table.caption


def test_quantiles_stand_side_by_side_with_their_intervals_below():
    rows = (
        Judgment(f"p{p}", f"i{i}", "q", float(1 + (p + i) % 5), system="ash", seconds=5.0 + p + i)
        for p in range(4)
        for i in range(6)
    )
    times = analyse(Judgments.from_rows(rows)).frame("times")
    seconds, intervals = quantile_table(times).rows
    assert f"50{NARROW}%" in [column.name for column in quantile_table(times).columns]
    assert seconds == ("Seconds", *times.columns["seconds"])
    assert [each and each.low for each in intervals[1:]] == list(times.columns["low"])


def test_a_long_remark_is_cut_in_print_alone():
    text = "x" * (MOST_REMARK_CHARACTERS + 1)
    row = {"about": "note", "asked": "note", "participant": "p1", "item": None, "text": text,
           "systems": ("ash",)}  # fmt: skip
    table = frame_file([Frame.of("remarks", [row])], LABELS)
    assert table.rendering("csv").rows == (("note", "note", "p1", "Ash", text),)
    assert table.rendering("print").column("remark") == (f"{text[:-1]} …",)


def test_frames_of_several_questions_are_one_file_with_a_block_for_each(results):
    frame = results.frame("coverage", "q")
    table = frame_file([frame, replace(frame, question="r")], LABELS)
    assert table.column("question") == ("q", "q", "r", "r")
    assert table.rendering("print").blocks == ("q", "q", "r", "r")
    assert frame_file([frame], LABELS).rendering("print").blocks == ()


def test_a_frame_reads_as_a_table_in_python(results):
    wins = results.frame("coverage", "q")
    assert repr(wins).splitlines()[0] == "Coverage on q"
    assert wins.to_arrow().column_names == ["system", "judgments", "items", "participants"]
    assert "<th>shared items</th>" in results.frame("coverage-pairs", "q")._repr_html_()
