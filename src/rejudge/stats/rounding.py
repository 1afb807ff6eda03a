"""Where a figure may lie when the numbers it was computed from are known only as printed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rejudge.stats.clusters import Interval, Numbers

_STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # in half units
_MOST_SWEEPS = 20
_GAIN = 1e-12


def attainable(
    figure: Callable[[Numbers], float | None], printed: Numbers, half_units: Numbers
) -> Interval | None:
    """Lowest and highest value found of a figure, over inputs that round to the printed ones.

    Inputs are moved one at a time, by up to half a unit of their last digit, as long as that helps.
    Both ends are attained by inputs that would be printed alike, so a published figure between them
    is possible; the true ends may lie a little farther out. None where the figure is undefined.
    """
    start = np.asarray(printed, dtype=np.float64)
    half = np.asarray(half_units, dtype=np.float64)
    if figure(start) is None:
        return None
    return Interval(-_highest(figure, start, half, -1.0), _highest(figure, start, half, 1.0), 1.0)


def _highest(
    figure: Callable[[Numbers], float | None], start: Numbers, half: Numbers, sign: float
) -> float:
    def worth(inputs: Numbers) -> float:
        value = figure(inputs)
        return -np.inf if value is None else sign * value

    best, most = start.copy(), worth(start)
    for _ in range(_MOST_SWEEPS):
        before = most
        for place in np.flatnonzero(half):
            for step in _STEPS:
                tried = best.copy()
                tried[place] = start[place] + step * half[place]
                reached = worth(tried)
                if reached > most + _GAIN:
                    best, most = tried, reached
        if most == before:
            break
    return float(most)
