"""How far the runs of a comparison were made alike, and what was done otherwise, printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rejudge.cli.compared.layout import PAIR, entries, heading, minus
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.compare import Comparison, Deviation, Known


def conditions(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Conditions alike in counts; each deviation on one line, its reason on the next."""
    from rich.text import Text

    if comparison.similarities:
        yield heading("Conditions")
    for each in comparison.similarities:
        yield Text(
            f"{marks[each.first]} and {marks[each.second]}: {each.equal} of "
            f"{count(each.known_in_both, 'condition')} known in both "
            f"{'is' if each.equal == 1 else 'are'} equal."
        )
    yield from _deviations(comparison, marks)


def _deviations(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.deviations:
        return
    yield heading("What was done differently")
    alike: dict[tuple[str, str, str], list[str]] = {}
    titles = [each.title for each in comparison.deviations]
    for each in sorted(comparison.deviations, key=lambda each: titles.index(each.title)):
        runs = alike.setdefault((each.title, _change(each), _reason(each)), [])
        runs.append(marks[each.run])
    for (title, change, reason), runs in alike.items():
        whose = "" if len(comparison.runs) <= PAIR else f" ({', '.join(runs)})"
        yield Text(f"{title}{whose}{change}")
        yield entries([[reason]])


def _change(each: Deviation) -> str:
    """From what to what; empty where it is only told."""
    if each.original == each.here:
        return ""
    return minus(f": {_known(each.original)} → {_known(each.here)}")


def _reason(each: Deviation) -> str:
    return " ".join(
        part for part in (_sentence(each.reason), f"Impact: {each.impact}.", each.note) if part
    )


def _sentence(reason: str) -> str:
    """A reason as a sentence of its own; whoever typed it may have left out its end."""
    told = reason.strip() or "No reason given."
    return told if told.endswith((".", "!", "?", "…")) else f"{told}."


def _known(value: Known) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    return value if isinstance(value, str) else f"{value:g}"
