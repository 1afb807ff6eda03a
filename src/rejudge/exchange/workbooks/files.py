"""Files that came back: whether one is a workbook of ours, whose it is, and for which plan."""

from __future__ import annotations

import hmac
import io
import json
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
from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem
from rejudge.exchange.workbooks.layout import Recipient, code_of
from rejudge.exchange.workbooks.sheets import is_as_written
from rejudge.fingerprint import canonical, of_bytes
from rejudge.incoming import read_bytes
from rejudge.study.model import Study

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
_SIGNATURE_LENGTH = 32
_ANOTHER_COPY = "Import the workbook that was exported for this study, or export it again."


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


def marker(study: Study, plan: Plan, recipient: Recipient) -> tuple[str, str, str]:
    """What the hidden sheet says: whose workbook it is, for which plan; nothing about systems."""
    said = json.dumps(
        {
            "study": study.spec.id,
            "plan": _public(plan.fingerprint),
            "design": _public(study.design_fingerprint),
            "number": recipient.number,
            "seats": [list(seat) for seat in recipient.seats],
            "name": recipient.name,
            "consent": consent_text(study),
        },
        ensure_ascii=True,
    )
    return MARK, said, _signature(plan, said)


def consent_text(study: Study) -> str:
    """The fingerprint of what people agree to; empty where nothing is asked."""
    text = study.pages.get("consent", "").strip()
    return of_bytes(text.encode()) if text else ""


def _public(fingerprint: str) -> str:
    """A fingerprint as it can be given away: the plan's own is the key of signatures and rows."""
    return of_bytes(f"workbook {fingerprint}".encode())


def _signature(plan: Plan, said: str) -> str:
    key = plan.fingerprint.encode()
    content = canonical(json.loads(said))
    return hmac.digest(key, content, "sha256").hex()[:_SIGNATURE_LENGTH]


def recipient_of(opened: OpenedWorkbook, study: Study, plan: Plan) -> Recipient:
    """Whose workbook it is; a FileError if it is not of this study and plan."""
    said, signature = opened.marker
    content = parse_marker(said)
    if content is None:
        raise _stranger(opened, "the hidden sheet of the workbook was changed.")
    if content.get("study") != study.spec.id:
        what = f"this is a workbook of the study '{content.get('study')}', not '{study.spec.id}'."
        raise _stranger(opened, what)
    if content.get("plan") != _public(plan.fingerprint):
        raise _stranger(opened, "this workbook was exported for another plan of this study.")
    if content.get("design") != _public(study.design_fingerprint):
        what = "the study's items or questions were changed after this workbook was exported."
        raise _stranger(opened, what)
    if not hmac.compare_digest(signature.encode(), _signature(plan, said).encode()):
        raise _stranger(opened, "the hidden sheet of the workbook was changed.")
    seats_given = tuple((str(batch), int(seat)) for batch, seat in content["seats"])
    return Recipient(int(content["number"]), seats_given, str(content["name"]))


def parse_marker(said: str) -> Mapping[str, Any] | None:  # JSON values
    """What a marker says; None when it is not an object."""
    try:
        content = json.loads(said)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _stranger(opened: OpenedWorkbook, what: str) -> FileError:
    return FileError(Problem(what, _ANOTHER_COPY, file=opened.file))


def owner_of(copy: Path) -> str | None:
    """Whose copy a file is; None if it is not one of ours, or was edited since."""
    try:
        content = parse_marker(open_workbook(copy).marker[0])
    except FileError:
        return None
    number = content.get("number") if content and is_as_written(copy) else None
    return code_of(number) if isinstance(number, int) else None
