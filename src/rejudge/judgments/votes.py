"""Votes between two systems in a Parquet file of any length, read once with bounded memory.

Systems and answers are few, so each combination of two systems and an answer is counted. Items and
participants can be as many as votes: only 64 bits of a hash of each are kept, and the votes are
sorted into parts by that hash, so that each part holds whole participants (or items) and fits into
memory. Two ids share a hash with a chance of 1 in 3,000 among a hundred million.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.executors.chunks import Chunk, ChunkExecutor, SerialExecutor
from rejudge.incoming import TABLE_BYTES, refuse_no_folder, require_regular
from rejudge.judgments import arrow
from rejudge.judgments.column_reader import CHOICE_REMEDY, ChoiceReading, choice_notes, choices
from rejudge.judgments.columns import (
    AbsentColumns,
    ColumnRoles,
    recognise,
    refuse_many_systems,
    trim_names,
    trimming_notes,
    variant_notes,
)
from rejudge.judgments.table import Coded
from rejudge.judgments.text_sources import unreadable
from rejudge.judgments.vote_runs import (
    ClusterKind,
    CountedRows,
    ReadingPlan,
    RunSlice,
    TripleCounts,
    VoteRun,
    count_row_groups,
    number_labels,
    pack,
    read_batches,
    unpack,
)
from rejudge.text_tables import open_table

if TYPE_CHECKING:
    import pyarrow as pa

_PER_PART: Final = 1_000_000  # votes of a part, about
_MOST_PARTS: Final = 4096
_PER_CHUNK: Final = 500_000  # rows that are read by one chunk of work, or more in one row group
_FIRST_ROWS: Final = 100_000
_PAIR = ("system_a", "system_b")
_NEEDED = ("item", "value", "system_a", "system_b")
_UNUSED = frozenset(  # columns that change none of the numbers that are computed from votes
    ("dataset", "batch", "task", "position", "seconds", "submitted_at", "side", "plan")
)


@dataclass(frozen=True, slots=True)
class VoteColumns:
    """What is known of a Parquet file before its votes are read."""

    path: Path
    recognised: ColumnRoles
    group_rows: tuple[int, ...]  # of each row group

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(self.group_rows)

    @property
    def obstacle(self) -> str:
        """The column because of which votes cannot be counted in parts; empty if there is none."""
        if not {"system_a", "system_b"} <= set(self.recognised.columns):
            return "systems"
        used = {"participant", *_NEEDED}
        others = [r for r in self.recognised.columns if r not in used and r not in _UNUSED]
        return others[0] if others else ""


@dataclass(frozen=True, slots=True)
class CountedVotes:
    """The votes of a file by combination of systems and answer, and the runs they are in."""

    systems: tuple[str, ...]
    first: NDArray[np.int64]  # system of each combination
    second: NDArray[np.int64]
    preference: NDArray[np.float64]  # for the first: 1, ½, 0; NaN where there is no answer
    counts: NDArray[np.int64]
    rows: int
    parts: int
    runs: tuple[tuple[VoteRun, Path], ...]  # with the file that places its combinations
    has_participants: bool
    fingerprint: str
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Votes that count."""
        return int(self.counts[~np.isnan(self.preference)].sum())

    @property
    def kinds(self) -> tuple[ClusterKind, ...]:
        """The clusters that votes were sorted by."""
        return ("participant", "item") if self.has_participants else ("item",)

    def slices(self, kind: ClusterKind, part: int) -> tuple[RunSlice, ...]:
        """Where the votes of a part are."""
        found = []
        for run, places in self.runs:
            starts = run.starts[kind]
            start, stop = int(starts[part]), int(starts[part + 1])
            if stop > start:
                found.append(RunSlice(run.paths[kind], places, int(starts[-1]), start, stop))
        return tuple(found)


def vote_columns(path: Path, columns: Mapping[str, str] | None = None) -> VoteColumns:
    """The columns of a Parquet file, and how many rows its row groups have."""
    import pyarrow as pa
    from pyarrow import parquet

    require_regular(path, remedy="Give a table of judgments.", limit=TABLE_BYTES)
    try:
        with open_table(path) as stream:
            opened = parquet.ParquetFile(stream)
            names = tuple(opened.schema_arrow.names)
            groups = range(opened.metadata.num_row_groups)
            rows = tuple(opened.metadata.row_group(group).num_rows for group in groups)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return VoteColumns(path, recognise(names, dict(columns or {}), file=str(path)), rows)


