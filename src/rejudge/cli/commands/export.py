"""rejudge export: a study as files for another tool."""

from __future__ import annotations

from pathlib import Path

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import read_plan
from rejudge.errors import Problem, UsageError


@click.command("export")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--to", "format_name", metavar="FORMAT", required=True, help="The tool to write for.")
@click.option(
    "--people",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="CSV with a column `name`: one file for each; by default one for each place.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder for the files; by default STUDY/FORMAT.",
)
@click.option("--force", is_flag=True, help="Overwrite files of an earlier export.")
@print_outcome
def command(
    folder: Path, *, format_name: str, people: Path | None, out: Path | None, force: bool
) -> Outcome:
    """Write the plan of a STUDY as files for another tool, with the steps to take there."""
    from rich.text import Text

    from rejudge.exchange import writers
    from rejudge.files import write_files

    known = writers()
    if format_name not in known:
        what = f"studies cannot be written for '{format_name}'."
        raise UsageError(Problem(what, f"Choose one of: {', '.join(known)}."))
    study, plan = read_plan(folder)
    writer = known[format_name]
    exported = writer.write(study, plan, people=_names(people))
    written = write_files(out or folder / format_name, exported.files, force=force)
    said = {
        "format": writer.name,
        "written": [str(path) for path in written],
        "steps": list(exported.steps),
        "notes": list(exported.notes),
    }
    steps = [f"{number}. {step}" for number, step in enumerate(exported.steps, start=1)]
    lines = [
        *exported.notes,
        *steps,
        f"Written: {len(written)} files in {out or folder / format_name}",
    ]
    return Outcome(said, (Text(writer.title, "bold"), *map(Text, lines)))


def _names(people: Path | None) -> tuple[str, ...]:
    """The names in a file of people, in their order, each once."""
    if people is None:
        return ()
    from rejudge.incoming import read_bytes
    from rejudge.spreadsheet import csv_rows

    rows = csv_rows(read_bytes(people, remedy="Give a CSV file.").decode("utf-8-sig"))
    if not rows or "name" not in rows[0]:
        raise UsageError(Problem("there is no column `name`.", "Add it.", file=str(people)))
    place = rows[0].index("name")
    names = [row[place].strip() for row in rows[1:] if len(row) > place and row[place].strip()]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        what = f"{', '.join(repeated)} is listed more than once."
        raise UsageError(Problem(what, "List each person once.", file=str(people)))
    return tuple(names)
