"""A drawing as data: what stands where, in pixels from the top left, in colours that have names.

Colours are roles of the page (`ink`, `paper`, `s1` …), so that a dark page has dark drawings and a
sheet of paper has light ones. What differs in colour differs in pattern or shape as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

WIDTH = 680.0  # two columns of a paper, 174 mm
COLUMN = 328.0  # one column, 84 mm
PHONE = 358.0  # what a phone leaves for a figure
NARROW = 480.0  # below this width there is no room for names beside marks
ROW = 22.0
SHADES = 8  # colours beside the ink

Anchor: TypeAlias = Literal["start", "middle", "end"]
Kind: TypeAlias = Literal["", "soft", "strong"]
Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A place and a size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Look:
    """How a shape is filled and edged."""

    fill: str | None = None  # a role
    strength: float = 1.0  # of the fill, from 0 (none) to 1
    hatch: int = 0  # a pattern above the fill of a rectangle, from 1; 0: none
    hatch_in: str = "paper"
    edge: str | None = None
    edge_width: float = 1.0


@dataclass(frozen=True, slots=True)
class Words:
    """Text with its baseline at y; `turn` in degrees, counter-clockwise about its anchor."""

    x: float
    y: float
    words: str
    anchor: Anchor = "start"
    kind: Kind = ""
    turn: float = 0.0
    colour: str = "ink"


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    points: tuple[Point, ...]
    colour: str
    width: float
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box that is seen."""

    box: Box
    look: Look


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle."""

    x: float
    y: float
    radius: float
    look: Look


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed shape with corners."""

    points: tuple[Point, ...]
    look: Look


Mark: TypeAlias = Words | Stroke | Rectangle | Disc | Polygon


