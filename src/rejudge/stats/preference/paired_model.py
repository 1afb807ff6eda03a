"""The likelihood of paired comparisons: counts, existence and place of the maximum, errors.

A comparison of systems i and j with log strengths θ ends, with d = θ_i − θ_j,

    Bradley & Terry (1952)   i wins: 1 / (1 + e^−d);  a tie counts as half a win for each
    Davidson (1970)          i wins : tie : j wins  =  e^(d/2) : ν : e^(−d/2)

Both depend on the judgments only through a k × k table, so a fit, or a thousand fits to resampled
tables side by side, costs the same for a thousand comparisons or ten million. Variances of the
strengths come from the model, from clusters of comparisons, or from resamples.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.clusters import CellSystems, Clusters, ClusterSums
from rejudge.stats.preference.pairwise import Comparisons

Ties: TypeAlias = Literal["half", "davidson"]
Truths: TypeAlias = NDArray[np.bool_]

_CLOSE = 1e-9  # a Newton step below this ends the search
_LONGEST_STEP = 1.0  # on the log scale; keeps the first steps of lopsided tables in bounds
Errors: TypeAlias = Literal["two-way", "item", "participant", "model"]


@dataclass(frozen=True, slots=True)
class Tallies:
    """Wins of row over column, and ties (in both cells of a pair); leading axes are resamples."""

    wins: Numbers
    ties: Numbers

    @property
    def met(self) -> Numbers:
        """How often each pair was compared."""
        return np.asarray(self.wins + np.swapaxes(self.wins, -1, -2) + self.ties)

    def __getitem__(self, rows: Truths) -> Tallies:
        return Tallies(self.wins[rows], self.ties[rows])


@dataclass(frozen=True, slots=True)
class Fits:
    """Where the likelihoods have their maxima: one row per table."""

    strengths: Numbers  # on the log scale, summing to 0
    log_tie: Numbers | None  # log of Davidson's ν
    is_found: Truths
    curvature: Numbers  # minus the second derivatives


@dataclass(frozen=True, slots=True)
class _Expectations:
    """What the model expects of a pair: the mean and variance of the outcome (1, ½, 0), and for
    Davidson's model the chance and variance of a tie and its covariance with the outcome."""

    mean: Numbers
    variance: Numbers
    tie: Numbers | None = None
    tie_variance: Numbers | None = None
    both: Numbers | None = None


def outcome_cells(comparisons: Comparisons) -> NDArray[np.int64]:
    """The cell of each comparison in a table of winner × loser × (decided, tied)."""
    first, second = comparisons.first, comparisons.second
    is_tie = comparisons.preference == 0.5
    turn = (comparisons.preference == 0) | (is_tie & (second < first))
    pair = np.where(turn, second, first) * comparisons.systems + np.where(turn, first, second)
    return np.asarray(2 * pair + is_tie)


def tallies(cells: Numbers, systems: int) -> Tallies:
    """Counts of outcome cells (last axis) as wins and ties of systems."""
    table = cells.reshape(*cells.shape[:-1], systems, systems, 2)
    won, tied = table[..., 0], table[..., 1]
    return Tallies(won, tied + np.swapaxes(tied, -1, -2))


def reachable(edges: Truths) -> Truths:
    """Which nodes a chain of edges leads to from each node; a node leads to itself."""
    size = edges.shape[-1]
    reach = (edges | np.eye(size, dtype=np.bool_)).astype(np.float32)
    for _ in range(max(1, (size - 1).bit_length())):  # each pass doubles the length of chains
        reach = (reach @ reach > 0).astype(np.float32)
    return np.asarray(reach > 0)


def components(edges: Truths) -> tuple[tuple[int, ...], ...]:
    """Nodes in groups within which each leads to each, those that lead furthest first."""
    reach = reachable(edges)
    mutual = reach & reach.T
    order = sorted(range(len(edges)), key=lambda node: (-int(reach[node].sum()), node))
    groups = {tuple(np.flatnonzero(mutual[node]).tolist()): None for node in order}
    return tuple(groups)


