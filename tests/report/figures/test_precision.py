"""Precision and reliability with more participants."""

from __future__ import annotations

from pictured import found, made, picture, signs, within, words
from rejudge.analysis.details import Precision, PrecisionPoint
from rejudge.findings.frame import Frame
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
    curve, here = signs(figure)
    assert list(zip(*curve.get_data(), strict=True)) == [(4, 0.8), (8, 0.4), (16, 0.2)]
    assert here.get_data() == ([8], [0.4])
    assert here.get_markersize() > curve.get_markersize()
    assert "this study" in words(figure)
    assert "0.40 with 8" in figure.description


def test_precision_tells_the_cost_where_it_is_known():
    pair = found(("ash", "beech"), 0.5, measure="mean-difference", by="cluster-robust")
    precise = foretold(currency="GBP", _4=0.8, _8=0.4)
    written = words(drawn("fluency-precision", made(pair, precision=(precise,))))
    assert {"£30", "£60"} <= set(written)


def test_precision_needs_two_sizes_with_a_value():
    pair = found(("ash", "beech"), 0.5, measure="mean-difference", by="cluster-robust")
    results = made(pair, precision=(foretold(_4=None, _8=0.4),))
    assert "fluency-precision" not in names_of(results)


def reliable(currency=None):
    sizes = (("now", 8, 0.75, 0.5), ("participants", 4, 0.5, 0.25), ("participants", 8, 0.75, 0.5))
    rows = [
        {"grows_by": grows_by, "participants": size, "items": 10, "judgments": 10 * size,
         "relative": order, "absolute": means, "cost": 7.5 * size if currency else None}
        for grows_by, size, order, means in sizes
    ]  # fmt: skip
    return Frame.of("reliability", rows, question="fluency", facts={"currency": currency})


def test_reliability_has_a_line_for_the_order_and_one_for_the_means():
    results = made(found(("ash",), 3.0, measure="mean"), frames=(reliable("GBP"),))
    figure = drawn("fluency-reliability", results)
    curves = {tuple(sign.get_ydata()) for sign in signs(figure) if len(sign.get_xdata()) > 1}
    assert curves == {(0.5, 0.75), (0.25, 0.5)}
    assert {"order", "means", "this study", "£30", "£60"} <= set(words(figure))
    assert "0.75 and 0.50 with 8 for £60" in figure.description


def test_without_a_reliability_there_is_no_figure_of_it():
    bare = Frame("reliability", question="fluency", notes=("Undefined: there is one system only.",))
    results = made(found(("ash",), 3.0, measure="mean"), frames=(bare,))
    assert "fluency-reliability" not in names_of(results)
