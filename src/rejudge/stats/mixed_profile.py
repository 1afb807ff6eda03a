"""Intervals for a coefficient of a mixed model that follow the likelihood itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from rejudge.stats.clusters import Interval, Numbers
from rejudge.stats.mixed import MixedFit
from rejudge.stats.mixed_search import climb, known
from rejudge.stats.one_thread import one_thread


@one_thread()
def profile_interval(
    fit: MixedFit, term: str, which: int | None = None, *, level: float = 0.95
) -> Interval | None:
    """An interval for one coefficient from the likelihood itself, as lme4's `confint` gives.

    It holds every value at which the model, fitted anew by full likelihood with the coefficient
    held there, loses no more than χ²(1)'s quantile. It makes no allowance for few participants, so
    that it is narrower than the interval of the coefficient where there are few. A fit that was
    solved by iteration has none: its likelihood is not known.
    """
    from scipy.special import ndtri

    found = fit.coefficient(term, which)
    if fit.refit is None or fit.solution is None or found.standard_error is None:
        return None
    names = [(column.term, column.level) for column in fit.solution.layout.columns]
    row = fit.refit.directions[fit.solution.kept.index(names.index((term, which)))]
    loss = _Loss(fit, row)
    reach = float(ndtri((1 + level) / 2))
    low, high = (loss.end(side * reach, found.standard_error) for side in (-1.0, 1.0))
    return Interval(low, high, level)


class _Loss:
    """How much likelihood is lost when a sum of effects is held at a value."""

    def __init__(self, fit: MixedFit, row: Numbers) -> None:
        if fit.refit is None:  # pragma: no cover - asked before
            raise TypeError
        self._likelihood = replace(fit.refit.likelihood, reml=False)
        self._ratios = fit.refit.ratios
        self._row = row
        self._others = np.linalg.svd(row[None])[2][1:].T  # directions that leave the sum alone
        best = climb(self._likelihood, self._ratios).point
        self._least = known(best)
        self._centre = float(row @ best.beta)
        self._offset = float(row @ fit.refit.offset)

    def end(self, reach: float, error: float) -> float:
        """Where the root of the loss, with its sign, is `reach`; in one variable nearly a line."""
        from scipy.optimize import brentq

        near, far = 0.0, 1.5 * reach * error
        while abs(self._root(far)) < abs(reach):
            near, far = far, 2 * far
        distance = brentq(lambda at: self._root(at) - reach, near, far, xtol=1e-7 * error)
        return self._offset + self._centre + float(distance)

    def _root(self, distance: float) -> float:
        held = (self._centre + distance) * self._row / float(self._row @ self._row)
        p = len(self._row)
        change = np.zeros((p + 1, p))
        change[:p, : p - 1] = self._others
        change[:p, p - 1] = -held
        change[p, p - 1] = 1.0
        point = climb(replace(self._likelihood, change=change), self._ratios).point
        return math.copysign(math.sqrt(max(known(point) - self._least, 0.0)), distance)
