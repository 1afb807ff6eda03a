"""How long a cumulative link mixed model will take, before it is fitted."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.stats.clusters import Codes
from rejudge.stats.mixed_seconds import estimated_fit_seconds
from rejudge.stats.mixed_sums import nests

# Measured by benchmarks/bench_ordinal.py, which writes the estimate beside each measurement.
_STEPS = 10  # looks at the likelihood on the way to the top; one more for each parameter's error
_PER_LOOK = 1.5e-3
_PER_JUDGMENT = 1.0e-6
_PER_CELL = 2.2e-9  # judgments × levels that are solved together
_PER_SQUARE = 7e-8  # of these levels
_PER_CUBE = 3.6e-11


def estimated_ordinal_seconds(groups: Mapping[str, Codes], effects: int, categories: int) -> float:
    """About how many seconds of one processor `ordinal_mixed` takes, mostly within a factor of two.

    `effects`: how many columns the fixed effects have, the intercept included; `categories`: how
    many different values there are. The time grows with the third power of the levels of all
    nests but the largest.
    """
    if not groups or not len(next(iter(groups.values()))):
        return 0.0
    n = len(next(iter(groups.values())))
    m = sum(nest.levels for nest in nests(list(groups.values()))[1:])
    looks = _STEPS + effects + categories + len(groups)
    each = _PER_LOOK + _PER_JUDGMENT * n + _PER_CELL * n * m + _PER_SQUARE * m**2 + _PER_CUBE * m**3
    return estimated_fit_seconds(groups, effects) + looks * each
