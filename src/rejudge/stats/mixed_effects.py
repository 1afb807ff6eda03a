"""Sums of fixed effects with their errors: coefficients, marginal means and differences of levels.

Degrees of freedom after Satterthwaite (1946), as in lmerTest (Kuznetsova, Brockhoff & Christensen
2017): 2 v² / var(v), where v is the variance of the sum and var(v) follows from how v changes with
the variance components and how surely these are known. lmerTest takes the observed information for
the latter; here it is the average of the observed and the expected one, at every size. A model
without such (cumulative link) uses the normal distribution, and its df are None. Kenward and
Roger's df of a single sum are the same formula with the expected information (`kenward_roger`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Interval, Numbers
from rejudge.stats.mixed_design import Column, Layout

UNKNOWABLE = "Cannot be told from the other fixed effects: they always go together."
TOO_UNSURE = "No test: the variances are known too badly (less than 1 degree of freedom)."
_SAME = 1e-8


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One fixed effect. `level` is the level of a factor, compared with its lowest; a covariate
    and the intercept have none."""

    term: str
    level: int | None
    value: float | None
    standard_error: float | None
    df: float | None  # None: the normal distribution
    statistic: float | None  # t, or z where df is None
    p: float | None
    interval: Interval | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Solution:
    """What sums of fixed effects are computed from; `kept` tells the columns that were fitted."""

    layout: Layout
    kept: tuple[int, ...]
    left_out: tuple[int, ...]
    dependence: Numbers  # columns left out = columns kept @ dependence
    beta: Numbers
    covariance: Numbers
    slopes: Numbers  # ∂ covariance / ∂ variance parameter, one matrix each
    uncertainty: Numbers  # covariance of the estimated variance parameters
    adjusted: Numbers | None = None  # covariance that errors come from, if not that above

    @property
    def errors(self) -> Numbers:
        """The covariance that standard errors come from."""
        return self.covariance if self.adjusted is None else self.adjusted

    def known(self, row: Numbers) -> Numbers | None:
        """A sum over all columns as one over those kept, or None if judgments cannot tell it."""
        kept, left_out = row[list(self.kept)], row[list(self.left_out)]
        if np.all(np.abs(left_out - kept @ self.dependence) <= _SAME):
            return kept
        return None


@dataclass(frozen=True, slots=True)
class Effect:
    """A sum of fixed effects."""

    value: float
    standard_error: float
    df: float | None

    @property
    def statistic(self) -> float:
        return self.value / self.standard_error

    @property
    def note(self) -> str:
        """Why there is no test, or nothing."""
        return TOO_UNSURE if self.df is not None and self.df < 1 else ""

    @property
    def p(self) -> float | None:
        """Two-sided, against 0."""
        return None if self.note else tail(self.statistic, self.df)

    def interval(self, level: float, reach: float | None = None) -> Interval | None:
        """The value ± `reach` standard errors; by default the quantile of t or of the normal."""
        if self.note:
            return None
        reach = quantile(level, self.df) if reach is None else reach
        width = reach * self.standard_error
        return Interval(self.value - width, self.value + width, level)


def of_clusters(found: Effect, clusters: int) -> Effect:
    """The same effect as so few clusters can tell it: t with one degree of freedom less than they
    are, and the error multiplied by √(G/(G−1)), as full likelihood takes their variance too small.
    """
    wider = found.standard_error * math.sqrt(clusters / (clusters - 1))
    return Effect(found.value, wider, clusters - 1)


def limited(found: Effect, df_limit: float | None) -> Effect:
    """The same effect with no more degrees of freedom than the limit; z stays z."""
    if found.df is None or df_limit is None:
        return found
    return replace(found, df=min(found.df, df_limit))


def effect(solution: Solution, weights: Numbers) -> Effect:
    """The sum of the kept columns' effects with these weights."""
    variance = float(weights @ solution.covariance @ weights)
    return Effect(
        float(weights @ solution.beta),
        math.sqrt(float(weights @ solution.errors @ weights)),
        satterthwaite(solution, weights, variance),
    )


def satterthwaite(solution: Solution, weights: Numbers, variance: float) -> float | None:
    if not len(solution.slopes):
        return None
    slope = np.einsum("i,kij,j->k", weights, solution.slopes, weights)
    return 2 * variance**2 / float(slope @ solution.uncertainty @ slope)


def coefficients(solution: Solution, level: float, *, first: int = 0) -> tuple[Coefficient, ...]:
    """Every column's effect, or from `first` on; thresholds stand in for an intercept."""
    return tuple(_coefficient(solution, place, level) for place in range(first, _width(solution)))


def _width(solution: Solution) -> int:
    return len(solution.layout.columns)


def _coefficient(solution: Solution, place: int, level: float) -> Coefficient:
    column = solution.layout.columns[place]
    weights = solution.known(np.eye(_width(solution))[place])
    if place in solution.left_out or weights is None:
        return Coefficient(
            column.term, column.level, None, None, None, None, None, None, UNKNOWABLE
        )
    return coefficient_of(effect(solution, weights), column, level)


def coefficient_of(found: Effect, column: Column, level: float) -> Coefficient:
    """A weighted sum of effects as the coefficient of a column."""
    return Coefficient(
        column.term,
        column.level,
        found.value,
        found.standard_error,
        found.df,
        found.statistic,
        found.p,
        found.interval(level),
        found.note,
    )


def found(known: tuple[Coefficient, ...], term: str, level: int | None) -> Coefficient:
    """The coefficient of a term; asked for an unknown one, the error tells the known ones."""
    for each in known:
        if (each.term, each.level) == (term, level):
            return each
    names = ", ".join(f"{c.term}" if c.level is None else f"{c.term} {c.level}" for c in known)
    raise DataError(
        Problem(
            f"The model has no effect {term!r} at level {level}.", f"It has: {names or 'none'}."
        )
    )


def tail(statistic: float, df: float | None) -> float:
    """How likely so large a t or z is by chance, in either direction."""
    from scipy.special import ndtr, stdtr

    below = ndtr(-abs(statistic)) if df is None else stdtr(df, -abs(statistic))
    return min(1.0, 2 * float(below))


def quantile(level: float, df: float | None) -> float:
    """How many standard errors an interval of this level reaches to either side."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    return float(ndtri(upper) if df is None else stdtrit(df, upper))
