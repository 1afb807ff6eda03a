"""A fake Prolific for tests and rehearsals: the same protocol and rules, no people and no money.

    world = ProlificWorld(now=clock.now, rng=random.Random(1))
    http = httpx.Client(transport=fake_transport(world))        # in this process, or …
    with run_site(create_fake_app(world)) as address: ...        # … over HTTP, on this machine
    api = ProlificApi(http, world.token, base_url=FAKE_URL)

`world` is also the participants' side: they reserve places, enter codes, return;
`ScriptedParticipant` plays whole visits. `deliver_events` sends the webhooks that are due. Where
the real platform's behaviour is not documented, the world has a switch, so that both can be tried.
"""

from __future__ import annotations

import heapq
import json
import random
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import sqrt
from threading import RLock
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args
from urllib.parse import parse_qsl

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rejudge.prolific.client import (
    HOLDS_PLACE,
    LEAST_REJECTION_MESSAGE,
    StudyStatus,
    SubmissionStatus,
)
from rejudge.prolific.service import (
    EVENT_ID_HEADER,
    EVENT_TIME_HEADER,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    sign_event,
)
from rejudge.spreadsheet import csv_text

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


Body = Mapping[str, Any]  # of a request
_REQUIRED = (
    "name", "description", "prolific_id_option", "total_available_places",
    "estimated_completion_time", "reward",
)  # fmt: skip
_TARGETS = ("external_study_url", "access_details", "data_collection_method")
_TAGS = {"b", "i", "em", "strong", "s", "u", "h1", "h2", "ol", "ul", "li", "p"}
_TAG = re.compile(r"</?\s*([a-zA-Z][a-zA-Z0-9]*)[^>]*>")
_ACTIONS = {
    "MANUALLY_REVIEW", "REQUEST_RETURN", "FIXED_SCREEN_OUT_PAYMENT",
}  # fmt: skip
_DAY = 24 * 60
_CHANGEABLE: Final = {
    "internal_name", "total_available_places", "access_details", "submissions_config"
}  # fmt: skip
Fault = tuple[str, str]  # a field, and what is wrong with it


def least_maximum_minutes(estimate: float) -> float:
    """The least `maximum_allowed_time` for an estimated time."""
    return 2 + 2 * estimate + 2 * sqrt(estimate)


def study_faults(body: Body, filters: Mapping[str, Body]) -> list[Fault]:
    """What a study must not say, or has to say and does not: the rules that are documented."""
    return [
        *((name, "This field is required.") for name in _REQUIRED if body.get(name) in (None, "")),
        *_target_faults(body),
        *_number_faults(body),
        *_text_faults(body),
        *_code_faults(body),
        *_filter_faults(body, filters),
    ]


def change_faults(
    body: Body,
    changes: Body,
    *,
    is_published: bool,
    urls: Sequence[tuple[str, int]] = (),
) -> list[Fault]:
    """Changes that a study does not allow. `urls`: its addresses, with the places of each."""
    faults = [*_address_faults(changes, urls)]
    if not is_published:
        return faults
    faults += [(name, "Cannot be changed.") for name in changes if name not in _CHANGEABLE]
    if (
        changes.get("total_available_places", body["total_available_places"])
        < (body["total_available_places"])
    ):
        faults.append(("total_available_places", "Can only be increased."))
    return faults


def _address_faults(changes: Body, urls: Sequence[tuple[str, int]]) -> Iterator[Fault]:
    """New addresses are added to those there are, and all of them add up to the places."""
    added = [
        (each.get("external_url"), each.get("total_allocation", 0))
        for each in changes.get("access_details") or ()
    ]
    every = [*urls, *added]
    if len({url for url, _ in every}) < len(every):
        yield "access_details", "Each external_url must be unique."
    total = changes.get("total_available_places")
    if urls and total is not None and total != sum(places for _, places in every):
        yield "access_details", "Allocations must add up to total_available_places."


def _target_faults(body: Body) -> Iterator[Fault]:
    if sum(bool(body.get(name)) for name in _TARGETS) != 1:
        yield "external_study_url", f"Provide exactly one of {', '.join(_TARGETS)}."
    addresses = body.get("access_details") or ()
    if addresses:
        allocated = sum(each.get("total_allocation", 0) for each in addresses)
        if allocated != body.get("total_available_places"):
            yield "access_details", "Allocations must add up to total_available_places."
        if len({each.get("external_url") for each in addresses}) < len(addresses):
            yield "access_details", "Each external_url must be unique."


def _number_faults(body: Body) -> Iterator[Fault]:
    for name in ("reward", "total_available_places", "estimated_completion_time"):
        value = body.get(name)
        if value is not None and (not isinstance(value, int) or value < 1):
            yield name, "Must be a whole number above 0."
    estimate, most = body.get("estimated_completion_time"), body.get("maximum_allowed_time")
    if isinstance(estimate, int) and most is not None:
        is_allowed = least_maximum_minutes(estimate) <= most < _DAY
        if not is_allowed:
            yield "maximum_allowed_time", "Must leave more time than the estimate, below 24 hours."


def _text_faults(body: Body) -> Iterator[Fault]:
    unknown = {tag.lower() for tag in _TAG.findall(str(body.get("description", "")))} - _TAGS
    if unknown:
        yield "description", f"Tags not allowed: {', '.join(sorted(unknown))}."
    if set(body.get("device_compatibility", ())) - {"desktop", "tablet", "mobile"}:
        yield "device_compatibility", "Unknown choice."


def _code_faults(body: Body) -> Iterator[Fault]:
    codes = body.get("completion_codes", ())
    if len({each.get("code") for each in codes}) < len(codes):
        yield "completion_codes", "Codes must be unique."
    for action in (action for each in codes for action in each.get("actions", ())):
        kind = action.get("action")
        if kind not in _ACTIONS:
            yield "completion_codes", "Unknown action."
        if kind == "REQUEST_RETURN" and not action.get("return_reason"):
            yield "completion_codes", "A return needs its reason."
        if kind == "FIXED_SCREEN_OUT_PAYMENT":
            if not 0 < action.get("fixed_screen_out_reward", 0) < (body.get("reward") or 1):
                yield "completion_codes", "A screen-out must pay less than the reward."
            if not action.get("slots"):
                yield "completion_codes", "A screen-out needs slots."


def _filter_faults(body: Body, filters: Mapping[str, Body]) -> Iterator[Fault]:
    for chosen in body.get("filters", ()):
        known = filters.get(chosen.get("filter_id"))
        if known is None:
            yield "filters", f"Unknown filter {chosen.get('filter_id')}."
        elif known["type"] == "range":
            if "selected_range" not in chosen:
                yield "filters", "A range filter needs selected_range."
        elif known.get("choices") and not set(chosen.get("selected_values", ())) <= set(
            known["choices"]
        ):
            yield "filters", f"Unknown choice of {known['filter_id']}."


