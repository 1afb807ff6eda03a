"""Figures for print that are kept: the same marks give the same bytes, so one drawing is enough."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from rejudge.report.drawing import export
from rejudge.report.drawing.marks import Drawing, Mark

_MOST = 500  # files; those of ten reports and more


def to_pdf(drawing: Drawing, font: Path | None = None) -> bytes:
    return _printed(export.to_pdf, font, *_parts_of(drawing))


def to_png(drawing: Drawing, font: Path | None = None) -> bytes:
    return _printed(export.to_png, font, *_parts_of(drawing))


def _parts_of(drawing: Drawing) -> tuple[str, str, float, float, tuple[Mark, ...]]:
    """All that a drawing is."""
    return drawing.title, drawing.description, drawing.width, drawing.height, tuple(drawing.marks)


@lru_cache(_MOST)
def _printed(
    how: Callable[[Drawing, Path | None], bytes],
    font: Path | None,
    title: str,
    says: str,
    width: float,
    height: float,
    marks: tuple[Mark, ...],
) -> bytes:
    return how(Drawing(title, says, width, height, list(marks)), font)
