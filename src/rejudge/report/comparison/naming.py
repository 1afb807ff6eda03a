"""What things are called in a comparison: runs, systems, criteria, values."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.compare import Comparison, Known
from rejudge.layout.table import Cell
from rejudge.stats import Interval

ALL_CRITERIA = "all criteria"


def run_name(comparison: Comparison, run: str) -> str:
    """A run as it is shown at the head of a column."""
    return next((card.name for card in comparison.runs if card.id == run), run)


def system_name(comparison: Comparison, system: str) -> str:
    """A system as the original calls it."""
    return comparison.systems.get(system) or system


def criterion_name(comparison: Comparison, criterion: str | None) -> str:
    """A criterion as the original calls it."""
    return ALL_CRITERIA if criterion is None else comparison.criteria.get(criterion) or criterion


def joined(runs: Sequence[str]) -> str:
    """Runs that belong together."""
    return " – ".join(runs)


def known(value: Known) -> str | None:
    """A condition's value in words; None where it is not known."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return None if value is None else str(value)


def ends(interval: Interval | None, otherwise: float | None = None) -> tuple[Cell, Cell]:
    """Both ends of an interval, for two cells."""
    return (otherwise, otherwise) if interval is None else (interval.low, interval.high)
