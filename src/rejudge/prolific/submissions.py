"""Following Prolific's submissions: by asking for all of them, or by its notifications.

Both ways lead to the same place: reports that the store follows, each once, newest word first. A
lost notification is made up for by the next poll, so nothing depends on a public address.
"""

from __future__ import annotations

import csv
import io
import re
import statistics
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

from pydantic import TypeAdapter, ValidationError

from rejudge.collect.assignment import TAKES_PLACE
from rejudge.collect.looks import Look
from rejudge.collect.submissions import (
    FAIR_CHECKS,
    QUADRANTS,
    EnteredCode,
    Quadrant,
    ReconciledVisit,
    SubmissionReport,
    SubmissionStatus,
    failures_to_reject,
    reconcile_visit,
)
from rejudge.design.plan import Plan
from rejudge.english import count, verb
from rejudge.errors import DataError, FileError, Problem, RejudgeError
from rejudge.files.disk import write_bytes
from rejudge.incoming import TEXT_BYTES, read_bytes
from rejudge.judgments.answers import check_results
from rejudge.judgments.table import Judgments
from rejudge.platforms import AGE_GROUPS, order_age_groups
from rejudge.prolific import client
from rejudge.prolific.client import (
    HOLDS_PLACE,
    ProlificApi,
    ProlificError,
    ProlificStudy,
    StudyStatus,
    UrlProgress,
)
from rejudge.prolific.study import batch_of_url
from rejudge.spreadsheet import csv_rows, csv_text
from rejudge.store.records import FollowedReport
from rejudge.store.store import Store
from rejudge.study.model import Study
from rejudge.study.site import Codes

PLATFORM = "prolific"
STATUSES: Mapping[client.SubmissionStatus, SubmissionStatus] = {
    "RESERVED": "reserved",
    "ACTIVE": "active",
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "PARTIALLY APPROVED": "approved",
    "REJECTED": "rejected",
    "RETURNED": "returned",
    "TIMED-OUT": "timed-out",
    "SCREENED OUT": "screened-out",
    "UNKNOWN": "unknown",
}
_BETWEEN_POLLS = timedelta(seconds=5)  # of arrivals that found no place


