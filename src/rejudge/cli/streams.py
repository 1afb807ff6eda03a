"""The two streams a command writes to: no text, no full disk and no closed pipe makes it fail."""

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
    """Let any text be written, in whatever language the terminal is set to.

    A terminal set to plain ASCII gets UTF-8, which nearly all of them show; what another encoding
    does not have is written as an escape. A stream that was closed takes and keeps nothing.
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
    """End the command where its output cannot be written: full disk, closed pipe."""
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
    """Throw away what is still to be written, or Python complains once more when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # a stream without a file behind it, as in tests


def explain(error: RejudgeError | MemoryError | RecursionError | OSError) -> RejudgeError:
    """What went wrong outside of the program, as a message."""
    if isinstance(error, RejudgeError):
        return error
    if isinstance(error, MemoryError):
        what = "there is not enough memory for this."
        return UsageError(Problem(what, "Give fewer or smaller files, or use a larger machine."))
    if isinstance(error, RecursionError):
        what = "something is nested too deeply to be read."
        return UsageError(Problem(what, "Check the brackets in the files that you gave."))
    return refusal(error, None, "read or written")


@contextmanager
def report_faults() -> Iterator[None]:
    """Say of what nobody foresaw that it is a fault of the program, with all that helps to find it.

    The exit code is neither that of a finding nor that of bad input, so that no script takes it for
    one of them.
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
            f"rejudge: this is a fault in rejudge ({type(error).__name__}), not in your files. "
            f"Please report it on {_ISSUES}, with the lines above.",
            err=True,
        )
        sys.exit(BUG)
