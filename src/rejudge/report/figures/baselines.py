"""Baselines next to the participants: one row each, the systems as marks on one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rejudge.findings.model import Finding
from rejudge.layout.numbers import level_text, number
from rejudge.layout.table import file_name
from rejudge.report.figures.context import SystemStyles
from rejudge.report.figures.forest import Axis, EstimateRow, draw_row
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
    marker,
    text_width,
    ticks,
    truncate,
)
from rejudge.simulate.baselines import AGREES, DRAWS, PARTICIPANTS, BaselineRun, Baselines
from rejudge.study.model import Study
from rejudge.tables.findings import rank

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GAP = 10.0
_MARK = 9.5  # between the middles of two marks that would meet
_ROW = 22.0
_LINE_OF_SYSTEM = 11.0  # in the participants' row, where each system has a line of its own
_MOST_LABEL = 110.0
_HALF = 50.0  # of a preference: where nothing reaches beyond, the axis ends here


def baseline_pictures(baselines: Baselines, study: Study) -> tuple[Picture, ...]:
    """One figure per question that a baseline can decide."""
    return tuple(
        each
        for question in baselines.questions
        for each in pictures_per("baselines", baselines, study, question)
    )


@figure("baseline", section="baselines", per="baselines", family="baselines")
def _picture(baselines: Baselines, study: Study, question: str) -> Picture | None:
    runs = [run for run in baselines.runs if run.scores(question)]
    if not runs:
        return None
    names = {system.id: system.label for system in study.spec.systems}
    shades = {name: place for place, name in enumerate(names, start=1)}
    styles = SystemStyles(names, shades if len(names) <= SHADES else {})
    measured = rank(f for f in baselines.scores(question) if f.value is not None)
    what = f"Scores of systems on {question} when rules answer instead of participants"
    return Picture(
        _caption(baselines, what, measured),
        f"{what}.",
        _describe(runs, question, measured, styles),
        partial(_draw, _axis(study, question, runs, measured), runs, question, measured, styles),
        name=file_name(question),
        numbers_in="table-baseline-scores",
    )


def _caption(baselines: Baselines, what: str, measured: Sequence[Finding]) -> str:
    simulated = "Simulated. " if baselines.is_simulated else ""
    chance = f" Where chance plays a part, marks are means of {DRAWS} draws."
    if not measured:
        return f"{simulated}{what}. No judgments have been collected yet.{chance}"
    n = sum(each.n or 0 for each in measured) // len(measured)
    return (
        f"{simulated}{what}. Above, the participants' scores with {level_text(baselines.level)} "
        f"intervals, about {n:,} judgments per system; below, each baseline, and the percentage of "
        f"participants' judgments that it agrees with.{chance}"
    )


def _describe(
    runs: Sequence[BaselineRun], question: str, measured: Sequence[Finding], styles: SystemStyles
) -> str:
    """The figure in words."""
    parts = [(PARTICIPANTS, measured)] if measured else []
    parts += [(run.id, rank(run.scores(question))) for run in runs]
    lists = (
        (by, ", ".join(f"{styles.name(f.systems[0])} {number(f.value, 1)}" for f in scores))
        for by, scores in parts
    )
    return f"{'; '.join(f'{by}: {scores}' for by, scores in lists)}."


def _axis(
    study: Study, question: str, runs: Sequence[BaselineRun], measured: Sequence[Finding]
) -> Axis:
    asked = next(each for each in study.spec.questions if each.id == question)
    if asked.bounds is not None:
        low, high = asked.bounds
        return Axis(low, high, "Mean score", tuple(asked.values or ticks(low, high)))
    ends = [each.value or 0.0 for run in runs for each in run.scores(question)]
    ends += [each.value or 0.0 for each in measured]
    ends += [end for f in measured if f.interval for end in (f.interval.low, f.interval.high)]
    reach = 2 * _HALF if max(map(abs, ends)) > _HALF else _HALF
    marks = tuple(reach * share for share in (-1, -0.5, 0, 0.5, 1))
    return Axis(-reach, reach, "Relative preference, %", marks, 0.0)


def _draw(
    scale: Axis,
    runs: Sequence[BaselineRun],
    question: str,
    measured: Sequence[Finding],
    styles: SystemStyles,
    width: float,
) -> Figure:
    """The participants' scores, a line for each system, above; a row for each baseline below."""
    sheet = PanelSheet(width)
    scores = {run.id: {f.systems[0]: f.value or 0.0 for f in run.scores(question)} for run in runs}
    drawn = {f.systems[0] for f in measured}.union(*scores.values())
    top = sheet.legend(
        [
            (styles.name(system), partial(_mark, styles.shade(system)))
            for system in styles.names
            if system in drawn
        ]
    )
    notes = {run.id: _agreement(run, question) for run in runs}
    label, behind = 0.0, 0.0
    if not sheet.is_narrow:
        names = (PARTICIPANTS, *scores)
        label = min(_MOST_LABEL, max(text_width(each, is_bold=True) for each in names)) + _GAP
        behind = max(map(text_width, notes.values())) + _GAP
    left, right = EDGE + label + _MARK, width - EDGE - behind - _MARK
    head = (LINE + 3) * sheet.is_narrow
    people = head + _LINE_OF_SYSTEM * len(measured) + 6 if measured else 0.0
    span = (right - left) / (scale.high - scale.low)
    levels = {name: _levels(own, _MARK / span) for name, own in scores.items()}
    heights = {
        name: max(_ROW, _MARK * (max(own.values()) + 1) + 7) + head for name, own in levels.items()
    }
    bottom = top + people + sum(heights.values())
    axes = sheet.rows(left, top, right, bottom)
    axes.set_xlim(scale.low, scale.high)
    axes.grid(axis="x")
    if scale.reference is not None:
        axes.axvline(scale.reference, color=RULE, lw=1.1)
    sheet.ticks_across(axes, scale.ticks)
    sheet.title(axes, scale.title)
    if measured:
        _name_row(sheet, axes, PARTICIPANTS, "", ends=(0.0, people), tone=RULE)
        for place, each in enumerate(measured):
            row = EstimateRow(
                "", "", each.value, each.interval, shade=styles.shade(each.systems[0])
            )
            draw_row(axes, row, head + _LINE_OF_SYSTEM * (place + 0.75))
    y = people
    for name, own in scores.items():
        _name_row(sheet, axes, name, notes[name], ends=(y, y + heights[name]), tone=HAIR)
        middle = y + head + (heights[name] - head) / 2
        for system, value in own.items():
            down = _MARK * (levels[name][system] - max(levels[name].values()) / 2)
            _mark(styles.shade(system), axes, value, middle + down, is_filled=False)
        y += heights[name]
    return sheet.finish(bottom + 32)


