"""The variance ratios that make the judgments most likely, and how sharply they are known.

The criterion is −2 log likelihood with β and σ solved for: restricted (REML), which allows for the
fixed effects having been estimated, or full. Its slope is known exactly, so that few looks at it
suffice; the curvature, which Satterthwaite's degrees of freedom need, comes from slopes nearby.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejudge.stats.clusters import Numbers
from rejudge.stats.mixed_design import inverse
from rejudge.stats.mixed_sums import Evaluation, Sums, evaluate, moment_ratios

_LARGEST = 1e3  # a group's standard deviation in units of the residual's: beyond, none is left
_SMALLEST = 1e-4  # 〃 below this the criterion cannot tell it from 0
_NO_RESIDUAL = 1e-7  # of the values' variance
_NOISE = 1e-13  # of the values' sum of squares: below this all is rounding
_INSIDE = 0.05  # 〃 where a search starts at the least
_STEP = 1e-4
_FLAT = 1e-3  # in units of the criterion, for a doubling or so of a variance
_RESTARTS = 4
_SMALL_STEP = 0.1
_UPWARDS = 1e-10


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The criterion of one set of sums. `change` turns the columns W into others, W @ change."""

    sums: Sums
    reml: bool
    change: Numbers | None = None

    def at(self, ratios: Numbers) -> Point:
        """The criterion, its slope and the estimates at variance ratios τ."""
        seen = _changed(evaluate(self.sums, ratios), self.change)
        p = seen.cross.shape[0] - 1
        spread = inverse(seen.cross[:p, :p])
        beta = spread @ seen.cross[:p, p]
        left = np.append(-beta, 1.0)
        residual = max(float(left @ seen.cross @ left), _NOISE * float(self.sums.cross[-1, -1]))
        return Point(
            ratios=ratios,
            seen=seen,
            beta=beta,
            inverse=spread,
            residual=residual,
            df=self.sums.n - p if self.reml else self.sums.n,
            reml=self.reml,
            residual_falls=np.einsum("i,kij,j->k", left, seen.falls, left),
        )


@dataclass(frozen=True, slots=True)
class Point:
    """What is known at one τ."""

    ratios: Numbers
    seen: Evaluation
    beta: Numbers
    inverse: Numbers  # (Xᵀ V⁻¹ X)⁻¹
    residual: float  # what V⁻¹ leaves of the value, squared
    df: int
    reml: bool
    residual_falls: Numbers

    @property
    def variance(self) -> float:
        """σ²."""
        return self.residual / self.df

    @property
    def criterion(self) -> float:
        spread = -float(np.linalg.slogdet(self.inverse)[1]) if self.reml else 0.0
        scale = self.df * (1 + np.log(2 * np.pi * self.variance))
        return self.seen.log_determinant + spread + float(scale)

    @property
    def determinant_slope(self) -> Numbers:
        """How the criterion's logarithms of determinants change with each τ_k."""
        if not self.reml:
            return self.seen.traces
        p = len(self.beta)
        shares = np.einsum("ij,kji->k", self.inverse, self.seen.falls[:, :p, :p])
        return np.asarray(self.seen.traces - shares)

    @property
    def slope(self) -> Numbers:
        """How the criterion changes with each τ_k."""
        return self.determinant_slope - self.residual_falls / self.variance


@dataclass(frozen=True, slots=True)
class Peak:
    """The most likely ratios. `free` are the groupings whose variance is not 0."""

    point: Point
    free: tuple[int, ...]
    exhausted: bool = False  # the groups leave no residual

    @property
    def converged(self) -> bool:
        """Whether the criterion is flat in every direction that is open."""
        places = list(self.free)
        steep = np.abs(self.point.slope[places] * self.point.ratios[places])
        return bool((steep < _FLAT).all())


def _changed(seen: Evaluation, change: Numbers | None) -> Evaluation:
    if change is None:
        return seen
    return Evaluation(
        seen.log_determinant,
        change.T @ seen.cross @ change,
        seen.traces,
        np.einsum("ia,kij,jb->kab", change, seen.falls, change),
    )


