"""How scores are distributed, who beat whom, and who judges like whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from rejudge.english import count, span, verb
from rejudge.findings.frame import Frame, Row
from rejudge.layout.numbers import NARROW, number, percent
from rejudge.report.figures.context import UNRANKED, FigureContext
from rejudge.report.figures.grid import MOST_NAMED, GridCell, are_written, draw_grid
from rejudge.report.figures.registry import Picture, figure
from rejudge.report.figures.style import (
    COLOURS,
    EDGE,
    LINE,
    PAPER,
    RULE,
    SOFT,
    STRONGEST,
    WIDTH,
    PanelSheet,
    spread_apart,
    text_width,
    truncate,
    wrap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GAP = 9.0
_BAR = 17.0
_ROW = 24.0
_HEAD = 19.0
_MOST_LABEL = 0.30  # of the width
_FAINTEST = 0.06
_LEADER = 7.0  # height of the lines from names to parts


@dataclass(frozen=True, slots=True)
class _Bar:
    """The scores of one system, or of one system on one dataset."""

    label: str
    n: int
    shares: tuple[float, ...]
    begins: str = ""  # a head above it


@figure("scores", section="results", per="question", table="scores")
def scores_picture(context: FigureContext, question: str) -> Picture | None:
    """One stacked bar per system; the names of the scores stand above the first."""
    frame = context.results.frame("scores", question)
    bars = _bars(context, frame)
    if not bars:
        return None
    return _distribution(context, frame, bars, where=f"on {question}", notes=_notes(frame, bars))


@figure("scores-by-dataset", section="results", per="question", family="scores by dataset")
def dataset_scores_picture(context: FigureContext, question: str) -> Picture | None:
    """The same for each dataset that the items come from."""
    frames = [
        each
        for each in context.results.frames
        if (each.name, each.question) == ("scores", question) and each.group
    ]
    bars = [
        replace(bar, begins="" if place else frame.group[0].name)
        for frame in frames
        for place, bar in enumerate(_bars(context, frame))
    ]
    if not bars:
        return None
    return _distribution(context, frames[0], bars, where=f"on {question} within each dataset")


def _bars(context: FigureContext, frame: Frame) -> list[_Bar]:
    by_system: dict[str, list[Row]] = {}
    for row in frame.rows:
        by_system.setdefault(row["system"], []).append(row)
    order = [finding.systems[0] for finding in context.standings(frame.question)]
    if frame.facts.get("is_named"):  # labels without order do not rank systems
        order = list(by_system)
    return [
        _Bar(
            context.systems.name(system),
            sum(row["count"] for row in by_system[system]),
            tuple(row["percent"] for row in by_system[system] if row["score"] is not None),
        )
        for system in order
        if system in by_system and any(row["count"] for row in by_system[system])
    ]


def _distribution(
    context: FigureContext, frame: Frame, bars: Sequence[_Bar], *, where: str, notes: str = ""
) -> Picture:
    names = [n for n in dict.fromkeys(row["score"] for row in frame.rows) if n is not None]
    what = (
        f"How often each score was given {where}, in percent of each system’s scores, from the "
        "lowest (faint) to the highest"
    )
    order = "; best mean over all first" if context.is_ranked(frame.question) else UNRANKED
    if frame.facts["is_named"]:
        what = f"How often each label was given {where}, in percent of each system’s labels"
        order = ""
    said = "; ".join(
        f"{f'{bar.begins}: ' if bar.begins else ''}{bar.label}, {count(bar.n, 'score')}: "
        + ", ".join(f"{at} {number(s, 0)}\u202f%" for at, s in zip(names, bar.shares, strict=True))
        for bar in bars
    )
    return Picture(
        f"{context.prefix}{what}{order}. Parts that are too small have no number.{notes}",
        f"{context.prefix}{what}.",
        f"{said}.",
        partial(_draw_bars, bars, [" ".join(name.split()) for name in names]),
    )


def _draw_bars(bars: Sequence[_Bar], names: Sequence[str], width: float) -> Figure:
    """A row for each bar; on phones its name stands above it."""
    sheet = PanelSheet(width)
    sizes = [f"n = {bar.n:,}" for bar in bars]
    longest = max(text_width(bar.label, is_bold=True) for bar in bars)
    label = 0.0 if sheet.is_narrow else min(width * _MOST_LABEL, longest) + _GAP
    behind = 0.0 if sheet.is_narrow else max(map(text_width, sizes)) + _GAP
    height = _ROW + (LINE + 1) * sheet.is_narrow
    key = LINE + _LEADER + 4
    bottom = key + height * len(bars) + _HEAD * sum(bool(bar.begins) for bar in bars)
    left, right = EDGE + label, width - EDGE - behind
    axes = sheet.rows(left, 0, right, bottom)
    axes.set_xlim(0, 100)
    axes.xaxis.set_visible(False)
    y = key
    for place, (bar, size) in enumerate(zip(bars, sizes, strict=True)):
        if bar.begins:
            y += _HEAD
            sheet.write(axes, EDGE, y - 9, truncate(bar.begins, width - 2 * EDGE), color=SOFT)
        if sheet.is_narrow:
            name = truncate(bar.label, width - 4 * EDGE - text_width(size), is_bold=True)
            sheet.write(axes, EDGE, y + LINE / 2 - 1, name, weight="bold")
            sheet.write(axes, width - EDGE, y + LINE / 2 - 1, size, ha="right", color=SOFT)
        else:
            name_lines = wrap(bar.label, label - _GAP, 2, is_bold=True)
            sheet.lines(axes, left - _GAP, y + _BAR / 2, name_lines, ha="right")
            sheet.write(axes, width - EDGE, y + _BAR / 2, size, ha="right", color=SOFT)
        upper = y + (LINE + 1) * sheet.is_narrow
        _draw_parts(axes, bar.shares, upper + _BAR / 2, right - left)
        if place == 0:
            _draw_key(sheet, axes, bar.shares, names, top=y if sheet.is_narrow else upper)
        y += height
    return sheet.finish(bottom)


def _starts(shares: Sequence[float]) -> list[float]:
    return [sum(shares[:place]) for place in range(len(shares))]


def _draw_parts(axes: Axes, shares: Sequence[float], y: float, width: float) -> None:
    from matplotlib.colors import to_rgba

    last = max(len(shares) - 1, 1)
    least = STRONGEST if len(shares) == 1 else _FAINTEST
    fills = [
        to_rgba(COLOURS["s1"], least + (STRONGEST - least) * place / last)
        for place in range(len(shares))
    ]
    axes.barh([y] * len(shares), shares, _BAR, _starts(shares), color=fills, ec=PAPER, lw=1)
    for start, share in zip(_starts(shares), shares, strict=True):
        words = number(share, 0)
        if share and text_width(words) + 3 <= width * share / 100:
            axes.text(start + share / 2, y, words, ha="center", va="center_baseline")


def _draw_key(
    sheet: PanelSheet, axes: Axes, shares: Sequence[float], names: Sequence[str], *, top: float
) -> None:
    """Names above the parts of the first bar, moved apart where they would meet."""
    room = sheet.width - 2 * EDGE
    chosen = [0]
    for step in range(1, len(names) + 1):  # all names, or every second, or every third
        chosen = list(range(0, len(names), step))
        if sum(text_width(names[place]) + 6 for place in chosen) <= room:
            break
    middles = [sheet.place(axes, start + share / 2)
               for start, share in zip(_starts(shares), shares, strict=True)]  # fmt: skip
    halves = [text_width(names[place]) / 2 + 3 for place in chosen]
    places = spread_apart([middles[at] for at in chosen], halves, (EDGE, sheet.width - EDGE))
    across = sheet.beside(axes)
    for place, x in zip(chosen, places, strict=True):
        name = truncate(names[place], room)
        sheet.write(axes, x, top - _LEADER - 3, name, ha="center", va="baseline", color=SOFT)
        ends = [x / 72, middles[place] / 72]
        axes.plot(ends, [top - _LEADER, top - 1.5], color=RULE, lw=0.75, transform=across)


def _notes(frame: Frame, bars: Sequence[_Bar]) -> str:
    off = sum(row["count"] for row in frame.rows if row["score"] is None)
    without = len({row["system"] for row in frame.rows}) - len(bars)
    told = (
        f"{count(off, 'score')} {verb(off, 'is', 'are')} not on the scale and not shown."
        if off
        else "",
        f"{count(without, 'system')} {verb(without, 'has', 'have')} no scores." if without else "",
        *frame.notes,
    )
    return "".join(f" {each}" for each in told if each)


_EVEN = 50.0
_LEAST_SYSTEMS = 3  # systems; of two, the pair has said it already
_LEAST_SHARE = 1 / 3  # of pairs with a value; a map with fewer is mostly holes
_MOST_SPOKEN = 10  # people whose pairs are all read aloud


@figure("wins", section="results", per="question", table="wins")
def wins_picture(context: FigureContext, question: str) -> Picture | None:
    """Percent won by the row against the column, the systems in the order of their standing."""
    rows = context.results.frame("wins", question).rows
    met = {row["row"] for row in rows if row["win_percent"] is not None}
    order = [f.systems[0] for f in context.standings(question) if f.systems[0] in met]
    if len(order) < _LEAST_SYSTEMS:
        return None
    systems, order = len(order), order[:MOST_NAMED]
    place = {system: at for at, system in enumerate(order)}
    cells = {
        (place[row["row"]], place[row["column"]]): row
        for row in rows
        if row["row"] in place and row["column"] in place
    }
    says = "; ".join(_describe_wins(context, cells[at]) for at in sorted(cells) if at[0] < at[1])
    what = (
        f"How often the system of a row was preferred to that of a column on {question}, in "
        "percent, counting a tie as half"
    )
    names = [context.systems.name(system) for system in order]
    drawn = {at: _win_cell(row["win_percent"]) for at, row in cells.items()}
    return Picture(
        f"{context.prefix}{what}; best system first. Blue: above 50{NARROW}%; orange: below. "
        f"{_comparisons_per_pair(list(cells.values()))}"
        f"{f' The first {MOST_NAMED} of {systems} systems.' if systems > MOST_NAMED else ''}",
        f"{context.prefix}{what}.",
        f"{says}.",
        partial(draw_grid, names, drawn, ("0", "50", "100")),
    )


def _win_cell(share: float | None) -> GridCell:
    if share is None:
        return GridCell("–", None, is_soft=True)
    return GridCell(number(share, 0), (share - _EVEN) / _EVEN, is_strong=share > _EVEN)


def _describe_wins(context: FigureContext, row: Row) -> str:
    pair = f"{context.systems.name(row['row'])} against {context.systems.name(row['column'])}"
    if row["win_percent"] is None:
        return f"{pair}: never met"
    return f"{pair}: {percent(row['win_percent'])} of {count(_n(row), 'comparison')}"


def _n(row: Row) -> int:
    return int(row["wins"] + row["losses"] + row["ties"])


def _comparisons_per_pair(rows: Sequence[Row]) -> str:
    met = [_n(row) for row in rows if row["win_percent"] is not None]
    dash = "" if len(met) == len(rows) else " A dash: the two were never compared."
    return f"{span(met, 'comparison')} per pair.{dash}"


_SIGNS = ("−1", "0", "1")
_MEASURES = {
    "spearman": "Spearman’s correlation between participants",
    "pearson": "Pearson’s correlation between participants",
    "percent": "How often two participants said the same, in percent,",
}


@figure("people", section="agreement", per="question")
def people_picture(context: FigureContext, question: str) -> Picture | None:
    """How two participants go together, below the diagonal; how many units they share, above."""
    frame = context.results.frame("people-pairs", question)
    pairs = _pairs(frame)
    names = _order(pairs)
    known = [pair for pair in pairs if pair.value is not None]
    if not known or len(known) < _LEAST_SHARE * _possible(names):
        return None
    measure = str(frame.facts["measure"])
    is_percent = measure == "percent"
    cells = _cells(pairs, names, is_percent=is_percent)
    if not are_written(names, cells, WIDTH):
        cells = {at: _without_leading_zero(cell) for at, cell in cells.items()}
    units = (
        ", below the diagonal; above it, where there is room, how many units these are"
        if are_written(names, cells, WIDTH)
        else f" ({span([pair.n for pair in pairs], 'unit')})"
    )
    what = f"{_MEASURES[measure]} on {question}"
    colours = (
        "Stronger colours show more agreement" if is_percent else "Blue: positive, orange: negative"
    )
    return Picture(
        f"{context.prefix}{what}, over the units that both judged{units}. {colours}. Participants "
        f"who agree most with the others come first. {count(len(names), 'participant')}"
        f"{_undefined_pairs(pairs, names)}. {_mean_kappa(frame)}Exploratory.",
        f"{context.prefix}{what}.",
        _describe_people(known, names, digits=0 if is_percent else 2),
        partial(draw_grid, names, cells, ("0\u202f%", "100\u202f%") if is_percent else _SIGNS),
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two participants, how many units both judged, and how far they agree on them."""

    names: tuple[str, str]
    n: int
    value: float | None


