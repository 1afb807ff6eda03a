"""Votes between two systems in a Parquet file of any length, read once with bounded memory.

Systems and answers are few, so each combination of two systems and an answer is counted. Items and
participants can be as many as votes: only 64 bits of a hash of each are kept, and the votes are
put into files by that hash, so that each file holds whole participants (or items) and fits into
memory. Two ids share a hash with a chance of 1 in 3,000 among a hundred million.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.incoming import TABLE_BYTES, require_regular
from rejudge.judgments import arrow
from rejudge.judgments.column_reader import CHOICE_REMEDY, ChoiceReading, choices
from rejudge.judgments.columns import AbsentColumns, ColumnRoles, recognise
from rejudge.judgments.table import Coded
from rejudge.judgments.text_sources import unreadable
from rejudge.text_tables import open_table

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

ClusterKind = Literal["participant", "item"]
_PER_PART: Final = 1_000_000  # votes of a part, about
_MOST_PARTS: Final = 256
_BATCH: Final = 1 << 17  # rows that are read at once
_MOST_LABELS: Final = 1 << 20  # systems, or words for answers
_MOST_TRIPLES: Final = 5_000_000
_NEEDED = ("item", "value", "system_a", "system_b")
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
        """The column because of which votes cannot be counted in parts; empty if there is none."""
        if not {"system_a", "system_b"} <= set(self.recognised.columns):
            return "systems"
        used = {"participant", *_NEEDED}
        others = [r for r in self.recognised.columns if r not in used and r not in _UNUSED]
        return others[0] if others else ""


@dataclass(frozen=True, slots=True)
class CountedVotes:
    """The votes of a file by combination of systems and answer, and the parts they were put into.

    A row of a part is the hash of its participant, of its item, and the place of its combination.
    """

    systems: tuple[str, ...]
    first: NDArray[np.int64]  # system of each combination
    second: NDArray[np.int64]
    preference: NDArray[np.float64]  # for the first: 1, ½, 0; NaN where there is no answer
    counts: NDArray[np.int64]
    rows: int
    parts: Mapping[ClusterKind, tuple[Path, ...]]
    has_participants: bool
    fingerprint: str
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Votes that count."""
        import numpy as np

        return int(self.counts[~np.isnan(self.preference)].sum())


def vote_columns(path: Path, columns: Mapping[str, str] | None = None) -> VoteColumns:
    """The columns of a Parquet file, and how many rows it has."""
    import pyarrow as pa
    from pyarrow import parquet

    require_regular(path, remedy="Name a table.", limit=TABLE_BYTES)
    try:
        with open_table(path) as stream:
            opened = parquet.ParquetFile(stream)
            names, rows = tuple(opened.schema_arrow.names), opened.metadata.num_rows
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return VoteColumns(path, recognise(names, dict(columns or {}), file=str(path)), rows)


def first_systems(known: VoteColumns) -> int:
    """How many systems the first rows name, to estimate how many pairs there are."""
    labels: set[str] = set()
    table = next(_batches(known, ("system_a", "system_b")), None)
    for name in () if table is None else ("system_a", "system_b"):
        labels.update(arrow.distinct(table[name])[1])  # type: ignore[index]  # it is not None
    return len(labels)


