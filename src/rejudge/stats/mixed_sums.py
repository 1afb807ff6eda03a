"""What a mixed model needs of the judgments, in sums: after one pass no row is looked at again.

The model: value = X β + Σ_k Z_k u_k + ε, with u_k ~ N(0, τ_k σ²) and ε ~ N(0, σ²), so that the
values vary as σ² V with V = I + Σ_k τ_k Z_k Z_kᵀ. Everything that is asked of V (Bates, Mächler,
Bolker & Walker 2015, section 3) follows from the sums Wᵀ W, Z_kᵀ W and Z_kᵀ Z_l, W = [X, value].
The block of the grouping with the most levels is diagonal and is solved in closed form; what
remains has as many rows as the other groupings have levels, and is solved by Cholesky.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rejudge.stats.clusters import Codes, Numbers

_ROOM_FOR_PRODUCTS = 15_000_000  # numbers kept to save work in every step: 120 MB
_ROOM_FOR_DENSE = 8_000_000
_SPARSE = 4  # cells for each judgment, beyond which a table is kept sparse
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Rest:
    """All groupings but the one with the most levels, as one block of `m` levels."""

    spans: tuple[slice, ...]
    sums: Numbers  # m × (p+1)
    meetings: Numbers  # m × m: judgments that two levels share
    crossing: (
        Any  # sparse, largest × m: 〃 with the levels of the largest grouping (scipy: no types)
    )
    products: Numbers | None  # for each size of a level of the largest: crossingᵀ crossing


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of one set of judgments. Groupings stand in `order`, the largest first."""

    n: int
    p: int
    order: tuple[int, ...]
    levels: tuple[int, ...]
    cross: Numbers  # (p+1) × (p+1)
    sizes: Numbers  # judgments in each level of the largest grouping
    distinct_sizes: Numbers
    size_of: Codes  # which of them each level has
    sums: Numbers  # 〃 what their columns add up to
    rest: Rest | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """V at one τ: log |V|, Wᵀ V⁻¹ W, and how both change with each τ_k (in the caller's order)."""

    log_determinant: float
    cross: Numbers
    traces: Numbers  # ∂ log |V| / ∂ τ_k
    falls: Numbers  # −∂ Wᵀ V⁻¹ W / ∂ τ_k, one matrix each


def tally(columns: Numbers, groups: Sequence[Codes]) -> Sums:
    """Pass over the judgments once. The last column is the value, the others are fixed effects."""
    n, width = columns.shape
    dense = [_without_gaps(codes) for codes in groups]
    counts = [int(codes.max()) + 1 for codes in dense]
    order = tuple(sorted(range(len(counts)), key=lambda k: -counts[k]))
    largest = dense[order[0]]
    sizes = np.bincount(largest).astype(np.float64)
    distinct, size_of = np.unique(sizes, return_inverse=True)
    others = [dense[k] for k in order[1:]]
    return Sums(
        n=n,
        p=width - 1,
        order=order,
        levels=tuple(counts[k] for k in order),
        cross=columns.T @ columns,
        sizes=sizes,
        distinct_sizes=distinct,
        size_of=size_of,
        sums=_sums_by_level(columns, largest),
        rest=_rest(columns, largest, others, size_of) if others else None,
    )


def _without_gaps(codes: Codes) -> Codes:
    return np.asarray((np.cumsum(np.bincount(codes) > 0) - 1)[codes])


def _sums_by_level(columns: Numbers, codes: Codes) -> Numbers:
    return np.stack([np.bincount(codes, column) for column in columns.T], axis=1)


def _rest(columns: Numbers, largest: Codes, others: Sequence[Codes], size_of: Codes) -> Rest:
    ends = np.cumsum([0, *(int(codes.max()) + 1 for codes in others)]).tolist()
    spans = tuple(slice(a, b) for a, b in pairwise(ends))
    crossing = _crossing(largest, others, spans, len(size_of))
    return Rest(
        spans=spans,
        sums=np.concatenate([_sums_by_level(columns, codes) for codes in others]),
        meetings=_meetings(others, spans),
        crossing=crossing,
        products=_products_by_size(crossing, size_of),
    )


def _crossing(largest: Codes, others: Sequence[Codes], spans: Sequence[slice], height: int) -> Any:
    """How often each level of the largest grouping meets each other level; dense where that is
    quicker."""
    from scipy.sparse import csr_array

    column = np.concatenate([c + s.start for c, s in zip(others, spans, strict=True)])
    ones = np.broadcast_to(np.ones(1), column.shape)
    shape = (height, spans[-1].stop)
    table = csr_array((ones, (np.tile(largest, len(others)), column)), shape=shape)
    return table.toarray() if height * shape[1] <= _SPARSE * len(column) else table


def _meetings(others: Sequence[Codes], spans: Sequence[slice]) -> Numbers:
    width = spans[-1].stop
    found = np.zeros((width, width))
    for a, here in zip(others, spans, strict=True):
        found[here, here] = np.diag(np.bincount(a))
        for b, there in zip(others, spans, strict=True):
            if here.start < there.start:
                size = (here.stop - here.start, there.stop - there.start)
                block = np.bincount(a * size[1] + b, minlength=size[0] * size[1]).reshape(size)
                found[here, there], found[there, here] = block, block.T
    return found


def _products_by_size(crossing: Any, size_of: Codes) -> Numbers | None:
    """Levels of one size always weigh alike, so their products are added up once and for all."""
    count, m = int(size_of.max()) + 1, crossing.shape[1]
    if count * m * m > _ROOM_FOR_PRODUCTS:
        return None
    parts = (crossing[np.flatnonzero(size_of == k)] for k in range(count))
    return np.stack([_dense(_thinned(part).T @ _thinned(part)) for part in parts])


