"""Cells by row and column, each with its value: who beat whom, who judges like whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.report.drawing import Box, Drawing, distinct_names, text_width, truncate, wrap
from rejudge.report.drawing.marks import Kind, RectangleMark, ShapeStyle, role
from rejudge.report.figures.context import LINE, Label, draw_centred

STRONGEST = 0.55  # of a colour, so that letters can be read on it, on white and on dark pages
_ABOVE, _BELOW = 1, 2  # the colours of the two sides of the middle
_EDGE = 4.0
_GAP = 10.0
_WIDEST = 72.0
_TALLEST = 34.0
_LEAST_HEIGHT = 15.0
_CROWDED = 20.0  # rows so near to each other are named in thin letters
_MOST_LABEL = 0.30  # of the width
_HEAD_LINES = 3
_PLAIN = 0.92  # of the width of bold letters
_KEY = 10.0  # square of the ramp


@dataclass(frozen=True, slots=True)
class GridCell:
    """What stands in one place; `lean` from −1 to 1 is how far it lies from the middle."""

    words: str
    lean: float | None  # None: no colour
    is_strong: bool = False
    is_soft: bool = False


@dataclass(frozen=True, slots=True)
class _Layout:
    """How large cells are, and how rows and columns are named."""

    left: float
    side: float
    height: float
    label: float  # room for names of rows; 0: they stand in a list above
    is_numbered: bool
    head: float  # room above the cells
    list: float  # room above that

    @property
    def top(self) -> float:
        return self.list + self.head


def draw_grid(
    drawing: Drawing,
    names: Sequence[str],
    cells: Mapping[tuple[int, int], GridCell],
    *,
    ramp: tuple[str, ...] = (),
) -> Drawing:
    """Cells by the places of their row and column; where words do not fit, a ramp explains."""
    layout = _layout(drawing.width, names, cells)
    _draw_names(drawing, _with_distinct_names(names, layout), layout)
    shown = _fits(cells, layout)
    for (row, column), cell in cells.items():
        x, y = layout.left + column * layout.side, layout.top + row * layout.height
        _draw_cell(drawing, Box(x, y, layout.side, layout.height), cell, is_written=shown)
    bottom = layout.top + len(names) * layout.height
    if not shown and ramp:
        return drawing.finish(_draw_ramp(drawing, ramp, layout.left, bottom + 12))
    return drawing.finish(bottom + 6)


def _draw_cell(drawing: Drawing, at: Box, cell: GridCell, *, is_written: bool) -> None:
    box = Box(at.x + 0.5, at.y + 0.5, at.width - 1, at.height - 1)
    if cell.lean is not None:
        _paint(drawing, box, cell.lean, is_hatched=not is_written)
    if is_written:
        is_strong = cell.is_strong and text_width(cell.words) <= at.width - 2
        kind: Kind = "strong" if is_strong else "soft" if cell.is_soft else ""
        middle = (at.x + at.width / 2, at.y + at.height / 2 + 4)
        drawing.text(*middle, cell.words, anchor="middle", kind=kind)


def _paint(drawing: Drawing, box: Box, lean: float, *, is_hatched: bool) -> None:
    """The colour of a cell; without its value, hatched below the middle, for print in grey."""
    if lean >= 0:
        drawing.cell(box, shade=_ABOVE, strength=STRONGEST * lean)
    else:
        hatch = 1 if is_hatched else 0
        look = ShapeStyle(fill=role(_BELOW), strength=-STRONGEST * lean, hatch=hatch)
        drawing.marks.append(RectangleMark(box, look))


def words_fit(
    width: float,
    names: Sequence[str],
    cells: Mapping[tuple[int, int], GridCell],
    *,
    margin: float = 0.5,
) -> bool:
    """Whether every cell has room for its value, and so much beside it."""
    return _fits(cells, _layout(width, names, cells), margin)


def _fits(cells: Mapping[tuple[int, int], GridCell], layout: _Layout, margin: float = 0.5) -> bool:
    widest = max((text_width(cell.words) for cell in cells.values()), default=0.0)
    return widest * _PLAIN <= layout.side - margin and layout.height >= LINE


def _layout(
    width: float, names: Sequence[str], cells: Mapping[tuple[int, int], GridCell]
) -> _Layout:
    """Names beside the rows; in a list above where they would leave no room for the cells."""
    numbered = [f"{place}  {name}" for place, name in enumerate(names, start=1)]
    label = min(width * _MOST_LABEL, max(map(text_width, numbered)))
    beside = _sized(width, label, len(names))
    if _heads_fit(names, beside.side):
        lines = max(len(wrap(name, beside.side - 4, _HEAD_LINES)) for name in names)
        return _with_head(beside, lines * LINE + 6, is_numbered=False)
    number = text_width(str(len(names)))
    above = _sized(width, number, len(names))
    is_crowded = not _fits(cells, beside) and _fits(cells, above)
    if is_crowded:
        listed = len(names) * (LINE + 2) + 12
        return _with_head(above, LINE + 6, is_numbered=True, above=listed)
    return _with_head(beside, LINE + 6, is_numbered=True)


def _with_distinct_names(names: Sequence[str], layout: _Layout) -> Sequence[str]:
    """Names that differ even where they must be cut; heads and the list above have them whole."""
    if not layout.is_numbered or layout.list:
        return names
    return distinct_names(names, layout.label - text_width(f"{len(names)}  "))


def _sized(width: float, label: float, size: int) -> _Layout:
    left = _EDGE + label + _GAP
    side = min(_WIDEST, (width - left - _EDGE) / size)
    height = min(_TALLEST, max(_LEAST_HEIGHT if size <= _MOST_NAMED else 0.0, side))
    return _Layout(left, side, height, label, True, 0.0, 0.0)


_MOST_NAMED = 40  # rows that each have a name


def _with_head(layout: _Layout, head: float, *, is_numbered: bool, above: float = 0.0) -> _Layout:
    label = 0.0 if above else layout.label
    return _Layout(layout.left, layout.side, layout.height, label, is_numbered, head, above)


def _heads_fit(names: Sequence[str], side: float) -> bool:
    """Whether every name stands above its column uncut, with no word broken."""
    return all(
        len(lines) <= _HEAD_LINES
        and "".join(lines).replace(" ", "") == name.replace(" ", "")
        and all(text_width(word) <= side - 4 for word in name.split())
        for name in names
        for lines in [wrap(name, side - 4, _HEAD_LINES)]
    )


def _draw_names(drawing: Drawing, names: Sequence[str], layout: _Layout) -> None:
    every = max(1, round(LINE / layout.height + 0.49))
    for place, name in enumerate(names):
        middle = layout.top + (place + 0.5) * layout.height
        number = str(place + 1)
        if layout.list:
            room = drawing.width - layout.left - _EDGE
            y = LINE + place * (LINE + 2)
            drawing.text(layout.left - _GAP, y, number, anchor="end", kind="soft")
            drawing.text(layout.left, y, truncate(name, room), kind="strong")
            drawing.text(layout.left - _GAP, middle + 4, number, anchor="end", kind="soft")
        elif place % every == 0:
            _draw_row_name(drawing, name, number, layout=layout, middle=middle)
        _draw_head(drawing, name, place, layout)


def _draw_row_name(
    drawing: Drawing, name: str, number: str, *, layout: _Layout, middle: float
) -> None:
    x = layout.left - _GAP
    lines = 2 if layout.height >= 2 * LINE else 1
    kind: Kind = "strong" if layout.height > _CROWDED else ""
    if not layout.is_numbered:
        Label(wrap(name, layout.label, lines)).draw(drawing, x, middle, anchor="end", kind=kind)
        return
    drawing.text(x, middle + 4, number, anchor="end", kind="soft")
    room = layout.label - text_width(f"{number}  ")
    end = x - text_width(f"{number} ")
    Label(wrap(name, room, lines)).draw(drawing, end, middle, anchor="end", kind=kind)


def _draw_head(drawing: Drawing, name: str, place: int, layout: _Layout) -> None:
    x = layout.left + (place + 0.5) * layout.side
    if layout.is_numbered:
        every = max(1, round((text_width("00") + 2) / layout.side + 0.49))
        if place % every == 0:
            draw_centred(drawing, x, layout.top - 6, str(place + 1))
        return
    lines = wrap(name, layout.side - 4, _HEAD_LINES)
    first = layout.top - 6 - LINE * (len(lines) - 1)
    for down, line in enumerate(lines):
        drawing.text(x, first + down * LINE, line, anchor="middle", kind="strong")


def _draw_ramp(drawing: Drawing, words: Sequence[str], x: float, y: float) -> float:
    """The colours from the lowest to the highest, with their meaning below."""
    steps = 21
    width = steps * _KEY
    is_two_sided = len(words) > 2  # noqa: PLR2004 - a middle as well
    for step in range(steps):
        share = step / (steps - 1)
        lean = 2 * share - 1 if is_two_sided else share
        _paint(drawing, Box(x + step * _KEY, y, _KEY, _KEY), lean, is_hatched=True)
    for place, word in enumerate(words):
        at = x + width * place / (len(words) - 1)
        draw_centred(drawing, at, y + _KEY + LINE, word)
    return y + _KEY + LINE + 8
