"""rejudge new: a study folder that is ready to run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.errors import Problem, UsageError
from rejudge.starters.folders import KINDS, LIKES, folder_files, rename_study

if TYPE_CHECKING:
    from rich.console import RenderableType

_WHAT_FOR = {
    "study.yaml": "questions, design, participants and analysis",
    "items.csv": "sample inputs and outputs; replace them with your own",
    "pages": "texts for participants: information, consent, instructions, thanks",
}


@click.command("new")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="A small study with one kind of question.  [default: pairwise]",
)
@click.option("--like", type=click.Choice(LIKES), help="A study modelled on a published one.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@print_outcome
def command(folder: Path, *, kind: str | None, like: str | None, force: bool) -> Outcome:
    """Create a study in the folder DIR: study.yaml, items.csv and pages, ready to run.

    With --kind, the id and title of the study are taken from the name of the folder.
    """
    from rejudge.files.disk import write_files

    if kind and like:
        raise UsageError(
            Problem("--kind and --like cannot be combined.", "Give one of them, or neither.")
        )
    if str(folder).startswith("-"):
        what = f"a folder called {folder} would be taken for an option by other commands."
        raise UsageError(Problem(what, "Choose a name that does not begin with a hyphen."))
    if not force:
        refuse_unless_free(folder)
    starter = folder_files(like) if like else rename_study(folder, folder_files(kind or KINDS[0]))
    there = {path for path in starter if (folder / path).is_file()}
    changed = {
        path.relative_to(folder).as_posix() for path in write_files(folder, starter, force=force)
    }
    written = [path for path in starter if path in changed]
    follow = [f"rejudge {word} {shlex.quote(str(folder))}" for word in ("check", "plan")]
    document = {
        "folder": str(folder),
        "starter": like or kind or KINDS[0],
        "written": written,
        "replaced": [path for path in written if path in there],
        "next": follow,
    }
    return Outcome(document, _render(folder, written, follow))


def refuse_unless_free(folder: Path) -> None:
    """Reject a folder that is not empty; other obstacles are reported when it is written to."""
    try:
        is_taken = folder.is_dir() and any(folder.iterdir())
    except OSError:
        return
    if is_taken:
        what = f"{folder} is not empty."
        remedy = "Choose a new folder; or use --force, which replaces only files of the same names."
        raise UsageError(Problem(what, remedy))


def _render(folder: Path, written: list[str], follow: list[str]) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for part, what_for in _WHAT_FOR.items():
        if any(path.partition("/")[0] == part for path in written):
            table.add_row(part, what_for)
    headline = f"Written to {folder}:" if written else f"{folder} already contains all of it."
    steps = [Text(f"  {step}") for step in follow]
    return (Text(headline, "bold"), table, Text(), Text("Next steps:", "bold"), *steps)