def _thinned(part: Any) -> Any:
    """Sparse only where it must be: a product of dense tables is quicker."""
    return _dense(part) if part.shape[0] * part.shape[1] <= _ROOM_FOR_DENSE else part


def _dense(table: Any) -> Numbers:
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray())


def moment_ratios(sums: Sums) -> Numbers:
    """A first guess of τ: the mean product of two values that share a level, over what is left.

    Two judgments of one level have its variance in common and, mostly, nothing else.
    """
    total = float(sums.cross[-1, -1]) / sums.n
    totals, sizes = [sums.sums[:, -1]], [sums.sizes]
    if sums.rest is not None:
        totals += [sums.rest.sums[span, -1] for span in sums.rest.spans]
        sizes += [np.diag(sums.rest.meetings)[span] for span in sums.rest.spans]
    shared = [
        (float(t @ t) - sums.n * total) / max(float(s @ s) - sums.n, 1.0)
        for t, s in zip(totals, sizes, strict=True)
    ]
    variances = np.maximum(np.array(shared)[np.argsort(sums.order)], 0.0)
    left = max(total - float(variances.sum()), 0.05 * total)
    return np.asarray(np.minimum(variances / left, 100.0))


def evaluate(sums: Sums, ratios: Numbers) -> Evaluation:
    """log |V|, Wᵀ V⁻¹ W and their slopes at the variance ratios τ, none of which is negative."""
    first, *others = ratios[list(sums.order)].tolist()
    growth = 1 + first * sums.sizes
    if sums.rest is None:
        seen = sums.sums / growth[:, None]
        return Evaluation(
            float(np.log(growth).sum()),
            sums.cross - first * (sums.sums.T @ seen),
            np.array([np.sum(sums.sizes / growth)]),
            (seen.T @ seen)[None],
        )
    return _evaluate_with_rest(sums, sums.rest, (first, others), growth)


def _evaluate_with_rest(
    sums: Sums, rest: Rest, ratios: tuple[float, Sequence[float]], growth: Numbers
) -> Evaluation:
    """Solve (I + Zᵀ Z T) M = Zᵀ W, T = diag τ, whose solution is M = Zᵀ V⁻¹ W."""
    first, others = ratios
    size_growth = 1 + first * sums.distinct_sizes
    weight = np.concatenate(
        [np.full(s.stop - s.start, r) for s, r in zip(rest.spans, others, strict=True)]
    )
    schur = rest.meetings - _weighted_product(sums, rest, first / size_growth)
    share = first / growth
    right = rest.sums - rest.crossing.T @ (sums.sums * share[:, None])
    log_determinant, inverse = _inverse_of_core(schur, np.sqrt(weight))
    solved = inverse @ right
    seen_rest = right - schur @ solved
    weighted = weight[:, None] * seen_rest
    seen = (sums.sums - rest.crossing @ weighted) / growth[:, None]
    trace = np.sum(sums.sizes / growth) - np.sum(
        inverse * _weighted_product(sums, rest, size_growth**-2.0)
    )
    traces = [
        trace,
        *(_trace(schur, inverse, s, r) for s, r in zip(rest.spans, others, strict=True)),
    ]
    falls = [seen.T @ seen, *(seen_rest[s].T @ seen_rest[s] for s in rest.spans)]
    back = np.argsort(sums.order)
    return Evaluation(
        float(np.log(growth).sum()) + log_determinant,
        sums.cross - sums.sums.T @ (sums.sums * share[:, None]) - right.T @ solved,
        np.array(traces)[back],
        np.stack(falls)[back],
    )


def _weighted_product(sums: Sums, rest: Rest, weight_by_size: Numbers) -> Numbers:
    if rest.products is not None:
        return np.asarray(np.tensordot(weight_by_size, rest.products, axes=1))
    weight = weight_by_size[sums.size_of][:, None]
    if isinstance(rest.crossing, np.ndarray):
        return np.asarray(rest.crossing.T @ (rest.crossing * weight))
    return _dense(rest.crossing.T @ rest.crossing.multiply(weight).tocsr())


def _inverse_of_core(schur: Numbers, roots: Numbers) -> tuple[float, Numbers]:
    """log |K| and R K⁻¹ R of K = I + R S R, R = √T; R may hold zeros, K is never singular."""
    core = schur * roots[:, None] * roots
    core[np.diag_indices_from(core)] += 1
    log_determinant, inverse = positive_inverse(core)
    return log_determinant, inverse * roots[:, None] * roots


def positive_inverse(matrix: Numbers) -> tuple[float, Numbers]:
    """The logarithm of the determinant, and the inverse, of a positive definite matrix.

    By NumPy throughout: SciPy brings a second pool of threads, and the two wait for each other.
    """
    factor = np.linalg.cholesky(matrix)
    log_determinant = 2 * float(np.log(np.diag(factor)).sum())
    return log_determinant, np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _trace(schur: Numbers, inverse: Numbers, span: slice, ratio: float) -> float:
    """tr Z_kᵀ V⁻¹ Z_k; where τ_k is 0 the short way would divide by it."""
    if ratio > _TINY:
        return float(span.stop - span.start - np.trace(inverse[span, span]) / ratio) / ratio
    part = schur[span]
    return float(np.trace(part[:, span]) - np.sum((part @ inverse) * part))
