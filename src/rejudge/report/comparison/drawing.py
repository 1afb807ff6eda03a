"""Drawings as SVG text: the same bytes for the same numbers, at home in a page and in a paper.

Colours are those of the report where one is around, so that dark pages have dark drawings; alone,
a drawing is for white paper. Runs differ in pattern as well as in colour, for print without it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH = 680.0
ROW = 22.0
_CHARACTER = 7.8  # of the mean width in pixels, at the size of labels
_PALETTE = ("#1a1f26", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#332288", "#999933", "#882255")
_STYLE = (
    (
        "text",
        "font:12px system-ui,'Segoe UI','Liberation Sans',sans-serif;fill:var(--ink,#1a1f26)",
    ),
    (".soft", "fill:var(--ink-2,#4b5563)"),
    (".strong", "font-weight:600"),
    (".hair", "stroke:var(--hair,#dde2e8)"),
    (".line", "stroke:var(--line,#858f9c)"),
    (".ink", "stroke:var(--ink,#1a1f26)"),
    (".paper", "fill:var(--paper,#ffffff)"),
    (".gap", "stroke:var(--paper,#ffffff)"),
)


@dataclass(frozen=True, slots=True)
class Box:
    """A place and a size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Drawing:
    """What is drawn so far, from the top left; `title` and `says` are for those who cannot see."""

    title: str
    says: str
    width: float = WIDTH
    _marks: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, words: str, *, anchor: str = "start", kind: str = ""
    ) -> None:
        """Words, with their baseline at y."""
        kind_ = f' class="{kind}"' if kind else ""
        self._marks.append(
            f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}"{kind_}>{escape(words)}</text>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, kind: str = "hair", width: float = 1
    ) -> None:
        """A straight line."""
        self._marks.append(
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" class="{kind}" '
            f'stroke-width="{_n(width)}"/>'
        )

    def bar(self, box: Box, *, shade: int) -> None:
        """A filled rectangle in the colour and pattern of a run."""
        self._box(box, f'class="f{shade}"')
        if shade:
            self._box(box, f'fill="url(#{self._mark}{(shade - 1) % 3 + 1})"')

    def cell(self, box: Box, *, shade: int, strength: float) -> None:
        """A rectangle whose colour is the stronger the more there is."""
        self._box(box, f'class="f{shade}" fill-opacity="{strength:.2f}"')

    def dot(self, x: float, y: float, *, shade: int, radius: float = 5) -> None:
        """A filled circle."""
        self._marks.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" class="f{shade} gap"/>'
        )

    def diamond(self, x: float, y: float, *, shade: int = 0) -> None:
        """A mark for means over several."""
        self._marks.append(f'<path d="M{_n(x)} {_n(y - 6)}l6 6l-6 6l-6-6z" class="f{shade} gap"/>')

    def path(self, points: Iterable[tuple[float, float]], *, shade: int, width: float = 2) -> None:
        """A line through points."""
        through = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self._marks.append(
            f'<path d="M{through}" class="l{shade}" fill="none" stroke-width="{_n(width)}"/>'
        )

    def whisker(self, low: float, high: float, y: float) -> None:
        """An interval with its ends, across."""
        self.line(low, y, high, y, kind="ink", width=1.5)
        for end in (low, high):
            self.line(end, y - 4, end, y + 4, kind="ink", width=1.5)

    @property
    def _mark(self) -> str:
        """What its patterns are called: another name in every drawing of a page."""
        return f"p{zlib.crc32((self.title + self.says).encode()):08x}-"

    def svg(self, height: float) -> str:
        """The whole drawing."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(self.width)} {_n(height)}" '
            f'width="{_n(self.width)}" class="drawing" role="img">'
        )
        return "\n".join(
            (
                head,
                f"<title>{escape(self.title)}</title>",
                f"<desc>{escape(self.says)}</desc>",
                f"<style>{_rules()}</style>",
                _PATTERNS.format(self._mark),
                f'<rect class="paper" width="{_n(self.width)}" height="{_n(height)}"/>',
                *self._marks,
                "</svg>\n",
            )
        )

    def _box(self, box: Box, how: str) -> None:
        x, y, width, height = (_n(each) for each in (box.x, box.y, box.width, box.height))
        self._marks.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {how}/>')


@dataclass(frozen=True, slots=True)
class Span:
    """From where to where numbers go, and where that is on the paper."""

    low: float
    high: float
    left: float
    right: float

    def place(self, value: float) -> float:
        """Where a number stands, within the span."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    def ticks(self) -> tuple[float, ...]:
        """Round numbers along the span."""
        return ticks(self.low, self.high)


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Round numbers from low to high, at most so many."""
    import math

    raw = (high - low) / (most - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(round(place * step, 10) for place in range(first, last + 1))


def across(drawing: Drawing, span: Span, top: float, bottom: float) -> None:
    """Rules from top to bottom with their numbers below."""
    for tick in span.ticks():
        x = span.place(tick)
        drawing.line(x, top, x, bottom)
        drawing.text(x, bottom + 16, minus(f"{tick:g}"), anchor="middle", kind="soft")


def apart(places: Sequence[float], least: float) -> list[float]:
    """The same places, moved as little as needed so that no two are nearer than `least`."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    groups: list[list[int]] = []
    for index in order:
        groups.append([index])
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], places, least):
            groups[-2:] = [groups[-2] + groups[-1]]
    moved = list(places)
    for group in groups:
        first = _first(group, places, least)
        for step, index in enumerate(group):
            moved[index] = first + step * least
    return moved


def _first(group: Sequence[int], places: Sequence[float], least: float) -> float:
    middle = sum(places[index] for index in group) / len(group)
    return middle - least * (len(group) - 1) / 2


def _overlap(
    above: Sequence[int], below: Sequence[int], places: Sequence[float], least: float
) -> bool:
    end = _first(above, places, least) + least * (len(above) - 1)
    return _first(below, places, least) - end < least


def breadth(words: str) -> float:
    """About how wide words are."""
    return _CHARACTER * len(words)


def cut(words: str, most: float) -> str:
    """Words that fit, shortened where they must be."""
    letters = int(most / _CHARACTER)
    return words if len(words) <= letters else f"{words[: max(1, letters - 1)]}…"


def minus(text: str) -> str:
    """With a true minus."""
    return text.replace("-", "−")


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _rules() -> str:
    """The style, for drawings alone: a page around has classes of its own."""
    colours = [
        rule
        for shade, colour in enumerate(_PALETTE)
        for rule in (
            (f".f{shade}", f"fill:var(--{_token(shade)},{colour})"),
            (f".l{shade}", f"stroke:var(--{_token(shade)},{colour})"),
        )
    ]
    return "".join(f".drawing {name}{{{how}}}" for name, how in (*_STYLE, *colours))


def _token(shade: int) -> str:
    return f"s{shade}" if shade else "ink"


_PATTERNS = (
    "<defs>"
    '<pattern id="{0}1" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path d="M0 0V6" class="gap" stroke-width="1.6"/></pattern>'
    '<pattern id="{0}2" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<circle cx="3" cy="3" r="1.1" class="paper"/></pattern>'
    '<pattern id="{0}3" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(-45)"><path d="M0 0V6" class="gap" stroke-width="2.6"/></pattern>'
    "</defs>"
)
