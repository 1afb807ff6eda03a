"""judgments.csv: written and read to the same rows, faults named by line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn_judgments import TABLES
from property_settings import examples
from rejudge.errors import DataError
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv, to_csv
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgment, Judgments


@settings(max_examples=examples(50))
@given(TABLES)
def test_rows_survive_the_file(rows):
    table = Judgments.from_rows(rows)
    assert read_csv(to_csv(table)).rows() == tuple(rows)


@settings(max_examples=examples(50))
@given(TABLES, st.randoms(use_true_random=False))
def test_the_fingerprint_does_not_depend_on_the_order_of_rows(rows, shuffler):
    other = list(rows)
    shuffler.shuffle(other)
    names = [fingerprint_of(Judgments.from_rows(each)) for each in (rows, other)]
    assert names[0] == names[1]


def test_a_changed_value_changes_the_fingerprint():
    rows = [Judgment("p", "i", "q", value, system="s") for value in (1.0, 2.0)]
    names = {fingerprint_of(Judgments.from_rows([row])) for row in rows}
    assert len(names) == 2


@pytest.mark.slow
def test_a_very_long_table_has_a_name_too_whatever_the_order_of_its_rows():
    count = 200_001
    frame = pa.table(
        {"rater": np.arange(count), "item": np.zeros(count, int), "score": np.ones(count)}
    )
    table = read_judgments(frame)
    backwards = table.take(np.arange(count)[::-1])
    assert fingerprint_of(table) == fingerprint_of(backwards)
    assert fingerprint_of(table) != fingerprint_of(table.take(np.arange(count - 1)))
    value = table.value.copy()
    value[7] = 2
    assert fingerprint_of(table) != fingerprint_of(replace(table, value=value))


def test_whether_checks_were_passed_is_written_only_where_it_is_known():
    row = Judgment("p", "i", "q", 1.0, system="s")
    assert "passed" not in to_csv(Judgments.from_rows([row]))
    assert to_csv(Judgments.from_rows([replace(row, passed=False)])).endswith(",false\n")


def test_a_table_of_ratings_needs_four_columns_and_the_system():
    table = read_csv("participant,item,question,value,system\np,i,q,3,s\n")
    assert table.rows() == (Judgment("p", "i", "q", 3.0, system="s"),)


def test_every_faulty_line_is_named_at_once():
    head = "participant,item,question,system,value,seconds,kind,submitted_at,position\n"
    lines = [
        "p,i,q,s,good,1,real,,1",
        "p,i,q,s,1,-1,real,,1",
        "p,i,q,s,1,1,odd,,1",
        "p,i,q,s,1,1,real,yesterday,1",
        "p,i,q,s,1,1,real,,first",
        "p,i,q,,1,1,real,,1",
        ",i,q,s,1,1,real,,1",
        "p,i,q,s,1,1,real,,1",
    ]
    with pytest.raises(DataError) as caught:
        read_csv(head + "\n".join(lines), file="mine.csv")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5, 6, 7, 8]
    assert all(problem.file == "mine.csv" and problem.remedy for problem in caught.value.problems)


def test_rows_of_another_width_are_named_alone():
    with pytest.raises(DataError) as caught:
        read_csv("participant,item,question,system,value\np,i,q,s\np,i,q,s,bad\np,i\n")
    assert [problem.line for problem in caught.value.problems] == [2, 4]


def test_a_file_of_another_kind_is_refused_by_its_head():
    with pytest.raises(DataError) as caught:
        read_csv("rater,item,question,value\np,i,q,3\n")
    said = str(caught.value)
    assert "no column 'participant'" in said
    assert "'rater' is not known" in said


def test_a_column_that_is_there_twice_is_refused():
    with pytest.raises(DataError, match="the column 'value' occurs 2 times in the header"):
        read_csv("participant,item,question,system,value,value\np,i,q,s,1,2\n")


def test_a_long_list_of_faults_is_cut_and_counted():
    text = "participant,item,question,system,value\n" + "p,i,q,s,x\n" * 50
    with pytest.raises(DataError, match="30 more problems were found"):
        read_csv(text)


utc = partial(datetime, tzinfo=UTC)
ODD_CELLS = [
    ("seconds", " 5 ", 5.0), ("seconds", "NA", None), ("kind", "Real", "real"),
    ("seconds", "1e3", 1000.0),
    ("seconds", "-0", 0.0), ("submitted_at", "2026-03-01 09:30+01:00", utc(2026, 3, 1, 8, 30)),
    ("submitted_at", "2026-03-01T09:30:00.123456789Z", utc(2026, 3, 1, 9, 30, 0, 123456)),
    ("submitted_at", "20260301T093000Z", utc(2026, 3, 1, 9, 30)),
    ("submitted_at", "0001-01-01T00:00:00Z", utc(1, 1, 1)),
    ("position", "007", 7), ("position", " 1", 1), ("passed", "True", True),
    ("submitted_at", "2026-03-01T09:30:00", utc(2026, 3, 1, 9, 30)), ("value", " 3", 3.0),
    ("item", '"a\nb"', "a\nb"),
    ("item", '"a""b"', 'a"b'), ("item", '"ab"c', "abc"), ("item", "NA", "NA"), ("item", " ", " "),
    ("batch", "null", "null"), ("batch", "", None), ("kind", "", "real"), ("origin", "", "people"),
]  # fmt: skip


WRONG_CELLS = [
    ("seconds", "inf"), ("seconds", "1e999"), ("seconds", "1_000"),
    ("submitted_at", "0000-01-01T00:00:00Z"), ("submitted_at", "2026-02-30T09:30:00Z"),
    ("position", "1.5"), ("position", "99999999999"), ("passed", "perhaps"),
    ("value", ""), ("kind", "odd"), ("item", ""),
]  # fmt: skip


def one_line(column, cell):
    row = {"participant": "p", "item": "i", "question": "q", "value": "3", "system": "s"}
    row |= {"kind": "real", "origin": "people", column: cell}
    return f"{','.join(row)}\n{','.join(row.values())}\n"


@pytest.mark.parametrize(("column", "cell", "meaning"), ODD_CELLS)
def test_a_cell_may_be_written_in_several_ways(column, cell, meaning):
    (row,) = read_csv(one_line(column, cell)).rows()
    assert getattr(row, column) == meaning


@pytest.mark.parametrize(("column", "cell"), WRONG_CELLS)
def test_a_wrong_cell_is_refused_with_its_line(column, cell):
    with pytest.raises(DataError, match=rf"judgments.csv:2: {column} is"):
        read_csv(one_line(column, cell))


def test_an_empty_table_is_a_head_alone():
    assert len(read_csv(to_csv(Judgments.from_rows([])))) == 0
