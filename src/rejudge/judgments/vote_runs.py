"""Votes as sorted runs on disk: each chunk of a file is read, counted and written by itself.

A run holds about a million votes, ordered by part, where a part is decided by the hash of an id. So
the votes of a part are one slice of every run, and the part holds whole participants (or items).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, ExecutionError, Problem
from rejudge.executors.chunks import Chunk
from rejudge.judgments import arrow
from rejudge.judgments.text_sources import unreadable
from rejudge.text_tables import open_table

if TYPE_CHECKING:
    import pyarrow as pa

    Hashes = NDArray[np.uint64]

ClusterKind = Literal["participant", "item"]
_PER_RUN: Final = 1 << 20  # votes of a run, about
_BATCH: Final = 1 << 17  # rows that are read at once
_READ_BYTES: Final = 1 << 20  # of a column at once: row groups may be larger than memory
MOST_LABELS: Final = 1 << 20  # systems, or words for answers
MOST_TRIPLES: Final = 5_000_000
_COLUMNS: Final = (("participant", "<u8"), ("item", "<u8"), ("place", "<u4"))
_FEW_WORDS = ("system_a", "system_b", "value")
_HASHED_BYTES = 8  # that are mixed in at once


@dataclass(frozen=True, slots=True)
class VoteRun:
    """A sorted run: its files by kind of cluster, and where each part begins in them."""

    paths: Mapping[ClusterKind, Path]
    starts: Mapping[ClusterKind, NDArray[np.int64]]  # one more than there are parts


@dataclass(frozen=True, slots=True)
class CountedRows:
    """What one chunk of a file holds."""

    systems: tuple[str, ...]
    words: tuple[str, ...]  # for answers
    triples: NDArray[np.int64]  # combinations of two systems and an answer; see `unpack`
    counts: NDArray[np.int64]
    first_rows: NDArray[np.int64]  # in the file, of each combination
    empty: Mapping[str, tuple[int, int]]  # ids: how many are empty, the first row
    rows: int
    runs: tuple[VoteRun, ...]


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """What a chunk needs to know besides its row groups."""

    path: Path
    columns: tuple[tuple[str, str], ...]  # our name, the name in the file
    folder: Path  # for runs
    parts: int

    @property
    def kinds(self) -> tuple[ClusterKind, ...]:
        """The ids that votes are sorted by."""
        return ("participant", "item") if "participant" in dict(self.columns) else ("item",)


def count_row_groups(chunk: Chunk) -> CountedRows:
    """Count the votes of some row groups and write them as runs.

    A chunk may be run twice, when a worker was lost, so its files have names of their own.
    """
    plan, groups, first_row = chunk.arguments
    for path in (plan.path, plan.folder):
        if not path.exists():
            what = f"a worker cannot read {path}."
            remedy = "Put the file and --work-folder where every host of the cluster can read them."
            raise ExecutionError(Problem(what, remedy))
    seen, runs, waiting = _Seen(first_row), [], []
    for table in read_batches(plan.path, dict(plan.columns), groups):
        waiting.append(seen.records(table))
        if sum(len(each["place"]) for each in waiting) >= _PER_RUN:
            runs.append(_write_run(plan, waiting))
            waiting = []
    if waiting:
        runs.append(_write_run(plan, waiting))
    return seen.counted(runs)


def read_batches(
    path: Path, columns: Mapping[str, str], groups: Sequence[int] | None = None
) -> Iterator[pa.Table]:
    """The columns under our names, some rows at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with open_table(path) as stream:
            schema = parquet.read_schema(stream)
            stream.seek(0)
            opened = parquet.ParquetFile(
                stream,
                pre_buffer=False,
                buffer_size=_READ_BYTES,
                read_dictionary=_few_words(schema, columns),
            )
            names = list(dict.fromkeys(columns.values()))
            for batch in opened.iter_batches(_BATCH, row_groups=groups, columns=names):
                batch.validate(full=True)
                table = pa.Table.from_batches([batch])
                yield pa.table({r: _plain(table[n], n, path) for r, n in columns.items()})
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _few_words(schema: pa.Schema, columns: Mapping[str, str]) -> list[str]:
    """Columns of text with few different words, which are read as codes."""
    import pyarrow as pa

    names = {columns[role] for role in _FEW_WORDS if role in columns}
    return [name for name in names if pa.types.is_string(schema.field(name).type)]