class SubmissionSource(Protocol):
    """As much of the API as following needs."""

    def submissions(self, study: str) -> Iterable[client.Submission]:
        """All submissions of a study."""


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Our visits beside their submissions."""

    visits: tuple[ReconciledVisit, ...]
    freed: int = 0  # places that this poll gave back

    def counts(self) -> Mapping[Quadrant, int]:
        """How many visits are in each of the four cases."""
        found = Counter(visit.quadrant for visit in self.visits)
        return {quadrant: found[quadrant] for quadrant in QUADRANTS}

    def paid(self, reward: Decimal, screen_out: Decimal = Decimal(0)) -> Decimal:
        """What approved submissions and people screened out cost, before fees."""
        said = Counter(visit.said for visit in self.visits)
        return reward * said["approved"] + screen_out * said["screened-out"]


def poll(
    store: Store, api: SubmissionSource, study: str, *, now: Callable[[], datetime]
) -> Reconciliation:
    """Ask for all submissions, do what they mean for our places, and compare them with our visits.

    What is said counts as said when the question was sent: a notification that overtakes the
    answer is newer.
    """
    asked_at = now()
    submissions = list(api.submissions(study))
    reports = [SubmissionReport(each.id, STATUSES[each.status], asked_at) for each in submissions]
    followed = store.follow(PLATFORM, reports, now=now())
    return Reconciliation(reconcile(store, submissions), freed_places(followed))


def compare(store: Store, api: SubmissionSource, study: str) -> Reconciliation:
    """Ask for all submissions and compare them with our visits; nothing is changed here."""
    return Reconciliation(reconcile(store, list(api.submissions(study))))


def freed_places(followed: Iterable[FollowedReport]) -> int:
    """How many batches changed hands because somebody is gone."""
    return sum(len(each.changed) for each in followed)


def reconcile(
    store: Store, submissions: Iterable[client.Submission]
) -> tuple[ReconciledVisit, ...]:
    """Every visit of ours and every submission of theirs once, in the order of arrival."""
    theirs = {each.id: each for each in submissions}
    of_visit: dict[int, list[str]] = {}
    for assignment in store.assignments():
        of_visit.setdefault(assignment.visit, []).append(assignment.status)
    found = []
    for identity in store.identities():
        if identity.recruiter != PLATFORM:
            continue
        submission = theirs.pop(identity.session, None)
        found.append(
            reconcile_visit(
                None if submission is None else STATUSES[submission.status],
                of_visit.get(identity.visit, ()),  # type: ignore[arg-type]  # they are statuses
                participant=identity.participant,
                session=identity.session,
                code=None if submission is None else entered_code(submission, store.codes),
            )
        )
    found += [
        reconcile_visit(
            STATUSES[each.status],
            (),
            participant=None,
            session=each.id,
            code=entered_code(each, store.codes),
        )
        for each in theirs.values()
    ]
    return tuple(found)


def entered_code(submission: client.Submission, codes: Codes) -> EnteredCode | None:
    """Which of our codes was entered; None before anything was handed in."""
    if STATUSES[submission.status] not in {"submitted", "approved", "rejected"}:
        return None
    given = (submission.study_code or "").strip().upper()
    if not given or given == "NOCODE":
        return "none"
    known: dict[str, EnteredCode] = {
        (codes.completed or "").upper(): "completed",
        (codes.declined or "").upper(): "declined",
        (codes.full or "").upper(): "full",
        (codes.not_qualified or "").upper(): "not-qualified",
        (codes.screened_out or "").upper(): "screened-out",
        (codes.failed_checks or "").upper(): "failed",
    }
    return known.get(given, "another")


class Poller:
    """Asks the platform before somebody is told that no task is left, and every few minutes.

    Several people may find no place at the same moment: one asks, the others wait for the answer.
    """

    def __init__(
        self,
        store: Store,
        api: SubmissionSource,
        study: str,
        *,
        now: Callable[[], datetime],
        report: Callable[[str], None],
    ) -> None:
        self._store = store
        self._api = api
        self._study = study
        self._now = now
        self._report = report
        self._mutex = threading.Lock()
        self._polled_at: datetime | None = None
        self._freed = 0

    def refresh(self) -> bool:
        """Whether places became free. Without an answer nothing changes; leases still expire."""
        came_at = self._now()
        with self._mutex:
            if self._polled_at is None or self._polled_at + _BETWEEN_POLLS <= came_at:
                self._freed = self._poll()
                self._polled_at = self._now()
            return self._freed > 0

    def _poll(self) -> int:
        try:
            return poll(self._store, self._api, self._study, now=self._now).freed
        except RejudgeError as error:
            self._report(f"the platform could not be reached: {error}")
            return 0


Category: TypeAlias = Literal["FAILED_CHECK", "TOO_QUICKLY", "NO_DATA"]

_LEAST_TIMES = 10  # fewer have no standard deviation worth the name
_DEVIATIONS = 3


@dataclass(frozen=True, slots=True)
class ReviewedWork:
    """The work of one participant, as far as a review may look at it."""

    participant: str  # pseudonym
    is_complete: bool
    minutes: float | None = None  # from arrival to handing in
    failed_fair: int = 0
    failed_gold: int = 0


@dataclass(frozen=True, slots=True)
class Review:
    """What may be done with a submission, and why."""

    work: ReviewedWork
    may_reject: bool
    reason: str
    category: Category | None = None
    message: str | None = None  # for the participant, should it be rejected


def failed_checks(
    study: Study, plan: Plan, judgments: Judgments, *, by_batch: bool = False
) -> Mapping[str, tuple[int, int]]:
    """By participant: how many fair attention checks and how many gold items were failed.

    `by_batch`: where each batch is a submission of its own, those of the batch with the most.
    """
    kinds = {check.id: check.kind for check in study.spec.checks}
    fair: Counter[tuple[str, str]] = Counter()
    gold: Counter[tuple[str, str]] = Counter()
    for result in check_results(plan, judgments):
        if not result.is_right:
            is_fair = kinds.get(result.check) in FAIR_CHECKS
            place = (result.participant, result.batch if by_batch else "")
            (fair if is_fair else gold)[place] += 1
    most: dict[str, tuple[int, int]] = {}
    for name, batch in fair.keys() | gold.keys():
        known = most.get(name, (0, 0))
        most[name] = (max(known[0], fair[name, batch]), max(known[1], gold[name, batch]))
    return most


def shortest_plausible(minutes: Iterable[float]) -> float | None:
    """The time below which work is exceptionally fast: three standard deviations below the mean.

    None while fewer than ten people have finished, or where the bound is not above zero, as it is
    when some took very long.
    """
    times = list(minutes)
    if len(times) < _LEAST_TIMES:
        return None
    bound = statistics.fmean(times) - _DEVIATIONS * statistics.stdev(times)
    return bound if bound > 0 else None


def review(work: ReviewedWork, *, expected_minutes: float, shortest: float | None) -> Review:
    """Whether a submission may be rejected by Prolific's rules, and the reason either way."""
    needed = failures_to_reject(expected_minutes)
    if work.failed_fair >= needed:
        failed = f"{count(work.failed_fair, 'attention check')} failed"
        return _may(
            work,
            "FAILED_CHECK",
            f"{failed}; {needed} allow a rejection in a study of {expected_minutes:.0f} minutes.",
            "Attention checks in this study state which answer to choose. In your submission "
            f"{work.failed_fair} of them had another answer.",
        )
    if work.minutes is not None and shortest is not None and work.minutes < shortest:
        return _may(
            work,
            "TOO_QUICKLY",
            f"{work.minutes:.1f} minutes, which is below {shortest:.1f} (mean − 3 SD).",
            f"The study was completed in {work.minutes:.1f} minutes, more than three standard "
            "deviations faster than the mean of all participants.",
        )
    return Review(work, may_reject=False, reason=_why_not(work, needed))


