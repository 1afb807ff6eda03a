"""Precision and reliability with more participants."""

from __future__ import annotations

import pytest

from pictured import found, made, picture, within, words
from rejudge.analysis.details import Generalizability, Precision, PrecisionPoint, ReliabilityPoint
from rejudge.report.drawing.marks import CircleMark, TextMark
from rejudge.report.figures.study import study_pictures

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def drawn(name, results):
    return picture(study_pictures(None, results, NAMES), name)


def names_of(results):
    return {each.name for each in study_pictures(None, results, NAMES)}


def foretold(systems=("ash", "beech"), currency=None, **widths: float | None):
    points = tuple(
        PrecisionPoint(
            int(size[1:]), 10, 100, 1.0, width, 7.5 * int(size[1:]) if currency else None
        )
        for size, width in widths.items()
    )
    return Precision(
        f"fluency.cluster-robust.{'.'.join(systems)}", "fluency", systems, "points of the scale",
        0.95, 0.1, 0.1, 0.1, points, currency=currency, method="half-width", note="Foretold.",
    )  # fmt: skip


def test_precision_marks_the_study_itself():
    pair = found(
        ("ash", "beech"),
        0.5,
        within(0.1, 0.9),
        measure="mean-difference",
        by="cluster-robust",
    )
    figure = drawn("fluency-precision", made(pair, precision=(foretold(_4=0.8, _8=0.4, _16=0.2),)))
    dots = sorted(
        (m for m in figure.drawing.marks if isinstance(m, CircleMark)), key=lambda dot: dot.x
    )
    zero = next(m.y for m in figure.drawing.marks if isinstance(m, TextMark) and m.words == "0") - 4
    heights = [zero - dot.y for dot in dots]
    assert [dot.radius for dot in dots] == [2.5, 4, 2.5]
    assert [height / heights[2] for height in heights] == pytest.approx([4, 2, 1])
    assert "this study" in words(figure.drawing)
    assert "0.40 with 8" in figure.drawing.description


def test_precision_tells_the_cost_where_it_is_known():
    pair = found(("ash", "beech"), 0.5, measure="mean-difference", by="cluster-robust")
    precise = foretold(currency="GBP", _4=0.8, _8=0.4)
    written = words(drawn("fluency-precision", made(pair, precision=(precise,))).drawing)
    assert {"£30", "£60"} <= set(written)


def test_precision_needs_two_sizes_with_a_value():
    pair = found(("ash", "beech"), 0.5, measure="mean-difference", by="cluster-robust")
    results = made(pair, precision=(foretold(_4=None, _8=0.4),))
    assert "fluency-precision" not in names_of(results)


def reliable(currency=None):
    points = tuple(
        ReliabilityPoint(size, 10, 10 * size, order, means, 7.5 * size if currency else None)
        for size, order, means in ((4, 0.5, 0.25), (8, 0.75, 0.5))
    )
    return Generalizability(
        "fluency", now=points[1], by_participants=points, currency=currency, note="Foretold."
    )


def test_reliability_has_a_line_for_the_order_and_one_for_the_means():
    results = made(found(("ash",), 3.0, measure="mean"), reliability=(reliable("GBP"),))
    figure = drawn("fluency-reliability", results)
    dots = [mark for mark in figure.drawing.marks if isinstance(mark, CircleMark)]
    heights = sorted({round(dot.y, 3) for dot in dots})
    assert len(dots) == 4
    assert len(heights) == 3  # .75, .5 twice and .25
    assert heights[2] - heights[1] == pytest.approx(heights[1] - heights[0])
    assert {"order", "means", "this study", "£30", "£60"} <= set(words(figure.drawing))
    assert "0.75 and 0.50 with 8 for £60" in figure.drawing.description


def test_without_a_reliability_there_is_no_figure_of_it():
    bare = Generalizability("fluency", note="Undefined: there is one system only.")
    results = made(found(("ash",), 3.0, measure="mean"), reliability=(bare,))
    assert "fluency-reliability" not in names_of(results)
