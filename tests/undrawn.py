"""Figures that are not drawn, for tests of everything else in a report."""

from __future__ import annotations

from html import escape

from rejudge.report.figures.registry import Picture


def svg_at(picture: Picture, width: float) -> str:
    """In the place of a figure: what is said to those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} 9" class="drawing" '
        f'role="img">\n<title>{escape(picture.title)}</title>\n'
        f"<desc>{escape(picture.description)}</desc>\n</svg>\n"
    )
