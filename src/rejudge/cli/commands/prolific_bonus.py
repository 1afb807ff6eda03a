"""rejudge prolific bonus: top-ups to the promised hourly rate, and amounts from a table."""

from __future__ import annotations

from decimal import Decimal
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
    yes_option,
)
from rejudge.english import count
from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from rejudge.prolific.submissions import BonusPayment, PaymentRecord


@click.command("bonus")
@folder_argument
@click.option("--top-up", is_flag=True, help="Pay what is missing from the promised hourly rate.")
@click.option(
    "--file",
    "table",
    metavar="CSV",
    type=click.Path(path_type=Path),
    help="Pay the amounts in a table with the columns participant and amount.",
)
@click.option("--name", help="What the payment is for; each name is paid once.")
@click.option("--was-paid", metavar="NAME", help="Record that an interrupted payment was made.")
@click.option(
    "--was-not-paid", metavar="NAME", help="Record that an interrupted payment was not made."
)
@database_option
@yes_option
@dry_run_option
@print_outcome
def bonus(
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
    from rejudge.prolific.submissions import (
        pay,
        read_record,
        refuse_others_unfinished,
        refuse_unclear,
        write_record,
    )

    record = read_record(folder)
    if was_paid or was_not_paid:
        return _resolve(folder, record, was_paid or was_not_paid or "", was_paid=bool(was_paid))
    with open_created(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        payment = _plan_payment(opened, record, top_up=top_up, table=table, name=name)
        if payment is None and dry_run:
            return dry_run_outcome(session)
        if payment is None:
            return Outcome(
                {"paid": None},
                ("Everybody was paid at least the promised hourly rate. Nothing is owed.",),
            )
        refuse_unclear(payment)
        refuse_others_unfinished(record, payment.id)
        persons = opened.sessions()
        if dry_run:
            pay(payment, api, opened.id, persons=persons, keep=lambda _: None)
            return dry_run_outcome(session)
        people = count(len(payment.amounts), "participant")
        confirm_money(f"This pays {payment.total:,.2f} to {people}, before fees.", is_sure=yes)

        def keep(state: BonusPayment) -> None:
            write_record(folder, record.with_payment(state))

        paid = pay(payment, api, opened.id, persons=persons, keep=keep)
    said = {"paid": paid.id, "participants": len(paid.amounts), "total": str(paid.total)}
    return Outcome(said, (f"Paid {paid.total:,.2f} to {people}: “{paid.id}”.",))


def _plan_payment(
    opened: OpenStudy,
    record: PaymentRecord,
    *,
    top_up: bool,
    table: Path | None,
    name: str | None,
) -> BonusPayment | None:
    """The payment that is asked for; None if nobody is owed anything."""
    from rejudge.incoming import read_bytes
    from rejudge.prolific.submissions import BonusPayment, read_bonuses

    if top_up == (table is not None):
        raise UsageError(Problem("say what to pay.", "Give either --top-up or --file CSV."))
    if table is not None:
        key = name or f"{table.stem} {now_utc().date().isoformat()}"
        finished = list(_rewards(opened))
        content = read_bytes(table, remedy="Give a CSV file.")
        amounts = read_bonuses(content, known=finished, file=str(table))
    else:
        key = name or f"top-up {now_utc().date().isoformat()}"
        amounts = _amounts_owed(opened, record)
    known = record.find(key)
    if known is None or known.state == "planned":  # nothing was set up: what is asked now counts
        return BonusPayment(key, amounts) if amounts else None
    if known.state == "paid" and not amounts:
        return None
    if known.state != "paid" and table is not None and known.amounts != amounts:
        what = f"“{key}” was set up with other amounts than {table} has now."
        raise DataError(
            Problem(what, "Restore the table, finish that payment, then make a new one.")
        )
    return known


def _amounts_owed(opened: OpenStudy, record: PaymentRecord) -> dict[str, Decimal]:
    """What everybody is owed to the promised hourly rate, by the median time."""
    from rejudge.collect.assignment import earned_by_clock
    from rejudge.design.pay import quote_price
    from rejudge.prolific.submissions import top_ups

    quoted = quote_price(opened.study, opened.plan, on=opened.store.registered_on)
    earned = earned_by_clock(quoted, opened.plan, opened.store.people(now=now_utc()))
    if earned is None or earned.top_up is None:
        return {}
    return top_ups(earned.top_up, _rewards(opened), record)


def _rewards(opened: OpenStudy) -> dict[str, int]:
    """How many rewards each participant who finished gets: one for each batch, at least one."""
    from rejudge.collect.assignment import has_finished, stint

    finished = [each for each in opened.store.people(now=now_utc()) if has_finished(each)]
    known = opened.sessions()
    return {
        each.participant: max(1, stint(each, opened.plan, each.wall_minutes).batches)
        for each in finished
        if each.participant in known
    }


def _resolve(folder: Path, record: PaymentRecord, name: str, *, was_paid: bool) -> Outcome:
    from rejudge.prolific.submissions import resolve, write_record

    payment = record.find(name)
    if payment is None:
        known = ", ".join(each.id for each in record.payments) or "none"
        raise UsageError(Problem(f"there is no payment “{name}”.", f"Known: {known}."))
    cleared = resolve(payment, was_paid=was_paid)
    write_record(folder, record.with_payment(cleared))
    return Outcome({"payment": name, "state": cleared.state}, (f"“{name}” is {cleared.state}.",))
