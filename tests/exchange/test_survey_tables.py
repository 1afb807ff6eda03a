"""Exports as CSV, TSV and zip, and files that cannot be used."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from qualtrics_files import (
    export,
    session,
)
from rejudge.errors import FileError
from rejudge.exchange import find_reader
from rejudge.exchange.qualtrics import FORMAT


def simple_export() -> str:
    return export([session("001", {"one__vae__fluency": "4"}, number=1)])


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
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
        (simple_export().encode()[:-3] + b"\xff\xfe\x00", "UTF-8"),
        (zipped({"a.csv": b"x"})[:40], "zip"),
        (zipped({"a.csv": b"x", "b.csv": b"x"}), "2 tables"),
        (zipped({"a.csv": b"0" * 50_000_000}), "zip bomb"),
        (simple_export().replace("America/Denver", "Mars/Base").encode(), "Mars/Base"),
        (simple_export().replace("2023-09-20 06:07:00", "9/20/2023 6:07").encode(), "not a date"),
        (simple_export().replace('"UserLanguage"', '"Status"', 1).encode(), "several columns"),
    ],
)
def test_files_that_cannot_be_used_give_one_clear_message(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "file.csv"
    file.write_bytes(content)
    with pytest.raises(FileError, match=said):
        FORMAT.read([file], study=None, plan=None)
