"""Cumulative link mixed models: ratings on a few ordered points that need not be equal steps.

A rating of 4 need not lie as far from 3 as 2 from 1. The model has thresholds between the points,
estimated with the rest; effects are log odds of a higher rating. Participants and items have
offsets of their own, as in the linear model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed_design import Basis, Fixed, Layout, lay_out, orthonormal
from rejudge.stats.mixed_effects import Coefficient, Solution, coefficients, found
from rejudge.stats.mixed_groups import (
    Component,
    components,
    fit_note,
    no_model,
    refuse_bad_columns,
)
from rejudge.stats.one_thread import one_thread
from rejudge.stats.ordinal_laplace import Judged, Look, Parameters, Start, in_order, look

_ROOM = 10_000_000  # cells of the largest grouping × the others: 80 MB
_STEP = 1e-4
_FLAT = 0.01
_SMALLEST = 1e-3  # a standard deviation below this cannot be told from 0
_WIDEST = 30.0  # logarithm of a gap, beyond which none is told apart
_FAR = 15.0  # log odds that no study can measure: the estimate runs away
_UNMEASURED = 100.0  # a standard error of so many: the search stopped somewhere on its way
_MOST_CATEGORIES = 50
_RUNAWAY = "No finite estimate: a level of an effect or of a grouping decides the ratings alone."


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where the ratings up to `category` end, on the scale of log odds."""

    category: float
    value: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class OrdinalFit:
    """A fitted cumulative link mixed model. Where it is undefined there are no coefficients, and
    `note` says why. Coefficients are log odds of a higher rating, tested by z."""

    thresholds: tuple[Threshold, ...]
    coefficients: tuple[Coefficient, ...]
    components: tuple[Component, ...]  # in the order given; the residual is π²/3 by definition
    log_likelihood: float | None
    n: int
    converged: bool
    singular: bool  # a variance was estimated as 0
    note: str = ""
    solution: Solution | None = field(default=None, repr=False, compare=False)

    def coefficient(self, term: str, level: int | None = None) -> Coefficient:
        """The effect of a covariate, or of a level of a factor against the lowest."""
        return found(self.coefficients, term, level)


@one_thread()
def ordinal_mixed(
    value: Numbers, fixed: Fixed, groups: Mapping[str, Codes], *, level: float = 0.95
) -> OrdinalFit:
    """Fit P(value ≤ j) = logistic(threshold_j − fixed effects − offsets of the groupings).

    Categories are the distinct values that occur, in order. `fixed` and `groups` as in
    `linear_mixed`. Laplace's approximation, and errors from the curvature of all parameters
    together, as R's ordinal::clmm (Christensen 2019) gives them.
    """
    refuse_bad_columns(value, groups)
    layout, columns = lay_out(fixed, len(value))
    reason = no_model(columns, groups) or _no_ordinal_model(value, groups)
    if reason:
        return _undefined(groups, len(value), reason)
    basis = orthonormal(columns)
    order = in_order(list(groups.values()))
    seen, category = np.unique(value, return_inverse=True)
    codes = [np.unique(list(groups.values())[k], return_inverse=True)[1] for k in order]
    judged = Judged(
        category,
        len(seen),
        basis.directions[:, 1:] * math.sqrt(len(value)),  # of unit variance, apart from the mean
        tuple(codes),
        tuple(int(each.max()) + 1 for each in codes),
    )
    peak = _climb(judged)
    if np.abs(peak.place).max() > _FAR or not peak.is_top:
        return _undefined(groups, len(value), _RUNAWAY)
    fit = _fit(peak, _Given(layout, basis, groups, tuple(order), tuple(seen.tolist())), level)
    return _undefined(groups, len(value), _RUNAWAY) if _runs_away(fit) else fit


def _runs_away(fit: OrdinalFit) -> bool:
    """Whether the likelihood rises without end towards some level of a factor. A covariate has a
    unit of its own, so its size says nothing."""
    return any(
        abs(each.value) > _FAR or each.standard_error > _UNMEASURED
        for each in fit.coefficients
        if each.level is not None and each.value is not None and each.standard_error is not None
    )


