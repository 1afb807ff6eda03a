"""Who beat whom: the share of wins in each pair, as a map."""

from __future__ import annotations

from rejudge.analysis import Duel
from rejudge.english import count
from rejudge.layout.numbers import NARROW, number, percent
from rejudge.layout.table import file_name
from rejudge.report.drawing import Drawing, Picture
from rejudge.report.figures.grid import Cell, draw_grid
from rejudge.report.figures.scene import Scene

_EVEN = 50.0
_LEAST = 3  # systems; of two, the pair has said it already


def wins_picture(scene: Scene, question: str) -> Picture | None:
    """Percent won by the row against the column, the systems in the order of their standing."""
    details = scene.details(question)
    if details is None or not details.duels:
        return None
    met = {duel.row for duel in details.duels if duel.win_percent is not None}
    order = [f.systems[0] for f in scene.standings(question) if f.systems[0] in met]
    if len(order) < _LEAST:
        return None
    place = {system: at for at, system in enumerate(order)}
    duels = [d for d in details.duels if d.row in place and d.column in place]
    names = [scene.cast.name(system) for system in order]
    says = "; ".join(
        _says(scene, duel)
        for duel in sorted(duels, key=lambda d: (place[d.row], place[d.column]))
        if place[duel.row] < place[duel.column]
    )
    what = (
        f"How often the system of a row was preferred to that of a column on {question}, in "
        "percent, a tie as half"
    )
    cells = {(place[duel.row], place[duel.column]): _cell(duel) for duel in duels}
    drawing = Drawing(f"{scene.said}{what}.", f"{says}.", scene.width)
    return Picture(
        f"{file_name(question)}-wins",
        f"{scene.said}{what}; best system first. Blue: above 50{NARROW}%; orange: below. "
        f"{_sizes(duels)}{_never(duels)}",
        draw_grid(drawing, names, cells, ramp=("0", "50", "100")),
        f"table-{question}-wins",
    )


def _cell(duel: Duel) -> Cell:
    if duel.win_percent is None:
        return Cell("–", None, is_soft=True)
    lean = (duel.win_percent - _EVEN) / _EVEN
    return Cell(number(duel.win_percent, 0), lean, is_strong=duel.win_percent > _EVEN)


def _says(scene: Scene, duel: Duel) -> str:
    pair = f"{scene.cast.name(duel.row)} against {scene.cast.name(duel.column)}"
    if duel.win_percent is None:
        return f"{pair}: never met"
    return f"{pair}: {percent(duel.win_percent)} of {count(_n(duel), 'comparison')}"


def _n(duel: Duel) -> int:
    return duel.wins + duel.losses + duel.ties


def _sizes(duels: list[Duel]) -> str:
    found = sorted({_n(duel) for duel in duels if duel.win_percent is not None})
    if len(found) == 1:
        return f"{count(found[0], 'comparison')} per pair."
    return f"{found[0]:,} to {found[-1]:,} comparisons per pair."


def _never(duels: list[Duel]) -> str:
    return " A dash: the two never met." if any(duel.win_percent is None for duel in duels) else ""
