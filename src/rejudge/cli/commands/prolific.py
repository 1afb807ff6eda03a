"""rejudge prolific: create and run the study on Prolific."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.commands import prolific_submissions
from rejudge.cli.commands.prolific_bonus import bonus
from rejudge.cli.commands.prolific_rehearse import rehearse
from rejudge.cli.commands.prolific_replace import replace
from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_of, database_option, note_database
from rejudge.cli.options import check_base_url
from rejudge.cli.prolific_session import (
    confirm_money,
    connect,
    dry_run_option,
    dry_run_outcome,
    folder_argument,
    refuse_other_platform,
    yes_option,
)
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.cli.prolific_session import ApiSession
    from rejudge.design.plan import Plan
    from rejudge.prolific.client import ProlificApi
    from rejudge.prolific.study import Offer, ProlificRecord, SiteKeys, StudyDraft, StudyProgress
    from rejudge.study.model import Study
    from rejudge.study.site import Codes

_APP = "https://app.prolific.com/researcher/workspaces/studies"
_DEVICES = ("desktop", "tablet", "mobile")


@click.group("prolific")
def command() -> None:
    """Create and run the study on Prolific.

    Needs an API token in the environment, as REJUDGE_PROLIFIC_TOKEN. Each of the commands below
    takes --json.
    """


@command.command("create")
@folder_argument
@click.option(
    "--base-url", metavar="URL", required=True, help="Public address of the site: https://…."
)
@click.option(
    "--taskflow",
    is_flag=True,
    help="Let Prolific distribute the batches: one address for each (Taskflow).",
)
@click.option(
    "--device",
    "devices",
    type=click.Choice(_DEVICES),
    multiple=True,
    help="Device that participants may use; repeatable.  [default: any]",
)
@click.option(
    "--exclude-study",
    "exclude_studies",
    metavar="ID",
    multiple=True,
    help="Exclude the participants of another study on Prolific; repeatable.",
)
@click.option(
    "--exclude-group",
    "exclude_groups",
    metavar="ID",
    multiple=True,
    help="Exclude a participant group; repeatable.",
)
@click.option("--project", metavar="ID", help="Project on Prolific for the study.")
@click.option(
    "--workspace", metavar="ID", help="Workspace on Prolific.  [default: the first of the account]"
)
@database_option
@dry_run_option
@print_outcome
def create(
    folder: Path,
    *,
    base_url: str,
    taskflow: bool,
    devices: tuple[str, ...],
    exclude_studies: tuple[str, ...],
    exclude_groups: tuple[str, ...],
    project: str | None,
    workspace: str | None,
    database: str | None,
    dry_run: bool,
) -> Outcome:
    """Create STUDY on Prolific, unpublished: nothing is paid and nobody is invited.

    Address, completion codes, places, reward, times and screeners follow from the study and its
    plan. The study is recorded in prolific.json; running the command again does not create a second
    one.
    """
    from rejudge.files.step_files import open_plan
    from rejudge.prolific.study import (
        CreationOptions,
        create_once,
        draft_study,
        mark_request,
        read_record,
        refuse_created,
    )

    check_base_url(base_url)
    study, plan = open_plan(folder)
    refuse_other_platform(study)
    refuse_created(folder, read_record(folder))
    options = CreationOptions(
        base_url=base_url,
        is_taskflow=taskflow,
        devices=devices,
        exclude_studies=exclude_studies,
        exclude_groups=exclude_groups,
        project=project,
        workspace=workspace,
    )
    now = datetime.now(UTC)
    with connect(dry_run=dry_run) as (api, session):
        _refuse_plain_http(base_url, session.api_url)
        site = _site_keys(folder, study, plan, database=database, is_dry_run=dry_run)
        draft = draft_study(api, study, plan, site=site, options=options, on=now.date())
        if dry_run:
            api.create_study(mark_request(draft.body, "…"))
            return dry_run_outcome(session, _draft_lines(draft))
        record = create_once(
            api, folder, draft, mark=os.urandom(6).hex(), base_url=session.api_url, now=now
        )
    return Outcome(_created_json(folder, record, draft), _created_lines(folder, record, draft))


@command.command("publish")
@folder_argument
@yes_option
@dry_run_option
@print_outcome
def publish(folder: Path, *, yes: bool, dry_run: bool) -> Outcome:
    """Publish STUDY, or resume it after a pause; asks first, since it commits money."""
    from rejudge.files.step_files import open_plan
    from rejudge.prolific.study import (
        action_to_open,
        open_to_participants,
        refuse_changed_plan,
        require_record,
        study_of,
    )

    record = require_record(folder)
    with connect(dry_run=dry_run) as (api, session):
        known = api.study(study_of(record))
        action = action_to_open(known.status)
        if action == "PUBLISH":
            refuse_changed_plan(record, open_plan(folder)[1])
        if action == "PUBLISH" and not dry_run:
            cost = api.study_cost(known.id)
            currency = known.currency_code or ""
            total = f"{currency} {cost.total_cost / 100:,.2f}".strip()
            places = known.total_available_places
            confirm_money(
                f"Publishing “{known.name}” commits {total} for {places} places.", is_sure=yes
            )
        record = open_to_participants(api, record, now=datetime.now(UTC))
        return _finish(folder, record, api, session if dry_run else None)


@command.command("pause")
@folder_argument
@dry_run_option
@print_outcome
def pause_(folder: Path, *, dry_run: bool) -> Outcome:
    """Pause STUDY: nobody new can start; people who have started can finish."""
    from rejudge.prolific.study import pause, require_record

    record = require_record(folder)
    with connect(dry_run=dry_run) as (api, session):
        record = pause(api, record, now=datetime.now(UTC))
        return _finish(folder, record, api, session if dry_run else None)


@command.command("close")
@folder_argument
@dry_run_option
@print_outcome
def close_(folder: Path, *, dry_run: bool) -> Outcome:
    """Stop STUDY permanently; submissions can still be reviewed and paid."""
    from rejudge.prolific.study import close, require_record

    record = require_record(folder)
    with connect(dry_run=dry_run) as (api, session):
        record = close(api, record, now=datetime.now(UTC))
        return _finish(folder, record, api, session if dry_run else None)


@command.command("status")
@folder_argument
@dry_run_option
@print_outcome
def status(folder: Path, *, dry_run: bool) -> Outcome:
    """Show the progress of STUDY on Prolific; changes nothing."""
    from rejudge.prolific.study import progress_of, require_record, study_of

    record = require_record(folder)
    with connect(dry_run=dry_run) as (api, session):
        found = progress_of(api, study_of(record))
    if dry_run:
        return dry_run_outcome(session)
    return Outcome(_progress_json(found), tuple(_progress_lines(found)))


def _finish(
    folder: Path, record: ProlificRecord, api: ProlificApi, dry: ApiSession | None
) -> Outcome:
    """Record what was done and show the state that the study has now; `dry` is of a dry run."""
    from rich.text import Text

    from rejudge.prolific.study import study_of, write_record

    if dry is not None:
        return dry_run_outcome(dry)
    write_record(folder, record)
    state = api.study(study_of(record)).status
    said = {"study": record.study, "status": state, "address": f"{_APP}/{record.study}"}
    return Outcome(said, (Text(f"The study is {state.lower()} on Prolific.", "bold"),))


# ── create ───────────────────────────────────────────────────────────────────────────────────────


def _refuse_plain_http(base_url: str, api_url: str) -> None:
    """Require TLS for real participants; a rehearsal on this machine does without."""
    from rejudge.prolific.client import BASE_URL

    if base_url.startswith("https://") or api_url != BASE_URL:
        return
    what = f"--base-url {base_url} is not an https address."
    raise UsageError(Problem(what, "Put a server with TLS in front of the site."))


def _site_keys(
    folder: Path, study: Study, plan: Plan, *, database: str | None, is_dry_run: bool
) -> SiteKeys:
    """What the site shows and signs with; a dry run does not create a database for it."""
    from rejudge.prolific.study import SiteKeys
    from rejudge.store.store import open_existing, open_store

    place = database_of(folder, database)
    if is_dry_run and database is None and not Path(place).exists():
        return SiteKeys(_planned_codes(study))
    if is_dry_run:
        store = open_existing(place, study, plan)
    else:
        store = open_store(place, study, plan, now=datetime.now(UTC))
        note_database(folder, database)
    try:
        return SiteKeys(store.codes, store.secret)
    finally:
        store.close()


def _planned_codes(study: Study) -> Codes:
    """The codes that the study gives; instead of others, what they are for."""
    from rejudge.collect.submissions import can_screen_out, rejecting_checks

    given = study.spec.site.codes
    needed = {
        "completed": True,
        "declined": True,
        "full": True,
        "screened_out": can_screen_out(study),
        "failed_checks": bool(rejecting_checks(study)),
    }
    shown = {
        name: getattr(given, name) or f"({name}, random)"
        for name, is_needed in needed.items()
        if is_needed
    }
    return given.model_copy(update=shown)


def _created_json(folder: Path, record: ProlificRecord, draft: StudyDraft) -> dict[str, Any]:
    offer = draft.offer
    return {
        "study": record.study,
        "status": record.actions[-1].status,
        "address": f"{_APP}/{record.study}",
        "places": offer.places,
        "reward": offer.reward,
        "currency": offer.currency,
        "minutes": offer.minutes,
        "maximum_minutes": draft.body["maximum_allowed_time"],
        "eligible": draft.eligible,
        "screeners": [{"title": e.title, "meaning": e.meaning} for e in draft.screeners],
        "submissions_per_participant": offer.submissions,
        "screen_out": _screen_out_json(offer),
        "notes": list(draft.notes),
        "written": [str(folder / "prolific.json")],
        "next": [f"rejudge prolific publish {folder}"],
    }


def _screen_out_json(offer: Offer) -> dict[str, int] | None:
    paid = offer.screen_out
    return None if paid is None else {"reward": paid.reward, "places": paid.places}


def _created_lines(
    folder: Path, record: ProlificRecord, draft: StudyDraft
) -> tuple[RenderableType, ...]:
    from rich.text import Text

    return (
        Text("The study is on Prolific, unpublished.", "bold"),
        f"{_APP}/{record.study}",
        *_draft_lines(draft),
        Text(f"Written: {folder / 'prolific.json'}"),
        Text("Look at it there, start the site, and then run:"),
        f"  rejudge prolific publish {folder}",
    )


def _draft_lines(draft: StudyDraft) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    offer = draft.offer
    paid = f"{offer.currency} {offer.reward / 100:.2f}"
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    hourly = f"{offer.currency} {int(offer.hourly) / 100:.2f} an hour"
    table.add_row("places", str(offer.places))
    table.add_row("reward", f"{paid} for {offer.minutes} minutes ({hourly})")
    for each in draft.screeners:
        table.add_row(each.title, each.meaning)
    table.add_row("eligible", f"{draft.eligible:,} participants")
    return (table, *(Text(note, "yellow") for note in draft.notes))


# ── status ───────────────────────────────────────────────────────────────────────────────────────


def _progress_json(found: StudyProgress) -> dict[str, Any]:
    study, cost = found.study, found.cost
    return {
        "study": study.id,
        "status": study.status,
        "places": study.total_available_places,
        "places_taken": study.places_taken,
        "submissions": dict(found.counts),
        "currency": study.currency_code,
        "reward": study.reward,
        "cost": {"rewards": cost.rewards, "fees": cost.fees, "vat": cost.vat},
        "total_cost": cost.total_cost,
        "addresses": [
            {"address": each.external_url, "allocated": each.allocated, "open": each.open}
            for each in found.urls
        ],
    }


def _progress_lines(found: StudyProgress) -> Iterator[RenderableType]:
    from rich.text import Text

    from rejudge.prolific.study import batch_of_url

    study = found.study
    taken = "" if study.places_taken is None else f"{study.places_taken} of "
    places = f"{taken}{study.total_available_places} places taken"
    yield Text(f"{study.name}: {study.status.lower()}, {places}", "bold")
    present = {name: number for name, number in found.counts.items() if number}
    if present:
        counted = [(name.lower(), number) for name, number in present.items()]
        yield _counts_table(("submissions", "number"), counted)
    else:
        yield Text("Nobody has started yet.")
    currency = study.currency_code or ""
    yield Text(f"All places cost {currency} {found.cost.total_cost / 100:,.2f} with fees and tax.")
    if found.urls:
        urls = [(batch_of_url(each.external_url), each.allocated, each.open) for each in found.urls]
        yield _counts_table(("address for", "allocated", "open"), urls)


def _counts_table(heads: Sequence[str], rows: Sequence[tuple[object, ...]]) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(str, row))
    return table


for _each in (*prolific_submissions.COMMANDS, replace, bonus, rehearse):
    command.add_command(_each)
