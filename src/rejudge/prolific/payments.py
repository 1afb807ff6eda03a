"""Bonuses: who is owed what, and a record that keeps anybody from being paid twice.

Prolific pays a bonus again if the request is sent again. So each payment goes through four states,
and the record is written before every step: planned → set up → paying → paid. A payment that is
found in the state `paying` may or may not have been carried out; only a person can find out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from pydantic import TypeAdapter, ValidationError

from rejudge.errors import DataError, FileError, Problem
from rejudge.files.disk import write_bytes
from rejudge.incoming import TEXT_BYTES, read_bytes
from rejudge.prolific import replies
from rejudge.spreadsheet import csv_rows

PAYMENTS = "prolific-payments.json"
State: TypeAlias = Literal["planned", "set up", "paying", "paid"]
_CENT = Decimal("0.01")
_AMOUNT = re.compile(r"\d{1,6}(\.\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class BonusPayment:
    """Bonuses that are paid together, by pseudonym, in whole units of the currency."""

    id: str  # what they are for, such as "top-up 2026-11-17"; each is paid once
    amounts: Mapping[str, Decimal]
    state: State = "planned"
    batches: tuple[str, ...] = ()  # Prolific's ids of what was set up; no id of a person
    paid: tuple[str, ...] = ()  # those of the batches that were paid

    @property
    def total(self) -> Decimal:
        """What all of them get together, without fees."""
        return sum(self.amounts.values(), Decimal(0))


@dataclass(frozen=True, slots=True)
class PaymentRecord:
    """All bonuses of a study, paid or not."""

    payments: tuple[BonusPayment, ...]
    format: Literal[1] = 1

    def find(self, name: str) -> BonusPayment | None:
        """The payment of that id."""
        return next((each for each in self.payments if each.id == name), None)

    def with_payment(self, payment: BonusPayment) -> PaymentRecord:
        """The record with this payment instead of the one of the same id, else at the end."""
        if self.find(payment.id) is None:
            return PaymentRecord((*self.payments, payment))
        return PaymentRecord(
            tuple(payment if each.id == payment.id else each for each in self.payments)
        )

    def paid_to(self, participant: str) -> Decimal:
        """What somebody got in bonuses."""
        paid = [each for each in self.payments if each.state == "paid"]
        return sum((each.amounts.get(participant, Decimal(0)) for each in paid), Decimal(0))


class BonusApi(Protocol):
    """As much of the API as bonuses need."""

    def set_up_bonuses(
        self, study: str, amounts: Mapping[str, Decimal]
    ) -> list[replies.BonusBatch]:
        """Set up bonuses, in whole units; nothing is paid yet."""

    def pay_bonuses(self, batch: str) -> None:
        """Pay what was set up, once."""


def top_ups(
    amount: Decimal, finished: Mapping[str, int], record: PaymentRecord
) -> dict[str, Decimal]:
    """What everybody is still owed: `amount` for each reward they got, less bonuses for it.

    `finished`: how many rewards each participant got.
    """
    owed = {
        name: (amount * rewards - record.paid_to(name)).quantize(_CENT)
        for name, rewards in finished.items()
    }
    return {name: each for name, each in owed.items() if each > 0}


def read_bonuses(content: bytes, *, known: Sequence[str], file: str) -> dict[str, Decimal]:
    """Read a table with the columns `participant` (a pseudonym) and `amount`, such as 1.50."""
    try:
        rows = csv_rows(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise FileError(Problem("this is not UTF-8.", "Save it as UTF-8.", file=file)) from None
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    if not {"participant", "amount"} <= set(head):
        remedy = "The first line must be: participant,amount"
        raise FileError(Problem("a column is missing.", remedy, file=file, line=1))
    who, how_much = head.index("participant"), head.index("amount")
    found: dict[str, Decimal] = {}
    problems = []
    for line, row in enumerate(rows[1:], start=2):
        cells = [*row, *[""] * len(head)]
        name, text = cells[who].strip(), cells[how_much].strip()
        if not name and not text:
            continue
        problem = _fault(name, text, known=known, seen=found)
        if problem is not None:
            problems.append(replace(problem, file=file, line=line))
        else:
            found[name] = Decimal(text)
    if problems:
        raise FileError.of(problems)
    if not found:
        raise FileError(Problem("nobody is listed.", "Add a line for each person.", file=file))
    return found


def _fault(
    name: str, text: str, *, known: Sequence[str], seen: Mapping[str, Decimal]
) -> Problem | None:
    if name not in known:
        return Problem(f"{name or 'nobody'} did not finish this study.", "Use a pseudonym.")
    if name in seen:
        return Problem(f"{name} is listed twice.", "Add the amounts, and list each person once.")
    if not _AMOUNT.fullmatch(text) or Decimal(text) == 0:
        return Problem(f"“{text}” is not an amount.", "Write it as in 1.50, without a currency.")
    return None


def pay(
    payment: BonusPayment,
    api: BonusApi,
    study: str,
    *,
    persons: Mapping[str, str],
    keep: Callable[[BonusPayment], None],
) -> BonusPayment:
    """Set up and pay bonuses. `persons`: the platform's id of each pseudonym.

    `keep` writes the record before each step. Raises a DataError where it cannot be known whether
    somebody was paid.
    """
    refuse_unclear(payment)
    gone = sorted(set(payment.amounts) - set(persons))
    if gone:
        what = f"{gone[0]} is no longer known, so nobody can be paid for “{payment.id}”."
        raise DataError(Problem(what, "The person may have withdrawn. Make a new payment."))
    if payment.state == "planned":
        keep(payment)
        amounts = {persons[name]: amount for name, amount in payment.amounts.items()}
        set_up = api.set_up_bonuses(study, amounts)
        payment = replace(payment, state="set up", batches=tuple(each.id for each in set_up))
        keep(payment)
    for batch in payment.batches:
        if batch in payment.paid:
            continue
        payment = replace(payment, state="paying")
        keep(payment)
        api.pay_bonuses(batch)
        payment = replace(payment, state="set up", paid=(*payment.paid, batch))
        keep(payment)
    payment = replace(payment, state="paid")
    keep(payment)
    return payment


def refuse_unclear(payment: BonusPayment) -> None:
    """Stop where a payment may have been carried out, or was."""
    if payment.state == "paid":
        what = f"“{payment.id}” has already been paid."
        raise DataError(Problem(what, "Give another name if this is a new payment."))
    if payment.state == "paying":
        raise DataError(
            Problem(
                f"“{payment.id}” was interrupted while it was being paid.",
                "Look at the study's bonuses on Prolific. Then say what you found: "
                "rejudge prolific bonus STUDY --was-paid NAME, or --was-not-paid NAME.",
            )
        )


def refuse_others_unfinished(record: PaymentRecord, name: str) -> None:
    """Stop where another payment was begun: it may be for the same work."""
    begun = [e for e in record.payments if e.id != name and e.state in {"set up", "paying"}]
    if begun:
        what = f"“{begun[0].id}” was started but not finished."
        remedy = f"Finish it first, with --name “{begun[0].id}”, or say whether it was paid."
        raise DataError(Problem(what, remedy))


def resolve(payment: BonusPayment, *, was_paid: bool) -> BonusPayment:
    """The payment after a person has looked whether its open batch was paid."""
    if payment.state != "paying":
        what = f"“{payment.id}” is {payment.state}; there is nothing to clear up."
        raise DataError(Problem(what))
    open_batch = next(each for each in payment.batches if each not in payment.paid)
    paid = (*payment.paid, open_batch) if was_paid else payment.paid
    is_done = len(paid) == len(payment.batches)
    return replace(payment, paid=paid, state="paid" if is_done else "set up")


def read_record(folder: Path) -> PaymentRecord:
    """The record of a study folder; an empty one where nothing was paid."""
    path = folder / PAYMENTS
    if not path.exists():
        return PaymentRecord(())
    content = read_bytes(path, remedy="Restore it from a copy.", limit=TEXT_BYTES)
    try:
        return _adapter().validate_json(content)
    except ValidationError:
        remedy = "Restore it from a copy: it keeps people from being paid twice."
        raise FileError(Problem("this record cannot be read.", remedy, file=str(path))) from None


def write_record(folder: Path, record: PaymentRecord) -> None:
    """Write the record of a study folder."""
    content = _adapter().dump_json(record, indent=2) + b"\n"
    write_bytes(folder / PAYMENTS, content, force=True)


@cache
def _adapter() -> TypeAdapter[PaymentRecord]:
    return TypeAdapter(PaymentRecord)