def _no_ordinal_model(value: Numbers, groups: Mapping[str, Codes]) -> str:
    categories = len(np.unique(value))
    if categories < 2:  # noqa: PLR2004 - a threshold lies between two categories
        return "All values are the same."
    if categories > _MOST_CATEGORIES:
        return (
            f"{categories} different values are no ordinal scale; the linear model can take them."
        )
    levels = sorted(len(np.unique(codes)) for codes in groups.values())
    if levels[-1] * sum(levels[:-1]) > _ROOM:
        return "Too many levels for this model; the linear one can take them."
    return ""


def _undefined(groups: Mapping[str, Codes], n: int, reason: str) -> OrdinalFit:
    parts = components(groups, dict.fromkeys(groups))
    return OrdinalFit((), (), parts, None, n, converged=False, singular=False, note=reason)


# ── the search ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Peak:
    """The most likely place: first threshold, log gaps, effects, deviations."""

    judged: Judged
    place: Numbers
    value: float
    slope: Numbers
    covariance: Numbers  # of the place; 0 for deviations that are 0
    is_top: bool

    @property
    def parameters(self) -> Parameters:
        return _parameters(self.judged, self.place)


class _Surface:
    """−log L over one vector. It keeps where the last look ended, since the next is nearby."""

    def __init__(self, judged: Judged) -> None:
        self._judged = judged
        self._start: Start | None = None

    def __call__(self, place: Numbers) -> tuple[float, Numbers]:
        seen = look(self._judged, _parameters(self._judged, place), self._start)
        self._start = seen.end
        return -seen.value, -_slope(self._judged, place, seen)


def _parameters(judged: Judged, place: Numbers) -> Parameters:
    cut = judged.categories - 1
    steps = np.concatenate([[0.0], np.cumsum(_gaps(place[1:cut]))])
    count = judged.columns.shape[1]
    return Parameters(place[0] + steps, place[cut : cut + count], place[cut + count :])


def _gaps(logs: Numbers) -> Numbers:
    return np.asarray(np.exp(np.minimum(logs, _WIDEST)))


def _slope(judged: Judged, place: Numbers, seen: Look) -> Numbers:
    cut = judged.categories - 1
    later = np.cumsum(seen.slope.thresholds[::-1])[::-1]  # a gap moves all thresholds above it
    gaps = later[1:] * _gaps(place[1:cut])
    return np.concatenate([later[:1], gaps, seen.slope.effects, seen.slope.deviations])


def _climb(judged: Judged) -> _Peak:
    surface = _Surface(judged)
    place = _search(surface, _start(judged), len(judged.groups))
    for k in range(len(place) - len(judged.groups), len(place)):
        place = _off_the_wall(surface, place, k, len(judged.groups))
    value, slope = surface(place)
    covariance, is_top = _covariance(surface, place, _free(judged, place))
    return _Peak(judged, place, -value, slope, covariance, is_top)


def _start(judged: Judged) -> Numbers:
    below = np.cumsum(np.bincount(judged.category, minlength=judged.categories))[:-1]
    thresholds = np.log(below / (len(judged.category) - below))
    return np.concatenate(
        [
            thresholds[:1],
            np.log(np.diff(thresholds)),
            np.zeros(judged.columns.shape[1]),
            np.full(len(judged.groups), 0.7),
        ]
    )


def _search(surface: _Surface, start: Numbers, deviations: int) -> Numbers:
    from scipy.optimize import minimize

    done = minimize(
        surface,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * (len(start) - deviations) + [(0.0, None)] * deviations,
        options={"ftol": 1e-13, "gtol": 1e-5, "maxiter": 500, "maxcor": 20},
    )
    place = np.asarray(done.x)
    place[-deviations:] = np.where(place[-deviations:] < _SMALLEST, 0.0, place[-deviations:])
    return place


