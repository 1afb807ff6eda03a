"""From the bytes of an item file to items, or to everything that is wrong with it, by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import Problem, StudyError
from rejudge.study.conduct import LANGUAGE
from rejudge.study.item_sample import read_mark, read_weight, sample_problems
from rejudge.study.item_table import Cells, ColumnPlaces, find_columns, needs_of, read_item_table
from rejudge.study.model import Item, Spec
from rejudge.tables_in import cell_text, first_problems

Row: TypeAlias = tuple[int, Cells]

_LONGEST_ID = 100
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff"
_SOUND_ID = re.compile(rf"(?![/@\s])[^{_CONTROL}]{{1,{_LONGEST_ID}}}(?<!\s)")
_LANGUAGE = re.compile(LANGUAGE)
_LABELS = ("dataset", "group", "language")


@dataclass(frozen=True, slots=True)
class ItemFile:
    """The items of a file, and what was assumed when it was read."""

    items: tuple[Item, ...] = ()
    notes: tuple[str, ...] = ()


def read_items(content: bytes, spec: Spec, *, file: str) -> ItemFile:
    """The items of a file, wide or long; texts are kept to the character."""
    table = read_item_table(content, spec, file=file)
    problems = list(table.problems)
    items: list[Item] = []
    if table.rows:
        places, missing = find_columns(table, spec, file=file)
        problems += missing
        if not missing:
            reader = _ItemReader(spec, places, file)
            items = list(reader.items(table.rows))
            problems += reader.problems
            if spec.items.sample and not problems:
                problems += sample_problems(items, spec.items.sample, file=file)
    if problems:
        by_line = sorted(problems, key=lambda problem: problem.line or 0)
        raise StudyError(*first_problems(by_line, file=file))
    return ItemFile(tuple(items), table.notes)


@dataclass(slots=True)
class _Gathered:
    """What the rows of one item say together, with the line that said it first."""

    line: int
    said: dict[str, tuple[str, int]] = field(default_factory=dict)  # by role
    outputs: dict[int, tuple[str, int]] = field(default_factory=dict)  # by place of the system
    further: dict[str, str] = field(default_factory=dict)  # by column


class _ItemReader:
    """Turns rows into items. A fault is noted and its row read on, so that all are found."""

    def __init__(self, spec: Spec, places: ColumnPlaces, file: str) -> None:
        self.problems: list[Problem] = []
        self._spec = spec
        self._places = places
        self._file = file
        self._needs = needs_of(spec)
        self._systems = [system.id for system in spec.systems]

    def items(self, rows: Iterable[Row]) -> Iterator[Item]:
        gathered = self._wide(rows) if self._places.outputs else self._long(rows).items()
        for name, found in gathered:
            yield self._item(name, found)

    # ── one row per item ─────────────────────────────────────────────────────────────────────────

    def _wide(self, rows: Iterable[Row]) -> Iterator[tuple[str, _Gathered]]:
        first: dict[str, int] = {}
        columns = [
            (place, column, f"output of '{self._systems[place]}'")
            for place, column in enumerate(self._places.outputs)
        ]
        for line, cells in rows:
            name = self._id(cells[self._places.id], line)
            before = first.setdefault(name, line)
            if before != line:
                self._complain(
                    line,
                    f"the id '{name}' is used twice, on lines {before} and {line}.",
                    "Give each item its own id; one row per output needs the columns "
                    f"'{self._spec.items.columns.system}' and '{self._spec.items.columns.output}'.",
                )
            found = _Gathered(line, self._texts_of_row(cells, line), further=self._further(cells))
            for place, column, what in columns:
                text = self._text(cells[column], what, line)
                if text is None:
                    self._complain(line, f"the {what} is empty.", _FILL)
                else:
                    found.outputs[place] = (text, line)
            yield name, found

    # ── one row per output ───────────────────────────────────────────────────────────────────────

    def _long(self, rows: Iterable[Row]) -> dict[str, _Gathered]:
        gathered: dict[str, _Gathered] = {}
        names = {s.output_column: place for place, s in enumerate(self._spec.systems)}
        names |= {name: place for place, name in enumerate(self._systems)}
        for line, cells in rows:
            name = self._id(cells[self._places.id], line)
            found = gathered.setdefault(name, _Gathered(line))
            self._agree(name, found, self._texts_of_row(cells, line))
            found.further = self._further(cells) | found.further
            place = self._system(cells[self._places.system], names, line)
            text = self._text(cells[self._places.output], "output", line)
            if text is None:
                self._complain(line, "the output is empty.", _FILL)
            if place is not None:
                self._add_output(name, found, place, (text or "", line))
        for name, found in gathered.items():
            absent = [s for place, s in enumerate(self._systems) if place not in found.outputs]
            if absent:
                self._complain(
                    found.line,
                    f"'{name}' has no output from {join_quoted(absent)}.",
                    "Add the rows.",
                )
        return gathered

    def _system(self, cell: Any, names: Mapping[str, int], line: int) -> int | None:  # JSON value
        given = self._label(cell, "system", line)
        if given in names:
            return names[given]
        near = did_you_mean(given, names) or f"The systems are {join_quoted(self._systems)}."
        what = f"there is no system '{given}'." if given else "the system is empty."
        self._complain(line, what, near)
        return None

    def _add_output(self, name: str, found: _Gathered, place: int, output: tuple[str, int]) -> None:
        before = found.outputs.get(place)
        if before is not None:
            self._complain(
                output[1],
                f"'{name}' has two outputs from '{self._systems[place]}', on lines {before[1]} and "
                f"{output[1]}.",
                "Keep one of them, or give the items different ids.",
            )
        found.outputs.setdefault(place, output)

    def _agree(self, name: str, found: _Gathered, said: dict[str, tuple[str, int]]) -> None:
        """What several rows say of one item must be the same; saying it once is enough."""
        for role, (text, line) in said.items():
            before, before_line = found.said.setdefault(role, (text, line))
            if before != text:
                self._complain(
                    line,
                    f"the {role} of '{name}' differs from the one on line {before_line}.",
                    "Give the same text each time, or give it only once.",
                )

    # ── cells ────────────────────────────────────────────────────────────────────────────────────

    def _item(self, name: str, found: _Gathered) -> Item:
        said = {role: text for role, (text, _) in found.said.items()}
        for role, question in (("input", self._needs.input), ("reference", self._needs.reference)):
            if question and role not in said:
                self._complain(
                    found.line,
                    f"the {role} is empty, but '{question}' needs it.",
                    f"Fill it in, or ask without the {role} (`beside: []`).",
                )
        outputs = (found.outputs.get(place) for place in range(len(self._systems)))
        return Item(
            id=name,
            group=said.get("group", name),
            dataset=said.get("dataset", ""),
            input=said.get("input", ""),
            reference=said.get("reference"),
            outputs=tuple(output[0] if output else None for output in outputs),
            language=said.get("language", self._spec.language),
            line=found.line,
            further=tuple(found.further.items()),
            **self._drawn_by(name, said, found.line),
        )

    def _drawn_by(self, name: str, said: Mapping[str, str], line: int) -> dict[str, Any]:
        """What decides whether the item is drawn: its stratum, its weight, or that it is listed."""
        sample = self._spec.items.sample
        if sample is None or (sample.role is None and not sample.ids):
            return {}
        if sample.role == "stratum":
            return {"stratum": said.get("stratum", "")}
        if sample.role == "weight":
            if "weight" not in said:
                self._complain(line, "the weight is empty.", _WEIGHT)
            return {"weight": float(said.get("weight", 0))}
        is_named = said.get("selection") == "yes" or name in sample.ids
        return {"is_listed": is_named}

    def _texts_of_row(self, cells: Cells, line: int) -> dict[str, tuple[str, int]]:
        said: dict[str, tuple[str, int]] = {}
        for role, column in self._places.optional.items():
            cell = cells[column]
            if role in _LABELS or role == "stratum":
                text = self._label(cell, role, line) or None
            elif role == "weight":
                text = self._weight(cell, line)
            elif role == "selection":
                text = self._mark(cell, line)
            else:
                text = self._text(cell, role, line)
            if text is not None:
                said[role] = (text, line)
        if "language" in said and not _LANGUAGE.match(said["language"][0]):
            self._complain(
                line,
                f"'{said['language'][0]}' is not a language code.",
                "Write for instance en, zh or pt-BR.",
            )
        return said

    def _further(self, cells: Cells) -> dict[str, str]:
        """What the row says in other columns, as far as these are words or numbers."""
        said = ((name, cell_text(cells[place])) for name, place in self._places.further
                if isinstance(cells[place], str | int | float))  # fmt: skip
        return {name: text.strip() for name, text in said if text and text.strip()}

    def _id(self, cell: Any, line: int) -> str:  # any JSON value
        name = str(cell) if _is_whole(cell) else cell
        if isinstance(name, str) and _SOUND_ID.fullmatch(name):
            return name
        if name is None or (isinstance(name, str) and not name.strip()):
            self._complain(line, "the id is empty.", "Give each item a short name or a number.")
            return f"line {line}"
        if not isinstance(name, str):
            self._complain(line, f"the id is {_kind(cell)}, not a text.", _AS_TEXT)
            return f"line {line}"
        what, remedy = _odd_id(name)
        self._complain(line, what, remedy)
        return name

    def _label(self, cell: Any, role: str, line: int) -> str:  # any JSON value
        if isinstance(cell, str):
            return cell.strip()
        if cell is None:
            return ""
        if _is_whole(cell):
            return str(cell)
        self._complain(line, f"the {role} is {_kind(cell)}, not a text.", _AS_TEXT)
        return ""

    def _weight(self, cell: Any, line: int) -> str | None:  # any JSON value
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        weight = read_weight(cell)
        if weight is None:
            shown = cell if isinstance(cell, str | int | float) else _kind(cell)
            self._complain(line, f"the weight is {shown!r}, not a number of 0 or more.", _WEIGHT)
        return repr(weight or 0.0)

    def _mark(self, cell: Any, line: int) -> str | None:  # any JSON value
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        is_listed = read_mark(cell)
        if is_listed is None:
            column = self._spec.items.sample.column if self._spec.items.sample else ""
            what = f"'{cell}' in the column '{column}' is neither yes nor no."
            self._complain(line, what, "Write yes for each item that takes part, and no elsewhere.")
        return "yes" if is_listed else "no"

    def _text(self, cell: Any, what: str, line: int) -> str | None:  # any JSON value
        """A text as it is; None if there is nothing to read in it."""
        if isinstance(cell, str):
            return cell if cell and not cell.isspace() else None
        if cell is None:
            return None
        if isinstance(cell, list):
            return self._join_segments(cell, what, line)
        self._complain(line, f"the {what} is {_kind(cell)}, not a text.", _AS_TEXT)
        return "?"  # already reported; not also empty

    def _join_segments(self, segments: list[Any], what: str, line: int) -> str | None:
        """A text given as a list of segments, with the marker between them."""
        marker = self._needs.marker
        if marker is None:
            self._complain(
                line,
                f"the {what} is a list, but no question is about marked segments.",
                "Write a text, or ask a question of kind segments with `split: marker`.",
            )
            return "?"
        for segment in segments:
            if not isinstance(segment, str) or not segment.strip() or marker in segment:
                self._complain(
                    line,
                    f"a segment of the {what} is not a text, is empty or contains '{marker}'.",
                    "Write each segment as a text of its own; another `marker` can be chosen.",
                )
                return "?"
        return marker.join(segments) or None

    def _complain(self, line: int, what: str, remedy: str) -> None:
        self.problems.append(Problem(what, remedy, file=self._file, line=line))


_AS_TEXT = "Put it in quotes; in a workbook, format the cell as text."
_FILL = "Fill it in, or remove the item."
_WEIGHT = "Write a number such as 0.25, with a decimal point; 0 keeps an item from being selected."


def _odd_id(name: str) -> tuple[str, str]:
    shown = ascii(name[:40])
    if len(name) > _LONGEST_ID:
        return (
            f"the id {shown[:-1]}…' has {len(name)} characters.",
            f"Use at most {_LONGEST_ID}.",
        )
    if name != name.strip():
        return f"the id {shown} begins or ends with a space.", "Remove the space."
    if name.startswith(("/", "@")):
        return f"the id {shown} begins with '{name[0]}'.", "Begin it with a letter or a digit."
    return f"the id {shown} contains an invisible control character.", "Take it out."


def _is_whole(cell: Any) -> bool:  # any JSON value
    return isinstance(cell, int) and not isinstance(cell, bool)


def _kind(cell: Any) -> str:  # any JSON value
    if isinstance(cell, bool):
        return "a truth value"
    if isinstance(cell, int | float):
        return "a number"
    if hasattr(cell, "isoformat"):
        return "a date"
    return "a list" if isinstance(cell, list) else "an object"


def page_text(text: str) -> str:
    """A text as a page shows it: one spelling per character, runs of white space as one blank."""
    spelt = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(spelt.split())
