"""Votes between two systems in a Parquet file of any length, read with bounded memory.

Systems and answers are few, so each combination of two systems and an answer is counted first, and
read once. Items and participants can be as many as votes: a vote is kept as one whole number, a
hash of its item (or participant, or both) with the code of its combination in the lower bits. Put
in order, the votes of an item stand together. A file with more votes than are held at once is read
again for each part of the hashes. Among a hundred million items and a hundred systems, about ten
share their number with another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.incoming import TABLE_BYTES, require_regular
from rejudge.judgments import cells
from rejudge.judgments.cells import ChoiceReading, is_missing
from rejudge.judgments.columns import (
    ColumnRoles,
    recognise,
    refuse_many_systems,
    refuse_missing,
    variant_notes,
)
from rejudge.judgments.encode import Encoder
from rejudge.judgments.table import Coded
from rejudge.tables_in import explain_arrow, open_stream

if TYPE_CHECKING:
    import pyarrow as pa

Hashes: TypeAlias = NDArray[np.uint64]
ClusterKind: TypeAlias = Literal["item", "participant", "cell"]
_BATCH: Final = 1 << 17  # rows that are read at once
_READ_BYTES: Final = 1 << 20  # of a column at once: row groups may be larger than memory
_AT_ONCE: Final = 1 << 27  # votes that are held, of 8 bytes each
_FIRST_ROWS: Final = 100_000
_MOST_LABELS: Final = 1 << 20  # systems, or words for answers
_MOST_COMBINATIONS: Final = 5_000_000
_HASHED_BYTES: Final = 8  # that are mixed in at once
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_PAIR = ("system_a", "system_b")
_FEW_WORDS = (*_PAIR, "value")
_NEEDED = ("item", "value", *_PAIR)
_UNUSED = frozenset(  # columns that change none of the numbers that are computed from votes
    ("dataset", "batch", "task", "position", "seconds", "submitted_at", "side", "plan")
)


@dataclass(frozen=True, slots=True)
class VoteColumns:
    """What is known of a Parquet file before its votes are read."""

    path: Path
    recognised: ColumnRoles
    rows: int

    @property
    def obstacle(self) -> str:
        """The column because of which votes cannot be counted; empty if there is none."""
        if not set(_PAIR) <= set(self.recognised.columns):
            return "systems"
        used = {"participant", *_NEEDED}
        others = [r for r in self.recognised.columns if r not in used and r not in _UNUSED]
        return others[0] if others else ""

    def refuse_missing(self, given: frozenset[str]) -> None:
        """Refuse a file without a column that votes need; `given` are roles that were typed."""
        refuse_missing(self.recognised, given, file=str(self.path), needs_pair=True)


def vote_columns(path: Path, columns: Mapping[str, str] | None = None) -> VoteColumns:
    """The columns of a Parquet file, and how many rows it has."""
    from pyarrow import parquet

    require_regular(path, remedy="Give a table of judgments.", limit=TABLE_BYTES)
    with explain_arrow(path), open_stream(path) as stream:
        opened = parquet.ParquetFile(stream)
        names, rows = tuple(opened.schema_arrow.names), opened.metadata.num_rows
    return VoteColumns(path, recognise(names, dict(columns or {}), file=str(path)), rows)


def first_systems(known: VoteColumns) -> int:
    """How many systems the first rows name, to estimate how many pairs there are."""
    known.refuse_missing(frozenset())
    labels: set[str] = set()
    rows = 0
    for table in _batches(known, _PAIR):
        labels.update(*(cells.distinct(table[name])[1] for name in _PAIR))
        rows += len(table)
        if rows >= _FIRST_ROWS:
            break
    return len(labels)


def _batches(known: VoteColumns, roles: Sequence[str]) -> Iterator[pa.Table]:
    """The columns under our names, some rows at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    names = {role: known.recognised.columns[role] for role in roles}
    with explain_arrow(known.path), open_stream(known.path) as stream:
        schema = parquet.read_schema(stream)
        stream.seek(0)
        words = [names[role] for role in _FEW_WORDS if role in names]
        opened = parquet.ParquetFile(
            stream,
            pre_buffer=False,
            buffer_size=_READ_BYTES,
            read_dictionary=[n for n in words if pa.types.is_string(schema.field(n).type)],
        )
        for batch in opened.iter_batches(_BATCH, columns=list(dict.fromkeys(names.values()))):
            batch.validate(full=True)
            table = pa.Table.from_batches([batch])
            yield pa.table({r: _plain(table[n], n, known.path) for r, n in names.items()})


