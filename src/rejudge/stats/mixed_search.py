"""The variance ratios that make the judgments most likely, and how sharply they are known.

The criterion is −2 log likelihood with β and σ solved for: restricted (REML), which allows for the
fixed effects having been estimated, or full. Its slope is known exactly, so that few looks at it
suffice; the curvature, which Satterthwaite's degrees of freedom need, comes from slopes nearby.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rejudge.stats.clusters import Numbers
from rejudge.stats.mixed_design import inverse
from rejudge.stats.mixed_evaluation import Evaluation, evaluate, turned
from rejudge.stats.mixed_sums import Sums

_LARGEST = 1e3  # a group's standard deviation in units of the residual's: beyond, none is left
_SMALLEST = 1e-4  # 〃 below this the criterion cannot tell it from 0
_NO_RESIDUAL = 1e-7  # of the values' variance
_NOISE = 1e-13  # of the values' sum of squares: below this all is rounding
_INSIDE = 0.05  # 〃 where a search starts at the least
_STEP = 1e-4
_DEAR = 2_000  # levels to be solved together: a look takes about a second
_FLAT = 1e-3  # in units of the criterion, for a doubling or so of a variance
_RESTARTS = 4
_NEWTON_STEPS = 30
_HALVINGS = 4
_SETTLED = 1e-13  # what a further step would gain of the criterion
_SMALL_STEP = 0.1
_NO_STEP = 1e-8
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

    def products(self, point: Point) -> Numbers:
        """yᵀ P V_k P V_l P y for each two groupings, P what V⁻¹ leaves beside the fixed effects;
        twice that is how fast the residual's falls fall."""
        p, left = len(point.beta), np.append(-point.beta, 1.0)
        change = np.eye(p + 1) if self.change is None else self.change
        inner, across = turned(point.seen, change @ left)
        across = (across @ change)[:, :p]
        return np.asarray(inner - across @ point.inverse @ across.T)


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
    return replace(
        seen,
        cross=change.T @ seen.cross @ change,
        falls=np.einsum("ia,kij,jb->kab", change, seen.falls, change),
    )


def climb(likelihood: Likelihood, start: Numbers | None = None) -> Peak:
    """Search over θ = √τ ≥ 0, from moments or from a start that is nearly right.

    Steps by average curvature settle in a few looks. Where they do not, a slower search follows. At
    θ = 0 its slope in θ is always 0, so that it would stay at the wall once it touches it. Where
    the slope in τ says that the likelihood rises into the room, it starts again inside, nearer to
    the wall.
    """
    ratios = likelihood.sums.guess if start is None else start
    point = _settled(likelihood, np.maximum(ratios, _INSIDE**2))
    roots, inside = np.sqrt(ratios), _INSIDE
    for _ in range(0 if point is not None else _RESTARTS):
        roots = _search(likelihood, np.maximum(roots, inside))
        roots = np.where(roots < _SMALLEST, 0.0, roots)
        point = likelihood.at(roots**2)
        if not np.any((roots == 0) & (point.slope < 0)):
            break
        inside /= 4
    if point is None:  # pragma: no cover - the search above always gives one
        raise TypeError
    free = tuple(np.flatnonzero(point.ratios > 0).tolist())
    total = float(likelihood.sums.cross[-1, -1]) / likelihood.sums.n
    nothing_left = point.variance < _NO_RESIDUAL * total or point.ratios.max() > (_LARGEST / 2) ** 2
    return Peak(point, free, exhausted=bool(nothing_left))


def _settled(likelihood: Likelihood, ratios: Numbers) -> Point | None:
    """Newton's steps with the average of the observed and the expected curvature, in which the
    costly traces cancel (Gilmour, Thompson & Cullis 1995), cut at 0; None if they do not settle."""
    point = likelihood.at(ratios)
    for _ in range(_NEWTON_STEPS):
        is_open = (point.ratios > 0) | (point.slope < 0)
        slope, fall = point.slope[is_open], point.residual_falls[is_open] / point.variance
        products = likelihood.products(point)[np.ix_(is_open, is_open)]
        bend = products / point.variance - np.outer(fall, fall) / point.df
        step = np.linalg.lstsq(bend, slope, rcond=_UPWARDS)[0]
        if abs(float(step @ slope)) < _SETTLED:
            return point
        ratios = point.ratios.copy()
        ratios[is_open] -= step
        if ratios.max() > _LARGEST:  # nothing may be left to chance; the sums lose their digits
            return None
        further = _lower(likelihood, point, np.where(ratios < _SMALLEST**2, 0.0, ratios))
        if further is None:
            return None
        point = further
    return None


def _lower(likelihood: Likelihood, point: Point, ratios: Numbers) -> Point | None:
    """The criterion at these ratios or, where it is no lower there, part of the way to them."""
    for _ in range(_HALVINGS):
        found = likelihood.at(ratios)
        if found.criterion <= point.criterion + _SETTLED:
            return found
        ratios = (ratios + point.ratios) / 2
    return None


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
    """By looking a little to either side of the peak; where looks are dear, the average
    curvature, which with so many levels is nearly the same."""
    point, places = peak.point, list(peak.free)
    if likelihood.sums.levels_left > _DEAR:
        products = likelihood.products(point)[np.ix_(places, places)]
        return Curvature(-products / point.variance, -2 * products)
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
    share = np.abs(step) / point.ratios[places]
    if share.max() > _SMALL_STEP or share.max() < _NO_STEP:
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
    steep = np.abs(np.diag(bend))
    scale = 1 / np.sqrt(np.where(steep > 0, steep, 1.0))
    values, vectors = np.linalg.eigh(bend * scale[:, None] * scale)
    good = values > _UPWARDS * values.max()
    kept = vectors[:, good] * scale[:, None]
    return np.asarray(2 * (kept / values[good]) @ kept.T)
