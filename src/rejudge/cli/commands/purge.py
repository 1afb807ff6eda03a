"""rejudge purge: delete data about participants when their retention period ends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from rejudge.cli.console import Outcome, is_interactive, print_outcome
from rejudge.cli.folders import database_of, database_option, open_existing_store
from rejudge.cli.terminal import neutral
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.study.conduct import ERASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date, datetime

    from rich.text import Text

    from rejudge.cli.purged_files import FolderContents
    from rejudge.study.conduct import Erasure, Retention


@click.command("purge")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--delete",
    "given",
    type=click.Choice(ERASURES),
    multiple=True,
    help="What to delete; repeatable.  [default: retention.delete in study.yaml]",
)
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, but delete nothing.")
@click.option("--early", is_flag=True, help="Delete before the retention date.")
@database_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@print_outcome
def command(
    folder: Path,
    *,
    given: tuple[str, ...],
    dry_run: bool,
    early: bool,
    database: str | None,
    yes: bool,
) -> Outcome:
    """Delete data about all participants of STUDY permanently, and close the study.

    `retention` in study.yaml says when and what: platform ids and their hashes; times, events and
    what browsers said; free text; or everything. Judgments stay under participant numbers unless
    everything is deleted. The data are deleted from the database and its file, and from files in
    STUDY. The command shows what will be deleted, asks for confirmation, and lists what may still
    contain the data, such as backups.
    """
    from datetime import UTC, datetime

    from rejudge.cli.purged_files import find_files, remainders

    now = datetime.now(UTC)
    study, plan, store = open_existing_store(folder, database)
    try:
        retention = study.spec.retention
        erased = _erased(retention, given)
        due = _due_date(retention, store.last_answer())
        counts = store.count_erasable(erased)
        contents = find_files(folder, erased, study=study, plan=plan)
        is_early = due is None or now.date() < due
        is_whole = True
        if not dry_run:
            if retention is not None and is_early and not early:
                raise _not_due(due)
            if counts or contents.deleted:
                _ask(counts, contents, due, is_early=is_early, yes=yes)
                is_whole = store.purge(erased, who="command line", now=now)
                for path in contents.deleted:
                    path.unlink(missing_ok=True)
        url = database_of(folder, database)
        left = tuple(remainders(folder, contents, store.log(), plan=plan, database=url))
    finally:
        store.close()
    if not is_whole and "://" not in url:
        left = ("Older pages in the log of the database, until the site is restarted", *left)
    document = {
        "delete": list(erased),
        "due": None if due is None else due.isoformat(),
        "is_dry_run": dry_run,
        "deleted": dict(counts),
        "files": [str(path) for path in contents.deleted],
        "remains": list(left),
    }
    lines = _lines(folder, erased, counts, contents, is_dry_run=dry_run)
    return Outcome(document, (*lines, *_remaining_lines(left)))


def _erased(retention: Retention | None, given: tuple[str, ...]) -> tuple[Erasure, ...]:
    if given:
        chosen = cast("tuple[Erasure, ...]", given)
        if "everything" in chosen:
            return ("everything",)
        return tuple(each for each in ERASURES if each in chosen)
    if retention is None:
        what = "study.yaml does not say what is deleted, and when."
        remedy = "Add `retention`, or name what to delete with --delete."
        raise UsageError(Problem(what, remedy))
    return retention.erased


def _due_date(retention: Retention | None, last: datetime | None) -> date | None:
    """The day from which data may go; None: nobody has answered, or no day was given."""
    from datetime import timedelta

    if retention is None:
        return None
    if retention.days is None or last is None:
        return retention.until
    return (last + timedelta(days=retention.days)).date()


def _not_due(due: date | None) -> UsageError:
    what = (
        "nobody has answered yet, so the days of `retention` have not begun."
        if due is None
        else f"data are kept until {due} (`retention` in study.yaml)."
    )
    return UsageError(Problem(what, "Nothing was deleted. Use --dry-run to look, or --early."))


def _ask(
    counts: Mapping[str, int],
    contents: FolderContents,
    due: date | None,
    *,
    is_early: bool,
    yes: bool,
) -> None:
    """Show what will be deleted and ask; without a terminal, --yes is required."""
    if yes:
        return
    what = f"This permanently deletes {_in_words(counts)}"
    if contents.deleted:
        what += f" and {count(len(contents.deleted), 'file')}"
    what += ", and closes the study."
    if is_early and due is not None:
        what += f" The retention date is {due}."
    if not is_interactive():
        remedy = "Nothing was deleted. Add --yes to delete all of this without confirmation."
        raise UsageError(Problem(what, remedy))
    click.echo(neutral(what), err=True)
    if not click.confirm("Delete all of this?", default=False, err=True):
        raise UsageError(Problem("Nothing was deleted.", "Answer y to delete it."))


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in counts.items()) or "no data"


def _lines(
    folder: Path,
    erased: tuple[Erasure, ...],
    counts: Mapping[str, int],
    contents: FolderContents,
    *,
    is_dry_run: bool,
) -> Iterator[Text]:
    from rich.text import Text

    verb = "Would delete" if is_dry_run else "Deleted"
    if not counts and not contents.deleted:
        yield Text("There is nothing left to delete.", "bold")
        return
    yield Text(f"{verb} from the database: {_in_words(counts)}.", "bold")
    for path in contents.deleted:
        yield Text(f"{verb}: {path}")
    has_results = any(path.name == "results.json" for path in contents.deleted)
    if has_results and "everything" not in erased:
        yield Text(f"Results can be computed again: rejudge analyse {folder}")


def _remaining_lines(left: tuple[str, ...]) -> Iterator[Text]:
    from rich.text import Text

    yield Text("These may still contain the data; rejudge does not change them:")
    for each in left:
        yield Text(f"  {each}")
