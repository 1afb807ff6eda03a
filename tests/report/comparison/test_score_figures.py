"""Figures of comparisons of every shape: nothing leaves the paper, no words lie upon others."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawn_runs import comparison_of
from measured import meeting, outside, words_of
from property_settings import examples
from rejudge.report.comparison.figures import pictures
from rejudge.report.drawing.marks import (
    COLUMN,
    PHONE,
    WIDTH,
    CircleMark,
    LineMark,
    PolygonMark,
    RectangleMark,
)
from rejudge.report.drawing.picture import to_svg

names = st.one_of(
    st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.()", min_size=1),
    st.text("系统一号机器翻译比較東京", min_size=1, max_size=20),
    st.text("نظامالترجمةالآلية ", min_size=1, max_size=20),
    st.text("מערכתתרגום ", min_size=1, max_size=20),
).filter(str.strip)
values = st.one_of(
    st.none(), st.floats(-100, 100), st.floats(-1e13, 1e13), st.sampled_from([0.0, 1.0, 1e-6])
)


@st.composite
def shapes(draw):
    runs = draw(st.integers(2, 6))
    systems = draw(st.lists(names, min_size=1, max_size=12, unique_by=lambda text: text.split()[0]))
    rows = {name: draw(st.lists(values, min_size=runs, max_size=runs)) for name in systems}
    pairs = [
        (f"s{one}", f"s{two}") for one in range(len(rows)) for two in range(one + 1, len(rows))
    ]
    percents = {pair: draw(st.floats(0, 100)) for pair in pairs if draw(st.booleans())}
    return comparison_of(
        rows,
        runs=[draw(names) for _ in range(runs)],
        half_width=draw(st.one_of(st.none(), st.floats(0, 50))),
        percents=percents,
    )


LONG_NUMBERS = comparison_of(
    {"0": [None, None, 0.0, None, 1e6], "W00": [0.0, 0.0, None, 0.0, 0.0]}, runs=["0"] * 5
)


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(25))
@example(comparison=LONG_NUMBERS, width=PHONE)
@given(comparison=shapes(), width=st.sampled_from([WIDTH, PHONE]))
def test_words_stay_on_the_paper_and_apart(comparison, width):
    for picture in pictures(comparison, width):
        assert outside(picture.drawing) == []
        assert meeting(picture.drawing) == []


@settings(deadline=None, max_examples=examples(40))
@given(comparison=shapes(), width=st.sampled_from([WIDTH, PHONE, COLUMN]))
def test_marks_stay_on_the_paper(comparison, width):
    for picture in pictures(comparison, width):
        for x, y in corners(picture.drawing):
            assert -2 <= x <= picture.drawing.width + 2
            assert -2 <= y <= picture.drawing.height + 2


def corners(drawing):
    for mark in drawing.marks:
        match mark:
            case LineMark(points) | PolygonMark(points):
                yield from points
            case RectangleMark(box):
                assert box.width >= 0
                yield box.x, box.y
                yield box.x + box.width, box.y + box.height
            case CircleMark(x, y):
                yield x, y


def picture_of(comparison, start, width=WIDTH):
    (found,) = (each for each in pictures(comparison, width) if each.name.startswith(start))
    return found


def test_the_original_is_filled_and_reproductions_are_outlined():
    drawing = picture_of(comparison_of({"A": [1.0, 2.0, 3.0]}), "scores").drawing
    looks = [mark.look for mark in drawing.marks if isinstance(mark, RectangleMark)][3:]
    assert [(look.fill, look.hatch, look.edge) for look in looks] == [
        ("ink", 0, None),
        ("paper", 1, "s1"),
        ("paper", 2, "s2"),
    ]


@pytest.mark.parametrize("width", [WIDTH, PHONE])
def test_the_axis_below_the_bars_has_a_name(width):
    picture = picture_of(comparison_of({"A": [1.0, 2.0]}), "scores", width)
    assert words_of(picture.drawing)[-1].startswith("Score on ")
    assert outside(picture.drawing) == []


def test_bars_stand_in_the_order_of_the_original():
    drawing = picture_of(comparison_of({"low": [1, 9], "high": [5, 2]}), "scores").drawing
    assert [words for words in words_of(drawing) if words in {"low", "high"}] == ["high", "low"]


def test_intervals_are_drawn_told_and_explained_where_they_are_known():
    picture = picture_of(comparison_of({"A": [1.0, 2.0]}, half_width=0.5), "scores")
    assert "95 % intervals" in picture.caption
    assert "Run 1 1.00 [0.50, 1.50]" in picture.drawing.description
    assert "interval" not in picture_of(comparison_of({"A": [1.0, 2.0]}), "scores").caption


def test_a_score_that_is_not_there_is_said_and_drawn_as_such():
    comparison = comparison_of({"A": [1.0, 2.0, None], "B": [1.5, None, 2.5]})
    picture = picture_of(comparison, "scores")
    assert "B: Run 1 1.50, Run 2 no score, Run 3 2.50" in picture.drawing.description
    assert words_of(picture.drawing).count("no score") == 2


def test_a_system_that_one_run_alone_has_scored_is_left_out():
    picture = picture_of(comparison_of({"A": [1.0, 2.0], "B": [1.5, None]}), "scores")
    assert "B" not in words_of(picture.drawing)


def test_one_system_has_no_order():
    assert not any(
        each.name.startswith("order") for each in pictures(comparison_of({"A": [1.0, 2.0]}))
    )


def test_wins_have_an_empty_diagonal_and_a_dash_where_two_never_met():
    comparison = comparison_of(
        {"A": [1, 2], "B": [1, 2], "C": [2, 1]}, percents={("s0", "s1"): 75, ("s1", "s2"): 40}
    )
    drawing = picture_of(comparison, "wins").drawing
    # A beats B in 75 %, C beats B in 60 %; A and C never met
    assert words_of(drawing) == ["A", "C", "B", "A", "–", "75", "C", "–", "60", "B", "25", "40"]


@pytest.mark.parametrize("percent", [0, 25, 50, 75, 100])
@pytest.mark.parametrize(
    ("paper", "ink", "more", "less"),
    [
        ("ffffff", "1a1f26", "0072b2", "d55e00"),
        ("171b21", "e8ecf1", "56b4e9", "ff9a52"),
    ],
    ids=["light", "dark"],
)
def test_the_value_in_a_cell_can_be_read_on_its_colour(percent, paper, ink, more, less):
    """A contrast of 4.5 to 1 or more, as WCAG asks for."""
    comparison = comparison_of({"A": [1, 2], "B": [1, 2]}, percents={("s0", "s1"): percent})
    drawing = picture_of(comparison, "wins").drawing
    for cell in (mark for mark in drawing.marks if isinstance(mark, RectangleMark)):
        colour = {"s1": more, "s2": less}[cell.look.fill]
        assert contrast(ink, mixed(colour, paper, cell.look.strength)) >= 4.5


def mixed(colour, paper, share):
    pairs = zip(bytes.fromhex(colour), bytes.fromhex(paper), strict=True)
    return bytes(round(share * one + (1 - share) * two) for one, two in pairs).hex()


def contrast(one, two):
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [part / 255 for part in bytes.fromhex(colour)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_names_are_text_in_every_figure():
    comparison = comparison_of({'<b>&"$x$': [1.0, 2.0], "%_\\": [2.0, 1.0]})
    for picture in pictures(comparison):
        svg = to_svg(picture.drawing)
        assert "<b>" not in svg
        assert re.search("&lt;b&gt;&amp;&quot;", svg)
