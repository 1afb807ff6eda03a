"""rejudge import: answers that were collected with another tool."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import DATABASE_RECORD, read_plan
from rejudge.cli.options import columns_by_role
from rejudge.english import count
from rejudge.errors import FileError, Problem, RejudgeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.exchange.formats import Imported, Reader, Rejected

_SHOWN = 20  # rejected cells on the screen; all are in rejected.csv
REJECTED = "rejected.csv"


@click.command("import")
@click.argument(
    "sources", metavar="[STUDY] FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--from",
    "format_name",
    metavar="FORMAT",
    default="auto",
    show_default=True,
    help="Tool that wrote the files.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: STUDY]",
)
@click.option(
    "--columns",
    metavar="ROLES",
    help="Fields of the items by role: system=meta.model,item=source_id; system= if there is only "
    "one system.",
)
@click.option(
    "--items",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Table of the items (CSV, JSON) with id and system, if these are not in the files.",
)
@click.option(
    "--rename-question",
    "questions",
    metavar="NAME=ID",
    multiple=True,
    help="Give a question of the tool another name, such as score=adequacy; repeatable.",
)
@click.option(
    "--duplicate-share",
    type=click.FloatRange(0, 1),
    help="Accept files in which up to this share of the judgments were given again.  "
    "[default: 1/3]",
)
@click.option("--force", is_flag=True, help="Overwrite files of an earlier import.")
@print_outcome
def command(
    sources: tuple[Path, ...],
    *,
    format_name: str,
    out: Path | None,
    columns: str | None,
    items: Path | None,
    questions: tuple[str, ...],
    duplicate_share: float | None,
    force: bool,
) -> Outcome:
    """Read answers that were collected with another tool, and write judgments.csv.

    With STUDY, the answers belong to its plan. Without it, the files say what was judged.
    Answers that cannot be used are listed in rejected.csv with the reason; all others are kept.
    """
    from rich.text import Text

    from rejudge.channels import channel_of_format
    from rejudge.exchange.registry import choose_reader, read_files
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import JUDGMENTS, to_bytes

    folder, files = _split(sources)
    study, plan = read_plan(folder) if folder is not None else (None, None)
    target = out or folder
    if target is None:
        raise UsageError(Problem("there is no folder to write to.", "Give one with --out."))
    if not force:
        _refuse_collected_here(target)
    chosen = choose_reader(files, format_name)
    reader = _with_items(chosen.reader, columns, items, questions, most=duplicate_share)
    imported = read_files(reader, chosen.files, study=study, plan=plan)
    imported = replace(
        imported,
        judgments=imported.judgments.from_channel(channel_of_format(reader.name)),
        rejected=(*chosen.strange, *imported.rejected),
    )
    made_from = {} if plan is None else {"plan": plan.fingerprint}
    contents = {**imported.files, REJECTED: _rejected_csv(imported.rejected)}
    if len(imported.judgments):  # files may say what was shown and not yet what was answered
        contents[JUDGMENTS] = to_bytes(imported.judgments, made_from=made_from)
    replaced = _replaced(target, imported, force=force)
    written = write_files(target, contents, force=force)
    removed = _remove_outdated(reader, target, imported, files)
    said = {
        "format": reader.name,
        "judgments": len(imported.judgments),
        "rejected": [asdict(each) for each in imported.rejected],
        "unmapped": list(imported.unmapped),
        "notes": [*imported.notes, *replaced],
        "written": [str(path) for path in written],
        "removed": [str(path) for path in removed],
    }
    lines = (*_render(reader, imported), *replaced, *_render_files(written, removed))
    shown = tuple(map(Text, lines[1:]))
    has_problems = bool(imported.rejected) or imported.is_incomplete
    return Outcome(said, (Text(lines[0], "bold"), *shown), has_problems=has_problems)


def _with_items(
    reader: Reader,
    columns: str | None,
    items: Path | None,
    questions: tuple[str, ...],
    *,
    most: float | None,
) -> Reader:
    """The reader with what was typed about its items, if anything was."""
    from rejudge.exchange.formats import ItemReader
    from rejudge.exchange.items import ItemFields
    from rejudge.judgments.duplicates import MOST_DUPLICATES

    if columns is None and items is None and not questions and most is None:
        return reader
    if not isinstance(reader, ItemReader):
        options = "--columns, --items, --rename-question and --duplicate-share"
        what = f"{options} cannot be used with files of {reader.title}."
        raise UsageError(Problem(what, "Leave them out."))
    repeated = MOST_DUPLICATES if most is None else most
    roles, renamed = columns_by_role(columns or ""), dict(_renamed(questions))
    fields = ItemFields.read(roles, items, renamed, most_repeated=repeated)
    return reader.with_items(fields)


def _renamed(questions: Sequence[str]) -> Iterator[tuple[str, str]]:
    for each in questions:
        name, _, new = (part.strip() for part in each.rpartition("="))
        if not name or not new:
            what = f"--rename-question {each} is unclear."
            raise UsageError(Problem(what, "Write NAME=ID, such as score=adequacy."))
        yield name, new


def _refuse_collected_here(folder: Path) -> None:
    """Answers from elsewhere must not hide those that our own site has collected."""
    from rejudge.files.step_files import DATABASE

    for name in (DATABASE, DATABASE_RECORD):
        if (folder / name).exists():
            what = f"{folder / name} exists: participants have answered on the site."
            raise UsageError(Problem(what, "Import into another folder with --out."))


def _split(sources: Sequence[Path]) -> tuple[Path | None, tuple[Path, ...]]:
    """The study folder, if the first argument is one, and the files."""
    first, *rest = sources
    if not first.is_dir():
        return None, tuple(sources)
    if not rest:
        raise UsageError(Problem("no files were given.", f"Write: rejudge import {first} FILE..."))
    return first, tuple(rest)


def _rejected_csv(rejected: Sequence[Rejected]) -> bytes:
    from rejudge.exchange.formats import Rejected
    from rejudge.spreadsheet import csv_text

    heads = tuple(field.name for field in fields(Rejected))
    rows = [tuple(getattr(each, name) for name in heads) for each in rejected]
    return csv_text([heads, *rows]).encode()


def _replaced(folder: Path, imported: Imported, *, force: bool) -> tuple[str, ...]:
    """What an earlier import said otherwise: refused unless forced, and never passed over."""
    from rejudge.exchange.repeated import changed_rows
    from rejudge.files.step_files import JUDGMENTS, read
    from rejudge.judgments.table import Judgments

    file = folder / JUDGMENTS
    if not file.is_file():
        return ()
    try:
        earlier = read(Judgments, file)
    except RejudgeError:
        return ()  # not one of ours: `write_files` does not replace it unless forced
    found = changed_rows(earlier, imported.judgments)
    if found and not force:
        what = f"the existing judgments are different: {' '.join(found)}"
        remedy = "Import all files together, and use --force to replace what is there."
        raise FileError(Problem(what, remedy, file=str(file)))
    return tuple(f"Replaced in {file}: {each}" for each in found)


def _remove_outdated(
    reader: Reader, folder: Path, imported: Imported, given: Sequence[Path]
) -> tuple[Path, ...]:
    from rejudge.exchange.formats import CorrectingReader

    if not isinstance(reader, CorrectingReader):
        return ()
    outdated = tuple(reader.outdated_files(folder, imported, given=given))
    for path in outdated:
        path.unlink(missing_ok=True)
    return outdated


def _render(reader: Reader, imported: Imported) -> Iterator[str]:
    rejected = imported.rejected
    people = len(imported.judgments.participant.labels)
    files = sum(not (each.row or each.column or each.participant) for each in rejected)
    unused = f", {count(files, 'file')} not read" if files else ""
    yield (
        f"{reader.title}: {count(len(imported.judgments), 'judgment')} by "
        f"{count(people, 'participant')}, {count(len(rejected) - files, 'cell')} rejected{unused}."
    )
    yield from (str(each) for each in rejected[:_SHOWN])
    if len(rejected) > _SHOWN:
        yield f"… and {len(rejected) - _SHOWN} more in {REJECTED}."
    yield from (f"Not imported: {each}" for each in imported.unmapped)
    yield from imported.notes


def _render_files(written: Sequence[Path], removed: Sequence[Path]) -> Iterator[str]:
    if removed:
        yield f"Removed, because newer answers replace them: {', '.join(map(str, removed))}"
    paths = ", ".join(map(str, written))
    yield f"Written: {paths}" if written else "The existing files are already up to date."
