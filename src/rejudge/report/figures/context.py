"""What all figures of a report share: results, width, how systems look, numbers, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rejudge.analysis.details import Details
from rejudge.analysis.results import Results
from rejudge.english import count, plural
from rejudge.findings.model import Finding
from rejudge.layout.numbers import interval_phrase, interval_text, level_text, number
from rejudge.report.drawing.marks import (
    SHADES,
    WIDTH,
    Anchor,
    CircleMark,
    Drawing,
    Kind,
    ShapeStyle,
    role,
)
from rejudge.report.drawing.text import text_width
from rejudge.tables.wording import NOUNS, WEIGHTED_INPUTS, digits_of, value_with_unit

INK = -1  # a shade that belongs to no system
UNRANKED = "; not ranked, since they were judged on different items or by different people"
_INTERVAL = re.compile(r"(?:interval|errors): ([^;]+?)(?:, t with [\d.]+ df)?(?:;|$)")
LINE = 14.0


@dataclass(frozen=True, slots=True)
class SystemStyles:
    """The systems of a report: what each is called and how it is drawn, in every figure alike.

    Up to eight have a colour and a shape of their own. Of more, only those have one that lead on a
    question; the others are grey, and known by their labels.
    """

    names: Mapping[str, str]
    shades: Mapping[str, int]  # 0: grey

    def name(self, system: str) -> str:
        """What a system is called."""
        return self.names.get(system, system)

    def shade(self, system: str) -> int:
        """Its colour and shape; 0 for grey."""
        return self.shades.get(system, 0)


@dataclass(frozen=True, slots=True)
class FigureContext:
    """Results that are about to be drawn, at a width."""

    results: Results
    systems: SystemStyles
    width: float = WIDTH

    @property
    def prefix(self) -> str:
        """What every caption begins with."""
        return "Simulated. " if self.results.flow.is_simulated else ""

    def standings(self, question: str) -> tuple[Finding, ...]:
        """How the systems stand on a question, the best first, what is undefined last."""
        return standings(self.results, question)

    def is_ranked(self, question: str) -> bool:
        """Whether the systems can be ranked by their scores: they rest on the same items."""
        return all(finding.is_comparable for finding in self.standings(question))

    def is_comparison(self, question: str) -> bool:
        """Whether systems were compared rather than scored."""
        return bool(self.results.select(question, "win-percent", "wins"))

    def details(self, question: str) -> Details | None:
        """What lies behind the findings; None for a question that was not analysed."""
        return next((each for each in self.results.details if each.question == question), None)


def figure_context(
    results: Results, labels: Mapping[str, str], *, width: float = WIDTH
) -> FigureContext:
    """Everything that the figures of these results share; `labels` in the order of the study."""
    found = dict.fromkeys(system for finding in results.select() for system in finding.systems)
    order = (*(s for s in labels if s in found), *(s for s in found if s not in labels))
    return FigureContext(results, SystemStyles(labels, _shades(results, order)), width)


def _shades(results: Results, order: Sequence[str]) -> dict[str, int]:
    coloured = order if len(order) <= SHADES else _leaders(results, order)
    return {system: place for place, system in enumerate(coloured, start=1)}


def _leaders(results: Results, order: Sequence[str]) -> list[str]:
    first = {
        found[0].systems[0]
        for question in results.questions
        if (found := standings(results, question)) and found[0].value is not None
    }
    return [system for system in order if system in first][:SHADES]


def standings(results: Results, question: str) -> tuple[Finding, ...]:
    """Means or percentages of wins, the best first, what is undefined last.

    Means over different items or people are not ranked: they stay in the order of the study.
    """
    found = results.select(question, "mean") or results.select(question, "win-percent", "wins")
    if all(finding.is_comparable for finding in found):
        return rank(found)
    return tuple(sorted(found, key=lambda finding: finding.value is None))


def rank(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The highest first, what is undefined last."""
    return tuple(sorted(findings, key=lambda f: (f.value is None, -(f.value or 0.0))))


def draw_marker(
    drawing: Drawing, x: float, y: float, *, shade: int, is_filled: bool = True
) -> None:
    """The mark of a system; grey where it has no colour of its own."""
    if shade:
        drawing.marker(x, y, shade=max(shade, 0), is_filled=is_filled)
    else:
        look = (
            ShapeStyle(fill="line", edge="paper") if is_filled else ShapeStyle("paper", edge="line")
        )
        drawing.marks.append(CircleMark(x, y, 4.5, look))


