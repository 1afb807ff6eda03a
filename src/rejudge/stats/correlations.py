"""Correlations between participants, and of each participant with the others.

`participant_correlations` returns one record per pair; `company` returns arrays and is fast for
crowds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import require_known
from rejudge.stats.agreement.disagreement import NO_PAIRS
from rejudge.stats.agreement.kappa import repeat_note
from rejudge.stats.agreement.resampling import Pairs, cross_units, pair_participants
from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.estimate import Interval

Method: TypeAlias = Literal["pearson", "spearman", "kendall"]
Divisor: TypeAlias = Literal["others", "participants"]

_CONSTANT = "Undefined: one of the two always gave the same value."
Likeness: TypeAlias = Method | Literal["percent"]


@dataclass(frozen=True, slots=True)
class Correlated:
    """The correlation of two series of judgments of the same units. None if undefined."""

    method: Method
    value: float | None
    n: int  # units with both judgments
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PairCorrelation:
    """The correlation of two participants, by their codes."""

    first: int
    second: int
    correlation: Correlated


@dataclass(frozen=True, slots=True)
class MeanWithOthers:
    """The mean of one participant's correlations with the others."""

    participant: int
    value: float | None
    others: int  # with whom the correlation is defined
    note: str = ""


@dataclass(frozen=True, slots=True)
class ParticipantCorrelations:
    """The correlations of all who share units, and of each with the others."""

    method: Method
    people: tuple[int, ...]
    pairs: tuple[PairCorrelation, ...]
    means: tuple[MeanWithOthers, ...]
    note: str = ""

    def matrix(self) -> tuple[tuple[float | None, ...], ...]:
        """Participants by participants, in the order of `people`; None on the diagonal too."""
        found = {(pair.first, pair.second): pair.correlation.value for pair in self.pairs}
        return tuple(
            tuple(found.get((min(row, column), max(row, column))) for column in self.people)
            for row in self.people
        )

    def shared(self) -> tuple[tuple[int, ...], ...]:
        """How many units each two participants share, in the same order; 0 on the diagonal."""
        found = {(pair.first, pair.second): pair.correlation.n for pair in self.pairs}
        return tuple(
            tuple(found.get((min(row, column), max(row, column)), 0) for column in self.people)
            for row in self.people
        )


def participant_correlations(
    unit: Codes,
    participant: Codes,
    value: Numbers,
    *,
    method: Method = "spearman",
    minimum: int = 3,
    divide_by: Divisor = "others",
) -> ParticipantCorrelations:
    """Correlate every two participants over the units both judged, at least `minimum` of them.

    Spearman's on mid-ranks of the shared units, Kendall's tau-b. The mean of a participant is over
    the others with whom the correlation is defined. `divide_by="participants"` divides the sum by
    the number of all participants, the participant included, as some publications did; it is there
    to reproduce them and makes everybody seem to agree less than they do.
    """
    require_known(method, get_args(Method), option="method")
    require_known(divide_by, get_args(Divisor), option="divide_by")
    crossing = cross_units(unit, participant, value)
    if crossing.repeats or not crossing.n:
        note = repeat_note(crossing.repeats) if crossing.repeats else NO_PAIRS
        return ParticipantCorrelations(method, tuple(crossing.people.tolist()), (), (), note)
    pairs = pair_participants(crossing)
    counts = pairs.weights(crossing.units.astype(np.float64))
    n = np.bincount(pairs.pair, weights=counts).astype(np.int64).tolist()
    found = pair_correlations(pairs, counts, method)
    people = crossing.people.tolist()
    named = tuple(
        PairCorrelation(people[a], people[b], _correlation(method, value, size, minimum))
        for a, b, value, size in zip(
            pairs.first.tolist(), pairs.second.tolist(), found.tolist(), n, strict=True
        )
    )
    return ParticipantCorrelations(
        method, tuple(people), named, _means_with_others(people, named, divide_by)
    )


def pair_correlations(pairs: Pairs, counts: Numbers, method: Method) -> Numbers:
    """The correlation of each pair, given how many units lie in each cell; NaN where undefined."""
    xs, ys = _marginals(pairs, pairs.x, counts), _marginals(pairs, pairs.y, counts)
    varies = (np.count_nonzero(xs, axis=1) > 1) & (np.count_nonzero(ys, axis=1) > 1)
    if method == "kendall":
        found = _kendall(pairs, counts)
    elif method == "spearman":
        x, y = _mid_ranks(xs)[pairs.pair, pairs.x], _mid_ranks(ys)[pairs.pair, pairs.y]
        found = _pearson(pairs, counts, x, y)
    else:
        found = _pearson(pairs, counts, pairs.values[pairs.x], pairs.values[pairs.y])
    return np.where(varies, found, np.nan)


def _correlation(method: Method, value: float, n: int, minimum: int) -> Correlated:
    if n < minimum:
        return Correlated(method, None, n, note=f"Undefined: fewer than {minimum} shared units.")
    if np.isnan(value):
        return Correlated(method, None, n, note=_CONSTANT)
    return Correlated(method, value, n)


def _means_with_others(
    people: list[int], pairs: tuple[PairCorrelation, ...], divide_by: Divisor
) -> tuple[MeanWithOthers, ...]:
    known: dict[int, list[float]] = {person: [] for person in people}
    for pair in pairs:
        if pair.correlation.value is not None:
            known[pair.first].append(pair.correlation.value)
            known[pair.second].append(pair.correlation.value)
    return tuple(_mean(person, values, len(people), divide_by) for person, values in known.items())


