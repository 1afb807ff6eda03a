"""Output of every command: tables for people, JSON for programs, one clear message for errors.

A command's function returns an `Outcome`; `@print_outcome` prints it and sets the exit code:
0 success, 1 problems found, 2 invalid input. An internal error exits with 70.

On a narrow terminal no table is cut off: text wraps, numbers never do, and columns that do not fit
go below, each block with the row labels again. Results are printed as a grid of numbers or as a
list of sentences (`render_table`, `render_list`).
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from rejudge.cli.terminal import (
    explain,
    flush_output,
    is_unicode,
    make_console,
    neutral,
    neutral_json,
    neutral_piece,
)
from rejudge.errors import RejudgeError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.padding import Padding
    from rich.table import Column, Table
    from rich.text import Text

    from rejudge.layout.table import Column as ResultColumn
    from rejudge.layout.table import Table as ResultTable
    from rejudge.rules import Rule


P = ParamSpec("P")

_AS_JSON = "rejudge.as_json"  # in the context of a command that prints JSON
_IS_STEP = "rejudge.is_step"  # in the context of a command that another one runs


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a command, for programs and for people."""

    json: Any  # JSON values with documented keys; the shape belongs to each command
    shown: tuple[RenderableType, ...] = ()
    has_problems: bool = False
    afterwards: Callable[[], None] | None = None  # run after the output is printed, such as serving


def print_outcome(function: Callable[P, Outcome]) -> Callable[P, Outcome | None]:
    """Give a command `--json`, exit codes, and messages instead of tracebacks."""

    @click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
    @functools.wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> Outcome | None:
        as_json = bool(kwargs.pop("as_json"))
        if click.get_current_context().meta.get(_IS_STEP):
            return function(*args, **kwargs)
        click.get_current_context().meta[_AS_JSON] = as_json
        try:
            outcome = function(*args, **kwargs)
            with flush_output():
                _print_result(outcome, as_json=as_json)
            if outcome.afterwards is not None:
                outcome.afterwards()
        except (RejudgeError, MemoryError, RecursionError, OSError) as error:
            with flush_output():
                _print_error(explain(error), as_json=as_json)
            sys.exit(2)
        except KeyboardInterrupt:
            click.echo("Stopped. No partly written files were left behind.", err=True)
            sys.exit(130)
        sys.exit(1 if outcome.has_problems else 0)

    return command


def run_step(command: click.Command, arguments: Sequence[str]) -> Outcome:
    """Run a command as a step of another one: its outcome is returned, and nothing is printed."""
    with command.make_context(command.name, list(arguments)) as context:
        context.meta[_IS_STEP] = True
        outcome: Outcome = command.invoke(context)
        return outcome


