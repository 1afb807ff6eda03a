"""The figures of the overview: agreement, first-position bias, times and trends, as shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.findings.model import Finding
from rejudge.layout.numbers import interval_text, minus_signs, percent
from rejudge.stats import Interval, empirical_shares, time_quantile
from rejudge.tables.wording import name_of_coefficient, value_with_unit

if TYPE_CHECKING:
    from rejudge.web.dashboard.monitoring import PastFinding, Snapshot


_BINS = 24  # of a histogram, at most
_POINTS = 120  # of a curve, at most
_FEWEST = 2  # points that make a line
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400)
_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram; the height in percent of the highest."""

    left: float
    width: float
    height: float
    count: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A label under an axis."""

    at: float
    label: str
    anchor: str = "middle"  # of the text


@dataclass(frozen=True, slots=True)
class TimeDistribution:
    """How long something took: histogram, cumulative shares and median."""

    name: str
    n: int
    median: float  # seconds
    interval: Interval | None
    ninth: float  # nine in ten took no longer
    bars: tuple[Bar, ...]
    curve: str  # path of the empirical distribution
    band: str  # path around it
    ticks: tuple[Tick, ...]
    median_at: float
    beyond: int  # took longer than the axis
    axis_seconds: float


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """A value with its interval on a short axis."""

    at: float
    low: float | None
    high: float | None
    reference: float | None  # where nothing would be


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A value at a moment."""

    moment: datetime
    value: float


def trend(points: Sequence[TrendPoint]) -> str:
    """A line through points in time, as a path in a square of 100; empty for fewer than two.

    The line stands on 0, so that a small change does not look like a large one.
    """
    if len(points) < _FEWEST or points[0].moment == points[-1].moment:
        return ""
    begin, end = points[0].moment, points[-1].moment
    low = min(0.0, *(point.value for point in points))
    high = max(*(point.value for point in points), low + 1e-9)
    return _path(
        (
            100 * (point.moment - begin) / (end - begin),
            100 * (1 - (point.value - low) / (high - low)),
        )
        for point in points
    )


def thin(points: Sequence[TrendPoint], most: int = 60) -> tuple[TrendPoint, ...]:
    """At most this many points, including the first and the last."""
    if len(points) <= most:
        return tuple(points)
    return tuple(points[round(step * (len(points) - 1) / (most - 1))] for step in range(most))


def distribution(name: str, seconds: Sequence[float]) -> TimeDistribution | None:
    """The times of one kind of page; None without any.

    The axis ends where all but the slowest twentieth is seen, with some room; what lies beyond is
    counted.
    """
    times = np.sort(np.array(seconds, dtype=np.float64))
    if not len(times):
        return None
    middle = time_quantile(times)
    ninth, most = (float(np.quantile(times, share)) for share in (0.9, 0.95))
    step = _step(max(most * 1.2, 1.0))
    end = step * max(1, int(np.ceil(min(float(times[-1]) * 1.05, most * 1.2) / step)))
    inside = times[times <= end]
    edges = np.linspace(0, end, _bins(len(times)) + 1)
    counts = np.histogram(inside, edges)[0]
    shares = empirical_shares(times, _points(inside, end))
    return TimeDistribution(
        name=name,
        n=len(times),
        median=middle.value or 0.0,
        interval=middle.interval,
        ninth=ninth,
        bars=_bars(counts.tolist()),
        curve=_path(_stairs(shares.at.tolist(), shares.share.tolist(), end)),
        band=_ring(
            list(_stairs(shares.at.tolist(), shares.low.tolist(), end)),
            list(_stairs(shares.at.tolist(), shares.high.tolist(), end)),
        ),
        ticks=_ticks(end, step),
        median_at=min(100.0, round(100 * (middle.value or 0.0) / end, 2)),
        beyond=len(times) - len(inside),
        axis_seconds=float(end),
    )


def interval_mark(
    value: float | None,
    interval: Interval | None,
    *,
    ends: tuple[float, float],
    reference: float | None = None,
) -> IntervalMark | None:
    """The position of a value and its interval on an axis."""
    if value is None:
        return None
    low, high = ends

    def place(number: float) -> float:
        return round(min(100.0, max(0.0, 100 * (number - low) / (high - low))), 2)

    return IntervalMark(
        place(value),
        None if interval is None else place(interval.low),
        None if interval is None else place(interval.high),
        None if reference is None else place(reference),
    )


def duration(seconds: float) -> str:
    """A duration in short form: 13 s, 5 min, 1 h 20."""
    if seconds < 2 * _MINUTE and seconds != _MINUTE:
        return f"{seconds:.0f}\u202fs"
    if seconds < 2 * _HOUR:
        minutes = seconds / _MINUTE
        return f"{minutes:.1f}".removesuffix(".0") + "\u202fmin"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours}\u202fh" + (f" {minutes:02}" if minutes else "")


def _points(times: NDArray[np.float64], end: float) -> NDArray[np.float64]:
    """The times at which the curve is drawn: all of them, or as many as can be seen."""
    at = np.unique(times)
    if len(at) > _POINTS:
        at = at[np.linspace(0, len(at) - 1, _POINTS).round().astype(np.int64)]
    return np.unique(np.append(at, end))


def _bins(n: int) -> int:
    return max(6, min(_BINS, round(2 * math.sqrt(n))))


def _bars(counts: Sequence[int]) -> tuple[Bar, ...]:
    highest, width = max(counts, default=0), 100 / len(counts)
    return tuple(
        Bar(round(place * width, 3), round(width, 3), round(100 * count / highest, 2), count)
        for place, count in enumerate(counts)
        if count
    )


def _step(span: float) -> float:
    """The smallest round step that divides the span into at most five parts."""
    return next((step for step in _STEPS if span / step <= 5), _STEPS[-1])


