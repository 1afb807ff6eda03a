"""Maximum likelihood for the variance ratios of a linear mixed model, and their precision.

The criterion is −2 log likelihood with β and σ profiled out: restricted (REML), which allows for
the fixed effects having been estimated, or full.

The search moves the elements of Λ, G = Λ Λᵀ, of every term; where a term has a single variance,
its root. There are no bounds: changing the sign of a column gives the same G, so that neither a
variance of 0 nor a covariance of lower rank is a boundary. Newton's steps use the average of the
observed and the expected curvature in G, in which the costly traces cancel (Gilmour, Thompson &
Cullis 1995), and the curvature of G in Λ.

Satterthwaite's degrees of freedom come from the average curvature too; with free slopes from the
observed one, by differences of the slope, as in lmerTest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from rejudge.stats.arrays import Numbers
from rejudge.stats.mixed.effects import inverse
from rejudge.stats.mixed.evaluation import Evaluation, Solver, evaluate, information_products
from rejudge.stats.mixed.iterative import Iterative
from rejudge.stats.mixed.sums import Slopes, Sums, Term

Progress: TypeAlias = Callable[[float], None]

_START = 0.1  # of every ratio
_SHARED = 0.05  # 〃 by two systems
_LARGEST = 1e3  # a group's standard deviation in units of the residual's: beyond, none is left
_SMALLEST = 1e-4  # 〃 below this the criterion cannot tell it from 0
_NO_RESIDUAL = 1e-7  # of the values' variance
_NOISE = 1e-13  # of the values' sum of squares: below this all is rounding
_INSIDE = 0.05  # 〃 from which the search goes on
_STEPS = 100
_HALVINGS = 12
_LONGEST = 2.0  # step of an element, in units of the largest
_SETTLED = 1e-11  # what a further step would gain of the criterion
_HIDDEN = 1e-6  # 〃 that rounding may hide
_QUIET = 1e-13  # 〃 where the search is over ratios
_FEW_HALVINGS = 4
_ROUNDING = 1e-10  # of the criterion: what its digits can show
_LEAST_CURVED = 1e-9  # of the largest curvature
_RISING = 1e-2  # slope by a variance, beyond which the search does not end at a variance of 0
_UPWARDS = 1e-10  # of the largest curvature, scaled: directions with less are left out
_OBSERVED_UPWARDS = 1e-6  # 〃
_DIFFERENCE = 1e-4
_TINY = 1e-300
# Where solutions are iterated, and the criterion is not known:
_CLOSE = 1e-4  # gain of the criterion: ratios within 0.01 of their standard errors
_NOT_CLOSER = 0.05  # 〃 where a step no longer halves it, the solutions allow no more
ENOUGH_OF_SAMPLE = 0.1  # 〃 where a sample only serves as a start
_SMALL_STEP = 5e-4  # of each ratio: an eighth of the accuracy that is promised
_NEAR = 5.0  # 〃 from here on rough solutions no longer serve
_FLAT = 1e-3  # in units of the criterion, for a doubling or so of a variance
_UNCURVED = 1e-9  # 〃
_NEWTON_STEPS = 30
_VANISHING = 1e-3  # a ratio below this that a step makes negative is 0
_RUNAWAY = 1e4  # a ratio beyond this: the groups explain every judgment
_BEYOND_LIMITS = 10  # times a ratio: a step that is cut to its limit
_USUAL_LOOKS = 9
_LOOKS_AFTER_SAMPLE = 4


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The criterion of one set of sums."""

    sums: Sums[Term]
    reml: bool
    solver: Solver | None  # None where there is a single nest

    def at(self, ratios: Numbers) -> LikelihoodPoint:
        """The criterion, its slope and the estimates at variance ratios τ."""
        seen = evaluate(self.sums, ratios, self.solver)
        p = seen.cross.shape[0] - 1
        spread = inverse(seen.cross[:p, :p])
        beta = spread @ seen.cross[:p, p]
        left = np.append(-beta, 1.0)
        residual = max(float(left @ seen.cross @ left), _NOISE * float(self.sums.cross[-1, -1]))
        return LikelihoodPoint(
            ratios=ratios,
            seen=seen,
            beta=beta,
            inverse=spread,
            residual=residual,
            df=self.sums.n - p if self.reml else self.sums.n,
            reml=self.reml,
            residual_falls=np.einsum("i,kij,j->k", left, seen.falls, left),
        )

    def products(self, point: LikelihoodPoint) -> Numbers:
        """yᵀ P V_k P V_l P y for each two groupings, P what V⁻¹ leaves beside the fixed effects;
        twice that is how fast the residual's falls fall."""
        p, left = len(point.beta), np.append(-point.beta, 1.0)
        inner, across = information_products(self.sums, point.seen, left)
        across = across[:, :p]
        return np.asarray(inner - across @ point.inverse @ across.T)


