"""How a printed comparison is laid out: within 80 columns, each run by a short mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from string import ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from rejudge.compare import Comparison
    from rejudge.stats import Interval

PAIR = 2
_SMALLEST_P = 0.001
_NEGATIVE = re.compile(r"(?<![\w.–-])-(?=\d)")
_ZERO = re.compile(r"-(?=0\.?0*$)")


def marks_of(comparison: Comparison) -> dict[str, str]:
    """What stands for a run in tables: its id beside one other, a letter where there are more."""
    ids = [run.id for run in comparison.runs]
    if len(ids) <= PAIR:
        return {each: each for each in ids}
    letters = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
    return dict(zip(ids, letters, strict=False))


def pair(runs: Sequence[str], marks: Mapping[str, str]) -> str:
    """Runs that belong together, such as A–B."""
    names = [marks[run] for run in runs]
    return ("–" if all(len(name) <= PAIR for name in names) else " – ").join(names)


def heading(title: str) -> Text:
    """The head of a section."""
    from rich.text import Text

    return Text(f"\n{title}", "bold")


def table(*heads: str, left: Sequence[int] = (0,)) -> Table:
    """A table whose numbers never break: the first column gives way."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="")
    for place, head in enumerate(heads):
        side = "left" if place in left else "right"
        made.add_column(Text(head), justify=side, no_wrap=bool(place))  # type: ignore[arg-type]  # a Literal
    return made


def entries(rows: Sequence[Sequence[RenderableType]], least: Sequence[int] = ()) -> Padding:
    """Rows under a line of their own: short cells, then a text that hangs beside them."""
    from rich.padding import Padding
    from rich.table import Table

    made = Table.grid(padding=(0, 2, 0, 0))
    last = len(rows[0]) - 1
    for place in range(last + 1):
        width = least[place] if place < len(least) else None
        made.add_column(no_wrap=place < last, min_width=width)
    for row in rows:
        made.add_row(*row)
    return Padding(made, (0, 0, 0, 2))


def minus(text: str) -> str:
    """A text with true minus signs before its numbers."""
    return _NEGATIVE.sub("−", text)


def number(value: float | None, decimals: int = 2) -> str:
    """A number with a true minus, a dash where there is none."""
    return "–" if value is None else minus(_ZERO.sub("", f"{value:.{decimals}f}"))


def span(between: Interval | None, decimals: int = 2) -> str:
    """From where to where."""
    if between is None:
        return ""
    return f"{number(between.low, decimals)} to {number(between.high, decimals)}"


def p_value(p: float | None) -> str:
    """A p value, as small as is worth telling."""
    if p is None:
        return ""
    return "< 0.001" if p < _SMALLEST_P else f"{p:.3f}"


def decimals_of(values: Sequence[float]) -> int:
    """As many decimals as the values have: up to three of small numbers, two of greater."""
    most = 3 if max(map(abs, values), default=0.0) < 10 else 2  # noqa: PLR2004 - one digit before
    parts = (f"{value:.{most}f}".rstrip("0").partition(".")[2] for value in values)
    return max(map(len, parts), default=0)


def system_of(comparison: Comparison, system: str | None) -> str:
    """A system as the original calls it."""
    return "mean" if system is None else comparison.systems.get(system) or system


def criterion_of(comparison: Comparison, criterion: str | None) -> str:
    """A criterion as the original calls it."""
    return "all criteria" if criterion is None else comparison.criteria.get(criterion) or criterion
