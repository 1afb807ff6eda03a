"""Intraclass correlations: how much of the variance of scores lies between units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rejudge.stats.agreement.alpha import ONE_ITEM
from rejudge.stats.arrays import (
    ROUNDING,
    Codes,
    Numbers,
    is_negligible,
    refuse_missing,
    require_equally_long,
)
from rejudge.stats.estimate import Interval, t_half_width

ICCForm: TypeAlias = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]

_FORMS: tuple[ICCForm, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")

_FEW = "Undefined: it needs at least two units, each with two or more judgments."
_UNEQUAL = "Undefined: units have different numbers of judgments."
_REPEATED = "Undefined: somebody judged a unit twice. Choose which judgment counts."
_INCOMPLETE = "Undefined: it needs every participant to have judged every unit."
_LEAST_DF = 1e-30  # of judges and error together; 0 but for rounding where they cancel
_CONSTANT = "Undefined: the scores do not vary between units or within them."
_NEGATIVE = "Undefined: the units' means vary too little for the ratio to be meaningful."
_NO_BOUND = (
    "No interval: the lower bound for one judgment is too low to be converted to that for a mean."
)
_NO_WIDTH = "No interval: there is no error variance to compare the units' variance with."
_UNDEFINED_WITHOUT = "No interval: without one of its items the coefficient is undefined."
_NO_VARIANCE = "No interval: the units' means do not vary."


@dataclass(frozen=True, slots=True)
class ICC:
    """One intraclass correlation. If undefined it is None; `note` says why."""

    form: ICCForm
    value: float | None
    n: int  # units
    k: int  # judgments of each unit; 0 where it differs
    interval: Interval | None = None
    f: float | None = None  # variance between units against error
    df: tuple[int, int] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares of n units × k judgments, with rounding errors set to 0."""

    n: int
    k: int
    between: float
    within: float
    participants: float = 0.0
    error: float = 0.0


def intraclass(
    unit: Codes,
    participant: Codes,
    value: Numbers,
    *,
    item: Codes | None = None,
    level: float = 0.95,
) -> tuple[ICC, ...]:
    """The six intraclass correlations of Shrout & Fleiss (1979), with their F-based intervals.

    1: each unit has judges of its own. 2: the same judges for all, a sample of people; a judge who
    is always stricter counts as disagreement. 3: these judges and no others; strictness does not
    count. The second number: the reliability of one judgment, or of the mean of k.

    The F-based intervals treat units as independent. With the `item` of each judgment, if several
    units belong to one item, intervals leave out one item at a time instead (jackknife, Student's t
    with one degree of freedom fewer than items), for these participants.
    """
    refuse_missing(value)
    require_equally_long(unit, participant, value, item)
    _, row = np.unique(unit, return_inverse=True)
    people, column = np.unique(participant, return_inverse=True)
    sizes = np.bincount(row) if len(row) else np.zeros(0, dtype=np.int64)
    reason, k = _unusable_reason(row, column, sizes, len(people))
    if reason:
        return tuple(ICC(form, None, len(sizes), k, note=reason) for form in _FORMS)
    is_complete = len(people) == k
    order = np.lexsort((column, row))
    scores = value[order].astype(np.float64).reshape(len(sizes), k)
    squares = _mean_squares(scores)
    found = tuple(
        _coefficient(form, squares, is_complete=is_complete, level=level) for form in _FORMS
    )
    if item is None:
        return found
    without = _without_items(scores, item[order].reshape(scores.shape)[:, 0])
    return tuple(_over_items(each, without, level=level) for each in found)


def _over_items(found: ICC, without: list[_Squares], *, level: float) -> ICC:
    """The same coefficient with an interval that leaves out one item at a time.

    That of a mean of k judgments follows from that of one, by the Spearman–Brown formula.
    """
    if found.value is None:
        return found
    single: ICCForm = "1,1" if found.form[0] == "1" else "2,1" if found.form[0] == "2" else "3,1"
    limits, note = _jackknife_interval(single, without, level)
    if limits is not None and found.form.endswith("k"):
        limits = _of_mean(limits.low, limits.high, k=found.k, level=level)
        note = "" if limits else _NO_BOUND
    return replace(found, interval=limits, note=note)


def _jackknife_interval(
    form: ICCForm, without: list[_Squares], level: float
) -> tuple[Interval | None, str]:
    n = len(without) - 1  # the last is of all items
    if n < 2:
        return None, ONE_ITEM
    values = [_value(form, squares) if squares.n > 1 else None for squares in without]
    if None in values:
        return None, _UNDEFINED_WITHOUT
    *rest, whole = (float(value or 0.0) for value in values)
    error = ((n - 1) * float(np.var(rest))) ** 0.5
    if error <= ROUNDING:
        return None, _NO_WIDTH
    reach = t_half_width(error, n - 1, level)
    return Interval(max(-1.0, whole - reach), min(1.0, whole + reach), level), ""


def _without_items(scores: Numbers, item: Codes) -> list[_Squares]:
    """The mean squares without the units of each item, from sums by item; the last of all items."""
    centred = scores - scores.mean()
    group = np.unique(item, return_inverse=True)[1]
    by_judge = np.stack([np.bincount(group, column) for column in centred.T], axis=1)
    of_means = np.bincount(group, centred.mean(axis=1) ** 2)
    of_scores = np.bincount(group, (centred**2).sum(axis=1))
    size = np.bincount(group)
    sums = (size, by_judge, of_means, of_scores)
    rest = (np.concatenate([each.sum(axis=0) - each, each.sum(axis=0)[None]]) for each in sums)
    nothing = max(ROUNDING * float(of_scores.sum()), 1e-28 * float((scores**2).sum()))
    return [
        _from_sums(int(n), judges, float(means), float(squares), nothing=nothing)
        for n, judges, means, squares in zip(*rest, strict=True)
    ]


