"""How much of the scale different people use, from how far their scores spread.

Some people spread less than others by chance, or because they are near an end of the scale. So the
variation of spreads is compared with that of simulated scores in the same design.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.simulate.components import (
    BY_ITEM,
    BY_PARTICIPANT,
    ITEM,
    NOISE,
    SEVERITY,
    Components,
    ScoreRows,
)
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.stats.arrays import Codes, Numbers

_FEWEST_SCORES = 5  # of a participant, to say how far they spread
_FEWEST_PEOPLE = 5
_MOST = 1.5  # widths that differ by a factor of 4.5
_SEED = 1729  # of the simulated scores: the same judgments give the same estimate
_CELLS = 400_000  # simulated scores in all
_REPLICATES = 40


def with_scale_use(rows: ScoreRows, scale: HiddenScale, found: Components) -> Components:
    """The components with `scale_use`, and without what it adds to the others.

    Unchanged where fewer than five people gave five scores each.
    """
    used = _estimate(rows, scale, found)
    if used is None:
        return found
    between, within = math.exp(used**2 / 2), math.exp(used**2)  # √ of E(w)², √ of E(w²)
    smaller = {ITEM: between, BY_ITEM: between, BY_PARTICIPANT: within, NOISE: within}
    spreads = {name: each / smaller.get(name, 1.0) for name, each in found.spreads.items()}
    return Components(
        {system: each / between for system, each in found.quality.items()},
        {**spreads, "scale_use": used},
        found.shared,
        found.position_bias,
        found.tie_width,
    )


def _estimate(rows: ScoreRows, scale: HiddenScale, found: Components) -> float | None:
    people, participant, counts = np.unique(
        rows.participant, return_inverse=True, return_counts=True
    )
    enough = counts >= _FEWEST_SCORES
    if int(enough.sum()) < _FEWEST_PEOPLE:
        return None
    spreads = _Spreads(rows, participant, enough, scale)
    observed = spreads.variation(rows.value)
    replicates = max(2, min(_REPLICATES, _CELLS // len(rows.value)))
    low, high = 0.0, _MOST

    def simulated(used: float) -> float:
        rng = np.random.default_rng(_SEED)  # the same chance at each step, so that it rises
        values = [_simulate(rows, scale, found, used=used, rng=rng) for _ in range(replicates)]
        return float(np.mean([spreads.variation(each) for each in values]))

    if len(people) < _FEWEST_PEOPLE or simulated(0.0) >= observed:
        return 0.0
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if simulated(middle) < observed else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True, slots=True, eq=False)
class _Spreads:
    """How much the spread of scores varies over the people who gave enough of them."""

    rows: ScoreRows
    participant: Codes  # 0, 1, 2, …
    enough: NDArray[np.bool_]
    scale: HiddenScale

    def variation(self, value: Numbers) -> float:
        """The variance of the logarithm of each one's standard deviation around systems' means."""
        systems, system = np.unique(self.rows.system, return_inverse=True)
        means = np.bincount(system, value, len(systems)) / np.bincount(system)
        own = value - means[system]
        n = np.bincount(self.participant)
        mean = np.bincount(self.participant, own) / n
        square = np.bincount(self.participant, own**2) / n - mean**2
        step = float(np.diff(self.scale.values).mean())
        logs = 0.5 * np.log(
            np.maximum(square, 0) + step**2 / 12
        )  # nobody is more exact than a step
        return float(np.var(logs[self.enough], ddof=1))


def _simulate(
    rows: ScoreRows,
    scale: HiddenScale,
    found: Components,
    *,
    used: float,
    rng: np.random.Generator,
) -> Numbers:
    """New scores in the same design."""
    spreads: Mapping[str, float] = found.spreads
    both = [_offsets(codes, rows.system, rng) for codes in (rows.item, rows.participant)]
    own = np.vectorize(found.quality.get, otypes=[float])(rows.system)
    own += spreads[ITEM] * _offsets(rows.item, None, rng) + spreads[BY_ITEM] * both[0]
    own += spreads[BY_PARTICIPANT] * both[1] + spreads[NOISE] * rng.standard_normal(len(own))
    width = np.exp(used * _offsets(rows.participant, None, rng))
    seen = width * own + spreads[SEVERITY] * _offsets(rows.participant, None, rng)
    return np.asarray(scale.values[np.searchsorted(scale.thresholds, seen)])


def _offsets(codes: Codes, systems: Codes | None, rng: np.random.Generator) -> Numbers:
    """A standard normal number for each code, or for each system and code, row by row."""
    rows = int(codes.max()) + 1
    if systems is None:
        return np.asarray(rng.standard_normal(rows)[codes])
    return np.asarray(rng.standard_normal((int(systems.max()) + 1, rows))[systems, codes])
