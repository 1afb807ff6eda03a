"""Judgments collected elsewhere: any table in, the one table of judgments out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.errors import DataError, Problem
from rejudge.judgments import arrow
from rejudge.judgments.duplicates import Duplicates, combined, settle
from rejudge.judgments.encode import SHOWN, Encoder, Faults
from rejudge.judgments.sources import Frame, Source, open_source
from rejudge.judgments.spellings import OFTEN_OTHERWISE, Recognised, recognise
from rejudge.judgments.table import Coded, Judgments
from rejudge.judgments.wide import Blocks, Wide, blocks_of, melt

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class ReadTable:
    """A table that was read: its judgments, with notes, and what its columns were taken for."""

    judgments: Judgments
    recognised: Recognised
    beside: Mapping[str, Coded] = field(default_factory=dict)  # other columns, row for row


def read_judgments(
    source: Path | str | Frame,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    duplicates: Duplicates = "error",
    question: str | None = None,
    sheet: str | None = None,
) -> Judgments:
    """Read judgments from CSV, TSV, JSONL, Parquet, Excel or any frame that narwhals knows.

    `columns` maps our names to the table's; the others are recognised by common spellings. `wide`
    says how a wide table becomes long. `duplicates` says what happens when one participant judged
    one thing twice. `question` names the question where no column does; `sheet` is Excel's.
    What was done on the way stands in the `notes` of the judgments.
    """
    return read_table(
        source, columns=columns, wide=wide, duplicates=duplicates, question=question, sheet=sheet
    ).judgments


def read_table(
    source: Path | str | Frame,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    duplicates: Duplicates = "error",
    question: str | None = None,
    sheet: str | None = None,
    beside: Sequence[str] = (),
) -> ReadTable:
    """The same as `read_judgments`, together with what was recognised.

    `beside` names further columns of a long table that shall come along.
    """
    given = dict(columns or {})
    opened = open_source(source, sheet=sheet)
    blocks = blocks_of(wide, opened.columns, file=opened.file) if wide else None
    names = blocks.names_beside(opened.columns) if blocks else opened.columns
    recognised = recognise(names, given, file=opened.file)
    encoder = Encoder(
        table=_loaded(opened, recognised, blocks),
        names=recognised.columns,
        must_fit=frozenset(
            role
            for role, name in recognised.columns.items()
            if role in given or (role == name and role not in OFTEN_OTHERWISE)
        ),
        question=question,
        file=opened.file,
    )
    judgments, has_value = encoder.judgments()
    parts = len(blocks.labels) if blocks else 1
    _refuse(encoder.faults, opened, rows=len(judgments) // parts)
    notes = [note for note in (opened.note, *encoder.notes) if note]
    if not has_value.all():
        missing = int((~has_value).sum())
        notes.append(f"{missing:,} of {len(judgments):,} rows have no value and are left out.")
    others = _beside(opened, beside, is_wide=blocks is not None)
    if parts > 1 or not has_value.all():
        rows = _in_order_of_the_file(has_value, parts)
        judgments = judgments.take(rows)
        others = {name: column.take(rows) for name, column in others.items()}
    settled, said = settle(judgments, duplicates, file=opened.file)
    notes += [*said, *_shared_items(settled)]
    return ReadTable(replace(settled, notes=tuple(notes)), recognised, others)


def _beside(opened: Source, names: Sequence[str], *, is_wide: bool) -> dict[str, Coded]:
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
            None if cell in {None, ""} else str(cell) for cell in table[name].to_pylist()
        )
        for name in wanted
    }


def _loaded(opened: Source, recognised: Recognised, blocks: Blocks | None) -> pa.Table:
    """The recognised columns of the source, long, under our names."""
    import pyarrow as pa

    wanted = set(recognised.columns.values())
    parts = blocks.only(wanted) if blocks else None
    read = [n for n in opened.columns if n in wanted or (parts and n in parts.taken)]
    table = opened.load(read)
    if parts:
        table = melt(table, parts)
    plain = {name: arrow.plain_column(table[name]) for name in table.column_names}
    problems = [
        Problem(f"the column '{name}' holds {_kept_in(table[name].type)}.",
                "Give one word or number per cell.", file=opened.file)
        for name, column in plain.items() if column is None
    ]  # fmt: skip
    if problems:
        raise DataError.of(problems)
    return pa.table({ours: plain[theirs] for ours, theirs in recognised.columns.items()})


def _kept_in(kind: pa.DataType) -> str:
    from pyarrow import types

    if types.is_nested(kind):
        return "lists or objects"
    is_binary = types.is_binary(kind) or types.is_large_binary(kind)
    return "bytes that are no text" if is_binary else f"values of the type {kind}"


def _in_order_of_the_file(has_value: NDArray[np.bool_], parts: int) -> NDArray[np.int64]:
    """The rows that have a value; those that were melted from one line stand together."""
    import numpy as np

    places = np.arange(len(has_value)).reshape(parts, -1).T.ravel()
    return places[has_value[places]]


def _shared_items(judgments: Judgments) -> Iterator[str]:
    """Items that are numbered anew in each dataset would be taken for one another."""
    import numpy as np

    if len(judgments.dataset.labels) <= 1:
        return
    places = np.unique(combined([judgments.item.codes, judgments.dataset.codes]))
    shared = len(places) - len(np.unique(judgments.item.codes))
    if shared:
        yield f"{shared:,} items stand in more than one dataset and count as the same item there."


def _refuse(faults: Faults, opened: Source, *, rows: int) -> None:
    if faults.count:
        raise DataError.of(_problems(faults, opened, rows))


def _problems(faults: Faults, opened: Source, rows: int) -> Iterator[Problem]:
    """The first faults in the order of the file, each with its line."""
    first = sorted((row % rows, what, remedy) for row, what, remedy in faults.found)[:SHOWN]
    lines = opened.lines([row for row, _, _ in first])
    for row, what, remedy in first:
        yield Problem(what, remedy, file=opened.file, line=lines[row])
    if faults.count > len(first):
        yield Problem(f"{faults.count - len(first):,} more faults were found.", file=opened.file)
