"""Fixed effects as columns of numbers: factors in treatment coding, covariates as they are.

    intercept   1 everywhere: the lowest level of every factor, covariates at 0
    factor      one column of 0 and 1 for each level that was judged but the lowest
    covariate   its values

A column that is a combination of earlier ones is left out, as R does, and what it would have said
stays undefined: whether a sum of effects can be known at all is worked out from the columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.numbering import present

Fixed: TypeAlias = Mapping[str, Codes | Numbers]

INTERCEPT = "intercept"
_SAME = 1e-9  # a column whose part beyond the others is smaller than this is one of their sums


@dataclass(frozen=True, slots=True)
class Column:
    """One fixed effect: a level of a factor against the lowest, or a covariate (no level)."""

    term: str
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns mean, without their numbers."""

    columns: tuple[Column, ...]
    levels: Mapping[str, tuple[int, ...]]  # of each factor: those that were judged
    centres: Mapping[str, float]  # of each covariate: its mean

    def marginal_row(self, factor: str, level: int) -> Numbers:
        """The columns' values for one level: other factors level by level in equal parts, not as
        often as they were judged, and covariates at their mean."""
        return np.array([self._weight(column, factor, level) for column in self.columns])

    def _weight(self, column: Column, factor: str, level: int) -> float:
        if column.term == factor:
            return float(column.level == level)
        if column.term in self.levels:
            return 1 / len(self.levels[column.term])
        return self.centres.get(column.term, 1.0)


@dataclass(frozen=True, slots=True)
class Basis:
    """Which columns were kept, and the way from perpendicular columns of length 1 back to them:
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
        name: tuple(present(given).tolist())
        for name, given in fixed.items()
        if np.issubdtype(given.dtype, np.integer)
    }
    effects = [Column(name, k) for name in fixed for k in levels.get(name, (None, None))[1:]]
    columns = (Column(INTERCEPT), *effects)
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
        Problem(f"The covariate {name!r} has values that are no numbers.", "Leave those rows out.")
        for name, given in fixed.items()
        if not np.all(np.isfinite(given))
    ]
    if INTERCEPT in fixed:
        problems.append(Problem(f"A fixed effect may not be called {INTERCEPT!r}."))
    if problems:
        raise DataError.of(problems)


def orthonormal(columns: Numbers) -> tuple[Numbers, Basis]:
    """The columns made perpendicular and of length 1, and the way back.

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