def _ticks(end: float, step: float) -> tuple[Tick, ...]:
    marks = [step * number for number in range(round(end / step) + 1)]
    anchors = {0: "start", len(marks) - 1: "end"}
    return tuple(
        Tick(round(100 * mark / end, 2), duration(mark) if mark else "0", anchors.get(n, "middle"))
        for n, mark in enumerate(marks)
    )


def _stairs(
    at: Sequence[float], share: Sequence[float], end: float
) -> Sequence[tuple[float, float]]:
    """The corners of a step function."""
    corners = [(0.0, 100.0)]
    for moment, height in zip(at, share, strict=True):
        x, y = 100 * moment / end, 100 * (1 - height)
        corners += [(x, corners[-1][1]), (x, y)]
    return corners


def _ring(low: list[tuple[float, float]], high: list[tuple[float, float]]) -> str:
    return f"{_path([*low, *reversed(high)])}Z"


def _path(corners: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in corners)


_PERCENT = (0.0, 100.0)
_FLAGS = {
    "one-answer": "always the same answer",
    "fast": "very fast",
    "faster-than-reading": "faster than reading",
    "one-side": "prefers one side",
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement on one question by one coefficient, as the page shows it."""

    question: str
    coefficient: str
    value: str
    interval: str
    for_new_people: str
    n: int
    reach: IntervalMark | None
    line: str  # how it went, as a path in a square of 100
    band: str
    low_label: str
    high_label: str
    note: str


@dataclass(frozen=True, slots=True)
class FirstPositionRow:
    """How often the output shown first was chosen, as the page shows it."""

    question: str
    value: str
    interval: str
    n: int
    reach: IntervalMark | None
    leaning: tuple[str, ...]  # participants


def agreements(known: Snapshot) -> tuple[AgreementRow, ...]:
    """Every coefficient of every question, with its interval and history."""
    return tuple(
        _agreement_row(finding, known.history_of(finding.id))
        for finding in known.monitoring.findings
        if finding.measure == "agreement" and not finding.by.startswith("self-consistency")
    )


def sides(known: Snapshot) -> tuple[FirstPositionRow, ...]:
    """The bias towards the first position, by question."""
    leaning = {
        question: tuple(who for who, flags in by_person.items() if "one-side" in flags)
        for question, by_person in known.monitoring.flags.items()
    }
    return tuple(
        FirstPositionRow(
            finding.question,
            value_with_unit(finding),
            interval_text(finding.interval),
            finding.n or 0,
            interval_mark(finding.value, finding.interval, ends=_PERCENT, reference=50),
            leaning.get(finding.question, ()),
        )
        for finding in known.monitoring.findings
        if finding.measure == "first-shown-percent"
    )


def flags(known: Snapshot) -> Mapping[str, tuple[str, ...]]:
    """The flags that the analysis raised, by participant."""
    found: dict[str, dict[str, None]] = {}
    for by_person in known.monitoring.flags.values():
        for who, given in by_person.items():
            found.setdefault(who, {}).update(dict.fromkeys(given))
    for who in known.monitoring.hasty:  # whether their work counts or not
        found.setdefault(who, {})["faster-than-reading"] = None
    return {who: tuple(_FLAGS[flag] for flag in each) for who, each in found.items() if each}


def _agreement_row(finding: Finding, history: Sequence[PastFinding]) -> AgreementRow:
    is_percent = finding.by == "percent"
    ends = _PERCENT if is_percent else _coefficient_axis(finding, history)
    digits = 1 if is_percent else 2
    return AgreementRow(
        question=finding.question,
        coefficient=name_of_coefficient(finding),
        value=value_with_unit(finding),
        interval=interval_text(finding.interval, digits),
        for_new_people=interval_text(finding.interval_for_new_people, digits),
        n=finding.n or 0,
        reach=interval_mark(
            finding.value, finding.interval, ends=ends, reference=0 if ends[0] else None
        ),
        line=_line(history, ends),
        band=_band(history, ends),
        low_label=minus_signs(f"{ends[0]:g}"),
        high_label=percent(100).replace(".0", "") if is_percent else "1",
        note=finding.note,
    )


def _coefficient_axis(finding: Finding, history: Sequence[PastFinding]) -> tuple[float, float]:
    """The axis from 0 to 1, or from the lowest value or interval below 0."""
    shown_findings = (finding, *(past.finding for past in history))
    values = [each.value for each in shown_findings if each.value is not None]
    values += [each.interval.low for each in shown_findings if each.interval is not None]
    return min(0.0, math.floor(10 * min(values, default=0.0)) / 10), 1.0


def _line(history: Sequence[PastFinding], ends: tuple[float, float]) -> str:
    marks = [(past.batches, past.finding.value) for past in history]
    known = [(x, value) for x, value in marks if value is not None]
    if len({x for x, _ in known}) < 2:
        return ""
    return "M" + "L".join(_to_point(x, value, known[-1][0], ends) for x, value in known)


def _band(history: Sequence[PastFinding], ends: tuple[float, float]) -> str:
    known = [(past.batches, past.finding.interval) for past in history]
    whole = [(x, interval) for x, interval in known if interval is not None]
    if len({x for x, _ in whole}) < 2:
        return ""
    most = history[-1].batches
    low = [_to_point(x, interval.low, most, ends) for x, interval in whole]
    high = [_to_point(x, interval.high, most, ends) for x, interval in reversed(whole)]
    return "M" + "L".join((*low, *high)) + "Z"


def _to_point(x: int, value: float, most: int, ends: tuple[float, float]) -> str:
    share = min(1.0, max(0.0, (value - ends[0]) / (ends[1] - ends[0])))
    return f"{100 * x / most:.2f} {100 * (1 - share):.2f}"
