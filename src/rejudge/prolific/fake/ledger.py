"""The account's money, in pence or cents: what was paid in and every payment since."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from rejudge.prolific.fake.records import (
    FakeBonusPayment,
    FakeSubmission,
    LedgerEntry,
    PaymentKind,
)

FEE: Final = Fraction(1, 3)
VAT: Final = Fraction(1, 5)  # on the fee
RATES: Final = {"GBP": (600, 900), "USD": (800, 1200)}  # minimum and recommended pay for an hour


@dataclass(slots=True)
class FakeLedger:
    """All payments of an account."""

    currency: str
    deposit: int
    entries: list[LedgerEntry] = field(default_factory=list)
    bonus_payments: dict[str, FakeBonusPayment] = field(default_factory=dict)

    @property
    def balance(self) -> int:
        """What is left of the deposit."""
        return self.deposit - sum(entry.total for entry in self.entries)

    def pay(self, kind: PaymentKind, submission: FakeSubmission, amount: int) -> None:
        """Pay a participant, with fee and tax on top."""
        fee, vat = charges(amount)
        self.entries.append(
            LedgerEntry(
                kind, submission.study, submission.participant, submission.id, amount, fee, vat
            )
        )

    def pay_bonuses(self, payment: FakeBonusPayment) -> None:
        """Pay bonuses; as on the real platform, a second request pays a second time."""
        payment.times_paid += 1
        for submission, amount in payment.lines:
            submission.bonuses.append(amount)
            self.pay("bonus", submission, amount)


def cost_of(rewards: int) -> dict[str, int]:
    """Rewards with fee and tax, as the API tells it."""
    fee, vat = charges(rewards)
    return {"rewards": rewards, "fees": fee, "vat": vat, "total_cost": rewards + fee + vat}


def charges(amount: int) -> tuple[int, int]:
    """Fee and tax on an amount."""
    fee = round(amount * FEE)
    return fee, round(fee * VAT)
