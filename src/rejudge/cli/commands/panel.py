"""rejudge panel: who took part, as a list of hashes that other studies can use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_option, open_existing_store
from rejudge.english import count
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.collect.assignment import Assignment
    from rejudge.store.store import Store

_WHO = ("started", "finished", "passed", "excluded")


@click.command("panel")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--who",
    type=click.Choice(_WHO),
    default="started",
    show_default=True,
    help="Everybody who got a batch, or those who finished one, passed the qualification, or had "
    "work excluded.",
)
@click.option("--force", is_flag=True, help="Overwrite a list that differs.")
@database_option
@print_outcome
def command(folder: Path, file: Path, *, who: str, force: bool, database: str | None) -> Outcome:
    """Write the participants of STUDY to FILE as keyed hashes, without their ids.

    Another study can exclude these people with `recruitment: {exclude_lists: [FILE]}` in
    study.yaml, admit nobody else with `admit_lists`, or let them skip its test with
    `qualification: {skip_lists: [FILE]}`. Both studies need the same key in REJUDGE_PANEL_KEY.
    """
    from rich.text import Text

    from rejudge.collect.panels import panel_key, panel_text
    from rejudge.files.disk import write_bytes

    key = panel_key(os.environ)
    _, _, store = open_existing_store(folder, database)
    try:
        _refuse_no_mark(store, who)
        people = set(_people(store, who))
    finally:
        store.close()
    write_bytes(file, panel_text(key, people).encode("utf-8"), force=force)
    document = {"written": str(file), "participants": len(people), "who": who, "key": key.id}
    shown = f"{count(len(people), 'participant')} ({who}), as hashes made with the key {key.id}."
    return Outcome(document, (Text(shown, "bold"), Text(f"Written: {file}")))


def _refuse_no_mark(store: Store, who: str) -> None:
    if who == "passed" and store.study.spec.qualification is None:
        what = "nobody can have passed, because the study has no qualification."
        raise UsageError(Problem(what, "Add `qualification` to study.yaml."))


def _people(store: Store, who: str) -> Iterator[tuple[str, str]]:
    """Recruiter and platform id of those whose work is in one of the states meant."""
    if who == "passed":
        meant = {event.participant for event in store.events() if event.what == "qualified"}
    else:
        meant = {each.participant for each in store.assignments() if _is_meant(each, who)}
    for identity in store.identities():
        if identity.participant in meant:
            yield identity.recruiter, identity.person


def _is_meant(work: Assignment, who: str) -> bool:
    from rejudge.collect.assignment import FINISHED

    if who == "finished":
        return work.status in FINISHED
    return who == "started" or work.status == "excluded"