def _plain(column: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    plain = cells.plain_column(column)
    if plain is None:
        what = f"the column '{name}' holds values of the type {column.type}."
        remedy = "Give one word or number per cell."
        raise DataError(Problem(what, remedy, file=str(path)))
    return plain


@dataclass(frozen=True, eq=False, slots=True)
class _Labels:
    """The systems and answers of a file, numbered from 1 as they appear; 0 is an empty cell."""

    systems: dict[str, int] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)

    def combinations(self, table: pa.Table) -> NDArray[np.int64]:
        """One number for the two systems and the answer of each row."""
        first, second = (self._number(self.systems, table[name]) for name in _PAIR)
        answer = self._number(self.answers, table["value"])
        return (first * _MOST_LABELS + second) * _MOST_LABELS + answer

    @staticmethod
    def _number(known: dict[str, int], column: pa.ChunkedArray) -> NDArray[np.int64]:
        codes, words = cells.distinct(column)
        numbers = [known.setdefault(word, len(known) + 1) for word in words]
        if len(known) >= _MOST_LABELS - 1:
            raise _too_many()
        return np.array([*numbers, 0], dtype=np.int64)[codes]


def _too_many() -> DataError:
    what = "there are more different systems or answers than a comparison of systems can have."
    return DataError(Problem(what, "Check which columns name systems and answers."))