@dataclass(frozen=True, slots=True)
class LikelihoodPoint:
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
    def criterion(self) -> float | None:
        """−2 log likelihood; None where log |V| is not known."""
        if self.seen.log_determinant is None:
            return None
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
        return self.slope_at(self.variance)

    def slope_at(self, variance: float) -> Numbers:
        """〃 with σ² held."""
        return self.determinant_slope - self.residual_falls / variance


@dataclass(frozen=True, slots=True)
class LinearOptimum:
    """The most likely ratios."""

    point: LikelihoodPoint
    products: Numbers  # yᵀ P V_k P V_l P y
    converged: bool  # whether the criterion is flat in every direction that is open
    exhausted: bool  # whether the groups leave no residual
    factors: Factors | None = None  # where slopes are free

    @property
    def free(self) -> tuple[int, ...]:
        """The groupings whose variance is not 0."""
        return tuple(np.flatnonzero(self.point.ratios > 0).tolist())


def information(likelihood: Likelihood, peak: LinearOptimum) -> tuple[Numbers, Numbers]:
    """How Wᵀ V⁻¹ W falls with each parameter that is not 0, and the covariance of the estimates of
    these and of σ²: twice the inverse of the criterion's curvature in which σ² is one too."""
    point = peak.point
    if peak.factors is not None:
        falls = np.einsum("kij,kl->lij", point.seen.falls, peak.factors.turn)
        return falls, _positive_inverse(
            _observed(likelihood, peak.factors, point), _OBSERVED_UPWARDS
        )
    places = list(peak.free)
    bend = _bend(peak.products[np.ix_(places, places)], point.residual_falls[places], point)
    return point.seen.falls[places], _positive_inverse(bend, _UPWARDS)


def _observed(likelihood: Likelihood, factors: Factors, point: LikelihoodPoint) -> Numbers:
    """The curvature in all elements of Λ and in σ², by differences of the slope."""

    def gradient(move: Numbers) -> Numbers:
        moved = replace(factors, elements=factors.elements + move)
        return moved.turn.T @ likelihood.at(moved.ratios).slope_at(point.variance)

    moves = _DIFFERENCE * np.eye(len(factors.elements))
    curved = np.array([(gradient(move) - gradient(-move)) / (2 * _DIFFERENCE) for move in moves])
    bend = _bend(point.variance * curved, factors.turn.T @ point.residual_falls, point)
    return np.asarray((bend + bend.T) / 2)


def _bend(products: Numbers, falls: Numbers, point: LikelihoodPoint) -> Numbers:
    bend = np.empty((len(falls) + 1, len(falls) + 1))
    bend[:-1, :-1] = products / point.variance
    bend[:-1, -1] = bend[-1, :-1] = falls / point.variance**2
    bend[-1, -1] = point.df / point.variance**2
    return bend


def _positive_inverse(bend: Numbers, least: float) -> Numbers:
    """2 · bend⁻¹, leaving out directions in which the criterion does not curve upwards."""
    steep = np.abs(np.diag(bend))
    scale = 1 / np.sqrt(np.where(steep > 0, steep, 1.0))
    values, vectors = np.linalg.eigh(bend * scale[:, None] * scale)
    good = values > least * values.max()
    kept = vectors[:, good] * scale[:, None]
    return np.asarray(2 * (kept / values[good]) @ kept.T)


