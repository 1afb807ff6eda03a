"""What the slow part of the overview shows: agreement and sides, as the analysis has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.analysis import Finding
from rejudge.layout.numbers import interval_text, percent
from rejudge.report.drawing import with_minus_sign
from rejudge.tables.wording import name_of_coefficient, value_with_unit
from rejudge.web.dashboard.drawing import Reach, reach
from rejudge.web.dashboard.monitoring import Past, SoFar

_PERCENT = (0.0, 100.0)
_FLAGS = {
    "one-answer": "one answer",
    "fast": "very fast",
    "faster-than-reading": "faster than reading",
    "one-side": "one side",
}


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far people agree on one question by one coefficient."""

    question: str
    coefficient: str
    value: str
    interval: str
    for_new_people: str
    n: int
    reach: Reach | None
    line: str  # how it went, as a path in a square of 100
    band: str
    low_label: str
    high_label: str
    note: str


@dataclass(frozen=True, slots=True)
class Sided:
    """How often what was shown first was chosen."""

    question: str
    value: str
    interval: str
    n: int
    reach: Reach | None
    leaning: tuple[str, ...]  # participants


def agreements(known: SoFar) -> tuple[Agreed, ...]:
    """Every coefficient of every question, with its interval and how it went."""
    return tuple(
        _agreed(finding, known.of(finding.id))
        for finding in known.results.findings
        if finding.measure == "agreement"
        and not finding.systems
        and not finding.by.startswith("self-consistency")
    )


def sides(known: SoFar) -> tuple[Sided, ...]:
    """The pull of the first place, by question."""
    leaning = {
        details.question: tuple(
            row.participant for row in details.people.rows if "one-side" in row.flags
        )
        for details in known.results.details
        if details.people is not None
    }
    return tuple(
        Sided(
            finding.question,
            value_with_unit(finding),
            interval_text(finding.interval),
            finding.n,
            reach(finding.value, finding.interval, ends=_PERCENT, reference=50),
            leaning.get(finding.question, ()),
        )
        for finding in known.results.findings
        if finding.measure == "first-shown-percent" and not finding.systems
    )


def flags(known: SoFar) -> Mapping[str, tuple[str, ...]]:
    """What the analysis noticed about how somebody works, by participant."""
    found: dict[str, dict[str, None]] = {}
    for details in known.results.details:
        for row in details.people.rows if details.people else ():
            found.setdefault(row.participant, {}).update(dict.fromkeys(row.flags))
    for who in known.hasty:  # whether their work counts or not
        found.setdefault(who, {})["faster-than-reading"] = None
    return {who: tuple(_FLAGS[flag] for flag in each) for who, each in found.items() if each}


def _agreed(finding: Finding, history: Sequence[Past]) -> Agreed:
    is_percent = finding.by == "percent"
    ends = _PERCENT if is_percent else _coefficient_axis(finding, history)
    digits = 1 if is_percent else 2
    return Agreed(
        question=finding.question,
        coefficient=name_of_coefficient(finding),
        value=value_with_unit(finding),
        interval=interval_text(finding.interval, digits),
        for_new_people=interval_text(finding.interval_for_new_people, digits),
        n=finding.n,
        reach=reach(finding.value, finding.interval, ends=ends, reference=0 if ends[0] else None),
        line=_line(history, ends),
        band=_band(history, ends),
        low_label=with_minus_sign(f"{ends[0]:g}"),
        high_label=percent(100).replace(".0", "") if is_percent else "1",
        note=finding.note,
    )


def _coefficient_axis(finding: Finding, history: Sequence[Past]) -> tuple[float, float]:
    """From 0 to 1, or from as far below 0 as a value or an interval lies."""
    shown_findings = (finding, *(past.finding for past in history))
    values = [each.value for each in shown_findings if each.value is not None]
    values += [each.interval.low for each in shown_findings if each.interval is not None]
    return min(0.0, math.floor(10 * min(values, default=0.0)) / 10), 1.0


def _line(history: Sequence[Past], ends: tuple[float, float]) -> str:
    marks = [(past.batches, past.finding.value) for past in history]
    known = [(x, value) for x, value in marks if value is not None]
    if len({x for x, _ in known}) < 2:  # noqa: PLR2004 - no line through one point
        return ""
    return "M" + "L".join(_placed(x, value, known[-1][0], ends) for x, value in known)


def _band(history: Sequence[Past], ends: tuple[float, float]) -> str:
    known = [(past.batches, past.finding.interval) for past in history]
    whole = [(x, interval) for x, interval in known if interval is not None]
    if len({x for x, _ in whole}) < 2:  # noqa: PLR2004 - 〃
        return ""
    most = history[-1].batches
    low = [_placed(x, interval.low, most, ends) for x, interval in whole]
    high = [_placed(x, interval.high, most, ends) for x, interval in reversed(whole)]
    return "M" + "L".join((*low, *high)) + "Z"


def _placed(x: int, value: float, most: int, ends: tuple[float, float]) -> str:
    share = min(1.0, max(0.0, (value - ends[0]) / (ends[1] - ends[0])))
    return f"{100 * x / most:.2f} {100 * (1 - share):.2f}"
