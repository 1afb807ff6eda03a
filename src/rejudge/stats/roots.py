"""Where a function of one variable is zero: Chandrupatla's method.

T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
function without using derivatives", Advances in Engineering Software 28 (1997). SciPy's `brentq` is
as good, but importing `scipy.optimize` for it took a tenth of the time of a small analysis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

_Point: TypeAlias = tuple[float, float]  # an x and the function's value there
_EPSILON = 4 * 2.0**-52
_MOST_STEPS = 2000  # bisection alone needs about 1,100 from the largest float to the smallest


def find_root(
    function: Callable[[float], float], low: float, high: float, *, xtol: float = 2e-12
) -> float:
    """The zero of a continuous `function` that has different signs at `low` and `high`.

    Raises ValueError where the signs are equal or the function has no value.
    """

    def point(x: float) -> _Point:
        value = function(x)
        if math.isnan(value):
            raise ValueError(f"The function has no value at {x}.")
        return x, value

    opposite, latest = point(low), point(high)
    if latest[1] * opposite[1] > 0:
        raise ValueError(f"The function has the same sign at {low} and {high}.")
    share = 0.5  # of the way from the latest point to the opposite one
    for _ in range(_MOST_STEPS):
        best = min(latest, opposite, key=lambda each: abs(each[1]))
        tolerance = xtol + _EPSILON * abs(best[0])
        width = abs(opposite[0] - latest[0])
        if best[1] == 0 or width <= tolerance:
            break
        least = min(0.5, tolerance / (2 * width))
        share = min(1 - least, max(least, share))
        before, latest = latest, point(latest[0] + share * (opposite[0] - latest[0]))
        if (latest[1] > 0) != (before[1] > 0):
            before, opposite = opposite, before
        share = _next_share(latest, opposite, before)
    return best[0]


def _next_share(latest: _Point, opposite: _Point, before: _Point) -> float:
    """By inverse quadratic interpolation through three points where that is safe, else a half."""
    (a, f_a), (b, f_b), (c, f_c) = latest, opposite, before
    along, up = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    if not (up**2 < along and (1 - up) ** 2 < 1 - along):
        return 0.5
    first = (f_a / (f_b - f_a)) * (f_c / (f_b - f_c))
    second = ((c - a) / (b - a)) * (f_a / (f_c - f_a)) * (f_b / (f_c - f_b))
    return first + second
