"""A figure with its caption and its files."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from rejudge.report.drawing.marks import Box, Drawing
from rejudge.report.drawing.picture import Picture, characters_not_printed, picture_files, to_svg


def example(width: float = 680, words: str = "Scores") -> Drawing:
    drawing = Drawing("A title", "What it shows", width, 200)
    drawing.text(4, 20, words)
    for shade in range(1, 5):
        drawing.hatch(Box(10 + 40 * shade, 150, 30, 20), shade=shade)
    return drawing


def test_a_drawing_alone_has_colours_for_programs_that_know_no_variables():
    svg = to_svg(example())
    ET.fromstring(svg)  # noqa: S314 - our own text
    assert "var(--" in svg
    assert re.search(r"fill:(#\w{6});fill:var\(--[\w-]+,\1\)", svg)


def test_the_same_figure_in_two_widths_has_no_pattern_name_twice():
    names = [re.findall(r'pattern id="([^"]+)"', to_svg(example(width))) for width in (680, 358)]
    assert len(names[0]) == len(set(names[0])) > 2
    assert set(names[0]).isdisjoint(names[1])


def test_every_picture_has_three_files():
    picture = Picture("scores", "Scores.", example(), "table-scores")
    files = picture_files([picture], folder="f")
    assert set(files) == {"f/scores.svg", "f/scores.pdf", "f/scores.png"}
    assert files["f/scores.svg"].decode() == picture.svg
    assert files["f/scores.pdf"].startswith(b"%PDF")
    assert files["f/scores.png"].startswith(b"\x89PNG")


def test_characters_that_no_font_has_are_named():
    chinese = Picture("scores", "Scores.", example(words="系统"), "table-scores")
    assert not characters_not_printed([Picture("x", "X.", example(), "")])
    assert "系" in characters_not_printed([chinese], None)