RESERVED_FOR = timedelta(minutes=10)
REVIEWED_AFTER = timedelta(days=21)  # who was not reviewed by then is approved
_AT_WORK: frozenset[SubmissionStatus] = frozenset({"RESERVED", "ACTIVE"})
CONFLICT = 409
_NOT_FOUND = 404


class ProlificWorld:
    """One researcher's account, their studies, and the panel."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        rng: random.Random,
        currency: str = "GBP",
        balance: int = 10_000_000,
        token: str = "fake-token",  # noqa: S107 - opens nothing
        returns_free_urls: bool = True,
    ) -> None:
        self.now = now
        self.rng = rng
        self.ledger = FakeLedger(currency, balance)
        self.token = token
        # How Taskflow counts a returned submission is not documented: either it is no longer
        # allocated, or the address gets one more place.
        self.returns_free_urls = returns_free_urls
        self.lock = RLock()  # the API and the participants may come from different threads
        self.workspace = self.new_id()
        self.user = self.new_id()
        self.generation = 0
        self.filters = make_filters(0, rng)
        self.members: dict[str, PanelMember] = {}
        self.studies: dict[str, FakeStudy] = {}
        self.submissions: dict[str, FakeSubmission] = {}
        self.faults: list[FakeFault] = []  # the next requests that fail
        self.hooks = Hooks(self)
        self._approvals: list[str] = []  # bulk approvals are carried out a moment later

    def new_id(self) -> str:
        """An id as Prolific makes them: 24 hexadecimal digits."""
        return f"{self.rng.getrandbits(96):024x}"

    # ── time ─────────────────────────────────────────────────────────────────────────────────────

    def pass_time(self) -> datetime:
        """Do what has become due; the time it is."""
        now = self.now()
        for each in list(self.submissions.values()):
            self._let_lapse(each, now)
        for name in self._take_approvals():
            with suppress(FakeRefusal):  # returned meanwhile: bulk approval skips it
                self.approve(self.submission(name))
        return now

    def _let_lapse(self, each: FakeSubmission, now: datetime) -> None:
        ends_at = self._ends_at(each)
        if ends_at is None or now < ends_at:
            return
        if each.status == "AWAITING REVIEW":
            self.approve(each)
        else:
            self.set_submission(each, "TIMED-OUT")

    def _ends_at(self, each: FakeSubmission) -> datetime | None:
        """When a submission changes its state without anybody doing anything."""
        if each.status == "RESERVED":
            return each.reserved_at + RESERVED_FOR
        if each.status == "ACTIVE" and each.started_at is not None:
            return each.started_at + self._allowed_time(self.studies[each.study])
        if each.status == "AWAITING REVIEW" and each.completed_at is not None:
            return each.completed_at + REVIEWED_AFTER
        return None

    def _allowed_time(self, study: FakeStudy) -> timedelta:
        least = least_maximum_minutes(study.body["estimated_completion_time"])
        return timedelta(minutes=study.body.get("maximum_allowed_time") or least)

    def _take_approvals(self) -> list[str]:
        due, self._approvals = self._approvals, []
        return due

    # ── panel ────────────────────────────────────────────────────────────────────────────────────

    def join(self, people: int) -> list[PanelMember]:
        """New members of the panel."""
        new = [draw_member(self.rng, self.new_id()) for _ in range(people)]
        self.members |= {member.id: member for member in new}
        return new

    def drift(self) -> None:
        """Give all screeners and their answers new ids, as happens from time to time."""
        self.generation += 1
        self.filters = make_filters(self.generation, self.rng)

    def count_eligible(self, filters: Sequence[Mapping[str, Any]]) -> int:
        """How many of a pool meet screeners: each halves it."""
        return POOL >> len(filters)

    # ── participants ─────────────────────────────────────────────────────────────────────────────

    def reserve(self, study_id: str, participant: str) -> FakeSubmission:
        """Take a place for ten minutes; a FakeRefusal where there is none for them."""
        now = self.pass_time()
        study = self.study(study_id)
        own = [each for each in self.of_study(study_id) if each.participant == participant]
        config = study.body.get("submissions_config") or {}
        most = config.get("max_submissions_per_participant", 1)
        if study.status != "ACTIVE" or self.free_places(study) < 1:
            raise FakeRefusal("There are no places left.", status=CONFLICT)
        if most != -1 and len(own) >= most:
            raise FakeRefusal("You have taken part in this study.", status=CONFLICT)
        if not self._is_eligible(study, participant):
            raise FakeRefusal("You are not eligible.", status=CONFLICT)
        url = self._next_url(study, {each.url for each in own})
        made = FakeSubmission(self.new_id(), participant, study.id, "RESERVED", now, url)
        self.submissions[made.id] = made
        self._changed(made)
        return made

    def start(self, submission: FakeSubmission) -> str:
        """Begin; the link into the study."""
        now = self.pass_time()
        if submission.status not in _AT_WORK:
            raise FakeRefusal("This place is no longer reserved.", status=CONFLICT)
        if submission.status == "RESERVED":
            submission.started_at = now
            self.set_submission(submission, "ACTIVE")
        return self.link(submission)

    def link(self, submission: FakeSubmission) -> str:
        """Where the platform sends this participant, with their ids."""
        values = {
            "PROLIFIC_PID": submission.participant,
            "STUDY_ID": submission.study,
            "SESSION_ID": submission.id,
        }
        link = submission.url
        for name, value in values.items():
            link = link.replace("{{%" + name + "%}}", value)
        return link

    def enter_code(self, submission: FakeSubmission, code: str | None) -> SubmissionStatus:
        """Finish with a code, a wrong one, or none; the state that follows."""
        now = self.pass_time()
        if submission.status == "TIMED-OUT":  # finished too late: it can be sent in all the same
            submission.entered_code = code
            submission.completed_at = now
            return submission.status
        if submission.status != "ACTIVE":
            raise FakeRefusal("This submission is not active.", status=CONFLICT)
        submission.entered_code = code
        submission.completed_at = now
        known = None if code is None else self.study(submission.study).code(code)
        self.carry_out(submission, known.get("actions", ()) if known else ())
        return submission.status

    def carry_out(self, submission: FakeSubmission, actions: Sequence[Mapping[str, Any]]) -> None:
        """Do what a completion code says; without actions the submission awaits review."""
        names = {action["action"]: action for action in actions}
        if "FIXED_SCREEN_OUT_PAYMENT" in names:
            self._screen_out(submission, names["FIXED_SCREEN_OUT_PAYMENT"])
            return
        self.set_submission(submission, "AWAITING REVIEW")
        if "REQUEST_RETURN" in names:
            submission.return_requested = self.now()

    def _screen_out(self, submission: FakeSubmission, action: Mapping[str, Any]) -> None:
        study = self.study(submission.study)
        paid = sum(e.kind == "screen-out" and e.study == study.id for e in self.ledger.entries)
        self.ledger.pay("screen-out", submission, int(action["fixed_screen_out_reward"]))
        self.set_submission(submission, "SCREENED OUT")
        if paid + 1 >= int(action.get("slots", 1)) and study.status == "ACTIVE":
            self.set_study(study, "PAUSED")

    def give_back(self, submission: FakeSubmission) -> None:
        """Return a submission, also after having sent it in; nobody is paid for it."""
        self.pass_time()
        if submission.status not in {*_AT_WORK, "AWAITING REVIEW"}:
            raise FakeRefusal("This submission cannot be returned.", status=CONFLICT)
        self.set_submission(submission, "RETURNED")

    def _is_eligible(self, study: FakeStudy, participant: str) -> bool:
        blocked = {each["filter_id"]: name for name, each in self.filters.items()}
        for chosen in study.body.get("filters", ()):
            kind = blocked.get(chosen["filter_id"])
            values = chosen.get("selected_values", ())
            before = {e.study for e in self.submissions.values() if e.participant == participant}
            if (kind == "previous_studies_blocklist" and before & set(values)) or (
                kind == "custom_blocklist" and participant in values
            ):
                return False
        return True

    # ── places ───────────────────────────────────────────────────────────────────────────────────

    def of_study(self, study: str) -> list[FakeSubmission]:
        """The submissions of a study, in the order they were made."""
        return [each for each in self.submissions.values() if each.study == study]

    def taken_places(self, study: FakeStudy) -> int:
        """How many places are held, surplus submissions not counted."""
        return sum(
            each.status in HOLDS_PLACE and not each.is_surplus for each in self.of_study(study.id)
        )

    def free_places(self, study: FakeStudy) -> int:
        """How many places are left."""
        return study.places - self.taken_places(study)

    def url_counts(self, study: FakeStudy) -> Iterator[tuple[TaskflowUrl, int]]:
        """Each address of a Taskflow study and how many people were allocated to it."""
        for each in study.urls:
            sent = [s for s in self.of_study(study.id) if s.url == each.url and not s.is_surplus]
            holding = [s for s in sent if s.status in HOLDS_PLACE]
            yield each, len(holding if self.returns_free_urls else sent)

    def _next_url(self, study: FakeStudy, had: Collection[str]) -> str:
        """The address with the largest share of free places, of those the person has not had."""
        if not study.urls:
            return str(study.body["external_study_url"])
        shares = {
            u.url: n / (u.allocation + u.increments)
            for u, n in self.url_counts(study)
            if u.url not in had
        }
        emptiest = min(shares, key=lambda url: shares[url], default=None)
        if emptiest is None or shares[emptiest] >= 1:
            raise FakeRefusal("There are no places left.", status=CONFLICT)
        return emptiest

    def set_submission(self, submission: FakeSubmission, status: SubmissionStatus) -> None:
        """Change a state; who comes back when all places are taken is surplus."""
        if submission.status == status:
            return
        held, holds = submission.status in HOLDS_PLACE, status in HOLDS_PLACE
        if holds and not held:
            submission.is_surplus = self._is_place_gone(submission)
        elif held and not holds and not submission.is_surplus:
            self._add_capacity(submission, 1)
        submission.status = status
        self._changed(submission)

    def _is_place_gone(self, submission: FakeSubmission) -> bool:
        """Whether somebody else has the place that somebody comes back to."""
        study = self.study(submission.study)
        is_full = [
            number >= each.allocation + each.increments
            for each, number in self.url_counts(study)
            if each.url == submission.url
        ]
        is_gone = self.free_places(study) < 1 or any(is_full)
        if not submission.is_surplus:
            self._add_capacity(submission, -1)  # it was added when they left
        return is_gone

    def _add_capacity(self, submission: FakeSubmission, places: int) -> None:
        for each in self.study(submission.study).urls:
            if each.url == submission.url and not self.returns_free_urls:
                each.increments += places

    def _changed(self, submission: FakeSubmission) -> None:
        self.hooks.publish(
            "submission.status.change",
            resource_id=submission.id,
            participant_id=submission.participant,
            status=submission.status,
        )
        self.hooks.publish("study.progress.change", resource_id=submission.study)
        self._settle(self.study(submission.study))

    def _settle(self, study: FakeStudy) -> None:
        """A study without free places awaits review and is then complete; a free one reopens it."""
        own = self.of_study(study.id)
        is_full = self.free_places(study) < 1
        is_busy = any(each.status in _AT_WORK for each in own)
        is_waiting = any(each.status == "AWAITING REVIEW" for each in own)
        if study.status in {"ACTIVE", "AWAITING REVIEW"} and is_full and not is_busy:
            self.set_study(study, "AWAITING REVIEW" if is_waiting else "COMPLETED")
        elif study.status == "AWAITING REVIEW" and not is_full and not study.is_stopped:
            self.set_study(study, "ACTIVE")

    def set_study(self, study: FakeStudy, status: StudyStatus) -> None:
        """Change the state of a study."""
        if study.status == status:
            return
        study.status = status
        if status == "ACTIVE" and study.published_at is None:
            study.published_at = self.now()
        self.hooks.publish(
            "study.status.change",
            resource_id=study.id,
            metadata=study.body.get("metadata"),
            status=status,
        )

    # ── looking up and approving ─────────────────────────────────────────────────────────────────

    def study(self, study: str) -> FakeStudy:
        """A study; a FakeRefusal for an unknown one."""
        if study not in self.studies:
            raise FakeRefusal("Study not found.", status=_NOT_FOUND)
        return self.studies[study]

    def submission(self, submission: str) -> FakeSubmission:
        """A submission; a FakeRefusal for an unknown one."""
        if submission not in self.submissions:
            raise FakeRefusal("Submission not found.", status=_NOT_FOUND)
        return self.submissions[submission]

    def approve_later(self, submissions: Sequence[str]) -> None:
        """Approve in bulk: accepted now, carried out before the next thing that happens."""
        for each in submissions:
            self.submission(each)
        self._approvals += submissions

    def approve(self, submission: FakeSubmission) -> None:
        """Approve and pay; who is approved is not paid again."""
        if submission.status == "APPROVED":
            return
        if submission.status not in {"AWAITING REVIEW", "TIMED-OUT"}:
            raise FakeRefusal(f"Cannot approve: {submission.status}.", status=CONFLICT)
        submission.reviewed_at = self.now()
        self.set_submission(submission, "APPROVED")
        self.ledger.pay("reward", submission, self.study(submission.study).reward)


_MOST_BONUSES = 200
_ENDED: frozenset[StudyStatus] = frozenset({"COMPLETED", "AWAITING REVIEW"})
_STUDY_MOVES: Mapping[str, tuple[frozenset[StudyStatus], StudyStatus]] = {
    "PUBLISH": (frozenset({"UNPUBLISHED"}), "ACTIVE"),
    "PAUSE": (frozenset({"ACTIVE"}), "PAUSED"),
    "START": (frozenset({"PAUSED"}), "ACTIVE"),
    "STOP": (frozenset({"ACTIVE", "PAUSED", "AWAITING REVIEW"}), "COMPLETED"),
}


def create_study(world: ProlificWorld, body: Body) -> FakeStudy:
    """Create an unpublished study; the same body twice makes two."""
    known = {each["filter_id"]: each for each in world.filters.values()}
    _refuse(study_faults(body, known))
    urls = [
        TaskflowUrl(each["external_url"], each["total_allocation"])
        for each in body.get("access_details") or ()
    ]
    made = FakeStudy(world.new_id(), dict(body), world.now(), urls=urls)
    world.studies[made.id] = made
    return made


def change_study(world: ProlificWorld, study: FakeStudy, changes: Body) -> None:
    """Change a study; raising the places of a finished one reopens it."""
    is_published = study.status != "UNPUBLISHED"
    known = [(each.url, each.allocation) for each in study.urls]
    _refuse(change_faults(study.body, changes, is_published=is_published, urls=known))
    before = study.places
    study.body |= {name: value for name, value in changes.items() if name != "access_details"}
    for each in changes.get("access_details") or ():
        study.urls.append(TaskflowUrl(each["external_url"], each["total_allocation"]))
    if study.urls:
        study.body["total_available_places"] = sum(each.allocation for each in study.urls)
    if is_published and study.places > before and study.status in _ENDED:
        study.is_stopped = False
        world.set_study(study, "ACTIVE")


def transition_study(world: ProlificWorld, study: FakeStudy, action: str) -> None:
    """Publish, pause, resume or stop a study."""
    if action not in _STUDY_MOVES:
        raise FakeRefusal({"action": ["Unknown action."]})
    allowed, after = _STUDY_MOVES[action]
    if study.status not in allowed:
        raise FakeRefusal(f"Cannot {action} a study that is {study.status}.", status=CONFLICT)
    if action == "PUBLISH":
        _refuse_unaffordable(world, study)
    study.is_stopped = action == "STOP"
    world.set_study(study, after)


def _refuse_unaffordable(world: ProlificWorld, study: FakeStudy) -> None:
    minutes = study.body["estimated_completion_time"]
    if study.reward * 60 < RATES[world.ledger.currency][0] * minutes:
        raise FakeRefusal({"reward": ["Below the minimum for an hour."]})
    if cost_of(study.reward * study.places)["total_cost"] > world.ledger.balance:
        raise FakeRefusal("Insufficient funds.")


def reject(world: ProlificWorld, submission: FakeSubmission, body: Body) -> None:
    """Reject a submission; the same twice changes nothing more."""
    if body.get("action") != "REJECT":
        raise FakeRefusal({"action": ["Unknown action."]})
    if submission.status == "REJECTED":
        return
    if len(str(body.get("message", ""))) < LEAST_REJECTION_MESSAGE:
        raise FakeRefusal({"message": ["Ensure this field has at least 100 characters."]})
    if not body.get("rejection_category"):
        raise FakeRefusal({"rejection_category": ["This field is required."]})
    if submission.status != "AWAITING REVIEW":
        raise FakeRefusal(f"Cannot reject: {submission.status}.", status=CONFLICT)
    submission.reviewed_at = world.now()
    submission.rejection = str(body["rejection_category"])
    world.set_submission(submission, "REJECTED")


def set_up_bonuses(world: ProlificWorld, body: Body) -> FakeBonusPayment:
    """Set up bonuses: lines with a participant or submission and an amount in major units."""
    study = world.study(str(body.get("study_id")))
    lines = str(body.get("csv_bonuses", "")).strip().splitlines()
    if not 0 < len(lines) <= _MOST_BONUSES:
        raise FakeRefusal({"csv_bonuses": ["Give 1 to 200 lines."]})
    own = world.of_study(study.id)
    by_id = {each.id: each for each in own} | {each.participant: each for each in own}
    read: list[tuple[FakeSubmission, int]] = []
    for line in lines:
        who, _, amount = line.partition(",")
        try:
            pence = Decimal(amount.strip()) * 100
        except InvalidOperation:
            raise FakeRefusal({"csv_bonuses": ["Not a number."]}) from None
        if who.strip() not in by_id or pence <= 0 or pence != int(pence):
            raise FakeRefusal({"csv_bonuses": [f"Cannot pay {who.strip()}."]})
        read.append((by_id[who.strip()], int(pence)))
    payment = FakeBonusPayment(world.new_id(), study.id, tuple(read))
    world.ledger.bonus_payments[payment.id] = payment
    return payment


def bonus_json(payment: FakeBonusPayment) -> dict[str, Any]:
    """Bonuses that were set up, as the API tells it."""
    amount = sum(pence for _, pence in payment.lines)
    fee, vat = charges(amount)
    total = amount + fee + vat
    sums = {"amount": amount, "fees": fee, "vat": vat, "total_amount": total}
    return {"id": payment.id, "study": payment.study, **sums}


def _refuse(faults: Sequence[Fault]) -> None:
    detail: dict[str, list[str]] = {}
    for name, what in faults:
        detail.setdefault(name, []).append(what)
    if detail:
        raise FakeRefusal(detail)


EVENT_TYPES: Final = {
    "submission.status.change": "A submission changes its status.",
    "study.status.change": "A study changes its status.",
    "study.progress.change": "Places of a study are taken or freed.",
    "study.has_high_return_rate": "Many people return their submissions.",
}
DeliveryStatus: TypeAlias = Literal["PENDING", "SUCCEEDED", "FAILED"]
_RETRIES = 11
_FIRST_PAUSE = 42.0  # seconds; doubled eleven times they make a day
_OK, _REDIRECT = 200, 300


@dataclass(slots=True)
class FakeSubscription:
    """Where events of a kind are sent."""

    id: str
    event_type: str
    target_url: str
    workspace: str
    proof: str = field(repr=False)  # to be sent back, in order to confirm
    is_confirmed: bool = False
    is_enabled: bool = True


@dataclass(slots=True)
class FakeDelivery:
    """One event for one subscription."""

    id: str
    subscription: str
    payload: dict[str, Any]  # JSON; differs by kind of event
    created_at: datetime
    due_at: datetime
    status: DeliveryStatus = "PENDING"
    attempts: int = 0


class Hooks:
    """Subscriptions and what was or will be sent to them."""

    def __init__(self, world: ProlificWorld) -> None:
        self._world = world
        self.secrets: dict[str, str] = {}  # by workspace
        self.subscriptions: dict[str, FakeSubscription] = {}
        self.deliveries: list[FakeDelivery] = []

    def create_secret(self, workspace: str) -> str:
        """A new secret, instead of the one before."""
        self.secrets[workspace] = f"{self._world.rng.getrandbits(256):064x}"
        return self.secrets[workspace]

    def subscribe(self, workspace: str, event_type: str, target_url: str) -> FakeSubscription:
        """Subscribe; nothing is sent until it is confirmed."""
        if workspace not in self.secrets:
            raise FakeRefusal("Create a secret for the workspace first.")
        if event_type not in EVENT_TYPES:
            raise FakeRefusal({"event_type": ["Unknown event type."]})
        if not target_url.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
            raise FakeRefusal({"target_url": ["Must be an https address."]})
        ids = (self._world.new_id(), self._world.new_id())
        made = FakeSubscription(ids[0], event_type, target_url, workspace, proof=ids[1])
        self.subscriptions[made.id] = made
        return made

    def subscription(self, name: str) -> FakeSubscription:
        """A subscription; a FakeRefusal for an unknown one."""
        if name not in self.subscriptions:
            raise FakeRefusal("Subscription not found.", status=_NOT_FOUND)
        return self.subscriptions[name]

    def confirm(self, name: str, proof: str) -> FakeSubscription:
        """Confirm a subscription with the secret of its reply."""
        found = self.subscription(name)
        if proof != found.proof:
            raise FakeRefusal({"secret": ["Does not match."]})
        found.is_confirmed = True
        return found

    def publish(self, event_type: str, **payload: Any) -> None:  # JSON values
        """Queue an event for everyone who subscribed to its kind."""
        now = self._world.now()
        for each in self.subscriptions.values():
            if each.event_type == event_type and each.is_confirmed and each.is_enabled:
                told = {**payload, "event_type": event_type}
                made = FakeDelivery(self._world.new_id(), each.id, told, now, now)
                self.deliveries.append(made)


def deliver_events(
    world: ProlificWorld,
    http: httpx.Client,
    *,
    duplicates: float = 0.0,
    is_shuffled: bool = False,
) -> int:
    """Send all events that are due; how many requests were sent.

    `duplicates` is the share that is sent twice. Shuffled, they arrive in any order, as happens
    when some are tried again.
    """
    now = world.pass_time()
    due = [d for d in world.hooks.deliveries if d.status == "PENDING" and d.due_at <= now]
    if is_shuffled:
        world.rng.shuffle(due)
    sent = 0
    for delivery in due:
        times = 2 if world.rng.random() < duplicates else 1
        sent += times
        outcomes = [_send(world, http, delivery, now) for _ in range(times)]
        _note(world, delivery, now, is_received=any(outcomes))
    return sent


def _send(world: ProlificWorld, http: httpx.Client, delivery: FakeDelivery, now: datetime) -> bool:
    target = world.hooks.subscriptions[delivery.subscription]
    body = json.dumps(delivery.payload, separators=(",", ": ")).encode()  # not as Python spaces it
    stamp = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json",
        EVENT_ID_HEADER: delivery.id,
        EVENT_TIME_HEADER: str(int(delivery.created_at.timestamp())),
        TIMESTAMP_HEADER: stamp,
        SIGNATURE_HEADER: sign_event(world.hooks.secrets[target.workspace], stamp, body),
    }
    try:
        reply = http.post(target.target_url, content=body, headers=headers)
    except httpx.TransportError:
        return False
    return _OK <= reply.status_code < _REDIRECT


def _note(
    world: ProlificWorld, delivery: FakeDelivery, now: datetime, *, is_received: bool
) -> None:
    """Received, or to be tried again after a pause that doubles, with full jitter."""
    delivery.attempts += 1
    if is_received:
        delivery.status = "SUCCEEDED"
    elif delivery.attempts > _RETRIES:
        delivery.status = "FAILED"
    else:
        most = _FIRST_PAUSE * 2 ** (delivery.attempts - 1)
        delivery.due_at = now + timedelta(seconds=world.rng.uniform(1, most))


POOL: Final = 152_649  # active members, as Prolific reported it once
EXPIRED: Final = "DATA_EXPIRED"
_COUNTRIES = (
    "United Kingdom", "United States", "Australia", "Canada", "Ireland", "New Zealand", "Germany",
    "South Africa", "India", "Netherlands", "Korea, South",
)  # fmt: skip
_LANGUAGES = ("English", "German", "Spanish", "Chinese (Mandarin)", "Dutch", "Arabic", "Hindi")
# by the id they had first: title and answers, or title and bounds
_SELECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "current-country-of-residence": ("Current country of residence", _COUNTRIES),
    "first-language": ("First language", _LANGUAGES),
    "fluent-languages": ("Fluent languages", _LANGUAGES),
    "handedness": ("Handedness", ("Left-handed", "Right-handed")),
    "previous_studies_blocklist": ("Exclude participants from previous studies", ()),
    "participant_group_blocklist": ("Participant group blocklist", ()),
    "custom_blocklist": ("Custom blocklist", ()),
}
_RANGES: Mapping[str, tuple[str, int, int]] = {
    "approval_rate": ("Approval rate", 0, 100),
    "approval_numbers": ("Number of previous submissions", 0, 10_000),
    "age": ("Age", 18, 100),
}
_HEAD = (
    "Submission id", "Participant id", "Status", "Custom study tncs accepted at", "Started at",
    "Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code",
    "Total approvals",
)  # fmt: skip
_ABOUT = (
    "Age", "Sex", "Ethnicity simplified", "Country of birth", "Country of residence", "Nationality",
    "Language", "Student status", "Employment status",
)  # fmt: skip


def make_filters(generation: int, rng: random.Random) -> dict[str, dict[str, Any]]:
    """All screeners, by the id they had first; ids and those of answers change by generation."""
    mark = f"_v{generation}" if generation else ""
    made: dict[str, dict[str, Any]] = {}  # JSON, as the API gives it
    for name, (title, labels) in _SELECTS.items():
        numbers = rng.sample(range(len(labels)), len(labels))
        choices = {str(number): label for number, label in zip(numbers, labels, strict=True)}
        made[name] = {"type": "select", "title": title, "choices": choices}
    for name, (title, least, most) in _RANGES.items():
        made[name] = {"type": "range", "title": title, "min": least, "max": most}
    for name, each in made.items():
        each["filter_id"] = f"{name}{mark}"
    return made


def draw_member(rng: random.Random, name: str) -> PanelMember:
    """Somebody with answers to the usual questions."""
    country = rng.choice(_COUNTRIES)
    answers = {
        "Age": str(rng.randint(18, 80)),
        "Sex": rng.choice(("Female", "Male")),
        "Ethnicity simplified": rng.choice(("White", "Black", "Asian", "Mixed", "Other")),
        "Country of birth": rng.choice(_COUNTRIES),
        "Country of residence": country,
        "Nationality": country,
        "Language": rng.choice(_LANGUAGES),
        "Student status": rng.choice(("Yes", "No")),
        "Employment status": rng.choice(("Full-Time", "Part-Time", "Not in paid work")),
        "Total approvals": str(rng.randint(0, 3000)),
    }
    return PanelMember(name, answers, has_expired_data=rng.random() < 0.1)


def demographic_csv(
    submissions: Iterable[FakeSubmission], members: Mapping[str, PanelMember]
) -> bytes:
    """The export of a study: a byte-order mark, CRLF, and expired answers marked as such."""
    rows: list[tuple[str, ...]] = [(*_HEAD, *_ABOUT)]
    for each in submissions:
        member = members[each.participant]
        known = {} if member.has_expired_data else member.answers
        rows.append(
            (
                each.id,
                each.participant,
                each.status,
                "Not Applicable",
                _moment(each.started_at),
                _moment(each.completed_at),
                _moment(each.reviewed_at),
                _moment(each.completed_at),
                "" if each.seconds is None else f"{each.seconds:.0f}",
                "" if each.completed_at is None else each.entered_code or NO_CODE,
                *(known.get(name, EXPIRED) for name in ("Total approvals", *_ABOUT)),
            )
        )
    return b"\xef\xbb\xbf" + csv_text(rows).replace("\n", "\r\n").encode()


def _moment(when: datetime | None) -> str:
    return "" if when is None else when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


Behaviour: TypeAlias = Literal[
    "normal",
    "returns early",  # after some clicks
    "returns after submitting",
    "never starts",  # lets the reservation lapse
    "times out",  # leaves in the middle, for good
    "finishes late",  # leaves in the middle, comes back after the time-out, and finishes
    "two tabs",
    "refresh",
    "no code",
    "wrong code",
    "reopens",  # opens the link again after finishing
    "declines",  # does not consent, and returns when asked to
    "screened out",  # where the study can: answers so that they may not take part
    "careless",  # answers without looking, and fails the checks there are
]
BEHAVIOURS: Final[tuple[Behaviour, ...]] = get_args(Behaviour)
WRONG_CODE: Final = "WRONG123"
_LEAVES = frozenset({"returns early", "times out", "finishes late"})
_CLICKS = 4  # after which somebody leaves: consent, instructions, and a few answers
_READING = 20.0  # seconds on the platform before and after
_LONG = 86_400.0  # every study has timed out by then


class SettableClock(Protocol):
    """A clock that can be moved on."""

    def now(self) -> datetime:
        """The time, aware and in UTC."""

    def move_to(self, moment: datetime) -> None:
        """Go on to a moment."""


class SiteRecord(Protocol):
    """What somebody read on the pages."""

    codes: list[str]


class SiteVisit(Protocol):
    """Somebody on the pages of a study."""

    @property
    def record(self) -> SiteRecord:
        """What they have read so far."""

    def walk(self) -> Iterator[float]:
        """Click through the pages; gives the seconds until each next click."""


OpenSite: TypeAlias = Callable[[str, Behaviour], SiteVisit]  # a link with the participant's ids


@dataclass(slots=True)
class ScriptedParticipant:
    """One member of the panel with a behaviour; filled as they go on."""

    world: ProlificWorld
    study: str
    member: str
    behaviour: Behaviour
    open_site: OpenSite
    submission: FakeSubmission | None = None
    codes: list[str] = field(default_factory=list)  # as the pages showed them
    turned_away: str | None = None  # why the platform had no place

    def walk(self) -> Iterator[float]:
        """Everything they do; gives the seconds until the next act."""
        try:
            with self.world.lock:
                self.submission = self.world.reserve(self.study, self.member)
        except FakeRefusal as refusal:
            self.turned_away = str(refusal.detail)
            return
        if self.behaviour == "never starts":
            yield RESERVED_FOR.total_seconds()
            return
        yield _READING
        with self.world.lock:
            link = self.world.start(self.submission)
        is_through = yield from self._walk_site(link)
        if not is_through:
            return
        yield _READING
        yield from self._finish(self.submission, link)

    def _walk_site(self, link: str) -> Generator[float, None, bool]:
        """Walk the pages; returns whether they came to the end."""
        visit = self.open_site(link, self.behaviour)
        for clicks, seconds in enumerate(visit.walk(), start=1):
            yield seconds
            if clicks == _CLICKS and self.behaviour in _LEAVES:
                if self.behaviour == "returns early":
                    self._give_back()
                if self.behaviour != "finishes late":
                    return False
                yield _LONG
        self.codes += visit.record.codes
        return True

    def _finish(self, submission: FakeSubmission, link: str) -> Iterator[float]:
        code = self.codes[-1] if self.codes else None
        entered = {"no code": None, "wrong code": WRONG_CODE}.get(self.behaviour, code)
        with self.world.lock:
            try:
                self.world.enter_code(submission, entered)
            except FakeRefusal as refusal:  # returned or timed out meanwhile
                self.turned_away = str(refusal.detail)
                return
        is_asked = submission.return_requested is not None  # by what the code does
        if self.behaviour == "returns after submitting" or is_asked:
            yield _READING
            self._give_back()
        if self.behaviour == "reopens":
            yield _READING
            again = self.open_site(link, "normal")
            yield from again.walk()
            self.codes += again.record.codes

    def _give_back(self) -> None:
        if self.submission is not None:
            with self.world.lock:
                try:
                    self.world.give_back(self.submission)
                except FakeRefusal as refusal:  # approved before they could
                    self.turned_away = str(refusal.detail)


def run_participants(
    participants: Sequence[ScriptedParticipant],
    clock: SettableClock,
    *,
    seconds_between: float,
    after_each: Callable[[datetime], None] = lambda _: None,
) -> None:
    """Run participants in turn: whoever is due next acts next, and the clock jumps ahead.

    `after_each` is called after each act, such as to poll the platform or deliver webhooks.
    """
    start = clock.now()
    due = [
        (start + timedelta(seconds=seconds_between * number), number, each.walk())
        for number, each in enumerate(participants)
    ]
    heapq.heapify(due)
    while due:
        moment, number, walk = heapq.heappop(due)
        clock.move_to(moment)
        seconds = next(walk, None)
        after_each(clock.now())
        if seconds is not None:
            heapq.heappush(due, (moment + timedelta(seconds=seconds), number, walk))


FAKE_URL: Final = "https://prolific.invalid"  # in this process; leads nowhere else
_PAGE = 20
_MOST_APPROVED = 1000


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A request, as the handlers take it."""

    world: ProlificWorld
    ids: tuple[str, ...]  # from the address
    query: Mapping[str, str]
    body: Mapping[str, Any]  # JSON; empty where there is none