def count_votes(
    known: VoteColumns,
    folder: Path,
    *,
    given: frozenset[str] = frozenset(),
    choices_by: ChoiceReading | None = None,
    progress: Callable[[float], None] | None = None,
) -> CountedVotes:
    """Count the votes of a file and put them into parts in a folder."""
    names = known.recognised
    _refuse_missing(known, given)
    kinds: tuple[ClusterKind, ...] = (
        ("participant", "item") if "participant" in names.columns else ("item",)
    )
    seen = _Seen()
    size = min(_MOST_PARTS, 1 + known.rows // _PER_PART)
    paths = {
        kind: tuple(folder / f"{kind}-{place:03d}.votes" for place in range(size)) for kind in kinds
    }
    with ExitStack() as stack:
        streams = {
            kind: [stack.enter_context(path.open("wb")) for path in paths[kind]] for kind in kinds
        }
        for table in _batches(known, (*_NEEDED, *kinds)):
            _write_parts(seen.records(table), streams)
            if progress is not None:
                progress(min(1.0, seen.rows / max(known.rows, 1)))
    return _counted(seen, known, paths, choices_by)


def read_part(path: Path) -> NDArray[Any]:  # records
    """The votes of a part: `participant` and `item` as hashes, and the `place` of each vote."""
    import numpy as np

    return np.fromfile(path, dtype=_record_type())


def _record_type() -> Any:  # numpy's dtype
    import numpy as np

    return np.dtype([("participant", "<u8"), ("item", "<u8"), ("place", "<u4")])


def _batches(known: VoteColumns, roles: tuple[str, ...]) -> Iterator[pa.Table]:
    """The recognised columns under our names, some rows at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = known.recognised.columns
    wanted = {role: columns[role] for role in dict.fromkeys(roles) if role in columns}
    try:
        with open_table(known.path) as stream:
            opened = parquet.ParquetFile(stream, pre_buffer=False)
            names = list(dict.fromkeys(wanted.values()))
            for batch in opened.iter_batches(_BATCH, columns=names):
                batch.validate(full=True)
                table = pa.Table.from_batches([batch])
                yield pa.table({r: _plain(table[n], n, known) for r, n in wanted.items()})
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(known.path, error) from None


def _plain(column: pa.ChunkedArray, name: str, known: VoteColumns) -> pa.ChunkedArray:
    plain = arrow.plain_column(column)
    if plain is None:
        what = f"the column '{name}' holds values of the type {column.type}."
        remedy = "Give one word or number per cell."
        raise DataError(Problem(what, remedy, file=str(known.path)))
    return plain


def _refuse_missing(known: VoteColumns, given: frozenset[str]) -> None:
    names = known.recognised
    absent = AbsentColumns(names.columns, names.ignored, given, str(known.path))
    problems = list(absent.problems(_NEEDED, names_systems=True))
    if problems:
        raise DataError.of(problems)


@dataclass(slots=True)
class _Seen:
    """What the rows so far have named, and how often each combination occurred."""

    labels: dict[str, dict[str, int]] = field(
        default_factory=lambda: {"system": {}, "value": {}}
    )  # from 1; 0 is an empty cell
    triples: dict[int, int] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    empty: dict[str, tuple[int, int]] = field(default_factory=dict)  # how many, the first row
    first_rows: list[int] = field(default_factory=list)  # of each combination
    rows: int = 0

    def records(self, table: pa.Table) -> NDArray[Any]:  # of _record_type
        """The rows of a batch as records, counted."""
        import numpy as np

        made = np.empty(len(table), dtype=_record_type())
        made["place"] = self._places(table)
        for name in ("participant", "item"):
            if name in table.column_names:
                made[name], missing = hash_words(table[name])
                self._note_empty(name, missing, table)
        if "participant" not in table.column_names:
            made["participant"] = made["item"]
        self.rows += len(table)
        return made

    def _places(self, table: pa.Table) -> NDArray[np.int64]:
        import numpy as np

        a, b = (self._codes("system", table[name]) for name in ("system_a", "system_b"))
        key = (a * _MOST_LABELS + b) * _MOST_LABELS + self._codes("value", table["value"])
        keys, first, inverse, counts = np.unique(
            key, return_index=True, return_inverse=True, return_counts=True
        )
        places = np.empty(len(keys), dtype=np.int64)
        for number, each in enumerate(keys.tolist()):
            place = self.triples.setdefault(each, len(self.triples))
            if place == len(self.counts):
                self.counts.append(0)
                self.first_rows.append(self.rows + int(first[number]))
            self.counts[place] += int(counts[number])
            places[number] = place
        if len(self.triples) > _MOST_TRIPLES:
            raise DataError(Problem(_TOO_MANY, "Check which columns name systems and answers."))
        return places[inverse]

    def _codes(self, name: str, column: pa.ChunkedArray) -> NDArray[np.int64]:
        import numpy as np

        codes, words = arrow.distinct(column)
        known = self.labels[name]
        places = [known.setdefault(word, len(known) + 1) for word in words]
        if len(known) >= _MOST_LABELS - 1:
            raise DataError(Problem(_TOO_MANY, "Check which columns name systems and answers."))
        return np.array([*places, 0], dtype=np.int64)[codes]

    def _note_empty(self, name: str, missing: NDArray[np.bool_], table: pa.Table) -> None:
        """Empty ids of rows that have an answer."""
        if missing.any():
            answered = table["value"].is_valid().to_numpy(zero_copy_only=False)
            wrong = missing & answered
            if wrong.any():
                count, first = self.empty.get(name, (0, self.rows + int(wrong.argmax())))
                self.empty[name] = (count + int(wrong.sum()), first)


_TOO_MANY = "there are more different systems or answers than a comparison of systems can have."


def _counted(
    seen: _Seen,
    known: VoteColumns,
    paths: Mapping[ClusterKind, tuple[Path, ...]],
    choices_by: ChoiceReading | None,
) -> CountedVotes:
    """Read each combination once, as the whole column would be read."""
    import numpy as np
    import pyarrow as pa

    keys = np.fromiter(seen.triples, dtype=np.int64, count=len(seen.triples))
    names = (None, *(_trim(label) for label in seen.labels["system"]))
    words = (None, *seen.labels["value"])
    systems = tuple(sorted({name for name in names if name}))
    first, second = (
        Coded.of([names[code] or None for code in codes.tolist()], systems)
        for codes in (keys // _MOST_LABELS**2, keys // _MOST_LABELS % _MOST_LABELS)
    )
    answers = pa.chunked_array(
        [pa.array([words[code] for code in (keys % _MOST_LABELS).tolist()], pa.string())]
    )
    read = choices(answers, first, second, by=choices_by)
    counts = np.array(seen.counts, dtype=np.int64)
    value = read.preference.value
    faults = _Faults(seen, known, counts)
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
    left_out = f"{missing:,} of {seen.rows:,} rows have no value and are left out."
    return CountedVotes(
        systems=tuple(systems[code] for code in used.tolist()),
        first=order[first.codes],
        second=order[second.codes],
        preference=value,
        counts=counts,
        rows=seen.rows,
        parts=paths,
        has_participants="participant" in known.recognised.columns,
        fingerprint=_fingerprint(known.path),
        notes=(str(known.recognised), *((left_out,) if missing else ())),
    )


_UNCLEAR = "an answer could be the id of a system or a side."
_SAY_WHICH = "Add --choices system or --choices side."


@dataclass(frozen=True, slots=True)
class _Faults:
    """What is wrong with some rows: how many, and the first of them."""

    seen: _Seen
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
        row = min(self.seen.first_rows[place] for place in wrong.nonzero()[0].tolist())
        place = self.seen.first_rows.index(row)
        answer = "" if answers is None else f"'{answers[place].as_py()}'"
        self._say(what.format(answer=answer), remedy, int(self.counts[wrong].sum()), row)

    def refuse(self) -> None:
        for name, (count, row) in self.seen.empty.items():
            self._say(f"{name} is empty.", "Fill in the cell.", count, row)
        if self.problems:
            raise DataError.of(self.problems)

    def _say(self, what: str, remedy: str, count: int, row: int) -> None:
        rows = f" ({counted(count, 'row')} like this.)" if count > 1 else ""
        self.problems.append(
            Problem(f"{what}{rows}", remedy, file=str(self.known.path), line=row + 1)
        )


def _trim(label: str) -> str:
    return label.strip() or label


def _write_parts(
    records: NDArray[Any],  # of _record_type
    streams: Mapping[ClusterKind, list[Any]],  # open files
) -> None:
    import numpy as np

    for kind, files in streams.items():
        if len(files) == 1:
            files[0].write(records.tobytes())
            continue
        part = (records[kind] >> np.uint64(32)) % np.uint64(len(files))
        order = np.argsort(part.astype(np.uint16), kind="stable")
        ends = np.searchsorted(part[order], np.arange(len(files) + 1, dtype=np.uint64))
        ordered = records[order]
        for place, stream in enumerate(files):
            stream.write(ordered[ends[place] : ends[place + 1]].tobytes())


def _fingerprint(path: Path) -> str:
    with open_table(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:16]


def hash_words(column: pa.ChunkedArray) -> tuple[Hashes, NDArray[np.bool_]]:
    """A hash of each cell, the same on every machine, and which cells are empty."""
    import numpy as np
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
    text = compute.cast(
        compute.fill_null(compute.cast(array, pa.large_string()), ""), pa.large_binary()
    )
    return _hash_text(text), missing | np.asarray(compute.equal(compute.binary_length(text), 0))


def _hash_text(text: pa.Array) -> Hashes:
    """Mix eight bytes at a time, all rows at once."""
    import numpy as np

    _, offsets, content = text.buffers()
    ends = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    base, length = ends[:-1], np.diff(ends)
    whole = np.frombuffer(content, np.uint8) if content is not None else np.zeros(0, np.uint8)
    padded = np.concatenate([whole, np.zeros(8, np.uint8)])
    words = np.lib.stride_tricks.sliding_window_view(padded, 8)
    found = _mix(length.astype(np.uint64))
    for start in range(0, int(length.max(initial=0)), 8):
        rows = np.flatnonzero(length > start)
        eight = words[base[rows] + start]
        beyond = np.arange(8) >= (length[rows] - start)[:, np.newaxis]
        packed = np.ascontiguousarray(np.where(beyond, np.uint8(0), eight)).view("<u8")[:, 0]
        found[rows] = _mix(found[rows] ^ packed)
    return found


def _mix(value: Hashes) -> Hashes:
    """SplitMix64, whose every output bit depends on every input bit (Steele, Lea & Flood 2014)."""
    import numpy as np

    mixed = value + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
