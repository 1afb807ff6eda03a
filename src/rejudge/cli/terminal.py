"""Text on a terminal: whatever a file says, it is shown as text and never obeyed.

Ids, titles and file names come from strangers. A control character in them could clear the screen,
change the title of the window or answer for the person; one that sets the direction of writing
could make an id read as another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

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
    """The same text with a picture in place of each character that a terminal would obey."""
    if _HALVES.search(text) is not None:  # a name as it comes from a terminal set to plain ASCII
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _ACTIVE.sub(lambda found: _PICTURE.get(found[0], _REPLACEMENT), text)


def neutral_json(text: str) -> str:
    """JSON that says the same, with such characters escaped; it holds them in strings alone."""
    return _ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def make_console(*, stderr: bool = False) -> Console:
    """A console on which text is text: no markup, no emoji codes, nothing to be obeyed."""
    from rich.console import Console
    from rich.segment import Segment

    class NeutralConsole(Console):
        """Neutralises what is printed before it is laid out, and whatever else is rendered."""

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
