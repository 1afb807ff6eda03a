"""Zip archives: the same bytes each time they are written, and read as untrusted input."""

from __future__ import annotations

import hashlib
import io
import platform
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from rejudge import fingerprint
from rejudge.design.pages import fill_pages
from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem, UsageError
from rejudge.files.codecs import JsonCodec
from rejudge.files.step_files import STUDY
from rejudge.judgments.judgments_csv import fingerprint_of
from rejudge.judgments.table import Judgments
from rejudge.paper.model import StatedDeviation
from rejudge.study.model import Study
from rejudge.study.parse import INTERFACE, ROLES
from rejudge.study.sample_size import FILLED_SIZE
from rejudge.version import __version__

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


MANIFEST: Final = "bundle.json"
CHECKSUMS: Final = "checksums.sha256"
CRATE: Final = "ro-crate-metadata.json"
ENVIRONMENT: Final = "environment.txt"
README: Final = "README.md"
_LINE = re.compile(r"(?P<sum>[0-9a-f]{64})  (?P<name>\S.*)")
_REMEDY = "Somebody changed the bundle after it was made. Get a new copy from the source."
LICENCE_REMEDY = "State the terms of use, such as --licence CC-BY-4.0."
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION_LINE = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>\S+)")
_PARTS_OF_PAGES = ("templates", "static", "catalogue")  # of the package `web`
_LEFT_OUT = (
    "dashboard",
    "dashboard.css",
    "dashboard.js",
    "__pycache__",
)  # what participants never see
ORIGINAL: Final = "original.zip"  # in the folder of a reproduction
_SHOWN = "pages-as-shown"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle contains and under which terms; the fingerprints are in its header."""

    study: str  # id
    title: str
    published: str  # day, ISO 8601
    licence: Licence
    interface: Interface
    is_simulated: bool  # some judgments were made by a program
    accepted: tuple[str, ...] = ()  # files whose private-looking content was reviewed and accepted
    reproduces: str | None = None  # id of the original
    deviations: tuple[StatedDeviation, ...] = ()  # what differs from it, as far as it is explained


MANIFEST_CODEC: Final = JsonCodec(Manifest, "bundle", "rejudge bundle")


def checksums(files: Mapping[str, bytes]) -> bytes:
    """One line for each file, as `sha256sum --check` reads them."""
    lines = (f"{sha256(files[name])}  {name}\n" for name in sorted(files))
    return "".join(lines).encode("utf-8")


def sha256(content: bytes) -> str:
    """The checksum of a file, in full."""
    return hashlib.sha256(content).hexdigest()


def refuse_changed(files: Mapping[str, bytes], *, file: str) -> None:
    """Raise a FileError unless the files are exactly those that were bundled."""
    problems = tuple(_changes(files, file))
    if problems:
        raise FileError(*problems)


def _changes(files: Mapping[str, bytes], file: str) -> Iterator[Problem]:
    listed = _parse_checksums(files.get(CHECKSUMS), file)
    for name in sorted(listed.keys() - files.keys()):
        yield Problem("this file is missing from the bundle.", _REMEDY, file=file, field=name)
    for name in sorted(files.keys() - listed.keys() - {CHECKSUMS}):
        yield Problem("this file was added to the bundle.", _REMEDY, file=file, field=name)
    for name in sorted(listed.keys() & files.keys()):
        if sha256(files[name]) != listed[name]:
            yield Problem("this file was changed after bundling.", _REMEDY, file=file, field=name)


def _parse_checksums(text: bytes | None, file: str) -> dict[str, str]:
    if text is None:
        what = "the list of checksums is missing from the bundle."
        raise FileError(Problem(what, _REMEDY, file=file, field=CHECKSUMS))
    found = [_LINE.fullmatch(line) for line in text.decode("utf-8", "replace").split("\n")[:-1]]
    names = [match["name"] for match in found if match]
    if None in found or len(set(names)) < len(found) or not text.endswith(b"\n"):
        what = "the list of checksums cannot be read."
        raise FileError(Problem(what, _REMEDY, file=file, field=CHECKSUMS))
    return {match["name"]: match["sum"] for match in found if match}


@dataclass(frozen=True, slots=True)
class Licence:
    """The terms of use of a bundle."""

    id: str  # SPDX identifier, or the address again
    name: str
    url: str
    asks_the_same: bool = False  # derived work must have the same licence


def _creative_commons(id_: str, words: str, *, asks_the_same: bool = False) -> Licence:
    path = id_.removeprefix("CC-").removesuffix("-4.0").lower()
    url = f"https://creativecommons.org/licenses/{path}/4.0/"
    return Licence(id_, f"Creative Commons {words} 4.0 International", url, asks_the_same)


LICENCES: dict[str, Licence] = {
    licence.id: licence
    for licence in (
        Licence(
            "CC0-1.0",
            "Creative Commons Zero 1.0 Universal",
            "https://creativecommons.org/publicdomain/zero/1.0/",
        ),
        _creative_commons("CC-BY-4.0", "Attribution"),
        _creative_commons("CC-BY-SA-4.0", "Attribution-ShareAlike", asks_the_same=True),
        _creative_commons("CC-BY-NC-4.0", "Attribution-NonCommercial"),
        _creative_commons(
            "CC-BY-NC-SA-4.0", "Attribution-NonCommercial-ShareAlike", asks_the_same=True
        ),
        Licence(
            "ODC-By-1.0",
            "Open Data Commons Attribution License 1.0",
            "https://opendatacommons.org/licenses/by/1-0/",
        ),
        Licence(
            "ODbL-1.0",
            "Open Data Commons Open Database License 1.0",
            "https://opendatacommons.org/licenses/odbl/1-0/",
            asks_the_same=True,
        ),
        Licence("MIT", "MIT License", "https://spdx.org/licenses/MIT.html"),
        Licence("Apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    )
}


def licence_of(given: str) -> Licence:
    """A licence by its identifier, whatever its case, or by the address of its text."""
    word = given.strip()
    by_id = {id_.casefold(): licence for id_, licence in LICENCES.items()}
    if word.casefold() in by_id:
        return by_id[word.casefold()]
    if word.startswith(("https://", "http://")) and not any(map(str.isspace, word)):
        return Licence(word, word, word)
    raise UsageError(
        Problem(
            f"'{given}' is not a known licence.",
            f"Give one of {', '.join(LICENCES)}, or the address of its text (https://…).",
        )
    )


def licence_conflict(original: Licence, chosen: Licence) -> Problem | None:
    """Why work derived from an original may not be published under a licence; None: it may."""
    if not original.asks_the_same or original.id == chosen.id:
        return None
    return Problem(
        f"the original is under {original.id}, which requires the same licence for derived work.",
        f"Use --licence {original.id}, or ask its authors.",
    )


@dataclass(frozen=True, slots=True)
class Interface:
    """The pages that participants saw, apart from the study's own texts."""

    rejudge: str  # version
    fingerprint: str  # of templates, styles, scripts and words of every language


