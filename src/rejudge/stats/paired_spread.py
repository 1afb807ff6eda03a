"""How uncertain strengths are: from the model, from clusters of comparisons, from resamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from rejudge.stats.cluster_sums import Clusters, ClusterSums, Codes, Numbers, Sides
from rejudge.stats.paired_model import Fits, outcome_cells, residuals
from rejudge.stats.pairwise import Comparisons

Errors: TypeAlias = Literal["two-way", "item", "participant", "model"]

_CELLS = 4_000_000  # how many numbers a block of the computation may hold


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances of the strengths and of the differences of all pairs, and how well each is known.

    Degrees of freedom are infinite where the normal law is used.
    """

    own: Numbers
    pairs: Numbers
    own_df: Numbers
    pairs_df: Numbers


def model_spread(fit: Fits) -> Spread:
    """Variances by the model: the inverse of the curvature, where strengths sum to 0."""
    inverse = _inverse(fit)
    return _spread(inverse[:, : len(inverse)])


def cluster_spread(comparisons: Comparisons, fit: Fits, errors: Errors) -> Spread | None:
    """Sandwich variances, which hold when comparisons of a cluster resemble each other.

    Each as in `clustered`, a comparison counting for the first system and against the second; with
    `errors` by item or by participant, that part alone. None where there is a single cluster, or
    where nothing shows how far clusters differ.
    """
    inverse, size = _inverse(fit), fit.strengths.shape[1]
    item, participant = _numbered(comparisons.item), _numbered(comparisons.participant)
    kinds = {"item": (item,), "participant": (participant,)}.get(errors, (item, participant))
    if min(int(codes.max()) for codes in kinds) < 1:
        return None
    sides = Sides.of(Clusters.of(item, participant), comparisons.first, comparisons.second)
    outcome, tie = residuals(comparisons, fit)

    def spread_of(contrast: Numbers) -> _Known:
        weight = contrast[comparisons.first] - contrast[comparisons.second]
        influence = weight * outcome + (0.0 if tie is None else contrast[size] * tie)
        return _known(sides.sums(influence, weight), errors)

    own = [spread_of(row) for row in inverse]
    pairs = [
        spread_of(inverse[one] - inverse[other]) for one, other in combinations(range(size), 2)
    ]
    if not all(np.isfinite(each.variance) for each in own + pairs):
        return None
    return Spread(
        np.array([each.variance for each in own]),
        _square([each.variance for each in pairs], size),
        np.array([each.df for each in own]),
        _square([each.df for each in pairs], size),
    )


def drawn_spread(drawn: Numbers) -> Spread:
    """Variances of resampled strengths, one row per resample."""
    return _spread(np.cov(drawn, rowvar=False).reshape(drawn.shape[1], drawn.shape[1]))


def resampled_comparisons(
    cells: Numbers, replicates: int, rng: np.random.Generator
) -> Iterator[Numbers]:
    """Tables of as many comparisons drawn with replacement: a multinomial over filled cells."""
    filled = np.flatnonzero(cells)
    n = int(cells.sum())
    for size in _blocks(replicates, len(cells)):
        table = np.zeros((size, len(cells)))
        table[:, filled] = rng.multinomial(n, cells[filled] / n, size=size)
        yield table


def resampled_items(
    comparisons: Comparisons, replicates: int, rng: np.random.Generator
) -> Iterator[Numbers]:
    """Tables of as many items drawn with replacement, each with all its comparisons."""
    from scipy.sparse import csr_array

    cell = outcome_cells(comparisons)
    column = _numbered(cell)
    filled = np.flatnonzero(np.bincount(cell))
    row = _numbered(comparisons.item)
    items, width = int(row.max()) + 1, 2 * comparisons.systems**2
    counts = csr_array((np.ones(len(cell)), (row, column)), shape=(items, len(filled)))
    by_item = counts.toarray() if items * len(filled) <= _CELLS else counts
    for size in _blocks(replicates, max(items, width)):
        often = rng.multinomial(items, np.full(items, 1 / items), size=size).astype(np.float64)
        table = np.zeros((size, width))
        table[:, filled] = often @ by_item
        yield table


def _blocks(replicates: int, width: int) -> list[int]:
    block = max(1, _CELLS // width)
    return [min(block, replicates - start) for start in range(0, replicates, block)]


def _spread(covariance: Numbers) -> Spread:
    own = np.diagonal(covariance).copy()
    pairs = np.asarray(own[:, np.newaxis] + own - 2 * covariance)
    return Spread(own, pairs, np.full(own.shape, np.inf), np.full(pairs.shape, np.inf))


@dataclass(frozen=True, slots=True)
class _Known:
    variance: float
    df: float


def _known(sums: ClusterSums, errors: Errors) -> _Known:
    if errors == "two-way":
        return _Known(sums.variance, sums.df) if sums.is_known else _Known(np.nan, np.nan)
    part = sums.by_item if errors == "item" else sums.by_participant
    return _Known(part.variance, max(1.0, part.df))


def _square(values: list[float], size: int) -> Numbers:
    """A symmetric table of the pairs of systems, from their values row by row."""
    table = np.zeros((size, size))
    table[np.triu_indices(size, 1)] = values
    return table + table.T


def _inverse(fit: Fits) -> Numbers:
    size = fit.strengths.shape[1]
    return np.asarray(np.linalg.pinv(fit.curvature[0], hermitian=True)[:size])


def _numbered(codes: Codes) -> Codes:
    """The codes that occur, numbered anew from 0 in their order."""
    if int(codes.max()) > 4 * len(codes) + 1000:  # a table of all codes would be mostly empty
        return np.unique(codes, return_inverse=True)[1]
    occurs = np.bincount(codes) > 0
    return np.asarray((np.cumsum(occurs) - 1)[codes])
