"""rejudge privacy: what participants can ask for, and the record of what is processed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.commands import withdraw
from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import answers_database, database_option, open_existing_store
from rejudge.english import count
from rejudge.errors import DataError, Problem

if TYPE_CHECKING:
    from rejudge.report.processing import StoredAmounts

EXPORTED = "data of a participant exported"  # in the log


@click.group("privacy")
def command() -> None:
    """Answer participants' requests about their data, and document what is processed.

    Each of the commands below takes --json.
    """


@command.command("export")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("participant", metavar="PARTICIPANT")
@click.option(
    "--out",
    metavar="FILE.zip|DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to write: an archive, or a folder.",
)
@database_option
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@print_outcome
def export(
    folder: Path, participant: str, *, out: Path, database: str | None, force: bool
) -> Outcome:
    """Write everything that STUDY stores about PARTICIPANT.

    PARTICIPANT is the receipt code from their last page, the participant number, such as p0012, or
    the platform's id, which is not printed. The files are JSON, CSV and a README in plain English.
    They do not contain the platform's id. Nothing is changed, except that the log of the study
    notes the export.
    """
    from datetime import UTC, datetime

    from rich.text import Text

    from rejudge.cli.participants import as_zip, find_pseudonym, person_files
    from rejudge.files.disk import write_bytes, write_files

    now = datetime.now(UTC)
    study, _, store = open_existing_store(folder, database)
    try:
        pseudonym = find_pseudonym(store, participant)
        if any(each.participant == pseudonym for each in store.tombstones()):
            what = f"{pseudonym} has withdrawn: nothing is stored about them any more."
            raise DataError(Problem(what, "Tell them so; there is nothing to export."))
        record = store.person(pseudonym)
        files = person_files(study, record, told=_told_platform(folder, pseudonym), now=now)
        if out.suffix.lower() == ".zip":
            name = f"{study.spec.id}-{pseudonym}"
            write_bytes(out, as_zip(files, name), force=force)
        else:
            write_files(out, files, force=force)
        store.note(EXPORTED, who="command line", now=now)
    finally:
        store.close()
    document = {
        "participant": pseudonym,
        "written": str(out),
        "files": sorted(files),
        "answers": len(record.answers),
        "events": len(record.events),
    }
    return Outcome(
        document,
        (
            Text(f"{pseudonym}: {count(len(record.answers), 'answer')}.", "bold"),
            Text(f"Written: {out}"),
            Text("Send it only to the person it is about. Invitations are not included."),
        ),
    )


def _told_platform(folder: Path, pseudonym: str) -> dict[str, str | None]:
    from rejudge.platforms import DEMOGRAPHICS, read_demographics

    path = folder / DEMOGRAPHICS
    return read_demographics(path).get(pseudonym, {}) if path.exists() else {}


@command.command("record")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@database_option
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@print_outcome
def record(folder: Path, *, database: str | None, force: bool) -> Outcome:
    """Write the record of processing of STUDY, as processing.md and processing.html.

    It lists purposes, kinds of data, recipients, retention and safeguards, as far as the study
    states or implies them. Missing facts are marked with the key of study.yaml to add. The record
    can also be written before data collection. It is not legal advice.
    """
    from datetime import UTC, datetime

    from rich.text import Text

    from rejudge.files.disk import write_files
    from rejudge.files.step_files import open_study
    from rejudge.report.blocks import to_html
    from rejudge.report.processing import processing_record, record_markdown

    study = open_study(folder)
    stored = _stored_amounts(folder, database)
    page = processing_record(study, stored, on=datetime.now(UTC).date())
    files = {"processing.md": record_markdown(page), "processing.html": to_html(page)}
    contents = {name: text.encode("utf-8") for name, text in files.items()}
    write_files(folder, contents, force=force)
    missing = files["processing.md"].count("not stated (")
    document = {
        "written": [str(folder / name) for name in files],
        "not_stated": missing,
        "has_data": stored is not None,
    }
    return Outcome(
        document,
        (
            *(Text(f"Written: {folder / name}") for name in files),
            Text(f"{count(missing, 'fact')} not stated." if missing else "Everything is stated."),
        ),
    )


def _stored_amounts(folder: Path, database: str | None) -> StoredAmounts | None:
    """How much is stored; None before data collection."""
    from rejudge.platforms import DEMOGRAPHICS, read_demographics
    from rejudge.report.processing import StoredAmounts

    if answers_database(folder, database) is None:
        return None
    told = read_demographics(folder / DEMOGRAPHICS) if (folder / DEMOGRAPHICS).exists() else {}
    _, _, store = open_existing_store(folder, database)
    try:
        amounts = store.count_erasable(["everything"])
        texts = store.count_erasable(["free-text"])
    finally:
        store.close()
    return StoredAmounts(
        participants=amounts.get("participants", 0),
        platform_ids=amounts.get("platform ids", 0),
        answers=amounts.get("answers", 0),
        events=amounts.get("events", 0),
        free_texts=texts.get("answers in own words", 0),
        withdrawn=amounts.get("withdrawals", 0),
        demographics=tuple(next(iter(told.values()), {})),
    )


command.add_command(withdraw.command)
