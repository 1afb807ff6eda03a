"""How much of the spread of judgments comes from participants, from units and from neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejudge.stats.cluster_sums import Clusters
from rejudge.stats.clusters import Codes, Numbers


@dataclass(frozen=True, slots=True)
class CrossedParts:
    """What participants and what single judgments add to the variance of a sum over judgments."""

    participants: float
    cells: float  # judgments of one unit by one participant


def crossed_parts(pull: Numbers, unit: Codes, participant: Codes) -> CrossedParts:
    """Split the variance of Σ pull by the method of moments, where participants judge many units.

    Working model: each judgment's pull is an effect of its participant, one of its unit and one of
    its cell (a unit judged by one participant). The expected squares of the sums by participant, by
    unit and by cell are linear in the three variances; pulls are centred first, which the
    coefficients allow for. Negative estimates count as 0. Where each participant judged one unit
    alone, their effect cannot be told from the cell's, and the smallest solution is taken.
    """
    clusters = Clusters.of(unit, participant)
    n = len(pull)
    centred = pull - pull.sum() / n
    cell = np.bincount(clusters.cell, centred, len(clusters.item))
    size = np.bincount(clusters.cell, minlength=len(clusters.item)).astype(np.float64)
    owners = (clusters.participant, clusters.item, np.arange(len(size)))
    observed = [float(np.sum(np.bincount(owner, cell) ** 2)) for owner in owners]
    coefficients, weights = _coefficients(owners, size)
    found = np.linalg.lstsq(coefficients, np.array(observed), rcond=1e-9)[0]
    people, _, alone = (max(0.0, float(part)) for part in found * weights)
    return CrossedParts(people, alone)


def _coefficients(owners: tuple[Codes, ...], size: Numbers) -> tuple[Numbers, Numbers]:
    """What each kind of effect, of variance 1, adds to the squares of each kind of sum.

    With K = ZZᵀ of each kind and H the centring, that is tr(K H L H) of every two kinds. Also
    1ᵀK1, what it adds to the variance of the sum of all judgments.
    """
    n = float(size.sum())
    sums = [np.bincount(owner, size) for owner in owners]
    whole = np.array([float(each @ each) for each in sums])
    of_cell = [each[owner] for each, owner in zip(sums, owners, strict=True)]
    table = np.full((3, 3), float(size @ size))
    table[np.diag_indices(3)] = whole
    for row in range(3):
        for column in range(3):
            both = float(size @ (of_cell[row] * of_cell[column]))
            table[row, column] += whole[row] * whole[column] / n**2 - 2 * both / n
    return table, whole
