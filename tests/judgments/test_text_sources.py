"""Tables that are broken or hostile: one message with the file, never a traceback or a hang."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from rejudge.errors import RejudgeError
from rejudge.judgments.read import read_judgments

HEAD = "participant,item,system,value\n"
ROW = "p1,i1,a,3\n"
SHEET = "xl/worksheets/sheet1.xml"


def refusal(path: Path) -> str:
    """What is said about a table that cannot be read; it names the file and a remedy."""
    with pytest.raises(RejudgeError) as caught:
        read_judgments(path)
    problem = caught.value.problems[0]
    assert str(path) in str(problem)
    assert problem.remedy
    return str(problem)


def table(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def book(path: Path, edit: Callable[[dict[str, bytes]], None] = lambda _: None) -> Path:
    """A workbook of one judgment, its files edited."""
    made = openpyxl.Workbook()
    for row in (HEAD, ROW):
        made.active.append(row.strip().split(","))
    content = io.BytesIO()
    made.save(content)
    with zipfile.ZipFile(content) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    edit(files)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def parquet_file(path: Path, **columns: pa.Array) -> Path:
    rows = {
        "participant": pa.array(["p1"]),
        "item": pa.array(["i1"]),
        "system": pa.array(["a"]),
        "value": pa.array([3.0]),
    }
    parquet.write_table(pa.table(rows | columns), path)
    return path


# Text


def test_a_heading_as_long_as_a_book_is_no_column(tmp_path: Path) -> None:
    said = refusal(table(tmp_path / "t.csv", HEAD.replace("item", "i" * 200_000) + ROW))
    assert "200,000 characters" in said


def test_a_cell_longer_than_the_library_reads_by_itself_is_read(tmp_path: Path) -> None:
    long = "i" * 200_000
    found = read_judgments(table(tmp_path / "t.csv", HEAD + ROW.replace("i1", long)))
    assert found.item.labels == (long,)


def test_a_fault_behind_a_very_long_cell_has_its_line(tmp_path: Path) -> None:
    rows = ROW.replace("i1", "i" * 200_000) + "p1,i2,a,many\n"
    assert "t.csv:3: 'many' is not a number." in refusal(table(tmp_path / "t.csv", HEAD + rows))


@pytest.mark.parametrize("value", ["1e308", "-1e308", "1e400", "inf", "9007199254740994"])
def test_a_score_too_large_to_compute_with_is_named(tmp_path: Path, value: str) -> None:
    said = refusal(table(tmp_path / "t.csv", HEAD + ROW.replace("3", value)))
    assert f"t.csv:2: '{value}' is too large." in said


def test_the_largest_score_is_read(tmp_path: Path) -> None:
    rows = ROW.replace("3", "9007199254740992")
    assert read_judgments(table(tmp_path / "t.csv", HEAD + rows)).value.tolist() == [2.0**53]


def test_json_nested_without_end_is_named(tmp_path: Path) -> None:
    line = '{"participant": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    assert "t.jsonl" in refusal(table(tmp_path / "t.jsonl", line))


def test_half_a_character_in_json_is_named_with_its_line(tmp_path: Path) -> None:
    good = '{"participant": "p1", "item": "i1", "system": "a", "value": 3}\n'
    said = refusal(table(tmp_path / "t.jsonl", good + good.replace("p1", "\\ud83d")))
    assert "t.jsonl:2: an escape such as \\u0000 or \\ud83d" in said


def test_a_time_before_all_years_is_named(tmp_path: Path) -> None:
    content = HEAD.replace("value", "value,submitted_at") + ROW.replace(
        "3", "3,0001-01-01T00:00:00+14:00"
    )
    assert "submitted_at is '0001-01-01T00:00:00+14:00'" in refusal(
        table(tmp_path / "t.csv", content)
    )


# What is no file


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    os.mkfifo(path)
    assert "this is a named pipe, not a file." in refusal(path)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_device_that_never_ends_is_not_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    path.symlink_to("/dev/zero")
    assert "this is a device, not a file." in refusal(path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_folder_is_no_table(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    path.mkdir()
    assert "this is a folder, not a file." in refusal(path)


def test_a_file_larger_than_any_table_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # of zeros that are not there: it takes no space
    assert "larger than 65,536 MB" in refusal(path)


def test_a_link_to_itself_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.symlink_to(path)
    assert "t.csv" in refusal(path)


# Workbooks


def _cut(name: str) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        files[name] = files[name][: len(files[name]) // 2]

    return edit


def _replace(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new)

    return edit


def _laughs(files: dict[str, bytes]) -> None:
    """Entities of entities: ten to the ninth times the same word."""
    levels = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' if n else '<!ENTITY e0 "ha">' for n in range(10)
    )
    files[SHEET] = (
        f"<?xml version='1.0'?><!DOCTYPE x [{levels}]><worksheet "
        "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData><row r='1'>"
        "<c r='A1' t='inlineStr'><is><t>&e9;</t></is></c></row></sheetData></worksheet>"
    ).encode()


@pytest.mark.parametrize(
    "edit",
    [
        _cut(SHEET),
        _cut("xl/workbook.xml"),
        _cut("[Content_Types].xml"),
        _cut("xl/styles.xml"),
        _replace("xl/workbook.xml", b"<sheets>", b"<sheets><!--"),
        _replace(SHEET, b'r="A1"', b'r="1A1"'),
        _replace(SHEET, b'r="A1"', b'r="AAAAAAA1"'),
        _replace(SHEET, b'<row r="2"', b'<row r="999999999999"'),
        lambda files: files.pop(SHEET),
        lambda files: files.pop("xl/workbook.xml"),
        _laughs,
    ],
)
def test_a_broken_workbook_is_refused(
    tmp_path: Path, edit: Callable[[dict[str, bytes]], None]
) -> None:
    assert "t.xlsx" in refusal(book(tmp_path / "t.xlsx", edit))


def test_a_workbook_without_a_sheet_is_refused(tmp_path: Path) -> None:
    def without(files: dict[str, bytes]) -> None:
        text = files["xl/workbook.xml"]
        files["xl/workbook.xml"] = re.sub(rb"<sheets>.*</sheets>", b"<sheets/>", text)

    assert "t.xlsx" in refusal(book(tmp_path / "t.xlsx", without))


def test_a_workbook_of_charts_alone_is_refused(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.create_chartsheet("drawn")
    made.remove(made.worksheets[0])
    made.save(tmp_path / "t.xlsx")
    assert "no sheet with cells" in refusal(tmp_path / "t.xlsx")


def test_a_workbook_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    def blown(files: dict[str, bytes]) -> None:
        files["xl/media/zeros"] = bytes(100 << 20)

    assert "unpacked, the workbook would have 100 MB" in refusal(book(tmp_path / "t.xlsx", blown))


def test_the_size_that_a_sheet_claims_changes_nothing(tmp_path: Path) -> None:
    far = _replace(SHEET, b'<dimension ref="A1:D2"', b'<dimension ref="A1:XFD1048576"')
    near = _replace(SHEET, b'<dimension ref="A1:D2"', b'<dimension ref="A1:A1"')
    assert len(read_judgments(book(tmp_path / "far.xlsx", far))) == 1
    assert len(read_judgments(book(tmp_path / "near.xlsx", near))) == 1


@pytest.mark.slow
def test_a_cell_in_the_last_corner_of_a_sheet_takes_no_time(tmp_path: Path) -> None:
    cell = b'<row r="1048576"><c r="XFD1048576" t="n"><v>1</v></c></row></sheetData>'
    edit = _replace(SHEET, b"</sheetData>", cell)
    assert len(read_judgments(book(tmp_path / "t.xlsx", edit))) == 1


# Parquet


def test_words_kept_as_bytes_are_words(tmp_path: Path) -> None:
    path = parquet_file(
        tmp_path / "t.parquet", participant=pa.array(["é".encode()]), value=pa.array([b"3"])
    )
    found = read_judgments(path)
    assert found.participant.labels == ("é",)
    assert found.value.tolist() == [3.0]


@pytest.mark.parametrize("name", ["participant", "value"])
def test_bytes_that_are_no_words_are_named(tmp_path: Path, name: str) -> None:
    path = parquet_file(tmp_path / "t.parquet", **{name: pa.array([b"\xff\xfe"])})
    assert f"the column '{name}' holds bytes that are not text." in refusal(path)


def test_whole_numbers_beyond_exactness_are_named_as_scores(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "t.parquet", value=pa.array([2**63 + 1], pa.uint64()))
    assert "'9223372036854775809' is too large." in refusal(path)


def test_whole_numbers_beyond_exactness_are_exact_as_ids(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "t.parquet", participant=pa.array([2**63 + 1], pa.uint64()))
    assert read_judgments(path).participant.labels == ("9223372036854775809",)


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_time_out_of_all_years_is_named(tmp_path: Path, unit: str) -> None:
    far = {"s": 2**43, "ms": 2**53, "us": 2**62}[unit]
    moment = pa.array([far], pa.int64()).cast(pa.timestamp(unit))
    path = parquet_file(tmp_path / "t.parquet", submitted_at=moment)
    assert "submitted_at is 'out of range'" in refusal(path)


def test_a_time_as_the_file_has_it_is_read(tmp_path: Path) -> None:
    moment = pa.array([1_700_000_000], pa.timestamp("s", "UTC"))
    found = read_judgments(parquet_file(tmp_path / "t.parquet", submitted_at=moment))
    assert found.submitted_at.astype(str).tolist() == ["2023-11-14T22:13:20.000000"]


def _cells(kind: pa.DataType) -> pa.Array:
    """A cell of a type and an empty one, as far as the type has any that is made of one."""
    for whole in (1, "1", b"12", "12"):
        try:
            return pa.array([whole, None], kind)
        except (pa.ArrowException, TypeError, ValueError):
            continue
    return pa.nulls(2, kind)


@pytest.mark.parametrize(
    "kind",
    [
        pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float32(),
        pa.decimal128(5, 2), pa.decimal256(5, 2), pa.large_string(), pa.large_binary(),
        pa.binary(2), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"),
        pa.timestamp("ns"), pa.duration("s"), pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int8(), pa.int64()), pa.list_(pa.int8()), pa.struct([("x", pa.int8())]),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("name", ["participant", "system", "value", "submitted_at", "seconds"])
def test_a_column_of_any_type_is_read_or_refused(kind: pa.DataType, name: str) -> None:
    cells = _cells(kind)
    rows = pa.table(
        {
            "participant": ["p1", "p2"],
            "item": ["i1", "i1"],
            "system": ["a", "a"],
            "value": [1, 2],
        }
    )
    place = rows.schema.get_field_index(name)
    whole_table = (
        rows.append_column(name, cells) if place < 0 else rows.set_column(place, name, cells)
    )
    with suppress(RejudgeError):
        assert len(read_judgments(whole_table)) <= 2


def test_a_row_longer_than_a_block_is_told(tmp_path: Path) -> None:
    rows = ROW.replace("i1", "i" * (40 << 20))
    assert "a row is longer than 16 MB" in refusal(table(tmp_path / "t.csv", HEAD + rows))
