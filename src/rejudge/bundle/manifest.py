"""What a bundle says about itself: bundle.json, checksums, licence, software and its original.

`reproduces.json` in a study folder names the study that it reproduces, and what was changed, why
and with which expected impact.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from rejudge import fingerprint
from rejudge.errors import FileError, Problem, UsageError
from rejudge.files.codecs import JsonCodec, refuse_edited
from rejudge.incoming import read_bytes
from rejudge.version import __version__

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
REPRODUCES: Final = "reproduces.json"
ORIGINAL: Final = "original.zip"
Impact: TypeAlias = Literal["none", "low", "medium", "high", "unknown"]
_Json: TypeAlias = Any  # JSON values of any depth; pydantic cannot read a recursive alias


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


@dataclass(frozen=True, slots=True)
class StatedChange:
    """What the reproduction does differently, as its authors state it."""

    key: str  # of study.yaml, such as recruitment.platform; `interface` for the pages themselves
    before: _Json
    after: _Json
    reason: str
    impact: Impact = "unknown"  # on the numbers, as the reproducers judge it
    covers: tuple[str, ...] = ()  # other keys that had to change with it


@dataclass(frozen=True, slots=True)
class Reproduces:
    """The original of a study; its bundle is in the same folder as original.zip."""

    study: str  # id
    title: str
    lab: str  # who reproduces it
    bundle: str  # SHA-256 of original.zip
    licence: Licence
    is_same_plan: bool  # the same batches, sides, checks and order
    claims: Mapping[str, str]  # what the original says its numbers show, by id
    changes: tuple[StatedChange, ...] = ()
    own: tuple[str, ...] = ()  # keys that every lab fills in itself: its name, its contact


REPRODUCES_CODEC: Final = JsonCodec(
    Reproduces,
    "reproduces",
    "rejudge reproduce",
    remedy="Restore the file as `rejudge reproduce` wrote it, or start the reproduction again.",
)


def origin_of(folder: Path | str) -> Reproduces | None:
    """What a study folder reproduces; None for an original study."""
    path = Path(folder) / REPRODUCES
    if not path.exists():
        return None
    content = read_bytes(path, remedy="Start it with `rejudge reproduce`.")
    stored = REPRODUCES_CODEC.decode(content, file=str(path))
    refuse_edited(stored, file=str(path), remedy=REPRODUCES_CODEC.when_edited)
    return stored.content
