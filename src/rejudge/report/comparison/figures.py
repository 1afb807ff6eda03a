"""All figures of a comparison: scores, CV* of every system, and a map of wins for each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rejudge.compare.comparison import Comparison, Variation
from rejudge.english import join_words
from rejudge.report.comparison.score_figures import bar_pictures, slope_pictures
from rejudge.report.drawing.axes import AxisScale, draw_axis
from rejudge.report.drawing.marks import ROW, WIDTH, Box, Drawing
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import distinct_names, text_width, truncate, wrap
from rejudge.tables.runs import (
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
        f"CV* of {who} in percent: 0 means equal scores. Lines show the range "
        "of CV* that rounding of the scores allows; diamonds are means over systems."
    )
    if any(each.runs != tuple(runs) for each in found):
        caption += " For systems that not all runs scored, CV* uses the runs that did."
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


_EVEN = 50.0
_STRONGEST = 0.5  # so that ink can be read on it, on white and on dark pages
_MOST_MAP_LABEL = 0.28  # of the width
_WIDEST = 104.0
_NARROWEST = 27.0  # a cell that holds 100; many systems need more width than a phone has
_LINE = 15.0
_TURNED = 120.0  # the longest name that stands upright
_MANY = 6  # from here on cells are lower


@dataclass(frozen=True, slots=True)
class _WinMap:
    """All pairs of one run on one criterion, both ways."""

    run: str
    criterion: str
    percent: Mapping[tuple[str, str], float]
    numbers: tuple[int, ...]  # of comparisons
    systems: tuple[str, ...]  # the most preferred first


def win_pictures(comparison: Comparison, width: float) -> Iterator[Picture]:
    """One picture per run and criterion with paired comparisons."""
    for run, criterion in dict.fromkeys((rate.run, rate.criterion) for rate in comparison.rates):
        wins = _wins(comparison, run, criterion)
        names = [system_name(comparison, system) for system in wins.systems]
        what, who = criterion_name(comparison, criterion), run_name(comparison, run)
        drawing = Drawing(f"{what}, {who}: share of wins", _describe_wins(wins, names), width)
        caption = (
            f"{what} in {who}: how often the system of a row was preferred to that of a column, in "
            f"percent; ties count half. Blue and bold: the row won more often; orange: the column. "
            f"{_comparisons_per_pair(wins.numbers)}"
        )
        yield Picture(
            f"wins-{criterion}-{run}".replace(":", "-"),
            caption,
            drawing.finish(_draw_map(drawing, wins, names)),
            "table-wins",
        )


def _comparisons_per_pair(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return (
        f"{least:,} comparisons per pair."
        if least == most
        else (f"{least:,} to {most:,} comparisons per pair.")
    )


def _wins(comparison: Comparison, run: str, criterion: str) -> _WinMap:
    rates = [each for each in comparison.rates if (each.run, each.criterion) == (run, criterion)]
    percent = {}
    for each in rates:
        percent[each.first, each.second] = each.percent
        percent[each.second, each.first] = 100 - each.percent
    met = dict.fromkeys(system for pair in percent for system in pair)
    ranked = sorted(met, key=lambda row: -_mean(percent, row))
    return _WinMap(run, criterion, percent, tuple(each.n for each in rates), tuple(ranked))


def _mean(percent: Mapping[tuple[str, str], float], row: str) -> float:
    mine = [value for (first, _), value in percent.items() if first == row]
    return sum(mine) / len(mine)


def _describe_wins(wins: _WinMap, names: Sequence[str]) -> str:
    called = dict(zip(wins.systems, names, strict=True))
    return "; ".join(
        f"{called[row]} against {called[column]} {wins.percent[row, column]:.0f} %"
        for row in wins.systems
        for column in wins.systems
        if (row, column) in wins.percent
    )


def _draw_map(drawing: Drawing, wins: _WinMap, names: Sequence[str]) -> float:
    left = min(_MOST_MAP_LABEL * drawing.width, max(map(text_width, names))) + 12
    names = distinct_names(names, min(_TURNED, 1.5 * (left - 12)))
    side = min(_WIDEST, max(_NARROWEST, (drawing.width - left) / len(names)))
    drawing.width = max(drawing.width, left + side * len(names))
    height = 40.0 if len(names) <= _MANY else 30.0
    top = _draw_heads(drawing, names, left=left, side=side)
    for down, (row, name) in enumerate(zip(wins.systems, names, strict=True)):
        y = top + down * height
        lines = wrap(name, left - 12)
        for line, words in enumerate(lines):
            baseline = y + height / 2 + 4 + (line - (len(lines) - 1) / 2) * _LINE * 0.9
            drawing.text(left - 10, baseline, words, anchor="end", kind="strong")
        for along, column in enumerate(wins.systems):
            box = Box(left + along * side + 1, y + 1, side - 2, height - 2)
            _draw_cell(drawing, box, wins.percent.get((row, column)), is_same=row == column)
    return top + len(names) * height + 2


def _draw_cell(drawing: Drawing, box: Box, percent: float | None, *, is_same: bool) -> None:
    x, y = box.x + box.width / 2, box.y + box.height / 2 + 4
    if is_same:
        return
    if percent is None:
        drawing.text(x, y, "–", anchor="middle", kind="soft")
        return
    far = abs(percent - _EVEN) / _EVEN
    drawing.cell(box, shade=1 if percent >= _EVEN else 2, strength=_STRONGEST * far)
    drawing.text(
        x, y, f"{percent:.0f}", anchor="middle", kind="strong" if round(percent) > _EVEN else ""
    )


def _draw_heads(drawing: Drawing, names: Sequence[str], *, left: float, side: float) -> float:
    """Names above columns: in lines where they fit, else upright; gives where cells begin."""
    lines = [wrap(name, side - 6, 3) for name in names]
    middles = [left + (along + 0.5) * side for along in range(len(names))]
    if any(
        "…" in words[-1] or _breaks_words(name, words)
        for name, words in zip(names, lines, strict=True)
    ):
        shown = [truncate(name, _TURNED) for name in names]
        bottom = max(map(text_width, shown)) + 4
        for x, name in zip(middles, shown, strict=True):
            drawing.text(x + 4, bottom, name, kind="strong", turn=90)
        return bottom + 6
    most = max(map(len, lines))
    for x, words in zip(middles, lines, strict=True):
        for row, line in enumerate(words):
            y = 14 + (row + most - len(words)) * _LINE
            drawing.text(x, y, line, anchor="middle", kind="strong")
    return 14 + (most - 1) * _LINE + 8


def _breaks_words(name: str, lines: Sequence[str]) -> bool:
    """Whether a word was broken."""
    return any(word not in name.split() for line in lines for word in line.split())
