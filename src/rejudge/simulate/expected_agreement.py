"""The agreement that opinions of a given correlation have, and the correlation behind agreement.

Two people judge the same output: their opinions share the output's part and differ in the rest. How
often they give each pair of values follows from `HiddenScale`, and every coefficient from that
table, as for a very large study.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rejudge.paper import PrintedAgreement
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.stats.arrays import Numbers

Metric: TypeAlias = Literal["nominal", "ordinal", "interval"]

_CLOSEST = 0.99  # the largest correlation of two people's opinions of one output
_SAME = 0.005  # half a unit of the usual last digit


@dataclass(frozen=True, slots=True)
class SolvedCorrelation:
    """The correlation of two opinions of one output, and the coefficient it gives."""

    value: float
    coefficient: float
    is_reached: bool  # whether the coefficient is the printed one


def solve_correlation(
    scale: HiddenScale, means: Numbers, spread: float, measure: Callable[[Numbers], float]
) -> Callable[[float], SolvedCorrelation]:
    """A function from a printed coefficient to the correlation behind it, by bisection.

    `means`: of opinions, one for each kind of unit that is judged equally often; `measure`: from
    the table of two people's values to the coefficient.
    """

    def at(correlation: float) -> float:
        return measure(scale.tables(means, spread, correlation).mean(axis=0))

    def solve(printed: float) -> SolvedCorrelation:
        low, high = 0.0, _CLOSEST
        for end in (low, high):
            if (at(end) >= printed) == (end == low):
                return SolvedCorrelation(end, at(end), abs(at(end) - printed) < _SAME)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if at(middle) < printed else (low, middle)
        return SolvedCorrelation((low + high) / 2, printed, is_reached=True)

    return solve


def measure_of(
    printed: PrintedAgreement, values: Numbers, *, is_choice: bool
) -> tuple[Callable[[Numbers], float], str] | None:
    """How a printed coefficient is computed from a table, in which reading; None if unknown."""
    name = printed.coefficient
    if name == "percent":
        return (
            lambda table: 100 * float(np.trace(_swapped(table, is_choice)))
        ), "percent agreement"
    if name == "gwet-ac1":
        return (lambda table: _gwet(_swapped(table, is_choice))), "Gwet's AC1"
    if name in {"gwet-ac2", "kendall-w"}:
        return None
    metric: Metric = "nominal" if is_choice else _metric(printed)
    distance = _distance(metric, values)
    words = f"{_WORDS[name]} ({metric})"
    return (lambda table: _alpha(_swapped(table, is_choice), distance)), words


_WORDS = {
    "krippendorff-alpha": "Krippendorff's alpha",
    "cohen-kappa": "Cohen's kappa",
    "fleiss-kappa": "Fleiss' kappa",
    "icc": "ICC of a single judgment",
}


def _metric(printed: PrintedAgreement) -> Metric:
    """How far values are apart: as the paper says, or as the coefficient is usually computed."""
    variant = printed.variant.casefold()
    if "nominal" in variant:
        return "nominal"
    if any(word in variant for word in ("interval", "ratio", "quadratic")):
        return "interval"
    if "ordinal" in variant:
        return "ordinal"
    if printed.coefficient == "icc":
        return "interval"
    return "ordinal" if printed.coefficient == "krippendorff-alpha" else "nominal"


def _distance(metric: Metric, values: Numbers) -> Callable[[Numbers], Numbers]:
    if metric == "nominal":
        return lambda _: 1.0 - np.eye(len(values))
    if metric == "interval":
        return lambda _: (values[:, None] - values) ** 2
    return _ordinal


def _ordinal(shares: Numbers) -> Numbers:
    """Krippendorff's: the square of how many values lie between, the two ends counted half."""
    middle = np.cumsum(shares) - shares / 2
    return np.asarray((middle[:, None] - middle) ** 2)


def _alpha(table: Numbers, distance: Callable[[Numbers], Numbers]) -> float:
    shares = table.sum(axis=1)
    squares = distance(shares)
    expected = float((shares[:, None] * shares * squares).sum())
    return 1 - float((table * squares).sum()) / expected if expected > 0 else 1.0


def _gwet(table: Numbers) -> float:
    shares = table.sum(axis=1)
    chance = float((shares * (1 - shares)).sum()) / (len(shares) - 1)
    return (float(np.trace(table)) - chance) / (1 - chance)


def _swapped(table: Numbers, is_choice: bool) -> Numbers:  # noqa: FBT001 - one of two readings
    """Either system of a pair is shown first equally often, so that neither side wins more."""
    return (table + table[::-1, ::-1]) / 2 if is_choice else table
