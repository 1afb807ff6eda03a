"""A comparison printed for people: scores side by side, what was confirmed, what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rejudge.cli.compared.conditions import conditions
from rejudge.cli.compared.findings import findings
from rejudge.cli.compared.layout import heading, marks_of, minus
from rejudge.cli.compared.together import together
from rejudge.cli.compared.types import types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType

    from rejudge.compare import Comparison

__all__ = ["shown"]


def shown(comparison: Comparison, written: Sequence[str]) -> tuple[RenderableType, ...]:
    """What is printed: runs, types I to IV, claims, printed figures, conditions, notes."""
    from rich.text import Text

    marks = marks_of(comparison)
    where = f"Written: {', '.join(written)}" if written else "Nothing written; --out DIR writes it."
    return (
        *_runs(comparison, marks),
        *types(comparison, marks),
        *findings(comparison, marks),
        *together(comparison, marks),
        *conditions(comparison, marks),
        *_notes(comparison),
        Text(f"\n{where}"),
    )


def _runs(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    for run in comparison.runs:
        mark = "" if marks[run.id] == run.id else f"{marks[run.id]}  "
        is_original = run.id == comparison.original
        role = "Original:" if is_original else "Compared with:"
        told = run.name if run.name.endswith(f"({run.id})") else f"{run.name} ({run.id})"
        yield Text(f"{mark}{role} {told}", "bold" if is_original else "")
        for departure in run.departures:
            yield Text(f"{' ' * len(mark)}  {departure}")


def _notes(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    notes = (*comparison.dropped, *comparison.notes)
    if notes:
        yield heading("Notes")
        yield from (Text(minus(note)) for note in notes)
