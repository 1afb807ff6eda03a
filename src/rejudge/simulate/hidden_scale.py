"""How answers depend on the latent scale: what rounding to points and the ends of a scale do to
means, variances and covariances.

An opinion x is normal with mean m and standard deviation t; an answer is a step function of it. So
the mean and the variance of answers are sums over the steps, and the covariance of the answers to
two opinions of correlation ρ is a power series in ρ,

    cov = Σ_k c_k(m₁) c_k(m₂) ρ^k,

whose coefficients c_k are those of the step function in normalised Hermite polynomials (Mehler's
formula). It rises with ρ, so that the correlation of opinions follows from the covariance of the
answers, as in polychoric correlation (Olsson 1979), but with thresholds that are known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.stats.arrays import Numbers

_TERMS = 80  # of the series; at a correlation of 0.9 the rest is below 1e-4 of the variance
_NARROWEST = 1e-6  # a standard deviation that stands for none


@dataclass(frozen=True, slots=True, eq=False)
class HiddenScale:
    """A step function from the latent scale to answers: values, and the thresholds between them."""

    values: Numbers
    thresholds: Numbers

    @classmethod
    def of_points(cls, points: Sequence[float]) -> HiddenScale:
        """A scale of points: the nearest one is chosen; values are on the latent scale."""
        listed = np.asarray(points, dtype=np.float64)
        reach, middle = (listed[-1] - listed[0]) / 4, (listed[-1] + listed[0]) / 2
        values = (listed - middle) / reach
        return cls(values, (values[1:] + values[:-1]) / 2)

    @classmethod
    def of_choice(cls, tie_width: float) -> HiddenScale:
        """A choice between two, by their difference: −1, 0 for a tie, or 1."""
        if tie_width <= 0:
            return cls(np.array([-1.0, 1.0]), np.zeros(1))
        return cls(np.array([-1.0, 0.0, 1.0]), np.array([-tie_width, tie_width]))

    def chances(self, mean: Numbers | float, spread: float) -> Numbers:
        """How often each value is given: one row for each mean."""
        below = _normal_cdf(self._standardise(mean, spread))
        edges = np.zeros((len(below), 1))
        return np.diff(np.concatenate([edges, below, edges + 1.0], axis=1), axis=1)

    def mean(self, mean: Numbers | float, spread: float) -> Numbers:
        """The mean answer, for each mean opinion."""
        return np.asarray(self.chances(mean, spread) @ self.values)

    def variance(self, mean: Numbers | float, spread: float) -> Numbers:
        """The variance of answers, for each mean opinion."""
        chances = self.chances(mean, spread)
        return np.asarray(chances @ self.values**2 - (chances @ self.values) ** 2)

    def coefficients(self, mean: Numbers | float, spread: float) -> Numbers:
        """c_1, c_2, …, of each mean: those of the answer."""
        polynomials = self._step_coefficients(mean, spread)
        return np.asarray(np.einsum("mtk,t->mk", polynomials, np.diff(self.values)))

    def opinion(self, answer: Numbers, spread: float) -> Numbers:
        """The mean opinions behind mean answers, by bisection; answers must be inside the scale."""
        reach = 8 * max(spread, 1.0) + float(np.abs(self.thresholds).max())
        low, high = np.full(len(answer), -reach), np.full(len(answer), reach)
        for _ in range(60):
            middle = (low + high) / 2
            is_above = self.mean(middle, spread) > answer
            low, high = np.where(is_above, low, middle), np.where(is_above, middle, high)
        return np.asarray((low + high) / 2)

    def _standardise(self, mean: Numbers | float, spread: float) -> Numbers:
        means = np.atleast_1d(np.asarray(mean, dtype=np.float64))
        return np.asarray((self.thresholds - means[:, None]) / max(spread, _NARROWEST))

    def _step_coefficients(self, mean: Numbers | float, spread: float) -> Numbers:
        """Of "above the threshold", φ(z) He_{k−1}(z) / √k!: mean × threshold × k."""
        z = self._standardise(mean, spread)
        found = np.empty((*z.shape, _TERMS))
        # h_k = He_k / √k! in steps that stay finite: h_k = (z h_{k−1} − √(k−1) h_{k−2}) / √k
        before, now = np.zeros_like(z), np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        for k in range(1, _TERMS + 1):
            found[..., k - 1] = now / math.sqrt(k)
            before, now = now, (z * now - math.sqrt(k - 1) * before) / math.sqrt(k)
        return found


def mean_covariance(
    first: Numbers, second: Numbers, correlation: float, *, weights: Numbers | None = None
) -> float:
    """The covariance of answers, mean over rows of coefficients, at a correlation of opinions."""
    powers = correlation ** np.arange(1, _TERMS + 1)
    return float(np.average((first * second) @ powers, weights=weights))


def correlation_behind(
    first: Numbers, second: Numbers, covariance: float, *, weights: Numbers | None = None
) -> float:
    """The correlation of opinions, 0 to 1, at which answers have a covariance on average."""
    most = mean_covariance(first, second, 1.0, weights=weights)
    if covariance <= 0 or most <= 0:
        return 0.0
    if most <= covariance:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if mean_covariance(first, second, middle, weights=weights) < covariance:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _normal_cdf(z: Numbers) -> Numbers:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))
