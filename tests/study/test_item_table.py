"""The table in an item file: which column is which, and rows by line."""

from __future__ import annotations

import pytest
from item_files import items, problems

from small_study import minimal


def test_columns_can_have_other_names():
    spec = minimal(
        systems=[{"id": "a", "column": "System A"}, "b"],
        items={"columns": {"id": "nr", "input": "source"}},
    )
    (item,) = items("nr, source ,System A,b\n1,Hi,x,y\n", spec)
    assert (item.id, item.input, item.outputs) == ("1", "Hi", ("x", "y"))


def test_a_long_file_may_name_systems_by_their_columns():
    spec = minimal(systems=[{"id": "a", "column": "System A"}, "b"])
    (item,) = items("id,input,system,output\n1,Hi,System A,x\n1,Hi,b,y\n", spec)
    assert item.outputs == ("x", "y")


def test_a_study_of_one_system_may_call_its_column_output():
    spec = minimal(systems=[{"id": "a", "column": "output"}])
    (item,) = items("id,input,output\n1,Hi,x\n", spec)
    assert item.outputs == ("x",)


def test_the_layout_can_be_said():
    spec = minimal(items={"layout": "long"})
    assert "'system' is missing" in problems("id,input,a,b\n1,Hi,x,y\n", spec)[0].what
    spec = minimal(items={"layout": "wide"})
    assert "no system has a column" in problems("id,input,system,output\n1,Hi,a,y\n", spec)[0].what


def test_blank_rows_are_no_rows():
    found = items("\n\nid,input,a,b\n\n1,Hi,x,y\n,,,\n\n2,Ho,x,y\n\n")
    assert [(i.id, i.line) for i in found] == [("1", 5), ("2", 8)]


def test_lines_are_counted_through_quoted_line_ends():
    found = items('id,input,a,b\r\n1,"two\r\nlines",x,y\r\n2,Ho,"x\n\n",y\r\n3,Hu,x,y\r\n')
    assert [(i.id, i.line) for i in found] == [("1", 2), ("2", 4), ("3", 7)]
    assert (found[0].input, found[1].outputs[0]) == ("two\r\nlines", "x\n\n")


def test_the_ending_may_be_in_capitals():
    assert len(items("id\tinput\ta\tb\n1\tHi\tx\ty\n", file="ITEMS.TSV")) == 1


def test_a_missing_reference_column_is_told_once():
    (problem,) = problems("id,input,a,b\n1,Hi,x,y\n2,Hi,x,y\n", minimal(questions=[
        {"kind": "rating", "id": "q", "prompt": "?", "beside": ["input", "reference"]}
    ]))  # fmt: skip
    assert "'reference' is missing, but 'q' needs the reference" in problem.what


def test_a_column_that_the_study_names_must_be_there():
    spec = minimal(items={"columns": {"dataset": "corpus"}})
    (problem,) = problems("id,input,corpsu,a,b\n1,Hi,d,x,y\n", spec)
    assert "'corpus' is missing, but study.yaml names it" in problem.what
    assert "Did you mean 'corpsu'?" in problem.remedy


@pytest.mark.parametrize("name", ["items", "items.json", "items.csv.gz"])
def test_other_endings_are_refused_with_those_that_are_read(name):
    (problem,) = problems("x", file=name)
    assert ".csv, .tsv, .tab, .txt, .jsonl, .ndjson, .xlsx, .parquet" in problem.remedy


@pytest.mark.parametrize("text", ["", "\n\n", "id,input,a,b\n", "id,input,a,b\n,,,\n"])
def test_a_file_without_rows_is_refused(text):
    (problem,) = problems(text)
    assert "no rows" in problem.what
