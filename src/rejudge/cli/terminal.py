"""Standard output and error: robust streams, and text that a terminal shows but never obeys.

Ids, titles and file names come from strangers. A control character in them could clear the screen,
change the title of the window or answer for the person; one that sets the direction of writing
could make an id read as another one.
"""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from rejudge.errors import Problem, RejudgeError, UsageError
from rejudge.incoming import refusal

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

BUG: Final = 70  # EX_SOFTWARE of sysexits.h: neither a finding (1) nor bad input (2)
CLOSED_PIPE: Final = 141  # as shells report a program that SIGPIPE ended
_ISSUES: Final = "the issues page of rejudge"


def prepare() -> None:
    """Make any text printable, whatever the encoding of the terminal.

    A terminal set to plain ASCII gets UTF-8, which nearly all of them can show. Characters that
    another encoding lacks are escaped. Output to a closed stream is discarded.
    """
    sys.stdout = sys.stdout or _discard_output()
    sys.stderr = sys.stderr or _discard_output()
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        is_ascii = stream.encoding.lower() in {"ascii", "us-ascii", "ansi_x3.4-1968", "646"}
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")


def _discard_output() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open to the end


def is_unicode() -> bool:
    """Whether all characters can be written to the standard output."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


@contextmanager
def flush_output() -> Iterator[None]:
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


_PICTURES: Final = 0x2400  # from here on Unicode has pictures of the first 32 control characters
_REPLACEMENT: Final = "\ufffd"
_ACTIVE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but not the tab and the end of a line
    "\u2028\u2029"  # ends of lines and paragraphs
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates of direction
    "\ud800-\udfff]"  # halves of characters, as in file names that are not UTF-8
)
_HALVES: Final = re.compile("^[^\ud800-\udfff]*[\udc80-\udcff][^\ud800-\udc7f\udd00-\udfff]*$")
_PICTURE: Final[Mapping[str, str]] = {
    **{chr(code): chr(_PICTURES + code) for code in range(0x20)},
    "\x7f": "\u2421",
}


def neutral(text: str) -> str:
    """The same text with a visible symbol instead of each control character."""
    if _HALVES.search(text) is not None:  # a name as it comes from a terminal set to plain ASCII
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _ACTIVE.sub(lambda found: _PICTURE.get(found[0], _REPLACEMENT), text)


def neutral_json(text: str) -> str:
    """The same JSON with control characters escaped, which occur only in strings."""
    return _ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: no markup, no emoji codes, no control characters."""
    from rich.console import Console
    from rich.segment import Segment

    class NeutralConsole(Console):
        """Neutralises text before it is laid out, and everything else when it is rendered."""

        def print(self, *objects: Any, **options: Any) -> None:  # rich's signature
            super().print(*map(neutral_piece, objects), **options)

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                is_safe = segment.control or not _ACTIVE.search(segment.text)
                yield segment if is_safe else Segment(neutral(segment.text), segment.style)

    return NeutralConsole(stderr=stderr, highlight=False, markup=False, emoji=False)


def neutral_piece(piece: Any) -> Any:  # whatever can be printed
    """A text or a table that is safe to lay out: a control character has no width, a picture has.

    A picture takes the place of one character, so that colours stay where they are.
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    if isinstance(piece, str):
        return neutral(piece)
    if isinstance(piece, Padding):
        piece.renderable = neutral_piece(piece.renderable)
    if isinstance(piece, Text):
        piece.plain = neutral(piece.plain)
    if isinstance(piece, Table):
        piece.title, piece.caption = neutral_piece(piece.title), neutral_piece(piece.caption)
        for column in piece.columns:
            column.header = neutral_piece(column.header)
            column.footer = neutral_piece(column.footer)
            column._cells = list(map(neutral_piece, column._cells))  # noqa: SLF001 - no other way
    return piece
