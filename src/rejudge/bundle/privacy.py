"""Find personal data in files, and the archives that still contain a participant's answers.

Searched for are platform ids, e-mail and network addresses, and paths of a machine. Matches are
never repeated in a message: the file and the line are enough.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from zipfile import ZipFile

from rejudge.bundle.archive import (
    LIMITS,
    MANIFEST,
    MANIFEST_CODEC,
    ORIGINAL,
    unpack,
)
from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.errors import FileError, Problem
from rejudge.files.step_files import STUDY
from rejudge.incoming import read_bytes, refuse_no_folder
from rejudge.platforms import platforms
from rejudge.spreadsheet import csv_rows
from rejudge.study.model import Study
from rejudge.tables_in import NamedFile, read_rows

_EMAIL = re.compile(r"[\w.+%-]{1,64}@(?P<domain>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_NOBODYS = re.compile(  # set apart for examples: RFC 2606
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net))?|invalid|test|localhost)", re.IGNORECASE
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)")
_IPV6 = re.compile(r"(?<![\w:])(?=[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f:]{6,39}(?![\w:])")
_PATH = re.compile(
    r"(?<![\w/.:])/(?:home|Users)/[^\s/\"']+"
    r"|(?<![\w/.:])/(?:root|tmp|mnt|media)/[^\s\"']+"
    r"|(?<![A-Za-z])[A-Za-z]:\\+(?:Users|Documents and Settings)\\+[^\s\\\"']+"
    r"|file:///[^\s\"']+"
)
_LEAST_LETTERS = 8  # of a platform id that is searched for in texts; a shorter one may be a word
_SHOWN = 3  # places of one kind in one file
_OWN_WORDS = "Remove it, or review it and give --accept {file}."
_OF_PEOPLE = "Give participants a pseudonym in the table of judgments, and analyse it again."
Search: TypeAlias = Callable[[str], Iterable[int]]
_PARTICIPANT = "participant"


@dataclass(frozen=True, slots=True)
class KnownPrivacy:
    """What is known beforehand to be private or public."""

    identities: Collection[str] = field(default=(), repr=False)  # platform ids in the database
    paths: Collection[str] = ()  # of this machine
    contact: str | None = None  # e-mail address that the study itself gives to participants


def find_private(
    files: Mapping[str, bytes],
    known: KnownPrivacy,
    *,
    written_by_people: Collection[str],
    accepted: Collection[str] = (),
) -> tuple[Problem, ...]:
    """Everything that looks private, file by file.

    It can be accepted only in files that people wrote themselves (study, items, pages), and only
    there may the study's contact appear.
    """
    found: list[Problem] = []
    for name, content in files.items():
        is_own = name in written_by_people
        if is_own and name in accepted:
            continue
        kept = known.contact if is_own or name == "frozen.json" else None
        remedy = _OWN_WORDS.format(file=name) if is_own else _OF_PEOPLE
        text = f"{name}\n{_text_of(name, content)}"  # a file name can be private too
        for what, places in _searches(text, known, kept):
            lines = [text.count("\n", 0, place) for place in places[:_SHOWN]]
            found += _describe_findings(what, lines, len(places), Problem("", remedy, file=name))
    return tuple(found)


def _text_of(name: str, content: bytes) -> str:
    """All that a file says; of a workbook also what its other sheets and properties say."""
    kind = PurePosixPath(name).suffix.lower()
    if kind == ".xlsx":
        with ZipFile(BytesIO(content)) as archive:
            parts = [archive.read(entry) for entry in archive.namelist()]
        return "\n".join(part.decode("utf-8", "replace") for part in parts)
    if kind == ".parquet":
        rows = read_rows(NamedFile(name, content)).rows
        return "\n".join(" ".join(map(str, cells)) for _, cells in rows)
    return content.decode("utf-8", "replace")


def _platform_ids() -> Mapping[str, Search]:
    """What looks like an id of a platform, by what to call it."""
    return {
        f"an id that looks like {each.title}'s": partial(_starts, each.id_shape)
        for each in platforms().values()
        if each.id_shape is not None
    }


def _searches(
    text: str, known: KnownPrivacy, contact: str | None
) -> Iterator[tuple[str, list[int]]]:
    searches: Mapping[str, Search] = {
        "an e-mail address": lambda text: _emails(text, contact),
        **_platform_ids(),
        "a network address": _network_addresses,
        "a path on somebody's machine": lambda text: _paths(text, known.paths),
        "a platform id of a participant": lambda text: _identities(text, known.identities),
    }
    for what, search in searches.items():
        places = sorted(search(text))
        if places:
            yield what, places


def _describe_findings(
    what: str, lines: list[int], times: int, where: Problem
) -> Iterator[Problem]:
    for line in lines:  # the first line is the name
        place = "here" if line else "in the name of the file"
        yield replace(where, what=f"{what} is {place}.", line=line or None)
    if times > len(lines):
        yield replace(where, what=f"{what} is there {count(times - len(lines), 'more time')}.")


def _starts(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    return (found.start() for found in pattern.finditer(text))


def _emails(text: str, contact: str | None) -> Iterator[int]:
    if "@" not in text:
        return
    for found in _EMAIL.finditer(text):
        is_public = contact is not None and found[0].casefold() == contact.casefold()
        if not is_public and not _NOBODYS.fullmatch(found["domain"]):
            yield found.start()


def _network_addresses(text: str) -> Iterator[int]:
    for pattern in (_IPV4, _IPV6):
        for found in pattern.finditer(text):
            if _is_address(found[0]):
                yield found.start()


def _is_address(word: str) -> bool:
    try:
        address = ipaddress.ip_address(word)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _paths(text: str, own: Collection[str]) -> Iterator[int]:
    yield from _starts(_PATH, text)
    for path in own:
        if path.strip("/\\") and not _PATH.match(path):
            yield from _starts(re.compile(rf"(?<![\w/.]){re.escape(path)}(?![\w-])"), text)


def _identities(text: str, identities: Collection[str]) -> Iterator[int]:
    long = [re.escape(each) for each in identities if len(each) >= _LEAST_LETTERS]
    if long:
        pattern = rf"(?<![0-9A-Za-z])(?:{'|'.join(long)})(?![0-9A-Za-z])"
        yield from _starts(re.compile(pattern), text)


@dataclass(frozen=True, slots=True)
class ParticipantArchives:
    """Archives that contain somebody's answers, and archives that could not be read."""

    found: tuple[Path, ...]
    unread: tuple[Path, ...]
    downloads: tuple[Path, ...] = ()  # of those found, full downloads from the dashboard


