"""How much of the scale different people use, from how far their scores spread.

Some people spread less than others by chance, or because they are near an end of the scale. So the
variation of spreads is compared with that of simulated scores in the same design. Somebody's width
multiplies their opinions, so the other spreads are re-estimated for the widths that were found.
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
    LEAST_NOISE,
    NOISE,
    SEVERITY,
    Components,
)
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.score_components import ScoreMoments, ScoreRows
from rejudge.stats.arrays import Codes, Numbers

_FEWEST_SCORES = 5  # of a participant, to say how far they spread
_FEWEST_PEOPLE = 5
_MOST = 1.5  # widths that differ by a factor of 4.5
_SEED = 1729  # of the simulated scores: the same judgments give the same estimate
_CELLS = 200_000  # simulated scores in all
_REPLICATES = 40
_NODES = 7  # widths that stand for all
_STEPS = 60
_SETTLED = 1e-5
_CLOSEST = 0.999  # a correlation of opinions
_TWO = 2


def with_scale_use(
    rows: ScoreRows, scale: HiddenScale, moments: ScoreMoments, found: Components
) -> Components:
    """The components with `scale_use`, and the others as they are with it.

    Unchanged where fewer than five people gave five scores each, or the scale has two points.
    """
    enough = np.bincount(rows.participant) >= _FEWEST_SCORES
    if int(enough.sum()) < _FEWEST_PEOPLE or len(scale.values) == _TWO:
        return found
    observed = _variation(rows, scale, rows.value[None], enough)
    used, now = 0.0, found
    for _ in range(2):  # widths and the rest depend on each other, but little
        used = _estimate(_SimulatedScores.of(rows, scale, now), enough, observed)
        now = _behind_widths(moments, scale, found, used) if used else found
    return Components(now.quality, {**now.spreads, "scale_use": used}, found.shared)


def _estimate(simulated: _SimulatedScores, enough: NDArray[np.bool_], observed: float) -> float:
    """The spread of log widths at which simulated people differ as much as the real ones."""
    rows, scale = simulated.rows, simulated.scale

    def is_less(used: float) -> bool:
        return _variation(rows, scale, simulated.scores(used), enough) < observed

    if not is_less(0.0):
        return 0.0
    low, high = 0.0, _MOST
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if is_less(middle) else (low, middle)
    return (low + high) / 2


def _variation(
    rows: ScoreRows, scale: HiddenScale, scores: Numbers, enough: NDArray[np.bool_]
) -> float:
    """How much people differ in spread: the variance of the logarithm of each one's standard
    deviation around the systems' means, mean over replicates."""
    least = float(np.diff(scale.values).mean()) ** 2 / 12  # nobody is more exact than a step
    found = []
    for value in scores:
        own = value - (np.bincount(rows.system, value) / _counts(rows.system))[rows.system]
        mean = np.bincount(rows.participant, own) / _counts(rows.participant)
        square = np.bincount(rows.participant, own**2) / _counts(rows.participant) - mean**2
        logs = 0.5 * np.log(np.maximum(square[enough], 0) + least)
        found.append(float(np.var(logs, ddof=1)))
    return sum(found) / len(found)


def _counts(codes: Codes) -> Numbers:
    return np.asarray(np.maximum(np.bincount(codes), 1))


