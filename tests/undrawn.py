"""Figures for print that are not drawn, for tests of everything else in a report.

Drawing takes longer than all the rest. What PDF and PNG files show is proved beside the drawings;
that a report has them, by the tests of `rejudge report`.
"""

from __future__ import annotations

from pathlib import Path

from rejudge.report.drawing.marks import Drawing


def to_pdf(drawing: Drawing, font: Path | None = None) -> bytes:
    """In the place of a figure: its title."""
    return f"%PDF-1.4 {drawing.title}".encode()


def to_png(drawing: Drawing, font: Path | None = None) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + drawing.title.encode()
