"""rejudge backup: all collected data in one file, even while the site is running."""

from __future__ import annotations

from pathlib import Path

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_option, open_existing_store
from rejudge.english import count
from rejudge.incoming import follow_links

BACKUP = "backup written"  # in the log


@click.command("backup")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@database_option
@print_outcome
def command(folder: Path, file: Path, *, database: str | None) -> Outcome:
    """Copy a consistent snapshot of all data of STUDY into FILE.

    The site may be running. FILE also contains the participants' platform ids: keep it safe.
    """
    from datetime import UTC, datetime

    from rich.text import Text

    _, _, store = open_existing_store(folder, database)
    try:
        written = store.backup(file)
        now = datetime.now(UTC)
        progress = store.progress(now=now)
        # so that a purge can name it later
        store.note(BACKUP, who="command line", now=now, reason=str(follow_links(written)))
    finally:
        store.close()
    document = {
        "written": str(written),
        "participants": progress.participants,
        "done": progress.done,
        "bytes": written.stat().st_size,
    }
    return Outcome(
        document,
        (
            Text(
                f"{count(progress.participants, 'participant')}, "
                f"{count(progress.done, 'batch')} done.",
                "bold",
            ),
            Text(f"Written: {written}"),
            Text("It contains platform ids: keep it as safe as the study's own data."),
        ),
    )
