"""Judgments collected elsewhere: any table in, the one table of judgments out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.judgments import arrow
from rejudge.judgments.column_reader import SHOWN, ChoiceReading, Faults
from rejudge.judgments.columns import (
    OFTEN_OTHERWISE,
    ColumnRoles,
    candidates,
    columns_option,
    near_misses,
    recognise,
    variant_notes,
)
from rejudge.judgments.conditions import Where, filter_rows
from rejudge.judgments.duplicates import (
    MOST_DUPLICATES,
    Duplicates,
    combine_codes,
    is_again,
    settle,
)
from rejudge.judgments.encode import Encoder
from rejudge.judgments.exclusions import (
    Cleaned,
    ExclusionRules,
    exclude_from_run,
    refuse_unanswerable,
)
from rejudge.judgments.shapes import ColumnBlocks, Wide, blocks_of, melt, with_rankings
from rejudge.judgments.table import COLUMNS, Coded, Judgments
from rejudge.tables_in import Frame, TableColumns, open_columns

if TYPE_CHECKING:
    import pyarrow as pa

_LISTED = 6  # names in a message


@dataclass(frozen=True, eq=False, slots=True)
class ReadTable:
    """A table that was read: its judgments, with notes, and what its columns were taken for."""

    judgments: Judgments
    recognised: ColumnRoles
    beside: Mapping[str, Coded] = field(default_factory=dict)  # other columns, row for row
    runs: Coded | None = None  # row for row; None: no column distinguishes runs
    source: TableColumns | None = None
    rows: NDArray[np.int64] | None = None  # of the source, for each judgment
    labels: Mapping[str, float] = field(default_factory=dict)  # scores that were written as words

    def by_run(self) -> dict[str, Judgments]:
        """The judgments of each run, in the order in which the runs appear in the table.

        A table without runs gives one, called by no name.
        """
        if self.runs is None:
            return {"": self.judgments}
        codes, first = np.unique(self.runs.codes, return_index=True)
        return {
            self.runs.labels[code]: self.judgments.take(self.runs.codes == code).compact()
            for code in codes[np.argsort(first)].tolist()
        }

    def clean_by_run(self, rules: ExclusionRules) -> dict[str, Cleaned]:
        """Each run without what the rules leave out of it."""
        refuse_unanswerable(self.judgments, rules)
        return {name: exclude_from_run(run, rules) for name, run in self.by_run().items()}

    def require_one_run(self) -> None:
        """Refuse to take the judgments of several labs or studies for those of one."""
        if self.runs is None or len(self.runs.used()) <= 1:
            return
        column = self.recognised.columns["run"]
        names = self.runs.used()
        raise DataError(
            Problem(
                f"the column '{column}' distinguishes {len(names)} runs: {_some_names(names)}.",
                f"Compare them with `rejudge compare FILE`, choose one with "
                f"--where {shlex.quote(f'{column}={names[0]}')}, or pool them with "
                "--columns run= (with nothing after the sign).",
                file=self.source.file if self.source else None,
            )
        )

    def require_scale(self, scale: tuple[float, float], questions: Sequence[str] = ()) -> None:
        """Refuse scores that the scale does not have, on these questions or on all."""
        low, high = scale
        found = self.judgments
        outside = (found.value < low) | (found.value > high)
        outside &= found.is_of_kind("real") & ~found.is_comparison
        named = [found.question.code(name) for name in questions if name in found.question.labels]
        if named:
            outside &= np.isin(found.question.codes, named)
        faults = Faults()
        faults.add(
            outside,
            lambda row: f"{found.value[row]:g} is not on the scale from {low:g} to {high:g}.",
            "Correct the score, or give the ends of the scale with --scale.",
        )
        if faults.count and self.source is not None and self.rows is not None:
            found_at = [(int(self.rows[row]), what, remedy) for row, what, remedy in faults.found]
            raise DataError.of(_problems(replace(faults, found=found_at), self.source))


def read_judgments(
    source: Path | str | Frame,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    duplicates: Duplicates = "error",
    question: str | None = None,
    sheet: str | None = None,
    where: Sequence[Where | str] = (),
    choices: ChoiceReading | None = None,
    labels: Mapping[str, float] | None = None,
    duplicate_share: float | None = None,
) -> Judgments:
    """Read judgments from CSV, TSV, JSONL, Parquet, Excel or any frame that narwhals knows.

    `columns` maps our names to the table's; the others are recognised by common spellings. `wide`
    says how a wide table becomes long. `duplicates` says what happens when one participant judged
    one thing twice. `question` names the question where no column does; `sheet` is Excel's. `where`
    keeps the rows that meet conditions such as `lab=Tilburg`. `choices` says whether the answers to
    comparisons are sides or ids of systems, where both could be meant. `labels` gives the scores of
    words such as "Agree". `duplicate_share` allows more duplicates than a third of the rows.
    What was done on the way is in the `notes` of the judgments.
    """
    table = read_table(
        source,
        columns=columns,
        wide=wide,
        duplicates=duplicates,
        question=question,
        sheet=sheet,
        where=where,
        choices=choices,
        labels=labels,
        duplicate_share=duplicate_share,
    )
    table.require_one_run()
    return table.judgments


def read_table(
    source: Path | str | Frame,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    duplicates: Duplicates = "error",
    question: str | None = None,
    sheet: str | None = None,
    beside: Sequence[str] = (),
    where: Sequence[Where | str] = (),
    choices: ChoiceReading | None = None,
    labels: Mapping[str, float] | None = None,
    duplicate_share: float | None = None,
) -> ReadTable:
    """The same as `read_judgments`, together with what was recognised and the run of each row.

    `beside` names further columns of a long table to read as well.
    """
    given = dict(columns or {})
    conditions = [Where.parse(each) if isinstance(each, str) else each for each in where]
    opened = filter_rows(open_columns(source, sheet=sheet), conditions)
    blocks = blocks_of(wide, opened.columns, file=opened.file) if wide else None
    names = blocks.names_beside(opened.columns) if blocks else opened.columns
    recognised = recognise(names, given, file=opened.file)
    is_own = _is_own(opened.columns)
    encoder = Encoder(
        table=_load(opened, recognised, blocks),
        names=recognised.columns,
        must_fit=_columns_that_must_fit(recognised, given),
        question=question,
        ignored=recognised.ignored,
        given=frozenset(given),
        is_own=is_own,
        choices=choices or ("side" if is_own else None),
        labels=labels,
        file=opened.file,
    )
    judgments, has_value = encoder.judgments()
    parts = len(blocks.labels) if blocks else 1
    height = len(judgments) // parts
    _refuse(encoder.faults, opened, rows=height)
    notes = [_columns_note(recognised, blocks, beside), *opened.notes, *encoder.notes]
    notes += _pooling_notes(names, given)
    notes += _possible_runs(recognised, given)
    notes += _missing_values(has_value)
    others = _extra_columns(opened, beside, is_wide=blocks is not None)
    read = _ReadRows(judgments, others, encoder.runs, np.arange(len(judgments)))
    if parts > 1 or not has_value.all():
        read = read.take(_row_order(has_value, parts))
    ranked = with_rankings(
        read.judgments, value=recognised.columns.get("value", ""), runs=read.runs, file=opened.file
    )
    if len(ranked.rows) != len(read.judgments):
        read = read.take(ranked.rows)
    read = replace(read, judgments=ranked.judgments)
    notes += ranked.notes
    settled, said = settle(
        read.judgments,
        duplicates,
        file=opened.file,
        runs=read.runs,
        most=MOST_DUPLICATES if duplicate_share is None else duplicate_share,
        hint=lambda: (
            "" if blocks else _distinguishing_column(opened, recognised, read.judgments, read.rows)
        ),
    )
    notes += [*said, *_shared_items(settled), *_variants(settled), *_side_notes(settled)]
    notes += _single_rows(settled, recognised)
    lines = read.rows if parts == 1 else read.rows % max(height, 1)
    return ReadTable(
        replace(settled, notes=tuple(notes)),
        recognised,
        read.others,
        read.runs,
        opened,
        lines,
        labels or {},
    )


@dataclass(frozen=True, slots=True)
class _ReadRows:
    """Judgments with what belongs to each of them: further columns, its run, its row."""

    judgments: Judgments
    others: Mapping[str, Coded]
    runs: Coded | None
    rows: NDArray[np.int64]

    def take(self, which: NDArray[np.int64]) -> _ReadRows:
        """Some of them, in another order."""
        return _ReadRows(
            self.judgments.take(which),
            {name: column.take(which) for name, column in self.others.items()},
            self.runs.take(which) if self.runs else None,
            self.rows[which],
        )


def _columns_that_must_fit(recognised: ColumnRoles, given: Mapping[str, str]) -> frozenset[str]:
    """Columns that were stated or have our names: a cell that does not fit is a mistake."""
    return frozenset(
        role
        for role, name in recognised.columns.items()
        if role in given or (role == name and role not in OFTEN_OTHERWISE)
    )


def _missing_values(has_value: NDArray[np.bool_]) -> Iterator[str]:
    if not has_value.all():
        missing = int((~has_value).sum())
        yield f"{missing:,} of {len(has_value):,} rows have no value and are left out."


def _columns_note(
    recognised: ColumnRoles, blocks: ColumnBlocks | None, beside: Sequence[str]
) -> str:
    """Which columns were taken for what; those of a wide table under their own names."""
    if blocks is None:
        return recognised.with_further(beside)
    columns = {
        role: blocks.wide_name(name) if name in (blocks.role, *blocks.long_names) else name
        for role, name in recognised.columns.items()
    }
    return str(replace(recognised, columns=columns))


def _distinguishing_column(
    opened: TableColumns, recognised: ColumnRoles, judgments: Judgments, rows: NDArray[np.int64]
) -> str:
    """An ignored column of few values in which all duplicates differ, and what to type for it."""
    for name in filter(None, recognised.ignored):
        column = arrow.encode_words(opened.load([name])[name]).take(rows)
        if not 1 < len(column.used()) <= len(rows) / 2:
            continue
        if not is_again(judgments, runs=column).any():
            roles = [r for r in ("system", "question", "run") if r not in recognised.columns]
            near = [role for role in roles if near_misses(role, [name])] or roles
            what = f"The column '{name}', which is ignored, distinguishes them"
            return (
                f"{what}: name its role, such as {columns_option(near[0], name)}."
                if near
                else f"{what}."
            )
    return ""


def _is_own(columns: Sequence[str]) -> bool:
    """Whether a table is in our own format, which writes the choice as a side."""
    return set(columns) >= set(COLUMNS) - {"passed", "state"}


def _pooling_notes(names: Sequence[str], given: Mapping[str, str]) -> Iterator[str]:
    """What is said when a column of runs was turned off."""
    if given.get("run", "none") == "":
        for column in candidates("run", [n for n in names if n not in given.values()]):
            yield f"The rows are pooled over '{column}', as requested by --columns run=."


def _possible_runs(recognised: ColumnRoles, given: Mapping[str, str]) -> Iterator[str]:
    """What is said of an ignored column that may tell labs or studies apart."""
    if "run" not in recognised.columns and "run" not in given:
        for column in near_misses("run", recognised.ignored)[:1]:
            option = columns_option("run", column)
            yield f"All rows are pooled. If '{column}' distinguishes runs: {option}."


def _single_rows(judgments: Judgments, recognised: ColumnRoles) -> Iterator[str]:
    """What is said where each row has an item of its own, as rows that were only numbered have."""
    column = recognised.columns.get("item", "")
    rows = int(judgments.is_of_kind("real").sum())
    people = len(judgments.participant.used())
    if 1 < people < rows == len(judgments.item.used()) == len(judgments):
        yield (
            f"Each row has an item of its own in '{column}', so nothing was judged by two people. "
            "If another column names the items: --columns item=…."
        )


def _some_names(names: Sequence[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names[:_LISTED])
    return listed + (" …" if len(names) > _LISTED else "")


def _extra_columns(
    opened: TableColumns, names: Sequence[str], *, is_wide: bool
) -> dict[str, Coded]:
    """Further columns as words; an empty cell is absent."""
    wanted = list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in opened.columns]
    if unknown or (wanted and is_wide):
        what = f"there is no column '{unknown[0]}'." if unknown else "the table is wide."
        remedy = f"It has: {', '.join(opened.columns)}." if unknown else "Make it long first."
        raise DataError(Problem(what, remedy, file=opened.file))
    if not wanted:
        return {}
    table = opened.load(wanted)
    return {
        name: Coded.of(
            None if cell is None or not str(cell).strip() else str(cell)
            for cell in table[name].to_pylist()
        )
        for name in wanted
    }


def _load(opened: TableColumns, recognised: ColumnRoles, blocks: ColumnBlocks | None) -> pa.Table:
    """The recognised columns of the source, long, under our names."""
    import pyarrow as pa

    wanted = set(recognised.columns.values())
    parts = blocks.only(wanted) if blocks else None
    read = [n for n in opened.columns if n in wanted or (parts and n in parts.taken)]
    table = opened.load(read)
    if parts:
        table = melt(table, parts)
    names = dict.fromkeys(recognised.columns.values())
    plain = {name: arrow.plain_column(table[name]) for name in names}
    problems = [
        Problem(f"the column '{name}' holds {_type_in_words(table[name].type)}.",
                "Give one word or number per cell.", file=opened.file)
        for name, column in plain.items() if column is None
    ]  # fmt: skip
    if problems:
        raise DataError.of(problems)
    return pa.table({ours: plain[theirs] for ours, theirs in recognised.columns.items()})


def _type_in_words(kind: pa.DataType) -> str:
    from pyarrow import types

    if types.is_nested(kind):
        return "lists or objects"
    is_binary = types.is_binary(kind) or types.is_large_binary(kind)
    return "bytes that are not text" if is_binary else f"values of the type {kind}"


def _row_order(has_value: NDArray[np.bool_], parts: int) -> NDArray[np.int64]:
    """The rows that have a value; those that were melted from one line stay together."""
    places = np.arange(len(has_value)).reshape(parts, -1).T.ravel()
    return places[has_value[places]]


def _variants(judgments: Judgments) -> Iterator[str]:
    systems = (judgments.system, judgments.system_a, judgments.system_b)
    yield from variant_notes("participant", judgments.participant.used())
    yield from variant_notes("system", sorted({name for each in systems for name in each.used()}))
    yield from variant_notes("item", judgments.item.used())
    yield from variant_notes("question", judgments.question.used())


def _side_notes(judgments: Judgments) -> Iterator[str]:
    """Rows that are not judgments of systems: checks and practice."""
    counts = {
        "checks": int(judgments.is_of_kind("check").sum()),
        "practice": int(judgments.is_of_kind("practice").sum()),
    }
    said = [f"{rows:,} of {kind}" for kind, rows in counts.items() if rows]
    if said:
        are = "is" if sum(counts.values()) == 1 else "are"
        rows = counted(len(judgments), "row")
        yield f"Of {rows}, {' and '.join(said)} {are} set aside and do not count for systems."


def _shared_items(judgments: Judgments) -> Iterator[str]:
    """Items that are renumbered in each dataset would be taken for one another."""
    if len(judgments.dataset.labels) <= 1:
        return
    places = np.unique(combine_codes([judgments.item.codes, judgments.dataset.codes]))
    shared = len(places) - len(np.unique(judgments.item.codes))
    if shared:
        yield f"{shared:,} items are in more than one dataset and count as the same item there."


def _refuse(faults: Faults, opened: TableColumns, *, rows: int) -> None:
    if faults.count:
        found = [(row % rows, what, remedy) for row, what, remedy in faults.found]
        raise DataError.of(_problems(replace(faults, found=found), opened))


def _problems(faults: Faults, opened: TableColumns) -> Iterator[Problem]:
    """The first faults in the order of the file, each with its line."""
    first = sorted(faults.found)[:SHOWN]
    lines = opened.lines([row for row, _, _ in first])
    for row, what, remedy in first:
        yield Problem(what, remedy, file=opened.file, line=lines[row])
    if faults.count > len(first):
        yield Problem(f"{faults.count - len(first):,} more problems were found.", file=opened.file)
