"""Which version of the form a file is from. Neither form writes it down, but their ids differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.fingerprint import Json
from rejudge.heds.schema import VERSIONS, Version, schema

_NEW_ID: Final = "-qc_name-"


@dataclass(frozen=True, slots=True)
class DetectedVersion:
    """The version of a file."""

    version: Version
    is_mixed: bool = False  # holds entries that only the older form makes, beside newer ones


def detect_version(entries: Mapping[str, Json], *, file: str | None = None) -> DetectedVersion:
    """The version that a file shows; a file without any id of the form is refused."""
    ids = [key for key in entries if key.startswith("heds-")]
    if not ids and not _stated(entries) and entries:
        what = "this is not a datasheet: none of its keys belongs to the form."
        raise FileError(Problem(what, "Check that it is the right file.", file=file))
    is_new = any(_has_number(entries[key]) or _NEW_ID in key for key in ids)
    is_old = any(True for _ in legacy_ids(entries))
    if is_new:
        return DetectedVersion("3.0", is_mixed=is_old)
    if is_old:
        return DetectedVersion("2.x")
    return DetectedVersion(_stated(entries) or "2.x")  # an untouched 2.x form saves `{}`


def legacy_ids(entries: Mapping[str, Json]) -> Iterator[str]:
    """Ids that only the 2.x form makes: their presence beside newer ones proves where from."""
    newer = set(schema("3.0").storage_ids)
    for question in schema("2.x").questions:
        for id_ in question.storage_ids:
            if id_ not in newer and id_ in entries:
                yield id_


def _has_number(entry: Json) -> bool:
    return isinstance(entry, dict) and "number" in entry


def _stated(entries: Mapping[str, Json]) -> Version | None:
    extra = entries.get("x-rejudge")
    said = extra.get("heds_version") if isinstance(extra, dict) else None
    return next((version for version in VERSIONS if version == said), None)
