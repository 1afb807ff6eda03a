"""How many people do each batch, or who does which batches: a small table beside the batches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rejudge.design.batch_table import read_separated, whole_number
from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import Problem
from rejudge.tables_in import NamedFile, TableRows

PARTICIPANT_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # as in a personal link
_BETWEEN_BATCHES = re.compile(r"[\s,;|]+")
_PARTICIPANT = ("participant", "annotator", "rater", "person")
_BATCH = ("batch", "batches", "list", "lists")
_SIZE = ("participants", "people", "annotators", "raters")


@dataclass(frozen=True, slots=True)
class ParticipantLists:
    """Numbers of people by batch, and the batches of named participants where these are given."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] | None = None

    @property
    def most_batches(self) -> int | None:
        """The longest list of a participant; None where nobody is named."""
        return max(map(len, self.lists.values())) if self.lists else None


def read_lists(
    file: NamedFile, batches: Sequence[str] | None
) -> tuple[ParticipantLists, list[Problem]]:
    """What a table says about the people of these batches, and everything that is wrong with it.

    One row per batch with `batch,participants`, or one per participant and batch with
    `participant,batch` and perhaps `position`. `batches`: None where they could not be read.
    """
    table = read_separated(file)
    reader = _ListReader(table, batches, file.name)
    lists = reader.read()
    return lists, [*table.problems, *reader.problems]


class _ListReader:
    def __init__(self, table: TableRows, batches: Sequence[str] | None, file: str) -> None:
        self.problems: list[Problem] = []
        self._table = table
        self._batches = batches
        self._file = file
        names = [name.strip().casefold() for name in table.header]
        self._at = {name: place for place, name in reversed(list(enumerate(names)))}

    def read(self) -> ParticipantLists:
        person, batch, size = (self._column(names) for names in (_PARTICIPANT, _BATCH, _SIZE))
        if batch is None or (person is None and size is None):
            self._complain(
                self._table.header_line,
                f"the file has the columns {join_quoted(self._table.header)}.",
                "Write batch,participants (how many people do each batch), or participant,batch "
                "(who does which batches).",
            )
            return ParticipantLists()
        if person is None:
            return ParticipantLists(sizes=self._sizes(batch, size or 0))
        lists = self._lists(person, batch)
        counts = Counter(name for own in lists.values() for name in own)
        self._report_missing(counts, "is on nobody's list")
        return ParticipantLists(sizes=dict(counts), lists=lists)

    def _column(self, names: Sequence[str]) -> int | None:
        return next((self._at[name] for name in names if name in self._at), None)

    def _sizes(self, batch: int, size: int) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for line, cells in self._table.rows:
            name, given = str(cells[batch]).strip(), str(cells[size]).strip()
            self._report_unknown(line, name)
            if name in sizes:
                self._complain(line, f"the batch '{name}' is given twice.", "Keep one row.")
            number = whole_number(given)
            if not number:
                what = f"{given[:70]!r} is not a number of participants."
                self._complain(line, what, "Write a whole number from 1 to 999999.")
            sizes[name] = number or 1
        self._report_missing(sizes, "is missing")
        return sizes

    def _lists(self, person: int, batch: int) -> dict[str, tuple[str, ...]]:
        rows: dict[str, list[tuple[int, int, str]]] = {}  # position, line, batch
        for line, cells in self._table.rows:
            name = str(cells[person]).strip()
            self._report_odd_name(line, name, rows)
            own = rows.setdefault(name, [])
            for given in filter(None, _BETWEEN_BATCHES.split(str(cells[batch]).strip())):
                self._report_unknown(line, given)
                if given in {each for _, _, each in own}:
                    what = f"'{name}' has the batch '{given}' twice."
                    self._complain(line, what, "Nobody does a batch twice; keep one row.")
                    continue
                own.append((self._position(line, cells, len(own) + 1), line, given))
            if not str(cells[batch]).strip():
                self._complain(line, f"'{name}' has no batch in this row.", "Name it.")
        for name, own in rows.items():
            self._report_same_position(name, own)
        return {name: tuple(each for _, _, each in sorted(own)) for name, own in rows.items()}

    def _position(self, line: int, cells: Sequence[object], place: int) -> int:
        at = self._column(("position", "order"))
        if at is None:
            return place
        given = str(cells[at]).strip()
        number = whole_number(given)
        if number is not None:
            return number
        self._complain(
            line, f"the position {given[:70]!r} is not a whole number.", "Number the lists."
        )
        return place

    def _report_same_position(self, name: str, own: Sequence[tuple[int, int, str]]) -> None:
        seen: dict[int, int] = {}
        for position, line, _ in own:
            if seen.setdefault(position, line) != line:
                what = f"'{name}' has two batches in position {position}."
                self._complain(line, what, "Give each list a position of its own.")

    def _report_odd_name(self, line: int, name: str, known: Mapping[str, object]) -> None:
        if PARTICIPANT_NAME.fullmatch(name) is None:
            self._complain(
                line,
                "a participant is named by an e-mail address."
                if "@" in name
                else f"{name[:70]!r} cannot name a participant.",
                "The plan is published: use a code such as r01 (letters, digits, - and _).",
            )
            return
        other = next((o for o in known if o != name and o.casefold() == name.casefold()), None)
        if other is not None:
            what = f"the participants '{other}' and '{name}' differ only in capitals."
            self._complain(line, what, "Spell a name the same way in all rows.")

    def _report_unknown(self, line: int, name: str) -> None:
        if self._batches is not None and name not in self._batches:
            remedy = did_you_mean(name, self._batches) or "Use the names of the batches."
            self._complain(line, f"there is no batch '{name}'.", remedy)

    def _report_missing(self, named: Mapping[str, int], what: str) -> None:
        for name in self._absent(named):
            self._complain(None, f"the batch '{name}' {what}.", "Add it, or remove the batch.")

    def _absent(self, named: Mapping[str, int]) -> Iterator[str]:
        return (name for name in self._batches or () if name not in named)

    def _complain(self, line: int | None, what: str, remedy: str) -> None:
        self.problems.append(Problem(what, remedy, file=self._file, line=line))
