"""How the systems stand on a question: scores, wins, preference, strengths."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis import Finding, ScoreCounts
from rejudge.english import capital
from rejudge.layout.table import file_name
from rejudge.report.drawing import Drawing, Picture, ticks
from rejudge.report.figures.context import (
    UNRANKED,
    FigureContext,
    describe_intervals,
    describe_sizes,
    describe_undefined,
    describe_value,
    format_interval,
    format_tick,
    format_value,
    ranked,
)
from rejudge.report.figures.rows import Axis, EstimateRow, data_range, draw_rows, ticks_around

_MOST_POINTS = 11


def standings_picture(context: FigureContext, question: str) -> Picture | None:
    """Scores or percentages of wins, one mark per system, the best first."""
    found = context.standings(question)
    rows = _rows(context, found)
    if not any(row.value is not None for row in rows):
        return None
    if context.is_comparison(question):
        axis = Axis(0, 100, "Comparisons won, %", (0, 25, 50, 75, 100), reference=50)
        what = f"Share of comparisons won by each system on {question}, a tie as half"
        what += "; the heavy line marks 50\u202f%"
    else:
        axis = _scale(context, question, rows)
        what = f"Mean score of each system on {question}, on the whole scale"
        details = context.details(question)
        if details and details.scores:
            low, high = details.scores.at[0], details.scores.at[-1]
            what += f" from {format_tick(low)} to {format_tick(high)}"
        what += "" if context.is_ranked(question) else UNRANKED
    return _picture(context, found, axis, texts=("systems", what, "systems"))


def preference_picture(context: FigureContext, question: str) -> Picture | None:
    """Wins minus losses over all comparisons of a system, as bars from zero."""
    found = ranked(context.results.of(question, "best-worst-score"))
    rows = _rows(context, found, is_bar=True)
    if not any(row.value is not None for row in rows):
        return None
    marks = ticks_around(rows)
    is_implied = _is_implied(context, question)
    sides = ("more often worse", "more often better") if is_implied else ("more lost", "more won")
    axis = Axis(marks[0], marks[-1], "Relative preference, %", marks, 0, sides)
    what = f"Relative preference on {question}: {_counted(context, question)}"
    return _picture(context, found, axis, texts=("preference", what, "systems"), is_bar=True)


def _is_implied(context: FigureContext, question: str) -> bool:
    """Whether comparisons follow from rankings or best–worst answers."""
    return any(f.n_of == "comparisons" for f in context.results.of(question, "win-percent", "wins"))


def _counted(context: FigureContext, question: str) -> str:
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
    alone = [f for f in context.results.of(question, "strength") if len(f.systems) == 1]
    model = min(alone, key=lambda f: (not f.is_planned, f.by)).by if alone else ""
    found = ranked(f for f in alone if f.by == model)
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
    return _picture(context, found, axis, texts=texts, per="in all")


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


def _picture(
    context: FigureContext,
    found: Sequence[Finding],
    axis: Axis,
    *,
    texts: tuple[str, str, str],
    is_bar: bool = False,
    per: str = "per system",
) -> Picture:
    kind, what, table = texts
    rows = _rows(context, found, is_bar=is_bar)
    many = describe_sizes(found, per=per)
    named = [(row.label, finding) for row, finding in zip(rows, found, strict=True)]
    says = "; ".join(f"{label}: {describe_value(finding)}" for label, finding in named)
    caption = (
        f"{context.prefix}{what}. {describe_intervals(found)} {capital(many)}{_people(found)}."
        f"{describe_undefined(named)}"
    )
    drawing = draw_rows(Drawing(f"{context.prefix}{what}.", f"{says}.", context.width), rows, axis)
    question = found[0].question
    return Picture(
        f"{file_name(question)}-{kind}",
        caption,
        drawing,
        f"table-{question}-{table}" if table else "",
    )


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