def review_all(works: Sequence[ReviewedWork], *, expected_minutes: float) -> tuple[Review, ...]:
    """All submissions, each against the times of all that are complete."""
    finished = [w.minutes for w in works if w.is_complete and w.minutes is not None]
    shortest = shortest_plausible(finished)
    return tuple(
        review(work, expected_minutes=expected_minutes, shortest=shortest) for work in works
    )


def _may(work: ReviewedWork, category: Category, reason: str, message: str) -> Review:
    polite = (
        f"{message} If you think this is a mistake, please send us a message; we will look at it."
    )
    return Review(work, may_reject=True, reason=reason, category=category, message=polite)


def _why_not(work: ReviewedWork, needed: int) -> str:
    if not work.is_complete:
        return "The data are not complete; ask the person to return the submission first."
    if work.failed_fair:
        return f"{work.failed_fair} of {needed} failed attention checks that allow a rejection."
    if work.failed_gold:
        return (
            f"{count(work.failed_gold, 'gold item')} failed. The data may be excluded, but gold "
            "items never justify a rejection."
        )
    return "There is no reason not to approve."


ADDED_PARAMETER: Final = "ADDED"  # tells a further address of a batch from those before it
_AT_WORK = frozenset({"reserved", "active"})
_NOT_PUBLISHED = frozenset({"UNPUBLISHED", "SCHEDULED", "PUBLISHING"})
_TO_STOP: frozenset[StudyStatus] = frozenset({"ACTIVE", "PUBLISHING", "PAUSED", "AWAITING REVIEW"})


@dataclass(frozen=True, slots=True)
class Replacements:
    """How many more people are needed, and the request that asks for them."""

    places: int  # to be added on Prolific
    by_batch: Mapping[str, int]  # which batches lack people, and how many
    study: ProlificStudy
    changes: Mapping[str, Any]  # JSON, as the API takes it; empty where nothing is needed


