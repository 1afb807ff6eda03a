"""Units crossed with participants, their pairs, and intervals from resamples of units or items.

Units that the same people judged with the same values are interchangeable, so each kind of unit is
stored once with its frequency. Ten million judgments by five people become a few thousand kinds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import (
    Codes,
    Numbers,
    count_distinct,
    count_keys,
    dense_codes,
    distinct,
    kinds_by_item,
    number_codes,
)
from rejudge.stats.estimate import Estimate, Interval
from rejudge.stats.reasons import Reason, Why

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_EXACT = 52  # bits of a whole number that a float holds exactly


@dataclass(frozen=True, slots=True)
class Crossing:
    """Judgments of units that two or more people judged, one row each, sorted by kind of unit."""

    kind: Codes
    participant: Codes  # 0 … number of participants − 1
    code: Codes  # place in `values`
    values: Numbers
    units: NDArray[np.int64]  # how many units there are of each kind
    people: Codes  # the participants' codes as they were given
    repeats: int  # judgments beyond the first of one unit by one participant
    by_item: csr_array | None = None  # units of each item (rows) and kind, if they belong to items

    @property
    def n(self) -> int:
        """Units judged by two or more participants."""
        return int(self.units.sum())

    @property
    def judgments(self) -> int:
        """Judgments of these units."""
        return int(self.units[self.kind].sum())

    @property
    def nbytes(self) -> int:
        """About its size: a large one is sent to a cluster once."""
        return self.kind.nbytes + self.participant.nbytes + self.code.nbytes + self.units.nbytes


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two participants' judgments of the same units: cells of a pair's table that occur, and the
    meetings (a kind of unit, two of its judgments) that fall into each."""

    first: Codes  # of each pair
    second: Codes
    values: Numbers
    pair: Codes  # of each cell
    x: Codes  # what the first said: place in `values`
    y: Codes
    kind: Codes  # of each meeting
    cell: Codes

    def among(self, kept: NDArray[np.bool_]) -> Pairs:
        """The same for some of the pairs."""
        cells = kept[self.pair]
        meetings = cells[self.cell]
        return Pairs(
            self.first[kept],
            self.second[kept],
            self.values,
            (np.cumsum(kept) - 1)[self.pair[cells]],
            self.x[cells],
            self.y[cells],
            self.kind[meetings],
            (np.cumsum(cells) - 1)[self.cell[meetings]],
        )

    def weights(self, units: Numbers) -> Numbers:
        """How many units lie in each cell, given how many there are of each kind."""
        counts = np.bincount(self.cell, weights=units[self.kind], minlength=len(self.pair))
        return counts.astype(np.float64)


def cross_units(
    unit: Codes, participant: Codes, value: Numbers | Codes, *, item: Codes | None = None
) -> Crossing:
    """Cross units with participants and keep each kind of unit once; `item` as in `count_table`."""
    values, code = distinct(value)
    people, person = number_codes(participant)
    row, height = dense_codes(unit)
    shared = np.bincount(row, minlength=height)[row] >= 2
    row, person, code = row[shared], person[shared], code[shared]
    repeats = _repeats(row, person, len(people))
    names = people.astype(np.int64)
    kind, units, kind_of = _kinds(row, person, code, size=(height, len(people), len(values)))
    by_item = None
    if item is not None:
        item_of = np.zeros(height, dtype=np.int64)
        item_of[row] = item[shared]
        seen = np.flatnonzero(np.bincount(row, minlength=height))
        by_item = kinds_by_item(item_of[seen], kind_of, len(units))
    first_rows = np.flatnonzero(kind >= 0)
    first_rows = first_rows[np.lexsort((person[first_rows], kind[first_rows]))]
    return Crossing(
        kind[first_rows],
        person[first_rows],
        code[first_rows],
        values,
        units,
        names,
        repeats,
        by_item,
    )


def pair_participants(crossing: Crossing) -> Pairs:
    """All pairs of participants who judged a unit together."""
    kind, person, width = crossing.kind, crossing.participant, len(crossing.values)
    left, right = _meetings(kind)
    people = len(crossing.people)
    met, which = number_codes(person[left].astype(np.int64) * people + person[right])
    table = (which * width + crossing.code[left]) * width + crossing.code[right]
    cells, cell = number_codes(table)
    return Pairs(
        met // people,
        met % people,
        crossing.values,
        cells // width**2,
        cells // width % width,
        cells % width,
        kind[left],
        cell,
    )