def _mean(
    person: int, values: list[float], participants: int, divide_by: Divisor
) -> MeanWithOthers:
    if not values:
        return MeanWithOthers(
            person, None, 0, "Undefined: every correlation with others is undefined."
        )
    missing = participants - 1 - len(values)
    note = f"The correlation with {missing} other participants is undefined." if missing else ""
    if divide_by == "others":
        return MeanWithOthers(person, sum(values) / len(values), len(values), note)
    published = f"Sum over {len(values)} others divided by all {participants} participants."
    return MeanWithOthers(person, sum(values) / participants, len(values), published)


def _marginals(pairs: Pairs, code: Codes, counts: Numbers) -> Numbers:
    height, width = len(pairs.first), len(pairs.values)
    cells = np.bincount(pairs.pair * width + code, counts, height * width)
    return cells.reshape(height, width).astype(np.float64)


def _mid_ranks(marginals: Numbers) -> Numbers:
    return np.asarray(np.cumsum(marginals, axis=1) - marginals / 2)


def _pearson(pairs: Pairs, counts: Numbers, x: Numbers, y: Numbers) -> Numbers:
    pair, height = pairs.pair, len(pairs.first)
    n = np.bincount(pair, counts, height)
    n = np.where(n == 0, 1.0, n)
    dx = x - (np.bincount(pair, counts * x, height) / n)[pair]
    dy = y - (np.bincount(pair, counts * y, height) / n)[pair]
    together = np.bincount(pair, counts * dx * dy, height)
    apart = np.bincount(pair, counts * dx**2, height) * np.bincount(pair, counts * dy**2, height)
    found = together / np.sqrt(np.where(apart == 0, 1.0, apart))
    return np.asarray(np.clip(found, -1, 1))


def _kendall(pairs: Pairs, counts: Numbers) -> Numbers:
    """Tau-b of each pair. Cells lie sorted by pair."""
    from scipy.stats import kendalltau

    bounds = np.searchsorted(pairs.pair, np.arange(len(pairs.first) + 1))
    times = counts.astype(np.int64)
    found = []
    for start, end in pairwise(bounds.tolist()):
        x = np.repeat(pairs.x[start:end], times[start:end])
        y = np.repeat(pairs.y[start:end], times[start:end])
        constant = len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0
        found.append(np.nan if constant else kendalltau(x, y).statistic)
    return np.array(found, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Company:
    """Pairs of participants who share units, and the mean of each over the others.

    In arrays what is undefined is NaN: a pair with fewer shared units than required, or of which
    one always said the same (for correlations), and the mean of somebody without a defined pair.
    """

    measure: Likeness
    people: Codes  # as they were given
    first: Codes  # of each pair: place in `people`
    second: Codes
    n: NDArray[np.int64]  # units that both judged
    value: Numbers  # of each pair
    mean: Numbers  # of each of `people`; each other counts once, however many units are shared
    others: NDArray[np.int64]  # with whom it is defined
    note: str = ""


def compare_participants(
    unit: Codes,
    participant: Codes,
    value: Numbers,
    *,
    measure: Likeness = "spearman",
    minimum: int = 3,
) -> Company:
    """Compare every two participants over the units both judged, at least `minimum` of them.

    The correlations are those of `participant_correlations`; `percent` is the percentage of shared
    units of which both said the same.
    """
    require_known(measure, (*get_args(Method), "percent"), option="measure")
    crossing = cross_units(unit, participant, value)
    people = crossing.people
    if crossing.repeats or not crossing.n:
        note = repeat_note(crossing.repeats) if crossing.repeats else NO_PAIRS
        return _empty_company(measure, people, note)
    pairs, units = pair_participants(crossing), crossing.units.astype(np.float64)
    n = np.bincount(pairs.pair, weights=pairs.weights(units)).astype(np.int64)
    is_enough = n >= minimum
    some = pairs.among(is_enough)  # few of a crowd
    counts, found = some.weights(units), np.full(len(n), np.nan)
    found[is_enough] = (
        _percent(some, counts) if measure == "percent" else pair_correlations(some, counts, measure)
    )
    mean, others = _means_over_others(pairs, found, len(people))
    return Company(measure, people, pairs.first, pairs.second, n, found, mean, others)


def _empty_company(measure: Likeness, people: Codes, note: str) -> Company:
    none = np.zeros(0, dtype=np.int64)
    mean, others = np.full(len(people), np.nan), np.zeros(len(people), dtype=np.int64)
    return Company(measure, people, none, none, none, np.zeros(0), mean, others, note)


def _percent(pairs: Pairs, counts: Numbers) -> Numbers:
    together = np.bincount(pairs.pair, counts)
    same = np.bincount(pairs.pair, np.where(pairs.x == pairs.y, counts, 0.0))
    return np.asarray(100 * same / together)


def _means_over_others(
    pairs: Pairs, found: Numbers, people: int
) -> tuple[Numbers, NDArray[np.int64]]:
    known = ~np.isnan(found)
    who = np.concatenate([pairs.first[known], pairs.second[known]])
    others = np.bincount(who, minlength=people)
    total = np.bincount(who, np.tile(found[known], 2), people)
    mean = np.full(people, np.nan)
    np.divide(total, others, out=mean, where=others > 0)
    return mean, others
