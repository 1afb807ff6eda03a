"""What is left of columns when items, or items and participants, are accounted for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rejudge.stats.cluster_sums import Clusters, Codes, Numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CLOSE = 1e-12  # relative to the right-hand side
_STEPS = 2000


def within_one(column: Numbers, group: Codes) -> Numbers:
    """A column minus the mean of its group: what a regression on dummies of groups leaves."""
    counts = np.bincount(group)
    means = np.bincount(group, column) / np.maximum(counts, 1)
    return np.asarray(column - means[group])


def within_both(column: Numbers, clusters: Clusters) -> Numbers:
    """The residuals of a regression on dummies of items and of participants.

    The kind with more clusters is eliminated exactly. For the other, the normal equations that are
    left are solved by conjugate gradients on the table of who judged what, so that neither time nor
    memory depends on more than the number of cells (Guimarães & Portugal 2010 give the problem;
    the solution is the same as with dummies). Where effects are not unique the residuals still are.
    """
    sides = (clusters.item, clusters.participant)
    large, small = sides if sides[0].max() >= sides[1].max() else sides[::-1]
    left = within_one(column, large[clusters.cell])
    right = np.bincount(small[clusters.cell], left).astype(np.float64)
    each = _judgments_of_each_cell(clusters)
    if each is None:
        effects = _Normal.of(clusters, large, small).solve(right)
    else:  # the equations are N (x − mean x) = right, whose sum is 0
        effects = right / (each * _distinct(large))
    return within_one(column - effects[small[clusters.cell]], large[clusters.cell])


def _judgments_of_each_cell(clusters: Clusters) -> int | None:
    """How often everybody judged every item; None if not all did equally often."""
    cells = _distinct(clusters.item) * _distinct(clusters.participant)
    counts = np.bincount(clusters.cell)
    is_complete = len(counts) == cells and counts.min() == counts.max()
    return int(counts[0]) if is_complete else None


def _distinct(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


@dataclass(frozen=True, slots=True)
class _Normal:
    """The normal equations of the smaller kind when the larger is eliminated: N − Mᵀ L⁻¹ M."""

    table: csr_array  # M: judgments by clusters of the larger kind and of the smaller
    large: Numbers  # L: judgments of each cluster
    small: Numbers  # N

    @classmethod
    def of(cls, clusters: Clusters, large: Codes, small: Codes) -> _Normal:
        from scipy.sparse import csr_array

        counts = np.bincount(clusters.cell).astype(np.float64)
        table = csr_array((counts, (large, small)))
        return cls(
            table, np.maximum(table.sum(axis=1), 1.0), np.asarray(table.sum(axis=0), np.float64)
        )

    def times(self, x: Numbers) -> Numbers:
        return np.asarray(self.small * x - self.table.T @ ((self.table @ x) / self.large))

    def solve(self, right: Numbers) -> Numbers:
        """Conjugate gradients, scaled by the diagonal. The matrix is singular along shifts of
        connected clusters, which the right-hand side never is."""
        squares = self.table.multiply(self.table).T @ (1 / self.large)
        diagonal = self.small - squares
        scale = np.where(diagonal > _CLOSE * self.small, 1 / np.maximum(diagonal, 1e-300), 0.0)
        found, rest = np.zeros_like(right), right.copy()
        step = scale * rest
        size, goal = float(rest @ step), _CLOSE * float(np.linalg.norm(right))
        for _ in range(_STEPS):
            if np.linalg.norm(rest) <= goal or size <= 0:
                break
            moved = self.times(step)
            length = size / float(step @ moved)
            found += length * step
            rest -= length * moved
            scaled = scale * rest
            size, before = float(rest @ scaled), size
            step = scaled + size / before * step
        return found
