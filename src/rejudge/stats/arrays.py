"""Arrays of numbers and codes: checks for missing values and rounding, codes, and counts.

A variance that should be 0 comes out as 1e-33 when the scores were 0.1 and 0.3, and dividing by it
gives a large number without meaning. Whether a number is zero up to rounding depends on the size of
the numbers it was computed from, never on a fixed limit: the same scores on a scale of 0 to 0.001
must give the same statistic.

Codes are whole numbers close together, so they are counted instead of sorted wherever possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count
from rejudge.errors import DataError, Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Codes: TypeAlias = NDArray[np.integer]
Numbers: TypeAlias = NDArray[np.float64]
ROUNDING = 1e-12  # relative to what a result was computed from; a float holds about 1e-16
_DIGITS = 13  # of the largest value, up to which two computed values count as equal
_SPAN = 4  # possible numbers for each that is given: these are counted, more are sorted
_FEW = 1000
_CELLS = 300_000_000  # of a table of counts: 2.4 GB
_FEW_VALUES = 10_000  # whole numbers within such a span are counted, others sorted
_ONE_NUMBER = 62  # bits that surely fit into one whole number
_KEYS = 1 << 22  # so many kinds of unit are counted without sorting


def refuse_missing(*columns: Numbers) -> None:
    """Raise if values are NaN or infinite: the caller must leave them out and say how many."""
    lost = sum(int(np.count_nonzero(~np.isfinite(column))) for column in columns)
    if lost:
        raise DataError(
            Problem(
                f"{count(lost, 'value')} missing (NaN) or infinite.",
                "Remove missing values first, and report how many there were.",
            )
        )


def require_equally_long(*columns: NDArray[Any] | None) -> None:
    """Raise unless columns have one entry for each judgment; one that is None is left out."""
    lengths = {len(column) for column in columns if column is not None}
    if len(lengths) > 1:
        named = " and ".join(map(str, sorted(lengths)))
        what = f"Columns have different lengths: {named}."
        raise DataError(Problem(what, "Give one entry for each judgment."))


def is_negligible(part: float, whole: float) -> bool:
    """Whether a size is no more than what rounding leaves of the sizes it was computed from.

    Both are in the units of the scores; take the root of a variance first.
    """
    return abs(part) <= ROUNDING * abs(whole)


def scale_of(*columns: NDArray[Any]) -> float:
    """The largest absolute value: the size that rounding is relative to. 0 for no values."""
    return max((float(np.abs(column).max()) for column in columns if column.size), default=0.0)


def round_off(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Computed values without the digits that rounding decides, so that equal ones are tied.

    `scale` is the largest value they were computed from.
    """
    if not scale > 0:
        return values
    digits = min(300, _DIGITS - math.ceil(math.log10(scale)))
    return np.asarray(np.round(values, digits))


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS to one thread meanwhile: for matrices of some hundred rows threads cost more than
    they bring, and on a busy machine they wait for each other (decision 11)."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:  # threadpoolctl has no types
    import scipy.linalg  # noqa: F401 - SciPy brings a library of its own, found only once loaded
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def unique_numbers(numbers: NDArray[Any]) -> NDArray[Any]:
    """The different numbers, in order."""
    span = _span(numbers)
    if span is None:
        return _without_equals(np.sort(numbers))
    low, shifted = span
    return (np.flatnonzero(np.bincount(shifted)) + low).astype(numbers.dtype)


def count_distinct(numbers: NDArray[Any]) -> int:
    """How many different numbers there are."""
    span = _span(numbers)
    if span is None:
        return len(_without_equals(np.sort(numbers)))
    return int(np.count_nonzero(np.bincount(span[1])))