def maximise(
    likelihood: Likelihood,
    start: Numbers | None = None,
    *,
    enough: float = _CLOSE,
    progress: Progress | None = None,
) -> LinearOptimum:
    """The most likely ratios, from a start that is nearly right or from the same for all. `enough`
    is the gain of the criterion that is not worth another step, where solutions are iterated."""
    sums = likelihood.sums
    ratios = _start(sums) if start is None else start
    if isinstance(likelihood.solver, Iterative):
        likelihood.solver.is_rough = start is None
        report = progress or _ignore_progress
        return _approach(likelihood, likelihood.solver, ratios, enough=enough, progress=report)
    has_slopes = any(isinstance(term, Slopes) for term in sums.terms)
    point = None if has_slopes else _newton_search(likelihood, np.maximum(ratios, _INSIDE**2))
    if point is not None:
        return _optimum(likelihood, point, converged=_is_flat(point))
    factors, point, converged = _search(likelihood, Factors.at(sums.terms, ratios))
    if has_slopes:
        return _optimum(likelihood, point, converged=converged, factors=factors)
    cut = likelihood.at(np.where(point.ratios < _SMALLEST**2, 0.0, point.ratios))
    return _optimum(likelihood, cut, converged=converged)


def _is_flat(point: LikelihoodPoint) -> bool:
    places = point.ratios > 0
    return bool((np.abs(point.slope[places] * point.ratios[places]) < _FLAT).all())


def _optimum(
    likelihood: Likelihood,
    point: LikelihoodPoint,
    *,
    converged: bool,
    factors: Factors | None = None,
) -> LinearOptimum:
    exhausted = _is_exhausted(likelihood, point)
    return LinearOptimum(point, likelihood.products(point), converged, exhausted, factors)


def _is_exhausted(likelihood: Likelihood, point: LikelihoodPoint) -> bool:
    total = float(likelihood.sums.cross[-1, -1]) / likelihood.sums.n
    nothing_left = point.variance < _NO_RESIDUAL * total
    return bool(nothing_left or point.ratios.max() > _LARGEST**2)


def _start(sums: Sums[Term]) -> Numbers:
    """The same ratios for every table."""
    found = np.full(len(sums.places), _START)
    for term in sums.terms:
        if isinstance(term, Slopes):
            rows, columns = term.elements
            found[term.places] = np.where(rows == columns, _START, _SHARED)
    return found


def _ignore_progress(share: float) -> None:
    """Nobody wants to know."""


# ── where the criterion is known ─────────────────────────────────────────────────────────────────


def _newton_search(likelihood: Likelihood, ratios: Numbers) -> LikelihoodPoint | None:
    """Newton's steps, cut at 0; None if they do not settle."""
    point = likelihood.at(ratios)
    for _ in range(_NEWTON_STEPS):
        step = _newton_step(point, likelihood.products(point))
        gain = abs(float(step @ point.slope))
        if gain < _QUIET:
            return point
        ratios = point.ratios - step
        if ratios.max() > _LARGEST:  # nothing may be left to chance; the sums lose their digits
            return None
        further = _lower_ratios(likelihood, point, np.where(ratios < _SMALLEST**2, 0.0, ratios))
        if further is None:
            return point if gain < _ROUNDING * abs(known_criterion(point)) else None
        point = further
    return None


def _lower_ratios(
    likelihood: Likelihood, point: LikelihoodPoint, ratios: Numbers
) -> LikelihoodPoint | None:
    """The criterion at these ratios or, where it is no lower there, part of the way to them."""
    for _ in range(_FEW_HALVINGS):
        found = likelihood.at(ratios)
        if known_criterion(found) <= known_criterion(point) + _QUIET:
            return found
        ratios = (ratios + point.ratios) / 2
    return None