def _print_result(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        echo_json(outcome.json)
        return
    console = make_console()
    for piece in outcome.shown:
        if isinstance(piece, str):  # a text that must not be wrapped, such as a file
            click.echo(neutral(piece))
        else:
            for part in fit_to_width(neutral_piece(piece), console):
                console.print(part)


def echo_json(value: Any) -> None:  # JSON values
    """Print JSON that any program can read, in whatever language the terminal is set to."""
    text = json.dumps(
        value, ensure_ascii=not is_unicode(), indent=2, allow_nan=False, default=_moment
    )
    click.echo(neutral_json(text))


def _moment(value: object) -> str:
    """A moment as JSON has it; anything else that JSON does not know is a fault of ours."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")


def _print_error(error: RejudgeError, *, as_json: bool) -> None:
    if as_json:
        problems = [
            {"what": p.what, "remedy": p.remedy, "file": p.file, "line": p.line, "field": p.field}
            for p in error.problems
        ]
        echo_json({"error": problems})
        return
    for problem in error.problems:
        click.echo(f"rejudge: {neutral(str(problem))}", err=True)


def is_interactive() -> bool:
    """Whether there is a terminal at which the user can be asked for missing input."""
    return sys.stdin.isatty()


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar for work that takes more than a second; silent without a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress

    with Progress(console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.update(task, advance=steps)


@contextmanager
def step_progress() -> Iterator[Callable[[str, float], None]]:
    """A progress bar with the current step and the time left; silent without a terminal or with
    --json.
    """
    context = click.get_current_context(silent=True)
    if not sys.stderr.isatty() or (context is not None and context.meta.get(_AS_JSON)):
        yield lambda _name, _share: None
        return
    from rich.progress import Progress

    with Progress(console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda name, share: bar.update(task, description=neutral(name), completed=share)


def explain_rule(rule: Rule[Any]) -> Outcome:  # whatever it looks at
    """What a rule finds, why that matters, and the remedy."""
    from rich.text import Text

    return Outcome(
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity,
            "summary": rule.summary,
            "explanation": rule.explanation,
        },
        (Text(f"{rule.code} {rule.name} ({rule.severity})\n", "bold"), Text(rule.explanation)),
    )


SCREEN = 60  # lines that a command prints at most, where the rest is in files


@dataclass(frozen=True, slots=True)
class ScreenPart:
    """Some output that belongs together."""

    pieces: tuple[RenderableType, ...]
    rank: int = 0  # what has a higher one is left out first; 0: never left out
    name: str = ""  # what was left out


def one_screen(
    parts: Sequence[ScreenPart], most: int = SCREEN
) -> tuple[list[ScreenPart], list[str]]:
    """The parts that fit a screen, in their order, and the names of those that do not."""
    console = make_console()
    heights = [sum(_height(piece, console) for piece in part.pieces) for part in parts]
    kept = list(range(len(parts)))
    while sum(heights[at] for at in kept) > most:
        last = max(kept, key=lambda at: (parts[at].rank, at))
        if not parts[last].rank:
            break
        kept.remove(last)
    left_out = [part.name for at, part in enumerate(parts) if at not in kept and part.pieces]
    return [parts[at] for at in kept], list(dict.fromkeys(filter(None, left_out)))


def _height(piece: RenderableType, console: Console) -> int:
    if isinstance(piece, str):
        return piece.count("\n") + 1
    fitted = fit_to_width(neutral_piece(piece), console)
    return sum(len(console.render_lines(part, pad=False)) for part in fitted)


_LONGEST_WORD = 20  # a longer word in a text column may break


def fit_to_width(piece: RenderableType, console: Console) -> list[RenderableType]:
    """Fit a piece of output to the console, splitting a table if needed."""
    from rich.padding import Padding
    from rich.table import Table

    if isinstance(piece, Padding) and isinstance(piece.renderable, Table):
        edges = (piece.top, piece.right, piece.bottom, piece.left)
        width = console.width - piece.left - piece.right
        return [Padding(each, edges) for each in _blocks(piece.renderable, console, width)]
    return [*_blocks(piece, console, console.width)] if isinstance(piece, Table) else [piece]


def _blocks(table: Table, console: Console, width: int) -> list[Table]:
    """The table as it is, or with all its text wrapped, or in several parts."""
    for may_wrap in (False, True):
        whole = _part(table, table.columns, may_wrap=may_wrap)
        needed = [_least_width(column, console) for column in whole.columns]
        padding = table.padding[1] + table.padding[3]
        if sum(needed) + padding * len(needed) <= width:
            return [whole]
    parts = [
        _part(whole, [whole.columns[at] for at in (0, *group)], may_wrap=True)
        for group in _groups(needed[1:], width - needed[0] - padding, padding)
    ]
    for part in parts[1:]:
        part.title = None
    return parts


def _groups(needed: Sequence[int], width: int, padding: int) -> list[list[int]]:
    """Groups of columns after the first that fit side by side, with at least one per group."""
    groups: list[list[int]] = [[]]
    left = width
    for place, size in enumerate(needed, start=1):
        if groups[-1] and size + padding > left:
            groups.append([])
            left = width
        groups[-1].append(place)
        left -= size + padding
    return groups


def _part(table: Table, columns: Sequence[Column], *, may_wrap: bool) -> Table:
    """The same table with some of its columns; right-aligned numbers never wrap."""
    part = copy(table)
    part.columns = [
        replace(
            column,
            _index=place,
            overflow="fold",
            no_wrap=column.justify == "right" or (column.no_wrap and not may_wrap),
        )
        for place, column in enumerate(columns)
    ]
    return part


def _least_width(column: Column, console: Console) -> int:
    from rich.measure import Measurement

    pieces = [column.header, *column.cells]
    sizes = [Measurement.get(console, console.options, piece) for piece in pieces if piece != ""]
    if column.no_wrap:
        return max((size.maximum for size in sizes), default=0)
    longest = max((size.minimum for size in sizes), default=0)
    return max(min(longest, _LONGEST_WORD), column.min_width or 0)


_STYLES = {
    "supported": "green",
    "contradicted": "red",
    "same direction, not supported": "yellow",
    "opposite direction, not supported": "yellow",
    "yes": "green",
    "by rounding": "green",
    "no": "red",
}
_COLOURED = ("verdict", "reproduced")  # columns


def heading(title: str) -> Text:
    """The heading of a section."""
    from rich.text import Text

    return Text(f"\n{title}", "bold")


def render_table(
    table: ResultTable, corner: str = "", *, by: str = "", absent: str = ""
) -> RenderableType:
    """Text on the left, numbers on the right; numbers never wrap.

    `corner` is the heading of the first column. The cells of column `by` become lines above the
    rows that share them. `absent` is shown where there is no value.
    """
    from rich.table import Table
    from rich.text import Text

    table, above = _split(table.rendering("print"), by)
    above = list(table.blocks) or above
    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="")
    top = "\n" if corner else ""
    for place, column in enumerate(table.columns):
        text = Text(top + _heading(column)) if place else Text(top + corner, "italic")
        right = table.align[place] == "r"
        made.add_column(text, justify="right" if right else "left", no_wrap=right)
    rows = list(zip(above, _cells(table, absent), strict=True))
    for place, (head, group) in enumerate(groupby(rows, key=lambda row: row[0])):
        if place:
            made.add_row()
        if head:
            made.add_row(Text(head, "italic"))
        for _, cells in group:
            made.add_row(*cells)
    return made


def _heading(column: ResultColumn) -> str:
    """The heading of a column in a terminal: without the capital that it has on pages."""
    if column.heading in ("", column.name) or not column.name[0].islower():
        return column.heading or column.name
    is_word = column.heading[1:2].islower()  # and not a symbol such as CV*
    return column.heading[0].lower() + column.heading[1:] if is_word else column.heading


def render_list(table: ResultTable, *, by: str = "") -> list[RenderableType]:
    """Indented rows of short cells and a text; the cells of column `by` are lines above them."""
    from rich.text import Text

    table, heads = _split(table.rendering("print"), by)
    rows = list(zip(heads, _cells(table), strict=True))
    widths = [max(len(cells[place]) for _, cells in rows) for place in range(len(table.columns))]
    pieces: list[RenderableType] = []
    for head, group in groupby(rows, key=lambda row: row[0]):
        pieces += [Text(head)] if head else []
        pieces.append(_indent([cells for _, cells in group], widths))
    return pieces


def indent(text: str) -> Padding:
    """An indented text that wraps."""
    return _indent([[text]], [0])


def _indent(rows: Sequence[Sequence[RenderableType]], widths: Sequence[int]) -> Padding:
    """Short cells, then a text that wraps; lists below each other are aligned."""
    from rich.padding import Padding
    from rich.table import Table

    made = Table.grid(padding=(0, 2, 0, 0))
    for width in widths[:-1]:
        made.add_column(no_wrap=True, min_width=width)
    made.add_column()
    for row in rows:
        made.add_row(*row)
    return Padding(made, (0, 0, 0, 2))


def _split(table: ResultTable, by: str) -> tuple[ResultTable, list[str]]:
    """The table without a column, and the cells of this column."""
    if not by:
        return table, [""] * len(table.rows)
    return table.without(by), [str(cell or "") for cell in table.column(by)]


def _cells(table: ResultTable, absent: str = "") -> list[list[Text]]:
    from rich.text import Text

    from rejudge.layout.table import screen_rows

    names = [column.name for column in table.columns]
    return [
        [
            Text(cell or absent, _STYLES.get(cell, "") if name in _COLOURED else "")
            for cell, name in zip(row, names, strict=True)
        ]
        for row in screen_rows(table)
    ]
