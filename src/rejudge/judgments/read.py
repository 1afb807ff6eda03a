"""Judgments collected elsewhere: any table in, the one table of judgments out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments import cells
from rejudge.judgments.cells import ChoiceReading, distinct
from rejudge.judgments.columns import (
    OFTEN_OTHERWISE,
    ColumnRoles,
    candidates,
    columns_option,
    find_column,
    near_misses,
    no_such_column,
    recognise,
    refuse_missing,
    variant_notes,
)
from rejudge.judgments.duplicates import (
    MOST_DUPLICATES,
    Duplicates,
    combine_codes,
    is_again,
    settle,
)
from rejudge.judgments.encode import Encoder, Faults
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
            raise DataError.of(replace(faults, found=found_at).problems(self.source))


def read_judgments(
    source: Path | str | Frame,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | str | None = None,
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
    says how a wide table becomes long, such as "participant=r1,r2". `duplicates` says what happens
    when one participant judged one thing twice. `question` names the question where no column does;
    `sheet` is Excel's. `where` keeps the rows that meet conditions such as `lab=Tilburg`. `choices`
    says whether the answers to comparisons are sides or ids of systems, where both could be meant.
    `labels` gives the scores of words such as "Agree". `duplicate_share` allows more duplicates
    than a third of the rows.
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
    wide: Wide | str | None = None,
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
    shape = Wide.parse(wide) if isinstance(wide, str) else wide
    blocks = blocks_of(shape, opened.columns, file=opened.file) if shape else None
    names = blocks.names_beside(opened.columns) if blocks else opened.columns
    recognised = recognise(names, given, file=opened.file)
    refuse_missing(
        recognised,
        given,
        file=opened.file,
        numeric=lambda names: [] if blocks else _numeric_columns(opened, names),
    )
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
    others = _extra_columns(opened, beside, blocks)
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
        column = cells.encode_words(opened.load([name])[name]).take(rows)
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
    opened: TableColumns, names: Sequence[str], blocks: ColumnBlocks | None
) -> dict[str, Coded]:
    """Further columns as words, for each row of the long table; an empty cell is absent."""
    wanted = list(dict.fromkeys(names))
    problems = [no_such_column(name, opened.columns, opened.file) for name in wanted
                if name not in opened.columns]  # fmt: skip
    if blocks:
        what = "the column '{}' holds values of the wide table, so it cannot be read beside them."
        problems += [
            Problem(what.format(name), "Leave it out of --wide or of the other option.",
                    file=opened.file)
            for name in wanted if name in blocks.taken
        ]  # fmt: skip
    if problems:
        raise DataError.of(problems)
    if not wanted:
        return {}
    table = opened.load(wanted)
    parts = len(blocks.labels) if blocks else 1
    found = {name: Coded.of(map(_cell_word, table[name].to_pylist())) for name in wanted}
    return {
        name: Coded(np.tile(column.codes, parts), column.labels) for name, column in found.items()
    }


def _cell_word(cell: object) -> str | None:
    return None if cell is None or not str(cell).strip() else str(cell)


_TRIED = 200  # columns in which numbers are looked for


def _numeric_columns(opened: TableColumns, names: Sequence[str]) -> list[str]:
    """The columns that hold numbers and nothing else."""
    table = opened.load(list(names[:_TRIED]))
    return [name for name in table.column_names if _is_numeric(table[name])]


def _is_numeric(column: pa.ChunkedArray) -> bool:
    plain = cells.plain_column(column)
    if plain is None:
        return False
    found = cells.numbers(plain, are_scores=True)
    return not found.is_wrong.any() and not np.isnan(found.value).all()


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
    plain = {name: cells.plain_column(table[name]) for name in names}
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
        raise DataError.of(replace(faults, found=found).problems(opened))


# Which rows are read

_CONDITION = re.compile(r"(?P<column>.+?)\s*(?P<sign>!?=)(?P<value>.*)", re.DOTALL)
_SHOWN = 12  # values of a column that a message lists


@dataclass(frozen=True, slots=True)
class Where:
    """One condition on a column; an empty value stands for empty cells."""

    column: str
    value: str
    is_not: bool = False

    @classmethod
    def parse(cls, text: str) -> Where:
        """Read `lab=Tilburg` or `lab!=Tilburg`."""
        found = _CONDITION.fullmatch(text.strip())
        if not found:
            raise UsageError(
                Problem(
                    f"--where {text} is unclear.",
                    "Write column=value, or column!=value to leave rows out.",
                )
            )
        return cls(found["column"].strip(), found["value"].strip(), found["sign"] == "!=")

    def __str__(self) -> str:
        return f"{self.column}{'!=' if self.is_not else '='}{self.value}"


def filter_rows(source: TableColumns, conditions: Sequence[Where]) -> TableColumns:
    """The rows of a source that meet the conditions, with their lines.

    Values of the same column are alternatives, different columns must all fit. A column or a value
    that the table does not have is refused: a misspelt condition must not choose silently.
    """
    if not conditions:
        return source
    columns = _columns(source, conditions)
    cells = source.load(list(dict.fromkeys(columns.values())))
    keep = np.ones(len(cells), dtype=np.bool_)
    for asked, column in columns.items():
        keep &= _matching_rows(cells[column], [each for each in conditions if each.column == asked],
                         file=source.file)  # fmt: skip
    rows = np.flatnonzero(keep)
    if not len(rows):
        what = f"no row fits --where {' --where '.join(map(str, conditions))}."
        raise DataError(Problem(what, "Leave one of the conditions out.", file=source.file))

    def load(wanted: Sequence[str]) -> pa.Table:
        return source.load(wanted).filter(keep)

    def lines(wanted: Sequence[int]) -> Mapping[int, int]:
        found = source.lines([int(rows[row]) for row in wanted])
        return {row: found[int(rows[row])] for row in wanted}

    said = " and ".join(f"'{condition}'" for condition in conditions)
    note = f"Only rows with {said} are read: {len(rows):,} of {counted(len(keep), 'row')}."
    return replace(source, load=load, lines=lines, notes=(*source.notes, note))


def _columns(source: TableColumns, conditions: Sequence[Where]) -> dict[str, str]:
    """The table's column for each one asked for."""
    found = {each.column: find_column(source.columns, each.column) for each in conditions}
    problems = [
        no_such_column(asked, source.columns, source.file)
        for asked, column in found.items()
        if column is None
    ]
    if problems:
        raise DataError.of(problems)
    return {asked: column for asked, column in found.items() if column is not None}


def _matching_rows(
    column: pa.ChunkedArray, conditions: Sequence[Where], *, file: str | None
) -> NDArray[np.bool_]:
    codes, words = distinct(column)
    bare = [*(word.strip() for word in words), ""]  # code −1, an empty cell, takes the last
    _refuse_unknown(conditions, {bare[code] for code in np.unique(codes).tolist()}, file)
    wanted = {each.value for each in conditions if not each.is_not}
    unwanted = {each.value for each in conditions if each.is_not}
    fits = [(not wanted or word in wanted) and word not in unwanted for word in bare]
    return np.array(fits, dtype=np.bool_)[codes]


def _refuse_unknown(conditions: Sequence[Where], known: set[str], file: str | None) -> None:
    problems = [
        Problem(f"--where {each}: no row of '{each.column}' holds '{each.value}'.",
                f"It holds {_list_values(known)}.", file=file)
        for each in conditions
        if each.value not in known
    ]  # fmt: skip
    if problems:
        raise DataError.of(problems)


def _list_values(known: set[str]) -> str:
    shown = [f"'{word}'" if word else "empty cells" for word in sorted(known)[:_SHOWN]]
    more = len(known) - len(shown)
    return ", ".join(shown) + (f" and {more:,} others" if more else "")
