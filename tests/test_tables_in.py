"""Tables of other people's data: how files are decoded and split, by rows and by columns alike."""

from __future__ import annotations

import codecs
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from rejudge.errors import FileError, Problem, RejudgeError, StudyError
from rejudge.incoming import decode
from rejudge.tables_in import (
    NamedFile,
    detect_separator,
    first_problems,
    open_columns,
    read_rows,
    split_rows,
)

HEADER, ROW = ["id", "text"], ["1", "a café"]


def workbook(*rows: list[Any], further: str | None = None) -> bytes:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    if further:
        made.create_sheet(further)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


def parquet_file(**columns: list[Any]) -> bytes:
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("t.csv", "id,text\n1,a café\n".encode(), 2),
        ("t.csv", codecs.BOM_UTF8 + "id,text\r\n1,a café".encode(), 2),
        ("t.csv", "id;text\n1;a café\n".encode(), 2),
        ("t.txt", "id|text\n1|a café\n".encode(), 2),
        ("t.tsv", "id\ttext\n1\ta café\n".encode(), 2),
        ("t.CSV", "id,text\n1,a café\n".encode("cp1252"), 2),
        ("t.csv", "id;text\n1;a café\n".encode("utf-16"), 2),
        ("t.csv", codecs.BOM_UTF16_BE + "id\ttext\n1\ta café\n".encode("utf-16-be"), 2),
        ("t.csv", "sep=;\nid;text\n\n1;a café\n".encode(), 4),
        ("t.csv", '"id","text"\n"1","a café"\n'.encode(), 2),
        ("t.jsonl", '\n{"id": "1", "text": "a café"}\n'.encode(), 2),
        ("t.ndjson", b'{"id": "1", "text": "a caf\\u00e9"}', 1),
        ("t.xlsx", workbook([], HEADER, [1, "a café"]), 3),
        ("t.xlsx", workbook(HEADER, [1.0, "a café"], further="Notes"), 2),
        ("t.parquet", parquet_file(id=[1], text=["a café"]), 1),
    ],
)
def test_every_form_gives_the_same_rows_and_columns(tmp_path: Path, name, content, line):
    rows = read_rows(NamedFile(name, content))
    assert (list(rows.header), [(at, list(cells)) for at, cells in rows.rows]) == (
        HEADER,
        [(line, ROW)],
    )
    assert not rows.problems
    path = tmp_path / name
    path.write_bytes(content)
    columns = open_columns(path)
    table = columns.load(["text", "id"])
    assert (columns.columns, table.column_names) == (tuple(HEADER), ["text", "id"])
    assert [str(column[0].as_py()).removesuffix(".0") for column in table.columns] == ROW[::-1]
    assert columns.lines([0]) == {0: line}


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("id,text\n1,é\n".encode("cp1252"), "Windows-1252"),
        ("id,text\n1,é\n".encode("utf-16"), "UTF-16"),
        (b"id;text\n1;x\n", "semicolons"),
        (b"sep=|\nid|text\n1|x\n", "'|'"),
    ],
)
def test_what_was_assumed_about_a_text_file_is_noted(content, note):
    assert note in " ".join(read_rows(NamedFile("t.csv", content)).notes)


def test_rows_in_which_a_survey_tool_explains_its_columns_are_left_out(tmp_path: Path):
    path = tmp_path / "t.csv"
    path.write_text('id,text\nWho?,What?\n"{""ImportId"":1}","{""ImportId"":2}"\n\n1,x\n')
    found = open_columns(path)
    assert found.load(["id"])["id"].to_pylist() == ["1"]
    assert found.lines([0]) == {0: 5}


def test_a_workbook_says_which_of_its_sheets_was_read_and_what_was_not():
    book = workbook(["id"], ["1", "beyond"], further="Notes")
    found = read_rows(NamedFile("t.xlsx", book))
    assert found.part == ", sheet 'Sheet' of 2"
    assert [note for note in found.notes if "1 more" in note or "to the right" in note] == [
        *found.notes
    ]


def test_cells_of_a_workbook_that_are_no_texts_or_numbers_stay_what_they_are():
    found = read_rows(NamedFile("t.xlsx", workbook(HEADER, [0.5, date(2024, 4, 3)], [True, None])))
    assert [type(cell).__name__ for _, cells in found.rows for cell in cells] == [
        "str",
        "datetime",
        "bool",
        "NoneType",
    ]


def test_a_formula_without_its_result_is_refused_with_its_line():
    with pytest.raises(FileError, match=r"t\.xlsx:2: the row has a formula"):
        read_rows(NamedFile("t.xlsx", workbook(["id", "n"], ["1", "=1+1"])))


