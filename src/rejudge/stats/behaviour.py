"""How people worked: trends over a session, straight-lining, speed, side bias, hard items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rejudge.errors import require_known
from rejudge.stats.arrays import Codes, Numbers, group_sizes, is_negligible, number_codes, scale_of
from rejudge.stats.estimate import Interval
from rejudge.stats.testing.classical import adjust_p

_FEW_POSITIONS = 3  # with two, a line fits whatever happened


@dataclass(frozen=True, slots=True)
class Trend:
    """How a value changes per position: the mean of the slopes of participants."""

    slope: float | None
    participants: int  # with a slope
    left_out: int  # with fewer than three positions
    interval: Interval | None = None
    p: float | None = None  # against no trend
    note: str = ""


@dataclass(frozen=True, slots=True)
class PeerAgreement:
    """How far judgments agree with those of others; those nobody else judged are left out."""

    share: Numbers
    rows: Codes  # the place of each share in what was given
    left_out: int


@dataclass(frozen=True, slots=True)
class StraightLine:
    """How monotonously a participant answered."""

    participant: int
    n: int
    longest_run: int  # of the same answer, in the order given
    modal_share: float  # of the answer given most often


@dataclass(frozen=True, slots=True)
class SpeedFlags:
    """Who was much faster than the rest, by the rule `log time < mean − k · sd of log times`."""

    flagged: tuple[int, ...]  # places in the times given
    limit_seconds: float | None
    n: int
    deviations: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class SideBias:
    """How often a participant chose what was shown first; ties say nothing and do not count."""

    participant: int
    first: int
    n: int
    share: float | None
    p: float | None  # exact, against one half
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard an item was: how much people disagree about it, and how long it takes them."""

    item: int
    n: int
    disagreement: float | None  # share of pairs that differ, or sample variance
    slowness: float | None  # times relative to the participants' usual ones; 1 is usual
    rank: float | None  # 1 is the hardest; mean rank of both, where both are known
    note: str = ""
    largest_difference: float | None = None  # between two judgments


