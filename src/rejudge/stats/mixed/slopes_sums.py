"""Sums for a model with free slopes: by item and by participant, for each system.

Every level of a grouping has an offset for each of its columns, usually the systems. Where the data
cannot support that, a grouping has less: variances only if no level has two systems, and a single
offset for all systems if no level has two judgments of one system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers, count_distinct, number_codes
from rejudge.stats.mixed.sums import faster_table, scale_rows, to_dense, transpose

Form: TypeAlias = Literal["covariance", "variances", "offset"]
Places: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]

_DENSE = 11  # cells for each number; up to this many a product is quicker of a full table


@dataclass(frozen=True, slots=True)
class GroupingSums:
    """One grouping: its levels, and the offsets that each of them has."""

    name: str
    form: Form
    counts: Numbers  # judgments by level and column
    sums: Numbers  # of the fixed effects and the value, last, by level and column
    places: Places  # rows and columns of the factor's elements that are searched for

    @property
    def levels(self) -> int:
        return len(self.counts)

    @property
    def width(self) -> int:
        """How many columns a level has."""
        return int(self.counts.shape[1])

    def factor(self, elements: Numbers) -> Numbers:
        """Λ from its elements: ΛΛᵀ is the covariance of a level's offsets, in units of σ²."""
        found = np.zeros((self.width, self.width))
        found[self.places] = elements
        return found


@dataclass(frozen=True, slots=True)
class Meeting:
    """How often the levels of two groupings meet, for one column of each."""

    first: int  # column of the larger grouping
    second: int  # column of the smaller one
    table: Any  # larger × smaller, sparse or dense
    turned: Any


@dataclass(frozen=True, slots=True)
class SlopeSums:
    """All that the likelihood of a model with free slopes depends on."""

    n: int
    cross: Numbers  # Wᵀ W of the fixed effects and the value, last
    larger: GroupingSums
    smaller: GroupingSums | None
    meetings: tuple[Meeting, ...]

    @property
    def sides(self) -> tuple[GroupingSums, ...]:
        return (self.larger,) if self.smaller is None else (self.larger, self.smaller)

    def across(self, columns: Numbers) -> Numbers:
        """Sums by level of the larger grouping of what the smaller one has by level and column."""
        found = np.zeros((self.larger.levels, self.larger.width, columns.shape[2]))
        for each in self.meetings:
            found[:, each.first] += each.table @ columns[:, each.second]
        return found

    def back(self, columns: Numbers, smaller: GroupingSums) -> Numbers:
        """〃 of the smaller grouping of what the larger one has."""
        found = np.zeros((smaller.levels, smaller.width, columns.shape[2]))
        for each in self.meetings:
            found[:, each.second] += each.turned @ columns[:, each.first]
        return found

    def met(self, weight: Numbers, smaller: GroupingSums) -> Numbers:
        """Mᵀ K M, column by column of the smaller grouping; M counts where levels meet."""
        found = np.zeros((smaller.width, smaller.levels, smaller.width, smaller.levels))
        for k, one in enumerate(self.meetings):
            for other in self.meetings[: k + 1]:
                scaled = scale_rows(other.table, weight[:, one.first, other.first])
                product = to_dense(one.turned @ scaled)
                found[one.second, :, other.second] += product
                if one is not other:
                    found[other.second, :, one.second] += product.T
        return found

    def squares(self, weight: Numbers) -> Numbers:
        """M_i Q M_iᵀ of each level i of the larger grouping."""
        found = np.zeros((self.larger.levels, self.larger.width, self.larger.width))
        for k, one in enumerate(self.meetings):
            for other in self.meetings[: k + 1]:
                product = _row_products(
                    one.table @ weight[one.second, :, other.second], other.table
                )
                found[:, one.first, other.first] += product
                if one is not other:
                    found[:, other.first, one.first] += product
        return found


def _row_products(full: Numbers, table: Any) -> Numbers:
    if isinstance(table, np.ndarray):
        return np.asarray(np.einsum("ir,ir->i", full, table))
    return np.asarray(table.multiply(full).sum(axis=1)).reshape(-1)


def slope_sums(columns: Numbers, system: Codes, groups: Mapping[str, Codes]) -> SlopeSums:
    """The sums of these columns (fixed effects and the value, last), for one grouping or two.
    Systems have codes 0, 1, 2, …"""
    coded = {name: number_codes(codes)[1] for name, codes in groups.items()}
    forms = {name: form_of(system, codes) for name, codes in coded.items()}
    within = {name: _columns_of(system, forms[name]) for name in coded}
    sides = [
        _grouping_sums(name, forms[name], columns, level=coded[name], within=within[name])
        for name in coded
    ]
    order = sorted(sides, key=lambda side: -side.levels * side.width)
    names = [side.name for side in order]
    return SlopeSums(
        n=len(columns),
        cross=columns.T @ columns,
        larger=order[0],
        smaller=order[1] if len(order) > 1 else None,
        meetings=_meetings([coded[name] for name in names], [within[name] for name in names]),
    )


def form_of(system: Codes, level: Codes) -> Form:
    """What a table can show of how systems vary over the levels of a grouping."""
    cells = count_distinct(level.astype(np.int64) * (int(system.max()) + 1) + system)
    if cells == len(level):
        return "offset"
    return "variances" if cells == count_distinct(level) else "covariance"


def _columns_of(system: Codes, form: Form) -> Codes:
    return np.zeros_like(system) if form == "offset" else system


def _grouping_sums(
    name: str, form: Form, columns: Numbers, *, level: Codes, within: Codes
) -> GroupingSums:
    levels, width = int(level.max()) + 1, int(within.max()) + 1
    cell = level.astype(np.int64) * width + within
    counts = np.bincount(cell, minlength=levels * width).astype(np.float64)
    sums = np.empty((levels * width, columns.shape[1]))
    for place, column in enumerate(columns.T):
        sums[:, place] = np.bincount(cell, column, levels * width)
    return GroupingSums(
        name,
        form,
        counts.reshape(levels, width),
        sums.reshape(levels, width, columns.shape[1]),
        _places(width, form),
    )


def _places(width: int, form: Form) -> Places:
    if form == "variances":
        return np.arange(width), np.arange(width)
    return np.tril_indices(width)


def _meetings(levels: Sequence[Codes], within: Sequence[Codes]) -> tuple[Meeting, ...]:
    from scipy.sparse import csr_array

    if len(levels) == 1:
        return ()
    shape = tuple(int(codes.max()) + 1 for codes in levels)
    found = []
    for first, second in sorted(set(zip(within[0].tolist(), within[1].tolist(), strict=True))):
        rows = (within[0] == first) & (within[1] == second)
        ones = np.ones(int(rows.sum()))
        table = csr_array((ones, (levels[0][rows], levels[1][rows])), shape=shape)
        table.sum_duplicates()
        quick = faster_table(table, _DENSE * table.nnz)
        found.append(Meeting(first, second, quick, transpose(quick)))
    return tuple(found)