def first_systems(known: VoteColumns) -> int:
    """How many systems the first rows name, to estimate how many pairs there are."""
    _refuse_missing(known, frozenset())
    labels: set[str] = set()
    rows = 0
    names = {role: known.recognised.columns[role] for role in ("system_a", "system_b")}
    for table in read_batches(known.path, names):
        for name in names:
            labels.update(arrow.distinct(table[name])[1])
        rows += len(table)
        if rows >= _FIRST_ROWS:
            break
    return len(labels)


def count_votes(
    known: VoteColumns,
    folder: Path,
    *,
    given: frozenset[str] = frozenset(),
    choices_by: ChoiceReading | None = None,
    executor: ChunkExecutor | None = None,
    progress: Callable[[float], None] | None = None,
) -> CountedVotes:
    """Count the votes of a file and sort them into parts in a folder."""
    _refuse_missing(known, given)
    refuse_no_folder(folder)
    columns = known.recognised.columns
    wanted = ("participant", *_NEEDED)
    plan = ReadingPlan(
        known.path.absolute(),
        tuple((role, columns[role]) for role in wanted if role in columns),
        folder.absolute(),
        min(_MOST_PARTS, 1 + known.rows // _PER_PART),
    )
    found = _Found(plan)
    runner = executor or SerialExecutor()
    for part in runner.run_in_order(count_row_groups, _chunks(known, plan), progress=progress):
        found.add(part)
    return _counted(found, known, choices_by)


def _chunks(known: VoteColumns, plan: ReadingPlan) -> list[Chunk]:
    """Row groups that follow each other, with half a million rows or more together."""
    chunks: list[Chunk] = []
    groups: list[int] = []
    row, start = 0, 0
    for group, rows in enumerate(known.group_rows):
        groups.append(group)
        row += rows
        if row - start >= _PER_CHUNK or group + 1 == len(known.group_rows):
            key = f"rows {start + 1:,} to {row:,}"
            chunks.append(Chunk(key, (len(chunks),), (plan, tuple(groups), start)))
            groups, start = [], row
    return chunks


def _refuse_missing(known: VoteColumns, given: frozenset[str]) -> None:
    names = known.recognised
    absent = AbsentColumns(names.columns, names.ignored, given, str(known.path))
    problems = list(absent.problems(_NEEDED, names_systems=True))
    if problems:
        raise DataError.of(problems)


@dataclass(slots=True)
class _Found:
    """What all chunks together have named and counted."""

    plan: ReadingPlan
    systems: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    triples: TripleCounts = field(default_factory=TripleCounts.none)
    empty: dict[str, tuple[int, int]] = field(default_factory=dict)
    rows: int = 0
    runs: list[tuple[VoteRun, Path]] = field(default_factory=list)

    def add(self, part: CountedRows) -> None:
        """Add a chunk; a file keeps the places that its combinations have among all."""
        systems = np.roll(number_labels(self.systems, part.systems), 1)  # first the empty cell
        refuse_many_systems(len(self.systems), file=str(self.plan.path))
        words = np.roll(number_labels(self.words, part.words), 1)
        first, second, answer = unpack(part.triples)
        keys = pack(systems[first], systems[second], words[answer])
        places = self.triples.add(keys, part.counts, part.first_rows)
        path = self.plan.folder / f"places-{self.rows}.npy"
        np.save(path, places.astype(np.uint32))
        self.runs += [(run, path) for run in part.runs]
        for name, (number, row) in part.empty.items():
            before, first_row = self.empty.get(name, (0, row))
            self.empty[name] = (before + number, first_row)
        self.rows += part.rows


def _counted(found: _Found, known: VoteColumns, choices_by: ChoiceReading | None) -> CountedVotes:
    """Read each combination once, as the whole column would be read."""
    import pyarrow as pa

    triples = unpack(found.triples.keys)
    words = (None, *found.words)
    named = [_Names.of(triples[place], found, known, role) for place, role in enumerate(_PAIR)]
    systems = tuple(sorted({name for each in named for name in each.names if name}))
    first, second = (Coded.of(each.names, systems) for each in named)
    answers = pa.chunked_array(
        [pa.array([words[code] for code in triples[2].tolist()], pa.string())]
    )
    read = choices(answers, first, second, by=choices_by)
    counts = found.triples.counts
    value = read.preference.value
    faults = _Faults(found, known, counts)
    is_pair = (first.codes >= 0) & (second.codes >= 0)
    answered = ~np.isnan(value) | read.preference.is_wrong
    faults.add(read.unclear & answered, _UNCLEAR, _SAY_WHICH)
    faults.add(answered & ~is_pair, "a vote names only one system, or none.", "Name both systems.")
    faults.add(answered & is_pair & (first.codes == second.codes),
               "a system is compared with itself.", "Name two different systems.")  # fmt: skip
    faults.add(read.preference.is_wrong & is_pair, "{answer} is not an outcome of a comparison.",
               CHOICE_REMEDY, answers=answers)  # fmt: skip
    faults.refuse()
    used = np.unique(np.concatenate([c.codes[~np.isnan(value)] for c in (first, second)]))
    order = np.full(len(systems) + 1, -1, dtype=np.int64)
    order[used] = np.arange(len(used))
    missing = int(counts[np.isnan(value)].sum())
    left_out = f"{missing:,} of {found.rows:,} rows have no value and are left out."
    notes = (
        str(known.recognised),
        *(note for each in named for note in each.notes),
        *choice_notes(read.by, tuple(found.words)),
        *((left_out,) if missing else ()),
        *variant_notes("system", [systems[code] for code in used.tolist()]),
    )
    return CountedVotes(
        systems=tuple(systems[code] for code in used.tolist()),
        first=order[first.codes],
        second=order[second.codes],
        preference=value,
        counts=counts,
        rows=found.rows,
        parts=found.plan.parts,
        runs=tuple(found.runs),
        has_participants="participant" in known.recognised.columns,
        fingerprint=_fingerprint(known.path),
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """The systems of one column by combination, without the spaces around their names."""

    names: list[str | None]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, codes: NDArray[np.int64], found: _Found, known: VoteColumns, role: str) -> _Names:
        """None for an empty cell, also for one of spaces; two names never become one."""
        labels = ("", *found.systems)
        listed = [labels[code] for code in codes.tolist()]
        spaced = trim_names(listed)
        names = [spaced.get(label, label) for label in listed]
        notes = trimming_notes(spaced, known.recognised.columns[role])
        return cls([name if name.strip() else None for name in names], tuple(notes))


_UNCLEAR = "an answer could be the id of a system or a side."
_SAY_WHICH = "Add --choices system or --choices side."


@dataclass(frozen=True, slots=True)
class _Faults:
    """What is wrong with some rows: how many, and the first of them."""

    found: _Found
    known: VoteColumns
    counts: NDArray[np.int64]
    problems: list[Problem] = field(default_factory=list)

    def add(
        self,
        wrong: NDArray[np.bool_],
        what: str,
        remedy: str,
        *,
        answers: pa.ChunkedArray | None = None,
    ) -> None:
        if not wrong.any():
            return
        rows = self.found.triples.first_rows
        place = min(wrong.nonzero()[0].tolist(), key=rows.__getitem__)
        answer = "" if answers is None else f"'{answers[place].as_py()}'"
        number = int(self.counts[wrong].sum())
        self._say(what.format(answer=answer), remedy, number, int(rows[place]))

    def refuse(self) -> None:
        for name, (count, row) in self.found.empty.items():
            self._say(f"{name} is empty.", "Fill in the cell.", count, row)
        if self.problems:
            raise DataError.of(self.problems)

    def _say(self, what: str, remedy: str, count: int, row: int) -> None:
        rows = f" ({counted(count, 'row')} like this.)" if count > 1 else ""
        self.problems.append(
            Problem(f"{what}{rows}", remedy, file=str(self.known.path), line=row + 1)
        )


def _fingerprint(path: Path) -> str:
    digest = hashlib.sha256()
    with open_table(path) as stream:
        while part := stream.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()[:16]