@dataclass(frozen=True, slots=True)
class FakeReply:
    """What is answered."""

    content: Any  # JSON values, or bytes
    status: int = 200
    headers: Mapping[str, str] | None = None

    def encoded(self) -> bytes:
        """The body."""
        return (
            self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()
        )


Handle: TypeAlias = Callable[[FakeCall], FakeReply]


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def _listed(call: FakeCall, entries: Sequence[Mapping[str, Any]]) -> FakeReply:
    """A page of a list, by `page` and `page_size` or by `limit` and `offset`; 20 when not said."""
    size = int(call.query.get("page_size") or call.query.get("limit") or _PAGE)
    start = int(call.query.get("offset") or (int(call.query.get("page", 1)) - 1) * size)
    if size < 1 or start < 0:
        raise FakeRefusal("There is no such page.", status=404)
    is_more = start + size < len(entries)
    links = {"next": {"href": f"{FAKE_URL}/next" if is_more else None, "title": "Next"}}
    page = list(entries[start : start + size])
    return FakeReply({"results": page, "_links": links, "meta": {"count": len(entries)}})


def _unpaged(entries: Sequence[Mapping[str, Any]]) -> FakeReply:
    return FakeReply({"results": list(entries), "meta": {"count": len(entries)}})


# ── account and screeners ────────────────────────────────────────────────────────────────────────