@dataclass(frozen=True, eq=False, slots=True)
class CountedVotes:
    """How often each combination of two systems and an answer occurs in a file."""

    known: VoteColumns
    labels: _Labels
    combinations: NDArray[np.int64]
    counts: NDArray[np.int64]
    systems: tuple[str, ...]
    first: NDArray[np.int64]  # system of each combination
    second: NDArray[np.int64]
    preference: NDArray[np.float64]  # for the first: 1, ½, 0; NaN where there is no answer
    parts: int  # how often the file is read for a kind of clusters
    fingerprint: str
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Votes that count."""
        return int(self.counts[~np.isnan(self.preference)].sum())

    @property
    def has_participants(self) -> bool:
        """Whether a column says who voted."""
        return "participant" in self.known.recognised.columns

    def by_cluster(
        self, kind: ClusterKind, codes: NDArray[np.int64], bits: np.uint64, *, part: int
    ) -> Hashes:
        """The votes of a part of the clusters in order, as one number each (see the module).

        `codes` are those of the combinations, from 0 and with so many bits; −1 is no vote.
        """
        import pyarrow as pa
        from pyarrow import compute

        roles = ("item", "participant") if kind == "cell" else (kind,)
        votes = np.empty(self.known.rows, dtype=np.uint64)
        empty, combinations = _EmptyCells(), pa.array(self.combinations)
        row = size = 0
        for table in _batches(self.known, (*_FEW_WORDS, *roles)):
            found = pa.array(self.labels.combinations(table))
            code = codes[cells.as_array(compute.index_in(found, value_set=combinations))]
            hashes, missing = hash_words(table[roles[0]])
            if kind == "cell":
                hashes += _ODD * hash_words(table["participant"])[0]
            empty.note(missing & (code >= 0), row)
            kept = (code >= 0) & ((hashes >> np.uint64(48)) % np.uint64(self.parts) == part)
            votes[size : size + kept.sum()] = hashes[kept] << bits | code[kept].astype(np.uint64)
            row, size = row + len(table), size + int(kept.sum())
        empty.refuse(roles[0], self.known.path)
        votes = votes[:size]
        votes.sort()
        return votes


@dataclass(slots=True)
class _EmptyCells:
    """How many cells of votes are empty, and the first row of one."""

    count: int = 0
    first: int = 0

    def note(self, is_empty: NDArray[np.bool_], start: int) -> None:
        if is_empty.any() and not self.count:
            self.first = start + int(is_empty.argmax())
        self.count += int(is_empty.sum())

    def refuse(self, name: str, path: Path) -> None:
        if self.count:
            raise DataError(_problem(f"{name} is empty.", "Fill in the cell.", path,
                                     count=self.count, row=self.first))  # fmt: skip


def _problem(what: str, remedy: str, path: Path, *, count: int, row: int) -> Problem:
    rows = f" ({counted(count, 'row')} like this.)" if count > 1 else ""
    return Problem(f"{what}{rows}", remedy, file=str(path), line=row + 1)


@dataclass(frozen=True, eq=False, slots=True)
class _Combinations:
    """What rows hold: combinations in order, how often each occurs, and its first row."""

    keys: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def plus(self, found: NDArray[np.int64], row: int) -> _Combinations:
        """Together with those of further rows, the first of which is `row`."""
        new, at, number = np.unique(found, return_index=True, return_counts=True)
        keys, first, place = np.unique(
            np.concatenate([self.keys, new]), return_index=True, return_inverse=True
        )
        if len(keys) > _MOST_COMBINATIONS:
            raise _too_many()
        counts = np.bincount(place, np.concatenate([self.counts, number]), len(keys))
        rows = np.concatenate([self.rows, row + at])[first]
        return _Combinations(keys, counts.astype(np.int64), rows)

    def words(self, labels: _Labels) -> pa.Table:
        """The cells of each combination."""
        import pyarrow as pa

        systems, answers = (None, *labels.systems), (None, *labels.answers)
        columns = zip(
            _FEW_WORDS,
            (systems, systems, answers),
            (
                self.keys // _MOST_LABELS**2,
                self.keys // _MOST_LABELS % _MOST_LABELS,
                self.keys % _MOST_LABELS,
            ),
            strict=True,
        )
        return pa.table(
            {
                name: pa.array([w[c] for c in codes.tolist()], pa.string())
                for name, w, codes in columns
            }
        )


def count_votes(
    known: VoteColumns,
    *,
    given: frozenset[str] = frozenset(),
    choices: ChoiceReading | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> CountedVotes:
    """Count the votes of a file by systems and answer, and read each combination once."""
    known.refuse_missing(given)
    labels, found, row = _Labels(), _Combinations(), 0
    for table in _batches(known, _FEW_WORDS):
        found = found.plus(labels.combinations(table), row)
        refuse_many_systems(len(labels.systems), file=str(known.path))
        row += len(table)
        progress(row / known.rows)
    words = found.words(labels)
    is_named = _are_named(words, found, known.path)
    read = Encoder(
        table=words.filter(is_named),
        names=known.recognised.columns,
        must_fit=frozenset(),
        question=None,
        choices=choices,
        file=str(known.path),
        counts=found.counts[is_named],
    )
    first, second, value = read.comparisons() if is_named.any() else (_NONE, _NONE, _NO_VALUE)
    _refuse(read, found.rows[is_named], known.path)
    is_vote = ~np.isnan(value.value)
    used = np.unique(np.concatenate([first.codes[is_vote], second.codes[is_vote]]))
    systems = tuple(first.labels[code] for code in used.tolist())
    preference, sides = np.full(len(found.keys), np.nan), np.zeros((2, len(found.keys)), np.int64)
    preference[is_named] = value.value
    for side, column in zip(sides, (first, second), strict=True):
        side[is_named] = np.maximum(column.recode(systems), 0)
    missing = int(found.counts[np.isnan(preference)].sum())
    left_out = f"{missing:,} of {row:,} rows have no value and are left out."
    return CountedVotes(
        known=known,
        labels=labels,
        combinations=found.keys,
        counts=found.counts,
        systems=systems,
        first=sides[0],
        second=sides[1],
        preference=preference,
        parts=1 + row // _AT_ONCE,
        fingerprint=_fingerprint(known.path),
        notes=(
            str(known.recognised),
            *read.notes,
            *((left_out,) if missing else ()),
            *variant_notes("system", systems),
        ),
    )


_NONE = Coded(np.zeros(0, dtype=np.int32), ())
_NO_VALUE = cells.Numbers(np.zeros(0), np.zeros(0, dtype=np.bool_))


def _are_named(words: pa.Table, found: _Combinations, path: Path) -> NDArray[np.bool_]:
    """Which combinations name both systems; an answer about one or none is refused."""
    cells = [[(cell or "").strip() for cell in words[name].to_pylist()] for name in _FEW_WORDS]
    is_named = np.array([bool(a and b) for a, b, _ in zip(*cells, strict=True)], dtype=np.bool_)
    wrong = ~is_named & ~np.array([is_missing(word) for word in cells[2]], dtype=np.bool_)
    if wrong.any():
        what, count = "a vote names only one system, or none.", int(found.counts[wrong].sum())
        row = int(found.rows[wrong].min())
        raise DataError(_problem(what, "Name both systems.", path, count=count, row=row))
    return is_named


def _refuse(read: Encoder, rows: NDArray[np.int64], path: Path) -> None:
    """Refuse what is wrong in combinations: how many rows are like that, and the first."""
    faults: dict[tuple[str, str], list[int]] = {}
    for place, what, remedy in read.faults.found:
        faults.setdefault((what, remedy), []).append(place)
    problems = [
        _problem(what, remedy, path, count=read.rows_of(places), row=int(rows[places].min()))
        for (what, remedy), places in faults.items()
    ]
    if problems:
        raise DataError.of(sorted(problems, key=lambda each: each.line or 0))


def _fingerprint(path: Path) -> str:
    digest = hashlib.sha256()
    with open_stream(path) as stream:
        while part := stream.read(_READ_BYTES):
            digest.update(part)
    return digest.hexdigest()[:16]


def hash_words(column: pa.ChunkedArray) -> tuple[Hashes, NDArray[np.bool_]]:
    """A hash of each cell, and which cells are empty."""
    import pyarrow as pa
    from pyarrow import compute, types

    array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    missing = np.asarray(array.is_null())
    if types.is_dictionary(array.type):
        hashes, empty = hash_words(pa.chunked_array([array.dictionary]))
        codes = np.asarray(array.indices.fill_null(len(hashes))).astype(np.int64)
        return np.append(hashes, np.uint64(0))[codes], np.append(empty, True)[codes]
    if types.is_integer(array.type):
        return _mix(np.asarray(array.fill_null(0)).astype(np.int64).view(np.uint64)), missing
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
    mixed = value + _ODD
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