def pair_of(first: Numbers, second: Numbers) -> Pairs:
    """One pair: both participants' judgments of the same units, in the same order."""
    values, code = distinct(np.concatenate([first, second]))
    n, width = len(first), len(values)
    cells, cell = np.unique(code[:n].astype(np.int64) * width + code[n:], return_inverse=True)
    alone = np.zeros(1, dtype=np.int64)
    return Pairs(
        alone,
        alone + 1,
        values,
        np.zeros_like(cells),
        cells // max(width, 1),
        cells % max(width, 1),
        np.arange(n),
        cell,
    )


def _meetings(kind: Codes) -> tuple[Codes, Codes]:
    """All pairs of rows of one kind; rows are sorted by kind, so partners are some rows apart."""
    left, right = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    apart = 1
    while len(found := np.flatnonzero(kind[:-apart] == kind[apart:])):
        left.append(found)
        right.append(found + apart)
        apart += 1
    return np.concatenate(left), np.concatenate(right)


def _repeats(row: Codes, person: Codes, people: int) -> int:
    key = row.astype(np.int64) * people + person
    return len(key) - count_distinct(key)


def _kinds(
    row: Codes, person: Codes, code: Codes, *, size: tuple[int, int, int]
) -> tuple[Codes, NDArray[np.int64], Codes]:
    """The kind of each judgment's unit, −1 if another unit represents it; how many units there are
    of each kind; and the kind of each unit that occurs."""
    height, people, width = size
    seen = np.bincount(row, minlength=height) > 0
    if people * np.log2(width + 1) >= _EXACT:
        place = np.cumsum(seen) - 1
        height = int(seen.sum())
        return place[row], np.ones(height, dtype=np.int64), np.arange(height)
    base = width + 1
    places = (base ** np.arange(people, dtype=np.int64)).astype(np.float64)
    key = np.bincount(row, weights=(code + 1) * places[person], minlength=height)
    _, kind, units = count_keys(key[seen].astype(np.int64), base**people)
    kind_of_unit = np.full(height, -1)
    number = np.flatnonzero(seen)
    first = np.full(len(units), -1)
    first[kind[::-1]] = number[::-1]
    kind_of_unit[first] = np.arange(len(units))
    return kind_of_unit[row], units, kind


CELLS = 4_000_000  # how many numbers a block of the computation may hold

_BLOCK = 65_536  # numbers of a block that is quickest; larger ones wake up threads in vain
_FEWEST_ROWS = 32
_MANY_KINDS = 1000
_SOME_KINDS = 64
_TINY = 1e-12  # zero but for rounding
_FAR = 1e9  # standard errors that a resample lies away which has none
_TOO_FAR = 50  # and so many that some of those are among the ends
LITTLE_DISAGREEMENT = Why.ANOTHER_METHOD(
    what="few units show any disagreement, so many resamples show none; the interval uses "
    "percentiles and is somewhat too narrow"
)
NO_WIDTH = Why.NO_BOUND(cause="every unit shows the same agreement, so all resamples are the same")
Reasons: TypeAlias = tuple[Reason, ...]


def over_units(
    value: float | None,
    n: int = 0,
    judgments: int = 0,
    interval: Interval | None = None,
    *,
    reasons: Reasons = (),
) -> Estimate:
    """Agreement on `n` units judged by two or more people, in so many judgments."""
    return Estimate(
        value, n, interval=interval, counted="units", judgments=judgments, reasons=reasons
    )


def left_out(undefined: int, replicates: int) -> Reasons:
    """How many resamples had no coefficient."""
    if not undefined:
        return ()
    return (Why.LEFT_OUT(n=undefined, total=replicates, what="resamples were undefined"),)


def repeats_of(repeats: int) -> Reason:
    """Why nothing is computed where somebody judged a unit twice."""
    return Why.REPEATS(n=repeats)


