"""Mixed models of balanced tables, from mean squares alone.

In a balanced table the likelihood of a crossed model depends on the answers only through the mean
squares M of a few orthogonal strata with n degrees of freedom each (Searle, Casella & McCulloch
1992, ch. 4):

    −2 log L = Σ n (log λ + M/λ),   λ = weights · variances,   variances ≥ 0

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
_CLOSE = 1e-6  # of the variances: a step below this ends the search
_HALVINGS = 8
_NOTHING = 1e-9  # of the whole: a residual smaller than this is rounding


@dataclass(frozen=True, slots=True)
class Stratum:
    """Sums of squares by study, their degrees of freedom, and what their mean is expected to be."""

    squares: NDArray[np.float64]
    df: float
    weights: tuple[float, ...]  # of the variances, the residual first


@dataclass(frozen=True, slots=True)
class VarianceFits:
    """The variance of an estimate in each study; NaN where there is none."""

    value: NDArray[np.float64]
    df: NDArray[np.float64]  # Satterthwaite's
    has_people: NDArray[np.bool_]  # whether systems were found to vary over participants

    @classmethod
    def undefined(cls, studies: int) -> VarianceFits:
        """No variance in any study."""
        none = np.full(studies, np.nan)
        return cls(none, none.copy(), np.ones(studies, dtype=np.bool_))

    def limit_df(self, most: float) -> VarianceFits:
        """At most so many degrees of freedom where systems do not seem to vary over participants:
        Satterthwaite's then know nothing of participants (`stats.limit_of_df`)."""
        df = np.where(self.has_people, self.df, np.minimum(self.df, most))
        return VarianceFits(self.value, df, self.has_people)


def fit_variances(
    strata: Sequence[Stratum], combination: Sequence[float], *, people: int | None
) -> VarianceFits:
    """A combination of variances by restricted likelihood.

    `people` is the place of the variance that says whether systems vary over participants, and
    None if no variance does.
    """
    shown = [each for each in strata if each.df > 0]
    every = np.array([each.weights for each in shown])
    used = np.flatnonzero(every.any(axis=0))  # a variance that no stratum shows stays 0
    likelihood = _Likelihood(np.array([float(each.df) for each in shown]), every[:, used])
    squares = np.stack([each.squares for each in shown], axis=1)
    scale = squares.sum(axis=1) / likelihood.df.sum()
    rows = np.flatnonzero(_residual(shown) > _NOTHING * scale)
    found = VarianceFits.undefined(len(squares))
    if not len(rows):
        return found
    means = squares[rows] / likelihood.df / scale[rows, None]
    variances = likelihood.search(means)
    row = np.asarray(combination, dtype=np.float64)[used]
    found.value[rows] = (variances @ row) * scale[rows]
    found.df[rows] = likelihood.satterthwaite(variances, means, row)
    if people in used:
        found.has_people[rows] = (variances[:, used == people] > 0).any(axis=1)
    return found


def _residual(strata: Sequence[Stratum]) -> NDArray[np.float64]:
    """The mean square that only the residual is part of."""
    alone = [each for each in strata if not any(each.weights[1:])]
    if not alone:
        return np.zeros(len(strata[0].squares))
    return np.asarray(sum(each.squares for each in alone) / sum(each.df for each in alone))


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """The restricted likelihood of variances, for many studies with the same strata."""

    df: NDArray[np.float64]
    weights: NDArray[np.float64]  # strata × variances

    def search(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Fisher scoring, all studies side by side; variances that would be negative stay at 0."""
        theta = self._start(means)
        open_ = np.arange(len(means))
        for _ in range(_STEPS):
            now = theta[open_]
            moved = self._ascend(now, means[open_])
            theta[open_] = moved
            change = np.abs(moved - now).max(axis=1)
            open_ = open_[change > _CLOSE * moved.max(axis=1)]
            if not len(open_):
                break
        return theta

    def satterthwaite(
        self, theta: NDArray[np.float64], means: NDArray[np.float64], row: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """2 v² / var(v), by the average information of the variances that are not 0."""
        expected = theta @ self.weights.T
        is_free = theta > 0
        rows = np.broadcast_to(row, theta.shape)
        solved = _solve_free(self._information(means / expected**3 / 2), rows, is_free)
        spread = (solved * np.where(is_free, rows, 0.0)).sum(axis=1)
        return np.asarray(2 * (theta @ row) ** 2 / spread)

    def _start(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Moments: least squares of the mean squares on their weights, cut off near 0."""
        root = np.sqrt(self.df)
        least = np.linalg.pinv(self.weights * root[:, None]) * root
        floor = 0.05 * means.mean(axis=1, keepdims=True) / np.maximum(self.weights.max(axis=0), 1)
        return np.asarray(np.maximum(means @ least.T, floor))

    def _ascend(
        self, theta: NDArray[np.float64], means: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Take the scoring step, or as much of it as makes the likelihood larger."""
        step, before = self._step(theta, means), self._criterion(theta, means)
        moved = _within(theta, step)
        for _ in range(_HALVINGS):
            is_worse = self._criterion(moved, means) > before + 1e-12 * np.abs(before)
            if not is_worse.any():
                break
            step = np.where(is_worse[:, None], step / 2, step)
            moved = np.where(is_worse[:, None], _within(theta, step), moved)
        return moved

    def _step(self, theta: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.float64]:
        """To the maximum of a quadratic; variances at 0 move if the likelihood grows with them."""
        expected = theta @ self.weights.T
        slope = (self.df * (means - expected) / expected**2) @ self.weights
        return _solve_free(self._information(1 / expected**2), slope, (theta > 0) | (slope > 0))

    def _information(self, load: NDArray[np.float64]) -> NDArray[np.float64]:
        products = self.weights[:, :, None] * self.weights[:, None, :]
        width = self.weights.shape[1]
        flat = (load * self.df) @ products.reshape(len(self.df), -1)
        return np.asarray(flat.reshape(-1, width, width))

    def _criterion(
        self, theta: NDArray[np.float64], means: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        expected = theta @ self.weights.T
        return np.asarray((np.log(expected) + means / expected) @ self.df)


def _solve_free(
    matrix: NDArray[np.float64], right: NDArray[np.float64], is_free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Solve for the variables that are free; the others are 0."""
    diagonal = np.arange(matrix.shape[1])
    reduced = np.where(is_free[:, :, None] & is_free[:, None, :], matrix, 0.0)
    kept = matrix[:, diagonal, diagonal] * (1 + 1e-12)
    reduced[:, diagonal, diagonal] = np.where(is_free, kept, 1.0)
    found = np.linalg.solve(reduced, np.where(is_free, right, 0.0)[..., None])
    return np.asarray(found[..., 0], dtype=np.float64)


def _within(theta: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """No variance below 0, and the residual not near it at once."""
    moved = np.maximum(theta + step, 0.0)
    moved[:, 0] = np.maximum(moved[:, 0], 0.1 * theta[:, 0])
    return moved
