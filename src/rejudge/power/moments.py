"""Summaries of simulated answers: means, and sums of products in each stratum.

All tests of a balanced table are functions of these, so answers need not be kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rejudge.power.studies import StudyShape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.power.answers import Table


_ROUNDING = 1e-12  # of all squares


@dataclass(frozen=True, slots=True)
class Moments:
    """Means of columns (systems, or pairs of systems), and sums of products of their deviations.

    The parts of the whole are orthogonal: blocks of items, items within blocks, participants
    within blocks, and what is left. Arrays are studies × columns (× columns).
    """

    shape: StudyShape
    mean: NDArray[np.float64]
    block: NDArray[np.float64]
    item: NDArray[np.float64]
    person: NDArray[np.float64]
    rest: NDArray[np.float64]

    @property
    def judgments(self) -> int:
        """Of each system."""
        return self.shape.items * self.shape.participants_per_item

    @property
    def item_mean(self) -> float:
        """How many items a participant judges, on average over participants."""
        return self.shape.items / self.shape.blocks

    @property
    def df_block(self) -> int:
        return self.shape.blocks - 1

    @property
    def df_item(self) -> int:
        return self.shape.items - self.shape.blocks

    @property
    def df_person(self) -> int:
        return self.shape.blocks * (self.shape.participants_per_item - 1)

    @property
    def df_rest(self) -> int:
        return self.df_item * (self.shape.participants_per_item - 1)


def pairs_of(systems: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the second of each pair, in the order of `itertools.combinations`."""
    both = np.array(list(combinations(range(systems), 2)), dtype=np.int64)
    return both[:, 0], both[:, 1]


def strength_rows(systems: int) -> NDArray[np.float64]:
    """Strengths from choices: systems × pairs."""
    first, second = pairs_of(systems)
    rows = np.zeros((systems, len(first)))
    rows[first, np.arange(len(first))] = 1 / systems
    rows[second, np.arange(len(first))] = -1 / systems
    return rows


def moments_of(table: Table, shape: StudyShape) -> Moments:
    """Add up a table of answers: studies × columns × places × items."""
    n, columns, k, items = table.shape
    sizes = np.asarray(shape.block_sizes, dtype=np.float64)
    starts = np.concatenate([[0], np.cumsum(shape.block_sizes)[:-1]])
    by_item = table.sum(axis=2)
    by_person = _by_block(table, starts)
    by_block = by_person.sum(axis=2)
    cells = _products(table.reshape(n, columns, k * items))
    item = _products(by_item) / k
    person = _products((by_person / np.sqrt(sizes)).reshape(n, columns, -1))
    block = _products(by_block / np.sqrt(sizes * k))
    total = by_block.sum(axis=2)
    whole = _products(total[:, :, None]) / (k * items)
    return without_rounding_errors(
        Moments(
            shape,
            mean=total / (k * items),
            block=block - whole,
            item=item - block,
            person=person - block,
            rest=cells - item - person + block,
        )
    )


def without_rounding_errors(moments: Moments) -> Moments:
    """The same with 0 where only rounding is left: answers that never vary have no error at all."""
    parts = (moments.block, moments.item, moments.person, moments.rest)
    whole = moments.judgments * np.square(moments.mean).sum(axis=1)
    for part in parts:
        whole = whole + np.einsum("nss->n", part)
    least = _ROUNDING * whole[:, None, None]
    cleaned = (np.where(np.abs(part) > least, part, 0.0) for part in parts)
    return Moments(moments.shape, moments.mean, *cleaned)


def _by_block(table: Table, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums over the items of each block."""
    if len(starts) == 1:
        return np.asarray(table.sum(axis=3, dtype=np.float64, keepdims=True))
    return np.asarray(np.add.reduceat(table, starts, axis=3, dtype=np.float64))


def _products(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """Sums of products of each two columns, for each study."""
    n, columns, _ = rows.shape
    found = np.empty((n, columns, columns))
    for one in range(columns):
        for other in range(one, columns):
            both = np.einsum("nj,nj->n", rows[:, one], rows[:, other])
            found[:, one, other] = found[:, other, one] = both
    return found


def transform(moments: Moments, rows: NDArray[np.floating]) -> Moments:
    """The moments of linear combinations of the columns, one for each row."""
    mean = moments.mean @ rows.T
    parts = (
        rows @ products @ rows.T
        for products in (moments.block, moments.item, moments.person, moments.rest)
    )
    return Moments(moments.shape, mean, *parts)
