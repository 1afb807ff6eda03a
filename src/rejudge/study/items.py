"""From the bytes of an item file to items, or to everything that is wrong with it, by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rejudge.english import did_you_mean, join_quoted, nearest
from rejudge.errors import Problem, StudyError
from rejudge.study.conduct import LANGUAGE
from rejudge.study.model import Item, Spec, System
from rejudge.study.tables import Cells, TextTable, decode, read_table

OPTIONAL = ("input", "reference", "dataset", "group", "language")


@dataclass(frozen=True, slots=True)
class Needs:
    """What the questions ask of the items: each is the id of a question, or None."""

    input: str | None  # shown beside the outputs
    reference: str | None  # shown or scored
    marker: str | None  # joins segments that are given as a list


@dataclass(frozen=True, slots=True)
class ColumnPlaces:
    """The place of each thing in a row."""

    id: int
    optional: dict[str, int]  # by role; what the file does not have is left out
    outputs: tuple[int, ...]  # wide: one per system; long: none
    system: int = 0  # long
    output: int = 0  # long


def needs_of(spec: Spec) -> Needs:
    """What has to be there for every item."""
    shows = {
        side: next((q.id for q in spec.questions if side in q.beside), None)
        for side in ("input", "reference")
    }
    cuts = {q.id: q.segmentation for q in spec.questions if q.segmentation is not None}
    scored = next((name for name, cut in cuts.items() if cut.unit == "reference"), None)
    return Needs(
        input=shows["input"],
        reference=shows["reference"] or scored,
        marker=next((cut.marker for cut in cuts.values() if cut.split == "marker"), None),
    )


def find_columns(table: TextTable, spec: Spec, *, file: str) -> tuple[ColumnPlaces, list[Problem]]:
    """The places of the columns, and what is missing; they are of no use if anything is missing."""
    search = _Search(table, spec, file)
    problems = [*search.missing_outputs(), *search.missing_roles()]
    at = {name: place for place, name in enumerate(table.header)}
    columns = spec.items.columns
    optional = {role: at[getattr(columns, role)] for role in OPTIONAL if search.has(role)}
    places = ColumnPlaces(
        id=at.get(columns.id, 0),
        optional=optional,
        outputs=()
        if search.is_long
        else tuple(at.get(system.output_column, 0) for system in spec.systems),
        system=at.get(columns.system, 0),
        output=at.get(columns.output, 0),
    )
    return places, problems


@dataclass(frozen=True, slots=True)
class _Search:
    table: TextTable
    spec: Spec
    file: str

    @property
    def is_long(self) -> bool:
        layout, columns = self.spec.items.layout, self.spec.items.columns
        if layout != "auto":
            return layout == "long"
        is_named = bool({"system", "output"} & columns.model_fields_set)
        has_both = self.has("system") and self.has("output")
        return (is_named or has_both) and not self._systems_there()

    def has(self, role: str) -> bool:
        return getattr(self.spec.items.columns, role) in self.table.header

    def missing_outputs(self) -> list[Problem]:
        """For a wide file: the columns of systems that are not there."""
        if self.is_long:
            return []
        absent = [s for s in self.spec.systems if s.output_column not in self.table.header]
        is_near = any(nearest(system.output_column, self.table.header) for system in absent)
        if len(absent) == len(self.spec.systems) > 1 and not is_near:
            columns = self.spec.items.columns
            names = join_quoted(system.output_column for system in absent)
            return [
                self._problem(
                    f"no system has a column; {names} are missing.",
                    f"Give each a column, or one row per output with the columns '{columns.id}', "
                    f"'{columns.system}' and '{columns.output}'. {self._there()}",
                )
            ]
        return [self._missing_system(system) for system in absent]

    def missing_roles(self) -> list[Problem]:
        needs = needs_of(self.spec)
        reasons = {"id": "", "system": "", "output": ""}
        if needs.input:
            reasons["input"] = f", but '{needs.input}' shows the input"
        if needs.reference:
            reasons["reference"] = f", but '{needs.reference}' needs the reference"
        if not self.is_long:
            del reasons["system"], reasons["output"]
        named = self.spec.items.columns.model_fields_set & set(OPTIONAL)
        required = {**dict.fromkeys(named, ", but study.yaml names it"), **reasons}
        problems = [
            self._missing_role(role, why) for role, why in required.items() if not self.has(role)
        ]
        return problems + [
            self._missing_role(role, "")
            for role in OPTIONAL
            if role not in required and self._is_spelt_otherwise(role)
        ]

    def _is_spelt_otherwise(self, role: str) -> bool:
        """“Dataset” for “dataset”: it would be left unread without a word."""
        name = getattr(self.spec.items.columns, role)
        folded = {other.casefold() for other in self.table.header}
        return not self.has(role) and name.casefold() in folded

    def _missing_role(self, role: str, why: str) -> Problem:
        name = getattr(self.spec.items.columns, role)
        near = nearest(name, self._unused())
        remedy = (
            f"Did you mean '{near}'? Rename it, or write `columns: {{{role}: {near}}}` under "
            "`items` in study.yaml."
            if near
            else self._there()
        )
        return self._problem(f"the column '{name}' is missing{why}.", remedy)

    def _missing_system(self, system: System) -> Problem:
        near = nearest(system.output_column, self._unused())
        remedy = (
            f"Did you mean '{near}'? Rename it, or give the system `column: {near}` in study.yaml."
            if near
            else self._there()
        )
        what = f"the column '{system.output_column}' with the outputs of a system is missing."
        return self._problem(what, remedy)

    def _unused(self) -> list[str]:
        columns = self.spec.items.columns
        used = {getattr(columns, role) for role in type(columns).model_fields}
        used |= {system.output_column for system in self.spec.systems}
        return [name for name in self.table.header if name and name not in used]

    def _systems_there(self) -> bool:
        return any(system.output_column in self.table.header for system in self.spec.systems)

    def _there(self) -> str:
        return f"The file has {join_quoted(name for name in self.table.header if name)}."

    def _problem(self, what: str, remedy: str) -> Problem:
        return Problem(what, remedy, file=self.file, line=self.table.header_line)


Row: TypeAlias = tuple[int, Cells]

_SHOWN = 20  # problems of one file that are listed one by one
_LONGEST_ID = 100
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff"
_SOUND_ID = re.compile(rf"(?![/@\s])[^{_CONTROL}]{{1,{_LONGEST_ID}}}(?<!\s)")
_LANGUAGE = re.compile(LANGUAGE)
_LABELS = ("dataset", "group", "language")


def read_items(content: bytes, spec: Spec, *, file: str) -> tuple[Item, ...]:
    """The items of a file, wide or long; texts are kept to the character."""
    outputs = {name: s.output_column for s in spec.systems for name in (s.output_column, s.id)}
    table = read_table(decode(content, file=file), file=file, outputs=outputs)
    problems = list(table.problems)
    items: list[Item] = []
    if table.rows:
        places, missing = find_columns(table, spec, file=file)
        problems += missing
        if not missing:
            reader = _ItemReader(spec, places, file)
            items = list(reader.items(table.rows))
            problems += reader.problems
    if problems:
        raise StudyError(*_first(problems, file=file))
    return tuple(items)


def _first(problems: list[Problem], *, file: str) -> list[Problem]:
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)
    more = len(ordered) - _SHOWN
    if more <= 0:
        return ordered
    rest = Problem(f"and {more} more problems of this kind or others.", file=file)
    return [*ordered[:_SHOWN], rest]


@dataclass(slots=True)
class _Gathered:
    """What the rows of one item say together, with the line that said it first."""

    line: int
    said: dict[str, tuple[str, int]] = field(default_factory=dict)  # by role
    outputs: dict[int, tuple[str, int]] = field(default_factory=dict)  # by place of the system


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
            found = _Gathered(line, self._texts_of_row(cells, line))
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
                    found.line, f"'{name}' has no output of {join_quoted(absent)}.", "Add the rows."
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
                f"'{name}' has two outputs of '{self._systems[place]}', on lines {before[1]} and "
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
                    f"the {role} of '{name}' is not the one given on line {before_line}.",
                    "Give the same each time, or only once.",
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
        )

    def _texts_of_row(self, cells: Cells, line: int) -> dict[str, tuple[str, int]]:
        said: dict[str, tuple[str, int]] = {}
        for role, column in self._places.optional.items():
            cell = cells[column]
            if role in _LABELS:
                text = self._label(cell, role, line) or None
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

    def _id(self, cell: Any, line: int) -> str:  # any JSON value
        name = str(cell) if _is_whole(cell) else cell
        if isinstance(name, str) and _SOUND_ID.fullmatch(name):
            return name
        if name is None or (isinstance(name, str) and not name.strip()):
            self._complain(line, "the id is empty.", "Give each item a short name or a number.")
            return f"line {line}"
        if not isinstance(name, str):
            self._complain(line, f"the id is {_kind(cell)}, not a text.", "Put it in quotes.")
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
        self._complain(line, f"the {role} is {_kind(cell)}, not a text.", "Put it in quotes.")
        return ""

    def _text(self, cell: Any, what: str, line: int) -> str | None:  # any JSON value
        """A text as it is; None if there is nothing to read in it."""
        if isinstance(cell, str):
            return cell if cell and not cell.isspace() else None
        if cell is None:
            return None
        if isinstance(cell, list):
            return self._join_segments(cell, what, line)
        self._complain(line, f"the {what} is {_kind(cell)}, not a text.", "Put it in quotes.")
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


_FILL = "Fill it in, or take the item out."


def _odd_id(name: str) -> tuple[str, str]:
    shown = ascii(name[:40])
    if len(name) > _LONGEST_ID:
        return (
            f"the id {shown[:-1]}…' has {len(name)} characters.",
            f"Use at most {_LONGEST_ID}.",
        )
    if name != name.strip():
        return f"the id {shown} begins or ends with a blank.", "Remove the blank."
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
    return "a list" if isinstance(cell, list) else "an object"


def as_shown(text: str) -> str:
    """A text as a page shows it: one spelling per character, runs of white space as one blank."""
    spelt = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(spelt.split())
