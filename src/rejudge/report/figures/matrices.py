"""Heat maps of pairs: who beat whom, and who judges like whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rejudge.analysis import Duel, PairOfPeople, People
from rejudge.english import count, span
from rejudge.layout.numbers import NARROW, number, percent
from rejudge.layout.table import file_name
from rejudge.report.drawing import Drawing, Picture
from rejudge.report.figures.context import FigureContext
from rejudge.report.figures.grid import GridCell, draw_grid, words_fit

_EVEN = 50.0
_LEAST_SYSTEMS = 3  # systems; of two, the pair has said it already
_LEAST_SHARE = 1 / 3  # of pairs with a value; a map with fewer is mostly holes
_COMFORT = 6.0  # pixels beside a number
_MOST_SPOKEN = 10  # people whose pairs are all read aloud


def wins_picture(context: FigureContext, question: str) -> Picture | None:
    """Percent won by the row against the column, the systems in the order of their standing."""
    details = context.details(question)
    if details is None or not details.duels:
        return None
    met = {duel.row for duel in details.duels if duel.win_percent is not None}
    order = [f.systems[0] for f in context.standings(question) if f.systems[0] in met]
    if len(order) < _LEAST_SYSTEMS:
        return None
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
        "percent, a tie as half"
    )
    cells = {(place[duel.row], place[duel.column]): _win_cell(duel) for duel in duels}
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture(
        f"{file_name(question)}-wins",
        f"{context.prefix}{what}; best system first. Blue: above 50{NARROW}%; orange: below. "
        f"{_comparisons_per_pair(duels)}{_never_met(duels)}",
        draw_grid(drawing, names, cells, ramp=("0", "50", "100")),
        f"table-{question}-wins",
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


def _never_met(duels: list[Duel]) -> str:
    return " A dash: the two never met." if any(duel.win_percent is None for duel in duels) else ""


_MEASURES = {
    "spearman": "Spearman’s correlation between participants",
    "pearson": "Pearson’s correlation between participants",
    "percent": "How often two participants said the same, in percent,",
}


def people_picture(context: FigureContext, question: str) -> Picture | None:
    """How two participants go together, below the diagonal; how many units they share, above."""
    details = context.details(question)
    people = details.people if details else None
    if people is None or not _is_dense(people):
        return None
    names = _order(people)
    cells = _cells(people, names)
    if not words_fit(context.width, names, cells, margin=_COMFORT):
        cells = {at: _without_leading_zero(cell) for at, cell in cells.items()}
    is_written = words_fit(context.width, names, cells)
    what = f"{_MEASURES[people.measure]} on {question}"
    drawing = Drawing(f"{context.prefix}{what}.", _describe_people(people), context.width)
    ramp = ("0\u202f%", "100\u202f%") if people.measure == "percent" else ("−1", "0", "1")
    return Picture(
        f"{file_name(question)}-people",
        f"{context.prefix}{what}, over the units that both judged"
        f"{_shared(people, is_written=is_written)}. {_colours(people)}. Participants who agree "
        "most with the others come first. "
        f"{count(len(names), 'participant')}{_undefined(people)}. Exploratory.",
        draw_grid(drawing, names, cells, ramp=ramp),
    )


def _is_dense(people: People) -> bool:
    size = len(_order(people))
    known = sum(pair.value is not None for pair in people.pairs)
    return known > 0 and known >= _LEAST_SHARE * size * (size - 1) / 2


def _cells(people: People, names: Sequence[str]) -> dict[tuple[int, int], GridCell]:
    place = {name: at for at, name in enumerate(names)}
    cells: dict[tuple[int, int], GridCell] = {}
    for pair in people.pairs:
        low, high = sorted((place[pair.first], place[pair.second]))
        cells[high, low] = _agreement_cell(pair, people)
        cells[low, high] = GridCell(f"{pair.n:,}", None, is_soft=True)
    return cells


def _shared(people: People, *, is_written: bool) -> str:
    """How many units pairs share: in the map above the diagonal, or here."""
    if is_written:
        return ", below the diagonal; above it, where there is room, how many units these are"
    return f" ({span([pair.n for pair in people.pairs], 'unit')})"


def _order(people: People) -> list[str]:
    """By the mean over the others, so that those who stand apart come last."""
    values: dict[str, list[float]] = {}
    for pair in people.pairs:
        for name in (pair.first, pair.second):
            values.setdefault(name, [])
            if pair.value is not None:
                values[name].append(pair.value)
    mean = {name: math.fsum(v) / len(v) if v else -math.inf for name, v in values.items()}
    return sorted(values, key=lambda name: -mean[name])


def _agreement_cell(pair: PairOfPeople, people: People) -> GridCell:
    if pair.value is None:
        return GridCell("–", None, is_soft=True)
    if people.measure == "percent":
        return GridCell(number(pair.value, 0), pair.value / 100)
    return GridCell(number(pair.value, 2), pair.value)


def _without_leading_zero(cell: GridCell) -> GridCell:
    """Without the zero before the point, where cells are small: .62 instead of 0.62."""
    return replace(cell, words=cell.words.replace("0.", ".", 1))


def _colours(people: People) -> str:
    if people.measure == "percent":
        return "The more alike, the stronger the colour"
    return "Blue: positive, orange: negative"


def _undefined(people: People) -> str:
    size = len(_order(people))
    bare = sum(pair.value is None for pair in people.pairs)
    apart = size * (size - 1) // 2 - len(people.pairs)
    said = f"; {count(bare, 'pair')} without a value (a dash)" if bare else ""
    return f"{said}; {count(apart, 'pair')} without a shared unit (empty)" if apart else said


def _describe_people(people: People) -> str:
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
    few = "" if len(told) == len(known) else "The lowest, a middling and the highest of them. "
    return f"{count(len(known), 'pair')} of participants. {few}{pairs}."
