"""What participants said about themselves, as a table that can be published without naming anybody.

A table is k-anonymous when every combination of answers is shared by k participants or more
(Sweeney 2002). A missing answer is an answer like any other here: that somebody said nothing can
single them out too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rejudge.english import count, did_you_mean, join_words, verb
from rejudge.errors import FileError, Problem, UsageError
from rejudge.spreadsheet import csv_text

PARTICIPANTS: Final = "participants.csv"
LEAST_GROUP: Final = 5
OTHER: Final = "other"
_DECADE = 10
_MOST_NAMED = 4  # columns in a message


@dataclass(frozen=True, slots=True)
class ParticipantTable:
    """One row of answers about themselves for each participant, by pseudonym."""

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str | None, ...]]  # None: not given

    @classmethod
    def from_answers(cls, answers: Mapping[str, Mapping[str, str | None]]) -> ParticipantTable:
        """The table of what each participant said, by pseudonym and column."""
        columns = tuple(dict.fromkeys(name for each in answers.values() for name in each))
        rows = {
            who: tuple(_cell(each.get(name)) for name in columns) for who, each in answers.items()
        }
        return cls(columns, rows)

    def without(self, dropped: Collection[str]) -> ParticipantTable:
        """The table without some columns."""
        places = [place for place, name in enumerate(self.columns) if name not in dropped]
        rows = {who: tuple(row[place] for place in places) for who, row in self.rows.items()}
        return ParticipantTable(tuple(self.columns[place] for place in places), rows)

    def coarsen(self, columns: Collection[str], *, least: int) -> ParticipantTable:
        """The table with fewer different answers in some columns.

        Numbers become decades; answers of fewer than `least` participants are merged.
        """
        coarse = {name: _merge(_in_decades(self._answers(name)), least) for name in columns}
        rows = {
            who: tuple(
                coarse[name][place] if name in coarse else cell
                for name, cell in zip(self.columns, row, strict=True)
            )
            for place, (who, row) in enumerate(self.rows.items())
        }
        return replace(self, rows=rows)

    def _answers(self, column: str) -> list[str | None]:
        place = self.columns.index(column)
        return [row[place] for row in self.rows.values()]

    @property
    def groups(self) -> Counter[tuple[str | None, ...]]:
        """How many participants share each combination of answers."""
        return Counter(self.rows.values())

    @property
    def smallest_group(self) -> int | None:
        """The size of the smallest group; None where nothing is told about anybody."""
        if not self.columns or not self.rows:
            return None
        return min(self.groups.values())

    def to_csv(self) -> bytes:
        """One row for each participant; an answer that was not given is empty."""
        rows = [(who, *row) for who, row in self.rows.items()]
        return csv_text([("participant", *self.columns), *rows]).encode("utf-8")


def refuse_unknown(table: ParticipantTable, columns: Sequence[str], option: str) -> None:
    """Raise a UsageError for a column that participants were not asked about."""
    for name in columns:
        if name not in table.columns:
            known = ", ".join(table.columns) or "none"
            hint = did_you_mean(name, table.columns)
            remedy = f"{hint} The columns are: {known}.".strip()
            raise UsageError(
                Problem(f"{option} {name}: there is no such column about participants.", remedy)
            )


def refuse_small_groups(table: ParticipantTable, *, least: int) -> None:
    """Raise a FileError where participants could be singled out by what they said."""
    smallest = table.smallest_group
    if smallest is None or smallest >= least:
        return
    exposed = sum(size for size in table.groups.values() if size < least)
    columns = join_words(_shorten(table.columns))
    raise FileError(
        Problem(
            f"{count(exposed, 'participant')} of {len(table.rows):,} "
            f"{verb(exposed, 'is', 'are')} in a group of fewer than {least} by {columns}; the "
            f"smallest group has {count(smallest, 'participant')}.",
            f"{_remedy(table, least)} --accept {PARTICIPANTS} publishes it as it is.",
            file=PARTICIPANTS,
        )
    )


def _remedy(table: ParticipantTable, least: int) -> str:
    """The mildest step that helps: a coarser column, else one column less, else all but one."""
    for name in table.columns:
        if _holds(table.coarsen((name,), least=least), least):
            return f"--coarsen-column '{name}' merges rare answers, which is enough."
    for name in table.columns:
        if _holds(table.without((name,)), least):
            return f"--drop-column '{name}' leaves it out, which is enough."
    if _holds(table.coarsen(table.columns, least=least), least):
        return "--coarsen-column for every column merges rare answers, which is enough."
    return "Leave out columns with --drop-column, or merge rare answers with --coarsen-column."


def _holds(table: ParticipantTable, least: int) -> bool:
    smallest = table.smallest_group
    return smallest is None or smallest >= least


def _shorten(names: Sequence[str]) -> list[str]:
    more = len(names) - _MOST_NAMED
    shown = list(names[:_MOST_NAMED])
    return [*shown, f"{count(more, 'other column')}"] if more > 0 else shown


def _cell(text: str | None) -> str | None:
    words = " ".join((text or "").split())
    return words or None


def _in_decades(answers: Sequence[str | None]) -> list[str | None]:
    """Numbers as decades, where all answers are numbers."""
    numbers = [None if each is None else _number(each) for each in answers]
    is_numeric = all(
        (number is None) == (each is None) for number, each in zip(numbers, answers, strict=True)
    )
    if not is_numeric:
        return list(answers)
    return [None if number is None else _decade(number) for number in numbers]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _decade(number: float) -> str:
    low = math.floor(number / _DECADE) * _DECADE
    return f"{low}–{low + _DECADE - 1}"


def _merge(answers: Sequence[str | None], least: int) -> list[str | None]:
    """Rare answers become one, with the next rarest where they are still too few."""
    merged = set(_rare(Counter(answers), least))
    return [OTHER if each in merged else each for each in answers]


def _rare(counts: Counter[str | None], least: int) -> Iterator[str | None]:
    hidden = 0
    for answer, number in sorted(counts.items(), key=lambda each: (each[1], each[0] or "")):
        if number >= least and (hidden == 0 or hidden >= least):
            return
        hidden += number
        yield answer
