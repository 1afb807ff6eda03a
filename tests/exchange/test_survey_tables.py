"""Exports as CSV, TSV and zip, and files that cannot be used."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualtrics_files import (
    export,
    session,
)
from rejudge.errors import FileError
from rejudge.exchange.qualtrics import FORMAT
from rejudge.exchange.registry import find_reader
from rejudge.exchange.survey_tables import read_survey_table


def simple_export() -> str:
    return export([session("001", {"one__vae__fluency": "4"}, number=1)])


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the bytes are part of the names of tests
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        simple_export().encode(),
        simple_export().encode("utf-8-sig"),
        export([session("001", {"one__vae__fluency": "4"}, number=1)], delimiter="\t").encode(
            "utf-16"
        ),
        zipped({"My survey.csv": simple_export().encode(), "__MACOSX/._x.csv": b"x"}),
    ],
    ids=["csv", "csv with mark", "tsv in utf-16", "zip"],
)
def test_csv_tsv_and_zip_are_recognised_and_read(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    assert find_reader([file]) is FORMAT
    assert len(FORMAT.read([file], study=None, plan=None).judgments) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"a,b\n1,2\n", "three header rows"),
        (simple_export().encode("utf-16-le"), "NUL|UTF-8"),
        (simple_export().encode()[:-3] + b"\xff\xfe\x00", "NUL|UTF-8"),
        (simple_export().encode()[:-4], "cut off"),
        (simple_export().encode()[:-15], "cut off"),
        (simple_export().encode("utf-16")[:-30], "cut off"),
        (zipped({"a.csv": simple_export().encode()[:-9]}), "cut off"),
        (simple_export().rstrip().encode() + b',"more"', "row 4 has more cells"),
        (simple_export().encode("cp1252").replace(b"EN", b"\xe9"), "UTF-8"),
        (b'{"SurveyEntry": {"SurveyID": "SV_1"}, "SurveyElements": []}', "survey file"),
        (zipped({"a.csv": b"x"})[:40], "zip"),
        (zipped({"a.csv": b"x", "b.csv": b"x"}), "2 tables"),
        (zipped({"a.csv": b"0" * 50_000_000}), "unpacked, the archive would have"),
        (simple_export().replace("America/Denver", "Mars/Base").encode(), "Mars/Base"),
        (
            simple_export().replace("2023-09-20 06:07:00", "9/20/2023 6:07").encode(),
            "not a Qualtrics date",
        ),
        (
            simple_export().replace('"UserLanguage"', '"Status"', 1).encode(),
            "'Status' occurs 2 times",
        ),
    ],
)
def test_files_that_cannot_be_used_give_one_clear_message(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "file.csv"
    file.write_bytes(content)
    with pytest.raises(FileError, match=said):
        FORMAT.read([file], study=None, plan=None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_line_breaks_and_separators_in_quotes_belong_to_their_cells(
    tmp_path: Path, delimiter: str
) -> None:
    text = 'yes;\r\nand "no",\tor\nboth'
    rows = [session("001", {"one__vae__fluency": "4", "remark": text}, number=1)]
    file = tmp_path / "file.csv"
    file.write_bytes(export(rows, delimiter=delimiter).encode())
    table = read_survey_table(file)
    assert table.records(skip=3)[0]["remark"] == text
    assert table.numbers == (1, 2, 3, 4)


def test_rows_whose_last_cells_a_spreadsheet_dropped_are_read(tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_text("a,b,c\n1,2,3\n4\n5,6\n")
    assert read_survey_table(file).records()[1] == {"a": "4", "b": "", "c": ""}


@given(st.lists(st.lists(st.text(max_size=5), min_size=2, max_size=2), min_size=1, max_size=4))
def test_whole_tables_are_never_called_cut_off(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    text = out.getvalue().replace("\0", "")
    file = tmp_path_factory.mktemp("any") / "x.csv"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        table = read_survey_table(file)
    except FileError as error:
        assert "UTF-8" in str(error)  # halves of a character  # noqa: PT017
    else:
        assert table.header == ("a", "b")
