"""rejudge withdraw: remove everything of one participant who asks for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, is_asked, speaks
from rejudge.cli.databases import database_option, open_filled
from rejudge.english import count
from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from rejudge.store import Store, Tombstone

_PSEUDONYM = re.compile(r"p\d{4,}")
_FILES_NAMED = 6
_OF_A_REPORT = {".html", ".csv", ".tex", ".md", ".svg", ".pdf", ".png"}


@click.command("withdraw")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("participant", metavar="PARTICIPANT")
@database_option
@click.option("--yes", is_flag=True, help="Do not ask whether to remove it.")
@speaks
def command(folder: Path, participant: str, *, database: str | None, yes: bool) -> Outcome:
    """Remove all of PARTICIPANT from the study in DIR, for good.

    PARTICIPANT is the participant number, such as p0012, that people see on their last page, or the
    platform's id, which is not shown again. All of it goes from the database, and from
    judgments.csv and excluded.csv in DIR. Results, tables and the report, which were made from
    them, are removed and can be made again. Whoever was withdrawn on the dashboard goes from these
    files too. Backups and downloads of yours still hold it.

    What will be removed is shown first, and you are asked; --yes skips the question.
    """
    from datetime import UTC, datetime

    from rich.text import Text

    now = datetime.now(UTC)
    _, _, store = open_filled(folder, database)
    try:
        pseudonym = _pseudonym(store, participant)
        known = [each for each in store.tombstones() if each.participant == pseudonym]
        stone = known[0] if known else store.kept_of(pseudonym, now=now)
        mentioning = _mentioning(folder, pseudonym)
        is_stale = bool(mentioning) or not known  # known: withdrawn on the dashboard
        derived = _derived(folder) if stone.answers and is_stale else []
        if is_stale:
            _ask(stone, [*mentioning, *derived], is_known=bool(known), yes=yes)
        if not known:
            stone = store.withdraw(pseudonym, who="command line", now=now)
    finally:
        store.close()
    cleaned = _clean_files(mentioning, pseudonym)
    for path in derived:
        path.unlink()
    said = {
        "participant": stone.participant,
        "assignments": stone.assignments,
        "finished": stone.finished,
        "answers": stone.answers,
        "cleaned": [str(path) for path in cleaned],
        "removed": [str(path) for path in derived],
    }
    return Outcome(
        said,
        (
            Text(f"{pseudonym} is gone: {count(stone.answers, 'answer')} removed.", "bold"),
            *(Text(f"Taken out of {path}") for path in cleaned),
            *_shown(folder, derived),
            Text("Backups and downloads made before still hold it; delete them or make new ones."),
        ),
    )


def _ask(stone: Tombstone, files: list[Path], *, is_known: bool, yes: bool) -> None:
    """Show what will be removed and ask; whoever cannot be asked has to say --yes."""
    if yes:
        return
    work = f"{count(stone.answers, 'answer')} in {count(stone.assignments, 'batch')}"
    what = f"This removes {stone.participant} for good: {work}"
    if is_known:
        what = f"{stone.participant} is withdrawn already; this removes what files still hold"
    names = ", ".join(path.name for path in files[:_FILES_NAMED])
    more = f" and {len(files) - _FILES_NAMED} more" if files[_FILES_NAMED:] else ""
    what += f". Files that change or go: {names}{more}." if files else "."
    if not is_asked():
        remedy = "Nothing was removed. Add --yes to remove it without being asked."
        raise UsageError(Problem(what, remedy))
    click.echo(what, err=True)
    if not click.confirm("Remove it?", default=False, err=True):
        raise UsageError(Problem("Nothing was removed.", "Say yes to remove it."))


def _shown(folder: Path, removed: list[Path]) -> Iterator[Text]:
    from rich.text import Text

    if removed:
        files = count(len(removed), "file")
        yield Text(f"Removed {files} made from these answers.")
        yield Text(f"Make them again: rejudge analyse {folder}, then rejudge report {folder}")


def _pseudonym(store: Store, given: str) -> str:
    found = store.pseudonyms_of(given)
    typed = given.strip().lower()
    given = typed if not found and _PSEUDONYM.fullmatch(typed) else given  # as people copy it
    if _PSEUDONYM.fullmatch(given):
        others = ", ".join(name for name in found if name != given)
        if others:
            what = f"'{given}' is a pseudonym, and the platform's id of somebody else ({others})."
            raise DataError(Problem(what, "Withdraw who is meant on the dashboard."))
        return given
    if not found:
        what = "nobody with this id has taken part."
        raise DataError(Problem(what, "Look for the pseudonym in `rejudge status`."))
    if len(found) > 1:
        what = f"this id came by several ways in, as {' and '.join(sorted(found))}."
        raise DataError(Problem(what, "Withdraw each of them by the pseudonym."))
    return found[0]


def _mentioning(folder: Path, pseudonym: str) -> list[Path]:
    """The tables of the folder that have rows of a participant."""
    from rejudge.files import EXCLUDED, JUDGMENTS

    paths = [folder / name for name in (JUDGMENTS, EXCLUDED)]
    return [
        path
        for path in paths
        if path.exists() and _without(path.read_text(encoding="utf-8"), pseudonym) is not None
    ]


def _clean_files(paths: list[Path], pseudonym: str) -> list[Path]:
    """Write tables again without one participant."""
    from rejudge.files import write_bytes

    for path in paths:
        kept = _without(path.read_text(encoding="utf-8"), pseudonym)
        write_bytes(path, (kept or "").encode("utf-8"), force=True)
    return paths


def _derived(folder: Path) -> list[Path]:
    """What was computed with this person's answers and shows some of them."""
    from rejudge.files import REPORT, RESULTS

    made = [folder / RESULTS]
    made += [path for ending in ("csv", "tex") for path in (folder / "tables").glob(f"*.{ending}")]
    made += [path for path in (folder / REPORT).parent.rglob("*") if path.suffix in _OF_A_REPORT]
    return sorted(path for path in made if path.is_file())


def _without(text: str, pseudonym: str) -> str | None:
    """A table without the rows of a participant; None when it has none of them."""
    import csv
    import io

    head, *rows = csv.reader(io.StringIO(text or "participant\n", newline=""))
    if "participant" not in head:
        return None
    place = head.index("participant")
    kept = [row for row in rows if row[place] != pseudonym]
    if len(kept) == len(rows):
        return None
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *kept])
    return out.getvalue()