# Faults


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,b\n1\n\n1,2,3\n", [(2, "1 cell,"), (4, "3 cells,")]),
        ('a,b\n1,"x"y\n1,2\n', [(2, "closing quote")]),
        ('a,b\n1,"2\n3,4\n', [(2, "never closed")]),
        ("a,b,a\n1,2,3\n", [(1, "'a' occurs 2 times")]),
        ('a,b\n"x\ny",2\n1\n', [(4, "1 cell,")]),
    ],
)
def test_faulty_rows_are_problems_with_their_lines(content, told):
    found = read_rows(NamedFile("t.csv", content.encode())).problems
    assert [problem.line for problem in found] == [line for line, _ in told]
    assert all(words in p.what for p, (_, words) in zip(found, told, strict=True))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", ",,\n\n".encode("utf-16"), None),
        ("t.csv", b"x" * 10_001 + b",b\n1,2\n", "10,001 characters"),
        ("t.csv", b",".join(b"c%d" % n for n in range(100_000)) + b"\n", "100,000 columns"),
        ("t.csv", b"a," * 5_000_000, "5,000,001 columns"),
        ("t.csv", b'"a\n1,2\n', "never closed"),
        ("t.csv", "ид,текст\n1,Привет\n".encode("koi8-r"), "is not UTF-8"),
        ("t.csv", b"a,b\n1,\x002\n", "NUL"),
        ("t.jsonl", b"\n".join(b'{"k%d": 1}' % n for n in range(10_001)), "10,001 columns"),
        ("t.xlsx", b"PK", "not an .xlsx workbook"),
        ("t.xlsx", workbook(), "is empty"),
        ("t.parquet", b"a,b\n1,2\n", "not a Parquet file"),
        ("t.parquet", parquet_file(a=[1])[:-4], "its end is missing"),
        ("t.ods", b"", "'.ods' is not a file type"),
        ("table", b"", "is not a file type"),
    ],
)
def test_a_file_that_is_no_table_is_refused(name, content, words):
    if words is None:
        assert read_rows(NamedFile(name, content)).rows == []
        return
    with pytest.raises(FileError, match=words) as caught:
        read_rows(NamedFile(name, content))
    assert caught.value.problems[0].remedy


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_table_of_very_many_columns_is_refused_at_once(tmp_path: Path, name):
    path, columns = tmp_path / name, [f"c{n}" for n in range(10_001)]
    if name == "t.parquet":
        path.write_bytes(parquet_file(**{column: [1] for column in columns}))
    elif name == "t.jsonl":
        path.write_text(json.dumps(dict.fromkeys(columns, 1)))
    else:
        path.write_text(",".join(columns) + "\n")
    with pytest.raises(RejudgeError, match="10,001 columns; up to 10,000 are read"):
        open_columns(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"a": 1', "not JSON"),
        ("[1]", "not an object"),
        ('{"a": 1, "a": 2}', "'a' occurs twice"),
        ('{"a": "\\ud800"}', "whole character"),
        ('{"a": ' + "[" * 100_000, "too large"),
    ],
)
def test_a_line_that_is_not_one_sound_object_is_a_problem(line, words):
    found = read_rows(NamedFile("t.jsonl", f'{{"a": "\u2028"}}\n{line}\n'.encode()))
    ((_, cells),) = found.rows
    assert list(cells) == ["\u2028"]  # a line separator inside a text does not end a line
    (problem,) = found.problems
    assert problem.line == 2
    assert words in problem.what
    assert problem.remedy


def test_twenty_problems_are_listed_and_the_others_counted():
    problems = [Problem(str(n)) for n in range(1500)]
    found = first_problems([*problems, problems[0]], file="t.csv")
    assert found[:20] == problems[:20]
    assert [problem.what for problem in found[20:]] == ["1,480 more problems were found."]
    assert first_problems(problems[:20], file="t.csv") == problems[:20]


# Text


def test_a_row_has_the_line_on_which_it_begins_also_after_long_cells_and_blank_lines():
    text = 'id,text\n1,"two\nlines"\n\n2,x\r\n3,y\r4,z\n'
    assert [row.line for row in split_rows(text)] == [1, 2, 5, 6, 7]
    assert [row.line for row in split_rows(text, skipped=1)] == [2, 3, 6, 7, 8]


def test_line_ends_inside_quotes_stay_as_they_are():
    assert [row.cells for row in split_rows('"a\r\nb","c\rd"\n')] == [["a\r\nb", "c\rd"]]


def test_a_cell_of_a_million_characters_is_read():
    (row,) = split_rows("x" * 1_000_000)
    assert len(row.cells[0]) == 1_000_000


@pytest.mark.parametrize(
    ("header", "promised", "found"),
    [
        ("id,text", ",", ","),
        ("id;text", ",", ";"),
        ("id\ttext", ",", "\t"),
        ("id|text", "\t", "|"),
        ("id;a,text", ",", ","),  # what the ending promises comes first
        ('"id;text"', ",", ","),  # one quoted name
        ("id", "\t", "\t"),
        ("", ",", ","),
    ],
)
def test_the_separator_is_the_promised_one_unless_the_header_shows_another(header, promised, found):
    assert detect_separator(header, promised) == found


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_text_is_unchanged_but_for_one_byte_order_mark(mark):
    text = "a\r\nb\rc\n\ufeffé e\u0301 👩\u200d🔬 العربية 中文\u2028end "
    assert decode(mark + text.encode(), file="f") == text


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("a\nb\ncafé".encode("latin-1"), 3, "byte 4 of this line (0xE9)"),
        (codecs.BOM_UTF8 + b"a\n\xff", 2, "byte 1 of this line (0xFF)"),
        ("a".encode("utf-16"), 1, "is UTF-16"),
        (codecs.BOM_UTF16_BE + b"\0a", 1, "is UTF-16"),
        ("plain words".encode("utf-16-le"), 1, "looks like UTF-16"),
        (b"a\nb\n" + b"long enough" * 3 + b"\0", 3, "NUL"),
        (b"cut off \xe4\xb8", 1, "byte 9 of this line (0xE4)"),
    ],
)
def test_other_bytes_are_reported_with_their_line_and_how_to_save_them(content, line, words):
    with pytest.raises(StudyError) as caught:
        decode(content, file="items.csv")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("items.csv", line)
    assert words in problem.what
    assert problem.remedy
