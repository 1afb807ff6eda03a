"""The scores of systems, their differences and how far people agree: estimates as forests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from rejudge.english import capital
from rejudge.findings.model import Finding
from rejudge.layout.numbers import NARROW, interval_phrase, level_text
from rejudge.report.figures.context import (
    UNRANKED,
    FigureContext,
    describe_intervals,
    describe_sizes,
    describe_undefined,
    describe_value,
    format_interval,
    format_value,
)
from rejudge.report.figures.forest import Axis, EstimateRow, data_range, draw_rows, ticks_around
from rejudge.report.figures.registry import Picture, figure
from rejudge.report.figures.style import format_tick, ticks
from rejudge.tables.findings import Scope, headlines, rank
from rejudge.tables.wording import coefficient, digits_of, name_of_test, verdict

_MOST_POINTS = 11


@figure("systems", section="results", per="question", table="systems")
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
        edges = _edges(context, question)
        if edges:
            what += f" from {format_tick(edges[0])} to {format_tick(edges[-1])}"
        what += "" if context.is_ranked(question) else UNRANKED
    return _standings(context, rows, found, axis, what=what)


@figure("preference", section="results", per="question", table="systems")
def preference_picture(context: FigureContext, question: str) -> Picture | None:
    """Best–worst scores, as bars from zero; of choices they would say again what wins say."""
    found = rank(context.results.select(question, "best-worst-score"))
    wins = context.results.select(question, "win-percent", "wins")
    rows = _rows(context, found, is_bar=True)
    is_implied = any(f.n_of == "comparisons" for f in wins)
    if not is_implied or not any(row.value is not None for row in rows):
        return None
    marks = ticks_around(rows)
    sides = ("more often worse", "more often better")
    axis = Axis(marks[0], marks[-1], "Best–worst score", marks, 0, sides)
    what = (
        f"Best–worst scores on {question}: how often each system was best minus how often it was "
        "worst (in rankings, the share of systems ranked below it minus the share ranked above), "
        "in percent of the judgments that it was part of"
    )
    return _standings(context, rows, found, axis, what=what)


_STRENGTHS = {
    "bradley-terry": "Bradley–Terry strengths",
    "plackett-luce": "Plackett–Luce worths",
}


@figure("strengths", section="results", per="question")
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
    return _standings(context, rows, found, axis, what=what, per="in all")


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


def _standings(
    context: FigureContext,
    rows: Sequence[EstimateRow],
    found: Sequence[Finding],
    axis: Axis,
    *,
    what: str,
    per: str = "per system",
) -> Picture:
    if len(found) > _MOST_SYSTEMS:
        rows, found, rest = rows[:_LEADING], found[:_LEADING], len(found) - _LEADING
        left_out = f" The {_LEADING} systems that come first; the other {rest} are in tables."
    else:
        left_out = ""
    named = [(row.label, finding) for row, finding in zip(rows, found, strict=True)]
    return Picture(
        f"{context.prefix}{what}. {describe_intervals(found)} "
        f"{capital(describe_sizes(found, per=per))}{_people(found)}."
        f"{describe_undefined(named)}{left_out}",
        f"{context.prefix}{what}.",
        "; ".join(f"{label}: {describe_value(finding)}" for label, finding in named) + ".",
        partial(draw_rows, rows, axis),
    )


_MOST_SYSTEMS = 40  # rows of a figure; more would fill pages
_LEADING = 25  # of more, so many are drawn


def _people(found: Sequence[Finding]) -> str:
    known = [finding.participants for finding in found if finding.participants]
    return f" by {max(known):,} participants" if known and max(known) > 1 else ""


def _scale(context: FigureContext, question: str, rows: Sequence[EstimateRow]) -> Axis:
    """The whole scale, so that no difference looks larger than it is, and all intervals."""
    edges = _edges(context, question)
    if not edges or edges[0] == edges[-1]:
        low, high = data_range(rows)
        room = (high - low) * 0.1 or 1.0
        return Axis(low - room, high + room, "Mean score")
    low, high = data_range(rows, edges[0], edges[-1])
    are_points = context.results.frame("scores", question).facts["kind"] == "points"
    marks = edges if are_points and len(edges) <= _MOST_POINTS else ticks(edges[0], edges[-1])
    return Axis(low, high, "Mean score", marks)


def _edges(context: FigureContext, question: str) -> tuple[float, ...]:
    """The points of the scale, or the edges of the bins; empty where they are not known."""
    rows = context.results.frame("scores", question).rows
    known = [row for row in rows if row["score"] is not None]
    ends = {end for row in known for end in (row["low"], row["high"])}
    return tuple(sorted(ends))


MOST_PAIRS = 28  # all pairs of eight systems: more do not fit a page


@dataclass(frozen=True, slots=True)
class _Difference:
    """How differences of one measure are told."""

    what: str
    title: str
    middle: float = 0.0
    sides: tuple[str, str] = ("second higher", "first higher")


_DIFFERENCES = {
    "win-percent": _Difference(
        "How often the first of two systems was preferred, counting a tie as half",
        "First preferred, %",
        50.0,
        ("second preferred", "first preferred"),
    ),
    "score-difference": _Difference(
        "Difference of best–worst scores (−100 to 100), first system minus second",
        "Difference of best–worst scores",
        sides=("second preferred", "first preferred"),
    ),
    "mean-difference": _Difference(
        "Difference in scores, first system minus second", "Difference in scores"
    ),
    "median-difference": _Difference(
        "Median of all differences, first minus second", "Median difference"
    ),
    "latent-difference": _Difference(
        "Log odds of a higher score, first against second", "Log odds of a higher score"
    ),
    "strength": _Difference(
        "Log odds that the first of two systems is preferred",
        "Log odds of being preferred",
        sides=("second preferred", "first preferred"),
    ),
}


@figure("pairs", section="results", per="question", table="pairs")
def pairs_picture(context: FigureContext, question: str) -> Picture | None:
    """A forest of all pairs by the test that decides."""
    pairs = headlines(context.results, Scope(question))
    found = [pair for pair in pairs if pair.measure in _DIFFERENCES]
    if not any(finding.value is not None for finding in found):
        return None
    chosen = _pairs_to_draw(context, question, found)
    kind = _DIFFERENCES[chosen[0].measure]
    rows = [_pair_row(context, finding) for finding in chosen]
    named = [(f"{row.label} against {row.against}", f) for row, f in zip(rows, chosen, strict=True)]
    said = "; ".join(f"{name}: {describe_value(f)}, {_support(f)}" for name, f in named)
    return Picture(
        _pairs_caption(context, kind, found, chosen) + describe_undefined(named),
        f"{context.prefix}{kind.what}, on {question}.",
        f"{said}.",
        partial(draw_rows, rows, _pairs_axis(kind, rows)),
    )


def _pair_row(context: FigureContext, finding: Finding) -> EstimateRow:
    first, second = finding.systems
    return EstimateRow(
        context.systems.name(first),
        format_value(finding),
        finding.value,
        finding.interval,
        spread=format_interval(finding),
        against=context.systems.name(second),
        is_filled=bool(finding.is_supported),
    )


def _pairs_axis(kind: _Difference, rows: Sequence[EstimateRow]) -> Axis:
    if kind.middle:
        return Axis(0, 100, kind.title, (0, 25, 50, 75, 100), kind.middle, kind.sides)
    marks = ticks_around(rows)
    return Axis(marks[0], marks[-1], kind.title, marks, 0.0, kind.sides)


def _pairs_to_draw(
    context: FigureContext, question: str, pairs: Sequence[Finding]
) -> Sequence[Finding]:
    """All pairs; of too many, those with the best system and those of neighbours in rank.

    Where these are too many as well, those of the systems that come first, in order of rank.
    """
    if len(pairs) <= MOST_PAIRS:
        return pairs
    order = [finding.systems[0] for finding in context.standings(question)]
    if not order:
        return pairs[:MOST_PAIRS]
    leader = ((order[0], other) for other in order[1:])
    wanted = dict.fromkeys(
        frozenset(pair) for both in zip(leader, pairwise(order), strict=True) for pair in both
    )
    known = {frozenset(finding.systems): finding for finding in pairs}
    matter = [known[pair] for pair in wanted if pair in known]
    if len(matter) > MOST_PAIRS:
        return matter[:MOST_PAIRS]
    return [finding for finding in pairs if finding in matter]


def _pairs_caption(
    context: FigureContext, kind: _Difference, found: Sequence[Finding], chosen: Sequence[Finding]
) -> str:
    correction = context.results.signature.correction
    corrected = "" if correction == "none" else f" after {correction.title()} correction"
    plain = "; the intervals are not corrected" if corrected else ""
    others = "the next ones" if len(chosen) == MOST_PAIRS else "every other"
    fewer = (
        f" {len(chosen)} of {len(found):,} pairs: the best system against {others}, and neighbours "
        "in rank."
        if len(chosen) < len(found)
        else ""
    )
    nothing = f"50{NARROW}%" if kind.middle else "zero"
    exploratory = "" if found[0].is_planned else " Exploratory: this test was not planned."
    untested = any(f.is_supported is None and f.value is not None for f in chosen)
    return (
        f"{context.prefix}{kind.what}, on {found[0].question}; the heavy line marks {nothing}. "
        f"{describe_intervals(chosen)} Filled marks: the difference is supported{corrected} "
        f"({name_of_test(found[0])}); open marks: it is not"
        f"{', or could not be tested' if untested else ''}{plain}. "
        f"{describe_sizes(chosen, per='per pair')}.{fewer}{exploratory}"
    )


def _support(finding: Finding) -> str:
    return "no verdict" if finding.value is None else verdict(finding)


_FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_STEP = 0.2
_EVEN = 50.0
_LEAST_REACH = 10.0  # percent to each side of it


@figure("agreement", section="agreement", per="study", table="agreement")
def agreement_pictures(context: FigureContext) -> Iterator[Picture]:
    """Coefficients corrected for chance, and percentages of agreement."""
    found = [f for f in context.results.select() if f.measure == "agreement" and not f.systems]
    corrected = [f for f in found if "percent" not in f.by]
    what = "How far participants agree beyond chance: 0 is chance, 1 is perfect agreement"
    if any(f.value is not None for f in corrected):
        several = {f.question for f in corrected}, {f.by for f in corrected}
        is_one = len(several[0]) > 1 and len(several[1]) == 1
        title = capital(coefficient(corrected[0].by)) if is_one else "Coefficient"
        yield _agreement(context, corrected, what, partial(_coefficient_axis, title=title))
    percent = [f for f in found if "percent" in f.by]
    what = "How often two judgments of the same unit agree"
    if any(f.value is not None for f in percent):
        picture = _agreement(context, percent, what, lambda _: _PERCENT)
        yield replace(picture, name="percent")


@figure("sides", section="checks", per="study")
def sides_picture(context: FigureContext) -> Picture | None:
    """How often the output shown first was chosen, for each question that compares."""
    found = [f for f in context.results.select() if f.measure == "first-shown-percent"]
    rows = [_agreement_row(f, f.question) for f in found]
    if not any(row.value is not None for row in rows):
        return None
    marks = ticks_around(rows, middle=_EVEN, least=_LEAST_REACH)
    what = "How often the output shown first was chosen, counting a tie as half"
    title, sides = "First shown chosen, %", ("second", "first")
    axis = Axis(marks[0], marks[-1], title, marks, reference=_EVEN, sides=sides)
    named = [(f.question, f) for f in found]
    per = "per question" if len(found) > 1 else ""
    return Picture(
        f"{context.prefix}{what}; without a position effect it would be 50\u202f%, the heavy "
        f"line. {describe_intervals(found)} {describe_sizes(found, per=per)}. "
        f"Exploratory.{describe_undefined(named)}",
        f"{context.prefix}{what}.",
        "; ".join(f"{name}: {describe_value(f)}" for name, f in named) + ".",
        partial(draw_rows, rows, axis),
    )


_PERCENT = Axis(0, 100, "Agreement, %", (0, 25, 50, 75, 100))


def _agreement(
    context: FigureContext,
    found: Sequence[Finding],
    what: str,
    axis: Callable[[Sequence[EstimateRow]], Axis],
) -> Picture:
    is_several = len({f.question for f in found}) > 1
    if is_several and len({f.by for f in found}) == 1:
        rows = [_agreement_row(f, f.question) for f in found]
    else:
        heads = [f.question if is_several else "" for f in found]
        heads = ["" if at and head == heads[at - 1] else head for at, head in enumerate(heads)]
        labels = (capital(coefficient(f.by)) for f in found)
        rows = [_agreement_row(*each) for each in zip(found, labels, heads, strict=True)]
    named = [(f"{coefficient(f.by)} on {f.question}", f) for f in found]
    where = "" if is_several else f", on {found[0].question}"
    return Picture(
        f"{context.prefix}{what}{where}. {_lines(found)} A unit is an output, or a pair of "
        f"outputs, judged by two or more people; {describe_sizes(found, per='')}."
        f"{describe_undefined(named)}",
        f"{context.prefix}{what}.",
        "; ".join(f"{label}: {describe_value(f)}{_for_new(f)}" for label, f in named) + ".",
        partial(draw_rows, rows, axis(rows)),
    )


def _agreement_row(finding: Finding, label: str, head: str = "") -> EstimateRow:
    return EstimateRow(
        label,
        format_value(finding),
        finding.value,
        finding.interval,
        finding.interval_for_new_people,
        spread=format_interval(finding),
        begins=head,
    )


def _coefficient_axis(rows: Sequence[EstimateRow], title: str) -> Axis:
    low, high = data_range(rows, 0.0, 1.0)
    steps = math.ceil(-low / _STEP - 1e-9)
    below = tuple(round(-_STEP * place, 1) for place in range(steps, 0, -1))
    return Axis(min(low, *below, 0.0), high, title, (*below, *_FIFTHS), reference=0.0)


def _lines(found: Sequence[Finding]) -> str:
    known = next((f.interval for f in found if f.interval), None)
    wider = next((f.interval_for_new_people for f in found if f.interval_for_new_people), None)
    either = known or wider
    if either is None:
        return "No interval could be computed."
    thin = " Thin lines hold for new participants as well." if wider else ""
    return (
        f"Heavy lines and numbers in brackets are {level_text(either.level)} intervals for "
        f"these participants and new units.{thin}"
    )


def _for_new(finding: Finding) -> str:
    wider = finding.interval_for_new_people
    return f", for new participants {interval_phrase(wider, digits_of(finding))}" if wider else ""
