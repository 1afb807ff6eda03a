"""rejudge verify: is a bundle unchanged, and are its numbers correct?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.bundle.read import Bundle, Verification

_SHOWN = 20
_LONGEST = 40


@click.command("verify")
@click.argument("path", metavar="BUNDLE", type=click.Path(path_type=Path))
@print_outcome
def command(path: Path) -> Outcome:
    """Check all checksums of BUNDLE and recompute every number in it.

    Exits with 1 if a number comes out differently or files contradict each other, and with 2 if a
    file was changed, removed or added. Nothing is written.
    """
    from rejudge.bundle.read import load_bundle, verify

    bundle = load_bundle(path)
    found = verify(bundle)
    return Outcome(_json(bundle, found), _render(bundle, found), has_problems=not found.is_sound)


def _json(bundle: Bundle, found: Verification) -> dict[str, object]:
    return {
        "bundle": bundle.path,
        "sha256": bundle.sha256,
        "study": bundle.manifest.study,
        "sound": found.is_sound,
        "files": found.files,
        "judgments": found.judgments,
        "numbers": found.numbers,
        "rounded": found.rounded,
        "differences": [
            {
                "file": each.file,
                "place": each.place,
                "stored": each.stored,
                "computed": each.computed,
            }
            for each in found.differences
        ],
        "environment": list(found.environment),
        "notes": list(found.notes),
    }


def _render(bundle: Bundle, found: Verification) -> tuple[RenderableType, ...]:
    from rich.text import Text

    files = f"✓ {count(found.files, 'file')} unchanged (checksums match)"
    counted = f"{count(found.numbers, 'number')} from {count(found.judgments, 'judgment')}"
    numbers = Text(f"✓ {counted}, recomputed and equal", "green")
    if bundle.judgments is None:
        numbers = Text("There are no numbers in it: nobody had judged yet.")
    if not found.is_sound:
        wrong = len(found.differences)
        numbers = Text(
            f"✗ {counted}; recomputed, they differ in {count(wrong, 'place')}", "bold red"
        )
    return (
        Text(f"{bundle.manifest.study}: {bundle.manifest.title}", "bold"),
        Text(files, "green"),
        numbers,
        *_differences(found),
        *(Text(note) for note in found.notes),
        *(Text(f"Environment: {each}.", "dim") for each in found.environment[:_SHOWN]),
        Text(f"sha256 {bundle.sha256}"),
    )


def _differences(found: Verification) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    if found.is_sound:
        return ()
    table = Table(box=None, padding=(0, 2, 0, 2))
    for head in ("file", "place", "stored", "computed"):
        table.add_column(head, overflow="fold")
    for each in found.differences[:_SHOWN]:
        table.add_row(
            each.file, Text(each.place), Text(_short(each.stored)), Text(_short(each.computed))
        )
    more = len(found.differences) - _SHOWN
    return (table, *((Text(f"And {count(more, 'place')} more; --json lists all."),) * (more > 0)))


def _short(value: object) -> str:
    words = "nothing" if value is None else str(value)
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
