"""rejudge prolific replace: more places where people or their data have to be replaced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_option
from rejudge.cli.prolific_session import (
    OpenStudy,
    confirm_money,
    connect,
    dry_run_option,
    dry_run_outcome,
    folder_argument,
    now_utc,
    open_created,
    small_table,
    yes_option,
)
from rejudge.english import count

if TYPE_CHECKING:
    from rejudge.prolific.client import ProlificApi
    from rejudge.prolific.submissions import Replacements


@click.command("replace")
@folder_argument
@database_option
@yes_option
@dry_run_option
@print_outcome
def replace(folder: Path, *, database: str | None, yes: bool, dry_run: bool) -> Outcome:
    """Add places on Prolific for people whose data do not count; asks first.

    A place stays empty when work was excluded but paid, or when somebody found no task left. Asks
    Prolific about all submissions, counts the places that nobody is about to fill, and adds as many
    on Prolific; with Taskflow, for the batches that need them.
    """
    from rejudge.prolific.submissions import compare, find_replacements, poll

    with open_created(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        if dry_run:
            visits = compare(opened.store, api, opened.id)
        else:
            visits = poll(opened.store, api, opened.id, now=now_utc)
        found = find_replacements(api, opened.store, opened.id, visits)
        if found.places:
            if not dry_run:
                _confirm(api, found, is_sure=yes)
            _add(api, opened, found, is_dry_run=dry_run)
    if dry_run:
        return dry_run_outcome(session)
    total = found.study.total_available_places + found.places
    said = {"added": found.places, "places": total, "batches": dict(found.by_batch)}
    if not found.places:
        return Outcome(said, ("Nobody has to be replaced.",))
    table = small_table("Batches that lack people", ["batch", "people"], [*found.by_batch.items()])
    return Outcome(said, (f"{count(found.places, 'place')} added; there are {total} now.", *table))


def _confirm(api: ProlificApi, found: Replacements, *, is_sure: bool) -> None:
    reward = found.study.reward or 0
    cost = api.calculate_cost(reward=reward, places=found.places).total_cost
    total = f"{found.study.currency_code or ''} {cost / 100:,.2f}".strip()
    words = f"{count(found.places, 'more place')} will cost {total} with fees and tax."
    confirm_money(words, is_sure=is_sure)


def _add(api: ProlificApi, opened: OpenStudy, found: Replacements, *, is_dry_run: bool) -> None:
    from rejudge.prolific.study import write_record

    status = api.update_study(opened.id, found.changes).status
    if not is_dry_run:
        action = f"ADD {found.places} PLACES"
        write_record(opened.folder, opened.record.with_action(action, status, now=now_utc()))
