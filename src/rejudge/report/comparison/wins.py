"""How often one system was preferred to another: a map of wins for each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rejudge.compare import Comparison
from rejudge.report.drawing import Box, Drawing, Picture, distinct_names, text_width, truncate, wrap
from rejudge.tables.run_scores import criterion_name, run_name, system_name

_EVEN = 50.0
_STRONGEST = 0.5  # so that ink can be read on it, on white and on dark pages
_MOST_LABEL = 0.28  # of the width
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
        f"{least:,} comparisons a pair."
        if least == most
        else (f"{least:,} to {most:,} comparisons a pair.")
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
    left = min(_MOST_LABEL * drawing.width, max(map(text_width, names))) + 12
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
