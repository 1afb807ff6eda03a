"""Results made by hand, and what stands in the figures that are drawn from them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from rejudge.analysis.results import Flow, Results, Signature
from rejudge.findings.model import Finding, Key
from rejudge.report.drawing.marks import (
    CircleMark,
    Drawing,
    LineMark,
    PolygonMark,
    RectangleMark,
    TextMark,
)
from rejudge.report.drawing.text import text_width
from rejudge.report.figures.study import study_pictures
from rejudge.stats import Interval

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}
ASCENT, DESCENT = 8, 2  # of letters of 12 pixels, from their baseline


def within(low: float, high: float) -> Interval:
    """An interval at 95 %."""
    return Interval(low, high, 0.95)


def found(
    systems: tuple[str, ...] = (),
    value: float | None = None,
    interval: Interval | None = None,
    *,
    measure: Any = "mean",
    by: str = "mean",
    question: str = "fluency",
    **parts: Any,  # of a finding
) -> Finding:
    """A finding; its method and n are of no weight."""
    fixed = {"n": 40, "n_of": "judgments", "participants": 8} | parts
    method = "mean of all scores; interval: cluster-robust by item and participant, t with 7 df"
    return Finding(
        key=Key(question, measure, by, systems),
        by=by,
        value=value,
        interval=interval,
        **({"method": method} | fixed),
    )


def made(*findings: Finding, simulated: int = 0, flow: Flow | None = None, **parts: Any) -> Results:
    """Results of these findings; eight people gave a hundred rows and all of them count."""
    return Results(
        findings=findings,
        flow=flow or Flow(8, 8, 100, 100, 100, 100, simulated, (), None, 100, 100),
        checks=(),
        signature=Signature(None, None, "0000", {}, 0, 0.95, "holm", "1.0"),
        **parts,
    )


def picture(pictures, name: str):
    """The one with this name."""
    return next(each for each in pictures if each.name == name)


def words(drawing: Drawing) -> list[str]:
    """Everything that is written, in the order it was drawn."""
    return [mark.words for mark in drawing.marks if isinstance(mark, TextMark)]


def signs(drawing: Drawing) -> list[CircleMark | PolygonMark]:
    """Marks of values, from the top."""
    found_ = [mark for mark in drawing.marks if isinstance(mark, CircleMark | PolygonMark)]
    return sorted(found_, key=lambda mark: middle(mark)[1])


def middle(mark: CircleMark | PolygonMark) -> tuple[float, float]:
    """Where a mark stands."""
    if isinstance(mark, CircleMark):
        return mark.x, mark.y
    across = [x for x, _ in mark.points]
    return (min(across) + max(across)) / 2, mark.points[0][1]


def read(drawing: Drawing, x: float) -> float:
    """The value at a place, by the two outermost numbers of the axis and the lines above them."""
    rules = sorted({m.points[0][0] for m in drawing.marks if _is_rule(m)})
    ticks = [m for m in drawing.marks if isinstance(m, TextMark) and _number(m.words) is not None]
    lowest = max(tick.y for tick in ticks if tick.kind == "soft")
    named = [tick for tick in ticks if tick.y == lowest and tick.kind == "soft"]
    first, last = (min(named, key=lambda t: t.x), max(named, key=lambda t: t.x))
    left, right = (min(rules, key=lambda rule: abs(rule - tick.x)) for tick in (first, last))
    low, high = (_number(tick.words) or 0.0 for tick in (first, last))
    return low + (x - left) / (right - left) * (high - low)


def spreads(drawing: Drawing) -> list[float]:
    """The ends of intervals as values, from the top: the lines across that are not rules."""
    lines = [
        mark
        for mark in drawing.marks
        if isinstance(mark, LineMark)
        and mark.points[0][1] == mark.points[1][1]
        and mark.colour != "hair"
    ]
    return [
        read(drawing, x)
        for line in sorted(lines, key=lambda line: (line.points[0][1], line.width))
        for x, _ in line.points
    ]


def outside(drawing: Drawing) -> list[str]:
    """Words that do not keep within the drawing."""
    return [
        mark.words
        for mark in drawing.marks
        if isinstance(mark, TextMark)
        for left, top, right, bottom in [_box(mark)]
        if left < -1 or right > drawing.width + 1 or top < -1 or bottom > drawing.height + 1
    ]


def meeting(drawing: Drawing) -> list[tuple[str, str]]:
    """Pairs of words that run into each other."""
    boxes = [(mark.words, _box(mark)) for mark in drawing.marks if isinstance(mark, TextMark)]
    return [
        (one, other)
        for (one, a), (other, b) in combinations(boxes, 2)
        if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1
    ]


def _box(mark: TextMark) -> tuple[float, float, float, float]:
    wide = text_width(mark.words) * (1.0 if mark.kind == "strong" else 0.92)
    left = mark.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * wide
    return left, mark.y - ASCENT, left + wide, mark.y + DESCENT


def _is_rule(mark: object) -> bool:
    return (
        isinstance(mark, LineMark)
        and mark.colour in {"hair", "line"}
        and mark.points[0][0] == mark.points[1][0]
    )


def _number(text: str) -> float | None:
    try:
        return float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return None


def boxes(drawing: Drawing) -> list[RectangleMark]:
    """Its rectangles."""
    return [mark for mark in drawing.marks if isinstance(mark, RectangleMark)]


def words_in(drawing: Drawing, rectangle: RectangleMark) -> list[str]:
    """What is written inside a rectangle."""
    box = rectangle.box
    return [
        mark.words
        for mark in drawing.marks
        if isinstance(mark, TextMark)
        and box.x <= mark.x <= box.x + box.width
        and box.y <= mark.y <= box.y + box.height
    ]


def drawn(name: str, results: Results) -> Any:
    """The figure of a study with this name."""
    return picture(study_pictures(None, results, NAMES), name)


def names_of(results: Results) -> set[str]:
    """Which figures a study has."""
    return {each.name for each in study_pictures(None, results, NAMES)}
