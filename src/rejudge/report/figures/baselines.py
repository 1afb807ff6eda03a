"""Baselines next to the participants: one row each, the systems as marks on one axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rejudge.layout.numbers import level_text, number
from rejudge.layout.table import file_name
from rejudge.report.figures.context import SystemStyles
from rejudge.report.figures.registry import Picture, figure, pictures_per
from rejudge.report.figures.style import (
    EDGE,
    HAIR,
    LINE,
    PAPER,
    RULE,
    SHADES,
    SOFT,
    PanelSheet,
    colour,
    draw_whisker,
    marker,
    text_width,
    ticks,
    truncate,
)
from rejudge.simulate.baseline_run import DRAWS
from rejudge.simulate.baselines import BaselineOutcome, Baselines, MeasuredScore
from rejudge.study.model import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GAP = 10.0
_MARK = 9.5  # between the middles of two marks that would meet
_ROW = 22.0
_LINE_OF_SYSTEM = 11.0  # in the participants' row, where each system has a line of its own
_MOST_LABEL = 110.0
_PEOPLE = "participants"


@dataclass(frozen=True, slots=True)
class _BaselineRow:
    """The systems' scores by one baseline, and what stands behind the row."""

    label: str
    scores: Mapping[str, float]
    behind: str


@dataclass(frozen=True, slots=True)
class _Scale:
    """From where to where the scores of a question go."""

    low: float
    high: float
    marks: tuple[float, ...]
    title: str
    reference: float | None = None


def baseline_pictures(baselines: Baselines, study: Study) -> tuple[Picture, ...]:
    """One figure per question that a baseline can decide."""
    return tuple(
        each
        for question in baselines.questions
        for each in pictures_per("baselines", baselines, study, question)
    )


@figure("baseline", section="baselines", per="baselines", family="baselines")
def _picture(baselines: Baselines, study: Study, question: str) -> Picture | None:
    styles = _styles(study)
    rows = list(_rows(baselines, question))
    measured = [each for each in baselines.measured_on(question) if each.value is not None]
    if not rows:
        return None
    what = f"Scores of systems on {question} when rules answer instead of participants"
    scale = _scale(study, question, rows, measured)
    return Picture(
        _caption(baselines, what, measured),
        f"{what}.",
        _describe(rows, measured, styles),
        partial(
            _draw, scale, rows, measured, styles=styles, systems=_systems(rows, measured, study)
        ),
        name=file_name(question),
        numbers_in="table-baseline-scores",
    )


def _styles(study: Study) -> SystemStyles:
    names = {system.id: system.label for system in study.spec.systems}
    shades = (
        {name: place for place, name in enumerate(names, start=1)} if len(names) <= SHADES else {}
    )
    return SystemStyles(names, shades)


def _rows(baselines: Baselines, question: str) -> Iterator[_BaselineRow]:
    for run in baselines.runs:
        outcome = run.outcome(question)
        scores = (
            {s.system: s.value for s in outcome.scores if s.value is not None} if outcome else {}
        )
        if outcome is not None and scores:
            yield _BaselineRow(run.id, scores, _behind(outcome))


def _behind(outcome: BaselineOutcome) -> str:
    share = outcome.agreement.value if outcome.agreement else None
    return "" if share is None else f"{number(share, 0)}\u202f% agree"


def _systems(
    rows: Sequence[_BaselineRow], measured: Sequence[MeasuredScore], study: Study
) -> list[str]:
    seen = {name for row in rows for name in row.scores} | {each.system for each in measured}
    return [name for name in study.system_ids if name in seen]


def _caption(baselines: Baselines, what: str, measured: Sequence[MeasuredScore]) -> str:
    simulated = "Simulated. " if baselines.is_simulated else ""
    chance = f" Where chance plays a part, marks are means of {DRAWS} draws."
    if not measured:
        return f"{simulated}{what}. No judgments have been collected yet.{chance}"
    n = sum(each.n for each in measured) // len(measured)
    return (
        f"{simulated}{what}. Above, the participants' scores with {level_text(baselines.level)} "
        f"intervals, about {n:,} judgments per system; below, each baseline, and the percentage of "
        f"participants' judgments that it agrees with.{chance}"
    )


def _describe(
    rows: Sequence[_BaselineRow], measured: Sequence[MeasuredScore], styles: SystemStyles
) -> str:
    """The figure in words."""
    parts = [(_PEOPLE, {each.system: each.value or 0.0 for each in measured})] if measured else []
    parts += [(row.label, dict(row.scores)) for row in rows]
    told = []
    for label, scores in parts:
        ranked = sorted(scores.items(), key=lambda each: -each[1])
        listed = ", ".join(f"{styles.name(name)} {number(value, 1)}" for name, value in ranked)
        told.append(f"{label}: {listed}")
    return f"{'; '.join(told)}."