def _pairs(frame: Frame) -> list[_Pair]:
    measure = str(frame.facts.get("measure"))
    return [_Pair((row["first"], row["second"]), row["n"], row[measure]) for row in frame.rows]


def _mean_kappa(frame: Frame) -> str:
    mean = frame.facts.get("mean_kappa")
    return f"Mean of Cohen’s kappa over pairs: {mean:.2f}. " if isinstance(mean, float) else ""


def _cells(
    pairs: Sequence[_Pair], names: Sequence[str], *, is_percent: bool
) -> dict[tuple[int, int], GridCell]:
    place = {name: at for at, name in enumerate(names)}
    cells: dict[tuple[int, int], GridCell] = {}
    for pair in pairs:
        low, high = sorted(place[name] for name in pair.names)
        cells[high, low] = _agreement_cell(pair.value, is_percent=is_percent)
        cells[low, high] = GridCell(f"{pair.n:,}", None, is_soft=True)
    return cells


def _possible(names: Sequence[str]) -> int:
    return len(names) * (len(names) - 1) // 2


def _order(pairs: Sequence[_Pair]) -> list[str]:
    """By the mean over the others, so that those who stand apart come last."""
    values: dict[str, list[float]] = {}
    for pair in pairs:
        for name in pair.names:
            values.setdefault(name, [])
            if pair.value is not None:
                values[name].append(pair.value)
    mean = {name: math.fsum(v) / len(v) if v else -math.inf for name, v in values.items()}
    return sorted(values, key=lambda name: -mean[name])