def interface() -> Interface:
    """The pages as this version of rejudge would serve them."""
    home = files("rejudge").joinpath("web")
    texts = {
        path: hashlib.sha256(content).hexdigest()
        for part in _PARTS_OF_PAGES
        for path, content in _files(home.joinpath(part), part)
    }
    return Interface(__version__, fingerprint.of_json({**texts}))


def _files(folder: Traversable, inside: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.name in _LEFT_OUT:
            continue
        path = f"{inside}/{entry.name}"
        if entry.is_dir():
            yield from _files(entry, path)
        elif not entry.name.endswith((".py", ".pyc")):
            yield path, entry.read_bytes()


@cache  # what is installed stays the same while a program runs
def lock() -> str:
    """The versions of rejudge and of its dependencies, as pip reads them.

    Other installed packages are not named: they are private.
    """
    head = f"# Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    lines = [f"{name}=={version}" for name, version in sorted(_list_installed("rejudge").items())]
    return "\n".join((head, *lines)) + "\n"


def environment_differences(before: str, now: str) -> tuple[str, ...]:
    """How two environments differ, in words; empty if they are the same."""
    old, new = _versions(before), _versions(now)
    found = [
        f"{name} {old.get(name, 'none')}, here {new.get(name, 'none')}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    heads = [text.partition("\n")[0].removeprefix("# ") for text in (before, now)]
    return (*([f"{heads[0]}, here {heads[1]}"] if heads[0] != heads[1] else []), *found)


def _versions(text: str) -> dict[str, str]:
    found = (_VERSION_LINE.fullmatch(line.strip()) for line in text.splitlines())
    return {match["name"]: match["version"] for match in found if match}


def _list_installed(name: str) -> dict[str, str]:
    """A distribution and everything that it requires, as far as installed."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        key = _distribution_name(waiting.pop())
        if key in found:
            continue
        try:
            distribution = metadata.distribution(key)
        except metadata.PackageNotFoundError:  # for another system, or an extra
            continue
        found[key] = distribution.version
        waiting += [
            match[0]
            for line in distribution.requires or ()
            if "extra ==" not in line and (match := _REQUIREMENT.match(line))
        ]
    return found


def _distribution_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def study_files(study: Study) -> tuple[str, ...]:
    """The files that people wrote, by their names in the study folder."""
    pages = (getattr(study.spec.pages, role) for role in ROLES if role in study.pages)
    described = study.spec.site.layout
    layout = () if described is None else (described.file,)
    size = () if study.size is None else (FILLED_SIZE,)
    words = () if study.interface is None else (INTERFACE,)
    return tuple(dict.fromkeys((STUDY, study.spec.items.file, *pages, *layout, *size, *words)))


def filled_page_files(study: Study, plan: Plan, *, on: date) -> dict[str, bytes]:
    """The pages as people read them, where they have placeholders; pay depends on the day."""
    return {
        filled_page_name(role): text.encode("utf-8")
        for role, text in fill_pages(study, plan, on=on).items()
        if text != study.pages.get(role)
    }


def filled_page_name(role: str) -> str:
    """The file of a bundle that has a page as people read it."""
    return f"{_SHOWN}/{role}.md"


def fingerprints(study: Study, plan: Plan, judgments: Judgments | None) -> dict[str, str]:
    """The fingerprints of everything a bundle was made from."""
    return {
        "study": study.fingerprint,
        "items": study.items_fingerprint,
        "plan": plan.fingerprint,
        **({} if judgments is None else {"judgments": fingerprint_of(judgments)}),
    }