def are_tied_apart(wins: Numbers, ties: Numbers) -> bool:
    """Whether ties and decided comparisons lie so far apart that ν would grow without bound.

    So it is if strengths δ exist in which every decided comparison is won by 2 or more and no tie
    is between systems further apart than 2. As δ_j − δ_i ≤ −2 for wins and |δ_i − δ_j| ≤ 2 for
    ties these are difference constraints: they can be met unless some cycle of them is negative.
    """
    reach = np.where(ties > 0, 2.0, np.inf)
    reach[wins > 0] = -2.0
    for middle in range(len(wins)):
        reach = np.minimum(reach, reach[:, [middle]] + reach[[middle], :])
    return not bool((np.diagonal(reach) < 0).any())


def maximise(table: Tallies, ties: Ties, *, start: Fits | None = None, steps: int = 1000) -> Fits:
    """Newton's method on all tables at once. The likelihood is concave, so a maximum is the one.

    Only the direction of a step depends on the small ridge that keeps it defined; where the steps
    end does not. A table without a maximum goes on stepping and is marked as not found.
    """
    rows, size = table.wins.shape[:2]
    has_tie = ties == "davidson"
    place = np.zeros((rows, size + has_tie))
    if start is not None:
        place += _stack_parameters(start)
    found = np.zeros(rows, dtype=np.bool_)
    met = table.met
    won = (table.wins + table.ties / 2).sum(axis=2)
    tied = table.ties.sum(axis=(1, 2)) / 2
    for _ in range(steps):
        chances = _expectations(place, size)
        slope = won - (met * chances.mean).sum(axis=2)
        if chances.tie is not None:
            more = tied - (met * chances.tie).sum(axis=(1, 2)) / 2
            slope = np.concatenate([slope, more[:, np.newaxis]], axis=1)
        step = _newton_step(_curvature(met, chances), slope, size)
        longest = np.abs(step).max(axis=1, initial=0.0)
        place += step / np.maximum(1.0, longest / _LONGEST_STEP)[:, np.newaxis]
        place[:, :size] -= place[:, :size].mean(axis=1, keepdims=True)
        found = longest < _CLOSE
        if found.all():
            break
    curvature = _curvature(met, _expectations(place, size))
    return Fits(place[:, :size], place[:, size] if has_tie else None, found, curvature)


def residuals(comparisons: Comparisons, fit: Fits) -> tuple[Numbers, Numbers | None]:
    """Each comparison's outcome minus what the first row of the fit expects; of ties likewise."""
    chances = _expectations(_stack_parameters(fit)[:1], fit.strengths.shape[1])
    pair = (0, comparisons.first, comparisons.second)
    outcome = comparisons.preference - chances.mean[pair]
    if chances.tie is None:
        return outcome, None
    return outcome, (comparisons.preference == 0.5) - chances.tie[pair]


def _stack_parameters(fit: Fits) -> Numbers:
    if fit.log_tie is None:
        return fit.strengths
    return np.concatenate([fit.strengths, fit.log_tie[:, np.newaxis]], axis=1)


def _expectations(place: Numbers, size: int) -> _Expectations:
    strengths = place[:, :size]
    apart = strengths[:, :, np.newaxis] - strengths[:, np.newaxis, :]
    if place.shape[1] == size:
        unlikely = np.exp(-np.abs(apart))  # of the two results, over the likely one
        mean = np.where(apart < 0, unlikely, 1.0) / (1 + unlikely)
        return _Expectations(mean, unlikely / (1 + unlikely) ** 2)
    win, tie = np.exp(apart / 2), np.exp(place[:, size])[:, np.newaxis, np.newaxis]
    whole = win + 1 / win + tie
    win, tie = win / whole, tie / whole
    mean = win + tie / 2
    return _Expectations(mean, win + tie / 4 - mean**2, tie, tie * (1 - tie), tie * (0.5 - mean))


def _curvature(met: Numbers, chances: _Expectations) -> Numbers:
    """Minus the second derivatives: the covariance of what the likelihood counts."""
    weight = met * chances.variance
    size = weight.shape[1]
    matrix = -weight
    diagonal = np.arange(size)
    matrix[:, diagonal, diagonal] += weight.sum(axis=2)
    if chances.both is None or chances.tie_variance is None:
        return np.asarray(matrix)
    whole = np.zeros((len(matrix), size + 1, size + 1))
    whole[:, :size, :size] = matrix
    whole[:, :size, size] = whole[:, size, :size] = (met * chances.both).sum(axis=2)
    whole[:, size, size] = (met * chances.tie_variance).sum(axis=(1, 2)) / 2
    return whole


