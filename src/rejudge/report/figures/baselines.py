"""Baselines next to the participants: one row each, the systems as marks on one axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rejudge.layout.numbers import level_text, number
from rejudge.layout.table import file_name
from rejudge.report.drawing.axes import AxisScale, ticks
from rejudge.report.drawing.marks import NARROW, SHADES, WIDTH, Box, Drawing
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import text_width, truncate
from rejudge.report.figures.context import (
    LINE,
    SystemStyles,
    draw_centred,
    draw_marker,
    format_tick,
)
from rejudge.report.figures.rows import fitting_ticks
from rejudge.simulate.baseline_run import DRAWS
from rejudge.simulate.baselines import BaselineOutcome, Baselines, MeasuredScore
from rejudge.study.model import Study

_EDGE = 6.0
_GAP = 14.0
_MARK = 13.0  # between the middles of two marks that would meet
_ROW = 30.0
_LINE_OF_SYSTEM = 15.0  # in the participants' row, where each system has a line of its own
_MOST_LABEL = 150.0
_PEOPLE = "participants"


@dataclass(frozen=True, slots=True)
class _BaselineRow:
    """The systems' scores by one baseline, and what stands behind the row."""

    label: str
    scores: Mapping[str, float]
    behind: str


@dataclass(frozen=True, slots=True)
class _Axes:
    """The scale of a question on the paper."""

    span: AxisScale
    marks: tuple[float, ...]
    title: str
    reference: float | None


def baseline_pictures(
    baselines: Baselines, study: Study, *, width: float = WIDTH
) -> tuple[Picture, ...]:
    """One figure per question that a baseline can decide."""
    found = (_picture(baselines, study, question, width) for question in baselines.questions)
    return tuple(picture for picture in found if picture is not None)


def _picture(baselines: Baselines, study: Study, question: str, width: float) -> Picture | None:
    styles = _styles(study)
    rows = list(_rows(baselines, question))
    measured = [each for each in baselines.measured_on(question) if each.value is not None]
    if not rows:
        return None
    what = f"Scores of systems on {question} when rules answer instead of participants"
    drawing = Drawing(f"{what}.", _describe(rows, measured, styles), width)
    axes = _axes(study, question, rows, measured, width=width)
    y = _draw_legend(drawing, styles, _systems(rows, measured, study))
    top = y
    y = _draw_participants(drawing, measured, axes.span, styles=styles, top=y)
    for row in rows:
        y = _draw_row(drawing, row, axes.span, styles=styles, top=y)
    _draw_axis(drawing, axes, top, y)
    return Picture(
        f"baseline-{file_name(question)}",
        _caption(baselines, what, measured),
        drawing.finish(y + 24 + LINE + 6),
        "table-baseline-scores",
    ).in_section("baselines", "baselines", question)


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


def _label_width(rows: Sequence[_BaselineRow], width: float) -> float:
    if width < NARROW:
        return 0.0
    return min(_MOST_LABEL, max(text_width(word) for word in (_PEOPLE, *(r.label for r in rows))))


def _axes(
    study: Study,
    question: str,
    rows: Sequence[_BaselineRow],
    measured: Sequence[MeasuredScore],
    *,
    width: float,
) -> _Axes:
    label = _label_width(rows, width)
    behind = max((text_width(row.behind) for row in rows), default=0.0)
    left = _EDGE + (label + _GAP if label else 0.0) + _MARK
    right = width - _EDGE - _MARK - (behind + _GAP if behind and label else 0.0)
    asked = next(each for each in study.spec.questions if each.id == question)
    if asked.bounds is not None:
        low, high = asked.bounds
        marks = asked.values or ticks(low, high)
        return _Axes(AxisScale(low, high, left, right), marks, "Mean score", None)
    values = [value for row in rows for value in row.scores.values()]
    values += [end for each in measured for end in _ends(each)]
    reach = max(50.0, *(abs(value) for value in values))
    reach = 100.0 if reach > 50.0 else 50.0  # noqa: PLR2004 - half of the scale, or all of it
    marks = tuple(reach * share for share in (-1, -0.5, 0, 0.5, 1))
    return _Axes(AxisScale(-reach, reach, left, right), marks, "Relative preference, %", 0.0)


def _ends(score: MeasuredScore) -> tuple[float, ...]:
    ends = (score.interval.low, score.interval.high) if score.interval else ()
    return (score.value or 0.0, *ends)


