"""Labels by unit and participant, and participants whose labels look like guesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Codes, Numbers, distinct, number_codes
from rejudge.stats.testing.multiplicity import adjust_p

NO_LABELS = "Undefined: no judgments."
ONE_LABEL = "Undefined: only one label was given, so nobody can be right by more than chance."
ALONE = "No unit was judged by two participants, so nobody's error rates can be estimated."
_MOST_CELLS = 300_000_000  # participants by labels by labels: 2.4 GB
_LARGEST = 2**62  # of a key that holds unit, participant and label
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class LabelTable:
    """Each combination of unit, participant and label once, in order, with how often it occurs."""

    units: Codes  # the codes that were given,
    people: Codes
    labels: Numbers
    unit: NDArray[np.int64]  # and which of them each row has
    person: NDArray[np.int64]
    label: NDArray[np.int64]
    times: Numbers

    @property
    def width(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    @property
    def n(self) -> int:
        """Judgments."""
        return int(self.times.sum())

    @property
    def place(self) -> NDArray[np.int64]:
        """Of each row: its unit and label in one number."""
        return np.asarray(self.unit * self.width + self.label)

    @property
    def cell(self) -> NDArray[np.int64]:
        """Of each row: its participant and label in one number."""
        return np.asarray(self.person * self.width + self.label)

    def votes(self) -> Numbers:
        """How often each unit (row) was given each label (column)."""
        shape = (len(self.units), self.width)
        return weighted_counts(self.place, self.times, shape[0] * shape[1]).reshape(shape)

    @property
    def is_shared(self) -> bool:
        """Whether two participants judged one unit."""
        own = np.unique(self.unit * max(len(self.people), 1) + self.person)
        return len(own) > len(self.units)


def label_table(unit: Codes, participant: Codes, label: NDArray[Any]) -> LabelTable:
    """The table of three columns of the same length; labels are codes or numbers."""
    units, row = number_codes(unit)
    people, person = number_codes(participant)
    labels, said = distinct(label)
    _refuse_large(len(units), len(people), len(labels))
    key = (row * max(len(people), 1) + person) * max(len(labels), 1) + said
    kept, times = np.unique(key, return_counts=True)
    rest, said = np.divmod(kept, max(len(labels), 1))
    row, person = np.divmod(rest, max(len(people), 1))
    return LabelTable(units, people, labels, row, person, said, times.astype(np.float64))


def weighted_counts(codes: Codes, weights: Numbers, size: int) -> Numbers:
    """The sum of the weights of each code, as real numbers even where there are none."""
    return np.bincount(codes, weights, size).astype(np.float64, copy=False)


def probabilities(scores: Numbers) -> tuple[Numbers, Numbers]:
    """Probabilities from their logarithms up to a constant in each row, and that constant."""
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (top + np.log(total))[:, 0]


def _refuse_large(units: int, people: int, labels: int) -> None:
    if people * labels**2 > _MOST_CELLS or units * people * labels > _LARGEST:
        raise DataError(
            Problem(
                f"{people:,} participants with {labels:,} different labels are too many for a "
                "table of errors for each of them.",
                "Use fewer labels, for instance whole points of the scale.",
            )
        )


@dataclass(frozen=True, slots=True)
class Guessing:
    """How far each participant's labels agree with those of the others. Undefined is NaN."""

    participants: Codes
    shared: NDArray[np.int64]  # judgments of units that somebody else judged, too
    with_others: Numbers  # 0: as guesses; 1: as labels drawn from those of the others
    p_guessing: Numbers  # one-sided, against labels that do not depend on the unit
    p_below: Numbers  # one-sided, against going with the others as everybody does; Holm
    typical: float | None  # `with_others` of everybody together
    is_like_guessing: NDArray[np.bool_]


