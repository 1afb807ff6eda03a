"""Cumulative link mixed models: ratings on a few ordered points, and binary judgments.

A rating of 4 need not be as far from 3 as 2 is from 1. The model estimates thresholds between the
points; effects are log odds of a higher rating. Participants and items have random offsets, as in
the linear model.

`binary_mixed` is a logistic regression with such offsets, for judgments with two outcomes. It is
fitted as an ordinal model with two categories; its intercept is minus the single threshold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from rejudge.stats.arrays import Codes, Numbers, one_thread
from rejudge.stats.estimate import Estimate
from rejudge.stats.mixed.effects import (
    INTERCEPT,
    Basis,
    Coefficient,
    Fixed,
    Layout,
    LinearCombination,
    Solution,
    coefficients,
    find_coefficient,
    lay_out,
    orthonormal,
)
from rejudge.stats.mixed.linear import MixedFit, linear_mixed
from rejudge.stats.mixed.ordinal_laplace import OrdinalJudgments
from rejudge.stats.mixed.ordinal_search import FAR, OrdinalOptimum, maximise
from rejudge.stats.mixed.sums import (
    Component,
    components,
    fit_reasons,
    nests,
    no_model,
    refuse_bad_columns,
)
from rejudge.stats.reasons import Reason, Why, WithReasons

_MOST_CELLS = 40_000_000  # cells of the levels that are solved together: 320 MB for each such table
_FLAT = 0.01
_LOGISTIC = math.pi**2 / 3  # variance of the logistic error
_USUAL, _LEAST, _MOST = 0.7, 0.1, 5.0  # standard deviations where the search starts
_UNMEASURED = 100.0  # a standard error of so many: the search stopped somewhere on its way
_MOST_CATEGORIES = 50
_LINEAR = ": use the linear model"
_RUNAWAY = Why.NO_BOUND(
    "value",
    cause="no estimate is finite, as a level of an effect or of a grouping predicts the ratings "
    "perfectly",
)
_OUTCOMES = 2


@dataclass(frozen=True, slots=True)
class Threshold(Estimate):
    """The upper threshold of `category`, on the log-odds scale."""

    category: float = 0.0


@dataclass(frozen=True, slots=True)
class OrdinalFit(WithReasons):
    """A fitted cumulative link mixed model. Where it is undefined there are no coefficients, and
    `reasons` say why. Coefficients are log odds of a higher rating, tested by z."""

    thresholds: tuple[Threshold, ...]
    coefficients: tuple[Coefficient, ...]
    components: tuple[Component, ...]  # in the order given; the residual is π²/3 by definition
    log_likelihood: float | None
    n: int
    converged: bool
    singular: bool  # a variance was estimated as 0
    reasons: tuple[Reason, ...] = ()
    solution: Solution | None = field(default=None, repr=False, compare=False)

    def coefficient(self, term: str, level: int | None = None) -> Coefficient:
        """The effect of a covariate, or of a level of a factor against the lowest."""
        return find_coefficient(self.coefficients, term, level)


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
        return _undefined_fit(groups, len(value), reason)
    directions, basis = orthonormal(columns)
    seen, category = np.unique(value, return_inverse=True)
    judged = OrdinalJudgments.of(
        category,
        len(seen),
        directions[:, 1:] * math.sqrt(len(value)),  # of unit variance, apart from the mean
        list(groups.values()),
    )
    guess = linear_mixed(category.astype(np.float64), fixed, groups)
    peak = maximise(judged, _start(judged, guess, basis))
    if not peak.is_top:  # with few judgments in each level there may be a top below the endless one
        peak = maximise(judged, _plain_start(judged, len(groups)))
    if not peak.is_top:
        return _undefined_fit(groups, len(value), _RUNAWAY)
    fit = _fit(peak, _OrdinalInput(layout, basis, groups, tuple(seen.tolist())), level)
    return _undefined_fit(groups, len(value), _RUNAWAY) if _is_separated(fit) else fit


def _is_separated(fit: OrdinalFit) -> bool:
    """Whether the likelihood rises without end towards some level of a factor. A covariate has a
    unit of its own, so its size says nothing."""
    return any(
        abs(each.value) > FAR or each.standard_error > _UNMEASURED
        for each in fit.coefficients
        if each.level is not None and each.value is not None and each.standard_error is not None
    )


def _no_ordinal_model(value: Numbers, groups: Mapping[str, Codes]) -> Reason | None:
    categories = len(np.unique(value))
    if categories < 2:
        return Why.SAME(what="values")
    if categories > _MOST_CATEGORIES:
        size = f"{categories} points"
        return Why.TOO_LARGE(what="the scale", size=size, most=_MOST_CATEGORIES, advice=_LINEAR)
    if sum(nest.levels for nest in nests(list(groups.values()))[1:]) ** 2 > _MOST_CELLS:
        most = math.isqrt(_MOST_CELLS)
        return Why.TOO_LARGE(
            what="the smaller grouping", size="more levels", most=most, advice=_LINEAR
        )
    return None


def _undefined_fit(groups: Mapping[str, Codes], n: int, reason: Reason) -> OrdinalFit:
    parts = components(groups, dict.fromkeys(groups))
    return OrdinalFit((), (), parts, None, n, converged=False, singular=False, reasons=(reason,))


# ── where the search starts ──────────────────────────────────────────────────────────────────────


def _start(judged: OrdinalJudgments, guess: MixedFit, basis: Basis) -> Numbers:
    """Effects and deviations of a linear model of the points' numbers, in units of the logistic
    error, and thresholds that fit them."""
    plain = _plain_start(judged, len(guess.components) - 1)
    residual = guess.components[-1].variance
    if guess.solution is None or not residual:
        return plain
    unit = math.sqrt(_LOGISTIC / residual)
    triangle = basis.triangle / math.sqrt(len(judged.category))
    effects = unit * triangle[1:, 1:] @ guess.solution.beta[1:]
    found = [unit * math.sqrt(part.variance or 0.0) for part in guess.components[:-1]]
    deviations = np.clip(found, _LEAST, _MOST)
    wider = math.sqrt(1 + (deviations @ deviations + effects @ effects) / _LOGISTIC)
    cut = judged.categories - 1
    thresholds = [wider * plain[0], *(plain[1:cut] + math.log(wider))]
    return np.concatenate([thresholds, np.clip(effects, -_MOST, _MOST), deviations])


def _plain_start(judged: OrdinalJudgments, groupings: int) -> Numbers:
    """Thresholds from the shares of the points, no effects, and the same deviation everywhere."""
    below = np.cumsum(np.bincount(judged.category, minlength=judged.categories))[:-1]
    thresholds = np.log(below / (len(judged.category) - below))
    effects = np.zeros(judged.columns.shape[1])
    deviations = np.full(groupings, _USUAL)
    return np.concatenate([thresholds[:1], np.log(np.diff(thresholds)), effects, deviations])


# ── the result ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _OrdinalInput:
    layout: Layout
    basis: Basis
    groups: Mapping[str, Codes]
    categories: tuple[float, ...]


def _fit(peak: OrdinalOptimum, given: _OrdinalInput, level: float) -> OrdinalFit:
    n = len(peak.judged.category)
    solution, thresholds = _in_given_columns(peak, given, n)
    deviations = peak.parameters.deviations
    variances = dict(zip(given.groups, (deviations**2).tolist(), strict=True))
    converged = bool(np.abs(peak.slope[peak.free]).max() < _FLAT)
    return OrdinalFit(
        thresholds=thresholds,
        coefficients=coefficients(solution, level, first=1),
        components=components(given.groups, variances),
        log_likelihood=peak.value,
        n=n,
        converged=converged,
        singular=0.0 in variances.values(),
        reasons=fit_reasons(given.groups, variances, converged=converged),
        solution=solution,
    )


def _in_given_columns(
    peak: OrdinalOptimum, given: _OrdinalInput, n: int
) -> tuple[Solution, tuple[Threshold, ...]]:
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
        Threshold(value, standard_error=error, category=category)
        for category, value, error in zip(
            given.categories[:-1], values.tolist(), errors[:cut].tolist(), strict=True
        )
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


@dataclass(frozen=True, slots=True)
class BinaryFit(OrdinalFit):
    """A fitted binary mixed model. Where it is undefined there are no coefficients, and `reasons`
    say why. Coefficients, the intercept first, are log odds of `outcome`, tested by z."""

    outcome: float | None = None  # the higher of the two values


def binary_mixed(
    value: Numbers, fixed: Fixed, groups: Mapping[str, Codes], *, level: float = 0.95
) -> BinaryFit:
    """Fit P(value is the higher one) = logistic(intercept + fixed effects + offsets of groupings).

    `fixed` and `groups` as in `linear_mixed`. Laplace's approximation, as lme4's glmer with a
    binomial family has it by default (Bates, Mächler, Bolker & Walker 2015); errors come from the
    curvature in all parameters. Undefined where the values are not two, and where a level of an
    effect has one outcome only (separation), since the log odds then have no finite estimate.
    """
    refuse_bad_columns(value, groups)
    outcomes = np.unique(value)
    if len(outcomes) > _OUTCOMES:
        reason = Why.NEEDS_MORE(least="two, and no more,", what="different values", n=len(outcomes))
        unknown = components(groups, dict.fromkeys(groups))
        return BinaryFit(
            (), (), unknown, None, len(value), converged=False, singular=False, reasons=(reason,)
        )
    fit = ordinal_mixed(value, fixed, groups, level=level)
    parts = {each.name: getattr(fit, each.name) for each in fields(OrdinalFit)}
    if fit.solution is None:
        return BinaryFit(**parts)
    own = {"coefficients": (_intercept(fit.thresholds[0], level), *fit.coefficients)}
    return BinaryFit(**{**parts, **own}, outcome=float(outcomes[-1]))


def _intercept(threshold: Threshold, level: float) -> Coefficient:
    found = LinearCombination(-(threshold.value or 0.0), threshold.standard_error or 0.0, None)
    return Coefficient.of(found.estimate(level), term=INTERCEPT)
