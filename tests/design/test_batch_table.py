"""Tables of batches: one row per task or one per batch, and what each column is about."""

from __future__ import annotations

import pytest
from given_tables import mturk_input, paraphrase_study, problems, read
from hypothesis import given as forall
from hypothesis import strategies as st
from studies import RATING, make_study

from rejudge.design.batch_table import melt, read_separated
from rejudge.spreadsheet import csv_text
from rejudge.tables_in import NamedFile


def test_a_missing_column_of_one_task_is_named():
    study = paraphrase_study()
    text = mturk_input(study)
    found = problems(study, text.replace("ix17,", "ixx,", 1))
    assert any("task 17 has no column for 'item'" in each for each in found)


def test_numbers_at_the_end_of_names_are_read_to_the_last_digit():
    study = make_study(systems=2, inputs=12)
    slots = range(12)
    header = ",".join(f"ix{n},systema{n},systemb{n}" for n in slots)
    row = ",".join(f"i{n},sys0,sys1" for n in slots)
    plan = read(study, f"{header}\n{row}\n").plan
    assert [task.item for task in plan.batches[0].tasks] == [f"i{n}" for n in slots]


def test_a_shorter_last_batch_leaves_its_columns_empty():
    study = make_study(systems=2, inputs=3)
    text = (
        "ix0,systema0,systemb0,ix1,systema1,systemb1\ni0,sys0,sys1,i1,sys1,sys0\ni2,sys0,sys1,,,\n"
    )
    plan = read(study, text).plan
    assert [len(batch.tasks) for batch in plan.batches] == [2, 1]
    assert "Batches are not equally long: 1 to 2 tasks." in plan.notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,a,b\ni0,sys0,sys1\n", "no column for 'batch'"),
        ("batch,item\nx,i0\n", "no column for 'system'"),
        ("batch,a,b\nx,sys0,sys1\n", "no column for 'item'"),
        ("ix0,ix1\ni0,i1\n", "no column for 'system'"),
        ("batch,item,a,b\nx y,i0,sys0,sys1\n", "cannot name a batch"),
        ("batch,item,a,b,participants\nx,i0,sys0,sys1,many\n", "not a number of participants"),
        ("batch,item,a,b,position\nx,i0,sys0,sys1,first\n", "is not a whole number"),
        ("batch,item,a,b,calibration\nx,i0,sys0,sys1,yes\n", "every batch is calibration"),
        ("batch,item,a\nx,i0,sys0\n", "which no question asks about"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(text, said):
    assert any(said in each for each in problems(make_study(systems=2, inputs=2), text))


def table(text: str):
    study = make_study(systems=2, inputs=2)
    return melt(
        read_separated(NamedFile("batches.csv", (text).encode())), study, file="batches.csv"
    )


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ("batch,item,a,b", ("sys0", "sys1")),
        ("HIT ID,Item-ID,System A,System B", ("sys0", "sys1")),
        ("list,example,model_left,model_right", ("sys0", "sys1")),
        ("block,id,system1,system2", ("sys0", "sys1")),
        ("batch,item,system", ("sys0",)),
    ],
)
def test_columns_go_by_the_names_that_people_use(header, first):
    cells = ["x", "i0", *first]
    melted = table(f"{header}\n{','.join(cells)}\n")
    assert [(row.batch, row.cells["item"]) for row in melted.rows] == [("x", "i0")]
    assert tuple(option.system for option in melted.rows[0].options) == first
    assert not melted.problems


def test_columns_of_another_meaning_are_listed_as_unused():
    melted = table("batch,item,a,b,colour,système\nx,i0,sys0,sys1,red,z\n")
    assert melted.unused == ("colour", "système")


@forall(st.integers(1, 30), st.integers(1, 4), st.integers(0, 120))
def test_a_row_per_batch_has_the_tasks_of_a_row_per_task(tasks, batches, first):
    """Numbers from 0, from 1 or from anywhere; the order is that of the numbers, not of names."""
    slots = [*range(first, first + tasks)]
    shuffled = sorted(slots, key=str)
    wide = [",".join(f"item{n},systema{n},systemb{n}" for n in shuffled)]
    wide += [",".join(f"i{b}-{n},sys0,sys1" for n in shuffled) for b in range(batches)]
    long = ["batch,item,a,b"]
    long += [f"b{b + 1:02},i{b}-{n},sys0,sys1" for b in range(batches) for n in slots]
    one, other = table("\n".join(wide)), table("\n".join(long))
    assert (one.has_one_row_per_batch, other.has_one_row_per_batch) == (True, False)
    assert [(r.batch, r.cells["item"], r.options) for r in one.rows] == [
        (r.batch, r.cells["item"], r.options) for r in other.rows
    ]


def test_a_gap_in_the_numbers_is_named():
    melted = table("item0,systema0,item3,systema3\ni0,sys0,i1,sys0\n")
    assert "not '1', '2'" in str(melted.problems[0])
    assert melted.rows == ()


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
    table = read_separated(NamedFile("t.csv", (b'\nname,text\n\nx,"two\nlines"\n,\ny,one\n')))
    assert (table.header, table.header_line) == (("name", "text"), 2)
    assert table.rows == [(4, ["x", "two\nlines"]), (7, ["y", "one"])]
    assert not table.problems


@pytest.mark.parametrize(
    ("file", "text"), [("t.csv", "a;b\n1;2"), ("t.tsv", "a\tb\n1\t2"), ("t.txt", "a\tb\n1\t2")]
)
def test_the_separator_is_found_in_the_header(file, text):
    assert read_separated(NamedFile(file, text.encode())).rows == [(2, ["1", "2"])]


def test_an_uneven_row_is_left_out_and_reported():
    table = read_separated(NamedFile("t.csv", (b"a,b\n1,2\n3\n4,5,6\n")))
    assert [cells for _, cells in table.rows] == [["1", "2"]]
    assert [problem.line for problem in table.problems] == [3, 4]
