"""prolific.json: which study on Prolific belongs to a folder, and what was asked of the platform.

It is written before a study is created, with a random mark that the study will carry. If the reply
is lost, the next attempt looks for the mark instead of creating a second study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from rejudge.errors import FileError, Problem
from rejudge.files.codecs import JsonCodec, refuse_edited
from rejudge.files.disk import write_bytes
from rejudge.incoming import read_inside, refuse_no_folder
from rejudge.prolific.screeners import Screener

RECORD: Final = "prolific.json"


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """Something that was done to the study, and the state it had then."""

    at: datetime
    action: str
    status: str


@dataclass(frozen=True, slots=True)
class ProlificRecord:
    """A study on Prolific: what was requested, and what was done since."""

    mark: str  # carried by the study, so that it can be found again
    intended_at: datetime
    base_url: str  # of the API
    body: Mapping[str, Any]  # of the request, as the API takes it
    screeners: tuple[Screener, ...] = ()
    eligible: int | None = None  # participants who met the screeners
    study: str | None = None  # its id; None until the platform has answered
    created_at: datetime | None = None
    actions: tuple[RecordedAction, ...] = field(default=())

    def with_action(self, action: str, status: str, *, now: datetime) -> ProlificRecord:
        """The same, with one more thing done."""
        done = RecordedAction(now, action, status)
        return replace(self, actions=(*self.actions, done))


_CODEC = JsonCodec(
    ProlificRecord,
    "prolific",
    "rejudge prolific create",
    remedy="Restore the file: it says which study on Prolific is meant.",
)


def read_record(folder: Path) -> ProlificRecord | None:
    """The record of a folder; None where no study was created from it."""
    refuse_no_folder(folder)
    if not (folder / RECORD).exists():
        return None
    text = read_inside(folder, RECORD, remedy="")
    stored = _CODEC.decode(text, file=str(folder / RECORD))
    refuse_edited(stored, file=str(folder / RECORD), remedy=_CODEC.when_edited)
    return stored.content


def write_record(folder: Path, record: ProlificRecord) -> None:
    """Write the record of a folder."""
    write_bytes(folder / RECORD, _CODEC.encode(record, {}), force=True)


def require_record(folder: Path) -> ProlificRecord:
    """The record of a folder whose study has been created on Prolific."""
    record = read_record(folder)
    if record is None or record.study is None:
        what = "no study on Prolific was created from this folder."
        remedy = f"Create one with `rejudge prolific create {folder} --base-url https://…`."
        raise FileError(Problem(what, remedy, file=str(folder)))
    return record


def study_of(record: ProlificRecord) -> str:
    """The id of the study; it must have been created."""
    if record.study is None:
        raise FileError(Problem("the study was not created yet.", "Create it.", file=RECORD))
    return record.study
