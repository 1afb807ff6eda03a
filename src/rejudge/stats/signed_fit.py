"""Mixed models of judgments that weigh systems against each other.

    score differences = X β + (u_is − u_it) + (v_rs − v_rt) + e

with β_s the strength of system s, u_is what it gains on item i and v_rs with participant r. All
effects are those of `linear_mixed`; only the sums are others (`signed_sums`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed import (
    EXACT_UP_TO,
    NO_VARIATION,
    RESIDUAL,
    TOO_MANY_EFFECTS,
    MixedFit,
    Tallied,
    fit_sums,
    undefined_fit,
)
from rejudge.stats.mixed_design import Basis, Column, Layout, inverse
from rejudge.stats.mixed_effects import Solution, coefficients
from rejudge.stats.mixed_evaluation import Solver
from rejudge.stats.mixed_exact import Exact
from rejudge.stats.mixed_groups import Component
from rejudge.stats.mixed_iterative import Iterative
from rejudge.stats.mixed_probes import ProbeSet, block_probes, fingerprints, turned_probes
from rejudge.stats.mixed_sums import Sums
from rejudge.stats.signed_sums import (
    Blocks,
    Entries,
    Products,
    Rotation,
    blocks_of,
    gram,
    multiplied,
    product_work,
    signed_sums,
    squared_size,
)

SYSTEM = "system"
MOST_EXACT_WORK = 5e7  # products for each look at the likelihood; beyond, iteration is quicker
_ADDS = 1e-10  # of a column's sum of squares: less than this is rounding
_NOTHING = 1e-12  # of the scores' sum of squares: what rounding leaves
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class SignedFit:
    """A fit and, whether or not there is one, the estimates of the plain regression."""

    fit: MixedFit
    plain: Solution  # without the groupings


def shows_levels(entries: Entries, products: Products) -> Callable[[Codes], bool]:
    """What says whether a grouping, given by judgment, can be told from the residual: some two
    judgments of one level share a system."""
    alone = squared_size(products, blocks_of(entries, entries.judgment))

    def shows(level: Codes) -> bool:
        together = squared_size(products, blocks_of(entries, level[entries.judgment]))
        return together > alone * (1 + _SAME)

    return shows


def signed_mixed(
    entries: Entries,
    groups: Mapping[str, Codes],
    *,
    numbers: tuple[int, ...],
    products: Products,
    covariates: tuple[str, ...] = (),
    level: float = 0.95,
) -> SignedFit:
    """Fit strengths of systems, by REML. `numbers` are the systems' own, in order; `groups` gives
    the level of each row, of a kind that the judgments can show. Covariates that always go with
    the systems are left out."""
    table = gram(entries, products)
    layout, basis = _layout(numbers, covariates), _independent(table[1:-1, 1:-1])
    if any(place >= len(numbers) - 1 for place in basis.left_out):
        entries = replace(entries, columns=entries.columns[:, -1:])
        return signed_mixed(entries, groups, numbers=numbers, products=products, level=level)
    kept = [1 + place for place in basis.kept]
    back = inverse(basis.triangle)
    offset = back.T @ table[kept, -1]
    left = float(table[-1, -1] - offset @ offset)
    df = entries.n - len(kept)
    plain = _plain(layout, basis, offset, (left, df))
    reason = _no_fit(left, float(table[-1, -1]), df)
    if reason:
        return SignedFit(undefined_fit(groups, entries.n, reason), plain)
    if not groups:
        return SignedFit(_regression(plain, left, entries.n, level), plain)
    blocks = [blocks_of(entries, codes) for codes in groups.values()]
    change = _change(len(table), kept, back, offset)
    sums, rotation = signed_sums(entries, products, blocks, change)
    sums, solver = _solver(entries, sums, rotation, blocks)
    tallied = Tallied(sums, solver, layout, basis, offset)
    return SignedFit(fit_sums(tallied, groups, reml=True, level=level), plain)


def _change(width: int, kept: list[int], back: Numbers, offset: Numbers) -> Numbers:
    """From all columns to perpendicular ones, and to what these leave of the score."""
    change = np.zeros((width, len(kept) + 1))
    change[kept, :-1], change[kept, -1], change[-1, -1] = back, -back @ offset, 1.0
    return change


def _no_fit(left: float, whole: float, df: int) -> str:
    if left <= _NOTHING * max(whole, np.finfo(float).tiny):
        return NO_VARIATION
    return TOO_MANY_EFFECTS if df <= 0 else ""


def _layout(numbers: tuple[int, ...], covariates: tuple[str, ...]) -> Layout:
    """Systems against the lowest, and covariates, which are 0 where nothing is known."""
    columns = [Column(SYSTEM, number) for number in numbers[1:]]
    columns += [Column(name) for name in covariates]
    return Layout(tuple(columns), {SYSTEM: numbers}, dict.fromkeys(covariates, 0.0))


def _independent(squares: Numbers) -> Basis:
    """Gram–Schmidt from left to right, from sums of products alone."""
    count = len(squares)
    kept: list[int] = []
    weights = np.zeros((count, count))  # of each column on each direction
    for place in range(count):
        before = weights[: len(kept)]
        for row, other in enumerate(kept):
            share = squares[other, place] - before[:row, other] @ before[:row, place]
            weights[row, place] = share / weights[row, other]
        rest = squares[place, place] - float(before[:, place] @ before[:, place])
        if rest > _ADDS * squares[place, place]:
            weights[len(kept), place] = np.sqrt(rest)
            kept.append(place)
    left_out = tuple(place for place in range(count) if place not in kept)
    triangle = weights[: len(kept), kept]
    dependence = inverse(triangle) @ weights[: len(kept), list(left_out)]
    return Basis(triangle, tuple(kept), left_out, dependence)


def _plain(layout: Layout, basis: Basis, offset: Numbers, left: tuple[float, int]) -> Solution:
    """The regression without groupings; `left` is its residual sum of squares with the degrees of
    freedom, which come out exactly."""
    back = inverse(basis.triangle)
    spread = back @ back.T
    df = max(left[1], 1)
    variance = left[0] / df
    return Solution(
        layout=layout,
        kept=basis.kept,
        left_out=basis.left_out,
        dependence=basis.dependence,
        beta=back @ offset,
        covariance=variance * spread,
        slopes=spread[None],
        uncertainty=np.array([[2 * variance**2 / df]]),
    )


def _regression(plain: Solution, left: float, n: int, level: float) -> MixedFit:
    """A fit without any grouping."""
    df = n - len(plain.kept)
    residual = Component(RESIDUAL, left / df, None)
    found = coefficients(plain, level)
    return MixedFit(
        found, (residual,), None, reml=True, n=n, converged=True, singular=False, solution=plain
    )


def _solver(
    entries: Entries, sums: Sums, rotation: Rotation, blocks: list[Blocks]
) -> tuple[Sums, Solver | None]:
    if sums.stack is None:
        return sums, None
    met = len(entries.system) / blocks[sums.nest.fine].levels
    work = product_work(len(rotation.sizes), sums.stack.levels, met)
    if sums.stack.levels <= EXACT_UP_TO and work <= MOST_EXACT_WORK:
        stack = multiplied(sums.stack)
        in_full = replace(sums, stack=stack)
        return in_full, Exact(in_full, stack)
    probes = _probes(entries, sums, rotation, blocks)
    return sums, Iterative(sums, sums.stack, probes)


def _probes(entries: Entries, sums: Sums, rotation: Rotation, blocks: list[Blocks]) -> ProbeSet:
    """Signs by level, the same for all its systems, each in a column of its own."""
    largest, other = blocks[sums.nest.fine], blocks[1 - sums.nest.fine]
    codes = [largest.level, other.level, largest.place, other.place]
    outer, other_outer, inner, other_inner = fingerprints(entries.columns[:, -1], codes)
    turned = turned_probes(
        block_probes(largest.level_of, largest.system_of, (outer, inner)), rotation.turn
    )
    stacked = block_probes(other.level_of, other.system_of, (other_outer, other_inner))
    return ProbeSet(turned, (stacked,))