def number_codes(numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different numbers, in order, and which of them each is."""
    span = _span(numbers)
    if span is None:
        found, place = np.unique(numbers, return_inverse=True)
        return found, place.reshape(-1).astype(np.int64, copy=False)
    low, shifted = span
    seen = np.bincount(shifted) > 0
    place = shifted if seen.all() else np.asarray(np.cumsum(seen) - 1, dtype=np.int64)[shifted]
    return (np.flatnonzero(seen) + low).astype(numbers.dtype), place


def group_sizes(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """For each number, how many are equal to it, itself included."""
    span = _span(numbers)
    if span is not None:
        return np.asarray(np.bincount(span[1])[span[1]])
    if count_distinct(numbers) == len(numbers):
        return np.ones(len(numbers), dtype=np.int64)
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray(counts[place])


def _span(numbers: NDArray[Any]) -> tuple[int, NDArray[np.int64]] | None:
    """The lowest, and how far each lies above it; None if they are not whole or lie far apart."""
    if not len(numbers):
        return None
    low, high = numbers.min(), numbers.max()
    if not np.isfinite(high - low) or high - low >= _SPAN * len(numbers) + _FEW:
        return None
    if numbers.dtype.kind not in "iu" and not (numbers == np.rint(numbers)).all():
        return None
    return int(low), (numbers - low).astype(np.int64)


def _without_equals(ordered: NDArray[Any]) -> NDArray[Any]:
    if not len(ordered):
        return ordered
    is_new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return np.asarray(ordered[is_new])


@dataclass(frozen=True, slots=True)
class CountTable:
    """Counted answers: one row per kind of unit, one column per value, and how many units there are
    of the kind. Units with a single judgment are left out; nobody agrees or disagrees there."""

    values: Numbers
    patterns: NDArray[np.int64]
    units: NDArray[np.int64]
    single: int = 0  # units with one judgment, left out
    by_item: csr_array | None = None  # units of each item (rows) and kind, if they belong to items

    @property
    def n(self) -> int:
        """Units judged by two or more participants."""
        return int(self.units.sum())

    @property
    def judgments(self) -> int:
        """Judgments of these units."""
        return int(self.units @ self.patterns.sum(axis=1))


def count_table(unit: Codes, value: Numbers | Codes, *, item: Codes | None = None) -> CountTable:
    """Count the judgments of each unit by value.

    `item` is the item of each judgment, where several units belong to one item, such as the
    sentences of a text: intervals then treat items as independent, not units.
    """
    values, column = distinct(value)
    row, height = dense_codes(unit)
    counts = count_cells(row, column, height=height, width=len(values))
    if item is None:
        return table_of_counts(counts, values)
    item_of = np.zeros(height, dtype=np.int64)
    item_of[row] = item
    return table_of_counts(counts, values, item=item_of)


def table_of_counts(
    counts: NDArray[np.integer], values: Numbers, *, item: Codes | None = None
) -> CountTable:
    """A count table from counts: units in rows, values in columns."""
    size = counts.sum(axis=1)
    shared = size >= 2
    patterns, units, kind = _collapse(counts[shared].astype(np.int64, copy=False))
    return CountTable(
        values.astype(np.float64),
        patterns,
        units,
        single=int(np.count_nonzero(size == 1)),
        by_item=None if item is None else kinds_by_item(item[shared], kind, len(units)),
    )


def kinds_by_item(item: Codes, kind: Codes, kinds: int) -> csr_array:
    """How many units of each kind (columns) each item (rows) has, given both for each unit."""
    from scipy.sparse import csr_array

    row = np.unique(item, return_inverse=True)[1]
    height = int(row.max()) + 1 if len(row) else 0
    return csr_array((np.ones(len(row)), (row, kind)), shape=(height, kinds))


def count_cells(row: Codes, column: Codes, *, height: int, width: int) -> NDArray[np.int64]:
    """How many judgments of each unit (row) have each value (column)."""
    if height * width > _CELLS:
        raise DataError(
            Problem(
                f"{height:,} units with {width:,} different values are too many to be counted.",
                "Round the values, for instance to whole points of the scale.",
            )
        )
    cell = row * np.int64(width)
    cell += column
    return np.bincount(cell, minlength=height * width).reshape(height, width)


def distinct(value: NDArray[Any]) -> tuple[Numbers, Codes]:
    """The values that occur, in order, and for each judgment which of them it is.

    Values that differ by rounding alone, as means of the same scores can, are one value.
    """
    if not len(value) or not _is_whole(value):
        refuse_missing(value)
        settled = round_off(value, scale_of(value)) if value.dtype.kind == "f" else value
        _, first, code = np.unique(settled, return_index=True, return_inverse=True)
        return value[first].astype(np.float64), code
    low = int(value.min())
    shifted = value.astype(np.int64)
    shifted -= low
    seen = np.bincount(shifted) > 0
    code = shifted if seen.all() else (np.cumsum(seen) - 1)[shifted]
    return (np.flatnonzero(seen) + low).astype(np.float64), code


def dense_codes(codes: Codes) -> tuple[NDArray[np.int64], int]:
    """Codes that can index an array, with its length; renumbered only if they have wide gaps."""
    if not len(codes):
        return codes.astype(np.int64), 0
    highest = int(codes.max())
    if int(codes.min()) >= 0 and highest < 4 * len(codes) + 1000:
        return codes.astype(np.int64, copy=False), highest + 1
    kept, renumbered = np.unique(codes, return_inverse=True)
    return renumbered.astype(np.int64), len(kept)


def _is_whole(value: NDArray[Any]) -> bool:
    if value.max() - value.min() >= _FEW_VALUES:
        return False
    return value.dtype.kind in "iu" or bool((value == np.rint(value)).all())


def _collapse(
    table: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Equal rows once, with how many there are, and which of them each row is."""
    if not len(table):
        none = np.zeros(0, dtype=np.int64)
        return table, none, none
    base, width = int(table.max()) + 1, table.shape[1]
    if width * np.log2(base) >= _ONE_NUMBER:
        return _collapse_in_parts(table, base)
    places = base ** np.arange(width, dtype=np.int64)
    kinds, kind, units = count_keys(table @ places, base**width)
    return kinds[:, np.newaxis] // places % base, units, kind


def _collapse_in_parts(
    table: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The same for rows that are too long for one number: part by part, each part one number."""
    span = max(1, int(_ONE_NUMBER / np.log2(base)))
    code = np.zeros(len(table), dtype=np.int64)
    for start in range(0, table.shape[1], span):
        part = table[:, start : start + span]
        key = part @ base ** np.arange(part.shape[1], dtype=np.int64)
        number = np.unique(key, return_inverse=True)[1]
        code = np.unique(code * len(table) + number, return_inverse=True)[1]
    _, first, kind, units = np.unique(
        code, return_index=True, return_inverse=True, return_counts=True
    )
    return table[first], units, kind


def count_keys(
    key: NDArray[np.int64], highest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The keys that occur, in order; which of them each is; how often each occurs."""
    if highest > _KEYS:
        return np.unique(key, return_inverse=True, return_counts=True)
    counts = np.bincount(key)
    seen = np.flatnonzero(counts)
    place = np.cumsum(counts > 0) - 1
    return seen, place[key], counts[seen]