@dataclass(slots=True)
class Drawing:
    """What is drawn so far; `title` and `says` are for those who cannot see."""

    title: str
    says: str
    width: float = WIDTH
    height: float = 0.0
    marks: list[Mark] = field(default_factory=list)

    def ends(self, height: float) -> Drawing:
        """The drawing, finished at this height."""
        self.height = height
        return self

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: Anchor = "start",
        kind: Kind = "",
        turn: float = 0.0,
        shade: int | None = None,
    ) -> None:
        """Words, with their baseline at y; in the colour of a shade, where one is given."""
        colour = ("ink-2" if kind == "soft" else "ink") if shade is None else role(shade)
        self.marks.append(Words(x, y, " ".join(words.split()), anchor, kind, turn, colour))

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        kind: str = "hair",
        width: float = 1,
        is_dashed: bool = False,
    ) -> None:
        """A straight line; `kind` is a role: hair, line, ink, s1 …"""
        self.marks.append(Stroke(((x1, y1), (x2, y2)), kind, width, is_dashed))

    def path(
        self, points: Iterable[Point], *, shade: int, width: float = 2, is_dashed: bool = False
    ) -> None:
        """A line through points."""
        self.marks.append(Stroke(tuple(points), role(shade), width, is_dashed))

    def arrow(self, start: Point, end: Point, *, kind: str = "line") -> None:
        """A line with a head, straight down or to the side as most are, or slanting."""
        (x1, y1), (x2, y2) = start, end
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
        along, beside = (
            ((x2 - x1) / length, (y2 - y1) / length),
            ((y1 - y2) / length, (x2 - x1) / length),
        )
        back = (x2 - 7 * along[0], y2 - 7 * along[1])
        self.line(x1, y1, *back, kind=kind)
        wings = [(back[0] + side * beside[0], back[1] + side * beside[1]) for side in (3.5, -3.5)]
        self.marks.append(Polygon((end, *wings), Look(fill=kind)))

    def bar(self, box: Box, *, shade: int) -> None:
        """A filled rectangle in the colour and pattern of a shade."""
        hatch = (shade - 1) % PATTERNS + 1 if shade else 0
        self.marks.append(Rectangle(box, Look(fill=role(shade), hatch=hatch)))

    def hatch(self, box: Box, *, shade: int) -> None:
        """An outlined rectangle with a pattern in its colour: what stands beside a filled one."""
        pattern = (shade - 1) % PATTERNS + 1
        colour = role(shade)
        look = Look(fill="paper", hatch=pattern, hatch_in=colour, edge=colour, edge_width=1.25)
        self.marks.append(Rectangle(box, look))

    def outline(self, box: Box, *, shade: int) -> None:
        """An empty rectangle."""
        self.marks.append(Rectangle(box, Look(fill="paper", edge=role(shade), edge_width=1.5)))

    def box(self, box: Box, *, kind: str = "ground", edge: str | None = "line") -> None:
        """A rectangle in the roles of the page, for words to stand in."""
        self.marks.append(Rectangle(box, Look(fill=kind, edge=edge)))

    def cell(self, box: Box, *, shade: int, strength: float) -> None:
        """A rectangle whose colour is the stronger the more there is."""
        self.marks.append(Rectangle(box, Look(fill=role(shade), strength=strength)))

    def dot(
        self, x: float, y: float, *, shade: int, radius: float = 5, is_filled: bool = True
    ) -> None:
        """A circle, filled or open."""
        self.marks.append(Disc(x, y, radius, _mark_look(shade, is_filled=is_filled)))

    def diamond(self, x: float, y: float, *, shade: int = 0, is_filled: bool = True) -> None:
        """A mark for means over several."""
        points = ((x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y))
        self.marks.append(Polygon(points, _mark_look(shade, is_filled=is_filled)))

    def sign(self, x: float, y: float, *, shade: int, is_filled: bool = True) -> None:
        """The mark of a shade: each of the first shades has a shape of its own."""
        shape = _SHAPES[(shade - 1) % len(_SHAPES)] if shade else ()
        if not shape:
            self.dot(x, y, shade=shade, is_filled=is_filled)
            return
        points = tuple((x + right, y + down) for right, down in shape)
        self.marks.append(Polygon(points, _mark_look(shade, is_filled=is_filled)))

    def whisker(self, low: float, high: float, y: float, *, shade: int = 0) -> None:
        """An interval with its ends, across."""
        self.line(low, y, high, y, kind=role(shade), width=1.5)
        for end in (low, high):
            self.line(end, y - 4, end, y + 4, kind=role(shade), width=1.5)

    def whisker_on_bar(self, low: float, high: float, y: float) -> None:
        """An interval across the end of a bar, with a seam that shows on dark bars, too."""
        for kind, width, reach in (("paper", 3, 4), ("ink", 1.25, 3)):
            self.line(
                low - (width - 1.25) / 2, y, high + (width - 1.25) / 2, y, kind=kind, width=width
            )
            for end in (low, high):
                self.line(end, y - reach, end, y + reach, kind=kind, width=width)

    def mast(self, x: float, low: float, high: float, *, shade: int = 0) -> None:
        """An interval with its ends, upright."""
        self.line(x, low, x, high, kind=role(shade), width=1.5)
        for end in (low, high):
            self.line(x - 4, end, x + 4, end, kind=role(shade), width=1.5)


PATTERNS = 3
_SHAPES: tuple[tuple[Point, ...], ...] = (
    (),  # a circle
    ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)),
    ((0, -6), (5.5, 4), (-5.5, 4)),
    ((0, -6), (6, 0), (0, 6), (-6, 0)),
    ((0, 6), (5.5, -4), (-5.5, -4)),
)


def role(shade: int) -> str:
    """The colour of a shade: 0 is the ink, and those beyond the last colour are grey."""
    if not shade:
        return "ink"
    return f"s{shade}" if shade <= SHADES else "ink-2"


def _mark_look(shade: int, *, is_filled: bool) -> Look:
    if is_filled:
        return Look(fill=role(shade), edge="paper")
    return Look(fill="paper", edge=role(shade), edge_width=2)
