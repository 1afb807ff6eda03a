"""Names and numbers that must fit beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rejudge.report.drawing import Drawing, breadth
from rejudge.report.drawing.marks import Anchor, Kind

LINE = 14.0


@dataclass(frozen=True, slots=True)
class Label:
    """One to three lines, drawn around a middle."""

    lines: Sequence[str]

    def draw(
        self, drawing: Drawing, x: float, middle: float, *, anchor: Anchor = "start",
        kind: Kind = "strong",
    ) -> None:  # fmt: skip
        """The lines, with their middle at `middle`."""
        first = middle + 4 - LINE * (len(self.lines) - 1) / 2
        for place, line in enumerate(self.lines):
            drawing.text(x, first + place * LINE, line, anchor=anchor, kind=kind)


def within(drawing: Drawing, middle: float, y: float, words: str) -> None:
    """Soft words around a middle, moved as little as needed to stay within the drawing."""
    x = middle_within(drawing.width, middle, words)
    drawing.text(x, y, words, anchor="middle", kind="soft")


def middle_within(width: float, middle: float, words: str) -> float:
    """The middle of words once they are moved into a drawing that is so wide."""
    half = breadth(words) / 2
    return min(max(middle, half), width - half)


def spaced(
    places: Sequence[float], halves: Sequence[float], room: tuple[float, float], *, gap: float
) -> list[float]:
    """Places in order, moved forward until none meets the one before, then back into the room.

    `halves` are the halves of what stands there: widths along a line, heights along a column.
    """
    moved: list[float] = []
    least = room[0]
    for place, half in zip(places, halves, strict=True):
        moved.append(max(place, least + half))
        least = moved[-1] + half + gap
    most = room[1]
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], most - halves[at])
        most = moved[at] - halves[at] - gap
    return moved
