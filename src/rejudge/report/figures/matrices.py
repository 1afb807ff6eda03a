"""Heat maps of pairs: who beat whom, and who judges like whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rejudge.analysis.details import Duel, PairOfPeople, ParticipantDetails
from rejudge.english import count, span
from rejudge.layout.numbers import NARROW, number, percent
from rejudge.layout.table import file_name
from rejudge.report.drawing.marks import Box, Drawing, Kind, RectangleMark, ShapeStyle, role
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import distinct_names, text_width, truncate, wrap
from rejudge.report.figures.context import LINE, FigureContext, Label, draw_centred

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
    beside = _layout_of_size(width, label, len(names))
    if _heads_fit(names, beside.side):
        lines = max(len(wrap(name, beside.side - 4, _HEAD_LINES)) for name in names)
        return _with_head(beside, lines * LINE + 6, is_numbered=False)
    number = text_width(str(len(names)))
    above = _layout_of_size(width, number, len(names))
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


def _layout_of_size(width: float, label: float, size: int) -> _Layout:
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
    systems, order = len(order), order[:_MOST_NAMED]
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
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture(
        f"{file_name(question)}-wins",
        f"{context.prefix}{what}; best system first. Blue: above 50{NARROW}%; orange: below. "
        f"{_comparisons_per_pair(duels)}{_missing_pairs(duels)}"
        f"{f' The first {_MOST_NAMED} of {systems} systems.' if systems > _MOST_NAMED else ''}",
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
        f"{_shared_units(people, is_written=is_written)}. {_colours(people)}. "
        "Participants who agree "
        "most with the others come first. "
        f"{count(len(names), 'participant')}{_undefined_pairs(people)}. Exploratory.",
        draw_grid(drawing, names, cells, ramp=ramp),
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
