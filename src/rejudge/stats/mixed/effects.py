"""Fixed effects of mixed models: the design matrix, and linear combinations with errors.

    intercept   1 everywhere: the lowest level of every factor, covariates at 0
    factor      treatment coding: a column of 0 and 1 for each judged level except the lowest
    covariate   its values

A column that is a linear combination of earlier ones is left out, as in R, and its coefficient is
undefined. Whether a linear combination can be estimated is worked out from the columns.

Degrees of freedom after Satterthwaite (1946), as in lmerTest (Kuznetsova, Brockhoff & Christensen
2017): 2 v² / var(v), where v is the variance of the combination and var(v) follows from how v
changes with the variance components and how precisely these are estimated. lmerTest uses the
observed information for the latter; here it is the average of the observed and the expected one, at
every size. A model without such information (cumulative link) uses the normal distribution, and its
df are None. Kenward and Roger's df of a single combination are the same formula with the expected
information (`kenward_roger`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Codes, Numbers, unique_numbers
from rejudge.stats.estimate import Estimate, Interval, Test
from rejudge.stats.reasons import Why

Fixed: TypeAlias = Mapping[str, Codes | Numbers]

INTERCEPT = "intercept"
_SAME = 1e-9  # a column whose part beyond the others is smaller than this is one of their sums
UNKNOWABLE = Why.NOT_SEPARABLE(
    what="it", other="the other fixed effects", cause="they always occur together"
)
TOO_UNSURE = Why.NO_BOUND(
    "test", cause="the variances are estimated too imprecisely (less than 1 degree of freedom)"
)
_SAME_SUM = 1e-8


@dataclass(frozen=True, slots=True)
class EffectColumn:
    """One fixed effect: a level of a factor against the lowest, or a covariate (no level)."""

    term: str
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns mean, without their numbers."""

    columns: tuple[EffectColumn, ...]
    levels: Mapping[str, tuple[int, ...]]  # of each factor: those that were judged
    centres: Mapping[str, float]  # of each covariate: its mean

    def marginal_row(self, factor: str, level: int) -> Numbers:
        """The columns' values for one level: other factors level by level in equal parts, not as
        often as they were judged, and covariates at their mean."""
        return np.array([self._weight(column, factor, level) for column in self.columns])

    def _weight(self, column: EffectColumn, factor: str, level: int) -> float:
        if column.term == factor:
            return float(column.level == level)
        if column.term in self.levels:
            return 1 / len(self.levels[column.term])
        return self.centres.get(column.term, 1.0)


@dataclass(frozen=True, slots=True)
class Basis:
    """Which columns were kept, and how to get back to them from orthonormal columns:
    `kept` columns equal these @ `triangle`, the others equal kept columns @ `dependence`."""

    triangle: Numbers
    kept: tuple[int, ...]
    left_out: tuple[int, ...]
    dependence: Numbers


def lay_out(fixed: Fixed, n: int) -> tuple[Layout, Numbers]:
    """The columns of the fixed effects, with the intercept first. Whole numbers are codes of a
    factor, other numbers a covariate."""
    _refuse_bad_columns(fixed, n)
    levels = {
        name: tuple(unique_numbers(given).tolist())
        for name, given in fixed.items()
        if np.issubdtype(given.dtype, np.integer)
    }
    effects = [EffectColumn(name, k) for name in fixed for k in levels.get(name, (None, None))[1:]]
    columns = (EffectColumn(INTERCEPT), *effects)
    centres: dict[str, float] = {}
    table = np.empty((n, len(columns)), order="F")  # column by column, as they are worked on
    table[:, 0] = 1
    for name, given in fixed.items():
        for place in (k for k, column in enumerate(columns) if column.term == name):
            level = columns[place].level
            table[:, place] = given if level is None else given == level
        if name not in levels:
            centres[name] = float(given.mean()) if n else 0.0
    return Layout(columns, levels, centres), table


def _refuse_bad_columns(fixed: Fixed, n: int) -> None:
    problems = [
        Problem(f"The fixed effect {name!r} has {len(given)} values for {n} judgments.")
        for name, given in fixed.items()
        if len(given) != n
    ]
    problems += [
        Problem(f"The covariate {name!r} has values that are not numbers.", "Leave those rows out.")
        for name, given in fixed.items()
        if not np.all(np.isfinite(given))
    ]
    if INTERCEPT in fixed:
        problems.append(Problem(f"A fixed effect may not be called {INTERCEPT!r}."))
    if problems:
        raise DataError.of(problems)