def _me(call: FakeCall) -> FakeReply:
    ledger = call.world.ledger
    money = {"currency_code": ledger.currency, "balance": ledger.balance}
    return FakeReply({"id": call.world.user, **money, "available_balance": ledger.balance})


def _workspaces(call: FakeCall) -> FakeReply:
    return _listed(call, [{"id": call.world.workspace, "title": "My workspace"}])


def _filters(call: FakeCall) -> FakeReply:
    return _unpaged(list(call.world.filters.values()))


def _eligible(call: FakeCall) -> FakeReply:
    return FakeReply({"count": call.world.count_eligible(call.body.get("filters", ()))})


def _recommendations(call: FakeCall) -> FakeReply:
    currency = call.query.get("currency", "")
    if call.query.get("workspace_id") != call.world.workspace:
        raise FakeRefusal({"workspace_id": ["This field is required."]})
    if currency not in RATES:
        raise FakeRefusal({"currency": ["Use GBP or USD."]})
    least, usual = RATES[currency]
    newest = {"min_reward_per_hour": least, "recommended_reward_per_hour": usual}
    older = {"min_reward_per_hour": least - 100, "recommended_reward_per_hour": usual - 100}
    return FakeReply([{"currency": currency, **each} for each in (newest, older)])


# ── studies ──────────────────────────────────────────────────────────────────────────────────────


