"""Tables that people write by hand: separators, encodings, uneven rows, cells with formulas."""

from __future__ import annotations

import pytest
from given_tables import problems, read
from studies import RATING, make_study

from rejudge.design.batch_table import read_delimited
from rejudge.spreadsheet import csv_text


@pytest.mark.parametrize("content", [b"\xff\xfeb\x00", b"batch,item\n\xe4,1\n", b"a\x00b\n"])
def test_files_in_other_encodings_are_refused(content):
    assert problems(make_study(systems=2), content)


def test_texts_that_a_spreadsheet_would_compute_are_the_same_texts():
    study = make_study(systems=1, inputs=1, questions=[RATING])
    item = study.items[0]
    odd = type(item)(item.id, item.group, "", "in", None, ("=1+1",), "en", 2)
    text = csv_text([["batch", "item", "system", "output"], ["x", "i0", "sys0", "=1+1"]])
    assert "'=1+1" in text
    assert len(read(type(study)(study.spec, (odd,), {}), text).plan.batches) == 1


def test_semicolons_of_other_countries_are_understood():
    study = make_study(systems=2, inputs=1)
    assert len(read(study, "batch;item;a;b\nx;i0;sys0;sys1\n").plan.batches) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rows"),
        ("batch,item,a,b\n", "no rows"),
        ("batch,item,a,b\nx,i0,sys0\n", "3 cells"),
        ("batch,batch,a\nx,y,sys0\n", "occurs 2 times"),
    ],
)
def test_a_table_that_is_not_one_says_why(text, said):
    assert any(said in each for each in problems(make_study(systems=2, inputs=2), text))


def test_rows_keep_the_lines_on_which_they_begin():
    """A cell of several lines, and lines without anything, move what follows."""
    table = read_delimited('\nname,text\n\nx,"two\nlines"\n,\ny,one\n', file="t.csv")
    assert (table.header, table.header_line) == (("name", "text"), 2)
    assert table.rows == ((4, ("x", "two\nlines")), (7, ("y", "one")))
    assert not table.problems


@pytest.mark.parametrize(
    ("file", "text"), [("t.csv", "a;b\n1;2"), ("t.tsv", "a\tb\n1\t2"), ("t.txt", "a\tb\n1\t2")]
)
def test_the_separator_is_found_in_the_header(file, text):
    assert read_delimited(text, file=file).rows == ((2, ("1", "2")),)


def test_an_uneven_row_is_left_out_and_reported():
    table = read_delimited("a,b\n1,2\n3\n4,5,6\n", file="t.csv")
    assert [cells for _, cells in table.rows] == [("1", "2")]
    assert [problem.line for problem in table.problems] == [3, 4]
