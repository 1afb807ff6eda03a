"""How long tasks took by their place in the order: whether people speed up, or tire."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis import PageTimes
from rejudge.layout.numbers import number
from rejudge.report.drawing import Drawing, Picture, Span, breadth, ticks
from rejudge.report.figures.labels import LINE, within
from rejudge.report.figures.rows import shown_ticks
from rejudge.report.figures.scene import Scene, tick_words

_EDGE = 4.0
_TOP = 10.0
_HEIGHT = 170.0
_LEAST = 3  # places; of two there is nothing to see
_SPOKEN = 12


def places_picture(scene: Scene) -> Picture | None:
    """The median and the quarters beside it, for each place."""
    way = scene.results.way
    tasks = [p for p in way.pages if p.page == "task" and p.place is not None] if way else []
    if way is None or len(tasks) < _LEAST:
        return None
    what = "Seconds on a task by its place in the order in which participants saw them"
    says = "; ".join(
        f"task {page.place}: median {number(page.median)}, half of them from {number(page.lower)} "
        f"to {number(page.upper)}"
        for page in tasks[:_SPOKEN]
    )
    more = "" if len(tasks) <= _SPOKEN else f"; and so on up to task {tasks[-1].place}"
    sizes = sorted(page.n for page in tasks)
    many = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    drawing = Drawing(f"{scene.said}{what}.", f"{says}{more}.", scene.width)
    return Picture(
        "times-places",
        f"{scene.said}{what}: the median, and from the lower to the upper quarter of {many} times "
        f"each. These lines are no intervals of confidence. {way.measured}",
        _draw(drawing, tasks),
        "table-way",
    )


def _draw(drawing: Drawing, tasks: Sequence[PageTimes]) -> Drawing:
    high = max(page.upper for page in tasks) or 1.0
    marks = ticks(0, high)
    top = marks[-1] if marks[-1] >= high else marks[-1] + marks[1]
    upright = Span(0, top, _TOP + _HEIGHT, _TOP)
    left = _EDGE + max(breadth(tick_words(tick)) for tick in ticks(0, top)) + 8
    first, last = tasks[0].place or 0, tasks[-1].place or 0
    along = Span(first - 0.5, last + 0.5, left, drawing.width - _EDGE)
    for tick in ticks(0, top):
        y = upright.place(tick)
        drawing.line(left, y, along.right, y, kind="line" if tick == 0 else "hair")
        drawing.text(left - 6, y + 4, tick_words(tick), anchor="end", kind="soft")
    is_crowded = (along.right - left) / len(tasks) < 12  # noqa: PLR2004 - pixels for ends
    for page in tasks:
        x = along.place(page.place or 0)
        if is_crowded:
            ends = upright.place(page.lower), upright.place(page.upper)
            drawing.line(x, ends[0], x, ends[1], kind="s1")
        else:
            drawing.mast(x, upright.place(page.lower), upright.place(page.upper), shade=1)
        drawing.dot(x, upright.place(page.median), shade=1, radius=2.5 if is_crowded else 4)
    bottom = _TOP + _HEIGHT
    for tick in shown_ticks([float(page.place or 0) for page in tasks], along, drawing.width):
        within(drawing, along.place(tick), bottom + 16, tick_words(tick))
    within(drawing, (left + along.right) / 2, bottom + 18 + LINE, "Place of the task")
    return drawing.ends(bottom + 18 + LINE + 8)