def _agreement(run: BaselineRun, question: str) -> str:
    """What stands behind the row of a baseline."""
    share = run.comparison(question, AGREES)
    return "" if share is None or share.value is None else f"{number(share.value, 0)}\u202f% agree"


def _mark(shade: int, axes: Axes, x: float, y: float, *, is_filled: bool = True) -> None:
    axes.plot([x], [y], **marker(shade, is_filled=is_filled))


def _levels(places: Mapping[str, float], least: float) -> dict[str, int]:
    """The line of each mark, so that no two meet."""
    last: list[float] = []
    levels = {}
    for name, x in sorted(places.items(), key=lambda each: each[1]):
        free = next((level for level, end in enumerate(last) if x - end >= least), len(last))
        last[free : free + 1] = [x]
        levels[name] = free
    return levels


def _name_row(
    sheet: PanelSheet,
    axes: Axes,
    label: str,
    behind: str,
    *,
    ends: tuple[float, float],
    tone: str,
) -> None:
    """The name of a row, beside it or above it, what stands behind, and the line below it."""
    y = ends[0] + LINE / 2 + 3 if sheet.is_narrow else sum(ends) / 2
    room = sheet.width - 4 * EDGE - text_width(behind) if sheet.is_narrow else _MOST_LABEL
    ground = {"bbox": {"fc": PAPER, "ec": "none", "pad": 0.5}} if sheet.is_narrow else {}
    sheet.write(axes, EDGE, y, truncate(label, room, is_bold=True), weight="bold", **ground)
    sheet.write(axes, sheet.width - EDGE, y, behind, ha="right", color=SOFT, **ground)
    across = [EDGE / 72, (sheet.width - EDGE) / 72]
    axes.plot(across, [ends[1]] * 2, color=tone, lw=0.75, transform=sheet.beside(axes))
