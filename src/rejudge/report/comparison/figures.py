"""Figures of a comparison: scores beside each other, their order, how far they spread, wins."""

from __future__ import annotations

from rejudge.compare import Comparison
from rejudge.report.comparison.bars import bar_pictures
from rejudge.report.comparison.slopes import slope_pictures
from rejudge.report.comparison.spread import spread_pictures
from rejudge.report.comparison.wins import win_pictures
from rejudge.report.drawing import WIDTH, Picture


def pictures(comparison: Comparison, width: float = WIDTH) -> tuple[Picture, ...]:
    """All figures that a comparison has numbers for; narrow ones are laid out for a phone."""
    drawn = (
        ("scores", bar_pictures(comparison, width)),
        ("order", slope_pictures(comparison, width)),
        ("scores", spread_pictures(comparison, width)),
        ("order", win_pictures(comparison, width)),
    )
    return tuple(each.in_section(section) for section, found in drawn for each in found)
