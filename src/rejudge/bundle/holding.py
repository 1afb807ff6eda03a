"""Which archives in a study folder still hold the answers of one participant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rejudge.bundle.archive import LIMITS, unpack
from rejudge.bundle.manifest import MANIFEST, MANIFEST_CODEC, sha256
from rejudge.bundle.origin import ORIGINAL, Reproduces, origin_of
from rejudge.design import Plan
from rejudge.errors import FileError
from rejudge.files import STUDY, read_bytes
from rejudge.spreadsheet import csv_rows
from rejudge.study import Study

_PARTICIPANT = "participant"


@dataclass(frozen=True, slots=True)
class Holding:
    """Archives that hold somebody's answers, and those that could not be looked into."""

    found: tuple[Path, ...]
    unread: tuple[Path, ...]


def archives_with(folder: Path, participant: str, *, study: Study, plan: Plan) -> Holding:
    """Bundles of this study and downloads from its dashboard, in the folder and below it.

    Other studies give the same numbers to other people: their bundles are left alone, the bundle
    that this study reproduces among them.
    """
    origin = origin_of(folder)
    found, unread = [], []
    for path in _archives(folder):
        try:
            content = read_bytes(path, remedy="", limit=LIMITS.packed_bytes)
            files = unpack(content, file=str(path))
            is_ours = _is_of(files, study, plan, origin)
        except FileError:
            unread.append(path)
            continue
        is_original = origin is not None and sha256(content) == origin.bundle
        if is_ours and not is_original and any(_tables_with(files, participant)):
            found.append(path)
    return Holding(tuple(found), tuple(unread))


def _archives(folder: Path) -> Iterator[Path]:
    """Zip files of this study's folder; a folder inside of it may be that of another study."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir() and not (path / STUDY).exists():
            yield from _archives(path)
        elif path.is_file() and path.suffix.lower() == ".zip" and path.name != ORIGINAL:
            yield path


def _is_of(files: Mapping[str, bytes], study: Study, plan: Plan, origin: Reproduces | None) -> bool:
    if MANIFEST not in files:  # as the dashboard packs everything, in a folder of the study's name
        return all(PurePosixPath(name).parts[0] == study.spec.id for name in files)
    stored = MANIFEST_CODEC.decode(files[MANIFEST], file=MANIFEST)
    manifest = stored.content
    reproduces = None if origin is None else origin.study
    return (
        manifest.study == study.spec.id
        and manifest.reproduces == reproduces
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
