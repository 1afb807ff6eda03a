"""rejudge prolific pool, sync, approve, bonus and demographics: who takes part, and their pay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_option, open_existing_store
from rejudge.cli.prolific_session import (
    confirm_money,
    connect,
    dry_run_option,
    dry_run_outcome,
    folder_argument,
    render_quadrants,
    small_table,
    yes_option,
)
from rejudge.english import count
from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.collect import ReconciledVisit
    from rejudge.design import Plan
    from rejudge.prolific.payments import BonusPayment, PaymentRecord
    from rejudge.prolific.review import Review
    from rejudge.prolific.sync import Reconciliation
    from rejudge.store import Store
    from rejudge.study import Study

_SHOWN = 30  # visits in a table; --json has all
_ID_END = 6  # characters of a submission's id that tell it apart on the screen


@dataclass(frozen=True, slots=True)
class _OpenStudy:
    """A study that is on Prolific, with what was collected for it."""

    folder: Path
    study: Study
    plan: Plan
    store: Store
    id: str  # the platform's


@contextmanager
def _open(folder: Path, database: str | None) -> Iterator[_OpenStudy]:
    from rejudge.prolific import require_record, study_of

    record = require_record(folder)
    study, plan, store = open_existing_store(folder, database)
    try:
        yield _OpenStudy(folder, study, plan, store, study_of(record))
    finally:
        store.close()


def _now() -> datetime:
    return datetime.now(UTC)


@click.command("pool")
@folder_argument
@print_outcome
def pool(folder: Path) -> Outcome:
    """Show how many people on Prolific meet the screeners of the study in DIR, one by one added."""
    from rejudge.files import open_study
    from rejudge.prolific import resolve_screeners

    study = open_study(folder)
    with connect(dry_run=False) as (api, _):
        screeners = resolve_screeners(study.spec.recruitment, api.filters())
        filters = [each.filter for each in screeners]
        numbers = [api.count_eligible(filters[:place]) for place in range(len(filters) + 1)]
    names = ["everybody", *(f"{each.title}: {each.meaning}" for each in screeners)]
    counts = list(zip(names, numbers, strict=True))
    said = {
        "eligible": numbers[-1],
        "screeners": [{"screener": name, "eligible": number} for name, number in counts],
    }
    return Outcome(said, small_table("Eligible participants", ["screener", "eligible"], counts))


@click.command("sync")
@folder_argument
@database_option
@print_outcome
def sync(folder: Path, *, database: str | None) -> Outcome:
    """Ask Prolific about all submissions: free the places of people who are gone.

    Shows our data beside their submissions: complete in both, in one of them, or in neither, with
    what to do about each visit that needs a decision. A running site does the same by itself.
    """
    from rejudge.prolific.sync import poll

    with _open(folder, database) as opened, connect(dry_run=False) as (api, _):
        found = poll(opened.store, api, opened.id, now=_now)
    return Outcome(_sync_json(found), _render_sync(found))


def _sync_json(found: Reconciliation) -> dict[str, Any]:  # JSON of several shapes
    return {
        "freed": found.freed,
        "counts": dict(found.counts()),
        "visits": [
            {
                "participant": each.participant,
                "submission": _short(each),
                "quadrant": each.quadrant,
                "submission_status": each.said,
                "batches": list(each.statuses),
                "code": each.code,
                "advice": each.advice,
            }
            for each in found.visits
        ],
    }


def _render_sync(found: Reconciliation) -> tuple[RenderableType, ...]:
    from rich.text import Text

    undecided = [each for each in found.visits if _needs_decision(each)]
    rows = [
        [each.participant or "–", _short(each) or "–", each.said or "not known", each.advice]
        for each in undecided[:_SHOWN]
    ]
    heads = ["participant", "submission", "on Prolific", "what to do"]
    more = len(undecided) - _SHOWN
    return (
        Text(f"{count(found.freed, 'place')} became free.", "bold"),
        *render_quadrants(found),
        *(small_table("To be decided", heads, rows) if rows else ()),
        *((Text(f"… and {more} more; --json lists all."),) if more > 0 else ()),
    )


def _needs_decision(visit: ReconciledVisit) -> bool:
    settled = ("Nothing to do.", "At work.", "Left; no place is held.", "Approve.")
    return visit.advice not in settled


def _short(visit: ReconciledVisit) -> str | None:
    """The end of a submission's id: enough to find it on Prolific, too little to publish it."""
    return None if visit.session is None else f"…{visit.session[-_ID_END:]}"


# ── approve ──────────────────────────────────────────────────────────────────────────────────────


