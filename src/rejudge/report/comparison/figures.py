"""All figures of a comparison, and CV* of every system with what rounding leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.compare import Comparison, Variation
from rejudge.english import join_words
from rejudge.report.comparison.score_figures import bar_pictures, slope_pictures
from rejudge.report.comparison.wins import win_pictures
from rejudge.report.drawing import (
    ROW,
    WIDTH,
    AxisScale,
    Drawing,
    Picture,
    draw_axis,
    text_width,
    truncate,
)
from rejudge.tables.run_scores import (
    criterion_name,
    digits_for,
    run_name,
    run_scores,
    score_text,
    system_name,
)

_MOST_LABEL = 0.36  # of the width
_AXIS = 42.0  # for its numbers and its name
_INDENT = 14.0


def pictures(comparison: Comparison, width: float = WIDTH) -> tuple[Picture, ...]:
    """All figures that a comparison has numbers for; narrow ones are laid out for a phone."""
    drawn = (
        ("scores", bar_pictures(comparison, width)),
        ("order", slope_pictures(comparison, width)),
        ("scores", spread_pictures(comparison, width)),
        ("order", win_pictures(comparison, width)),
    )
    return tuple(each.in_section(section) for section, found in drawn for each in found)


def spread_pictures(comparison: Comparison, width: float) -> Iterator[Picture]:
    """One picture for all runs together, or one for each pair where no more are together."""
    pairs = dict.fromkeys(each.runs for each in comparison.variations)
    groups = (comparison.together,) if comparison.together else tuple(pairs)
    for runs in groups:
        found = _in_order(comparison, runs)
        if found:
            suffix = "" if len(groups) == 1 else f"-{len(runs)}-{'-'.join(runs)}".replace(":", "-")
            yield _spread_picture(comparison, runs, found, name=f"cv-star{suffix}", width=width)


def _in_order(comparison: Comparison, runs: tuple[str, ...]) -> list[Variation]:
    """By criterion, systems in the order of the other figures, then their mean."""
    systems = {each.criterion: each.systems for each in run_scores(comparison)}
    return [
        each
        for criterion in comparison.criteria
        for system in (*systems.get(criterion, ()), None)
        if (each := comparison.spread(criterion, system, runs)) and each.value is not None
    ]


def _spread_picture(
    comparison: Comparison,
    runs: Sequence[str],
    found: Sequence[Variation],
    *,
    name: str,
    width: float,
) -> Picture:
    who = join_words([run_name(comparison, run) for run in runs])
    says = "; ".join(
        f"{criterion_name(comparison, each.criterion)}, {_label(comparison, each)} "
        f"{score_text(each.value or 0)}"
        for each in found
    )
    drawing = Drawing(f"CV* of {who}, by system", says, width)
    bottom = _draw_spread(drawing, comparison, found)
    caption = (
        f"CV* of {who} in percent: 0 means equal scores. Lines show what CV* "
        "may be, given how the scores were rounded; diamonds are means over systems."
    )
    if any(each.runs != tuple(runs) for each in found):
        caption += " What not all runs scored is computed over those that did."
    drawing.finish(bottom + _AXIS)
    return Picture(name, caption, drawing, "table-type-1-variation")


def _draw_spread(drawing: Drawing, comparison: Comparison, found: Sequence[Variation]) -> float:
    criteria = tuple(dict.fromkeys(each.criterion for each in found))
    indent = _INDENT if len(criteria) > 1 else 0.0
    labels = [indent + text_width(_label(comparison, each)) for each in found]
    heads = [text_width(criterion_name(comparison, each)) for each in criteria] if indent else []
    left = min(_MOST_LABEL * drawing.width, max((*labels, *heads))) + 16
    reach = max(
        each.from_rounding.high if each.from_rounding else each.value or 0 for each in found
    )
    digits = digits_for(reach)
    numbers = max(text_width(score_text(each.value or 0, digits)) for each in found)
    span = AxisScale(0, reach * 1.02 or 1.0, left, drawing.width - numbers - 18)
    rows = list(_rows(found, has_heads=bool(indent)))
    top = 6.0
    bottom = top + ROW * len(rows)
    draw_axis(drawing, span, top, bottom)
    drawing.line(span.position(0), top, span.position(0), bottom, kind="line")
    middle = (span.left + span.right) / 2
    drawing.text(middle, bottom + 34, "CV* in percent", anchor="middle", kind="soft")
    for place, each in enumerate(rows):
        y = top + (place + 0.5) * ROW
        if isinstance(each, str):
            words = truncate(criterion_name(comparison, each), left - 16)
            drawing.text(0, y + 5, words, kind="strong")
        else:
            drawing.text(indent, y + 4, truncate(_label(comparison, each), left - 16 - indent))
            _draw_mark(drawing, each, span, y)
            words = score_text(each.value or 0, digits)
            drawing.text(drawing.width - 2, y + 4, words, anchor="end")
    return bottom


def _rows(found: Sequence[Variation], *, has_heads: bool) -> Iterator[Variation | str]:
    """The name of a criterion above its systems, where there are several."""
    before = None
    for each in found:
        if has_heads and each.criterion is not None and each.criterion != before:
            yield each.criterion
        before = each.criterion
        yield each


def _draw_mark(drawing: Drawing, each: Variation, span: AxisScale, y: float) -> None:
    if each.from_rounding:
        drawing.whisker(
            span.position(each.from_rounding.low), span.position(each.from_rounding.high), y
        )
    if each.system is None:
        drawing.diamond(span.position(each.value or 0), y)
    else:
        drawing.dot(span.position(each.value or 0), y, shade=1)


def _label(comparison: Comparison, each: Variation) -> str:
    return "mean" if each.system is None else system_name(comparison, each.system)