def _study_json(world: ProlificWorld, study: FakeStudy) -> dict[str, Any]:
    return {
        **study.body,
        "id": study.id,
        "status": study.status,
        "date_created": study.created_at.isoformat(),
        "published_at": study.published_at and study.published_at.isoformat(),
        "places_taken": world.taken_places(study),
        "presentment_currency_code": world.ledger.currency,
        "total_cost": cost_of(study.reward * study.places)["total_cost"],
        "researcher": {"id": world.user},
    }


def _study_reply(call: FakeCall, study: FakeStudy, status: int = 200) -> FakeReply:
    return FakeReply(_study_json(call.world, study), status)


def _on_create_study(call: FakeCall) -> FakeReply:
    return _study_reply(call, create_study(call.world, call.body), 201)


def _studies(call: FakeCall) -> FakeReply:
    """The newest first; this list knows pages, but no `offset`."""
    pages = {name: value for name, value in call.query.items() if name in {"page", "page_size"}}
    newest = reversed(call.world.studies.values())
    listed = [_study_json(call.world, each) for each in newest]
    return _listed(replace(call, query=pages), listed)


def _study(call: FakeCall) -> FakeReply:
    return _study_reply(call, call.world.study(call.ids[0]))


def _on_change_study(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    change_study(call.world, study, call.body)
    return _study_reply(call, study)


def _on_transition_study(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    transition_study(call.world, study, str(call.body.get("action")))
    return _study_reply(call, study)


def _cost(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    return FakeReply(cost_of(study.reward * study.places))


def _calculate(call: FakeCall) -> FakeReply:
    return FakeReply(cost_of(call.body["reward"] * call.body["total_available_places"]))


def _progress(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    if not study.urls:
        raise FakeRefusal("This is not a Taskflow study.", status=404)
    progress = [
        {
            "external_url": each.url,
            "total_allocation": each.allocation,
            "allocated": number,
            "capacity_increments": each.increments,
        }
        for each, number in call.world.url_counts(study)
    ]
    return FakeReply({"id": study.id, "progress": progress})


def _export(call: FakeCall) -> FakeReply:
    own = call.world.of_study(call.world.study(call.ids[0]).id)
    return FakeReply(demographic_csv(own, call.world.members))


# ── submissions ──────────────────────────────────────────────────────────────────────────────────


def _submission_json(submission: FakeSubmission) -> dict[str, Any]:
    started, completed = submission.started_at, submission.completed_at
    is_done = completed is not None
    return {
        "id": submission.id,
        "participant_id": submission.participant,
        "status": submission.status,
        "started_at": started and started.isoformat(),
        "completed_at": completed and completed.isoformat(),
        "time_taken": submission.seconds,
        "study_code": (submission.entered_code or NO_CODE) if is_done else None,
        "return_requested": submission.return_requested and submission.return_requested.isoformat(),
        "has_siblings": False,
    }


def _of_study(call: FakeCall) -> FakeReply:
    own = call.world.of_study(call.world.study(call.ids[0]).id)
    return _listed(call, [_submission_json(each) for each in own])


def _submission(call: FakeCall) -> FakeReply:
    found = call.world.submission(call.ids[0])
    return FakeReply(_detail_json(found))


def _detail_json(found: FakeSubmission) -> dict[str, Any]:
    more = {
        "participant": found.participant,
        "study_id": found.study,
        "parent_study_id": None,
        "entered_code": found.entered_code,
        "bonus_payments": found.bonuses,
    }
    dropped = {"participant_id", "study_code"}
    kept = {k: v for k, v in _submission_json(found).items() if k not in dropped}
    return {**kept, **more}


def _counts(call: FakeCall) -> FakeReply:
    own = call.world.of_study(call.world.study(call.ids[0]).id)
    states = (
        "ACTIVE", "APPROVED", "AWAITING REVIEW", "REJECTED", "RESERVED", "RETURNED", "TIMED-OUT",
        "PARTIALLY APPROVED", "SCREENED OUT",
    )  # fmt: skip
    counts = {state: sum(each.status == state for each in own) for state in states}
    return FakeReply({**counts, "TOTAL": len(own)})


def _transition_submission(call: FakeCall) -> FakeReply:
    found = call.world.submission(call.ids[0])
    reject(call.world, found, call.body)
    return FakeReply(_detail_json(found))


def _bulk_approve(call: FakeCall) -> FakeReply:
    ids = list(call.body.get("submission_ids") or ())
    if not 0 < len(ids) <= _MOST_APPROVED:
        raise FakeRefusal({"submission_ids": ["Give 1 to 1000 ids."]})
    call.world.approve_later(ids)
    return FakeReply({"message": "The request to bulk approve has been made successfully."})


# ── money ───────────────────────────────────────────────────────────────────────────────────────


def _bonuses(call: FakeCall) -> FakeReply:
    payment = set_up_bonuses(call.world, call.body)
    return FakeReply(bonus_json(payment), 201)


def _pay(call: FakeCall) -> FakeReply:
    payment = call.world.ledger.bonus_payments.get(call.ids[0])
    if payment is None:
        raise FakeRefusal("Not found.", status=404)
    call.world.ledger.pay_bonuses(payment)
    return FakeReply(b"", 202)


# ── webhooks ─────────────────────────────────────────────────────────────────────────────────────


def _create_secret(call: FakeCall) -> FakeReply:
    workspace = str(call.body["workspace_id"])
    secret = call.world.hooks.create_secret(workspace)
    return FakeReply({"id": workspace, "value": secret, "workspace_id": workspace}, 201)


def _hook_json(hook: FakeSubscription) -> dict[str, Any]:
    names = {"id": hook.id, "event_type": hook.event_type, "target_url": hook.target_url}
    return {**names, "is_enabled": hook.is_enabled, "workspace_id": hook.workspace}


def _subscribe(call: FakeCall) -> FakeReply:
    body = call.body
    made = call.world.hooks.subscribe(body["workspace_id"], body["event_type"], body["target_url"])
    return FakeReply(_hook_json(made), 201, {"X-Hook-Secret": made.proof})


def _confirm(call: FakeCall) -> FakeReply:
    return FakeReply(_hook_json(call.world.hooks.confirm(call.ids[0], str(call.body["secret"]))))


_ID = r"([0-9A-Za-z_-]+)"
ROUTES: Final[tuple[tuple[str, re.Pattern[str], Handle], ...]] = tuple(
    (method, re.compile(path.replace("ID", _ID) + "/?"), handle)
    for method, path, handle in (
        ("GET", "/users/me", _me),
        ("GET", "/workspaces", _workspaces),
        ("GET", "/filters", _filters),
        ("POST", "/eligibility-count", _eligible),
        ("GET", "/reward-recommendations", _recommendations),
        ("POST", "/study-cost-calculator", _calculate),
        ("GET", "/studies", _studies),
        ("GET", "/projects/ID/studies", _studies),
        ("POST", "/studies", _on_create_study),
        ("GET", "/studies/ID", _study),
        ("PATCH", "/studies/ID", _on_change_study),
        ("POST", "/studies/ID/transition", _on_transition_study),
        ("GET", "/studies/ID/cost", _cost),
        ("GET", "/studies/ID/access-details-progress", _progress),
        ("POST", "/studies/ID/demographic-export", _export),
        ("GET", "/studies/ID/submissions", _of_study),
        ("GET", "/studies/ID/submissions/counts", _counts),
        ("POST", "/submissions/bulk-approve", _bulk_approve),
        ("POST", "/submissions/bonus-payments", _bonuses),
        ("GET", "/submissions/ID", _submission),
        ("POST", "/submissions/ID/transition", _transition_submission),
        ("POST", "/bulk-bonus-payments/ID/pay", _pay),
        ("POST", "/hooks/secrets", _create_secret),
        ("POST", "/hooks/subscriptions", _subscribe),
        ("POST", "/hooks/subscriptions/ID", _confirm),
    )
)


_PREFIX = "/api/v1"


def fake_transport(world: ProlificWorld) -> httpx.MockTransport:
    """The API for an `httpx.Client` in this process."""

    def handle(request: httpx.Request) -> httpx.Response:
        reply = answer(
            world,
            request.method,
            request.url.raw_path.decode(),
            authorization=request.headers.get("authorization", ""),
            content=request.read(),
        )
        return httpx.Response(reply.status, content=reply.encoded(), headers=_headers(reply))

    return httpx.MockTransport(handle)


def create_fake_app(world: ProlificWorld) -> Starlette:
    """The API as an application, to be served on this machine."""

    async def handle(request: Request) -> Response:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        content = await request.body()
        reply = await run_in_threadpool(
            answer,
            world,
            request.method,
            target,
            authorization=request.headers.get("authorization", ""),
            content=content,
        )
        return Response(reply.encoded(), reply.status, headers=_headers(reply))

    methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]
    return Starlette(routes=[Route("/{path:path}", handle, methods=methods)])


def _headers(reply: FakeReply) -> dict[str, str]:
    kind = "text/csv" if isinstance(reply.content, bytes) else "application/json"
    return {"content-type": kind, **(reply.headers or {})}


def answer(
    world: ProlificWorld, method: str, target: str, *, authorization: str, content: bytes
) -> FakeReply:
    """What the platform answers a request."""
    path, _, query = target.partition("?")
    with world.lock:
        fault = _take_fault(world, path)
        if fault is not None and not fault.is_carried_out:
            return _broken(fault)
        if authorization != f"Token {world.token}":
            return FakeReply({"detail": "Invalid token."}, 401)
        world.pass_time()
        reply = _handled(world, method, (path, query), content)
        return reply if fault is None else _broken(fault)


def _take_fault(world: ProlificWorld, path: str) -> FakeFault | None:
    fault = next((each for each in world.faults if path.endswith(each.path)), None)
    if fault is not None:
        world.faults.remove(fault)
    return fault


def _broken(fault: FakeFault) -> FakeReply:
    return FakeReply(b"<html>Bad gateway</html>", fault.status)


def _handled(
    world: ProlificWorld, method: str, target: tuple[str, str], content: bytes
) -> FakeReply:
    place, query = target[0].removeprefix(_PREFIX), dict(parse_qsl(target[1]))
    for allowed, pattern, handle in ROUTES:
        found = pattern.fullmatch(place)
        if found is None or allowed != method:
            continue
        try:
            body = json.loads(content) if content else {}
            return handle(FakeCall(world, found.groups(), query, body))
        except FakeRefusal as refusal:
            return _refusal(place, refusal)
        except (ValueError, TypeError, KeyError, AttributeError):
            return _refusal(place, FakeRefusal("The request cannot be read."))
    return FakeReply({"detail": "Not found."}, 404)


def _refusal(place: str, refusal: FakeRefusal) -> FakeReply:
    """Studies have nested errors, money unnested ones, and everything else flat ones."""
    detail = {
        "status": refusal.status,
        "error_code": 140000 + refusal.status,
        "title": "The request was refused",
        "detail": refusal.detail,
        "additional_information": "/docs",
    }
    if place.startswith("/studies/"):
        return FakeReply({"error": detail}, refusal.status)
    if "bonus-payments" in place:
        return FakeReply(detail, refusal.status)
    return FakeReply({"message": "Refused", "detail": refusal.detail}, refusal.status)
