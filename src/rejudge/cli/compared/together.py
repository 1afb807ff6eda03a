"""What all runs say together, and how probable it is that a repetition says the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rejudge.cli.compared.layout import (
    criterion_of,
    decimals_of,
    heading,
    minus,
    number,
    p_value,
    span,
    system_of,
    table,
)
from rejudge.english import versus

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.compare import Comparison, PooledEffect

_WAYS = {
    "pooled-mixed-model": "judgments pooled, mixed model",
    "pooled-cluster-robust": "judgments pooled, cluster-robust",
    "random-effects": "random effects",
}
_MEASURES = {
    "g": "Hedges' g",
    "mean-difference": "differences of means",
    "score-difference": "differences of scores",
    "win-percent": "% won",
}


def together(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Differences of systems over all runs, then how stable each run's order is."""
    tables: dict[tuple[str, str, str], list[PooledEffect]] = {}
    for each in comparison.pooled:
        if each.value is not None:
            tables.setdefault((each.criterion, each.by, each.measure), []).append(each)
    for (criterion, by, measure), found in tables.items():
        name = criterion_of(comparison, criterion)
        where = ", these labs alone" if _is_of_these(found) else ""
        yield heading(f"All runs together, {name}: {_MEASURES[measure]} ({_WAYS[by]}{where})")
        yield from _pooled(comparison, found)
    yield from _stability(comparison, marks)


def _is_of_these(found: list[PooledEffect]) -> bool:
    """Whether what is shown speaks for these labs alone, not for labs in general."""
    return any(each.speaks_for == "these labs" and each.interval is not None for each in found)


def _pooled(comparison: Comparison, found: list[PooledEffect]) -> Iterator[RenderableType]:
    from rich.text import Text

    has_prediction = any(each.prediction for each in found)
    further = ["a further lab's"] if has_prediction else []
    is_corrected = sum(each.p_adjusted is not None for each in found) > 1
    made = table("", "value", "95 % interval", *further, "p (Holm)" if is_corrected else "p")
    decimals = max(1, min(2, decimals_of([each.value for each in found if each.value is not None])))
    for each in found:
        names = [system_of(comparison, system) for system in (each.first, each.second)]
        made.add_row(
            versus(names, each.measure),
            number(each.value, decimals),
            span(each.interval, decimals),
            *([span(each.prediction, decimals)] if has_prediction else []),
            p_value(each.p_adjusted if is_corrected else each.p),
        )
    yield made
    yield from (Text(minus(note)) for note in dict.fromkeys(each.note for each in found) if note)


def _stability(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    found = [each for each in comparison.stability if each.probability is not None]
    if not found:
        return
    yield heading("How probable it is that a repetition keeps the order of the systems")
    made = table("", "run", "probability", left=(0, 1))
    for each in found:
        name = criterion_of(comparison, each.criterion)
        made.add_row(name, marks[each.run], number(each.probability, 3))
    yield made
    yield from (Text(note) for note in dict.fromkeys(each.note for each in found) if note)
