"""`--font`: letters in figures for print that DejaVu Sans does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rejudge.report.drawing import Picture

F = TypeVar("F", bound=Callable[..., Any])  # any command's function

_SHOWN = 12  # letters in the note


def font_option(function: F) -> F:
    """Give a command `--font`."""
    option = click.option(
        "--font",
        type=click.Path(path_type=Path),
        help="A font file for letters in PDF and PNG figures that DejaVu Sans does not have, "
        "such as Chinese.",
    )
    return option(function)


def font_note(pictures: Iterable[Picture], font: Path | None) -> tuple[str, ...]:
    """What to tell the user if letters of these figures cannot be printed."""
    from rejudge.report.drawing import characters_not_printed

    missing = characters_not_printed(pictures, font)
    if not missing:
        return ()
    letters = " ".join(missing[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
    remedy = f"{font} lacks them too." if font else "Name a font that has them: --font FILE."
    return (f"Figures as PDF and PNG show □ instead of {letters}; SVG is complete. {remedy}",)
