"""Files that came back: whether one is a workbook of ours, or what else it is."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejudge import fingerprint
from rejudge.errors import FileError, Problem
from rejudge.incoming import read_bytes

MARK = "rejudge workbook"
_MEGABYTE = 1 << 20
_PACKED_BYTES, _UNPACKED_BYTES, _ENTRIES, _RATIO = 64 * _MEGABYTE, 512 * _MEGABYTE, 2000, 300
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of old Excel files and of encrypted ones
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIP = b"PK"
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)
_SUFFIXES = {".xlsx", ".xlsm", ".xls"}
_MERGED = re.compile(rb"<(\w+:)?mergeCells\b.*?</(\w+:)?mergeCells>", re.DOTALL)
_MERGED_REF = re.compile(rb'\bref="([A-Z]+[0-9]+:[A-Z]+[0-9]+)"')
_AGAIN = "Ask for the file again, saved as an Excel workbook (.xlsx)."


@dataclass(frozen=True, slots=True)
class OpenedWorkbook:
    """A file that is one of our workbooks: its marker and its sheets."""

    file: str
    content: str  # fingerprint of the file
    marker: tuple[str, str]  # what it says, and the signature
    book: Any  # of openpyxl
    merged: Mapping[str, tuple[str, ...]]  # ranges of merged cells, by title of the sheet


def is_ours(path: Path) -> bool:
    """Whether a file has our marker; a damaged or encrypted one is ours by its extension."""
    try:
        content = read_bytes(path, remedy="", limit=_PACKED_BYTES)
    except FileError:
        return False
    if content.startswith(_ZIP):
        try:
            return _has_mark(content)
        except (FileError, *_BROKEN):
            pass  # `open_workbook` says what is wrong
    elif not content.startswith(_OLE):
        return False
    return path.suffix.lower() in _SUFFIXES


def _has_mark(content: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        _refuse_bomb(archive, "")
        names = [name for name in archive.namelist() if name.startswith("xl/")]
        return any(MARK.encode() in archive.read(n) for n in names if n.endswith(".xml"))


def open_workbook(path: Path) -> OpenedWorkbook:
    """A workbook with our marker; a FileError says what else the file is, and what to do."""
    file = path.name
    content = read_bytes(path, remedy="Check the name of the file.", limit=_PACKED_BYTES)
    _refuse_other_files(content, file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts that are not read
            book, merged = _load(content, file)
    except (FileError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - openpyxl raises nearly anything for a damaged file
        what = "the workbook is damaged or was not saved completely."
        raise FileError(Problem(what, _AGAIN, file=file)) from None
    for sheet in book.worksheets:
        if str(sheet.cell(1, 1).value or "") == MARK:
            said, signature = (str(sheet.cell(row, 1).value or "") for row in (2, 3))
            mark = fingerprint.of_bytes(content)
            return OpenedWorkbook(file, mark, (said, signature), book, merged)
    what = "this workbook was not written by `rejudge export --to xlsx`."
    remedy = (
        "Import the workbooks that people were sent; analyse your own tables with `rejudge "
        "analyse`."
    )
    raise FileError(Problem(what, remedy, file=file))


def _load(content: bytes, file: str) -> tuple[Any, dict[str, tuple[str, ...]]]:  # of openpyxl
    """The workbook and its merged cells, which openpyxl takes far longer to load than the rest."""
    from openpyxl.reader.excel import ExcelReader

    merged: dict[str, tuple[str, ...]] = {}
    lean = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(lean, "w") as copy:
        _refuse_bomb(archive, file)
        for entry in archive.infolist():
            part = archive.read(entry)
            if entry.filename.startswith("xl/worksheets/"):
                found = b"".join(each[0] for each in _MERGED.finditer(part))
                merged[entry.filename] = tuple(ref.decode() for ref in _MERGED_REF.findall(found))
                part = _MERGED.sub(b"", part)
            copy.writestr(entry.filename, part)
    reader = ExcelReader(lean)
    reader.read()
    paths = {sheet.name: link.target for sheet, link in reader.parser.find_sheets()}
    return reader.wb, {title: merged.get(path, ()) for title, path in paths.items()}


def _refuse_other_files(content: bytes, file: str) -> None:
    if content.startswith(_OLE):
        is_encrypted = _ENCRYPTED in content
        what = "the workbook has a password." if is_encrypted else "this is an old .xls workbook."
        remedy = "Ask for it without a password." if is_encrypted else _AGAIN
    elif not content.startswith(_ZIP):
        what, remedy = "this is not a workbook.", _AGAIN
    elif b"opendocument.spreadsheet" in content[:200]:
        what, remedy = "this is an OpenDocument spreadsheet (.ods).", _AGAIN
    else:
        return
    raise FileError(Problem(what, remedy, file=file))


def _refuse_bomb(archive: zipfile.ZipFile, file: str) -> None:
    """Look at the directory alone; nothing is ever unpacked beyond the size given there."""
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    packed = max(1, sum(entry.compress_size for entry in entries))
    is_dense = size > 16 * _MEGABYTE and size > _RATIO * packed
    if is_dense or size > _UNPACKED_BYTES or len(entries) > _ENTRIES:
        what = f"unpacked, the workbook would have {size // _MEGABYTE:,} MB."
        raise FileError(Problem(what, "Do not open it; ask for the file again.", file=file))