def trend_by_position(
    value: Numbers, position: Numbers, participant: Codes, *, level: float = 0.95
) -> Trend:
    """Whether a value (seconds, a score, an agreement) changes over the tasks of a participant.

    A least-squares slope for each participant with three or more positions, then their mean with
    Student's t over participants: people are the unit, however many tasks each had.
    """
    slopes, left_out = _slopes(value, position, participant)
    n = len(slopes)
    if not n:
        note = "Undefined: nobody has three or more positions."
        return Trend(None, 0, left_out, note=note)
    mean = float(slopes.mean())
    error = float(slopes.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    span = float(np.ptp(position))  # 0 only where nobody has a slope
    if n < 2 or is_negligible(error, scale_of(value) / span):
        note = "No interval: it needs two or more participants whose trends differ."
        return Trend(mean, n, left_out, note=note)
    return Trend(mean, n, left_out, *_student(mean, error, n - 1, level))


def agreement_with_others(value: Numbers, unit: Codes, participant: Codes) -> PeerAgreement:
    """For each judgment, the share of other people's judgments of the unit that are the same."""
    _, place = number_codes(unit)
    _, said = number_codes(value)
    _, person = number_codes(participant)
    others = _cell_size(place) - _cell_size(place, person)
    same = _cell_size(place, said) - _cell_size(place, person, said)
    rows = np.flatnonzero(others > 0)
    return PeerAgreement(np.asarray(same[rows] / others[rows]), rows, len(value) - len(rows))


def agreement_with_majority(value: Numbers, unit: Codes, participant: Codes) -> PeerAgreement:
    """For each judgment, whether it agrees with the majority of the others: 1 or 0.

    The judgment itself does not vote. Left out are units with fewer than two others and those where
    the others' most frequent values are tied, since they have no majority. Everybody judges a unit
    once.
    """
    _, place = number_codes(unit)
    values, said = number_codes(value)
    cells, cell = number_codes(place.astype(np.int64) * len(values) + said)
    count = np.bincount(cell)
    home = cells // max(len(values), 1)
    most, how_many = _largest_counts(count, home)
    runner_up, _ = _largest_counts(np.where(count < most[home], count, 0), home)
    own, leading = count[cell], most[place]
    is_leading = own == leading
    # Without its own vote a value still leads if it was ahead by two. If it was tied with one other
    # value, that one leads. A value that was behind does not change who leads.
    agrees = is_leading & (how_many[place] == 1) & (own - 1 > runner_up[place])
    other_leads = np.where(is_leading, how_many[place] == 2, how_many[place] == 1)
    others = _cell_size(place) - _cell_size(place, number_codes(participant)[1])
    rows = np.flatnonzero((agrees | other_leads) & (others >= 2))
    return PeerAgreement(agrees[rows].astype(np.float64), rows, len(value) - len(rows))


def straight_lines(
    value: Numbers, position: Numbers, participant: Codes
) -> tuple[StraightLine, ...]:
    """The longest run of one answer and the share of the most frequent one, by participant."""
    if not len(value):
        return ()
    names, person = number_codes(participant)
    _, said = number_codes(value)
    parts = (names, np.bincount(person), _longest_runs(said, position, person))
    modal = _modal_counts(said, person) / parts[1]
    listed = zip(*(part.tolist() for part in (*parts, modal)), strict=True)
    return tuple(StraightLine(*each) for each in listed)


def speed_flags(seconds: Numbers, *, deviations: float = 3.0) -> SpeedFlags:
    """Whose time lies more than so many standard deviations below the mean, on the log scale.

    One fast person in a small group widens the deviation: with n people nobody can lie further
    than (n − 1)/√n deviations from the mean, so below eleven people the limit of 3 flags no one.
    """
    n = len(seconds)
    positive = seconds > 0
    logs = np.log(seconds[positive])
    timed = seconds[positive]
    if len(logs) < 2 or is_negligible(float(np.ptp(timed)), scale_of(timed)):
        note = "No limit: it needs two or more times above 0 that differ."
        return SpeedFlags((), None, n, deviations, note)
    limit = math.exp(float(logs.mean()) - deviations * float(logs.std(ddof=1)))
    flagged = tuple(np.flatnonzero(seconds < limit).tolist())
    reach = (len(logs) - 1) / math.sqrt(len(logs))
    note = (
        f"With {len(logs)} people no time can fall below this limit." if reach < deviations else ""
    )
    return SpeedFlags(flagged, limit, n, deviations, note)


def side_bias(chose_first: Numbers, participant: Codes) -> tuple[SideBias, ...]:
    """How often each participant chose the first side, with exact binomial tests (Holm)."""
    names = np.unique(participant)
    size = int(names.max()) + 1 if len(names) else 0
    first = np.bincount(participant[chose_first == 1], minlength=size)[names].tolist()
    second = np.bincount(participant[chose_first == 0], minlength=size)[names].tolist()
    p_values = [_even_odds(*counts) for counts in zip(first, second, strict=True)]
    corrected = adjust_p(p_values, "holm")
    return tuple(
        SideBias(int(name), one, one + two, one / (one + two) if one + two else None, p, p_holm)
        for name, one, two, p, p_holm in zip(names, first, second, p_values, corrected, strict=True)
    )


def item_difficulty(
    value: Numbers,
    item: Codes,
    *,
    seconds: Numbers | None = None,
    participant: Codes | None = None,
    measured: Literal["nominal", "interval"] = "nominal",
    most: int | None = None,
) -> tuple[Difficulty, ...]:
    """Items from the hardest to the easiest, by disagreement and, where times are given, slowness.

    Disagreement is the share of pairs of judgments that differ (nominal) or the sample variance
    (interval); it needs two judgments. Slowness is the geometric mean of each time over the
    participant's own geometric mean, so that slow people do not make an item look hard. Of all that
    are ranked, `most` gives the hardest alone.
    """
    require_known(measured, ("nominal", "interval"), option="measured")
    names, place = np.unique(item, return_inverse=True)
    count = np.bincount(place)
    apart = _variance(value, place) if measured == "interval" else _count_differing(value, place)
    slow = np.full(len(names), np.nan)
    if seconds is not None and participant is not None:
        slow = _slowness(seconds, place, participant)
    ranks = np.stack([_ranks(-apart), _ranks(-slow)])
    known = ~np.isnan(ranks)
    total = np.where(known, ranks, 0).sum(axis=0)
    mean_rank = np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)
    order = np.lexsort((names, np.nan_to_num(mean_rank, nan=np.inf)))
    highest, lowest = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    np.maximum.at(highest, place, value)
    np.minimum.at(lowest, place, value)
    return tuple(
        Difficulty(
            int(names[row]),
            int(count[row]),
            _none_if_nan(apart[row]),
            _none_if_nan(slow[row]),
            _none_if_nan(mean_rank[row]),
            "" if count[row] > 1 else "No disagreement: a single judgment.",
            float(highest[row] - lowest[row]) if count[row] > 1 else None,
        )
        for row in order[:most]
    )


