"""A drawing for print, as PDF and PNG: drawn by matplotlib, the same bytes for the same marks.

The files do not depend on the machine: not on its fonts, its clock or its settings.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rejudge.report.drawing.marks import (
    HATCHES,
    PAPER_COLOURS,
    WIDTH,
    Box,
    CircleMark,
    Drawing,
    LineMark,
    Mark,
    PolygonMark,
    RectangleMark,
    ShapeStyle,
    TextMark,
    hatch_dots,
    hatch_lines,
)
from rejudge.report.drawing.text import font_file, is_width_known, printable_text, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.transforms import Transform

_INCHES = 174 / 25.4 / WIDTH  # of a pixel: a wide drawing fills two columns, 174 mm
_POINTS = 72 * _INCHES
_LETTERS = 12  # pixels, that is 8.7 points
_DOTS_PER_INCH = 300
_SIDES: dict[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}


def to_pdf(drawing: Drawing, font: Path | None = None) -> bytes:
    """The drawing with its letters as letters, fonts embedded.

    `font` is a file for the letters that DejaVu Sans lacks.
    """
    nothing = {"Creator": None, "Producer": None, "CreationDate": None}
    return _print(drawing, "pdf", nothing, font)


def to_png(drawing: Drawing, font: Path | None = None) -> bytes:
    """The drawing in 300 dots per inch on white; `font` as for `to_pdf`."""
    return _print(drawing, "png", {"Software": None}, font)


def _print(drawing: Drawing, ending: str, metadata: dict[str, Any], font: Path | None) -> bytes:
    with _own_settings():
        figure = to_matplotlib(drawing, font)
        if ending == "pdf":
            metadata = metadata | {"Title": drawing.title}
        file = io.BytesIO()
        figure.savefig(file, format=ending, metadata=metadata)
        return file.getvalue()


@contextmanager
def _own_settings() -> Iterator[None]:
    """The settings that matplotlib comes with: those of its user would change the bytes."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams["pdf.fonttype"] = 42
        yield


def to_matplotlib(drawing: Drawing, font: Path | None = None) -> Figure:
    """The marks of a drawing as a figure of matplotlib, at the resolution it is written in."""
    from matplotlib.figure import Figure
    from matplotlib.transforms import Affine2D

    size = (drawing.width * _INCHES, drawing.height * _INCHES)
    figure = Figure(figsize=size, dpi=_DOTS_PER_INCH, facecolor=PAPER_COLOURS["paper"])
    pixels = Affine2D().scale(_INCHES, -_INCHES).translate(0, size[1]) + figure.dpi_scale_trans
    for place, mark in enumerate(drawing.marks):
        for artist in _artists(mark, pixels, font):
            artist.set_zorder(place)  # else lines would lie above all shapes
            figure.add_artist(artist)
    return figure


def _artists(mark: Mark, pixels: Transform, font: Path | None) -> Iterator[Any]:
    from matplotlib import patches

    match mark:
        case TextMark():
            yield _words(mark, pixels, font)
        case LineMark():
            yield _stroke(mark, pixels)
        case RectangleMark(box, look):
            patch = patches.Rectangle((box.x, box.y), box.width, box.height)
            yield _style(patch, look, pixels)
            if look.hatch:
                yield _hatching(box, look, pixels)
        case CircleMark(x, y, radius, look):
            yield _style(patches.Circle((x, y), radius), look, pixels)
        case PolygonMark(points, look):
            yield _style(patches.Polygon(points, closed=True), look, pixels)


def _words(mark: TextMark, pixels: Transform, font: Path | None) -> Any:
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

    letters = printable_text(mark.words, is_bold=mark.kind == "strong", extra=font)
    file = font_file(letters.words, letters.font)
    face = FontProperties(fname=str(file), size=_LETTERS * _POINTS)
    if not is_width_known(mark.words):
        face.set_size(_LETTERS * _POINTS * _shrinkage(letters.words, face, text_width(mark.words)))
    return Text(
        mark.x,
        mark.y,
        letters.words,
        color=PAPER_COLOURS[mark.colour],
        fontproperties=face,
        horizontalalignment=_SIDES[mark.anchor],
        verticalalignment="baseline",
        rotation=mark.turn,
        rotation_mode="anchor",
        parse_math=False,  # a name may have dollars
        transform=pixels,
    )


def _shrinkage(words: str, face: FontProperties, most: float) -> float:
    """The factor by which words must shrink to fit the pixels that the layout gave them.

    A PNG file rounds the width of each letter to whole dots, up by half a dot at most.
    """
    from matplotlib.textpath import text_to_path

    points, _, _ = text_to_path.get_text_width_height_descent(words, face, ismath=False)
    widest = points / _POINTS + len(words) / 2 / (_DOTS_PER_INCH * _INCHES)
    return min(1.0, most / widest) if points > 0 else 1.0


def _stroke(mark: LineMark, pixels: Transform) -> Any:
    from matplotlib.lines import Line2D

    across, down = zip(*mark.points, strict=True)
    return Line2D(
        across,
        down,
        color=PAPER_COLOURS[mark.colour],
        linewidth=mark.width * _POINTS,
        linestyle=(0, (4 / mark.width, 3 / mark.width)) if mark.is_dashed else "-",
        solid_capstyle="butt",
        dash_capstyle="butt",
        transform=pixels,
    )


def _style(patch: Any, look: ShapeStyle, pixels: Transform) -> Any:
    from matplotlib.colors import to_rgba

    patch.set(
        facecolor=to_rgba(PAPER_COLOURS[look.fill], look.strength) if look.fill else "none",
        edgecolor=PAPER_COLOURS[look.edge] if look.edge else "none",
        linewidth=look.edge_width * _POINTS if look.edge else 0,
        transform=pixels,
    )
    return patch


def _hatching(box: Box, look: ShapeStyle, pixels: Transform) -> Any:
    """All lines or dots of a pattern as one path, which is drawn much faster than many."""
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

    hatch = HATCHES[look.hatch]
    colour = PAPER_COLOURS[look.hatch_in]
    if hatch.slope:
        pieces = [Path(line) for line in hatch_lines(box, hatch.slope)]
        how = {"edgecolor": colour, "facecolor": "none", "linewidth": hatch.width * _POINTS}
    else:
        pieces = [Path.circle(middle, hatch.width) for middle in hatch_dots(box)]
        how = {"edgecolor": "none", "facecolor": colour, "linewidth": 0}
    patch = PathPatch(Path.make_compound_path(*pieces), capstyle="butt", transform=pixels, **how)
    patch.set_clip_path(Rectangle((box.x, box.y), box.width, box.height, transform=pixels))
    return patch