def _off_the_wall(surface: _Surface, place: Numbers, k: int, deviations: int) -> Numbers:
    """At a deviation of 0 the slope is always 0; look a little inside, and go there if it rises."""
    if place[k] > 0:
        return place
    inside = place.copy()
    inside[k] = 0.1
    if surface(inside)[1][k] >= 0:
        return place
    return _search(surface, inside, deviations)


def _free(judged: Judged, place: Numbers) -> list[int]:
    first = len(place) - len(judged.groups)
    return [k for k in range(len(place)) if k < first or place[k] > 0]


def _covariance(surface: _Surface, place: Numbers, free: list[int]) -> tuple[Numbers, bool]:
    """The inverse curvature of −log L, from its slope on either side, and whether it is a top."""
    rows = []
    for k in free:
        step = np.zeros(len(place))
        step[k] = _STEP
        rows.append((surface(place + step)[1] - surface(place - step)[1])[free] / (2 * _STEP))
    bend = (np.array(rows) + np.array(rows).T) / 2
    covariance = np.zeros((len(place), len(place)))
    is_top = bool(np.linalg.eigvalsh(bend)[0] > 0)
    if is_top:
        covariance[np.ix_(free, free)] = np.linalg.inv(bend)
    return covariance, is_top


# ── the result ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Given:
    layout: Layout
    basis: Basis
    groups: Mapping[str, Codes]
    order: tuple[int, ...]
    categories: tuple[float, ...]


def _fit(peak: _Peak, given: _Given, level: float) -> OrdinalFit:
    n = len(peak.judged.category)
    solution, thresholds = _in_given_columns(peak, given, n)
    deviations = peak.parameters.deviations[np.argsort(given.order)]
    variances = dict(zip(given.groups, (deviations**2).tolist(), strict=True))
    converged = bool(np.abs(peak.slope[_free(peak.judged, peak.place)]).max() < _FLAT)
    return OrdinalFit(
        thresholds=thresholds,
        coefficients=coefficients(solution, level, first=1),
        components=components(given.groups, variances),
        log_likelihood=peak.value,
        n=n,
        converged=converged,
        singular=0.0 in variances.values(),
        note=fit_note(given.groups, variances, converged=converged),
        solution=solution,
    )


def _in_given_columns(peak: _Peak, given: _Given, n: int) -> tuple[Solution, tuple[Threshold, ...]]:
    """Back from perpendicular columns without their mean: β = T⁻¹ γ, and each threshold moves by
    the mean that was taken off."""
    cut, p = len(given.categories) - 1, len(given.basis.kept) - 1
    triangle = given.basis.triangle / math.sqrt(n)
    way_back = np.linalg.inv(triangle[1:, 1:])
    means = triangle[0, 1:] @ way_back
    turn = np.zeros((cut + p, len(peak.place)))
    turn[:cut, 0] = 1.0
    turn[:cut, 1:cut] = np.tril(np.ones((cut, cut)), -1)[:, :-1] * np.exp(peak.place[1:cut])
    turn[:cut, cut : cut + p] = means
    turn[cut:, cut : cut + p] = way_back
    covariance = turn @ peak.covariance @ turn.T
    effects = peak.parameters.effects
    values = peak.parameters.thresholds + means @ effects
    errors = np.sqrt(np.diag(covariance))
    inner = np.zeros((p + 1, p + 1))  # the intercept is in the thresholds: 0, and known
    inner[1:, 1:] = covariance[cut:, cut:]
    thresholds = tuple(
        Threshold(*each)
        for each in zip(given.categories[:-1], values.tolist(), errors[:cut].tolist(), strict=True)
    )
    basis = given.basis
    solution = Solution(
        layout=given.layout,
        kept=basis.kept,
        left_out=basis.left_out,
        dependence=basis.dependence,
        beta=np.concatenate([[0.0], way_back @ effects]),
        covariance=inner,
        slopes=np.zeros((0, p + 1, p + 1)),
        uncertainty=np.zeros((0, 0)),
    )
    return solution, thresholds