@dataclass(frozen=True, slots=True)
class Factors:
    """Λ of every term. An element of Λ has the place that the ratio of the same row and column of G
    has; where a term has a variance or two, each has a Λ of its own."""

    terms: tuple[Slopes, ...]
    elements: Numbers

    @classmethod
    def at(cls, terms: Sequence[Term], ratios: Numbers) -> Factors:
        """Those of these ratios."""
        found = cls(tuple(part for term in terms for part in _parts(term)), np.empty_like(ratios))
        for term in found.terms:
            found = found.with_term(term, _triangle(term.root(ratios)))
        return found

    def of_term(self, term: Slopes) -> Numbers:
        """Λ of one term."""
        found = np.zeros((term.width, term.width))
        found[term.elements] = self.elements[term.places]
        return found

    @property
    def ratios(self) -> Numbers:
        """The elements of G = Λ Λᵀ."""
        found = np.empty_like(self.elements)
        for term in self.terms:
            factor = self.of_term(term)
            found[term.places] = (factor @ factor.T)[term.elements]
        return found

    @property
    def turn(self) -> Numbers:
        """∂ G / ∂ Λ, element by element."""
        found = np.zeros((len(self.elements), len(self.elements)))
        for term in self.terms:
            factor, (rows, columns) = self.of_term(term), term.elements
            found[np.ix_(term.places, term.places)] = (
                np.equal.outer(rows, rows) * factor[np.ix_(columns, columns)]
                + np.equal.outer(columns, rows) * factor[np.ix_(rows, columns)]
            )
        return found

    def with_term(self, term: Slopes, factor: Numbers) -> Factors:
        """The same with another Λ of one term."""
        elements = self.elements.copy()
        elements[term.places] = factor[term.elements]
        return replace(self, elements=elements)


def _parts(term: Term) -> list[Slopes]:
    if isinstance(term, Slopes):
        return [term]
    return [Slopes(place, term.levels, 1, np.tril_indices(1)) for place in term.places]


def _triangle(root: Numbers) -> Numbers:
    """The lower triangle Λ with Λ Λᵀ the same as of another root."""
    return np.asarray(np.linalg.qr(root.T)[1].T)


def _search(likelihood: Likelihood, factors: Factors) -> tuple[Factors, LikelihoodPoint, bool]:
    """Newton's steps until none gains; whether they settled."""
    point, gain = likelihood.at(factors.ratios), np.inf
    for _ in range(_STEPS):
        step, gain = _step(likelihood, factors, point)
        if gain < _SETTLED:
            further = _leave_boundary(likelihood, factors, point)
        else:
            further = _lower(likelihood, factors, point, step)
        if further is None or _is_exhausted(likelihood, point):
            break
        factors, point = further
    return factors, point, gain < _HIDDEN


def _step(
    likelihood: Likelihood, factors: Factors, point: LikelihoodPoint
) -> tuple[Numbers, float]:
    """What to add to each element, and what it gains about; downhill in every direction."""
    turn, fall = factors.turn, point.residual_falls / point.variance
    products = likelihood.products(point) / point.variance - np.outer(fall, fall) / point.df
    bend = turn.T @ products @ turn
    for term in factors.terms:
        rows, columns = term.elements
        own = 2 * _mostly_positive(_by_covariance(term, point.slope))[np.ix_(rows, rows)]
        bend[np.ix_(term.places, term.places)] += own * np.equal.outer(columns, columns)
    values, vectors = np.linalg.eigh((bend + bend.T) / 2)
    steep = np.maximum(values, _LEAST_CURVED * values[-1] + _TINY)
    along = vectors.T @ (turn.T @ point.slope)
    step = -vectors @ (along / steep)
    reach = _LONGEST * max(1.0, float(np.abs(factors.elements).max()))
    shortened = min(1.0, reach / max(float(np.abs(step).max()), _TINY))
    return shortened * step, float(np.sum(along**2 / steep))


def _by_covariance(term: Slopes, slope: Numbers) -> Numbers:
    """The slope by G as a matrix. An element beside the diagonal stands there twice."""
    whole = term.covariance(slope)
    return np.asarray((whole + np.diag(np.diag(whole))) / 2)


def _mostly_positive(slope: Numbers) -> Numbers:
    """The slope by G, with a tenth of what is negative in it as positive: far from the end it may
    be large, and steps that follow it in full go astray."""
    values, vectors = np.linalg.eigh(slope)
    return np.asarray((vectors * np.where(values > 0, values, -values / 10)) @ vectors.T)


def _leave_boundary(
    likelihood: Likelihood, factors: Factors, point: LikelihoodPoint
) -> tuple[Factors, LikelihoodPoint] | None:
    """Where the criterion is lower though the slope by each element is 0, or None: at a variance of
    0 or a covariance of lower rank it is always 0 in the directions that are missing."""
    for term in factors.terms:
        values, vectors = np.linalg.eigh(_by_covariance(term, point.slope))
        if values[0] > -_RISING:
            continue
        wider = np.column_stack([factors.of_term(term), _INSIDE * vectors[:, 0]])
        further = factors.with_term(term, _triangle(wider))
        found = likelihood.at(further.ratios)
        if known_criterion(found) < known_criterion(point) - _HIDDEN:
            return further, found
    return None


