"""How text files are decoded and split into rows, for items and for judgments alike."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from rejudge.errors import FileError, Problem, StudyError
from rejudge.text_tables import (
    Row,
    RowError,
    decode,
    detect_dialect,
    detect_separator,
    filled_lines,
    first_problems,
    header_problem,
    read_object,
    read_rows,
    repeated_columns,
    uneven_row,
)


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


def test_a_row_has_the_line_on_which_it_begins_also_after_long_cells_and_blank_lines():
    text = 'id,text\n1,"two\nlines"\n\n2,x\r\n3,y\r4,z\n'
    assert [row.line for row in read_rows(text)] == [1, 2, 5, 6, 7]
    assert [row.line for row in read_rows(text, skipped=1)] == [2, 3, 6, 7, 8]


def test_line_ends_inside_quotes_stay_as_they_are():
    assert [row.cells for row in read_rows('"a\r\nb","c\rd"\n')] == [["a\r\nb", "c\rd"]]


def test_a_cell_of_a_million_characters_is_read():
    (row,) = read_rows("x" * 1_000_000)
    assert len(row.cells[0]) == 1_000_000


@pytest.mark.parametrize("text", ['a,"b"c\n', 'a,"b\n'])
def test_strict_reading_finds_faults_in_quotes_and_goes_on(text):
    assert [bool(row.fault) for row in read_rows(text, strict=True)] == [True]
    assert [bool(row.fault) for row in read_rows(text)] == [False]
    assert [row.cells for row in read_rows('"b"c\nd\n', strict=True)] == [[], ["d"]]


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


@pytest.mark.parametrize(
    ("content", "encoding", "separator", "rows"),
    [
        (codecs.BOM_UTF8 + b"id,text\n1,x\n", "utf-8-sig", ",", [["id", "text"], ["1", "x"]]),
        ("id;text\n1;é\n".encode("utf-16"), "utf-16", ";", [["id", "text"], ["1", "é"]]),
        ("id,text\n1,a café\n".encode("cp1252"), "cp1252", ",", [["id", "text"], ["1", "a café"]]),
        (b"sep=;\nid;text\n1;x\n", "utf-8-sig", ";", [["id", "text"], ["1", "x"]]),
        (
            b'id,text\nWho?,What?\n"{""ImportId"":1}","{""ImportId"":2}"\n1,x\n',
            "utf-8-sig",
            ",",
            [["id", "text"], ["1", "x"]],
        ),
    ],
)
def test_how_a_file_is_written_is_found_out(tmp_path: Path, content, encoding, separator, rows):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    dialect = detect_dialect(path, separator=",")
    assert (dialect.encoding, dialect.separator) == (encoding, separator)
    assert [row.cells for row in dialect.rows(path)] == rows


def test_lines_are_counted_from_the_top_of_the_file_also_below_what_is_skipped(tmp_path: Path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"sep=;\nid;text\n\n1;x\n")
    dialect = detect_dialect(path, separator=",")
    assert [row.line for row in dialect.rows(path)] == [2, 4]


def test_bytes_of_another_script_are_not_taken_for_western_text(tmp_path: Path):
    path = tmp_path / "t.csv"
    path.write_bytes("ид,текст\n1,Привет\n".encode("koi8-r"))
    with pytest.raises(FileError, match="not UTF-8"):
        detect_dialect(path, separator=",")


@pytest.mark.parametrize(
    ("names", "words"),
    [([], "no header"), (["", ""], "no header"), (["x" * 10_001], "10,001"), (["a\0"], "UTF-8")],
)
def test_a_header_has_names_that_can_be_read(names, words):
    problem = header_problem(names, file="t.csv")
    assert problem is not None
    assert words in problem.what
    assert header_problem(["a", ""], file="t.csv") is None


def test_a_name_that_several_columns_have_is_reported_once_and_none_is_not_a_name():
    (problem,) = repeated_columns(["a", "", "a", "", "b", "a"], file="t.csv", line=3)
    assert "'a' occurs 3 times" in problem.what
    assert problem.line == 3


@pytest.mark.parametrize(("cells", "count"), [(["1"], "1 cell,"), (["1", "2", "3"], "3 cells,")])
def test_a_row_of_another_width_is_reported_with_both_widths(cells, count):
    problem = uneven_row(Row(7, cells), 2, file="t.csv")
    assert count in problem.what
    assert "the header has 2" in problem.what
    assert problem.line == 7


def test_twenty_problems_are_listed_and_the_others_counted():
    problems = [Problem(str(n)) for n in range(1500)]
    found = first_problems([*problems, problems[0]], file="t.csv")
    assert found[:20] == problems[:20]
    assert [problem.what for problem in found[20:]] == ["1,480 more problems were found."]
    assert first_problems(problems[:20], file="t.csv") == problems[:20]


def test_a_line_separator_inside_a_text_does_not_end_a_line():
    assert list(filled_lines("{}\n\n \n{\u2028}\r\n{}")) == [
        (1, "{}\n"),
        (4, "{\u2028}\r\n"),
        (5, "{}"),
    ]


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
def test_a_line_that_is_not_one_sound_object_is_refused(line, words):
    with pytest.raises(RowError) as caught:
        read_object(line)
    assert words in caught.value.what
    assert caught.value.remedy
