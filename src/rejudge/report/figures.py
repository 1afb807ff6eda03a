"""Figures as data: where each mark stands, in percent of the width."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.analysis import Finding
from rejudge.report.blocks import Figure, Mark, Tick
from rejudge.report.wording import between, digits_of, shown

SHADES = 8  # colours with shapes of their own; further systems are drawn in ink
_MOST_TICKS = 11


@dataclass(frozen=True, slots=True)
class Axis:
    """From where to where a figure goes, and where something is written on it."""

    low: float
    high: float
    ticks: tuple[float, ...]
    reference: float | None = None  # where there is nothing to see: 50 %, or zero
    unit: str = ""

    def place(self, value: float | None) -> float | None:
        """Percent of the width, within the figure."""
        if value is None:
            return None
        share = 100 * (value - self.low) / (self.high - self.low)
        return round(min(100.0, max(0.0, share)), 2)


PERCENT = Axis(0, 100, (0, 25, 50, 75, 100), reference=50, unit="\u202f%")


def scale_axis(low: float, high: float, points: Sequence[float]) -> Axis:
    """The whole scale of a question, so that no difference looks larger than it is."""
    ticks = tuple(points) if 0 < len(points) <= _MOST_TICKS else (low, (low + high) / 2, high)
    return Axis(low, high, ticks)


def difference_axis(findings: Sequence[Finding]) -> Axis:
    """Zero in the middle, and all intervals within."""
    ends = [
        abs(end)
        for finding in findings
        if finding.value is not None
        for end in (
            finding.value,
            *((finding.interval.low, finding.interval.high) if finding.interval else ()),
        )
    ]
    reach = _rounded_up(max(ends, default=1.0) or 1.0)
    return Axis(-reach, reach, (-reach, -reach / 2, 0, reach / 2, reach), reference=0)


def systems_figure(
    findings: Sequence[Finding],
    axis: Axis,
    *,
    labels: Mapping[str, str],
    order: Sequence[str],
    texts: tuple[str, str, str],
) -> Figure:
    """One mark per system, best first; each system has its colour and shape through the report.

    `texts` are the figure's id, its caption and the id of the table with its numbers.
    """
    ranked = sorted(findings, key=lambda f: -math.inf if f.value is None else f.value, reverse=True)
    marks = tuple(
        _mark(finding, axis, labels[finding.systems[0]], shade=_shade(order, finding.systems[0]))
        for finding in ranked
    )
    return _figure(marks, axis, texts)


def pairs_figure(
    findings: Sequence[Finding],
    axis: Axis,
    *,
    labels: Mapping[str, str],
    texts: tuple[str, str, str],
) -> Figure:
    """One mark per pair, filled where a difference is supported and open where it is not."""
    marks = tuple(
        _mark(
            finding,
            axis,
            f"{labels[finding.systems[0]]} against {labels[finding.systems[1]]}",
            shade=0,
            is_filled=bool(finding.is_supported),
        )
        for finding in findings
    )
    return _figure(marks, axis, texts)


def _figure(marks: tuple[Mark, ...], axis: Axis, texts: tuple[str, str, str]) -> Figure:
    name, caption, numbers_in = texts
    ticks = tuple(
        Tick(
            f"{tick:g}".replace("-", "−") + axis.unit,
            axis.place(tick) or 0.0,
            is_reference=tick == axis.reference,
        )
        for tick in axis.ticks
    )
    alt = "; ".join(f"{mark.label}: {mark.shown}" for mark in marks)
    return Figure(name, caption, f"{caption} {alt}.", marks, ticks, numbers_in)


def _mark(finding: Finding, axis: Axis, label: str, *, shade: int, is_filled: bool = True) -> Mark:
    interval = finding.interval
    value = "undefined" if finding.value is None else shown(finding)
    spread = "" if interval is None else f" {between(interval, digits_of(finding))}"
    return Mark(
        label=label,
        shown=value + spread,
        place=axis.place(finding.value),
        low=axis.place(interval.low) if interval else None,
        high=axis.place(interval.high) if interval else None,
        shade=shade,
        is_filled=is_filled,
    )


def _shade(order: Sequence[str], system: str) -> int:
    place = order.index(system) + 1
    return place if place <= SHADES else 0


def _rounded_up(value: float) -> float:
    """The next of 1, 2, 4 or 10 times a power of ten: its half is short to write, too."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 10) if step * power >= value * (1 - 1e-9))
