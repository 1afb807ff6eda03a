"""A finished figure, and its files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from rejudge.report.drawing.export import to_pdf, to_png
from rejudge.report.drawing.fonts import missing_characters
from rejudge.report.drawing.marks import Drawing, TextMark
from rejudge.report.drawing.svg import to_svg


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