def _scale(
    study: Study, question: str, rows: Sequence[_BaselineRow], measured: Sequence[MeasuredScore]
) -> _Scale:
    asked = next(each for each in study.spec.questions if each.id == question)
    if asked.bounds is not None:
        low, high = asked.bounds
        return _Scale(low, high, tuple(asked.values or ticks(low, high)), "Mean score")
    values = [value for row in rows for value in row.scores.values()]
    for each in measured:
        ends = (each.interval.low, each.interval.high) if each.interval else ()
        values += [each.value or 0.0, *ends]
    half = 50.0
    reach = 2 * half if max(map(abs, values)) > half else half
    marks = tuple(reach * share for share in (-1, -0.5, 0, 0.5, 1))
    return _Scale(-reach, reach, marks, "Relative preference, %", 0.0)


def _draw(
    scale: _Scale,
    rows: Sequence[_BaselineRow],
    measured: Sequence[MeasuredScore],
    width: float,
    *,
    styles: SystemStyles,
    systems: Sequence[str],
) -> Figure:
    """The participants' scores, a line for each system, above; a row for each baseline below."""
    sheet = PanelSheet(width)
    top = sheet.legend([(styles.name(each), _legend_mark(styles.shade(each))) for each in systems])
    label, behind = 0.0, 0.0
    if not sheet.is_narrow:
        names = (_PEOPLE, *(row.label for row in rows))
        label = min(_MOST_LABEL, max(text_width(each, is_bold=True) for each in names)) + _GAP
        behind = max(text_width(row.behind) for row in rows) + _GAP
    left, right = EDGE + label + _MARK, width - EDGE - behind - _MARK
    head = (LINE + 3) * sheet.is_narrow
    people = head + _LINE_OF_SYSTEM * len(measured) + 6 if measured else 0.0
    span = (right - left) / (scale.high - scale.low)
    levels = [_levels({name: value * span for name, value in r.scores.items()}) for r in rows]
    heights = [max(_ROW, _MARK * (max(each.values()) + 1) + 7) + head for each in levels]
    axes = sheet.rows(left, top, right, top + people + sum(heights))
    axes.set_xlim(scale.low, scale.high)
    axes.grid(axis="x")
    if scale.reference is not None:
        axes.axvline(scale.reference, color=RULE, lw=1.1)
    sheet.ticks_across(axes, scale.marks)
    sheet.title(axes, scale.title)
    if measured:
        _name_row(sheet, axes, _PEOPLE, "", top=0.0, height=people)
        _draw_people(axes, measured, styles, head)
        _rule(sheet, axes, people, RULE)
    y = people
    for row, level, height in zip(rows, levels, heights, strict=True):
        _name_row(sheet, axes, row.label, row.behind, top=y, height=height)
        middle = y + head + (height - head) / 2
        for name, value in row.scores.items():
            place = middle + _MARK * (level[name] - max(level.values()) / 2)
            axes.plot([value], [place], **marker(styles.shade(name), is_filled=False))
        y += height
        _rule(sheet, axes, y, HAIR)
    return sheet.finish(top + y + 32)


def _legend_mark(shade: int) -> object:
    return lambda axes, x, y: axes.plot([x], [y], **marker(shade))


def _rule(sheet: PanelSheet, axes: Axes, y: float, tone: str) -> None:
    ends = [EDGE / 72, (sheet.width - EDGE) / 72]
    axes.plot(ends, [y, y], color=tone, lw=0.75, transform=sheet.beside(axes))


def _draw_people(
    axes: Axes, measured: Sequence[MeasuredScore], styles: SystemStyles, top: float
) -> None:
    """With their intervals, the best first."""
    ranked = sorted(measured, key=lambda score: -(score.value or 0.0))
    for place, each in enumerate(ranked):
        y, shade = top + _LINE_OF_SYSTEM * (place + 0.75), styles.shade(each.system)
        if each.interval is not None:
            ends = (each.interval.low, each.interval.high)
            draw_whisker(axes, ends, y, tone=colour(shade), lw=1.1)
        axes.plot([each.value or 0.0], [y], **marker(shade))


def _levels(places: Mapping[str, float]) -> dict[str, int]:
    """The line of each mark, so that no two meet."""
    last: list[float] = []
    levels = {}
    for name, x in sorted(places.items(), key=lambda each: each[1]):
        free = next((level for level, end in enumerate(last) if x - end >= _MARK), len(last))
        if free == len(last):
            last.append(x)
        last[free] = x
        levels[name] = free
    return levels


def _name_row(
    sheet: PanelSheet, axes: Axes, label: str, behind: str, *, top: float, height: float
) -> None:
    """The name of a row, beside it or above it, and what stands behind."""
    y = top + (LINE / 2 + 3 if sheet.is_narrow else height / 2)
    room = sheet.width - 4 * EDGE - text_width(behind) if sheet.is_narrow else _MOST_LABEL
    ground = {"bbox": {"fc": PAPER, "ec": "none", "pad": 0.5}} if sheet.is_narrow else {}
    sheet.write(axes, EDGE, y, truncate(label, room, is_bold=True), weight="bold", **ground)
    sheet.write(axes, sheet.width - EDGE, y, behind, ha="right", color=SOFT, **ground)
