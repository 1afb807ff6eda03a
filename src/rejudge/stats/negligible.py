"""Telling zero from the rounding of a computer.

A variance that should be 0 comes out as 1e-33 when the scores were 0.1 and 0.3, and a ratio with
such a denominator is a large number that means nothing. Whether a number is zero up to rounding
depends on the size of the numbers it was computed from, never on a fixed limit: the same scores on
a scale of 0 to 0.001 must give the same statistic.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-12  # relative to what a result was computed from; a float holds about 1e-16
_DIGITS = 13  # of the largest value, up to which two computed values count as equal


def is_negligible(part: float, whole: float) -> bool:
    """Whether a size is no more than what rounding leaves of the sizes it was computed from.

    Both are in the units of the scores; take the root of a variance first.
    """
    return abs(part) <= ROUNDING * abs(whole)


def scale_of(*columns: NDArray[Any]) -> float:
    """The largest absolute value: the size that rounding is relative to. 0 for no values."""
    return max((float(np.abs(column).max()) for column in columns if column.size), default=0.0)


def settle(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Computed values without the digits that rounding decides, so that equal ones are tied.

    `scale` is the largest value they were computed from.
    """
    if not scale > 0:
        return values
    digits = min(300, _DIGITS - math.ceil(math.log10(scale)))
    return np.asarray(np.round(values, digits))
