"""The scores of systems on a question: means, wins, preference, strengths, distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rejudge.analysis.details import ScoreCounts
from rejudge.english import capital, count, verb
from rejudge.findings.model import Finding
from rejudge.layout.numbers import number
from rejudge.layout.table import file_name
from rejudge.report.drawing.axes import ticks
from rejudge.report.drawing.marks import NARROW, Box, Drawing
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import text_width, truncate, wrap
from rejudge.report.figures.context import (
    LINE,
    UNRANKED,
    FigureContext,
    Label,
    describe_intervals,
    describe_sizes,
    describe_undefined,
    describe_value,
    format_interval,
    format_tick,
    format_value,
    push_apart,
    rank,
)
from rejudge.report.figures.matrices import STRONGEST
from rejudge.report.figures.rows import Axis, EstimateRow, data_range, draw_rows, ticks_around
from rejudge.tables.details import score_names

_MOST_POINTS = 11


def standings_picture(context: FigureContext, question: str) -> Picture | None:
    """Scores or percentages of wins, one mark per system, the best first."""
    found = context.standings(question)
    rows = _rows(context, found)
    if not any(row.value is not None for row in rows):
        return None
    if context.is_comparison(question):
        axis = Axis(0, 100, "Comparisons won, %", (0, 25, 50, 75, 100), reference=50)
        what = f"Share of comparisons won by each system on {question}, counting a tie as half"
        what += "; the heavy line marks 50\u202f%"
    else:
        axis = _scale(context, question, rows)
        what = f"Mean score of each system on {question}, on the whole scale"
        details = context.details(question)
        if details and details.scores:
            low, high = details.scores.at[0], details.scores.at[-1]
            what += f" from {format_tick(low)} to {format_tick(high)}"
        what += "" if context.is_ranked(question) else UNRANKED
    return _standings_figure(context, found, axis, texts=("systems", what, "systems"))


def preference_picture(context: FigureContext, question: str) -> Picture | None:
    """Wins minus losses over all comparisons of a system, as bars from zero."""
    found = rank(context.results.select(question, "best-worst-score"))
    rows = _rows(context, found, is_bar=True)
    if not any(row.value is not None for row in rows):
        return None
    marks = ticks_around(rows)
    is_implied = _is_implied(context, question)
    sides = ("more often worse", "more often better") if is_implied else ("more lost", "more won")
    axis = Axis(marks[0], marks[-1], "Relative preference, %", marks, 0, sides)
    what = f"Relative preference on {question}: {_counting_note(context, question)}"
    return _standings_figure(
        context, found, axis, texts=("preference", what, "systems"), is_bar=True
    )


def _is_implied(context: FigureContext, question: str) -> bool:
    """Whether comparisons follow from rankings or best–worst answers."""
    return any(
        f.n_of == "comparisons" for f in context.results.select(question, "win-percent", "wins")
    )


def _counting_note(context: FigureContext, question: str) -> str:
    if _is_implied(context, question):
        return (
            "how often each system was best minus how often it was worst (in rankings, the share "
            "of systems ranked below it minus the share ranked above), in percent of the judgments "
            "that it was part of"
        )
    return (
        "wins minus losses of each system, in percent of all its comparisons; 0 means as many won "
        "as lost"
    )


_STRENGTHS = {
    "bradley-terry": "Bradley–Terry strengths",
    "plackett-luce": "Plackett–Luce worths",
}


def strengths_picture(context: FigureContext, question: str) -> Picture | None:
    """Strengths by the planned model, or by Bradley and Terry's; the strongest first."""
    alone = [f for f in context.results.select(question, "strength") if len(f.systems) == 1]
    model = min(alone, key=lambda f: (not f.is_planned, f.by)).by if alone else ""
    found = rank(f for f in alone if f.by == model)
    rows = _rows(context, found)
    if not any(row.value is not None for row in rows):
        return None
    marks = ticks_around(rows)
    sides = ("weaker", "stronger")
    axis = Axis(marks[0], marks[-1], "Log strength", marks, 0, sides)
    what = (
        f"{_STRENGTHS[model]} on {question}, in log odds, their sum 0: a system 1 above "
        "another is expected to win 73\u202f% of comparisons between the two"
    )
    texts = ("strengths", what, "")
    return _standings_figure(context, found, axis, texts=texts, per="in all")


def _rows(
    context: FigureContext, findings: Sequence[Finding], *, is_bar: bool = False
) -> list[EstimateRow]:
    return [
        EstimateRow(
            context.systems.name(finding.systems[0]),
            format_value(finding),
            finding.value,
            finding.interval,
            spread=format_interval(finding),
            shade=context.systems.shade(finding.systems[0]),
            is_bar=is_bar,
        )
        for finding in findings
    ]