def _draw_legend(drawing: Drawing, styles: SystemStyles, systems: Sequence[str]) -> float:
    """The systems with their marks, in rows; gives where the drawing goes on."""
    x, y = _EDGE, 12.0
    for system in systems:
        words = truncate(styles.name(system), drawing.width - 3 * _EDGE - _MARK)
        wide = _MARK + 4 + text_width(words) + 18
        if x > _EDGE and x + wide > drawing.width:
            x, y = _EDGE, y + 20
        draw_marker(drawing, x + 5, y, shade=styles.shade(system))
        drawing.text(x + 5 + _MARK, y + 4, words)
        x += wide
    return y + 18


def _draw_participants(
    drawing: Drawing,
    measured: Sequence[MeasuredScore],
    span: AxisScale,
    *,
    styles: SystemStyles,
    top: float,
) -> float:
    """The participants' scores with their intervals, a line for each system, the best first."""
    if not measured:
        return top
    y = _draw_label(drawing, _PEOPLE, "", top, height=_LINE_OF_SYSTEM * len(measured) + 8)
    for each in sorted(measured, key=lambda score: -(score.value or 0.0)):
        y += _LINE_OF_SYSTEM
        shade = styles.shade(each.system)
        if each.interval is not None:
            low, high = span.position(each.interval.low), span.position(each.interval.high)
            drawing.whisker(low, high, y - 4, shade=shade)
        draw_marker(drawing, span.position(each.value or 0.0), y - 4, shade=shade)
    drawing.line(_EDGE, y + 8, drawing.width - _EDGE, y + 8, kind="line")
    return y + 8


def _draw_row(
    drawing: Drawing, row: _BaselineRow, span: AxisScale, *, styles: SystemStyles, top: float
) -> float:
    """The marks of one baseline on a line; those that would meet are moved up and down."""
    places = {name: span.position(value) for name, value in row.scores.items()}
    levels = _levels(places)
    height = max(_ROW, _MARK * (max(levels.values()) + 1) + 10)
    y = _draw_label(drawing, row.label, row.behind, top, height=height)
    bottom = y + height
    most = max(levels.values())
    for name, x in places.items():
        middle = y + height / 2 + _MARK * (levels[name] - most / 2)
        draw_marker(drawing, x, middle, shade=styles.shade(name), is_filled=False)
    drawing.line(_EDGE, bottom, drawing.width - _EDGE, bottom)
    return bottom


def _levels(places: Mapping[str, float]) -> dict[str, int]:
    """A level for each mark such that no two on one level meet."""
    last: list[float] = []
    levels = {}
    for name, x in sorted(places.items(), key=lambda each: each[1]):
        free = next((level for level, end in enumerate(last) if x - end >= _MARK), len(last))
        if free == len(last):
            last.append(x)
        last[free] = x
        levels[name] = free
    return levels


def _draw_label(drawing: Drawing, label: str, behind: str, top: float, *, height: float) -> float:
    """The name of a row, beside it or above it, and what stands behind; gives its upper edge."""
    if drawing.width < NARROW:
        words = truncate(label, drawing.width - 3 * _EDGE - text_width(behind))
        wide = text_width(behind)
        for x, room in ((0.0, text_width(words) + 2 * _EDGE), (drawing.width - wide - 9, wide + 9)):
            drawing.box(Box(x, top + 2, room, LINE + 3), kind="paper", edge=None)  # hides the rules
        drawing.text(_EDGE, top + LINE, words, kind="strong")
        drawing.text(drawing.width - _EDGE, top + LINE, behind, anchor="end", kind="soft")
        return top + LINE
    middle = top + height / 2 + 4
    drawing.text(_EDGE, middle, truncate(label, _MOST_LABEL), kind="strong")
    drawing.text(drawing.width - _EDGE, middle, behind, anchor="end", kind="soft")
    return top


def _draw_axis(drawing: Drawing, axes: _Axes, top: float, bottom: float) -> None:
    rules = Drawing("", "", drawing.width)
    span = axes.span
    for tick in fitting_ticks(axes.marks, span, drawing.width):
        x = span.position(tick)
        is_reference = tick == axes.reference
        rules.line(x, top, x, bottom, kind="line" if is_reference else "hair", width=1)
        draw_centred(drawing, x, bottom + 16, format_tick(tick))
    draw_centred(drawing, (span.left + span.right) / 2, bottom + 16 + LINE + 2, axes.title)
    drawing.marks[:0] = rules.marks  # marks lie above the rules