def _newton_step(curvature: Numbers, slope: Numbers, size: int) -> Numbers:
    """The Newton step. The likelihood is flat along equal shifts of all strengths; a constant
    added to their block makes the step defined there without changing its other parts."""
    matrix = curvature.copy()
    scale = np.maximum(np.trace(curvature, axis1=1, axis2=2), 1e-12) / size
    matrix[:, :size, :size] += (scale / size)[:, np.newaxis, np.newaxis]
    diagonal = np.arange(matrix.shape[1])
    matrix[:, diagonal, diagonal] += 1e-12 * scale[:, np.newaxis]
    return np.asarray(np.linalg.solve(matrix, slope[..., np.newaxis])[..., 0])


@dataclass(frozen=True, slots=True)
class StrengthVariances:
    """Variances of the strengths and of the differences of all pairs, and how well each is known.

    Degrees of freedom are infinite where the normal law is used.
    """

    own: Numbers
    pairs: Numbers
    own_df: Numbers
    pairs_df: Numbers


def model_variances(fit: Fits) -> StrengthVariances:
    """Variances by the model: the inverse of the curvature, where strengths sum to 0."""
    inverse = inverse_of(fit)
    return _spread(inverse[:, : len(inverse)])


def cluster_variances(
    comparisons: Comparisons, fit: Fits, errors: Errors
) -> StrengthVariances | None:
    """Sandwich variances, which hold when comparisons of a cluster resemble each other.

    Each as in `clustered`, a comparison counting for the first system and against the second; with
    `errors` by item or by participant, that part alone. None where there is a single cluster, or
    where nothing shows how far clusters differ.
    """
    inverse, size = inverse_of(fit), fit.strengths.shape[1]
    item, participant = _number_codes(comparisons.item), _number_codes(comparisons.participant)
    kinds = {"item": (item,), "participant": (participant,)}.get(errors, (item, participant))
    if min(int(codes.max()) for codes in kinds) < 1:
        return None
    sides = CellSystems.of(Clusters.of(item, participant), comparisons.first, comparisons.second)
    outcome, tie = residuals(comparisons, fit)

    def spread_of(contrast: Numbers) -> _ClusterErrors:
        weight = contrast[comparisons.first] - contrast[comparisons.second]
        influence = weight * outcome + (0.0 if tie is None else contrast[size] * tie)
        return _cluster_errors(sides.sums(influence, weight), errors)

    own = [spread_of(row) for row in inverse]
    pairs = [
        spread_of(inverse[one] - inverse[other]) for one, other in combinations(range(size), 2)
    ]
    if not all(np.isfinite(each.variance) for each in own + pairs):
        return None
    return StrengthVariances(
        np.array([each.variance for each in own]),
        _square([each.variance for each in pairs], size),
        np.array([each.df for each in own]),
        _square([each.df for each in pairs], size),
    )


def _spread(covariance: Numbers) -> StrengthVariances:
    own = np.diagonal(covariance).copy()
    pairs = np.asarray(own[:, np.newaxis] + own - 2 * covariance)
    return StrengthVariances(own, pairs, np.full(own.shape, np.inf), np.full(pairs.shape, np.inf))


@dataclass(frozen=True, slots=True)
class _ClusterErrors:
    variance: float
    df: float


def _cluster_errors(sums: ClusterSums, errors: Errors) -> _ClusterErrors:
    if errors == "two-way":
        return (
            _ClusterErrors(sums.variance, sums.df)
            if sums.is_known
            else _ClusterErrors(np.nan, np.nan)
        )
    part = sums.by_item if errors == "item" else sums.by_participant
    return _ClusterErrors(part.variance, max(1.0, part.df))


def _square(values: list[float], size: int) -> Numbers:
    """A symmetric table of the pairs of systems, from their values row by row."""
    table = np.zeros((size, size))
    table[np.triu_indices(size, 1)] = values
    return table + table.T


def inverse_of(fit: Fits) -> Numbers:
    """The inverse of the curvature, where strengths sum to 0."""
    size = fit.strengths.shape[1]
    return np.asarray(np.linalg.pinv(fit.curvature[0], hermitian=True)[:size])


def _number_codes(codes: Codes) -> Codes:
    """The codes that occur, renumbered from 0 in their order."""
    if int(codes.max()) > 4 * len(codes) + 1000:  # a table of all codes would be mostly empty
        return np.unique(codes, return_inverse=True)[1]
    occurs = np.bincount(codes) > 0
    return np.asarray((np.cumsum(occurs) - 1)[codes])
