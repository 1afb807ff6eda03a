"""What a format of another tool is: how its files are recognised, read and written.

A format is any object with the attributes of `Reader` or `Writer` (or both). Those that come with
rejudge are listed in `registry`; other packages add theirs with an entry point in the group
`rejudge.platforms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from rejudge.design.plan import Plan
from rejudge.exchange.items import ItemFields
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class Rejected:
    """One cell or row that was not imported: where it is, why, and what to do about it."""

    reason: str
    remedy: str = ""
    file: str | None = None
    row: int | None = None  # as a spreadsheet counts, from 1
    column: str | None = None
    value: str | None = None
    participant: str | None = None  # a pseudonym, never an id of a platform

    def __str__(self) -> str:
        where = [self.file or "", f"row {self.row}" if self.row else "", self.column or ""]
        place = ", ".join(part for part in where if part)
        said = f"{self.reason} {self.remedy}".rstrip()
        return f"{place}: {said}" if place else said


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read from files of another tool. Every row of theirs is in one of the first two."""

    judgments: Judgments
    rejected: tuple[Rejected, ...] = ()
    unmapped: tuple[str, ...] = ()  # what the files have and a table of judgments has no place for
    notes: tuple[str, ...] = ()  # what was decided, such as which of two answers counts
    files: Mapping[str, bytes] = field(default_factory=dict)  # to be written beside, by name
    is_incomplete: bool = False  # whether files that belong to it are missing; a note says why


@dataclass(frozen=True, slots=True)
class Exported:
    """Files for another tool, and the steps that people have to take with them."""

    files: Mapping[str, bytes]
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@runtime_checkable
class Reader(Protocol):
    """Reads files of one tool."""

    name: str  # for --from, such as "potato"
    title: str  # for people, such as "Potato"

    def recognises(self, file: Path) -> bool:
        """Whether a file is probably of this tool, by its name and first bytes. Never raises."""

    def read(self, files: Sequence[Path], *, study: Study | None, plan: Plan | None) -> Imported:
        """Read all files as one data set. A FileError lists all problems if nothing is usable.

        With a study, the answers belong to its plan; without one, the files say what was judged.
        """


@runtime_checkable
class ItemReader(Reader, Protocol):
    """A reader for items without systems; the caller says where to find these."""

    def with_items(self, items: ItemFields) -> Reader:
        """The same reader, with the fields or the table that name the systems."""


@runtime_checkable
class CorrectingReader(Reader, Protocol):
    """A reader that writes files for people to correct, which are of no use once they have."""

    def outdated_files(
        self, folder: Path, imported: Imported, *, given: Sequence[Path]
    ) -> Iterable[Path]:
        """Files of earlier imports in a folder that this import supersedes."""


@runtime_checkable
class Writer(Protocol):
    """Writes a study for one tool."""

    name: str  # for --to, such as "xlsx"
    title: str

    def write(self, study: Study, plan: Plan, *, people: Sequence[str]) -> Exported:
        """The files for these people; an empty sequence: one file for each place of the plan."""
