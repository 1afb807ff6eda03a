"""rejudge withdraw: remove everything of one participant who asks for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, speaks
from rejudge.cli.databases import database_option, open_filled
from rejudge.english import count
from rejudge.errors import DataError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.text import Text

    from rejudge.store import Store

_PSEUDONYM = re.compile(r"p\d{4,}")
_OF_A_REPORT = {".html", ".csv", ".tex", ".md", ".svg", ".pdf", ".png"}


@click.command("withdraw")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("participant", metavar="PARTICIPANT")
@database_option
@speaks
def command(folder: Path, participant: str, *, database: str | None) -> Outcome:
    """Remove all of PARTICIPANT from the study in DIR, for good.

    PARTICIPANT is a pseudonym such as p0012, or the platform's id, which is not shown again. All of
    it goes from the database, and from judgments.csv and excluded.csv in DIR. Removed, to be made
    again, are the results, tables and report that were made from them, bundles of the study and
    downloads of everything in DIR that hold the answers, and what interrupted writes left there.
    Whoever was withdrawn on the dashboard goes from these files too. Copies elsewhere still hold
    the answers.
    """
    from datetime import UTC, datetime

    from rich.text import Text

    from rejudge.bundle import archives_with
    from rejudge.files import unfinished_files

    study, plan, store = open_filled(folder, database)
    try:
        pseudonym = _pseudonym(store, participant)
        known = [each for each in store.tombstones() if each.participant == pseudonym]
        stone = (
            known[0]  # withdrawn on the dashboard
            if known
            else store.withdraw(pseudonym, who="command line", now=datetime.now(UTC))
        )
    finally:
        store.close()
    cleaned = _clean_files(folder, pseudonym)
    archives = archives_with(folder, pseudonym, study=study, plan=plan)
    is_stale = bool(cleaned) or not known
    removed = _remove_derived(folder) if stone.answers and is_stale else []
    removed += _remove((*archives.found, *unfinished_files(folder)))
    said = {
        "participant": stone.participant,
        "assignments": stone.assignments,
        "finished": stone.finished,
        "answers": stone.answers,
        "cleaned": [str(path) for path in cleaned],
        "removed": [str(path) for path in removed],
        "unread": [str(path) for path in archives.unread],
    }
    return Outcome(
        said,
        (
            Text(f"{pseudonym} is gone: {stone.answers} answers were removed.", "bold"),
            *(Text(f"Taken out of {path}") for path in cleaned),
            *_shown(folder, removed),
            *(Text(f"Removed {path}, which held these answers") for path in archives.found),
            *(Text(f"Could not be looked into: {path}", "yellow") for path in archives.unread),
            Text("Backups, and copies in other places, still hold these answers: delete them too."),
        ),
    )


def _shown(folder: Path, removed: list[Path]) -> Iterator[Text]:
    from rich.text import Text

    if removed:
        yield Text(f"Removed {count(len(removed), 'file')} made with these answers.")
        yield Text(f"Make them again: rejudge analyse {folder}, then rejudge report {folder}")


def _pseudonym(store: Store, given: str) -> str:
    found = store.pseudonyms_of(given)
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
        what = f"this id came by several ways in, as {' and '.join(found)}."
        raise DataError(Problem(what, "Withdraw each of them by the pseudonym."))
    return found[0]


def _clean_files(folder: Path, pseudonym: str) -> list[Path]:
    """Write the tables of the folder anew without one participant, where they had any."""
    from rejudge.files import EXCLUDED, JUDGMENTS, read_bytes, write_bytes
    from rejudge.study import decode

    cleaned = []
    for name in (JUDGMENTS, EXCLUDED):
        path = folder / name
        if not path.exists():
            continue
        content = read_bytes(path, remedy="")
        kept = _without(decode(content, file=str(path)), pseudonym)
        if kept is not None:
            write_bytes(path, kept.encode("utf-8"), force=True)
            cleaned.append(path)
    return cleaned


def _remove_derived(folder: Path) -> list[Path]:
    """Remove what was computed with this person's answers and shows some of them."""
    from rejudge.files import REPORT, RESULTS

    made = [folder / RESULTS]
    made += [path for ending in ("csv", "tex") for path in (folder / "tables").glob(f"*.{ending}")]
    made += [path for path in (folder / REPORT).parent.rglob("*") if path.suffix in _OF_A_REPORT]
    return _remove(made)


def _remove(paths: Iterable[Path]) -> list[Path]:
    """Remove files, as far as they are there."""
    removed = sorted(path for path in paths if path.is_file())
    for path in removed:
        path.unlink()
    return removed


def _without(text: str, pseudonym: str) -> str | None:
    """A table without the rows of a participant; None when it has none of them."""
    from rejudge.spreadsheet import csv_rows, csv_text

    head, *rows = csv_rows(text or "participant\n")
    if "participant" not in head:
        return None
    place = head.index("participant")
    kept = [row for row in rows if row[place : place + 1] != [pseudonym]]
    return None if len(kept) == len(rows) else csv_text((head, *kept))
