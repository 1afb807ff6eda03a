"""Output of every command: tables for people, JSON for programs, one clear message for errors.

A command's function returns an `Outcome`; `@speaks` prints it and sets the exit code: 0 success, 1
problems found, 2 invalid input. An internal error exits with 70.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from rejudge.cli.streams import explain, is_unicode, written
from rejudge.cli.terminal import make_console, neutral, neutral_json, neutral_piece
from rejudge.errors import RejudgeError

if TYPE_CHECKING:
    from rich.console import RenderableType

P = ParamSpec("P")

_AS_JSON = "rejudge.as_json"  # in the context of a command that prints JSON
_IS_STEP = "rejudge.is_step"  # in the context of a command that another one runs


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a command, for programs and for people."""

    json: Any  # JSON values with documented keys; the shape belongs to each command
    shown: tuple[RenderableType, ...] = ()
    is_wanting: bool = False
    afterwards: Callable[[], None] | None = None  # what goes on once it is said, such as serving


def speaks(function: Callable[P, Outcome]) -> Callable[P, Outcome | None]:
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
            with written():
                _say(outcome, as_json=as_json)
            if outcome.afterwards is not None:
                outcome.afterwards()
        except (RejudgeError, MemoryError, RecursionError, OSError) as error:
            with written():
                _complain(explain(error), as_json=as_json)
            sys.exit(2)
        except KeyboardInterrupt:
            click.echo("Stopped. No partly written files were left behind.", err=True)
            sys.exit(130)
        sys.exit(1 if outcome.is_wanting else 0)

    return command


def run_step(command: click.Command, arguments: Sequence[str]) -> Outcome:
    """Run a command as a step of another one: its outcome is returned, and nothing is printed."""
    with command.make_context(command.name, list(arguments)) as context:
        context.meta[_IS_STEP] = True
        outcome: Outcome = command.invoke(context)
        return outcome


def _say(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        echo_json(outcome.json)
        return
    from rejudge.cli.terminal_tables import fit_to_width

    console = make_console()
    for piece in outcome.shown:
        if isinstance(piece, str):  # a text that must not be wrapped, such as a file
            click.echo(neutral(piece))
        else:
            for part in fit_to_width(neutral_piece(piece), console):
                console.print(part)


def echo_json(value: Any) -> None:  # JSON values
    """Print JSON that any program can read, in whatever language the terminal is set to."""
    text = json.dumps(value, ensure_ascii=not is_unicode(), indent=2, allow_nan=False)
    click.echo(neutral_json(text))


def _complain(error: RejudgeError, *, as_json: bool) -> None:
    if as_json:
        problems = [
            {"what": p.what, "remedy": p.remedy, "file": p.file, "line": p.line, "field": p.field}
            for p in error.problems
        ]
        echo_json({"error": problems})
        return
    for problem in error.problems:
        click.echo(f"rejudge: {neutral(str(problem))}", err=True)


def is_asked() -> bool:
    """Whether there is a terminal at which the user can be asked for missing input."""
    return sys.stdin.isatty()


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar in a terminal for work that takes more than a second; silent elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress

    with Progress(console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.update(task, advance=steps)


@contextmanager
def watched_steps() -> Iterator[Callable[[str, float], None]]:
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
