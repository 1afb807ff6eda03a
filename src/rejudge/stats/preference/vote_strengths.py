"""Bradley–Terry strengths from a win matrix and sums over clusters, for tables of any length.

Strengths are those of `bradley_terry`. Their errors are of the same sandwich kind, with two
simplifications: the factor that makes up for large clusters is that of the numbers of comparisons,
the same for all systems, and degrees of freedom follow from the effective number of clusters,
(Σ n)² / Σ n². They matter where a few participants gave most of the comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rejudge.stats.arrays import Numbers, one_thread
from rejudge.stats.clusters import UNSEEN
from rejudge.stats.preference.bradley_terry import (
    BradleyTerry,
    Strength,
    StrengthEstimates,
    differences_of,
    obstacle_of,
    strengths_of,
)
from rejudge.stats.preference.paired_model import (
    Fits,
    StrengthVariances,
    Tallies,
    inverse_of,
    maximise,
)
from rejudge.stats.preference.pairwise import WinMatrix


@dataclass(frozen=True, slots=True)
class StrengthSums:
    """What the errors of strengths depend on: outer products of clusters' sums of residuals."""

    meat: Numbers  # systems × systems
    clusters: int
    n: int = 0  # comparisons
    squares: float = 0.0  # of the numbers of comparisons of clusters
    cubes: float = 0.0  # 〃

    @property
    def factor(self) -> float:
        """Makes up for what residuals lose, as in `ClusterPart`; G/(G − 1) for G equal clusters."""
        w2, w3 = self.squares / self.n**2, self.cubes / self.n**3
        seen = w2 - 2 * w3 + w2**2
        return w2 / seen if seen > UNSEEN * w2 else float("inf")

    @property
    def df(self) -> float:
        """One fewer than there would be clusters, were they equally large."""
        return max(1.0, self.n**2 / self.squares - 1)


def fit_matrix(matrix: WinMatrix) -> Fits | tuple[tuple[tuple[int, ...], ...], str]:
    """The strengths, or the groups that systems fall into and why there are none."""
    table = _tallies(matrix)
    groups, obstacle = obstacle_of(table, "half")
    if obstacle:
        listed = "; ".join(", ".join(map(str, group)) for group in groups)
        return groups, obstacle.format(groups=listed)
    with one_thread():
        return maximise(table, "half")


def _tallies(matrix: WinMatrix) -> Tallies:
    return Tallies(
        matrix.wins[np.newaxis].astype(np.float64), matrix.ties[np.newaxis].astype(np.float64)
    )


def expected_preference(fit: Fits) -> Numbers:
    """The chance that the row wins against the column, a tie as half."""
    strengths = fit.strengths[0]
    return np.asarray((1 + np.tanh((strengths[:, np.newaxis] - strengths) / 2)) / 2)


def bradley_terry_of_sums(
    matrix: WinMatrix,
    *,
    by_item: StrengthSums,
    by_participant: StrengthSums,
    cells: StrengthSums,
    level: float = 0.95,
) -> BradleyTerry:
    """Strengths and differences with two-way cluster-robust errors."""
    systems = len(matrix.wins)
    empty = BradleyTerry(
        strengths=tuple(Strength(system, None) for system in range(systems)),
        differences=(),
        n=int(np.triu(matrix.n).sum()),
        ties=int(np.triu(matrix.ties).sum()),
        items=int(by_item.clusters),
        participants=int(by_participant.clusters),
        errors="two-way",
    )
    fit = fit_matrix(matrix)
    if not isinstance(fit, Fits):
        return replace(empty, groups=fit[0], note=fit[1])
    spread = _spread(fit, by_item, by_participant, cells)
    note = "" if spread else "No standard errors: they need two or more items and participants."
    found = StrengthEstimates(fit.strengths[0], spread, tuple(range(systems)), level)
    return replace(
        empty,
        strengths=strengths_of(found, systems),
        differences=differences_of(found),
        note=note,
    )


def _spread(
    fit: Fits, by_item: StrengthSums, by_participant: StrengthSums, cells: StrengthSums
) -> StrengthVariances | None:
    kinds = (by_item, by_participant)
    if min(kind.clusters for kind in kinds) < 2:  # noqa: PLR2004 - one cluster shows no variation
        return None
    inverse = inverse_of(fit)
    factors = [kind.factor for kind in kinds]
    if not np.isfinite(factors).all():
        return None
    same = [f for f, kind in zip(factors, kinds, strict=True) if kind.clusters == cells.clusters]
    parts = [_variances(inverse, f * kind.meat) for f, kind in zip(factors, kinds, strict=True)]
    cell = _variances(inverse, (same[0] if same else 1.0) * cells.meat)
    dfs = [kind.df for kind in kinds]
    own, own_df = _together([part[0] for part in parts], cell[0], dfs)
    pairs, pairs_df = _together([part[1] for part in parts], cell[1], dfs)
    return StrengthVariances(own, pairs, own_df, pairs_df)


def _variances(inverse: Numbers, meat: Numbers) -> tuple[Numbers, Numbers]:
    """Of each strength, and of the difference of each two."""
    covariance = inverse @ meat @ inverse.T
    own = np.diagonal(covariance)
    return own, own[:, np.newaxis] + own - 2 * covariance


def _together(parts: list[Numbers], cell: Numbers, dfs: list[float]) -> tuple[Numbers, Numbers]:
    """The variance of both kinds of clusters, and its degrees of freedom, as in `ClusterSums`."""
    one, two = parts
    both = one + two - cell
    largest = np.maximum(one, two)
    is_alone = both <= largest * (1 + 1e-9)
    spread = one**2 / dfs[0] + two**2 / dfs[1]
    df = both**2 / np.where(spread > 0, spread, 1.0)
    return (
        np.where(is_alone, largest, both),
        np.maximum(1.0, np.where(is_alone, np.where(one >= two, dfs[0], dfs[1]), df)),
    )
