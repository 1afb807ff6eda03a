"""The table in an item file: its rows with their lines, and the place of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from rejudge.english import did_you_mean, join_quoted, nearest
from rejudge.errors import FileError, Problem, StudyError
from rejudge.study.model import Spec, System
from rejudge.tables_in import NamedFile, RowError, TableRows, read_rows

Cells: TypeAlias = Sequence[Any]  # texts in CSV and TSV; other types elsewhere

OPTIONAL = ("input", "reference", "dataset", "group", "language")


def read_item_table(content: bytes, spec: Spec, *, file: str) -> TableRows:
    """The table in a file, by the ending of its name."""
    outputs = {name: s.output_column for s in spec.systems for name in (s.output_column, s.id)}
    flatten = partial(_flatten_outputs, outputs=outputs)
    try:
        table = read_rows(NamedFile(file, content), flatten=flatten)
    except FileError as error:
        raise StudyError(*error.problems) from None
    if not table.rows and not table.problems:
        raise StudyError(
            Problem("the file has no rows.", "Add a header and one row per item.", file=file)
        )
    return table


def _flatten_outputs(found: dict[str, Any], outputs: Mapping[str, str]) -> dict[str, Any]:
    """An object with its `outputs` by system among its other keys, as in a wide table."""
    by_system = found.get("outputs")
    if not isinstance(by_system, dict):
        return found
    for system, text in by_system.items():
        column = outputs.get(system)
        if column is None:  # a system that is not part of the study
            continue
        if column in found:
            raise RowError(
                f"the output of '{system}' is given twice, in `outputs` and as '{column}'.",
                "Keep one of them.",
            )
        found[column] = text
    return found


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
    further: tuple[tuple[str, int], ...] = ()  # by name


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


def find_columns(table: TableRows, spec: Spec, *, file: str) -> tuple[ColumnPlaces, list[Problem]]:
    """The places of the columns, and what is missing; they are of no use if anything is missing."""
    search = _Search(table, spec, file)
    problems = [
        *search.missing_outputs(),
        *search.missing_roles(),
        *search.missing_sample(),
        *search.missing_groups(),
    ]
    at = {name: place for place, name in enumerate(table.header)}
    columns = spec.items.columns
    optional = {role: at[getattr(columns, role)] for role in OPTIONAL if search.has(role)}
    sample = spec.items.sample
    if sample and sample.role and sample.column in at:
        optional[sample.role] = at[sample.column]
    places = ColumnPlaces(
        id=at.get(columns.id, 0),
        optional=optional,
        outputs=()
        if search.is_long
        else tuple(at.get(system.output_column, 0) for system in spec.systems),
        system=at.get(columns.system, 0),
        output=at.get(columns.output, 0),
        further=tuple((name, at[name]) for name in search.unused_columns()),
    )
    return places, problems


@dataclass(frozen=True, slots=True)
class _Search:
    table: TableRows
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
            if role not in required and self._has_other_capitals(role)
        ]

    def missing_sample(self) -> list[Problem]:
        """The column by which inputs are drawn, if it is not there."""
        sample = self.spec.items.sample
        if sample is None or sample.column is None or sample.column in self.table.header:
            return []
        remedy = did_you_mean(sample.column, filter(None, self.table.header)) or self._there()
        what = f"the column '{sample.column}' is missing, but items.sample draws by it."
        return [self._problem(what, remedy)]

    def missing_groups(self) -> list[Problem]:
        """Columns by which results are grouped, if they are not there."""
        named = self.spec.analysis.groups if self.spec.analysis else ()
        known = {"dataset", "language", *self.unused_columns()}
        absent = [name for name in named if name not in known]
        return [
            self._problem(
                f"the column '{name}' is missing, but analysis.groups names it.",
                did_you_mean(name, filter(None, self.table.header)) or self._there(),
            )
            for name in absent
        ]

    def _has_other_capitals(self, role: str) -> bool:
        """“Dataset” for “dataset”: it would be left unread without a word."""
        name = getattr(self.spec.items.columns, role)
        folded = {other.casefold() for other in self.table.header}
        return not self.has(role) and name.casefold() in folded

    def _missing_role(self, role: str, why: str) -> Problem:
        name = getattr(self.spec.items.columns, role)
        near = nearest(name, self.unused_columns())
        remedy = (
            f"Did you mean '{near}'? Rename it, or write `columns: {{{role}: {near}}}` under "
            "`items` in study.yaml."
            if near
            else self._there()
        )
        return self._problem(f"the column '{name}' is missing{why}.", remedy)

    def _missing_system(self, system: System) -> Problem:
        near = nearest(system.output_column, self.unused_columns())
        remedy = (
            f"Did you mean '{near}'? Rename it, or give the system `column: {near}` in study.yaml."
            if near
            else self._there()
        )
        what = f"the column '{system.output_column}' with the outputs of a system is missing."
        return self._problem(what, remedy)

    def unused_columns(self) -> list[str]:
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