def _standings_figure(
    context: FigureContext,
    found: Sequence[Finding],
    axis: Axis,
    *,
    texts: tuple[str, str, str],
    is_bar: bool = False,
    per: str = "per system",
) -> Picture:
    kind, what, table = texts
    systems = len(found)
    found = found if systems <= _MOST_SYSTEMS else found[:_LEADING]
    rows = _rows(context, found, is_bar=is_bar)
    many = describe_sizes(found, per=per)
    named = [(row.label, finding) for row, finding in zip(rows, found, strict=True)]
    says = "; ".join(f"{label}: {describe_value(finding)}" for label, finding in named)
    caption = (
        f"{context.prefix}{what}. {describe_intervals(found)} {capital(many)}{_people(found)}."
        f"{describe_undefined(named)}{_rest(systems)}"
    )
    drawing = draw_rows(Drawing(f"{context.prefix}{what}.", f"{says}.", context.width), rows, axis)
    question = found[0].question
    return Picture(
        f"{file_name(question)}-{kind}",
        caption,
        drawing,
        f"table-{question}-{table}" if table else "",
    )


_MOST_SYSTEMS = 40  # rows of a figure; more would fill pages
_LEADING = 25  # of more, so many are drawn


def _rest(systems: int) -> str:
    if systems <= _MOST_SYSTEMS:
        return ""
    return f" The {_LEADING} systems that come first; the other {systems - _LEADING} are in tables."


def _people(found: Sequence[Finding]) -> str:
    known = [finding.participants for finding in found if finding.participants]
    return f" by {max(known):,} participants" if known and max(known) > 1 else ""


def _scale(context: FigureContext, question: str, rows: Sequence[EstimateRow]) -> Axis:
    """The whole scale, so that no difference looks larger than it is, and all intervals."""
    details = context.details(question)
    scores = details.scores if details else None
    if scores is None or scores.at[0] == scores.at[-1]:
        low, high = data_range(rows)
        room = (high - low) * 0.1 or 1.0
        return Axis(low - room, high + room, "Mean score")
    low, high = data_range(rows, scores.at[0], scores.at[-1])
    return Axis(low, high, "Mean score", _points(scores))


def _points(scores: ScoreCounts) -> tuple[float, ...]:
    if scores.kind == "points" and len(scores.at) <= _MOST_POINTS:
        return scores.at
    return ticks(scores.at[0], scores.at[-1])


_EDGE = 4.0
_GAP = 12.0
_BAR = 24.0
_ROW = 34.0
_HEAD = 26.0
_MOST_LABEL = 0.30  # of the width
_FAINTEST = 0.06
_LEADER = 10.0  # height of the lines from names to parts
_APART = 8.0


@dataclass(frozen=True, slots=True)
class _Bar:
    """The scores of one system, or of one system on one dataset."""

    label: str
    n: int
    shares: tuple[float, ...]
    begins: str = ""  # a head above it

    @property
    def size(self) -> str:
        return f"n = {self.n:,}"


def scores_picture(context: FigureContext, question: str) -> Picture | None:
    """One stacked bar per system; the names of the scores stand above the first."""
    details = context.details(question)
    scores = details.scores if details else None
    bars = _bars(context, question, scores) if scores else []
    if scores is None or not bars:
        return None
    return _distribution_figure(
        context,
        bars,
        score_names(scores),
        texts=(question, f"on {question}", _notes(scores, len(bars)), "scores"),
        are_labels=bool(scores.names),
    )


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
    return _distribution_figure(
        context,
        bars,
        score_names(parts[0].scores),
        texts=(question, f"on {question} within each dataset", "", "scores-by-dataset"),
        are_labels=bool(parts[0].scores.names),
    )


def _bars(context: FigureContext, question: str, scores: ScoreCounts) -> list[_Bar]:
    by_system = {each.system: each for each in scores.systems}
    order = [finding.systems[0] for finding in context.standings(question)]
    if scores.names:  # labels without order do not rank systems
        order = list(by_system)
    known = [by_system[s] for s in order if s in by_system and by_system[s].shares]
    return [_Bar(context.systems.name(each.system), each.n, each.shares) for each in known]