def _lower(
    likelihood: Likelihood, factors: Factors, point: LikelihoodPoint, step: Numbers
) -> tuple[Factors, LikelihoodPoint] | None:
    """Where the criterion is lower: at the end of the step, or part of the way."""
    for _ in range(_HALVINGS):
        further = replace(factors, elements=factors.elements + step)
        found = likelihood.at(further.ratios)
        if known_criterion(found) < known_criterion(point):
            return further, found
        step = step / 2
    return None


def known_criterion(point: LikelihoodPoint) -> float:
    """The criterion of an exact solver."""
    if point.criterion is None:  # pragma: no cover - exact solvers know it
        raise TypeError
    return point.criterion


# ── where it is not ──────────────────────────────────────────────────────────────────────────────


def _approach(
    likelihood: Likelihood,
    solver: Iterative,
    ratios: Numbers,
    *,
    enough: float,
    progress: Progress,
) -> LinearOptimum:
    """Newton's steps within limits, from rough solutions and then from accurate ones.

    A step promises a gain of the criterion. It is close enough when that is small, or when it is
    nearly so and no longer halves: the error of the solutions would keep it circling. With very
    many judgments a gain that counts may still be a step that is not worth taking.
    """
    last = np.inf
    usual = _USUAL_LOOKS if solver.is_rough else _LOOKS_AFTER_SAMPLE
    for iteration in range(_NEWTON_STEPS):
        point = likelihood.at(ratios)
        products = likelihood.products(point)
        step = _newton_step(point, products)
        gain = float(step @ point.slope)
        if gain < -enough:  # uphill: the curvature is rounding error, as where no residual is left
            step, gain = _downhill_step(point), -gain
        is_close = gain < enough or (gain < _NOT_CLOSER and gain > last / 2)
        is_close |= bool(np.all(np.abs(step) <= _SMALL_STEP * ratios))
        if (is_close and not solver.is_rough) or ratios.max() > _RUNAWAY:
            break
        is_near = solver.is_rough and (gain < _NEAR or gain > last / 4)
        solver.is_rough &= not is_near
        last = np.inf if is_near else gain
        ratios = _within_limits(point.ratios, step)
        progress(min(0.95, (iteration + 1) / usual))
    found = LinearOptimum(
        point, products, is_close and solver.has_converged, _is_exhausted(likelihood, point)
    )
    return replace(found, exhausted=found.exhausted or bool(ratios.max() > _RUNAWAY))


def _newton_step(point: LikelihoodPoint, products: Numbers) -> Numbers:
    """What to take off each ratio: nothing of one that is 0 and that the slope holds there, and all
    of one that the values show no trace of, so that there is no curvature to go by."""
    is_open = (point.ratios > 0) | (point.slope < 0)
    fall = point.residual_falls / point.variance
    bend = products / point.variance - np.outer(fall, fall) / point.df
    step = np.zeros_like(point.ratios)
    step[is_open] = np.linalg.lstsq(
        bend[np.ix_(is_open, is_open)], point.slope[is_open], rcond=_UPWARDS
    )[0]
    is_uncurved = np.diag(bend) * point.ratios**2 < _UNCURVED
    return np.where(is_uncurved & (point.slope * point.ratios > _FLAT), point.ratios, step)


def _downhill_step(point: LikelihoodPoint) -> Numbers:
    """As far against the slope as limits allow."""
    return np.asarray(np.sign(point.slope) * _BEYOND_LIMITS * point.ratios)


def _within_limits(ratios: Numbers, step: Numbers) -> Numbers:
    """At most eight times a ratio and at least a tenth of it; one that vanishes is 0."""
    plain = ratios - step
    found = np.where(ratios > 0, np.clip(plain, ratios / 10, 8 * ratios), np.maximum(plain, 0))
    return np.where((plain <= 0) & (ratios < _VANISHING), 0.0, found)