def find_guessing(
    unit: Codes,
    participant: Codes,
    label: NDArray[Any],
    *,
    alpha: float = 0.05,
    minimum: int = 10,
) -> Guessing:
    """Whose labels look like guesses, although those of the others do not.

    Let a be the share of a label among the other judgments of a unit (even where there are none).
    S sums over a participant's units the a of the label they gave, minus the mean of that label's a
    over all their units. If labels do not depend on units, S has mean 0 and the variance of its
    permutations (Hoeffding 1951). If each is drawn from the others' labels, S has the mean D, the
    sum of squares of a about its means. `with_others` is S/D, `typical` ΣS/ΣD over everybody.

    Somebody is like guessing if all of this holds: `minimum` shared judgments or more; S no larger
    than by guessing (p > `alpha`), nor clearly smaller (p < 1 − `alpha`), which is another taste
    and not a guess; everybody together better than guessing; and S smaller than with the typical
    share (p < `alpha` after Holm over those with enough judgments). Both p values are normal
    approximations, and take a participant's judgments as independent of each other.
    Everybody judges a unit once. Where a unit has no right label, this is about agreement alone.
    """
    table = label_table(unit, participant, label)
    parts = _guessing_parts(table)
    total = float(parts.reach.sum())
    typical = float(parts.excess.sum()) / total if total > _TINY else None
    by_chance = _variance(table, parts, 0.0) * parts.judged / np.maximum(parts.judged - 1, 1)
    p_guessing = _upper_tail(parts.excess, by_chance)
    p_below = _p_of_lower_share(table, parts, typical, parts.shared >= minimum)
    with np.errstate(invalid="ignore", divide="ignore"):
        with_others = np.where(parts.reach > _TINY, parts.excess / parts.reach, np.nan)
    is_opposed = p_guessing >= 1 - alpha
    is_like = ~(p_guessing <= alpha) & ~is_opposed & (p_below < alpha)
    return Guessing(
        table.people, parts.shared, with_others, p_guessing, p_below, typical, np.asarray(is_like)
    )


@dataclass(frozen=True, slots=True)
class _GuessingParts:
    others: Numbers  # rows by labels: a
    off: Numbers  # 〃: a minus its mean over the participant's units
    own: Numbers  # participants by labels: shares of the labels they gave
    excess: Numbers  # S
    reach: Numbers  # D
    judged: Numbers
    shared: NDArray[np.int64]


def _guessing_parts(table: LabelTable) -> _GuessingParts:
    people, width = len(table.people), table.width
    others, has_others = _others(table)
    judged = np.bincount(table.person, minlength=people).astype(np.float64)
    mean = _by_person(table, others) / judged[:, np.newaxis]
    off = others - mean[table.person]
    own = np.bincount(table.cell, minlength=people * width).reshape(people, width)
    return _GuessingParts(
        others=others,
        off=off,
        own=own / judged[:, np.newaxis],
        excess=weighted_counts(table.person, off[np.arange(len(off)), table.label], people),
        reach=_by_person(table, others * off).sum(axis=1),
        judged=judged,
        shared=np.bincount(table.person, has_others, people).astype(np.int64),
    )


def _others(table: LabelTable) -> tuple[Numbers, NDArray[np.bool_]]:
    """The share of each label among the other judgments of each row's unit, and if there are any.

    The row's own count is taken out, so nobody agrees with themselves.
    """
    votes = table.votes()[table.unit]
    votes[np.arange(len(votes)), table.label] -= table.times
    total = votes.sum(axis=1)
    even = 1 / max(table.width, 1)
    shares = np.where(total[:, np.newaxis] > 0, votes / np.maximum(total, 1)[:, np.newaxis], even)
    return np.asarray(shares), np.asarray(total > 0)


def _by_person(table: LabelTable, rows: Numbers) -> Numbers:
    people = len(table.people)
    columns = [np.bincount(table.person, rows[:, each], people) for each in range(rows.shape[1])]
    return np.stack(columns, axis=1) if columns else np.zeros((people, 0))


def _variance(table: LabelTable, parts: _GuessingParts, share: float) -> Numbers:
    """Of S, if labels are the others' with this probability and else drawn from one's own."""
    chance = share * parts.others + (1 - share) * parts.own[table.person]
    mean = (chance * parts.off).sum(axis=1)
    spread = (chance * parts.off**2).sum(axis=1) - mean**2
    return weighted_counts(table.person, np.maximum(spread, 0), len(table.people))


def _p_of_lower_share(
    table: LabelTable, parts: _GuessingParts, typical: float | None, counts: NDArray[np.bool_]
) -> Numbers:
    """The chance of so small an S with the typical share, corrected; NaN for those who are few."""
    found = np.full(len(counts), np.nan)
    if typical is None or typical <= 0:
        return found
    usual = min(typical, 1.0)
    gap = usual * parts.reach - parts.excess
    found[counts] = _upper_tail(gap, _variance(table, parts, usual))[counts]
    known = np.flatnonzero(~np.isnan(found))
    found[known] = np.array(adjust_p(found[known].tolist(), "holm"), dtype=np.float64)
    return found


def _upper_tail(excess: Numbers, variance: Numbers) -> Numbers:
    from scipy.special import ndtr

    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(variance > _TINY, excess / np.sqrt(variance), np.nan)
    return np.asarray(ndtr(-z))