def orthonormal(columns: Numbers) -> tuple[Numbers, Basis]:
    """The columns orthonormalised, and how to get back.

    Gram–Schmidt from left to right, twice over each column, so that rounding does not add up.
    The columns are overwritten: with millions of judgments a second copy is dear.
    """
    count = columns.shape[1]
    kept: list[int] = []
    weights = np.zeros((count, count))  # of each column on each direction
    for place in range(count):
        rest = columns[:, place].copy()
        whole = float(np.linalg.norm(rest))
        directions = columns[:, : len(kept)]
        for _ in range(2):
            share = directions.T @ rest
            weights[: len(kept), place] += share
            rest -= directions @ share
        length = float(np.linalg.norm(rest))
        if length > _SAME * whole:
            weights[len(kept), place] = length
            columns[:, len(kept)] = rest / length
            kept.append(place)
    left_out = tuple(place for place in range(count) if place not in kept)
    triangle = weights[: len(kept), kept]
    dependence = inverse(triangle) @ weights[: len(kept), list(left_out)]
    return columns[:, : len(kept)], Basis(triangle, tuple(kept), left_out, dependence)


def inverse(square: Numbers) -> Numbers:
    """The inverse of a square matrix; one without rows is its own."""
    return np.asarray(np.linalg.inv(square), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Coefficient(Estimate):
    """One fixed effect. `level` is the level of a factor, compared with its lowest; a covariate
    and the intercept have none."""

    term: str = ""
    level: int | None = None


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
        """A sum over all columns as one over those kept, or None if it cannot be estimated."""
        kept, left_out = row[list(self.kept)], row[list(self.left_out)]
        if np.all(np.abs(left_out - kept @ self.dependence) <= _SAME_SUM):
            return kept
        return None


@dataclass(frozen=True, slots=True)
class LinearCombination:
    """A sum of fixed effects, with its standard error; normal where `df` is None."""

    value: float
    standard_error: float
    df: float | None

    @property
    def is_tested(self) -> bool:
        return self.df is None or self.df >= 1

    @property
    def statistic(self) -> float:
        return self.value / self.standard_error

    @property
    def p(self) -> float | None:
        """Two-sided, against 0."""
        return two_sided_p(self.statistic, self.df) if self.is_tested else None

    def estimate(self, level: float, reach: float | None = None) -> Estimate:
        """The value ± `reach` standard errors; by default the quantile of t or of the normal."""
        name, df = ("z", ()) if self.df is None else ("t", (self.df,))
        width = (quantile(level, self.df) if reach is None else reach) * self.standard_error
        interval = Interval(self.value - width, self.value + width, level)
        return Estimate(
            self.value,
            interval=interval if self.is_tested else None,
            standard_error=self.standard_error,
            df=self.df,
            test=Test(self.p, name, self.statistic, df),
            reasons=() if self.is_tested else (TOO_UNSURE,),
        )


def with_cluster_df(found: LinearCombination, clusters: int) -> LinearCombination:
    """The same effect as so few clusters can tell it: t with one degree of freedom less than they
    are, and the error multiplied by √(G/(G−1)), as full likelihood takes their variance too small.
    """
    wider = found.standard_error * math.sqrt(clusters / (clusters - 1))
    return LinearCombination(found.value, wider, clusters - 1)


def limit_df(found: LinearCombination, df_limit: float | None) -> LinearCombination:
    """The same effect with no more degrees of freedom than the limit; z stays z."""
    if found.df is None or df_limit is None:
        return found
    return replace(found, df=min(found.df, df_limit))


def linear_combination(solution: Solution, weights: Numbers) -> LinearCombination:
    """The sum of the kept columns' effects with these weights."""
    variance = float(weights @ solution.covariance @ weights)
    return LinearCombination(
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
    """Every column's effect, or from `first` on; thresholds replace an intercept."""
    return tuple(_coefficient(solution, place, level) for place in range(first, _width(solution)))


def _width(solution: Solution) -> int:
    return len(solution.layout.columns)


def _coefficient(solution: Solution, place: int, level: float) -> Coefficient:
    column = solution.layout.columns[place]
    weights = solution.known(np.eye(_width(solution))[place])
    if place in solution.left_out or weights is None:
        return Coefficient(None, term=column.term, level=column.level, reasons=(UNKNOWABLE,))
    found = linear_combination(solution, weights).estimate(level)
    return Coefficient.of(found, term=column.term, level=column.level)


def find_coefficient(known: tuple[Coefficient, ...], term: str, level: int | None) -> Coefficient:
    """The coefficient of a term. The error for an unknown term lists the known ones."""
    for each in known:
        if (each.term, each.level) == (term, level):
            return each
    names = ", ".join(f"{c.term}" if c.level is None else f"{c.term} {c.level}" for c in known)
    raise DataError(
        Problem(
            f"The model has no effect {term!r} at level {level}.", f"It has: {names or 'none'}."
        )
    )


def two_sided_p(statistic: float, df: float | None) -> float:
    """How likely so large a t or z is by chance, in either direction."""
    from scipy.special import ndtr, stdtr

    below = ndtr(-abs(statistic)) if df is None else stdtr(df, -abs(statistic))
    return min(1.0, 2 * float(below))


def quantile(level: float, df: float | None) -> float:
    """How many standard errors an interval of this level reaches to either side."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    return float(ndtri(upper) if df is None else stdtrit(df, upper))
