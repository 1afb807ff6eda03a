"""rejudge new: a study folder that runs as it is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, speaks
from rejudge.errors import Problem, UsageError
from rejudge.starters import KINDS, LIKES, folder_files, named_after

if TYPE_CHECKING:
    from rich.console import RenderableType

_WHAT_FOR = {
    "study.yaml": "what is asked, of whom, and how it is analysed",
    "items.csv": "the inputs and what the systems made of them; put in your own",
    "pages": "what participants read: information, consent, instructions, thanks",
}


@click.command("new")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(KINDS), help="Small, of one kind; else pairwise.")
@click.option("--like", type=click.Choice(LIKES), help="Shaped like a published study.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@speaks
def command(folder: Path, *, kind: str | None, like: str | None, force: bool) -> Outcome:
    """Start a study folder in DIR: study.yaml, items.csv and pages, ready to run as they are.

    A study of one --kind takes its id and title from the folder's name.
    """
    from rejudge.files import write_files

    if kind and like:
        raise UsageError(
            Problem("--kind and --like exclude each other.", "Give one of them, or neither.")
        )
    if not force:
        refuse_unless_free(folder)
    starter = folder_files(like) if like else named_after(folder, folder_files(kind or KINDS[0]))
    there = {path for path in starter if (folder / path).is_file()}
    changed = {
        path.relative_to(folder).as_posix() for path in write_files(folder, starter, force=force)
    }
    written = [path for path in starter if path in changed]
    follow = [f"rejudge {word} {shlex.quote(str(folder))}" for word in ("check", "plan")]
    said = {
        "folder": str(folder),
        "starter": like or kind or KINDS[0],
        "written": written,
        "replaced": [path for path in written if path in there],
        "next": follow,
    }
    return Outcome(said, _shown(folder, written, follow))


def refuse_unless_free(folder: Path) -> None:
    """Whatever else is in the way (a file, no permission) is told when it is written to."""
    try:
        is_taken = folder.is_dir() and any(folder.iterdir())
    except OSError:
        return
    if is_taken:
        what = f"{folder} is not empty."
        remedy = (
            "Choose a new folder; or use --force, which replaces files of the same names and "
            "touches nothing else."
        )
        raise UsageError(Problem(what, remedy))


def _shown(folder: Path, written: list[str], follow: list[str]) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for part, what_for in _WHAT_FOR.items():
        if any(path.partition("/")[0] == part for path in written):
            table.add_row(part, what_for)
    headline = f"Written to {folder}:" if written else f"All of it is in {folder} already."
    steps = [Text(f"  {step}") for step in follow]
    return (Text(headline, "bold"), table, Text(), Text("What to do next:", "bold"), *steps)
