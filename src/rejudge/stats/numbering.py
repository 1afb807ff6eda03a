"""Which numbers occur, and which of them each is: as `numpy.unique`, without its sorting or hashing
where whole numbers lie close together, as codes do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SPAN = 4  # possible numbers for each that is given: these are counted, more are sorted
_FEW = 1000


def present(numbers: NDArray[Any]) -> NDArray[Any]:
    """The different numbers, in order."""
    span = _span(numbers)
    if span is None:
        return _without_equals(np.sort(numbers))
    low, shifted = span
    return (np.flatnonzero(np.bincount(shifted)) + low).astype(numbers.dtype)


def how_many(numbers: NDArray[Any]) -> int:
    """How many different numbers there are."""
    span = _span(numbers)
    if span is None:
        return len(_without_equals(np.sort(numbers)))
    return int(np.count_nonzero(np.bincount(span[1])))


def numbered(numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
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
    if how_many(numbers) == len(numbers):
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