def _from_sums(
    n: int, judges: Numbers, means: float, squares: float, *, nothing: float
) -> _Squares:
    """Mean squares from sums over units: of each judge, of squared means, and of squares."""
    k = len(judges)
    if n < 2:
        return _Squares(n, k, 0.0, 0.0)
    grand = float(judges.sum()) ** 2 / (n * k)
    total = squares - grand
    between = k * means - grand
    participants = float(judges @ judges) / n - grand
    return _split_squares(
        n, k, total=total, between=between, participants=participants, nothing=nothing
    )


def _unusable_reason(row: Codes, column: Codes, sizes: Codes, people: int) -> tuple[str, int]:
    """Why there is no intraclass correlation, or nothing; and how many judgments each unit has."""
    if len(sizes) < 2 or int(sizes.max()) < 2:
        return _FEW, 0
    if int(sizes.min()) != int(sizes.max()):
        return _UNEQUAL, 0
    k = int(sizes[0])
    if len(np.unique(row.astype(np.int64) * people + column)) < len(row):
        return _REPEATED, k
    return "", k


def _mean_squares(scores: Numbers) -> _Squares:
    n, k = scores.shape
    deviation = scores - scores.mean()
    total = float((deviation**2).sum())
    between = k * float((deviation.mean(axis=1) ** 2).sum())
    participants = n * float((deviation.mean(axis=0) ** 2).sum())
    nothing = max(ROUNDING * total, 1e-28 * float((scores**2).sum()))
    return _split_squares(
        n, k, total=total, between=between, participants=participants, nothing=nothing
    )


def _split_squares(
    n: int, k: int, *, total: float, between: float, participants: float, nothing: float
) -> _Squares:
    def mean(squares: float, df: int) -> float:
        return 0.0 if squares <= nothing else squares / df

    return _Squares(
        n,
        k,
        between=mean(between, n - 1),
        within=mean(total - between, n * (k - 1)),
        participants=mean(participants, k - 1),
        error=mean(total - between - participants, (n - 1) * (k - 1)),
    )


def _coefficient(form: ICCForm, squares: _Squares, *, is_complete: bool, level: float) -> ICC:
    n, k = squares.n, squares.k
    if form[0] != "1" and not is_complete:
        return ICC(form, None, n, k, note=_INCOMPLETE)
    if squares.between == 0 and squares.within == 0:
        return ICC(form, None, n, k, note=_CONSTANT)
    value = _value(form, squares)
    error = squares.within if form[0] == "1" else squares.error
    df = (n - 1, n * (k - 1) if form[0] == "1" else (n - 1) * (k - 1))
    f = squares.between / error if error else None
    if value is None:
        return ICC(form, None, n, k, f=f, df=df, note=_NEGATIVE)
    if not f:
        return ICC(form, value, n, k, f=f, df=df, note=_NO_WIDTH if f is None else _NO_VARIANCE)
    interval = _interval(form, squares, f, level)
    return ICC(form, value, n, k, interval, f, df, note="" if interval else _NO_BOUND)


def _value(form: ICCForm, squares: _Squares) -> float | None:
    n, k, between = squares.n, squares.k, squares.between
    error = squares.within if form[0] == "1" else squares.error
    judges = (squares.participants - squares.error) / n if form[0] == "2" else 0.0
    single = between + (k - 1) * error + k * judges
    below = between + judges if form.endswith("k") else single
    whole = between + k * error + k * (squares.participants + error) / n
    return (between - error) / below if below > 0 and not is_negligible(below, whole) else None


def _interval(form: ICCForm, squares: _Squares, f: float, level: float) -> Interval | None:
    k = squares.k
    if form[0] == "2":
        low, high = _random_judges(squares, level)
        if form == "2,1":
            return Interval(low, high, level)
        return _of_mean(low, high, k=k, level=level)
    df = (squares.n - 1) * (k - 1) if form[0] == "3" else squares.n * (k - 1)
    lowest = f / _quantile(squares.n - 1, df, level)
    highest = f * _quantile(df, squares.n - 1, level)
    if form.endswith("k"):
        return Interval(1 - 1 / lowest, 1 - 1 / highest, level)
    return Interval((lowest - 1) / (lowest + k - 1), (highest - 1) / (highest + k - 1), level)


def _of_mean(low: float, high: float, *, k: int, level: float) -> Interval | None:
    """From one judgment to the mean of k, by the Spearman–Brown formula, which has a pole."""
    if 1 + (k - 1) * low <= ROUNDING:
        return None
    return Interval(k * low / (1 + (k - 1) * low), k * high / (1 + (k - 1) * high), level)


def _random_judges(squares: _Squares, level: float) -> tuple[float, float]:
    """Bounds of ICC(2,1): Satterthwaite's degrees of freedom for judges and error together."""
    n, k, between, error = squares.n, squares.k, squares.between, squares.error
    judges = squares.participants
    rho = _value("2,1", squares) or 0.0
    ratio = judges / error
    base = n * (1 + (k - 1) * rho) - k * rho
    df = (
        (k - 1) * (n - 1) * (k * rho * ratio + base) ** 2
        / ((n - 1) * (k * rho * ratio) ** 2 + base**2)
    )  # fmt: skip
    noise = k * judges + (k * n - k - n) * error
    df = max(df, _LEAST_DF)
    upper, lower = _quantile(n - 1, df, level), _quantile(df, n - 1, level)
    low = n * (between / upper - error) / (noise + n * between / upper)  # upper may be infinite
    return low, n * (lower * between - error) / (noise + n * lower * between)


def _quantile(df: float, df_error: float, level: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(df, df_error, (1 + level) / 2))
