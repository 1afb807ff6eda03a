"""Lists of participants that studies share without their ids: keyed hashes in a CSV file.

A hash is an HMAC of recruiter and platform id. Someone with the list but not the key can neither
read nor test ids, of which there are few enough to try them all; someone with both can test an id.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rejudge.design.batch_table import read_separated
from rejudge.errors import DataError, Problem, UsageError
from rejudge.spreadsheet import csv_text
from rejudge.tables_in import NamedFile, TableRows

PANEL_KEY: Final = "REJUDGE_PANEL_KEY"  # the name of the variable
_LEAST = 16  # characters of a key; fewer can be guessed
_HASH = re.compile(r"[0-9a-f]{32}")
_COLUMNS = ("key", "participant")


@dataclass(frozen=True, slots=True)
class PanelKey:
    """What ids are hashed with; studies that share lists use the same one."""

    secret: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """Names the key without giving it away, so that lists made with another are noticed."""
        return self._hash("rejudge panel key")[:8]

    def hash_id(self, recruiter: str, person: str) -> str:
        """What stands for a platform id in a list."""
        return self._hash(f"{recruiter}:{person}")[:32]

    def _hash(self, text: str) -> str:
        return hmac.new(self.secret, text.encode("utf-8"), "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Panels:
    """Who may not take part, who alone may, and who need not qualify again, by hash."""

    key: PanelKey
    excluded: frozenset[str] = frozenset()
    admitted: frozenset[str] | None = None  # None: everybody who is not excluded
    qualified: frozenset[str] = frozenset()  # who need not qualify again

    def bars(self, recruiter: str, person: str) -> bool:
        """Whether somebody may not take part."""
        hashed = self.key.hash_id(recruiter, person)
        return hashed in self.excluded or (
            self.admitted is not None and hashed not in self.admitted
        )

    def qualifies(self, recruiter: str, person: str) -> bool:
        """Whether somebody passed the qualification elsewhere."""
        return bool(self.qualified) and self.key.hash_id(recruiter, person) in self.qualified


def panel_key(environment: Mapping[str, str]) -> PanelKey:
    """The key from the environment; UsageError where it is missing or too short."""
    given = environment.get(PANEL_KEY, "")
    if not given:
        what = f"lists of participants are hashed with a key, and {PANEL_KEY} is not set."
        remedy = "Set it to the long random text that all studies with these lists share."
        raise UsageError(Problem(what, remedy))
    if len(given) < _LEAST:
        what = f"{PANEL_KEY} is shorter than {_LEAST} characters."
        raise UsageError(Problem(what, "Use a long random one; short ones can be guessed."))
    return PanelKey(given.encode("utf-8"))


def panel_text(key: PanelKey, people: Iterable[tuple[str, str]]) -> str:
    """The list of these people (recruiter, platform id) as CSV, in an order that says nothing."""
    hashes = sorted({key.hash_id(recruiter, person) for recruiter, person in people})
    return csv_text([_COLUMNS, *((key.id, each) for each in hashes)])


def read_panel(file: NamedFile, key: PanelKey) -> frozenset[str]:
    """The hashes of a list; DataError if it is not one, or was made with another key."""
    if file.content.strip() == ",".join(_COLUMNS).encode():  # nobody was on the list
        return frozenset()
    table = read_separated(file)
    problems = [*table.problems, *_faults(table, key, file=file.name)]
    if problems:
        raise DataError(*problems)
    at = table.header.index("participant")
    return frozenset(cells[at].strip() for _, cells in table.rows)


def _faults(table: TableRows, key: PanelKey, *, file: str) -> Iterable[Problem]:
    if not set(_COLUMNS) <= set(table.header):
        remedy = "Make one with `rejudge panel`; it has the columns key and participant."
        return [Problem("this is not a list of participants.", remedy, file=file)]
    at = {name: table.header.index(name) for name in _COLUMNS}
    others = {cells[at["key"]].strip() for _, cells in table.rows} - {key.id}
    if others:
        what = f"this list was made with a different key from the one in {PANEL_KEY}."
        return [Problem(what, "Use the key of the study that it comes from.", file=file)]
    odd = [
        line for line, cells in table.rows if not _HASH.fullmatch(cells[at["participant"]].strip())
    ]
    if odd:
        what = "this row has no hash of a participant."
        return [
            Problem(what, "The list must not contain ids; make it again.", file=file, line=odd[0])
        ]
    return []


def merge_panels(
    key: PanelKey,
    excluded: Collection[frozenset[str]],
    admitted: Collection[frozenset[str]],
    qualified: Collection[frozenset[str]] = (),
) -> Panels:
    """All lists of a study: on any list of the first kind, out; on none of the second, out too."""
    return Panels(
        key,
        excluded=frozenset().union(*excluded),
        admitted=frozenset().union(*admitted) if admitted else None,
        qualified=frozenset().union(*qualified),
    )
