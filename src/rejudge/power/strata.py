"""Mixed models of balanced tables, from mean squares alone.

In a balanced table the likelihood of a crossed model depends on the answers only through the mean
squares M of a few orthogonal strata with n degrees of freedom each (Searle, Casella & McCulloch
1992, ch. 4):

    −2 log L = Σ n (log λ + M/λ),   λ = a · (variances),   variances ≥ 0

so thousands of studies are fitted side by side, with the estimates of `stats.linear_mixed`:
restricted likelihood, variances that are exactly 0 where they would be negative, degrees of freedom
from the average information.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 60
_CLOSE = 1e-9  # of the variances: a step below this ends the search
_HALVINGS = 8
_NOTHING = 1e-9  # of the whole: a residual smaller than this is rounding


@dataclass(frozen=True, slots=True)
class Stratum:
    """A mean square for each study, and what it is expected to be in terms of the variances."""

    squares: NDArray[np.float64]  # sums of them, by study
    df: int
    weights: tuple[float, ...]  # of the variances, the residual first


@dataclass(frozen=True, slots=True)
class VarianceFits:
    """What a combination of variances is estimated as in each study; NaN where undefined."""

    variances: NDArray[np.float64]  # studies × variances, the residual first
    value: NDArray[np.float64]
    df: NDArray[np.float64]  # Satterthwaite's, for the combination


def fit_variances(strata: Sequence[Stratum], combination: Sequence[float]) -> VarianceFits:
    """Estimate variances by restricted likelihood, and a combination of them with its df."""
    shown = [each for each in strata if each.df > 0]
    weights = np.array([each.weights for each in shown])
    df = np.array([each.df for each in shown], dtype=np.float64)
    squares = np.stack([each.squares for each in shown], axis=1) / df
    scale = (squares * df).sum(axis=1) / df.sum()
    has_residual = _residual(shown) > _NOTHING * scale
    n, width = len(squares), weights.shape[1]
    theta = np.full((n, width), np.nan)
    value, freedom = np.full(n, np.nan), np.full(n, np.nan)
    if has_residual.any():
        means = squares[has_residual] / scale[has_residual, None]
        found = _search(means, df, weights)
        theta[has_residual] = found * scale[has_residual, None]
        row = np.asarray(combination, dtype=np.float64)
        value[has_residual] = (found @ row) * scale[has_residual]
        freedom[has_residual] = _satterthwaite(found, means, df, weights, row)
    return VarianceFits(theta, value, freedom)


def _residual(strata: Sequence[Stratum]) -> NDArray[np.float64]:
    """The mean square that only the residual is part of."""
    alone = [each for each in strata if not any(each.weights[1:])]
    if not alone:
        return np.zeros(len(strata[0].squares))
    return np.asarray(sum(each.squares for each in alone) / sum(each.df for each in alone))


def _search(
    means: NDArray[np.float64], df: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fisher scoring, all studies side by side; variances that would be negative stay at 0."""
    theta = _start(means, df, weights)
    open_ = np.arange(len(means))
    for _ in range(_STEPS):
        now, seen = theta[open_], means[open_]
        step, is_free = _scoring_step(now, seen, df, weights)
        moved = _ascend(now, step, seen, df, weights)
        theta[open_] = moved
        change = np.abs(moved - now).max(axis=1)
        open_ = open_[(change > _CLOSE * moved.max(axis=1)) & is_free.any(axis=1)]
        if not len(open_):
            break
    return theta


def _start(
    means: NDArray[np.float64], df: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Moments: least squares of the mean squares on their weights, cut off near 0."""
    root = np.sqrt(df)
    least = np.linalg.pinv(weights * root[:, None]) * root
    found = means @ least.T
    floor = 0.05 * means.mean(axis=1, keepdims=True) / np.maximum(weights.max(axis=0), 1)
    return np.maximum(found, floor)


def _scoring_step(
    theta: NDArray[np.float64],
    means: NDArray[np.float64],
    df: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The step to the maximum of a quadratic, and which variances may move."""
    expected = theta @ weights.T
    load = df / expected**2
    slope = (load * (means - expected)) @ weights
    is_free = (theta > 0) | (slope > 0)
    information = np.einsum("nk,ki,kj->nij", load, weights, weights)
    return _solve_free(information, slope, is_free), is_free


def _solve_free(
    matrix: NDArray[np.float64], right: NDArray[np.float64], is_free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Solve for the variables that are free; the others are 0."""
    both = is_free[:, :, None] & is_free[:, None, :]
    diagonal = np.arange(matrix.shape[1])
    reduced = np.where(both, matrix, 0.0)
    reduced[:, diagonal, diagonal] = np.where(
        is_free, matrix[:, diagonal, diagonal] * (1 + 1e-12), 1.0
    )
    return np.linalg.solve(reduced, np.where(is_free, right, 0.0)[..., None])[..., 0]


def _ascend(
    theta: NDArray[np.float64],
    step: NDArray[np.float64],
    means: NDArray[np.float64],
    df: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Take the step, or as much of it as makes the likelihood larger."""
    before = _criterion(theta, means, df, weights)
    moved = _within(theta, step)
    for _ in range(_HALVINGS):
        worse = _criterion(moved, means, df, weights) > before + 1e-12 * np.abs(before)
        if not worse.any():
            break
        step = np.where(worse[:, None], step / 2, step)
        moved = np.where(worse[:, None], _within(theta, step), moved)
    return moved


def _within(theta: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """No variance below 0, and the residual not near it at once."""
    moved = np.maximum(theta + step, 0.0)
    moved[:, 0] = np.maximum(moved[:, 0], 0.1 * theta[:, 0])
    return moved


def _criterion(
    theta: NDArray[np.float64],
    means: NDArray[np.float64],
    df: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    expected = theta @ weights.T
    return np.asarray((np.log(expected) + means / expected) @ df)


def _satterthwaite(
    theta: NDArray[np.float64],
    means: NDArray[np.float64],
    df: NDArray[np.float64],
    weights: NDArray[np.float64],
    combination: NDArray[np.float64],
) -> NDArray[np.float64]:
    """2 v² / var(v), by the average information of the variances that are not 0."""
    expected = theta @ weights.T
    is_free = theta > 0
    is_free[:, 0] = True
    information = np.einsum("nk,ki,kj->nij", df * means / expected**3 / 2, weights, weights)
    row = np.broadcast_to(combination, theta.shape)
    solved = _solve_free(information, row, is_free)
    spread = (solved * np.where(is_free, row, 0.0)).sum(axis=1)
    value = theta @ combination
    return np.asarray(2 * value**2 / spread)