def _plain(column: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    plain = arrow.plain_column(column)
    if plain is None:
        what = f"the column '{name}' holds values of the type {column.type}."
        remedy = "Give one word or number per cell."
        raise DataError(Problem(what, remedy, file=str(path)))
    return plain


def unpack(triples: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """The codes of both systems and of the answer, from 1; 0 is an empty cell."""
    return (
        triples // MOST_LABELS**2,
        triples // MOST_LABELS % MOST_LABELS,
        triples % MOST_LABELS,
    )


def pack(
    first: NDArray[np.int64], second: NDArray[np.int64], answer: NDArray[np.int64]
) -> NDArray[np.int64]:
    """One number for each combination of codes."""
    return (first * MOST_LABELS + second) * MOST_LABELS + answer


def number_labels(known: dict[str, int], words: Sequence[str]) -> NDArray[np.int64]:
    """The number of each word, from 1; new ones are added. The last is 0, for an empty cell."""
    numbers = [known.setdefault(word, len(known) + 1) for word in words]
    if len(known) >= MOST_LABELS - 1:
        raise DataError(Problem(_TOO_MANY, "Check which columns name systems and answers."))
    return np.array([*numbers, 0], dtype=np.int64)


_TOO_MANY = "there are more different systems or answers than a comparison of systems can have."


@dataclass(slots=True)
class TripleCounts:
    """How often each combination of two systems and an answer occurred, in order of appearance."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    first_rows: NDArray[np.int64]

    @classmethod
    def none(cls) -> TripleCounts:
        return cls(*(np.zeros(0, dtype=np.int64) for _ in range(3)))

    def add(
        self,
        keys: NDArray[np.int64],
        counts: NDArray[np.int64] | None,
        rows: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Count combinations, once each or as given; returns the place of each."""
        places = self._places(keys)
        is_new = places < 0
        if is_new.any():
            new, first = np.unique(keys[is_new], return_index=True)
            order = np.argsort(first)
            at = np.flatnonzero(is_new)[first[order]]
            self._append(new[order], rows[at])
            places = self._places(keys)
        self.counts += np.bincount(places, counts, len(self.keys)).astype(np.int64)
        return places

    def _places(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        import pyarrow as pa
        from pyarrow import compute

        found = compute.index_in(pa.array(keys), value_set=pa.array(self.keys))
        return np.asarray(found.fill_null(-1)).astype(np.int64)

    def _append(self, keys: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        self.keys = np.concatenate([self.keys, keys])
        self.counts = np.concatenate([self.counts, np.zeros(len(keys), dtype=np.int64)])
        self.first_rows = np.concatenate([self.first_rows, rows])
        if len(self.keys) > MOST_TRIPLES:
            raise DataError(Problem(_TOO_MANY, "Check which columns name systems and answers."))


Records = dict[str, Any]  # arrays by the names in _COLUMNS


@dataclass(slots=True)
class _Seen:
    """What the rows so far have named, and how often each combination occurred."""

    first_row: int
    systems: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    triples: TripleCounts = field(default_factory=TripleCounts.none)
    empty: dict[str, tuple[int, int]] = field(default_factory=dict)
    rows: int = 0

    def records(self, table: pa.Table) -> Records:
        """The rows of a batch, counted."""
        codes = (
            self._codes(self.systems, table["system_a"]),
            self._codes(self.systems, table["system_b"]),
            self._codes(self.words, table["value"]),
        )
        start = self.first_row + self.rows
        made: Records = {
            "place": self.triples.add(pack(*codes), None, start + np.arange(len(table)))
        }
        for name in ("participant", "item"):
            if name in table.column_names:
                made[name], missing = hash_words(table[name])
                self._note_empty(name, missing, table)
        made.setdefault("participant", made["item"])
        self.rows += len(table)
        return made

    def counted(self, runs: Sequence[VoteRun]) -> CountedRows:
        return CountedRows(
            tuple(self.systems),
            tuple(self.words),
            self.triples.keys,
            self.triples.counts,
            self.triples.first_rows,
            self.empty,
            self.rows,
            tuple(runs),
        )

    def _codes(self, known: dict[str, int], column: pa.ChunkedArray) -> NDArray[np.int64]:
        codes, words = arrow.distinct(column)
        return number_labels(known, words)[codes]

    def _note_empty(self, name: str, missing: NDArray[np.bool_], table: pa.Table) -> None:
        """Empty ids of rows that have an answer."""
        if missing.any():
            answered = table["value"].is_valid().to_numpy(zero_copy_only=False)
            wrong = missing & answered
            if wrong.any():
                row = self.first_row + self.rows + int(wrong.argmax())
                count, first = self.empty.get(name, (0, row))
                self.empty[name] = (count + int(wrong.sum()), first)


def part_of(hashes: NDArray[np.uint64], parts: int) -> NDArray[np.uint16]:
    """The part that each id belongs to."""
    return ((hashes >> np.uint64(32)) % np.uint64(parts)).astype(np.uint16)


def _write_run(plan: ReadingPlan, waiting: Sequence[Records]) -> VoteRun:
    whole = {name: np.concatenate([each[name] for each in waiting]) for name, _ in _COLUMNS}
    name = uuid4().hex
    paths: dict[ClusterKind, Path] = {k: plan.folder / f"{name}.{k}" for k in plan.kinds}
    starts: dict[ClusterKind, NDArray[np.int64]] = {}
    for kind, path in paths.items():
        part = part_of(whole[kind], plan.parts)
        order = np.argsort(part, kind="stable")  # a radix sort
        sizes = np.bincount(part, minlength=plan.parts)
        starts[kind] = np.concatenate([[0], np.cumsum(sizes)])
        with path.open("wb") as stream:
            for column, kind_of in _COLUMNS:
                whole[column].astype(kind_of)[order].tofile(stream)
    return VoteRun(paths, starts)


@dataclass(frozen=True, slots=True)
class RunSlice:
    """The votes of a part in one run, and where its combinations are in the whole file."""

    path: Path
    places: Path
    run_rows: int
    start: int
    stop: int

    def read(self) -> Records:
        """Arrays of `participant` and `item`, as hashes, and of `place`."""
        with self.path.open("rb") as stream:
            found = self._columns(stream)
        found["place"] = np.load(self.places)[found["place"]]
        return found

    def _columns(self, stream: BinaryIO) -> Records:
        found: Records = {}
        begin = 0
        for name, kind in _COLUMNS:
            width = np.dtype(kind).itemsize
            stream.seek(begin + self.start * width, os.SEEK_SET)
            found[name] = np.fromfile(stream, kind, self.stop - self.start)
            begin += self.run_rows * width
        return found


def hash_words(column: pa.ChunkedArray) -> tuple[Hashes, NDArray[np.bool_]]:
    """A hash of each cell, and which cells are empty."""
    import pyarrow as pa
    from pyarrow import compute, types

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # an older pyarrow, or no rows
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if types.is_dictionary(array.type):
        hashes, empty = hash_words(pa.chunked_array([array.dictionary]))
        missing = np.asarray(array.is_null())
        codes = np.asarray(array.indices.fill_null(0)).astype(np.int64)
        if not len(hashes):
            return np.zeros(len(codes), np.uint64), np.ones(len(codes), np.bool_)
        return hashes[codes], missing | empty[codes]
    missing = np.asarray(array.is_null())
    if types.is_integer(array.type):
        whole = np.asarray(array.fill_null(0))
        return _mix(whole.astype(np.int64).view(np.uint64)), missing
    words = compute.fill_null(compute.cast(array, pa.large_string()), "")
    is_blank = compute.or_(compute.equal(words, ""), compute.utf8_is_space(words))
    return _hash_text(compute.cast(words, pa.large_binary())), missing | np.asarray(is_blank)


def _hash_text(text: pa.Array) -> Hashes:
    """Mix eight bytes at a time, all rows at once."""
    _, offsets, content = text.buffers()
    ends = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    base, length = ends[:-1], np.diff(ends)
    whole = np.frombuffer(content, np.uint8) if content is not None else np.zeros(0, np.uint8)
    padded = np.concatenate([whole, np.zeros(_HASHED_BYTES, np.uint8)])
    words = np.lib.stride_tricks.sliding_window_view(padded, _HASHED_BYTES)
    masks = np.array([2 ** (8 * used) - 1 for used in range(_HASHED_BYTES + 1)], dtype=np.uint64)
    found = _mix(length.astype(np.uint64))
    for start in range(0, int(length.max(initial=0)), _HASHED_BYTES):
        rows = np.flatnonzero(length > start) if start else np.arange(len(length))
        packed = words[base[rows] + start].view("<u8")[:, 0]
        packed &= masks[np.minimum(length[rows] - start, _HASHED_BYTES)]
        found[rows] = _mix(found[rows] ^ packed)
    return found


def _mix(value: Hashes) -> Hashes:
    """SplitMix64, whose every output bit depends on every input bit (Steele, Lea & Flood 2014)."""
    mixed = value + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