def climb(likelihood: Likelihood, start: Numbers | None = None) -> Peak:
    """Search over θ = √τ ≥ 0, from moments or from a start that is nearly right.

    At θ = 0 the slope in θ is always 0, so a search that touches the wall would stay there. Where
    the slope in τ says that the likelihood rises into the room, the search starts again inside,
    nearer to the wall.
    """
    roots = np.sqrt(moment_ratios(likelihood.sums) if start is None else start)
    inside = _INSIDE
    for _ in range(_RESTARTS):
        roots = _search(likelihood, np.maximum(roots, inside))
        roots = np.where(roots < _SMALLEST, 0.0, roots)
        point = likelihood.at(roots**2)
        if not np.any((roots == 0) & (point.slope < 0)):
            break
        inside /= 4
    free = tuple(np.flatnonzero(roots > 0).tolist())
    total = float(likelihood.sums.cross[-1, -1]) / likelihood.sums.n
    nothing_left = point.variance < _NO_RESIDUAL * total or roots.max() > _LARGEST / 2
    return Peak(point, free, exhausted=bool(nothing_left))


def _search(likelihood: Likelihood, start: Numbers) -> Numbers:
    from scipy.optimize import minimize

    def look(roots: Numbers) -> tuple[float, Numbers]:
        roots = np.minimum(roots, _LARGEST)
        point = likelihood.at(roots**2)
        return point.criterion, 2 * roots * point.slope

    found = minimize(
        look,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(start),  # without upper bounds it starts with a short step
        options={"ftol": 1e-11, "gtol": 1e-4},
    )
    return np.asarray(np.minimum(found.x, _LARGEST))


# ── curvature ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Curvature:
    """How the two parts of the slope change with each free τ."""

    determinants: Numbers
    falls: Numbers


def curvature(likelihood: Likelihood, peak: Peak) -> Curvature:
    """By looking a little to either side of the peak."""
    point, places = peak.point, list(peak.free)
    determinants, falls = np.empty((2, len(places), len(places)))
    for row, k in enumerate(places):
        step = np.zeros_like(point.ratios)
        step[k] = _STEP * point.ratios[k]
        above, below = likelihood.at(point.ratios + step), likelihood.at(point.ratios - step)
        width = 2 * step[k]
        determinants[row] = (above.determinant_slope - below.determinant_slope)[places] / width
        falls[row] = (above.residual_falls - below.residual_falls)[places] / width
    return Curvature((determinants + determinants.T) / 2, (falls + falls.T) / 2)


def sharpened(likelihood: Likelihood, peak: Peak, curved: Curvature) -> Peak:
    """One step of Newton's, kept if it is small and leads to a flatter place."""
    point, places = peak.point, list(peak.free)
    if not places:
        return peak
    fall = point.residual_falls[places] / point.variance
    bend = curved.determinants - curved.falls / point.variance - np.outer(fall, fall) / point.df
    step = np.linalg.lstsq(bend, point.slope[places], rcond=None)[0]
    if np.any(np.abs(step) > _SMALL_STEP * point.ratios[places]):
        return peak
    ratios = point.ratios.copy()
    ratios[places] -= step
    better = likelihood.at(ratios)
    flatter = np.abs(better.slope[places]).max() < np.abs(point.slope[places]).max()
    return Peak(better, peak.free) if flatter else peak


def uncertainty(peak: Peak, curved: Curvature) -> Numbers:
    """The covariance of the estimates of (τ of free groupings…, σ²): twice the inverse curvature of
    the criterion in which σ² is a parameter too."""
    point, count = peak.point, len(peak.free)
    variance = point.variance
    bend = np.empty((count + 1, count + 1))
    bend[:count, :count] = curved.determinants - curved.falls / variance
    bend[:count, count] = bend[count, :count] = point.residual_falls[list(peak.free)] / variance**2
    bend[count, count] = point.df / variance**2
    return _positive_inverse(bend)


def _positive_inverse(bend: Numbers) -> Numbers:
    """2 · bend⁻¹, leaving out directions in which the criterion does not curve upwards."""
    scale = 1 / np.sqrt(np.maximum(np.diag(bend), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(bend * scale[:, None] * scale)
    good = values > _UPWARDS * values.max()
    kept = vectors[:, good] * scale[:, None]
    return np.asarray(2 * (kept / values[good]) @ kept.T)
