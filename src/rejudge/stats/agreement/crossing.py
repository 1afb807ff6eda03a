"""Units crossed with participants, and the pairs of participants who share units.

Units that the same people judged with the same values are interchangeable, so each kind of unit is
stored once with its frequency. Ten million judgments by five people become a few thousand kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import (
    Codes,
    Numbers,
    count_keys,
    dense_codes,
    distinct,
    how_many,
    kinds_by_item,
    numbered,
)

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


@dataclass(frozen=True, slots=True)
class Pairs:
    """What two participants said about the same units: cells of a pair's table that occur, and the
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


def crossed(
    unit: Codes, participant: Codes, value: Numbers | Codes, *, item: Codes | None = None
) -> Crossing:
    """Cross units with participants and keep each kind of unit once; `item` as in `count_table`."""
    values, code = distinct(value)
    people, person = numbered(participant)
    row, height = dense_codes(unit)
    shared = np.bincount(row, minlength=height)[row] >= 2  # noqa: PLR2004 - a pair
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


def paired(crossing: Crossing) -> Pairs:
    """All pairs of participants who judged a unit together."""
    kind, person, width = crossing.kind, crossing.participant, len(crossing.values)
    left, right = _meetings(kind)
    people = len(crossing.people)
    met, which = numbered(person[left].astype(np.int64) * people + person[right])
    table = (which * width + crossing.code[left]) * width + crossing.code[right]
    cells, cell = numbered(table)
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
    """One pair: what each said about the same units, in the same order."""
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
    return len(key) - how_many(key)


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