def unit_draws(
    units: NDArray[np.int64], rng: np.random.Generator, replicates: int
) -> Iterator[Numbers]:
    """As many resamples of units of several kinds, in blocks of rows that fit into memory.

    Units of one kind are interchangeable, so drawing units with replacement is, exactly, a
    multinomial draw over the kinds. There are three ways to it, of which the quickest is taken.
    """
    n, kinds = int(units.sum()), len(units)
    if kinds > _MANY_KINDS and n < 4 * kinds:
        draw, width = _draw_one_by_one, n
    elif kinds > max(_SOME_KINDS, math.sqrt(n) / 3):
        draw, width = _poisson_counts, kinds
    else:
        draw, width = _multinomial_counts, kinds
    rows = max(_FEWEST_ROWS, _BLOCK // max(width, 1))
    block = max(1, min(rows, CELLS // max(width, 1)))
    for start in range(0, replicates, block):
        yield draw(units, rng, min(block, replicates - start)).astype(np.float64)


def item_draws(by_item: csr_array, rng: np.random.Generator, replicates: int) -> Iterator[Numbers]:
    """As many resamples of items, each with all its units, as numbers of units of each kind."""
    items, kinds = by_item.shape
    block = max(1, min(_FEWEST_ROWS, CELLS // max(items, kinds, 1)))
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        often = rng.multinomial(items, np.full(items, 1 / items), size=size)
        yield np.asarray((by_item.T @ often.T).T, dtype=np.float64)


def percentiles(drawn: Numbers, *, level: float) -> tuple[Interval | None, Reasons]:
    """The percentile interval of the resamples, or the reason why there is none."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if high - low <= 1e-12 * max(1.0, abs(high)):  # zero but for rounding
        return None, (NO_WIDTH,)
    return Interval(float(low), float(high), level), ()


@dataclass(frozen=True, slots=True)
class CoefficientWithError:
    """A coefficient that is 1 for complete agreement, with its error: one, or one per resample."""

    value: Numbers
    size: Numbers  # of the error


def studentised_interval(
    whole: CoefficientWithError, drawn: CoefficientWithError, *, level: float
) -> tuple[Interval | None, Reasons]:
    """The bootstrap-t interval of a coefficient: each resample is divided by its own error.

    Bootstrap-t (Efron 1982; Hall 1988) on log(1 − coefficient), where errors depend less on the
    value. Unlike percentiles it allows for a coefficient that is biased, skewed and the less
    certain the lower it is. Where so many resamples agree completely that their errors are none, it
    falls back to percentiles. Cut at −1, below which no value can lie.
    """
    value, error = float(whole.value[0]), float(whole.size[0])
    disagreement = 1 - value
    if error <= _TINY or disagreement <= _TINY:
        return None, (NO_WIDTH,)
    left = 1 - drawn.value
    moved = np.log(np.maximum(left, _TINY)) - math.log(disagreement)
    without = (left <= _TINY) | (drawn.size <= _TINY)
    apart = moved * left / np.where(without, 1.0, drawn.size)
    distance = np.where(without, np.sign(moved) * _FAR, apart)
    ends = np.quantile(distance, [(1 + level) / 2, (1 - level) / 2])
    if np.abs(ends).max() > _TOO_FAR:
        interval, reason = percentiles(drawn.value, level=level)
        return interval, reason or (LITTLE_DISAGREEMENT,)
    return _limits(value, error, ends, level=level), ()


def interval_from_error(
    whole: CoefficientWithError, *, level: float
) -> tuple[Interval | None, Reasons]:
    """The interval of a coefficient from its standard error, normal on log(1 − coefficient)."""
    from scipy.special import ndtri

    value, error = float(whole.value[0]), float(whole.size[0])
    if error <= _TINY or 1 - value <= _TINY:
        return None, (NO_WIDTH,)
    reach = float(ndtri((1 + level) / 2))
    return _limits(value, error, np.array([reach, -reach]), level=level), ()


def _limits(value: float, error: float, ends: Numbers, *, level: float) -> Interval:
    """Limits this many errors from the coefficient, on the scale of log(1 − coefficient)."""
    disagreement = 1 - value
    high, low = 1 - disagreement * np.exp(-ends * error / disagreement)
    return Interval(max(-1.0, float(low)), float(high), level)


def _multinomial_counts(
    units: NDArray[np.int64], rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    n = int(units.sum())
    return rng.multinomial(n, units / n, size=size)


def _draw_one_by_one(
    units: NDArray[np.int64], rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    return _pick(units, rng, np.full(size, int(units.sum())))


def _poisson_counts(
    units: NDArray[np.int64], rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    """Poisson counts of nearly as many units, then the missing ones one by one.

    Independent Poisson counts are multinomial given their total, whatever it is, and the rest are
    drawn alike; so the whole is multinomial. Rows that came out too large are drawn again, which
    looks at their total only.
    """
    n = int(units.sum())
    expected = units * (1 - 2 / math.sqrt(n))
    counts = rng.poisson(expected, size=(size, len(units)))
    while len(too_many := np.flatnonzero(counts.sum(axis=1) > n)):
        counts[too_many] = rng.poisson(expected, size=(len(too_many), len(units)))
    return np.asarray(counts + _pick(units, rng, n - counts.sum(axis=1)))


def _pick(
    units: NDArray[np.int64], rng: np.random.Generator, times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Counts by kind of so many units picked one by one, a row for each number."""
    kinds, rows = len(units), len(times)
    kind_of = np.repeat(np.arange(kinds), units)
    picked = kind_of[rng.integers(0, len(kind_of), int(times.sum()))]
    picked += np.repeat(np.arange(rows) * kinds, times)
    return np.bincount(picked, minlength=rows * kinds).reshape(rows, kinds)