@click.command("approve")
@folder_argument
@click.option(
    "--reject",
    "to_reject",
    metavar="PARTICIPANT",
    multiple=True,
    help="Reject a participant instead, where Prolific's rules allow it. Can be repeated.",
)
@database_option
@yes_option
@dry_run_option
@print_outcome
def approve(
    folder: Path, *, to_reject: tuple[str, ...], database: str | None, yes: bool, dry_run: bool
) -> Outcome:
    """Approve all submissions that are complete, which pays them; asks first.

    Approval is about pay. Which data count is decided by the exclusion rules of the study. Failed
    gold items never justify a rejection; other reasons are checked against Prolific's rules.
    """
    from rejudge.prolific.sync import poll

    with _open(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        found = poll(opened.store, api, opened.id, now=_now)
        reviews = {each.work.participant: each for each in _review(opened)}
        rejected = [_may_reject(name, reviews) for name in to_reject]
        due = {
            each.participant or _short(each): each.session
            for each in found.visits
            if each.said == "submitted"
            and each.session is not None
            and (each.quadrant == "both" or each.code == "full")
            and each.participant not in to_reject
        }
        reward = api.study(opened.id).reward or 0
        if (due or rejected) and not dry_run:
            words = (
                f"Approving {count(len(due), 'submission')} pays {reward * len(due) / 100:,.2f} "
                f"in rewards, before fees. {count(len(rejected), 'submission')} will be rejected."
            )
            confirm_money(words, is_sure=yes)
        if due:
            api.approve(list(due.values()))
        sessions = {each.participant: each.session for each in found.visits}
        for each in rejected:
            _reject(api, each, sessions[each.work.participant])
        if dry_run:
            return dry_run_outcome(session.kept)
        waiting = sum(each.said == "submitted" for each in found.visits) - len(due) - len(rejected)
    return _report_approval(list(due), rejected, waiting)


def _review(opened: _OpenStudy) -> tuple[Review, ...]:
    """Everybody's work against Prolific's rules for rejections."""
    from rejudge.collect import has_finished
    from rejudge.design import estimate
    from rejudge.prolific.review import ReviewedWork, failed_checks, review_all
    from rejudge.store import judgments_of

    failed = failed_checks(opened.study, opened.plan, judgments_of(opened.store))
    works = [
        ReviewedWork(
            person.participant,
            is_complete=has_finished(person),
            minutes=person.wall_minutes,
            failed_fair=failed.get(person.participant, (0, 0))[0],
            failed_gold=failed.get(person.participant, (0, 0))[1],
        )
        for person in opened.store.people(now=_now())
    ]
    return review_all(works, expected_minutes=estimate(opened.study, opened.plan).minutes)


def _may_reject(name: str, reviews: Mapping[str, Review]) -> Review:
    if name not in reviews:
        raise UsageError(Problem(f"there is no participant {name}.", "Use a pseudonym: p0001."))
    found = reviews[name]
    if not found.may_reject:
        what = f"{name} cannot be rejected by Prolific's rules. {found.reason}"
        raise UsageError(Problem(what, "Approve them; exclude their data if your rules say so."))
    return found


def _reject(api: Any, review: Review, session: str | None) -> None:  # ProlificApi
    if session is None or review.message is None or review.category is None:
        what = f"{review.work.participant} has no submission that could be rejected."
        raise DataError(Problem(what))
    api.reject(session, message=review.message, category=review.category)


def _report_approval(
    approved: Sequence[str | None], rejected: Sequence[Review], waiting: int
) -> Outcome:
    from rich.text import Text

    said = {
        "approved": len(approved),
        "rejected": [
            {"participant": each.work.participant, "reason": each.reason} for each in rejected
        ],
        "waiting": waiting,
    }
    lines = [f"{each.work.participant} rejected: {each.reason}" for each in rejected]
    if waiting:
        lines.append(f"{count(waiting, 'submission')} need a decision: rejudge prolific sync.")
    title = Text(f"{count(len(approved), 'submission')} approved.", "bold")
    return Outcome(said, (title, *map(Text, lines)))


# ── bonus ────────────────────────────────────────────────────────────────────────────────────────


@click.command("bonus")
@folder_argument
@click.option("--top-up", is_flag=True, help="Pay what is missing to the promised hourly rate.")
@click.option(
    "--file",
    "table",
    metavar="CSV",
    type=click.Path(path_type=Path),
    help="Pay the amounts in a table with the columns participant and amount.",
)
@click.option("--name", help="What the payment is for; each name is paid once.")
@click.option("--was-paid", metavar="NAME", help="An interrupted payment was carried out.")
@click.option("--was-not-paid", metavar="NAME", help="An interrupted payment was not carried out.")
@database_option
@yes_option
@dry_run_option
@print_outcome
def bonus(  # noqa: PLR0913 - one for each option
    folder: Path,
    *,
    top_up: bool,
    table: Path | None,
    name: str | None,
    was_paid: str | None,
    was_not_paid: str | None,
    database: str | None,
    yes: bool,
    dry_run: bool,
) -> Outcome:
    """Pay bonuses: a top-up to the promised hourly rate, or the amounts in a table; asks first.

    Payments are recorded in prolific-payments.json before each step, so that nobody is paid twice.
    """
    from rejudge.prolific.payments import pay, read_record, refuse_unclear, write_record

    record = read_record(folder)
    if was_paid or was_not_paid:
        return _resolve(folder, record, was_paid or was_not_paid or "", was_paid=bool(was_paid))
    with _open(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        payment = _plan_payment(opened, record, top_up=top_up, table=table, name=name)
        if payment is None:
            return Outcome({"paid": None}, ("The promised hourly rate is kept: nothing is owed.",))
        refuse_unclear(payment)
        persons = {each.participant: each.session for each in opened.store.identities()}
        if dry_run:
            pay(payment, api, opened.id, persons=persons, keep=lambda _: None)
            return dry_run_outcome(session.kept)
        people = count(len(payment.amounts), "participant")
        confirm_money(f"This pays {payment.total:,.2f} to {people}, before fees.", is_sure=yes)

        def keep(state: BonusPayment) -> None:
            write_record(folder, record.with_payment(state))

        paid = pay(payment, api, opened.id, persons=persons, keep=keep)
    said = {"paid": paid.id, "participants": len(paid.amounts), "total": str(paid.total)}
    return Outcome(said, (f"Paid {paid.total:,.2f} to {people}: “{paid.id}”.",))


def _plan_payment(
    opened: _OpenStudy,
    record: PaymentRecord,
    *,
    top_up: bool,
    table: Path | None,
    name: str | None,
) -> BonusPayment | None:
    """The payment that is asked for; None if nobody is owed anything."""
    from rejudge.incoming import read_bytes
    from rejudge.prolific.payments import BonusPayment, read_bonuses

    if top_up == (table is not None):
        raise UsageError(Problem("say what to pay.", "Give either --top-up or --file CSV."))
    if table is not None:
        key = name or f"{table.stem} {_now().date().isoformat()}"
        finished = list(_rewards(opened))
        content = read_bytes(table, remedy="Give a CSV file.")
        amounts = read_bonuses(content, known=finished, file=str(table))
    else:
        key = name or f"top-up {_now().date().isoformat()}"
        amounts = _amounts_owed(opened, record)
    known = record.find(key)
    if known is not None and known.state != "paid":
        return known
    if not amounts:
        return None
    return known or BonusPayment(key, amounts)


def _amounts_owed(opened: _OpenStudy, record: PaymentRecord) -> dict[str, Decimal]:
    """What everybody is owed to the promised hourly rate, by the median time."""
    from rejudge.collect import earned_by_clock
    from rejudge.design import quote
    from rejudge.prolific.payments import top_ups

    quoted = quote(opened.study, opened.plan, on=opened.store.registered_on)
    earned = earned_by_clock(quoted, opened.plan, opened.store.people(now=_now()))
    if earned is None or earned.top_up is None:
        return {}
    return top_ups(earned.top_up, _rewards(opened), record)


def _rewards(opened: _OpenStudy) -> dict[str, int]:
    """How many rewards each participant who finished gets."""
    from rejudge.collect import has_finished

    finished = [each for each in opened.store.people(now=_now()) if has_finished(each)]
    return {each.participant: 1 for each in finished}


def _resolve(folder: Path, record: PaymentRecord, name: str, *, was_paid: bool) -> Outcome:
    from rejudge.prolific.payments import resolve, write_record

    payment = record.find(name)
    if payment is None:
        known = ", ".join(each.id for each in record.payments) or "none"
        raise UsageError(Problem(f"there is no payment “{name}”.", f"Known: {known}."))
    cleared = resolve(payment, was_paid=was_paid)
    write_record(folder, record.with_payment(cleared))
    return Outcome({"payment": name, "state": cleared.state}, (f"“{name}” is {cleared.state}.",))


# ── demographics ─────────────────────────────────────────────────────────────────────────────────


@click.command("demographics")
@folder_argument
@database_option
@click.option("--force", is_flag=True, help="Overwrite an earlier table.")
@print_outcome
def demographics(folder: Path, *, database: str | None, force: bool) -> Outcome:
    """Fetch what participants told Prolific about themselves, by pseudonym.

    Writes demographics.csv without ids of the platform. Ages are grouped. `rejudge analyse` adds
    the counts to the profile of participants; the table itself is never part of a bundle.
    """
    from rejudge.files import write_bytes
    from rejudge.platforms import DEMOGRAPHICS
    from rejudge.prolific.demographics import join_demographics

    with _open(folder, database) as opened, connect(dry_run=False) as (api, _):
        content = api.demographics(opened.id)
        pseudonyms = {each.session: each.participant for each in opened.store.identities()}
    found = join_demographics(content, pseudonyms=pseudonyms)
    write_bytes(folder / DEMOGRAPHICS, found.to_csv(), force=force)
    distributions = {name: found.distribution(name) for name in found.columns}
    said = {
        "written": str(folder / DEMOGRAPHICS),
        "participants": len(found.rows),
        "missing": list(found.missing),
        "columns": {name: dict(counts) for name, counts in distributions.items()},
    }
    tables = [
        part
        for name, counts in distributions.items()
        for part in small_table(name, ["answer", "participants"], counts)
    ]
    end = f"Written: {folder / DEMOGRAPHICS}"
    return Outcome(said, (*tables, end))


COMMANDS: tuple[click.Command, ...] = (pool, sync, approve, bonus, demographics)
