"""The batches of an earlier study as a table: one row per task, or one row per batch.

A table with one row per batch is what MTurk read: `input0, outputa0, outputb0, input1, …`. The
number at the end of a column's name, all of its digits, says which task of the batch it is about.
`read_separated` reads such tables, and the lists of participants beside them.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rejudge.english import join_quoted
from rejudge.errors import DesignError, FileError, Problem
from rejudge.spreadsheet import unescape
from rejudge.study.kinds.question import LETTERS
from rejudge.study.model import Columns, Study
from rejudge.tables_in import NamedFile, TableRows, cell_text, read_rows

MOST_DIGITS = 6  # of a number in a table; more are a mistake, and would exhaust a database
_ROLES: Mapping[str, tuple[str, ...]] = {
    "batch": ("batch", "batchid", "list", "listid", "hit", "hitid", "block"),
    "position": ("position", "place", "order", "trial"),
    "item": ("item", "itemid", "id", "ix", "index", "example", "exampleid"),
    "dataset": ("dataset", "corpus"),
    "input": ("input", "source", "sourcetext"),
    "reference": ("reference", "ref"),
    "participants": ("participants", "people", "annotators", "raters", "assignments"),
    "calibration": ("calibration", "shared"),
    "kind": ("kind", "type"),
    "check": ("check", "checkid"),
    "answer": ("answer", "expected", "rightanswer"),
    "instruction": ("instruction",),
}
_OF_THE_BATCH = ("batch", "participants", "calibration")
_SIDES = {"left": "a", "right": "b"}
_MOST_OPTIONS = 8
_SYSTEM, _OUTPUT = ("system", "model"), ("output", "text")


@dataclass(frozen=True, slots=True)
class OptionCells:
    """One output of a task as the table has it: whose it is, and its text where that is given."""

    system: str
    text: str | None


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One task as the table has it."""

    line: int
    batch: str
    cells: Mapping[str, str]  # by role; empty cells are left out
    options: tuple[OptionCells, ...]  # in the order shown
    slot: str = ""  # which of the tasks in the row, where a row is a batch


@dataclass(frozen=True, slots=True)
class BatchTable:
    """The tasks of a table, and what is wrong with it."""

    rows: tuple[BatchRow, ...]
    problems: tuple[Problem, ...]
    unused: tuple[str, ...]  # columns that were not read
    has_one_row_per_batch: bool


def melt(table: TableRows, study: Study, *, file: str) -> BatchTable:
    """The tasks of a table of either shape, in the order of the file."""
    header = _Header(table.header, study.spec.items.columns)
    melting = _Melting(table, header, file)
    rows = tuple(melting.wide() if header.is_wide else melting.long())
    problems = (*table.problems, *melting.problems)
    return BatchTable(rows, problems, header.unused, header.is_wide)


class _Header:
    """What each column is about: a role or an option, of the batch or of one of its tasks."""

    def __init__(self, names: Sequence[str], columns: Columns) -> None:
        self._roles = {alias: role for role, aliases in _ROLES.items() for alias in aliases}
        for role, own in (("item", "id"), ("input", "input"), ("reference", "reference")):
            self._roles[_plain(getattr(columns, own))] = role
        whole = [self._meaning(name) for name in names]
        split = [_split(name) for name in names]
        has_item = any(meaning in {"item", "input"} for meaning in whole)
        stems = {self._meaning(stem) for stem, number in split if number}
        self.is_wide = not has_item and bool(stems & {"item", "input"})
        self.of_batch: dict[str, int] = {}
        self.by_slot: dict[str, dict[str, int]] = defaultdict(dict)  # number → meaning → column
        used: set[int] = set()
        for place, (name, (stem, number)) in enumerate(zip(names, split, strict=True)):
            meaning, slot = whole[place], ""
            if self.is_wide and number and meaning not in _OF_THE_BATCH:
                meaning, slot = self._meaning(stem), number
            if meaning is None or not name:
                continue
            target = self.of_batch if self.is_wide and not slot else self.by_slot[slot]
            if meaning not in target:
                target[meaning] = place
                used.add(place)
        self.unused = tuple(name for place, name in enumerate(names) if name and place not in used)

    def _meaning(self, name: str) -> str | None:
        """A role, or `system:a` and `output:a` for the option in the first place."""
        plain = _plain(name)
        if plain in self._roles:
            return self._roles[plain]
        if plain in {*LETTERS[:_MOST_OPTIONS], *_SIDES}:
            return f"system:{_SIDES.get(plain, plain)}"
        for kind, words in (("system", _SYSTEM), ("output", _OUTPUT)):
            for word in words:
                if plain.startswith(word) and (side := _side(plain.removeprefix(word))):
                    return f"{kind}:{side}"
        return None


def _side(rest: str) -> str | None:
    """The letter of an option: `systema`, `system_left`, `system1`; `system` alone is the first."""
    if not rest:
        return "a"
    if rest in _SIDES:
        return _SIDES[rest]
    if rest in LETTERS[:_MOST_OPTIONS]:
        return rest
    is_number = rest.isascii() and rest.isdigit() and len(rest) == 1
    return LETTERS[int(rest) - 1] if is_number and 1 <= int(rest) <= _MOST_OPTIONS else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _split(name: str) -> tuple[str, str]:
    """The name without the number at its end, and the number; `ix10` is ix and 10."""
    stem = name.rstrip(string.digits)
    number = name[len(stem) :]
    return (stem, number) if len(number) <= MOST_DIGITS else (name, "")