def _distribution_figure(
    context: FigureContext,
    bars: Sequence[_Bar],
    names: Sequence[str],
    *,
    texts: tuple[str, str, str, str],
    are_labels: bool,
) -> Picture:
    question, where, notes, kind = texts
    what = (
        f"How often each score was given {where}, in percent of each system’s scores, from the "
        "lowest (faint) to the highest"
    )
    if are_labels:
        what = f"How often each label was given {where}, in percent of each system’s labels"
    says = "; ".join(
        f"{f'{bar.begins}: ' if bar.begins else ''}{bar.label}, {count(bar.n, 'score')}: "
        + ", ".join(f"{at} {number(s, 0)}\u202f%" for at, s in zip(names, bar.shares, strict=True))
        for bar in bars
    )
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    order = "; best mean over all first" if context.is_ranked(question) else UNRANKED
    order = "" if are_labels else order
    return Picture(
        f"{file_name(question)}-{kind}",
        f"{context.prefix}{what}{order}. Parts that are too small have no number.{notes}",
        _draw(drawing, bars, names),
        f"table-{question}-scores" if kind == "scores" else "",
    )


def _draw(drawing: Drawing, bars: Sequence[_Bar], names: Sequence[str]) -> Drawing:
    is_narrow = drawing.width < NARROW
    numbers = max(text_width(bar.size) for bar in bars)
    longest = max(text_width(bar.label) for bar in bars)
    label = 0.0 if is_narrow else min(drawing.width * _MOST_LABEL, longest)
    left = _EDGE if is_narrow else _EDGE + label + _GAP
    right = drawing.width - _EDGE - (0.0 if is_narrow else numbers + _GAP)
    y = 0.0
    for place, bar in enumerate(bars):
        if bar.begins:
            y += _HEAD
            drawing.text(_EDGE, y - 8, truncate(bar.begins, drawing.width - 8), kind="soft")
        if is_narrow:
            y += LINE + 6
            _draw_above(drawing, bar, y - 6)
        if place == 0:
            y += LINE + _LEADER + 6
            _draw_key(drawing, _middles(bar.shares, left, right), names, y)
        _draw_parts(drawing, bar.shares, Box(left, y, right - left, _BAR))
        if not is_narrow:
            _draw_beside(drawing, bar, y + _BAR / 2, (label, left - _GAP))
        y += _BAR + (_ROW - _BAR if not is_narrow else 6)
    return drawing.finish(y)


def _draw_above(drawing: Drawing, bar: _Bar, y: float) -> None:
    room = drawing.width - 2 * _EDGE - text_width(bar.size) - _GAP
    drawing.text(_EDGE, y, truncate(bar.label, room), kind="strong")
    drawing.text(drawing.width - _EDGE, y, bar.size, anchor="end", kind="soft")


def _draw_beside(drawing: Drawing, bar: _Bar, y: float, label: tuple[float, float]) -> None:
    room, end = label
    Label(wrap(bar.label, room, 2)).draw(drawing, end, y, anchor="end")
    drawing.text(drawing.width - _EDGE, y + 4, bar.size, anchor="end", kind="soft")


def _middles(shares: Sequence[float], left: float, right: float) -> list[float]:
    """Where each part has its middle."""
    starts = [sum(shares[:place]) for place in range(len(shares))]
    return [
        left + (right - left) * (start + share / 2) / 100
        for start, share in zip(starts, shares, strict=True)
    ]


def _draw_key(drawing: Drawing, middles: Sequence[float], names: Sequence[str], top: float) -> None:
    """Names above the parts of the first bar, moved apart where they would meet."""
    chosen = _names_to_show(names, drawing.width)
    halves = [text_width(names[place]) / 2 for place in chosen]
    room = (_EDGE, drawing.width - _EDGE)
    places = push_apart([middles[place] for place in chosen], halves, room, gap=_APART)
    for place, x in zip(chosen, places, strict=True):
        drawing.text(x, top - _LEADER - 5, names[place], anchor="middle", kind="soft")
        drawing.line(x, top - _LEADER, middles[place], top - 2, kind="line")


def _names_to_show(names: Sequence[str], width: float) -> list[int]:
    """All names, or every second, or every third, so that they fit beside each other."""
    for step in range(1, len(names) + 1):
        chosen = list(range(0, len(names), step))
        if sum(text_width(names[place]) + _APART for place in chosen) <= width - 2 * _EDGE:
            return chosen
    return [0]


def _draw_parts(drawing: Drawing, shares: Sequence[float], whole: Box) -> None:
    x = whole.x
    for place, share in enumerate(shares):
        width = whole.width * share / 100
        if share:
            box = Box(x, whole.y, width, whole.height)
            drawing.cell(box, shade=1, strength=_strength(place, len(shares)))
            if x > whole.x:
                drawing.line(x, whole.y, x, whole.y + whole.height, kind="paper", width=1.5)
            words = number(share, 0)
            if text_width(words) + 4 <= width:
                middle = (x + width / 2, whole.y + whole.height / 2 + 4)
                drawing.text(*middle, words, anchor="middle")
        x += width


def _strength(place: int, size: int) -> float:
    return STRONGEST if size == 1 else _FAINTEST + (STRONGEST - _FAINTEST) * place / (size - 1)


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