def find_participant(
    folder: Path, participant: str | None, *, study: Study, plan: Plan
) -> ParticipantArchives:
    """Bundles of this study and downloads from its dashboard, in the folder and below it.

    With somebody's answers; for None, all of them.

    Other studies use the same numbers for other people, so their bundles are ignored, including the
    bundle that this study reproduces.
    """
    refuse_no_folder(folder)
    stated = study.spec.reproduces
    found, unread, downloads = [], [], []
    for path in _archives(folder):
        try:
            content = read_bytes(path, remedy="", limit=LIMITS.packed_bytes)
            files = unpack(content, file=str(path))
            is_ours = _is_of(files, study, plan)
        except FileError:
            unread.append(path)
            continue
        is_original = stated is not None and path == folder / stated.original
        if is_ours and not is_original and _contains(files, participant):
            found.append(path)
            downloads += [] if MANIFEST in files else [path]
    return ParticipantArchives(tuple(found), tuple(unread), tuple(downloads))


def _contains(files: Mapping[str, bytes], participant: str | None) -> bool:
    return participant is None or any(_tables_with(files, participant))


def _archives(folder: Path) -> Iterator[Path]:
    """Zip files of this study's folder; a folder inside of it may be that of another study."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir() and not (path / STUDY).exists():
            yield from _archives(path)
        elif path.is_file() and path.suffix.lower() == ".zip" and path.name != ORIGINAL:
            yield path


def _is_of(files: Mapping[str, bytes], study: Study, plan: Plan) -> bool:
    if MANIFEST not in files:  # as the dashboard packs everything, in a folder of the study's name
        return all(PurePosixPath(name).parts[0] == study.spec.id for name in files)
    stored = MANIFEST_CODEC.decode(files[MANIFEST], file=MANIFEST)
    manifest = stored.content
    return (
        manifest.study == study.spec.id
        and (manifest.reproduces is None) == (study.spec.reproduces is None)
        and stored.made_from.get("plan") == plan.fingerprint
    )


def _tables_with(files: Mapping[str, bytes], participant: str) -> Iterator[str]:
    for name, content in files.items():
        if not name.endswith(".csv"):
            continue
        head, *rows = csv_rows(content.decode("utf-8", "replace")) or [[]]
        places = [place for place, title in enumerate(head) if title == _PARTICIPANT]
        if any(row[place : place + 1] == [participant] for row in rows for place in places):
            yield name
