"""What the fake Prolific keeps: its panel, studies, submissions and money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from rejudge.prolific.replies import StudyStatus, SubmissionStatus

PaymentKind: TypeAlias = Literal["reward", "screen-out", "bonus"]
NO_CODE = "NOCODE"  # what a list shows for a submission without a code
FEE: Final = Fraction(1, 3)
VAT: Final = Fraction(1, 5)  # on the fee
RATES: Final = {"GBP": (600, 900), "USD": (800, 1200)}  # minimum and recommended pay for an hour


class FakeRefusal(Exception):  # noqa: N818 - what the platform does
    """The platform refuses a request or what a participant wants to do."""

    def __init__(self, detail: str | Mapping[str, list[str]], *, status: int = 400) -> None:
        super().__init__(str(detail))
        self.detail = detail
        self.status = status


@dataclass(frozen=True, slots=True)
class FakeFault:
    """A planned failure: requests to such addresses get this status instead of their reply."""

    status: int
    path: str = ""  # the end of the address; every address when empty
    is_carried_out: bool = False  # the request takes effect all the same, only the reply is lost


@dataclass(frozen=True, slots=True)
class PanelMember:
    """Somebody who could take part."""

    id: str
    answers: Mapping[str, str]  # columns of the demographic export
    has_expired_data: bool = False


@dataclass(slots=True)
class TaskflowUrl:
    """One address of a Taskflow study."""

    url: str
    allocation: int
    increments: int = 0


@dataclass(slots=True)
class FakeStudy:
    """A study, with the body it was created with."""

    id: str
    body: dict[str, Any]  # as the API takes it
    created_at: datetime
    status: StudyStatus = "UNPUBLISHED"
    published_at: datetime | None = None
    is_stopped: bool = False
    urls: list[TaskflowUrl] = field(default_factory=list)

    @property
    def places(self) -> int:
        """How many people can take part."""
        return int(self.body["total_available_places"])

    @property
    def reward(self) -> int:
        """Pence or cents for a submission."""
        return int(self.body["reward"])

    def code(self, entered: str) -> Mapping[str, Any] | None:
        """The completion code somebody entered; None: there is no such code."""
        codes = self.body.get("completion_codes", ())
        return next((each for each in codes if each["code"] == entered), None)


@dataclass(slots=True)
class FakeSubmission:
    """One participant in one study."""

    id: str
    participant: str
    study: str
    status: SubmissionStatus
    reserved_at: datetime
    url: str  # where they are sent, before its placeholders are filled
    started_at: datetime | None = None
    completed_at: datetime | None = None
    reviewed_at: datetime | None = None
    entered_code: str | None = None
    return_requested: datetime | None = None
    is_surplus: bool = False  # came back (or finished late) when the place was somebody else's
    bonuses: list[int] = field(default_factory=list)
    rejection: str | None = None

    @property
    def seconds(self) -> float | None:
        """From start to completion."""
        if self.started_at is None or self.completed_at is None:
            return None
        return (self.completed_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Money that left the account, in pence or cents."""

    kind: PaymentKind
    study: str
    participant: str
    submission: str
    amount: int
    fee: int
    vat: int

    @property
    def total(self) -> int:
        """With fee and tax."""
        return self.amount + self.fee + self.vat


@dataclass(slots=True)
class FakeBonusPayment:
    """Bonuses that were set up; `times_paid` above 1 is the mistake this fake is there to show."""

    id: str
    study: str
    lines: tuple[tuple[FakeSubmission, int], ...]  # who gets how many pence or cents
    times_paid: int = 0


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
