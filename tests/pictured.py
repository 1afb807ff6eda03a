"""Results made by hand, and what stands in the figures that are drawn from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from rejudge.analysis.results import Flow, Results, Signature
from rejudge.analysis.times import page_frames
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding, Group, Key
from rejudge.findings.words import How
from rejudge.report.figures.registry import Picture
from rejudge.report.figures.study import study_pictures
from rejudge.report.figures.style import WIDTH, settings
from rejudge.stats import Interval

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def within(low: float, high: float) -> Interval:
    """An interval at 95 %."""
    return Interval(low, high, 0.95)


def score_frame(
    points: Sequence[float],
    counts: Mapping[str, Sequence[int]],
    *,
    off: Mapping[str, int] | None = None,
    dataset: str = "",
) -> Frame:
    """How often each system was given each point of a scale, and how often none of them."""
    rows = []
    for system, own in counts.items():
        left = (off or {}).get(system, 0)
        n = sum(own) + left
        rows += [
            {"system": system, "score": f"{at:g}", "low": at, "high": at, "count": many,
             "percent": 100 * many / n if n else None}
            for at, many in zip(points, own, strict=True)
        ]  # fmt: skip
        if left:
            rows.append({"system": system, "score": None, "count": left, "percent": 100 * left / n})
    return Frame.of(
        "scores",
        rows,
        question="fluency",
        group=(Group("dataset", dataset),) if dataset else (),
        facts={"kind": "points", "is_named": False},
    )


def page_frames_of(*pages: tuple[Any, int | None, Sequence[float]]) -> tuple[Frame, ...]:
    """The times of pages, each with its kind, its place and its seconds."""
    timed = [(page, place, np.sort(np.array(seconds))) for page, place, seconds in pages]
    return tuple(page_frames(timed, level=0.95))


def profile_frame(
    counts: Mapping[str | None, tuple[int, int]],
    *,
    about: str = "country",
    asked: str = "Where do you live?",
    source: str = "column",
) -> Frame:
    """How many gave each answer, and how many of these count; None: said nothing."""
    rows = [
        {"about": about, "asked": asked, "source": source, "answer": answer, "participants": came,
         "participants_kept": kept, "note": ""}
        for answer, (came, kept) in counts.items()
    ]  # fmt: skip
    everybody, counting = (sum(each) for each in zip(*counts.values(), strict=True))
    facts = {"participants": everybody, "participants_kept": counting}
    return Frame.of("profile", rows, facts=facts)


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
    how = (How.MEAN(), How.CLUSTERED(clusters="item and participant", df=7.0))
    return Finding(
        key=Key(question, measure, by, systems),
        by=by,
        value=value,
        interval=interval,
        **({"how": how} | fixed),
    )


def made(*findings: Finding, simulated: int = 0, flow: Flow | None = None, **parts: Any) -> Results:
    """Results of these findings; eight people gave a hundred rows and all of them count."""
    return Results(
        findings=findings,
        flow=flow or Flow(8, 8, 100, 100, 100, 100, simulated, (), 100, 100),
        checks=(),
        signature=Signature(None, None, "0000", {}, 0, 0.95, "holm", "1.0"),
        **parts,
    )


def picture(pictures, name: str):
    """The one with this name."""
    return next(each for each in pictures if each.name == name)


def words(figure: Picture) -> list[str]:
    """Everything that is written, in the order it was drawn."""
    found_ = re.findall(r"<text[^>]*>([^<]*)</text>", figure.svg)
    return [" ".join(unescape(each).split()) for each in found_]


def panels(figure: Picture, width: float = WIDTH) -> list[Axes]:
    """Its axes; what they hold is in the units of the numbers."""
    return figure.figure(width).axes


def _lines(figure: Picture, width: float) -> Iterator[Line2D]:
    for axes in panels(figure, width):
        across = sorted(axes.lines, key=lambda line: float(min(line.get_ydata(), default=0)))
        yield from (line for line in across if line.get_transform() == axes.transData)


def signs(figure: Picture, width: float = WIDTH) -> list[Line2D]:
    """Marks of values, panel by panel, from the top; not those of a legend."""
    return [
        line
        for line in _lines(figure, width)
        if line.get_marker() in "os^Dv" and line.axes.get_label() != "legend"
    ]


def values(figure: Picture, width: float = WIDTH) -> list[float]:
    """Where marks stand, from the top."""
    return [float(x) for sign in signs(figure, width) for x in sign.get_xdata()]


def fills(figure: Picture) -> list[str]:
    """The colours of marks, from the top."""
    return [to_hex(sign.get_markerfacecolor()) for sign in signs(figure)]


def spreads(figure: Picture, width: float = WIDTH) -> list[float]:
    """The ends of intervals as values, from the top; the thin ones first."""
    found_ = [line for line in _lines(figure, width) if len(line.get_xdata()) == 6]
    found_.sort(key=lambda line: (min(line.get_ydata()), line.get_linewidth()))
    return [end for line in found_ for end in (min(line.get_xdata()), max(line.get_xdata()))]


def boxes(figure: Picture) -> list[Rectangle]:
    """Its bars, in units of the numbers."""
    bars = [bar for axes in panels(figure) for bar in axes.patches if isinstance(bar, Rectangle)]
    return [bar for bar in bars if bar.get_width() and bar.get_height()]


def cells(figure: Picture) -> list[tuple[str, float]]:
    """The colours of the cells of a map, with their strengths."""
    return [
        (to_hex(fill), round(float(fill[3]), 3))
        for cells_ in panels(figure)[0].collections
        for fill in cells_.get_facecolor()
    ]


def outside(figure: Picture, width: float = WIDTH) -> list[str]:
    """Words that matplotlib measures beyond the edges."""
    with settings():
        drawn_ = figure.draw(width)
        drawn_.set_dpi(300)  # as in print
        page, slack = drawn_.bbox, 300 / 72
        renderer = RendererAgg(9, 9, 300)
        texts = [(text, text.get_window_extent(renderer)) for text in drawn_.findobj(Text)]
    return [
        text.get_text()
        for text, box in texts
        if text.get_text()
        and (min(box.x0, box.y0) < -slack or box.x1 > page.x1 + slack or box.y1 > page.y1 + slack)
    ]


def drawn(name: str, results: Results) -> Picture:
    """The figure of a study with this name."""
    return picture(study_pictures(None, results, NAMES), name)


def names_of(results: Results) -> set[str]:
    """Which figures a study has."""
    return {each.name for each in study_pictures(None, results, NAMES)}
