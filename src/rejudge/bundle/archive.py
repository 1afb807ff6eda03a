"""Zip archives: the same bytes each time they are written, and read as untrusted input."""

from __future__ import annotations

import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from rejudge.errors import FileError, Problem

_MEGABYTE = 1 << 20
_TIME = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # the earliest that the format allows: when it was packed does not matter
_UNIX = 3  # the system whose permissions are noted, on whatever system it is written
_END = struct.Struct("<4s4H2LH")  # the record that every archive ends with
_END_MARK = b"PK\x05\x06"
_MARK_OF_64_BITS = b"PK\x06\x07"
_LONGEST_COMMENT = 0xFFFF
_BYTES_OF_AN_ENTRY = 1024  # in the directory of the archive; names are far shorter
_ENCRYPTED, _UTF_8 = 0x1, 0x800  # flags of an entry
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, struct.error)
_DO_NOT_OPEN = "Do not unpack it with another program either; get a new copy from the source."
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Limits:
    """How large an archive may be, packed and unpacked; a larger one is treated as a zip bomb."""

    packed_bytes: int = 512 * _MEGABYTE
    files: int = 1000
    unpacked_bytes: int = 2048 * _MEGABYTE
    ratio: int = 300  # of unpacked to packed; tables of judgments reach some fifty
    ratio_from_bytes: int = _MEGABYTE  # smaller files may compress as well as they like


LIMITS = Limits()


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files: sorted, with fixed times, so that equal files give equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = _UNIX
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[name], compresslevel=9)
    return out.getvalue()


def unpack(content: bytes, *, file: str, limits: Limits = LIMITS) -> dict[str, bytes]:
    """The files of an archive by name, in memory; nothing in it is trusted.

    Refused are names that lead out of the folder, links, two files of one name, encryption, unusual
    ways to pack, and whatever is larger than the limits.
    """
    _refuse_too_many(content, file, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            problems = tuple(_problems(entries, file, limits))
            if problems:
                raise FileError(*problems)
            return {
                entry.filename: _read(archive, entry) for entry in entries if not entry.is_dir()
            }
    except UnicodeDecodeError:
        raise FileError(Problem(_NOT_UTF_8, _DO_NOT_OPEN, file=file)) from None
    except _BROKEN as error:
        what = f"this is not a valid zip archive: {_reason(error)}."
        raise FileError(Problem(what, "Get a new copy of the file.", file=file)) from None


_NOT_UTF_8 = "the name of a file in it is not UTF-8."


def _reason(error: Exception) -> str:
    words = str(error).rstrip(".") or type(error).__name__
    return words[:1].lower() + words[1:]


def _refuse_too_many(content: bytes, file: str, limits: Limits) -> None:
    """Look at the end record alone: the directory itself may be too large to be read."""
    place = content.rfind(_END_MARK, max(0, len(content) - _END.size - _LONGEST_COMMENT))
    if place < 0 or place + _END.size > len(content):
        raise FileError(Problem("this is not a zip archive.", "Give a bundle.", file=file))
    _, _, _, _, entries, directory, _, _ = _END.unpack_from(content, place)
    is_long = content[max(0, place - 20) : place].startswith(_MARK_OF_64_BITS)
    is_too_long = entries > limits.files or directory > limits.files * _BYTES_OF_AN_ENTRY
    if is_long or is_too_long:
        what = f"the archive has more than {limits.files:,} files, or says so."
        raise FileError(Problem(what, _DO_NOT_OPEN, file=file))


def _problems(entries: Sequence[zipfile.ZipInfo], file: str, limits: Limits) -> Iterator[Problem]:
    if len(entries) > limits.files:  # the end record may be wrong
        yield Problem(f"the archive has more than {limits.files:,} files.", _DO_NOT_OPEN, file=file)
        return
    for entry in entries:
        what = _fault(entry, limits)
        if what is not None:
            yield Problem(what, _DO_NOT_OPEN, file=file, field=_printable(entry.orig_filename))
    for name in duplicate_names(entry.filename.rstrip("/") for entry in entries):
        yield Problem(
            "there are two files with this name.", _DO_NOT_OPEN, file=file, field=_printable(name)
        )
    if sum(entry.file_size for entry in entries) > limits.unpacked_bytes:
        most = limits.unpacked_bytes // _MEGABYTE
        yield Problem(f"it is larger than {most:,} MB when unpacked.", _DO_NOT_OPEN, file=file)


def _fault(entry: zipfile.ZipInfo, limits: Limits) -> str | None:
    if not entry.flag_bits & _UTF_8 and not entry.orig_filename.isascii():
        return _NOT_UTF_8
    named_so = name_fault(entry.orig_filename.removesuffix("/") or "/")
    if named_so is not None:
        return named_so
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG}:
        return "this is a link or a device, not a file."
    if entry.flag_bits & _ENCRYPTED:
        return "the file is encrypted."
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return "the file uses a compression method that bundles do not use."
    is_large = entry.file_size > limits.ratio_from_bytes
    if is_large and entry.file_size > limits.ratio * max(1, entry.compress_size):
        return f"the file is more than {limits.ratio} times as large when unpacked."
    return None


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        return stream.read(entry.file_size + 1)  # never more than declared, and to the checksum


def _printable(name: str) -> str:
    """A name that a terminal takes for nothing but text."""
    return "".join(letter if letter.isprintable() else "�" for letter in name)[:120]


def name_fault(name: str) -> str | None:
    """Why a file of this name must not be unpacked; None for a valid name."""
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    if posix.is_absolute() or windows.drive or windows.root:
        return "the name is absolute: it would be written outside the folder."
    if ".." in posix.parts or ".." in windows.parts:
        return "the name leads outside the folder."
    if "\\" in name or _CONTROL.search(name):
        return "the name contains a backslash or a control character."
    if len(name) > _LONGEST or not all(map(_is_sound_part, name.split("/"))):
        return "the name cannot be used on every machine."
    return None


def _is_sound_part(part: str) -> bool:
    is_plain = part not in {"", "."} and part == part.rstrip(". ")
    return is_plain and not _NOT_ON_WINDOWS.search(part) and not _DEVICES.fullmatch(part)


def duplicate_names(names: Iterable[str]) -> Iterator[str]:
    """Names equal to an earlier one, ignoring case and the encoding of accents."""
    seen: set[str] = set()
    for name in names:
        plain = unicodedata.normalize("NFC", name).casefold()
        if plain in seen:
            yield name
        seen.add(plain)