@dataclass(frozen=True, slots=True, eq=False)
class _SimulatedScores:
    """New opinions in the same design, several times; widths are still to be given."""

    rows: ScoreRows
    scale: HiddenScale
    opinions: Numbers  # replicate × row, without severity
    severity: Numbers  # 〃
    width: Numbers  # 〃 in standard deviations of the logarithm

    @classmethod
    def of(cls, rows: ScoreRows, scale: HiddenScale, found: Components) -> _SimulatedScores:
        rng = np.random.default_rng(_SEED)
        times = max(2, min(_REPLICATES, _CELLS // len(rows.value)))
        spreads: Mapping[str, float] = found.spreads
        quality = np.zeros(int(rows.system.max()) + 1)
        quality[list(found.quality)] = list(found.quality.values())
        own = quality[rows.system] + spreads[NOISE] * rng.standard_normal((times, len(rows.value)))
        own += spreads[ITEM] * _offsets(rows.item, times, rng)
        for name, codes in ((BY_ITEM, rows.item), (BY_PARTICIPANT, rows.participant)):
            both = rows.system.astype(np.int64) * (int(codes.max()) + 1) + codes
            own += spreads[name] * _offsets(both, times, rng)
        severity = spreads[SEVERITY] * _offsets(rows.participant, times, rng)
        return cls(rows, scale, own, severity, _offsets(rows.participant, times, rng))

    def scores(self, used: float) -> Numbers:
        """The answers, where widths differ so much; the same chance for any of them."""
        seen = np.exp(used * self.width) * self.opinions + self.severity
        return np.asarray(self.scale.values[np.searchsorted(self.scale.thresholds, seen)])


def _offsets(codes: Codes, times: int, rng: np.random.Generator) -> Numbers:
    """A standard normal number for each code, row by row."""
    return np.asarray(rng.standard_normal((times, int(codes.max()) + 1))[:, codes])


# ── the other spreads, given the widths ──────────────────────────────────────────────────────────


def _behind_widths(
    moments: ScoreMoments, scale: HiddenScale, start: Components, used: float
) -> Components:
    """Opinions of people of different widths whose scores have these moments, step by step.

    Each step moves a variance by what its moment is off, divided by how steeply it rises.
    """
    wanted = _Moments.of(moments)
    quality = np.array(list(start.quality.values()))
    variance = {name: each**2 for name, each in start.spreads.items()}
    widths = _Widths.of(used)
    for _ in range(_STEPS):
        seen, slope = widths.moments(scale, quality, variance)
        quality = quality + (wanted.means - seen.means) / slope
        gain = float((slope**2).mean())
        before, variance = variance, _step(variance, wanted, seen, gain)
        if max(abs(variance[name] - before[name]) for name in variance) < _SETTLED:
            break
    spreads = {name: math.sqrt(each) for name, each in variance.items()}
    return Components(dict(zip(start.quality, quality.tolist(), strict=True)), spreads)


def _step(
    variance: Mapping[str, float], wanted: _Moments, seen: _Moments, gain: float
) -> dict[str, float]:
    def moved(now: float, moment: str) -> float:
        missing: float = getattr(wanted, moment) - getattr(seen, moment)
        return max(0.0, now + missing / gain)

    outputs = moved(variance[ITEM] + variance[BY_ITEM], "output")
    tastes = moved(variance[SEVERITY] + variance[BY_PARTICIPANT], "taste")
    item = min(outputs, moved(variance[ITEM], "item"))
    severity = min(tastes, moved(variance[SEVERITY], "severity"))
    noise = (variance[NOISE] + moved(variance[NOISE], "total")) / 2  # all others move it too
    return {
        ITEM: item,
        BY_ITEM: outputs - item,
        SEVERITY: severity,
        BY_PARTICIPANT: tastes - severity,
        NOISE: max(LEAST_NOISE * sum(variance.values()), noise),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """Means of scores, their variance, and covariances of two scores that share something."""

    means: Numbers  # by system
    total: float  # variance of a score of one system
    output: float  # of the same output by two people
    item: float  # of two systems' outputs for one item, by two people
    taste: float  # by the same person, of one system on two items
    severity: float  # by the same person, of two systems on two items

    @classmethod
    def of(cls, seen: ScoreMoments) -> _Moments:
        v = seen.variances
        return cls(
            np.array(list(seen.means.values())),
            sum(v.values()),
            v[ITEM] + v[BY_ITEM],
            v[ITEM],
            v[SEVERITY] + v[BY_PARTICIPANT],
            v[SEVERITY],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Widths:
    """A few widths with weights, which stand for a log-normal distribution (Gauss–Hermite)."""

    values: Numbers
    weights: Numbers

    @classmethod
    def of(cls, used: float) -> _Widths:
        places, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        return cls(np.exp(used * places), weights / weights.sum())

    def moments(
        self, scale: HiddenScale, quality: Numbers, variance: Mapping[str, float]
    ) -> tuple[_Moments, Numbers]:
        """The moments of scores, and how steeply each system's mean rises with its quality."""
        w, weights = self.values, self.weights
        rest = sum(variance.values()) - variance[SEVERITY]
        spread = np.sqrt(variance[SEVERITY] + w**2 * rest)
        chances = [scale.chances(wide * quality, t) for wide, t in zip(w, spread, strict=True)]
        means = np.array([each @ scale.values for each in chances])  # width × system
        squares = np.array([each @ scale.values**2 for each in chances])
        own = np.array(
            [scale.coefficients(wide * quality, t) for wide, t in zip(w, spread, strict=True)]
        )
        mean = weights @ means
        away = means - mean
        between = _Between(own, np.outer(w / spread, w / spread), weights)
        within = _Within(own, weights)
        of_taste = (variance[SEVERITY] + w**2 * variance[BY_PARTICIPANT]) / spread**2
        apart = (weights[:, None, None] * away[:, :, None] * away[:, None, :]).sum(axis=0)
        found = _Moments(
            mean,
            float((weights @ squares - mean**2).mean()),
            between.mean(variance[ITEM] + variance[BY_ITEM], same=True),
            between.mean(variance[ITEM], same=False),
            within.mean(of_taste, same=True) + _mean_of(apart, same=True),
            within.mean(variance[SEVERITY] / spread**2, same=False) + _mean_of(apart, same=False),
        )
        slope = np.einsum("j,js->s", weights * w / spread, own[:, :, 0])
        return found, np.maximum(slope, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """Covariances of two people's scores: widths are independent."""

    own: Numbers  # width × system × term
    rises: Numbers  # width × width: correlation of opinions for a shared variance of 1
    weights: Numbers

    def mean(self, shared: float, *, same: bool) -> float:
        terms = np.arange(1, self.own.shape[2] + 1)[:, None, None]
        correlation = np.minimum(shared * self.rises, _CLOSEST)
        weights = np.outer(self.weights, self.weights) * correlation**terms  # term × width × width
        own = np.moveaxis(self.own, 2, 0)  # term × width × system
        table = np.tensordot(own, weights @ own, axes=([0, 1], [0, 1]))
        return _mean_of(table, same=same)


@dataclass(frozen=True, slots=True, eq=False)
class _Within:
    """Covariances of one person's scores: the width is the same."""

    own: Numbers
    weights: Numbers

    def mean(self, correlation: Numbers, *, same: bool) -> float:
        close = np.minimum(correlation, _CLOSEST)
        terms = self.weights[:, None] * close[:, None] ** np.arange(1, self.own.shape[2] + 1)
        table = np.tensordot(terms[:, None] * self.own, self.own, axes=([0, 2], [0, 2]))
        return _mean_of(table, same=same)


def _mean_of(table: Numbers, *, same: bool) -> float:
    """The mean over systems, or over pairs of two of them; of one system alone in either case."""
    if same or len(table) == 1:
        return float(np.diag(table).mean())
    return float((table.sum() - np.trace(table)) / (table.size - len(table)))
