"""The one table that all statistics start from, kept by column: integer codes and their labels.

Ten million judgments are some arrays, not ten million objects. A column of words is a `Coded`; code
−1 means absent, as NaN does for seconds and NaT for times. Outside the arrays absent is None.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from rejudge.channels import CHANNELS, Channel, ChannelName
from rejudge.collect.assignment import STATUSES, Status
from rejudge.english import count as counted
from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Codes: TypeAlias = NDArray[np.int32]
    Rows: TypeAlias = NDArray[np.bool_] | NDArray[np.int64]

Kind: TypeAlias = Literal["real", "check", "practice", "repeat", "dropped"]
Choice: TypeAlias = Literal["a", "b", "tie"]
Side: TypeAlias = Literal["a", "b"]
Origin: TypeAlias = Literal["people", "simulated", "workbook", "qualtrics", "mturk", "table"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SIDES: tuple[Side, ...] = get_args(Side)
ORIGINS: tuple[Origin, ...] = get_args(Origin)
PREFERENCE: Mapping[str, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}  # for system_a
CHOICE: Mapping[float, Choice] = {1.0: "a", 0.5: "tie", 0.0: "b"}

LARGEST = 2.0**53  # beyond it whole numbers are not exact, and squares soon overflow
SMALLEST = 1e-50  # but for 0: below it squares, and what is divided by them, are lost

_ABSENT = -1


@dataclass(frozen=True, slots=True)
class Judgment:
    """One row: what a participant said about one system, or about two that were compared.

    `value` is a number for a rating; for a comparison it is a (system_a is better), b or tie.
    The best of n and a ranking are given as the comparisons they imply, one row each.
    """

    participant: str | None  # None: not known, in a whole table
    item: str
    question: str
    value: float | Choice
    system: str | None = None
    system_a: str | None = None
    system_b: str | None = None
    dataset: str | None = None
    segment: int | None = None  # which segment of the output, from 1
    batch: str | None = None
    task: str | None = None
    position: int | None = None  # place in the order this participant saw, from 1
    side: Side | None = None  # a: system_a was shown before system_b; b: after it
    seconds: float | None = None  # on the task's page
    kind: Kind = "real"  # dropped: of a thing judged twice, where another judgment counts
    submitted_at: datetime | None = None
    origin: Origin = "people"
    plan: str | None = None  # fingerprint of the plan it was judged by
    passed: bool | None = None  # of a check judged elsewhere: whether it was passed
    state: Status | None = None  # of the batch in this participant's hands, where our site knows it


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """A column of words: a number for each row, and what the numbers stand for."""

    codes: Codes
    labels: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str | None], first: Sequence[str] = ()) -> Coded:
        """Encode words; `first` are the labels to begin with, the others follow sorted."""
        import numpy as np

        listed = list(words)
        found = {word: place for place, word in enumerate(dict.fromkeys(listed))}
        seen = np.fromiter(map(found.__getitem__, listed), dtype=np.int32, count=len(listed))
        rest = sorted(word for word in found if word is not None and word not in first)
        labels = (*first, *rest)
        place: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
        final = np.array([place.get(word, _ABSENT) for word in found], dtype=np.int32)
        return cls(final[seen] if found else seen, labels)

    def words(self) -> list[str | None]:
        """The column as words again."""
        labels: tuple[str | None, ...] = (*self.labels, None)  # code −1 takes the last
        return [labels[code] for code in self.codes.tolist()]

    def code(self, label: str) -> int:
        """The number of a label; −2, which no row has, when there is no such label."""
        return self.labels.index(label) if label in self.labels else _ABSENT - 1

    def used(self) -> tuple[str, ...]:
        """The labels that some row has, in their order."""
        import numpy as np

        return tuple(self.labels[code] for code in np.unique(self.codes).tolist() if code >= 0)

    def take(self, rows: Rows) -> Coded:
        """Some of the rows, with the same labels."""
        return Coded(self.codes[rows], self.labels)

    def recode(self, labels: Sequence[str]) -> Codes:
        """The same column in the codes of other labels; −1 for what they lack."""
        import numpy as np

        place = {label: code for code, label in enumerate(labels)}
        table = [*(place.get(label, _ABSENT) for label in self.labels), _ABSENT]
        return np.array(table, dtype=np.int32)[self.codes]


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """All judgments of a study, by column; `Judgment` says what each column means."""

    participant: Coded
    item: Coded
    dataset: Coded
    question: Coded
    system: Coded  # absent for comparisons
    system_a: Coded  # absent for ratings
    system_b: Coded
    value: NDArray[np.float64]  # a number, or the preference for system_a: 1, ½ (tie) or 0
    segment: NDArray[np.int32]
    batch: Coded
    task: Coded
    position: NDArray[np.int32]
    side: Coded
    seconds: NDArray[np.float64]
    kind: Coded
    submitted_at: NDArray[np.datetime64]
    origin: Coded
    plan: Coded
    passed: NDArray[np.int8]  # 1 passed, 0 failed, −1 not said
    state: Coded
    notes: tuple[str, ...] = ()  # what was done to the table when it was read

    @classmethod
    def from_rows(cls, rows: Iterable[Judgment], *, systems: Sequence[str] = ()) -> Judgments:
        """Put rows into columns; systems are in the order of `systems`, or else sorted."""
        listed = list(rows)
        problems = [
            Problem(what, remedy, line=place)
            for place, row in enumerate(listed, start=1)
            for what, remedy in faults(row)
        ]
        if problems:
            raise DataError.of(problems)
        return _columns(listed, tuple(systems))

    def __len__(self) -> int:
        return len(self.value)

    @property
    def nbytes(self) -> int:
        """About its size: a large table is sent to a cluster once."""
        return self.value.nbytes * 12  # columns, most of them half as wide

    def __repr__(self) -> str:
        """What there is; ten million rows would fill the screen."""
        systems = {
            name for each in (self.system, self.system_a, self.system_b) for name in each.used()
        }
        return (
            f"<{counted(len(self), 'judgment')}: {counted(len(systems), 'system')}, "
            f"{counted(len(self.item.used()), 'item')}, "
            f"{counted(len(self.question.used()), 'question')}, "
            f"{counted(len(self.participant.used()), 'participant')}. "
            "All of them: .to_pandas(), .rows(); what was done on the way: .notes>"
        )

    def take(self, rows: Rows) -> Judgments:
        """Some of the rows, by mask or by place."""
        if rows.dtype.kind == "b" and rows.all():
            return self
        parts = {name: getattr(self, name) for name in COLUMNS}
        taken: dict[str, Any] = {  # columns of several types
            name: column.take(rows) if isinstance(column, Coded) else column[rows]
            for name, column in parts.items()
        }
        return replace(self, **taken)

    def compact(self) -> Judgments:
        """The same rows with only the labels that occur in them."""
        pair = ("system", "system_a", "system_b")
        systems = {word for name in pair for word in getattr(self, name).used()}
        known = tuple(label for label in self.system.labels if label in systems)
        closed = {"side", "kind", "origin", "state"}
        columns = {
            name: Coded(column.recode(labels), labels)
            for name in COLUMNS
            if isinstance(column := getattr(self, name), Coded) and name not in closed
            for labels in (known if name in pair else column.used(),)
        }
        return replace(self, **columns)  # type: ignore[arg-type]  # no column is the notes

    def of_kind(self, kind: Kind) -> Judgments:
        """The judgments of one kind alone: the real ones, the checks, the practice, the repeats."""
        return self.take(self.is_of_kind(kind))

    def is_of_kind(self, kind: Kind) -> NDArray[np.bool_]:
        """Which rows are of a kind."""
        import numpy as np

        return np.asarray(self.kind.codes == self.kind.code(kind))

    def of_question(self, question: str) -> Judgments:
        """The judgments on one question."""
        return self.take(self.question.codes == self.question.code(question))

    @property
    def is_comparison(self) -> NDArray[np.bool_]:
        """Which rows compare two systems."""
        import numpy as np

        return np.asarray(self.system_b.codes != _ABSENT)

    @property
    def simulated(self) -> int:
        """How many rows were made by a program and not by people."""
        return int((self.origin.codes == self.origin.code("simulated")).sum())

    @property
    def is_imported(self) -> bool:
        """Whether people gave them elsewhere: our own site knows the state of each batch."""
        is_ours = bool((self.state.codes != _ABSENT).any())
        return len(self) > self.simulated and not is_ours

    @property
    def channels(self) -> tuple[Channel, ...]:
        """By which channels people gave them, the most frequent first."""
        import numpy as np

        counts = np.bincount(self.origin.codes, minlength=len(self.origin.labels)).tolist()
        rows = dict(zip(self.origin.labels, counts, strict=True))
        rows.pop("simulated", None)
        is_ours = bool((self.state.codes != _ABSENT).any())
        unnamed = "site" if is_ours else "table"  # where nobody noted the channel
        rows[unnamed] = rows.get(unnamed, 0) + rows.pop("people", 0)
        names = sorted((name for name in rows if rows[name]), key=lambda name: -rows[name])
        return tuple(CHANNELS[cast("ChannelName", name)] for name in names)

    def from_channel(self, channel: Channel) -> Judgments:
        """The same judgments with a note that people gave them by a channel."""
        import numpy as np

        people, here = self.origin.code("people"), ORIGINS.index(cast("Origin", channel.name))
        codes = np.where(self.origin.codes == people, here, self.origin.codes)
        return replace(self, origin=Coded(codes.astype(np.int32), ORIGINS))

    def rows(self) -> tuple[Judgment, ...]:
        """The table as rows again; for small tables and for looking."""
        columns = {name: _cell_values(getattr(self, name)) for name in COLUMNS}
        columns["passed"] = [None if each is None else bool(each) for each in columns["passed"]]
        columns["value"] = [
            CHOICE.get(value, value) if compares else value
            for value, compares in zip(columns["value"], self.is_comparison.tolist(), strict=True)
        ]
        names = tuple(columns)
        return tuple(
            Judgment(**dict(zip(names, row, strict=True)))
            for row in zip(*columns.values(), strict=True)
        )

    def to_arrow(self) -> pa.Table:
        """One row per judgment, named as in judgments.csv; empty columns are left out."""
        import pyarrow as pa

        columns = {name: _arrow(self, name) for name in COLUMNS}
        return pa.table(
            {
                name: column
                for name, column in columns.items()
                if name in _ALWAYS or column.null_count < len(column)
            }
        )

    def to_pandas(self) -> Any:  # a pandas.DataFrame; pandas may not be installed
        """The same as a frame of pandas; names are categories."""
        return to_pandas(self.to_arrow())


COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(Judgments) if f.name != "notes")


_ALWAYS = ("participant", "item", "question", "value")  # even where nobody gave any


def faults(row: Judgment) -> list[tuple[str, str]]:
    """What is wrong with a row, and the remedy."""
    pair = (row.system_a, row.system_b)
    is_rating = row.system is not None and pair == (None, None)
    is_comparison = row.system is None and None not in pair
    if not is_rating and not is_comparison:
        what = "a judgment is of one `system` (a rating) or of `system_a` and `system_b`."
        return [(what, "Fill in one of the two and leave the other empty.")]
    if is_comparison and row.value not in PREFERENCE:
        return [(f"'{row.value}' is not an outcome of a comparison.", "Write a, b or tie.")]
    if is_comparison and row.system_a == row.system_b:
        return [(f"'{row.system_a}' is compared with itself.", "Name two different systems.")]
    if is_rating and (fault := number_fault(row.value)) is not None:
        remedy = f"Give the score of '{row.system}' as a number."
        return [(f"'{row.value}' is {fault}.", remedy)]
    return []


def number_fault(value: float | str) -> str | None:
    """What a value is instead of a number that can be computed with; None for such a number."""
    if isinstance(value, str) or math.isnan(value):
        return "not a number"
    if abs(value) > LARGEST:
        return "too large"
    return "too small" if 0 < abs(value) < SMALLEST else None


def _columns(rows: Sequence[Judgment], systems: tuple[str, ...]) -> Judgments:
    return columns_of({name: [getattr(r, name) for r in rows] for name in COLUMNS}, systems)


def columns_of(cells: Mapping[str, Sequence[Any]], systems: Sequence[str]) -> Judgments:
    """A table of sound cells, given by column; absent is None."""
    import numpy as np

    names = {*cells["system"], *cells["system_a"], *cells["system_b"]}
    known = (*systems, *sorted(n for n in names if n is not None and n not in systems))
    first = {"system": known, "system_a": known, "system_b": known}
    first |= {"side": SIDES, "kind": KINDS, "origin": ORIGINS, "state": STATUSES}
    numbers = [PREFERENCE[v] if isinstance(v, str) else v for v in cells["value"]]
    seconds = [np.nan if each is None else each for each in cells["seconds"]]
    moments = [_in_utc(each) for each in cells["submitted_at"]]
    passed = [_ABSENT if each is None else each for each in cells["passed"]]
    columns: dict[str, Any] = {  # of several types
        "value": np.array(numbers, dtype=np.float64),
        "segment": _whole(cells["segment"]),
        "position": _whole(cells["position"]),
        "seconds": np.array(seconds, dtype=np.float64),
        "submitted_at": np.array(moments, dtype="datetime64[us]"),
        "passed": np.array(passed, dtype=np.int8),
    }
    words = [name for name in COLUMNS if name not in columns]
    columns |= {name: Coded.of(cells[name], first.get(name, ())) for name in words}
    return Judgments(**columns)


def _whole(numbers: Iterable[int | None]) -> NDArray[np.int32]:
    import numpy as np

    return np.array([_ABSENT if n is None else n for n in numbers], dtype=np.int32)


def _in_utc(moment: datetime | None) -> datetime | None:
    """numpy keeps times without a zone; here they are all in UTC."""
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)


def _cell_values(column: Coded | NDArray[np.generic]) -> list[Any]:  # of the column's type, or None
    """A column with None for what is absent."""
    if isinstance(column, Coded):
        return list(column.words())
    if column.dtype.kind == "M":
        return [None if t is None else t.replace(tzinfo=UTC) for t in column.tolist()]
    if column.dtype.kind == "i":
        return [None if n == _ABSENT else n for n in column.tolist()]
    return [None if n != n else n for n in column.tolist()]  # noqa: PLR0124 - NaN is not itself


def _arrow(judgments: Judgments, name: str) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    column = getattr(judgments, name)
    if isinstance(column, Coded):  # by code: ten million rows have a few names
        codes = pa.array(column.codes, mask=column.codes < 0)
        return pa.DictionaryArray.from_arrays(codes, pa.array(column.labels, pa.string()))
    if name == "value":
        return _arrow_values(judgments)
    if name == "seconds":
        return pa.array(column, from_pandas=True)
    if name == "submitted_at":
        moments = pa.array(column.astype("datetime64[us]"), mask=np.isnat(column))
        return moments.cast(pa.timestamp("us", tz="UTC"))
    return pa.array(column == 1 if name == "passed" else column, mask=column < 0)


def _arrow_values(judgments: Judgments) -> pa.Array:
    """Scores as numbers, choices as a, b and tie; a table of both has words for all."""
    import numpy as np
    import pyarrow as pa

    is_choice, value = judgments.is_comparison, judgments.value
    if not is_choice.any():
        return pa.array(value)
    words = np.empty(len(value), dtype=object)
    is_number = ~(is_choice & np.isin(value, tuple(CHOICE)))
    words[is_number] = [f"{number:g}" for number in value[is_number].tolist()]
    for number, choice in CHOICE.items():
        words[is_choice & (value == number)] = choice
    return pa.array(words, pa.string())


def to_pandas(table: pa.Table) -> Any:  # a pandas.DataFrame; pandas may not be installed
    """An Arrow table as a frame of pandas; whole numbers and yes or no stay so beside gaps."""
    try:
        import pandas as pd
    except ImportError as error:
        raise UsageError(
            Problem(
                "pandas is not installed.",
                "Install it with `pip install pandas`, or use to_arrow(), which polars reads too.",
            )
        ) from error
    import pyarrow as pa

    kinds = {
        pa.int8(): pd.Int8Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    return table.to_pandas(types_mapper=kinds.get)