def system_colour(shade: int) -> str:
    """The role of a system's colour."""
    return role(max(shade, 0)) if shade else "line"


def format_value(finding: Finding) -> str:
    """A value as it stands beside its mark."""
    return "undefined" if finding.value is None else value_with_unit(finding)


def format_interval(finding: Finding) -> str:
    """An interval as it stands beside its mark."""
    if finding.value is None:
        return ""
    if finding.interval is None:
        return "no interval"
    return interval_text(finding.interval, digits_of(finding))


def describe_value(finding: Finding) -> str:
    """A value with its interval, as it is read aloud."""
    if finding.value is None:
        return f"undefined ({finding.note.rstrip('.')})" if finding.note else "undefined"
    return f"{value_with_unit(finding)}, {interval_phrase(finding.interval, digits_of(finding))}"


def describe_sizes(findings: Sequence[Finding], *, per: str) -> str:
    """Such as “615 judgments per pair”."""
    found = sorted({finding.n or 0 for finding in findings if finding.value is not None})
    if not found:
        return ""
    noun = NOUNS[findings[0].n_of]
    several = f"{found[0]:,} to {found[-1]:,} {plural(noun)}"
    many = count(found[0], noun) if len(found) == 1 else several
    return f"{many} {per}".strip()


def describe_intervals(findings: Sequence[Finding]) -> str:
    """What the lines in a figure are: level and method, and what has none."""
    known = [finding for finding in findings if finding.interval is not None]
    levels = {finding.interval.level for finding in findings if finding.interval is not None}
    if not levels:
        return "No interval could be computed."
    ways = dict.fromkeys(
        found[1] for finding in known if (found := _INTERVAL.search(finding.method))
    )
    how = f", {next(iter(ways))}" if len(ways) == 1 else ""
    lines = f"Lines are {level_text(max(levels))} intervals{how}"
    bare = sum(f.interval is None and f.value is not None for f in findings)
    ends = f"; {count(bare, 'mark')} without one." if bare else "."
    weighted = f" {WEIGHTED_INPUTS}" if any(f.is_weighted for f in findings) else ""
    return f"{lines}{ends}{weighted}"


def describe_undefined(findings: Iterable[tuple[str, Finding]]) -> str:
    """What could not be drawn, by name."""
    names = [name for name, finding in findings if finding.value is None]
    return f" Undefined and not drawn: {', '.join(names)}." if names else ""


def format_tick(value: float) -> str:
    """A number of an axis, as short as it can be, with a true minus."""
    behind = f"{value:.10f}".rstrip("0").partition(".")[2]
    return number(value, len(behind))


@dataclass(frozen=True, slots=True)
class Label:
    """One to three lines, drawn around a middle."""

    lines: Sequence[str]

    def draw(
        self, drawing: Drawing, x: float, middle: float, *, anchor: Anchor = "start",
        kind: Kind = "strong",
    ) -> None:  # fmt: skip
        """The lines, with their middle at `middle`."""
        first = middle + 4 - LINE * (len(self.lines) - 1) / 2
        for place, line in enumerate(self.lines):
            drawing.text(x, first + place * LINE, line, anchor=anchor, kind=kind)


def draw_centred(drawing: Drawing, middle: float, y: float, words: str) -> None:
    """Soft words around a middle, moved as little as needed to stay within the drawing."""
    x = centred_within(drawing.width, middle, words)
    drawing.text(x, y, words, anchor="middle", kind="soft")


def centred_within(width: float, middle: float, words: str) -> float:
    """The middle of words once they are moved into a drawing that is so wide."""
    half = text_width(words) / 2
    return min(max(middle, half), width - half)


def push_apart(
    places: Sequence[float], halves: Sequence[float], room: tuple[float, float], *, gap: float
) -> list[float]:
    """Places in order, moved forward until none meets the one before, then back into the room.

    `halves` are the halves of what stands there: widths along a line, heights along a column.
    """
    moved: list[float] = []
    least = room[0]
    for place, half in zip(places, halves, strict=True):
        moved.append(max(place, least + half))
        least = moved[-1] + half + gap
    most = room[1]
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], most - halves[at])
        most = moved[at] - halves[at] - gap
    return moved
