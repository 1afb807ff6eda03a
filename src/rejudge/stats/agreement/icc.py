"""Intraclass correlations: how much of the variance of scores lies between units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rejudge.stats.agreement.alpha import ONE_ITEM
from rejudge.stats.agreement.resampling import Reasons
from rejudge.stats.arrays import (
    ROUNDING,
    Codes,
    Numbers,
    count_distinct,
    is_negligible,
    number_codes,
    refuse_missing,
    require_equally_long,
)
from rejudge.stats.estimate import Estimate, Interval, Test, t_half_width
from rejudge.stats.reasons import Reason, Why

ICCForm: TypeAlias = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]

_FORMS: tuple[ICCForm, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")

_LEAST_DF = 1e-30  # of judges and error together; 0 but for rounding where they cancel
_FEW = Why.NEEDS(least="two", what="units, each with two or more judgments")
_UNEQUAL = Why.UNEQUAL(advice="")
_INCOMPLETE = Why.INCOMPLETE()
_CONSTANT = Why.NO_VARIATION(what="the scores", over=" between units or within them")
_NEGATIVE = Why.NO_BOUND(
    "value", cause="the units' means vary too little for the ratio to be meaningful"
)
_NO_BOUND = Why.NO_BOUND(
    cause="the lower bound for one judgment is too low to be converted to that for a mean"
)
_NO_WIDTH = Why.NO_BOUND(cause="there is no error variance to compare the units' variance with")
_UNDEFINED_WITHOUT = Why.LEAVE_ONE_OUT(what="units or items")
_NO_VARIANCE = Why.NO_VARIATION("interval", what="the units' means", over="")


@dataclass(frozen=True, slots=True)
class ICC(Estimate):
    """One intraclass correlation; its test holds F, the units' variance against error."""

    form: ICCForm = "1,1"
    k: int = 0  # judgments of each unit; 0 where it differs


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares of n units × k judgments, with rounding errors set to 0."""

    n: int
    k: int
    between: float
    within: float
    participants: float = 0.0
    rest: float = 0.0


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
    if len(sizes) < 2 or int(sizes.max()) < 2:
        return tuple(_undefined(form, len(sizes), 0, _FEW) for form in _FORMS)
    repeats = len(row) - count_distinct(row.astype(np.int64) * len(people) + column)
    if repeats:
        reason = Why.REPEATS(n=repeats)
        return tuple(_undefined(form, len(sizes), 0, reason) for form in _FORMS)
    if int(sizes.min()) != int(sizes.max()):
        single = _of_unequal(value, row, row if item is None else item, level=level)
        others = (_undefined(form, single.n, 0, _UNEQUAL) for form in _FORMS[1:])
        return (single, *others)
    k = int(sizes[0])
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
    limits, reasons = _jackknife_interval(single, without, level)
    if limits is not None and found.form.endswith("k"):
        limits = _of_mean(limits.low, limits.high, k=found.k, level=level)
        reasons = () if limits else (_NO_BOUND,)
    return replace(found, interval=limits, reasons=reasons)


def _jackknife_interval(
    form: ICCForm, without: list[_Squares], level: float
) -> tuple[Interval | None, Reasons]:
    n = len(without) - 1  # the last is of all items
    if n < 2:
        return None, (ONE_ITEM,)
    values = [_value(form, squares) if squares.n > 1 else None for squares in without]
    if None in values:
        return None, (_UNDEFINED_WITHOUT,)
    *rest, whole = (float(value or 0.0) for value in values)
    error = ((n - 1) * float(np.var(rest))) ** 0.5
    if error <= ROUNDING:
        return None, (_NO_WIDTH,)
    reach = t_half_width(error, n - 1, level)
    return Interval(max(-1.0, whole - reach), min(1.0, whole + reach), level), ()


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
        rest=mean(total - between - participants, (n - 1) * (k - 1)),
    )


def _coefficient(form: ICCForm, squares: _Squares, *, is_complete: bool, level: float) -> ICC:
    n, k = squares.n, squares.k
    if form[0] != "1" and not is_complete:
        return _undefined(form, n, k, _INCOMPLETE)
    if squares.between == 0 and squares.within == 0:
        return _undefined(form, n, k, _CONSTANT)
    value = _value(form, squares)
    error = squares.within if form[0] == "1" else squares.rest
    df = (n - 1.0, n * (k - 1.0) if form[0] == "1" else (n - 1) * (k - 1.0))
    f = squares.between / error if error else None
    found = ICC(
        value, n, counted="units", judgments=n * k, test=Test(None, "F", f, df), form=form, k=k
    )
    if value is None:
        return replace(found, reasons=(_NEGATIVE,))
    if not f:
        return replace(found, reasons=(_NO_WIDTH if f is None else _NO_VARIANCE,))
    interval = _interval(form, squares, f, level)
    return replace(found, interval=interval, reasons=() if interval else (_NO_BOUND,))


def _undefined(form: ICCForm, n: int, k: int, reason: Reason) -> ICC:
    return ICC(None, n, counted="units", form=form, k=k, reasons=(reason,))


def _of_unequal(value: Numbers, unit: Codes, group: Codes, *, level: float) -> ICC:
    """ICC(1,1) where units have different numbers of judgments: one-way analysis of variance.

    (MSB − MSW) / (MSB + (k₀ − 1) MSW) with k₀ = (N − Σ kᵢ² / N) / (n − 1) (Donner 1986), of units
    with two judgments or more; the interval leaves out one unit, or item, at a time.
    """
    shared = np.bincount(unit)[unit] > 1
    unit, group = number_codes(unit[shared])[1], number_codes(group[shared])[1]
    score = value[shared].astype(np.float64)
    score = score - score.mean()
    sizes, sums = np.bincount(unit), np.bincount(unit, score)
    owner = np.zeros(len(sizes), dtype=np.int64)
    owner[unit] = group
    of_units = np.stack(
        [np.ones(len(sizes)), sizes, sizes**2, sums, sums**2 / sizes, np.bincount(unit, score**2)]
    )
    by_group = np.stack([np.bincount(owner, row) for row in of_units])
    whole = by_group.sum(axis=1)
    nothing = ROUNDING * max(float(whole[5]), float(np.max(value, initial=0.0)) ** 2)
    found, *without = (
        _one_way(parts, nothing) for parts in (whole, *(whole[:, None] - by_group).T)
    )
    n, judgments = len(sizes), int(sizes.sum())
    blank = ICC(found, n, counted="units", judgments=judgments, form="1,1")
    if found is None:
        return replace(blank, reasons=(_CONSTANT,))
    known = [each for each in without if each is not None]
    if len(known) < len(without) or len(known) < 2:
        return replace(blank, reasons=(_UNDEFINED_WITHOUT,))
    error = ((len(known) - 1) * float(np.var(known))) ** 0.5
    if error <= ROUNDING:
        return replace(blank, reasons=(_NO_WIDTH,))
    reach = t_half_width(error, len(known) - 1, level)
    return replace(
        blank, interval=Interval(max(-1.0, found - reach), min(1.0, found + reach), level)
    )


def _one_way(parts: Numbers, nothing: float) -> float | None:
    """From numbers of units and of judgments, Σ kᵢ², Σ x, Σ (Σ x)² / kᵢ and Σ x²."""
    n, judgments, squares, total, of_means, of_scores = parts.tolist()
    if n < 2 or judgments <= n:
        return None
    between = (of_means - total**2 / judgments) / (n - 1)
    within = (of_scores - of_means) / (judgments - n)
    typical = (judgments - squares / judgments) / (n - 1)
    below = between + (typical - 1) * within
    return (between - within) / below if below > nothing else None


def _value(form: ICCForm, squares: _Squares) -> float | None:
    n, k, between = squares.n, squares.k, squares.between
    error = squares.within if form[0] == "1" else squares.rest
    judges = (squares.participants - squares.rest) / n if form[0] == "2" else 0.0
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
    n, k, between, error = squares.n, squares.k, squares.between, squares.rest
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