def _slopes(value: Numbers, position: Numbers, participant: Codes) -> tuple[Numbers, int]:
    """Least-squares slopes of those with three or more positions, and how many have fewer."""
    names, row, count = np.unique(participant, return_inverse=True, return_counts=True)
    if not len(names):
        return np.zeros(0), 0
    along = position - (np.bincount(row, position) / count)[row]
    square = np.bincount(row, along**2)
    centred = value - (np.bincount(row, value) / count)[row]  # a large mean would cost digits
    product = np.bincount(row, along * centred)
    points, point = np.unique(position, return_inverse=True)
    visited = np.unique(row * len(points) + point) // len(points)
    enough = np.bincount(visited, minlength=len(names)) >= _FEW_POSITIONS
    return product[enough] / square[enough], int((~enough).sum())


def _student(mean: float, error: float, df: int, level: float) -> tuple[Interval, float]:
    from scipy.special import stdtr, stdtrit

    reach = float(stdtrit(df, (1 + level) / 2)) * error
    p = min(1.0, 2 * float(stdtr(df, -abs(mean) / error)))
    return Interval(mean - reach, mean + reach, level), p


def _cell_size(*keys: Codes) -> Codes:
    """For each row, how many rows share its combination of keys."""
    cell = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        cell = cell * (int(key.max(initial=0)) + 1) + key
    return group_sizes(cell)


def _largest_counts(count: Codes, home: Codes) -> tuple[Codes, Codes]:
    """The largest count of each home, and how many of its counts are as large."""
    if not len(home):
        return count, count
    size = int(home.max()) + 1
    largest = np.zeros(size, dtype=np.int64)
    np.maximum.at(largest, home, count)
    return largest, np.bincount(home[count == largest[home]], minlength=size)


def _longest_runs(said: Codes, position: Numbers, person: Codes) -> Codes:
    """The longest run of one answer of each person, in the order given."""
    order = np.lexsort((position, person))
    who, what = person[order], said[order]
    begins = np.concatenate([[True], (who[1:] != who[:-1]) | (what[1:] != what[:-1])])
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, len(who)))
    _, runs = np.unique(who[starts], return_index=True)
    return np.asarray(np.maximum.reduceat(lengths, runs))


def _modal_counts(said: Codes, person: Codes) -> Codes:
    """How often each person gave their most frequent answer."""
    width = int(said.max()) + 1
    cells, place = number_codes(person.astype(np.int64) * width + said)
    counts = np.bincount(place)
    home = cells // width
    begins = np.flatnonzero(np.concatenate([[True], home[1:] != home[:-1]]))
    return np.asarray(np.maximum.reduceat(counts, begins))


def _even_odds(first: int, second: int) -> float | None:
    """The exact two-sided p of a fair coin: twice the smaller tail."""
    from scipy.special import bdtr

    n = first + second
    return min(1.0, 2 * float(bdtr(float(min(first, second)), n, 0.5))) if n else None


def _count_differing(value: Numbers, place: Codes) -> Numbers:
    _, said = np.unique(value, return_inverse=True)
    count = np.bincount(place)
    alike = np.bincount(place, _cell_size(place, said) - 1.0)
    pairs = count * (count - 1.0)
    share = np.full(len(count), np.nan)
    np.divide(pairs - alike, pairs, out=share, where=pairs > 0)
    return share


def _variance(value: Numbers, place: Codes) -> Numbers:
    count = np.bincount(place)
    centred = value - (np.bincount(place, value) / count)[place]
    squares = np.bincount(place, centred**2)
    variance = np.full(len(count), np.nan)
    np.divide(squares, count - 1.0, out=variance, where=count > 1)
    return variance


def _slowness(seconds: Numbers, place: Codes, participant: Codes) -> Numbers:
    """Geometric means of times relative to the participants' own; times of 0 do not count."""
    timed = seconds > 0
    logs, person, where = np.log(seconds[timed]), participant[timed], place[timed]
    size = int(place.max(initial=-1)) + 1
    usual = np.bincount(person, logs) / np.maximum(np.bincount(person), 1)
    count = np.bincount(where, minlength=size)
    relative = np.full(size, np.nan)
    np.divide(np.bincount(where, logs - usual[person], size), count, out=relative, where=count > 0)
    return np.asarray(np.exp(relative))


def _ranks(value: Numbers) -> Numbers:
    """Ranks from 1 for the smallest, ties sharing their mean; NaN stays NaN."""
    known = ~np.isnan(value)
    _, place, count = np.unique(value[known], return_inverse=True, return_counts=True)
    ranks = np.full(len(value), np.nan)
    ranks[known] = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks


def _none_if_nan(number: float) -> float | None:
    return None if math.isnan(number) else float(number)
