"""Where the words of a drawing really stand, measured by matplotlib, in pixels of the drawing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from rejudge.report.drawing.export import to_matplotlib
from rejudge.report.drawing.marks import Drawing, TextMark


@dataclass(frozen=True, slots=True)
class Place:
    """The box around some words."""

    words: str
    left: float
    top: float
    right: float
    bottom: float


def words_of(drawing: Drawing) -> list[str]:
    """All words of a drawing, in the order they were written."""
    return [mark.words for mark in drawing.marks if isinstance(mark, TextMark)]


def places(drawing: Drawing) -> list[Place]:
    """All words of a drawing with the box they fill."""
    figure = to_matplotlib(drawing)
    canvas = FigureCanvasAgg(figure)
    pixel = figure.bbox.width / drawing.width
    found = []
    for artist in figure.get_children():
        if isinstance(artist, Text) and artist.get_text():
            box = artist.get_window_extent(canvas.get_renderer())
            found.append(
                Place(
                    artist.get_text(),
                    box.x0 / pixel,
                    drawing.height - box.y1 / pixel,
                    box.x1 / pixel,
                    drawing.height - box.y0 / pixel,
                )
            )
    return found


def outside(drawing: Drawing, slack: float = 1.0) -> list[str]:
    """Words that leave the paper."""
    return [
        each.words
        for each in places(drawing)
        if each.left < -slack
        or each.top < -slack
        or each.right > drawing.width + slack
        or each.bottom > drawing.height + slack
    ]


def meeting(drawing: Drawing, slack: float = 2.0) -> list[tuple[str, str]]:
    """Words that lie upon each other, by more than the air that letters have around them."""
    return [
        (one.words, two.words)
        for one, two in combinations(places(drawing), 2)
        if min(one.right, two.right) - max(one.left, two.left) > slack
        and min(one.bottom, two.bottom) - max(one.top, two.top) > slack
    ]