def _agreement_cell(value: float | None, *, is_percent: bool) -> GridCell:
    if value is None:
        return GridCell("–", None, is_soft=True)
    return (
        GridCell(number(value, 0), value / 100) if is_percent else GridCell(number(value, 2), value)
    )


def _without_leading_zero(cell: GridCell) -> GridCell:
    """Without the zero before the point, where cells are small: .62 instead of 0.62."""
    return replace(cell, words=cell.words.replace("0.", ".", 1))


def _undefined_pairs(pairs: Sequence[_Pair], names: Sequence[str]) -> str:
    bare = sum(pair.value is None for pair in pairs)
    apart = _possible(names) - len(pairs)
    said = f"; {count(bare, 'pair')} without a value (a dash)" if bare else ""
    return f"{said}; {count(apart, 'pair')} without a shared unit (empty)" if apart else said


def _describe_people(known: Sequence[_Pair], names: Sequence[str], *, digits: int) -> str:
    ordered = sorted(known, key=lambda pair: pair.value or 0.0)
    few = [ordered[0], ordered[len(ordered) // 2], ordered[-1]]
    told = ordered if len(names) <= _MOST_SPOKEN else few
    pairs = "; ".join(
        f"{' and '.join(pair.names)}: {number(pair.value, digits)} over {count(pair.n, 'unit')}"
        for pair in told
    )
    lead = "" if len(told) == len(known) else "The lowest, a middle and the highest value: "
    return f"{count(len(known), 'pair')} of participants. {lead}{pairs}."