class _Melting:
    def __init__(self, table: TableRows, header: _Header, file: str) -> None:
        self.problems: list[Problem] = []
        self._table = table
        self._header = header
        self._file = file

    def long(self) -> Iterator[BatchRow]:
        """One row per task; the column `batch` says where it belongs."""
        columns = self._header.by_slot[""]
        missing = [role for role in ("batch", "item") if role not in columns]
        missing = [role for role in missing if role != "item" or "input" not in columns]
        if missing or not _options_of(columns):
            self._complain_about_columns([*missing, *([] if _options_of(columns) else ["system"])])
            return
        for line, cells in self._table.rows:
            said = _filled_cells(columns, cells)
            if "batch" not in said:
                self._complain(line, "the batch is empty.", "Name the batch of every task.")
                continue
            yield BatchRow(line, said["batch"], said, tuple(_options(columns, cells)))

    def wide(self) -> Iterator[BatchRow]:
        """One row per batch. Batches without a name are numbered in the order of the rows."""
        slots = self._slots()
        digits = max(2, len(str(len(self._table.rows))))
        for number, (line, cells) in enumerate(self._table.rows, start=1):
            of_batch = _filled_cells(self._header.of_batch, cells)
            batch = of_batch.get("batch", f"b{number:0{digits}}")
            shared = {role: of_batch[role] for role in of_batch if role != "batch"}
            for slot in slots:
                columns = self._header.by_slot[slot]
                said = _filled_cells(columns, cells)
                if not said and not any(o.system or o.text for o in _options(columns, cells)):
                    continue  # a shorter batch leaves its last columns empty
                options = tuple(_options(columns, cells))
                yield BatchRow(line, batch, {**shared, **said}, options, slot)

    def _slots(self) -> list[str]:
        """The numbers of the tasks, in order; a column that only some of them have is missing."""
        by_slot = self._header.by_slot
        slots = sorted(by_slot, key=int)
        fields = dict.fromkeys(meaning for slot in slots for meaning in by_slot[slot])
        if not any(meaning.startswith("system:") for meaning in fields):
            self._complain_about_columns(["system"])
            return []
        for slot in slots:
            absent = [
                _column_in_words(meaning) for meaning in fields if meaning not in by_slot[slot]
            ]
            if absent:
                self._complain(
                    self._table.header_line,
                    f"task {slot} has no column for {join_quoted(absent)}, but other tasks have.",
                    "Add the column, or check the number at the end of its name.",
                )
        numbers = [int(slot) for slot in slots]
        for number, times in Counter(numbers).items():
            if times > 1:
                what = f"the columns of task {number} are spelt in two ways."
                self._complain(self._table.header_line, what, "Write the number without zeros.")
        gaps = [str(n) for n in sorted(set(range(numbers[0], numbers[-1])) - set(numbers))]
        if gaps:
            self._complain(
                self._table.header_line,
                f"tasks {slots[0]} to {slots[-1]} have columns, but not {join_quoted(gaps[:10])}.",
                "Check the numbers at the ends of the names.",
            )
        return [] if self.problems else slots

    def _complain_about_columns(self, missing: Sequence[str]) -> None:
        there = join_quoted(name for name in self._table.header if name)
        self._complain(
            self._table.header_line,
            f"there is no column for {join_quoted(missing)}.",
            "One row per task needs batch, item and system (or a, b, … for outputs side by "
            f"side); one row per batch needs item0, systema0, systemb0, … The file has {there}.",
        )

    def _complain(self, line: int, what: str, remedy: str) -> None:
        self.problems.append(Problem(what, remedy, file=self._file, line=line))


def _filled_cells(columns: Mapping[str, int], cells: Sequence[object]) -> dict[str, str]:
    found = {role: str(cells[at] or "").strip() for role, at in columns.items() if ":" not in role}
    return {role: text for role, text in found.items() if text}


def _options(columns: Mapping[str, int], cells: Sequence[object]) -> Iterator[OptionCells]:
    """The outputs of one task; those after the last one that is filled do not exist."""
    sides = _options_of(columns)
    names = [str(cells[columns[f"system:{side}"]] or "").strip() for side in sides]
    while names and not names[-1] and len(names) > 1:
        names.pop()
    for side, name in zip(sides, names, strict=False):
        at = columns.get(f"output:{side}")
        text = "" if at is None else str(cells[at] or "")
        yield OptionCells(name, text if text.strip() else None)


def _options_of(columns: Mapping[str, int]) -> list[str]:
    return sorted(m.removeprefix("system:") for m in columns if m.startswith("system:"))


def _column_in_words(meaning: str) -> str:
    kind, _, side = meaning.partition(":")
    return f"{kind} {side}".strip()


def whole_number(text: str) -> int | None:
    """A whole number from 0 with at most six digits, as tables have it; None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None


def read_separated(file: NamedFile) -> TableRows:
    """The table in a file, its cells as texts; DesignError if it has no rows."""
    try:
        found = read_rows(file)
    except FileError as error:
        raise DesignError(*error.problems) from None
    if not found.rows and not found.problems:
        what = Problem("the file has no rows.", "Add a header and rows.", file=file.name)
        raise DesignError(what)
    texts = [(line, [unescape(cell_text(each) or "") for each in row]) for line, row in found.rows]
    return replace(found, rows=texts)