def find_replacements(
    api: ProlificApi, store: Store, study: str, found: Reconciliation
) -> Replacements:
    """What a study lacks after a poll (`found`). Reads from Prolific, changes nothing."""
    known = api.study(study)
    if known.status in _NOT_PUBLISHED:
        what = "the study is not published, so nobody needs to be replaced."
        raise ProlificError(Problem(what, "Publish it first: rejudge prolific publish."))
    missing = Counter(
        {
            each.batch: max(0, each.places - each.done - each.held)
            for each in store.occupancies()
            if not store.plan.batch[each.batch].is_calibration
        }
    )
    if store.study.spec.stop is not None and store.look_log().is_over:
        missing = Counter()  # places that became free after the last look are not needed
    coming = _coming(store, found)
    urls = api.url_progress(study)
    if urls is not None:
        return _with_taskflow(known, urls, missing, coming)
    taken = known.places_taken
    if taken is None:
        counts = api.submission_counts(study)
        taken = sum(number for status, number in counts.items() if status in HOLDS_PLACE)
    people = max(0, known.total_available_places - taken) + coming.total()
    return _with_one_address(known, +missing, people, store.plan.batches_per_participant)


def _with_one_address(
    known: ProlificStudy, missing: Counter[str], coming: int, each_does: int
) -> Replacements:
    """`coming`: people who are on the way, each of whom does up to `each_does` batches."""
    places = max(0, ceil((missing.total() - coming * each_does) / each_does))
    total = {"total_available_places": known.total_available_places + places}
    return Replacements(places, missing if places else {}, known, total if places else {})


def _with_taskflow(
    known: ProlificStudy,
    urls: list[UrlProgress],
    missing: Counter[str],
    coming: Counter[str | None],
) -> Replacements:
    if coming[None]:
        who, have = count(coming[None], "participant"), verb(coming[None], "has", "have")
        what = f"{who} started on Prolific and {have} not arrived here yet."
        raise ProlificError(Problem(what, "Try again in ten minutes: their batches are not known."))
    open_places: Counter[str] = Counter()
    for each in urls:
        open_places[batch_of_url(each.external_url)] += each.open
    needed = missing - open_places - Counter({k: n for k, n in coming.items() if k is not None})
    if not needed:
        return Replacements(0, {}, known, {})
    changes = {
        "access_details": [
            {"external_url": _further_url(urls, batch), "total_allocation": number}
            for batch, number in sorted(needed.items())
        ],
        "total_available_places": known.total_available_places + needed.total(),
    }
    return Replacements(needed.total(), needed, known, changes)


def _coming(store: Store, found: Reconciliation) -> Counter[str | None]:
    """How many are at work there without a batch here, by the batch their link named.

    None: they have not arrived, or their link names no batch.
    """
    main = {
        each.visit
        for each in store.assignments()
        if each.status in TAKES_PLACE and not store.plan.batch[each.batch].is_calibration
    }
    visits = {each.session: each for each in store.identities()}
    coming: Counter[str | None] = Counter()
    for each in found.visits:
        known = visits.get(each.session or "")
        if each.said in _AT_WORK and (known is None or known.visit not in main):
            coming[None if known is None else known.sent_to] += 1
    return coming


def _further_url(urls: list[UrlProgress], batch: str) -> str:
    """One more address of a batch: Prolific tells addresses apart by their text."""
    own = [each.external_url for each in urls if batch_of_url(each.external_url) == batch]
    if not own:
        what = f"Prolific has no address for batch {batch}."
        raise ProlificError(Problem(what, "Was the plan drawn again after the study was created?"))
    return f"{own[0]}&{ADDED_PARAMETER}={len(own)}"


