"""Standard output and error, robust against odd text, a full disk and closed pipes."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

import click

from rejudge.errors import Problem, RejudgeError, UsageError
from rejudge.incoming import refusal

BUG: Final = 70  # EX_SOFTWARE of sysexits.h: neither a finding (1) nor bad input (2)
CLOSED_PIPE: Final = 141  # as shells report a program that SIGPIPE ended
_ISSUES: Final = "the issues page of rejudge"


def prepare() -> None:
    """Make any text printable, whatever the encoding of the terminal.

    A terminal set to plain ASCII gets UTF-8, which nearly all of them can show. Characters that
    another encoding lacks are escaped. Output to a closed stream is discarded.
    """
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        is_ascii = stream.encoding.lower() in {"ascii", "us-ascii", "ansi_x3.4-1968", "646"}
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open to the end


def is_unicode() -> bool:
    """Whether all characters can be written to the standard output."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


@contextmanager
def written() -> Iterator[None]:
    """End the command if its output cannot be written: full disk, closed pipe."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # such as `rejudge … | head`
        _silence()
        sys.exit(CLOSED_PIPE)
    except OSError as error:
        _silence()
        reason = (error.strerror or str(error)).lower()
        click.echo(f"rejudge: the output cannot be written: {reason}.", err=True)
        sys.exit(2)


def _silence() -> None:
    """Discard unwritten output, or Python would complain again at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # a stream without a file behind it, as in tests


def explain(error: RejudgeError | MemoryError | RecursionError | OSError) -> RejudgeError:
    """A message for errors outside the program."""
    if isinstance(error, RejudgeError):
        return error
    if isinstance(error, MemoryError):
        what = "there is not enough memory for this."
        return UsageError(Problem(what, "Give fewer or smaller files, or use a larger machine."))
    if isinstance(error, RecursionError):
        what = "something is nested too deeply."
        return UsageError(Problem(what, "Check the brackets in your files."))
    return refusal(error, None, "read or written")


@contextmanager
def report_faults() -> Iterator[None]:
    """Report an unexpected exception as an internal error, with its traceback.

    The exit code differs from those for findings and invalid input, so that scripts can tell them
    apart.
    """
    try:
        yield
    except (RejudgeError, MemoryError, RecursionError, OSError) as error:
        _silence()
        click.echo(f"rejudge: {explain(error)}", err=True)
        sys.exit(2)
    except Exception as error:  # noqa: BLE001 - the last place: it is shown whole, and ends here
        click.echo(traceback.format_exc(), err=True, nl=False)
        click.echo(
            f"rejudge: this is a bug in rejudge ({type(error).__name__}), not a problem with "
            f"your files. Please report it on {_ISSUES}, with the lines above.",
            err=True,
        )
        sys.exit(BUG)
