"""How long a linear mixed model will take, before it is fitted."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.stats.clusters import Codes
from rejudge.stats.mixed import EXACT_UP_TO
from rejudge.stats.mixed_sums import nests

# Measured by benchmarks/bench_mixed.py, which writes the estimate beside each measurement.
_START = 0.02
_PER_JUDGMENT = 0.25e-6  # and column: adding up
_START_OF_ITERATIONS = 0.1
_PER_CELL = 0.3e-6  # 〃: all iterations of all looks
_PROBES = 10  # columns that are solved besides the fixed effects and the value
_PER_CUBE = 1.1e-9  # of the levels that are solved exactly: all looks
_PER_SQUARE = 0.25e-6  # 〃


def estimated_fit_seconds(groups: Mapping[str, Codes], effects: int) -> float:
    """About how many seconds of one processor `linear_mixed` takes, mostly within a factor of two.

    `effects`: how many columns the fixed effects have, the intercept included. The estimate is that
    of the machine of the benchmark; it grows with the judgments, and up to `EXACT_UP_TO` levels
    beside the largest nest with their third power.
    """
    if not groups:
        return 0.0
    n, width = len(next(iter(groups.values()))), effects + 1
    if not n:
        return 0.0
    seconds = _START + _PER_JUDGMENT * n * width
    stacked = sum(nest.levels for nest in nests(list(groups.values()))[1:])
    if stacked <= EXACT_UP_TO:
        return seconds + _PER_CUBE * stacked**3 + _PER_SQUARE * stacked**2
    return seconds + _START_OF_ITERATIONS + _PER_CELL * n * (width + _PROBES)
