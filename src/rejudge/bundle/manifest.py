"""bundle.json and the checksums: what a bundle says of itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rejudge.bundle.environment import Interface
from rejudge.bundle.licences import Licence
from rejudge.errors import FileError, Problem
from rejudge.files import JsonCodec

MANIFEST: Final = "bundle.json"
CHECKSUMS: Final = "checksums.sha256"
CRATE: Final = "ro-crate-metadata.json"
ENVIRONMENT: Final = "environment.txt"
README: Final = "README.md"

_LINE = re.compile(r"(?P<sum>[0-9a-f]{64})  (?P<name>\S.*)")
_REMEDY = "Somebody changed the bundle after it was made. Get it again where it came from."


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle holds and under which terms; the fingerprints stand in its head."""

    study: str  # id
    title: str
    published: str  # day, ISO 8601
    licence: Licence
    interface: Interface
    is_simulated: bool  # some judgments were made by a program
    accepted: tuple[str, ...] = ()  # files in which what looks private was looked at and may stay
    reproduces: str | None = None  # id of the original


MANIFEST_CODEC: Final = JsonCodec(Manifest, "bundle", "rejudge bundle")


def checksums(files: Mapping[str, bytes]) -> bytes:
    """One line for each file, as `sha256sum --check` reads them."""
    lines = (f"{sha256(files[name])}  {name}\n" for name in sorted(files))
    return "".join(lines).encode("utf-8")


def sha256(content: bytes) -> str:
    """The checksum of a file, in full."""
    return hashlib.sha256(content).hexdigest()


def refuse_changed(files: Mapping[str, bytes], *, file: str) -> None:
    """Complain unless there is every file that was bundled, as it was, and no other."""
    problems = tuple(_changes(files, file))
    if problems:
        raise FileError(*problems)


def _changes(files: Mapping[str, bytes], file: str) -> Iterator[Problem]:
    listed = _listed(files.get(CHECKSUMS), file)
    for name in sorted(listed.keys() - files.keys()):
        yield Problem("this file is missing from the bundle.", _REMEDY, file=file, field=name)
    for name in sorted(files.keys() - listed.keys() - {CHECKSUMS}):
        yield Problem("this file was added to the bundle.", _REMEDY, file=file, field=name)
    for name in sorted(listed.keys() & files.keys()):
        if sha256(files[name]) != listed[name]:
            yield Problem("this is not the file that was bundled.", _REMEDY, file=file, field=name)


def _listed(text: bytes | None, file: str) -> dict[str, str]:
    if text is None:
        what = "the list of checksums is missing from the bundle."
        raise FileError(Problem(what, _REMEDY, file=file, field=CHECKSUMS))
    found = [_LINE.fullmatch(line) for line in text.decode("utf-8", "replace").split("\n")[:-1]]
    names = [match["name"] for match in found if match]
    if None in found or len(set(names)) < len(found) or not text.endswith(b"\n"):
        what = "the list of checksums cannot be read."
        raise FileError(Problem(what, _REMEDY, file=file, field=CHECKSUMS))
    return {match["name"]: match["sum"] for match in found if match}
