"""How uncertain strengths are: from the model, from clusters of comparisons, from resamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.paired_model import Fits, outcome_cells, residuals
from rejudge.stats.pairwise import Comparisons

Errors: TypeAlias = Literal["two-way", "item", "participant", "model"]

_CELLS = 4_000_000  # how many numbers a block of the computation may hold


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances of the strengths and of the differences of all pairs."""

    own: Numbers
    pairs: Numbers
    clusters: int | None = None  # None: as if comparisons were independent


def model_spread(fit: Fits) -> Spread:
    """Variances by the model: the inverse of the curvature, where strengths sum to 0."""
    inverse = _inverse(fit)
    return _spread(inverse[:, : len(inverse)])


def cluster_spread(comparisons: Comparisons, fit: Fits, errors: Errors) -> Spread | None:
    """Sandwich variances, which hold when comparisons of a cluster resemble each other.

    Two-way: V(items) + V(participants) − V(item × participant), no variance below the larger of
    the first two, times G/(G−1) for the smaller number of clusters, as in `clustered`. None where
    there is a single cluster.
    """
    keys = {"item": comparisons.item, "participant": comparisons.participant}
    wanted = list(keys) if errors == "two-way" else [errors]
    codes = [_numbered(keys[name]) for name in wanted]
    clusters = min(int(code.max()) + 1 for code in codes)
    if clusters < 2:  # noqa: PLR2004 - one cluster shows no variation between clusters
        return None
    pulls = _pulls(comparisons, fit)
    parts = [_spread(_meat(pulls, fit, code)) for code in codes]
    factor = clusters / (clusters - 1)
    if len(parts) == 1:
        return Spread(parts[0].own * factor, parts[0].pairs * factor, clusters)
    crossing = _numbered(codes[0] * (int(codes[1].max()) + 1) + codes[1])
    both = _spread(_meat(pulls, fit, crossing))
    own = _two_way(parts[0].own, parts[1].own, both.own)
    pairs = _two_way(parts[0].pairs, parts[1].pairs, both.pairs)
    return Spread(own * factor, pairs * factor, clusters)


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
    return Spread(own, np.asarray(own[:, np.newaxis] + own - 2 * covariance))


def _two_way(first: Numbers, second: Numbers, both: Numbers) -> Numbers:
    return np.asarray(np.maximum(first + second - both, np.maximum(first, second)))


def _inverse(fit: Fits) -> Numbers:
    size = fit.strengths.shape[1]
    return np.asarray(np.linalg.pinv(fit.curvature[0], hermitian=True)[:size])


def _pulls(comparisons: Comparisons, fit: Fits) -> list[tuple[Numbers, Codes]]:
    """What each comparison adds to the slopes of the likelihood, and to which of them."""
    outcome, tie = residuals(comparisons, fit)
    pulls = [(outcome, comparisons.first), (-outcome, comparisons.second)]
    if tie is not None:
        pulls.append((tie, np.full(len(tie), fit.strengths.shape[1])))
    return pulls


def _meat(pulls: list[tuple[Numbers, Codes]], fit: Fits, cluster: Codes) -> Numbers:
    """The sum over clusters of the squared pull that each has on the strengths."""
    from scipy.sparse import csr_array

    clusters, columns = int(cluster.max()) + 1, fit.curvature.shape[1]
    if clusters * columns <= _CELLS:
        sums = np.zeros(clusters * columns)
        for value, place in pulls:
            sums += np.bincount(cluster * columns + place, value, len(sums))
        by_cluster = sums.reshape(clusters, columns)
        squares = by_cluster.T @ by_cluster
    else:
        values = np.concatenate([value for value, _ in pulls])
        places = np.concatenate([place for _, place in pulls])
        rows = np.tile(cluster, len(pulls))
        table = csr_array((values, (rows, places)), shape=(clusters, columns))
        squares = (table.T @ table).toarray()
    inverse = _inverse(fit)
    return np.asarray(inverse @ squares @ inverse.T)


def _numbered(codes: Codes) -> Codes:
    """The codes that occur, numbered anew from 0 in their order."""
    if int(codes.max()) > 4 * len(codes) + 1000:  # a table of all codes would be mostly empty
        return np.unique(codes, return_inverse=True)[1]
    occurs = np.bincount(codes) > 0
    return np.asarray((np.cumsum(occurs) - 1)[codes])
