"""Heat maps of pairs: a square of cells with their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rejudge.report.figures.style import (
    COLOURS,
    EDGE,
    INK,
    LINE,
    PAPER,
    SOFT,
    STRONGEST,
    PanelSheet,
    distinct_names,
    text_width,
    wrap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NAMED = 40  # rows that each have a name
_ABOVE, _BELOW = COLOURS["s1"], COLOURS["s2"]  # the two sides of the middle
_WIDEST, _TALLEST, _LEAST_HEIGHT = 78.0, 25.0, 11.0
_MOST_LABEL = 0.30  # of the width
_HEAD_LINES = 3
_KEY = 7.0  # square of the ramp
_STEPS = 21


@dataclass(frozen=True, slots=True)
class GridCell:
    """What stands in one place; `lean` from −1 to 1 is how far it lies from the middle."""

    words: str
    lean: float | None  # None: no colour
    is_strong: bool = False
    is_soft: bool = False


Cells = Mapping[tuple[int, int], GridCell]


def draw_grid(names: Sequence[str], cells: Cells, ramp: Sequence[str], width: float) -> Figure:
    """Cells by the places of their row and column; where words do not fit, a ramp explains."""
    sheet, size = PanelSheet(width), len(names)
    label, side, height = _sizes(names, width)
    heads = [wrap(name, side - 2, _HEAD_LINES, is_bold=True) for name in names]
    is_numbered = not all(map(_is_whole, names, heads))
    top = (1 if is_numbered else max(map(len, heads))) * LINE + 6
    left = EDGE + label + 7
    bottom = top + size * height
    axes = sheet.panel(left, top, left + size * side, bottom)
    axes.set(xlim=(0, size), ylim=(size, 0))
    axes.set_axis_off()
    is_written = are_written(names, cells, width)
    _paint(axes, {at: cell.lean for at, cell in cells.items()}, is_hatched=not is_written)
    if is_written:
        for (row, column), cell in cells.items():
            axes.text(
                column + 0.5, row + 0.5, cell.words, ha="center", va="center_baseline",
                color=SOFT if cell.is_soft else INK, weight="bold" if cell.is_strong else "normal",
            )  # fmt: skip
    _write_names(sheet, axes, names, label=label, height=height, is_numbered=is_numbered)
    if is_numbered:
        heads = [[str(place)] for place in range(1, size + 1)]
    every = _every((text_width(str(size)) + 3) / side) if is_numbered else 1
    look: dict[str, Any] = {"weight": "normal", "color": SOFT} if is_numbered else {}
    for place, lines in list(enumerate(heads))[::every]:
        sheet.above(axes, left + (place + 0.5) * side, lines, **look)
    if is_written or not ramp:
        return sheet.finish(bottom + 4)
    return sheet.finish(_draw_ramp(sheet, ramp, left, bottom + 9))


def are_written(names: Sequence[str], cells: Cells, width: float) -> bool:
    """Whether every cell has room for its value."""
    _, side, height = _sizes(names, width)
    widest = max((text_width(cell.words) for cell in cells.values()), default=0.0)
    return widest <= side - 1 and height >= LINE


def _sizes(names: Sequence[str], width: float) -> tuple[float, float, float]:
    """Room for the names of rows, width and height of a cell."""
    longest = max(text_width(f"{name}  {len(names)}", is_bold=True) for name in names)
    label = min(width * _MOST_LABEL, longest)
    side = min(_WIDEST, (width - 2 * EDGE - label - 7) / len(names))
    least = _LEAST_HEIGHT if len(names) <= MOST_NAMED else 0.0
    return label, side, min(_TALLEST, max(least, side))


def _is_whole(name: str, lines: Sequence[str]) -> bool:
    """Whether a name stands in these lines uncut, with no word broken."""
    return " ".join(lines) == " ".join(name.split())


def _every(share: float) -> int:
    return max(1, round(share + 0.49))


def _write_names(
    sheet: PanelSheet,
    axes: Axes,
    names: Sequence[str],
    *,
    label: float,
    height: float,
    is_numbered: bool,
) -> None:
    """Names of rows, with their numbers where columns have no names."""
    number = text_width(f"  {len(names)}") if is_numbered else 0.0
    known = distinct_names(names, label - number)
    lines = 2 if height >= 2 * LINE else 1
    for place, name in list(enumerate(names))[:: _every(LINE / height)]:
        words = wrap(known[name], label - number, lines, is_bold=True)
        weight = "bold" if height > 14 else "normal"
        x, y = EDGE + label - number, place + 0.5
        sheet.lines(axes, x, y, words, ha="right", weight=weight)
        if is_numbered:
            sheet.write(axes, EDGE + label, y, str(place + 1), ha="right", color=SOFT)


def _paint(axes: Axes, leans: Mapping[tuple[int, int], float | None], *, is_hatched: bool) -> None:
    """The colours of cells; without values, hatched below the middle, for print in grey."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    for tone, sign in ((_ABOVE, 1), (_BELOW, -1)):
        found = {
            at: sign * lean
            for at, lean in leans.items()
            if lean is not None and (lean >= 0) == (sign > 0)
        }
        boxes = [[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)] for y, x in found]
        fills = [to_rgba(tone, STRONGEST * min(1.0, lean)) for lean in found.values()]
        hatch = "////" if is_hatched and sign < 0 else None
        axes.add_collection(
            PolyCollection(boxes, facecolors=fills, edgecolors=PAPER, linewidths=0.75, hatch=hatch),
            autolim=False,
        )


def _draw_ramp(sheet: PanelSheet, words: Sequence[str], left: float, top: float) -> float:
    """The colours from the lowest to the highest, with their meaning below."""
    width = _STEPS * _KEY
    axes = sheet.panel(left, top, left + width, top + _KEY)
    axes.set(xlim=(0, _STEPS), ylim=(1, 0))
    axes.set_axis_off()
    shares = [step / (_STEPS - 1) for step in range(_STEPS)]
    is_two_sided = len(words) > 2
    leans = {(0, at): 2 * s - 1 if is_two_sided else s for at, s in enumerate(shares)}
    _paint(axes, leans, is_hatched=True)
    for place, word in enumerate(words):
        sheet.below(axes, left + width * place / (len(words) - 1), LINE, word)
    return top + _KEY + LINE + 6
