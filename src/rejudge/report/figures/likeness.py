"""Who judges like whom: each participant beside each other one, as a map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rejudge.analysis import PairOfPeople, People
from rejudge.english import count, span
from rejudge.layout.numbers import number
from rejudge.layout.table import file_name
from rejudge.report.drawing import Drawing, Picture
from rejudge.report.figures.grid import Cell, draw_grid, words_fit
from rejudge.report.figures.scene import Scene

_MEASURES = {
    "spearman": "Spearman’s correlation between participants",
    "pearson": "Pearson’s correlation between participants",
    "percent": "How often two participants said the same, in percent,",
}
_LEAST_SHARE = 1 / 3  # of pairs with a value; a map with fewer is mostly holes
_COMFORT = 6.0  # pixels beside a number
_MOST_SPOKEN = 10  # people whose pairs are all read aloud


def people_picture(scene: Scene, question: str) -> Picture | None:
    """How two participants go together, below the diagonal; how many units they share, above."""
    details = scene.details(question)
    people = details.people if details else None
    if people is None or not _is_dense(people):
        return None
    names = _order(people)
    cells = _cells(people, names)
    if not words_fit(scene.width, names, cells, margin=_COMFORT):
        cells = {at: _short(cell) for at, cell in cells.items()}
    is_written = words_fit(scene.width, names, cells)
    what = f"{_MEASURES[people.measure]} on {question}"
    drawing = Drawing(f"{scene.said}{what}.", _says(people), scene.width)
    ramp = ("0\u202f%", "100\u202f%") if people.measure == "percent" else ("−1", "0", "1")
    return Picture(
        f"{file_name(question)}-people",
        f"{scene.said}{what}, over the units both judged{_shared(people, is_written=is_written)}. "
        f"{_colours(people)}. Those who go best with the others come first. "
        f"{count(len(names), 'participant')}{_undefined(people)}. Exploratory.",
        draw_grid(drawing, names, cells, ramp=ramp),
    )


def _is_dense(people: People) -> bool:
    size = len(_order(people))
    known = sum(pair.value is not None for pair in people.pairs)
    return known > 0 and known >= _LEAST_SHARE * size * (size - 1) / 2


def _cells(people: People, names: Sequence[str]) -> dict[tuple[int, int], Cell]:
    place = {name: at for at, name in enumerate(names)}
    cells: dict[tuple[int, int], Cell] = {}
    for pair in people.pairs:
        low, high = sorted((place[pair.first], place[pair.second]))
        cells[high, low] = _cell(pair, people)
        cells[low, high] = Cell(f"{pair.n:,}", None, is_soft=True)
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


def _cell(pair: PairOfPeople, people: People) -> Cell:
    if pair.value is None:
        return Cell("–", None, is_soft=True)
    if people.measure == "percent":
        return Cell(number(pair.value, 0), pair.value / 100)
    return Cell(number(pair.value, 2), pair.value)


def _short(cell: Cell) -> Cell:
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


def _says(people: People) -> str:
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
