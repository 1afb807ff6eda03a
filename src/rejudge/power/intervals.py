"""Monte-Carlo intervals of shares of simulated studies."""

from __future__ import annotations

import math
from typing import Final

from rejudge.stats import Interval

Z95: Final = 1.959964
_EVEN: Final = 0.5  # the share that varies most


def wilson(found: float, n: float, z: float = Z95) -> Interval:
    """The interval of a share after Wilson (1927), at 95 %."""
    if n <= 0:
        return Interval(0.0, 1.0, 0.95)
    share, square = found / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if found <= 0 else max(0.0, middle - reach)
    high = 1.0 if found >= n else min(1.0, middle + reach)  # rounding must not cut off the share
    return Interval(min(low, share), max(high, share), 0.95)


def studies_needed(mc: Interval, precision: float) -> int:
    """How many studies make the interval of a power as narrow as this, for any power within it."""
    share = min(max(_EVEN, mc.low), mc.high)
    return math.ceil(Z95**2 * share * (1 - share) / precision**2)
