"""Figures of comparisons of every shape: nothing leaves the paper."""

from __future__ import annotations

import re

import pytest
from matplotlib.colors import to_hex

from drawn_runs import comparison_of
from pictured import boxes, cells, outside, words
from rejudge.report.figures.comparison import comparison_pictures
from rejudge.report.figures.style import COLOURS, PHONE, WIDTH

LONG = "Large paraphraser with retrieval, fine-tuned for three epochs on everything"
SHAPES = (
    comparison_of(
        {"0": [None, None, 0.0, None, 1e6], "W00": [0.0, 0.0, None, 0.0, 0.0]}, runs=["0"] * 5
    ),
    comparison_of({"A": [1.0, 2.0]}),
    comparison_of(
        {f"{LONG} {place}": [5.0 - place, -1e13, 1e-6] for place in range(9)},
        runs=["系统一号机器翻译比較", "نظام الترجمة", LONG],
        half_width=20.0,
        percents={("s0", f"s{place}"): 10.0 * place for place in range(1, 9)},
    ),
)


@pytest.mark.parametrize("comparison", SHAPES)
@pytest.mark.parametrize("width", [WIDTH, PHONE])
def test_words_stay_on_the_paper(comparison, width):
    for picture in comparison_pictures(comparison):
        assert outside(picture, width) == [], picture.name


def picture_of(comparison, start):
    (found,) = (each for each in comparison_pictures(comparison) if each.name.startswith(start))
    return found


def test_the_original_is_filled_and_reproductions_are_outlined():
    drawing = picture_of(comparison_of({"A": [1.0, 2.0, 3.0]}), "scores")
    bars = [bar for bar in boxes(drawing) if bar.axes.get_label() != "legend"]
    looks = [(to_hex(bar.get_facecolor()), to_hex(bar.get_edgecolor())) for bar in bars]
    assert looks == [
        (COLOURS["ink"], COLOURS["ink"]),
        (COLOURS["paper"], COLOURS["s1"]),
        (COLOURS["paper"], COLOURS["s2"]),
    ]
    assert [bool(bar.get_hatch()) for bar in bars] == [False, True, True]


@pytest.mark.parametrize("width", [WIDTH, PHONE])
def test_the_axis_below_the_bars_has_a_name(width):
    picture = picture_of(comparison_of({"A": [1.0, 2.0]}), "scores")
    assert any(each.startswith("Score on ") for each in words(picture))
    assert outside(picture, width) == []


def test_bars_stand_in_the_order_of_the_original():
    drawing = picture_of(comparison_of({"low": [1, 9], "high": [5, 2]}), "scores")
    assert [each for each in words(drawing) if each in {"low", "high"}] == ["high", "low"]


def test_intervals_are_drawn_told_and_explained_where_they_are_known():
    picture = picture_of(comparison_of({"A": [1.0, 2.0]}, half_width=0.5), "scores")
    assert "95 % intervals" in picture.caption
    assert "Run 1 1.00 [0.50, 1.50]" in picture.description
    assert "interval" not in picture_of(comparison_of({"A": [1.0, 2.0]}), "scores").caption


def test_a_score_that_is_not_there_is_said_and_drawn_as_such():
    comparison = comparison_of({"A": [1.0, 2.0, None], "B": [1.5, None, 2.5]})
    picture = picture_of(comparison, "scores")
    assert "B: Run 1 1.50, Run 2 no score, Run 3 2.50" in picture.description
    assert words(picture).count("no score") == 2


def test_a_system_that_one_run_alone_has_scored_is_left_out():
    picture = picture_of(comparison_of({"A": [1.0, 2.0], "B": [1.5, None]}), "scores")
    assert "B" not in words(picture)


def test_one_system_has_no_order():
    assert not any(
        each.name.startswith("order")
        for each in comparison_pictures(comparison_of({"A": [1.0, 2.0]}))
    )


def test_wins_have_an_empty_diagonal_and_a_dash_where_two_never_met():
    comparison = comparison_of(
        {"A": [1, 2], "B": [1, 2], "C": [2, 1]}, percents={("s0", "s1"): 75, ("s1", "s2"): 40}
    )
    drawing = picture_of(comparison, "wins")
    # A beats B in 75 %, C beats B in 60 %; A and C never met
    assert sorted(words(drawing)) == sorted([*"ACB", *"ACB", "–", "–", "75", "60", "25", "40"])


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
    drawing = picture_of(comparison, "wins")
    for fill, strength in cells(drawing):
        colour = {COLOURS["s1"]: more, COLOURS["s2"]: less}[fill]
        assert contrast(ink, mixed(colour, paper, strength)) >= 4.5


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
    for picture in comparison_pictures(comparison):
        svg = picture.svg
        assert "<b>" not in svg
        assert re.search("&lt;b&gt;&amp;&quot;", svg)
