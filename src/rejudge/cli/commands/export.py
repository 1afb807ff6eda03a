"""rejudge export: a study as files for another tool."""

from __future__ import annotations

from pathlib import Path

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import read_plan
from rejudge.errors import FileError, Problem


@click.command("export")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--to", "format_name", metavar="FORMAT", required=True, help="Tool to write for.")
@click.option(
    "--participants",
    "people",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="CSV with a column `name`: write one file for each name.  [default: one for each place]",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: STUDY/FORMAT]",
)
@click.option("--force", is_flag=True, help="Overwrite files of an earlier export.")
@print_outcome
def command(
    folder: Path, *, format_name: str, people: Path | None, out: Path | None, force: bool
) -> Outcome:
    """Write the plan of STUDY as files for another tool, and print the steps to take there."""
    from rich.text import Text

    from rejudge.exchange.registry import find_writer
    from rejudge.files.disk import write_files

    writer = find_writer(format_name)
    study, plan = read_plan(folder)
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
    rows = _rows(people)
    if not rows or "name" not in rows[0]:
        raise FileError(Problem("there is no column `name`.", "Add it.", file=str(people)))
    place = rows[0].index("name")
    lines: dict[str, int] = {}
    for line, row in enumerate(rows[1:], start=2):
        name = row[place].strip() if len(row) > place else ""
        if name in lines:
            what = f"the name is already on line {lines[name]}."
            raise FileError(Problem(what, "List each person once.", file=str(people), line=line))
        if name:
            lines[name] = line
    if not lines:
        what = "the column `name` is empty."
        raise FileError(Problem(what, "Write one name on each line.", file=str(people)))
    return tuple(lines)


def _rows(people: Path) -> list[list[str]]:
    from rejudge.incoming import TEXT_BYTES, read_bytes
    from rejudge.spreadsheet import csv_rows

    content = read_bytes(people, remedy="Give a CSV file.", limit=TEXT_BYTES)
    try:
        return csv_rows(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        remedy = "Save it as UTF-8: in a spreadsheet “CSV UTF-8”."
        raise FileError(Problem("the file is not UTF-8.", remedy, file=str(people))) from None
