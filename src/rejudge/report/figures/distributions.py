"""How scores are distributed, who beat whom, and who judges like whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from rejudge.analysis.details import Duel, PairOfPeople, ParticipantDetails, ScoreCounts
from rejudge.english import count, span, verb
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
from rejudge.tables.details import score_names

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
    details = context.details(question)
    scores = details.scores if details else None
    bars = _bars(context, question, scores) if scores else []
    if scores is None or not bars:
        return None
    where = f"on {question}"
    return _distribution(
        context, question, bars, scores, where=where, notes=_notes(scores, len(bars))
    )


@figure("scores-by-dataset", section="results", per="question", family="scores by dataset")
def dataset_scores_picture(context: FigureContext, question: str) -> Picture | None:
    """The same for each dataset that the items come from."""
    details = context.details(question)
    parts = details.scores_by_dataset if details else ()
    bars = [
        replace(bar, begins="" if place else each.dataset)
        for each in parts
        for place, bar in enumerate(_bars(context, question, each.scores))
    ]
    if not bars:
        return None
    where = f"on {question} within each dataset"
    return _distribution(context, question, bars, parts[0].scores, where=where)


def _bars(context: FigureContext, question: str, scores: ScoreCounts) -> list[_Bar]:
    by_system = {each.system: each for each in scores.systems}
    order = [finding.systems[0] for finding in context.standings(question)]
    if scores.names:  # labels without order do not rank systems
        order = list(by_system)
    known = [by_system[s] for s in order if s in by_system and by_system[s].shares]
    return [_Bar(context.systems.name(each.system), each.n, each.shares) for each in known]


def _distribution(
    context: FigureContext,
    question: str,
    bars: Sequence[_Bar],
    scores: ScoreCounts,
    *,
    where: str,
    notes: str = "",
) -> Picture:
    names = score_names(scores)
    what = (
        f"How often each score was given {where}, in percent of each system’s scores, from the "
        "lowest (faint) to the highest"
    )
    order = "; best mean over all first" if context.is_ranked(question) else UNRANKED
    if scores.names:
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


def _notes(scores: ScoreCounts, known: int) -> str:
    off = sum(each.off_scale for each in scores.systems)
    without = len(scores.systems) - known
    told = (
        f"{count(off, 'score')} {verb(off, 'is', 'are')} not on the scale and not shown."
        if off
        else "",
        f"{count(without, 'system')} {verb(without, 'has', 'have')} no scores." if without else "",
        scores.note,
    )
    return "".join(f" {each}" for each in told if each)


_EVEN = 50.0
_LEAST_SYSTEMS = 3  # systems; of two, the pair has said it already
_LEAST_SHARE = 1 / 3  # of pairs with a value; a map with fewer is mostly holes
_MOST_SPOKEN = 10  # people whose pairs are all read aloud


@figure("wins", section="results", per="question", table="wins")
def wins_picture(context: FigureContext, question: str) -> Picture | None:
    """Percent won by the row against the column, the systems in the order of their standing."""
    details = context.details(question)
    if details is None or not details.duels:
        return None
    met = {duel.row for duel in details.duels if duel.win_percent is not None}
    order = [f.systems[0] for f in context.standings(question) if f.systems[0] in met]
    if len(order) < _LEAST_SYSTEMS:
        return None
    systems, order = len(order), order[:MOST_NAMED]
    place = {system: at for at, system in enumerate(order)}
    duels = [d for d in details.duels if d.row in place and d.column in place]
    names = [context.systems.name(system) for system in order]
    says = "; ".join(
        _describe_wins(context, duel)
        for duel in sorted(duels, key=lambda d: (place[d.row], place[d.column]))
        if place[duel.row] < place[duel.column]
    )
    what = (
        f"How often the system of a row was preferred to that of a column on {question}, in "
        "percent, counting a tie as half"
    )
    cells = {(place[duel.row], place[duel.column]): _win_cell(duel) for duel in duels}
    return Picture(
        f"{context.prefix}{what}; best system first. Blue: above 50{NARROW}%; orange: below. "
        f"{_comparisons_per_pair(duels)}{_missing_pairs(duels)}"
        f"{f' The first {MOST_NAMED} of {systems} systems.' if systems > MOST_NAMED else ''}",
        f"{context.prefix}{what}.",
        f"{says}.",
        partial(draw_grid, names, cells, ("0", "50", "100")),
    )


def _win_cell(duel: Duel) -> GridCell:
    if duel.win_percent is None:
        return GridCell("–", None, is_soft=True)
    lean = (duel.win_percent - _EVEN) / _EVEN
    return GridCell(number(duel.win_percent, 0), lean, is_strong=duel.win_percent > _EVEN)


def _describe_wins(context: FigureContext, duel: Duel) -> str:
    pair = f"{context.systems.name(duel.row)} against {context.systems.name(duel.column)}"
    if duel.win_percent is None:
        return f"{pair}: never met"
    return f"{pair}: {percent(duel.win_percent)} of {count(_n(duel), 'comparison')}"


def _n(duel: Duel) -> int:
    return duel.wins + duel.losses + duel.ties


def _comparisons_per_pair(duels: list[Duel]) -> str:
    found = sorted({_n(duel) for duel in duels if duel.win_percent is not None})
    if len(found) == 1:
        return f"{count(found[0], 'comparison')} per pair."
    return f"{found[0]:,} to {found[-1]:,} comparisons per pair."


def _missing_pairs(duels: list[Duel]) -> str:
    return (
        " A dash: the two were never compared."
        if any(duel.win_percent is None for duel in duels)
        else ""
    )


_MEASURES = {
    "spearman": "Spearman’s correlation between participants",
    "pearson": "Pearson’s correlation between participants",
    "percent": "How often two participants said the same, in percent,",
}


@figure("people", section="agreement", per="question")
def people_picture(context: FigureContext, question: str) -> Picture | None:
    """How two participants go together, below the diagonal; how many units they share, above."""
    details = context.details(question)
    people = details.people if details else None
    if people is None or not _is_dense(people):
        return None
    names = _order(people)
    cells = _cells(people, names)
    if not are_written(names, cells, WIDTH):
        cells = {at: _without_leading_zero(cell) for at, cell in cells.items()}
    is_written = are_written(names, cells, WIDTH)
    what = f"{_MEASURES[people.measure]} on {question}"
    ramp = ("0\u202f%", "100\u202f%") if people.measure == "percent" else ("−1", "0", "1")
    return Picture(
        f"{context.prefix}{what}, over the units that both judged"
        f"{_shared_units(people, is_written=is_written)}. {_colours(people)}. "
        "Participants who agree "
        "most with the others come first. "
        f"{count(len(names), 'participant')}{_undefined_pairs(people)}. Exploratory.",
        f"{context.prefix}{what}.",
        _describe_people(people),
        partial(draw_grid, names, cells, ramp),
    )


def _is_dense(people: ParticipantDetails) -> bool:
    size = len(_order(people))
    known = sum(pair.value is not None for pair in people.pairs)
    return known > 0 and known >= _LEAST_SHARE * size * (size - 1) / 2


def _cells(people: ParticipantDetails, names: Sequence[str]) -> dict[tuple[int, int], GridCell]:
    place = {name: at for at, name in enumerate(names)}
    cells: dict[tuple[int, int], GridCell] = {}
    for pair in people.pairs:
        low, high = sorted((place[pair.first], place[pair.second]))
        cells[high, low] = _agreement_cell(pair, people)
        cells[low, high] = GridCell(f"{pair.n:,}", None, is_soft=True)
    return cells


def _shared_units(people: ParticipantDetails, *, is_written: bool) -> str:
    """How many units pairs share: in the map above the diagonal, or here."""
    if is_written:
        return ", below the diagonal; above it, where there is room, how many units these are"
    return f" ({span([pair.n for pair in people.pairs], 'unit')})"


def _order(people: ParticipantDetails) -> list[str]:
    """By the mean over the others, so that those who stand apart come last."""
    values: dict[str, list[float]] = {}
    for pair in people.pairs:
        for name in (pair.first, pair.second):
            values.setdefault(name, [])
            if pair.value is not None:
                values[name].append(pair.value)
    mean = {name: math.fsum(v) / len(v) if v else -math.inf for name, v in values.items()}
    return sorted(values, key=lambda name: -mean[name])


def _agreement_cell(pair: PairOfPeople, people: ParticipantDetails) -> GridCell:
    if pair.value is None:
        return GridCell("–", None, is_soft=True)
    if people.measure == "percent":
        return GridCell(number(pair.value, 0), pair.value / 100)
    return GridCell(number(pair.value, 2), pair.value)


def _without_leading_zero(cell: GridCell) -> GridCell:
    """Without the zero before the point, where cells are small: .62 instead of 0.62."""
    return replace(cell, words=cell.words.replace("0.", ".", 1))


def _colours(people: ParticipantDetails) -> str:
    if people.measure == "percent":
        return "Stronger colours show more agreement"
    return "Blue: positive, orange: negative"


def _undefined_pairs(people: ParticipantDetails) -> str:
    size = len(_order(people))
    bare = sum(pair.value is None for pair in people.pairs)
    apart = size * (size - 1) // 2 - len(people.pairs)
    said = f"; {count(bare, 'pair')} without a value (a dash)" if bare else ""
    return f"{said}; {count(apart, 'pair')} without a shared unit (empty)" if apart else said


def _describe_people(people: ParticipantDetails) -> str:
    known = sorted(
        (pair for pair in people.pairs if pair.value is not None),
        key=lambda pair: pair.value or 0.0,
    )
    digits = 0 if people.measure == "percent" else 2
    told = (
        known
        if len(_order(people)) <= _MOST_SPOKEN
        else [known[0], known[len(known) // 2], known[-1]]
    )
    pairs = "; ".join(
        f"{pair.first} and {pair.second}: {number(pair.value, digits)} over {count(pair.n, 'unit')}"
        for pair in told
    )
    few = "" if len(told) == len(known) else "The lowest, a middle and the highest value: "
    return f"{count(len(known), 'pair')} of participants. {few}{pairs}."
