"""A figure with its caption, its SVG for pages (light or dark) and papers, and its files."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from rejudge.report.drawing.export import to_pdf, to_png
from rejudge.report.drawing.marks import (
    HATCHES,
    PAPER_COLOURS,
    STEP,
    CircleMark,
    Drawing,
    Hatch,
    LineMark,
    Mark,
    Point,
    PolygonMark,
    RectangleMark,
    ShapeStyle,
    TextMark,
)
from rejudge.report.drawing.text import missing_characters

_FONT = (
    "text",
    "font:12px system-ui,'Segoe UI','Liberation Sans',sans-serif;direction:ltr",
)


def to_svg(drawing: Drawing) -> str:
    """The whole drawing as text; the same text for the same marks."""
    prefix = f"p{zlib.crc32(f'{drawing.title} {drawing.description} {drawing.width}'.encode()):08x}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(drawing.width)} '
        f'{_n(drawing.height)}" width="{_n(drawing.width)}" class="drawing" role="img">'
    )
    return "\n".join(
        (
            head,
            f"<title>{escape(drawing.title)}</title>",
            f"<desc>{escape(drawing.description)}</desc>",
            f"<style>{_rules()}</style>",
            *_patterns(drawing.marks, prefix),
            f'<rect class="f-paper" {_size(drawing.width, drawing.height)}/>',
            *(line for mark in drawing.marks for line in _element(mark, prefix)),
            "</svg>\n",
        )
    )


def _element(mark: Mark, prefix: str) -> Iterator[str]:
    match mark:
        case TextMark():
            yield _words(mark)
        case LineMark():
            yield _stroke(mark)
        case RectangleMark(box, look):
            place, size = f'x="{_n(box.x)}" y="{_n(box.y)}"', _size(box.width, box.height)
            yield _shape(f"rect {place} {size}", look)
            if look.hatch:  # moved to its corner, where the pattern then begins
                moved = f'transform="translate({_n(box.x)} {_n(box.y)})"'
                yield f'<rect {moved} {size} fill="url(#{_pattern_id(look, prefix)})"/>'
        case CircleMark(x, y, radius, look):
            yield _shape(f'circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"', look)
        case PolygonMark(points, look):
            yield _shape(f'path d="{_through(points)}z"', look)


def _words(mark: TextMark) -> str:
    x, y = _n(mark.x), _n(mark.y)
    classes = f"f-{mark.colour}" + (" strong" if mark.kind == "strong" else "")
    turn = f' transform="rotate({_n(-mark.turn)} {x} {y})"' if mark.turn else ""
    return (
        f'<text x="{x}" y="{y}" text-anchor="{mark.anchor}" class="{classes}"{turn}>'
        f"{escape(mark.words)}</text>"
    )


def _stroke(mark: LineMark) -> str:
    how = f'class="l-{mark.colour}" stroke-width="{_n(mark.width)}"'
    dashes = ' stroke-dasharray="4 3"' if mark.is_dashed else ""
    return f'<path d="{_through(mark.points)}" fill="none" {how}{dashes}/>'


def _shape(element: str, look: ShapeStyle) -> str:
    classes = [f"f-{look.fill}"] if look.fill else []
    how = "" if look.fill else ' fill="none"'
    if look.strength < 1:
        how += f' fill-opacity="{look.strength:.2f}"'
    if look.edge:
        classes.append(f"l-{look.edge}")
        how += f' stroke-width="{_n(look.edge_width)}"'
    return f'<{element} class="{" ".join(classes)}"{how}/>'


def _size(width: float, height: float) -> str:
    return f'width="{_n(width)}" height="{_n(height)}"'


def _through(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


def _patterns(marks: Sequence[Mark], prefix: str) -> Iterator[str]:
    """Those patterns that are used, under names that no other drawing of a page has."""
    looks = [mark.look for mark in marks if isinstance(mark, RectangleMark)]
    used = {_pattern_id(look, prefix): look for look in looks if look.hatch}
    if used:
        yield "<defs>"
        for name, look in used.items():
            yield _pattern(name, HATCHES[look.hatch], look.hatch_in)
        yield "</defs>"


def _pattern(name: str, hatch: Hatch, colour: str) -> str:
    half = _n(STEP / 2)
    size = f'{_size(STEP, STEP)} patternUnits="userSpaceOnUse"'
    if not hatch.slope:
        dot = f'<circle cx="{half}" cy="{half}" r="{_n(hatch.width)}" class="f-{colour}"/>'
        return f'<pattern id="{name}" {size}>{dot}</pattern>'
    line = f'<path d="M{half} 0V{_n(STEP)}" class="l-{colour}" stroke-width="{_n(hatch.width)}"/>'
    turn = f'patternTransform="rotate({45 * hatch.slope})"'
    return f'<pattern id="{name}" {size} {turn}>{line}</pattern>'


def _pattern_id(look: ShapeStyle, prefix: str) -> str:
    return f"{prefix}-{look.hatch}-{look.hatch_in}"


def _rules() -> str:
    """The style; a plain colour stands before each role, for programs that know no variables."""
    rules = [_FONT, (".strong", "font-weight:600")]
    for role, colour in PAPER_COLOURS.items():
        rules.append((f".f-{role}", f"fill:{colour};fill:var(--{role},{colour})"))
        rules.append((f".l-{role}", f"stroke:{colour};stroke:var(--{role},{colour})"))
    return "".join(f".drawing {name}{{{how}}}" for name, how in rules)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that is drawn, with the name of its file and what stands below it."""

    name: str  # of its files, without ending
    caption: str
    drawing: Drawing
    numbers_in: str = ""  # id of the table on the page with its numbers; "": none
    section: str = ""  # of the report
    family: str = ""  # systems, pairs, scores …
    question: str | None = None  # None: it is of the whole study

    def in_section(self, section: str, family: str = "", question: str | None = None) -> Picture:
        """The same figure with its section of the report."""
        return replace(self, section=section, family=family, question=question)

    @property
    def svg(self) -> str:
        """As it stands on a page."""
        return to_svg(self.drawing)

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return self.svg


def picture_files(
    pictures: Iterable[Picture], folder: str = "figures", font: Path | None = None
) -> dict[str, bytes]:
    """Every figure as SVG, PDF and PNG, by the name of the file.

    `font` is a file for the letters that DejaVu Sans lacks, for print; a browser has its own.
    """
    files: dict[str, bytes] = {}
    for each in pictures:
        files[f"{folder}/{each.name}.svg"] = each.svg.encode("utf-8")
        files[f"{folder}/{each.name}.pdf"] = to_pdf(each.drawing, font)
        files[f"{folder}/{each.name}.png"] = to_png(each.drawing, font)
    return files


def characters_not_printed(pictures: Iterable[Picture], font: Path | None = None) -> str:
    """Letters that the PDF and PNG files show as boxes, because no font has them."""
    return missing_characters(
        (
            mark.words
            for each in pictures
            for mark in each.drawing.marks
            if isinstance(mark, TextMark)
        ),
        font,
    )
