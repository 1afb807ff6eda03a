"""rejudge restore: restore a backup into a database."""

from __future__ import annotations

from pathlib import Path

import click

from rejudge.cli.console import Outcome, print_outcome


@click.command("restore")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--database",
    metavar="URL",
    envvar="REJUDGE_DATABASE",
    required=True,
    help="Target database, a file or postgresql://…; it must not contain the study yet.",
)
@print_outcome
def command(file: Path, *, database: str) -> Outcome:
    """Restore the backup FILE into a database: SQLite or PostgreSQL, whichever it came from."""
    from rich.text import Text

    from rejudge.store.store import restore

    study = restore(file, database)
    return Outcome(
        {"study": study, "restored_from": str(file)},
        (
            Text(f"The study '{study}' was restored from {file}.", "bold"),
            Text(
                "Serve it with `rejudge serve STUDY --database …`, where STUDY is the study's "
                "folder."
            ),
        ),
    )
