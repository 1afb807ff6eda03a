"""rejudge withdraw: delete all data of a participant on request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, is_interactive, print_outcome
from rejudge.cli.folders import database_option, open_existing_store
from rejudge.cli.participants import (
    FOLDER,
    MERGE,
    InvitationFiles,
    find_invitations,
    find_pseudonym,
)
from rejudge.cli.terminal import neutral
from rejudge.english import count
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from rejudge.bundle.privacy import ParticipantArchives
    from rejudge.design.plan import Plan
    from rejudge.store.records import Tombstone
    from rejudge.store.store import Store
    from rejudge.study.model import Study

_FILES_NAMED = 6
_LEFT_OF_INVITATIONS = (
    "Mails that were sent, and your own table of people, still name them: delete those too."
)
_OF_A_REPORT = {".html", ".csv", ".tex", ".md", ".svg", ".pdf", ".png"}


@click.command("withdraw")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("participant", metavar="PARTICIPANT")
@database_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@print_outcome
def command(folder: Path, participant: str, *, database: str | None, yes: bool) -> Outcome:
    """Delete all data of PARTICIPANT from STUDY permanently.

    PARTICIPANT is the receipt code or the participant number, such as p0012, which people see on
    their last page, or the platform's id, which is not printed. Their data are deleted from the
    database, and from judgments.csv, excluded.csv and demographics.csv in STUDY. Results, tables
    and reports based on them, bundles and full downloads in STUDY that contain the answers, and
    leftovers of interrupted writes are deleted too; create them again afterwards. People who were
    withdrawn on the dashboard are also deleted from these files. Copies elsewhere still contain the
    answers.

    For somebody who was invited, PARTICIPANT can also be the name in their link. What
    `rejudge invite` wrote about them in STUDY/invitations is deleted, even if they never took part.

    The command shows what will be deleted and asks for confirmation; --yes skips the question.
    """
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    study, plan, store = open_existing_store(folder, database)
    try:
        if not store.pseudonyms_of(participant.strip()):
            invited = find_invitations(folder, [participant.strip()])
            if invited.paths:
                return _remove_invited(invited, yes=yes)
        pseudonym = find_pseudonym(store, participant)
        invited = find_invitations(folder, _link_names(store, pseudonym, participant))
        known = [each for each in store.tombstones() if each.participant == pseudonym]
        stone = known[0] if known else store.count_kept(pseudonym, now=now)
        found = _find_files(folder, stone, study, plan, is_known=bool(known))
        if found.is_stale or found.removed or invited.paths:
            files = [  # bundles early: they are named, not only counted
                *found.tables,
                *invited.paths,
                *found.removed,
            ]
            _ask(stone, files, is_known=bool(known), yes=yes)
        if not known:
            stone = store.withdraw(pseudonym, who="command line", now=now)
    finally:
        store.close()
    _clean_files(found.tables, pseudonym)
    invited.remove()
    for path in found.removed:
        path.unlink()
    words = _invitation_words(folder, invited, is_known=bool(known))
    return Outcome(
        _document(stone, found, invited), tuple(_sentences(folder, stone, found, [*words]))
    )


@dataclass(frozen=True, slots=True)
class _ParticipantFiles:
    """Where a folder holds answers of somebody."""

    tables: list[Path]  # with rows of theirs
    archives: ParticipantArchives
    removed: list[Path]  # archives, and everything else that was made with their answers
    is_stale: bool  # some file may still mention them


def _find_files(
    folder: Path, stone: Tombstone, study: Study, plan: Plan, *, is_known: bool
) -> _ParticipantFiles:
    """`is_known`: they were withdrawn before, such as on the dashboard."""
    from rejudge.bundle.privacy import find_participant
    from rejudge.files.disk import unfinished_files

    tables = _tables_with(folder, stone.participant)
    is_stale = bool(tables) or not is_known or _is_in_results(folder, stone.participant)
    archives = find_participant(folder, stone.participant, study=study, plan=plan)
    derived = derived_files(folder) if stone.answers and is_stale else []
    removed = [*archives.found, *derived, *unfinished_files(folder)]
    return _ParticipantFiles(tables, archives, removed, is_stale)


def _document(
    stone: Tombstone, found: _ParticipantFiles, invited: InvitationFiles
) -> dict[str, object]:
    return {
        "participant": stone.participant,
        "assignments": stone.assignments,
        "finished": stone.finished,
        "answers": stone.answers,
        "cleaned": [str(path) for path in found.tables],
        "removed": [str(path) for path in found.removed],
        "invitations": [str(path) for path in invited.paths],
        "unread": [str(path) for path in found.archives.unread],
    }


def _sentences(
    folder: Path, stone: Tombstone, found: _ParticipantFiles, invited: list[Text]
) -> Iterator[Text]:
    from rich.text import Text

    yield Text(f"{stone.participant} was removed: {count(stone.answers, 'answer')}.", "bold")
    for path in found.tables:
        yield Text(f"Removed from {path}")
    yield from invited
    yield from _render(folder, found.removed)
    for path in found.archives.found:
        yield Text(f"This includes {path}, which held them")
    for path in found.archives.unread:
        yield Text(f"Could not be searched: {path}", "yellow")
    yield Text("Backups and copies elsewhere still contain these answers: delete them too.")


def _link_names(store: Store, pseudonym: str, given: str) -> list[str]:
    """The names in the personal links of somebody; those of the withdrawn are gone."""
    own = [each for each in store.identities() if each.participant == pseudonym]
    return [*dict.fromkeys((*(each.person for each in own), given.strip()))]


def _remove_invited(invited: InvitationFiles, *, yes: bool) -> Outcome:
    """Delete the invitation of somebody of whom nothing was collected."""
    from rich.text import Text

    if not yes:
        names = ", ".join(path.name for path in invited.paths)
        _confirm(f"This removes somebody who was invited from {names}; they did not take part.")
    invited.remove()
    document = {
        "participant": None,
        "assignments": 0,
        "finished": 0,
        "answers": 0,
        "cleaned": [],
        "removed": [],
        "invitations": [str(path) for path in invited.paths],
        "unread": [],
    }
    lines = [Text(f"Removed from {path}") for path in invited.paths]
    said = Text("They had not taken part, so there were no answers to remove.", "bold")
    return Outcome(document, (said, *lines, Text(_LEFT_OF_INVITATIONS)))


def _invitation_words(folder: Path, invited: InvitationFiles, *, is_known: bool) -> Iterator[Text]:
    from rich.text import Text

    for path in invited.paths:
        yield Text(f"Removed from {path}")
    if invited.paths:
        yield Text(_LEFT_OF_INVITATIONS)
    elif is_known and (folder / FOLDER / MERGE).exists():
        what = (
            f"Who was invited under which name is no longer known. Find the person in "
            f"{folder / FOLDER / MERGE} by their address, then run rejudge withdraw {folder} with "
            "the name in the column participant."
        )
        yield Text(what, "yellow")


def _ask(stone: Tombstone, files: list[Path], *, is_known: bool, yes: bool) -> None:
    """Show what will be removed and ask for confirmation; without a terminal, --yes is required."""
    if yes:
        return
    work = f"{count(stone.answers, 'answer')} in {count(stone.assignments, 'batch')}"
    what = f"This permanently removes {stone.participant}: {work}"
    if is_known:
        what = (
            f"{stone.participant} has already been withdrawn; this removes what files still contain"
        )
    names = ", ".join(path.name for path in files[:_FILES_NAMED])
    more = f" and {len(files) - _FILES_NAMED} more" if files[_FILES_NAMED:] else ""
    what += f". Files to be changed or deleted: {names}{more}." if files else "."
    _confirm(what)


def _confirm(what: str) -> None:
    if not is_interactive():
        remedy = "Nothing was removed. Add --yes to remove all of this without confirmation."
        raise UsageError(Problem(what, remedy))
    click.echo(neutral(what), err=True)
    if not click.confirm("Remove all of this?", default=False, err=True):
        raise UsageError(Problem("Nothing was removed.", "Answer y to remove it."))


def _render(folder: Path, removed: list[Path]) -> Iterator[Text]:
    from rich.text import Text

    if removed:
        files = count(len(removed), "file")
        yield Text(f"Removed {files} made with these answers.")
        yield Text(f"To recreate them: rejudge analyse {folder}, then rejudge report {folder}")


def _tables_with(folder: Path, pseudonym: str) -> list[Path]:
    """The tables in the folder that contain rows of a participant."""
    from rejudge.files.step_files import EXCLUDED, JUDGMENTS
    from rejudge.platforms import DEMOGRAPHICS

    paths = [folder / name for name in (JUDGMENTS, EXCLUDED, DEMOGRAPHICS)]
    return [
        path for path in paths if path.exists() and _remove_rows(_text(path), pseudonym) is not None
    ]


def _is_in_results(folder: Path, pseudonym: str) -> bool:
    """Whether results still mention a participant, such as their remarks."""
    from rejudge.files.step_files import RESULTS

    path = folder / RESULTS
    return path.exists() and f'"{pseudonym}"'.encode() in path.read_bytes()


def _clean_files(paths: list[Path], pseudonym: str) -> None:
    """Rewrite tables without one participant."""
    from rejudge.files.disk import write_bytes

    for path in paths:
        kept = _remove_rows(_text(path), pseudonym)
        write_bytes(path, (kept or "").encode("utf-8"), force=True)


def _text(path: Path) -> str:
    from rejudge.incoming import decode, read_bytes

    return decode(read_bytes(path, remedy=""), file=str(path))


def derived_files(folder: Path) -> list[Path]:
    """Files computed with this person's answers that show some of them."""
    from rejudge.files.step_files import REPORT, RESULTS

    made = [folder / RESULTS]
    made += [path for ending in ("csv", "tex") for path in (folder / "tables").glob(f"*.{ending}")]
    made += [path for path in (folder / REPORT).parent.rglob("*") if path.suffix in _OF_A_REPORT]
    return sorted(path for path in made if path.is_file())


def _remove_rows(text: str, pseudonym: str) -> str | None:
    """A table without the rows of a participant; None if it has none."""
    from rejudge.spreadsheet import csv_rows, csv_text

    head, *rows = csv_rows(text or "participant\n")
    if "participant" not in head:
        return None
    place = head.index("participant")
    kept = [row for row in rows if row[place : place + 1] != [pseudonym]]
    return None if len(kept) == len(rows) else csv_text((head, *kept))