def follow_look(
    api: ProlificApi, store: Store, study: str, look: Look, *, now: Callable[[], datetime]
) -> str:
    """Do on Prolific what a look decided; what was done, in words. The same twice changes nothing.

    People who have started can finish: stopping a study only keeps new ones out.
    """
    if look.is_final:
        if api.study(study).status not in _TO_STOP:
            return "the study had already stopped on Prolific"
        api.transition_study(study, "STOP")
        return "the study was stopped on Prolific"
    found = find_replacements(api, store, study, poll(store, api, study, now=now))
    if not found.places:
        return "Prolific has enough places"
    api.update_study(study, found.changes)
    if found.study.status == "PAUSED":
        api.transition_study(study, "START")
    return f"{found.places} places were added on Prolific"


SUBMISSION = "Submission id"
_NEVER_KEPT = frozenset(  # ids, and what describes the submission and not the person
    {
        SUBMISSION, "Participant id", "Status", "Custom study tncs accepted at", "Started at",
        "Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code",
        "Total approvals",
    }
)  # fmt: skip
_AGE = "Age"
_OLDEST = (17, 24, 34, 44, 54, 64)  # of each group but the last
NOT_GIVEN = "not given"
_ABSENT = frozenset({"", "DATA_EXPIRED", "CONSENT_REVOKED"})


@dataclass(frozen=True, slots=True)
class Demographics:
    """What participants told the platform about themselves, by pseudonym."""

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str | None, ...]]  # by pseudonym; None: not given, or expired
    unknown: int = 0  # rows of people who never arrived at our site, or did not consent
    missing: tuple[str, ...] = ()  # pseudonyms that the export does not have

    def distribution(self, column: str) -> tuple[tuple[str, int], ...]:
        """How many people gave each answer, the most frequent first; absent ones last.

        Groups of ages are in their own order.
        """
        place = self.columns.index(column)
        found = Counter(row[place] for row in self.rows.values())
        given = sorted(
            ((answer, number) for answer, number in found.items() if answer is not None),
            key=lambda each: (-each[1], each[0]),
        )
        ordered = order_age_groups(answer for answer, _ in given)
        if ordered:
            given = [(answer, found[answer]) for answer in ordered]
        return (*given, *(((NOT_GIVEN, found[None]),) if found[None] else ()))

    def to_csv(self) -> bytes:
        """A table with one row per participant, and no id of the platform."""
        lines = [("participant", *self.columns)]
        return csv_text([*lines, *((name, *row) for name, row in self.rows.items())]).encode()


def join_demographics(content: bytes, *, pseudonyms: Mapping[str, str]) -> Demographics:
    """Read an export. `pseudonyms`: the participant of each submission id whose person consented.

    Columns are found by name: which ones there are depends on the filters of the study.
    """
    rows = _read_rows(content)
    head = [name.strip() for name in rows[0]] if rows else []
    if SUBMISSION not in head:
        raise FileError(
            Problem(
                f"the export has no column “{SUBMISSION}”.",
                "Download the demographic data of this study from Prolific again.",
            )
        )
    kept = [place for place, name in enumerate(head) if name and name not in _NEVER_KEPT]
    key = head.index(SUBMISSION)
    found: dict[str, tuple[str | None, ...]] = {}
    unknown = 0
    for row in rows[1:]:
        cells = [*row, *[""] * (len(head) - len(row))]
        name = pseudonyms.get(cells[key].strip())
        if name is None:
            unknown += 1
            continue
        found.setdefault(name, tuple(_cell(head[place], cells[place]) for place in kept))
    missing = sorted(set(pseudonyms.values()) - found.keys())
    ordered = {name: found[name] for name in sorted(found)}
    return Demographics(tuple(head[place] for place in kept), ordered, unknown, tuple(missing))


def _read_rows(content: bytes) -> Sequence[list[str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(
            Problem("the export is not in UTF-8.", "Download it again, and do not edit it.")
        ) from None
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row]


def _cell(column: str, text: str) -> str | None:
    stripped = text.strip()
    if stripped in _ABSENT:
        return None
    return _age_group(stripped) if column == _AGE else stripped


def _age_group(text: str) -> str:
    """An age as a group of ages, which says less about one person."""
    if not text.isdecimal():
        return text
    return AGE_GROUPS[sum(int(text) > most for most in _OLDEST)]


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

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> list[client.BonusBatch]:
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
