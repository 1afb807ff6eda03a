"""What participants do, kept in a database: arriving, consenting, claiming, answering, submitting.

`collect` decides; `arrivals`, `visits` and `work` write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Literal, TypeVar

from sqlalchemy import bindparam, select

from rejudge.collect.assignment import Assignment
from rejudge.collect.receipts import receipt_code
from rejudge.collect.submissions import failures_to_reject, rejecting_checks, study_minutes
from rejudge.collect.visit import Arrival, Origin, Visit
from rejudge.design.plan import Plan, Task
from rejudge.errors import StoreUnavailable
from rejudge.store import (
    arrivals,
    claiming,
    gate,
    tables,
    visits,
    work,
)
from rejudge.store.database import Database, Transactions
from rejudge.store.records import (
    PageAnswers,
    Saved,
    State,
)
from rejudge.store.registering import Checks, RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction
from rejudge.study.model import Study
from rejudge.study.site import Codes

T = TypeVar("T")

_LOCK = SqlStatement(
    select(tables.study.c.id)
    .where(tables.study.c.id == bindparam("study"))
    .with_for_update(key_share=True)
)


class ParticipantStore:
    """One study of a database, as far as participants use it."""

    def __init__(self, database: Database, known: RegisteredStudy) -> None:
        self._database = database
        self._known = known
        self._transactions = Transactions(database, _LOCK, known.id)
        self._checks = Checks(known.study, known.plan)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.study.spec.id!r} in {self._database.name!r})"

    @property
    def study(self) -> Study:
        """What is asked."""
        return self._known.study

    @property
    def plan(self) -> Plan:
        """Who sees what."""
        return self._known.plan

    @property
    def is_rehearsal(self) -> bool:
        """Whether the people in it are simulated."""
        return self._known.is_rehearsal

    @property
    def lease(self) -> timedelta:
        """How long a batch is kept for somebody of whom nothing is heard."""
        return self._known.lease

    @property
    def reads_at_once(self) -> bool:
        """Whether reading waits for nobody: neither for a network nor for whoever writes."""
        return self._database.is_sqlite

    def arrive(self, arrival: Arrival, *, now: datetime, device: str | None = None) -> Visit:
        """The visit of this person and session: the same one however often they come.

        ElsewhereOpen: the person is known and holds a batch under another session.
        """
        known = self._known
        if self._transactions.shared is None:  # look first: who comes again waits for no writer
            found = self._read(lambda tx: arrivals.find(tx, known, arrival))
            if found is not None:
                return found
        return self._write(lambda tx: arrivals.arrive(tx, known, arrival, now=now, device=device))

    def find(self, arrival: Arrival) -> Visit | None:
        """The visit of somebody who has arrived before by the same link."""
        return self._read(lambda tx: arrivals.find(tx, self._known, arrival))

    def visit(self, visit: int) -> Visit | None:
        """A visit with its assignments; None when there is none (any more)."""
        return self._read(lambda tx: visits.read(tx, self._known, visit))

    def consent(self, visit: Visit | int, *, agreed: bool, version: str, now: datetime) -> Visit:
        """Keep the decision and the version of the text (`consent_version`) it was made on.

        Those with a list of their own read a text with their own numbers, which is kept with it.
        The first decision counts, and only of somebody who may take part.
        """

        def decide(tx: Transaction) -> Visit:
            here = self._look(tx, visit).visit
            return visits.consent(tx, self._known, here, agreed=agreed, version=version, now=now)

        return self._write(decide)

    def agree(
        self,
        visit: Visit | int,
        *,
        version: str,
        now: datetime,
        origin: Origin | None = None,
        ticks: PageAnswers | None = None,
    ) -> Visit:
        """Keep that somebody agreed and give them a batch, in one go: `consent` and `claim`.

        `ticks`: which statements of the consent page they ticked.
        """

        def decide(tx: Transaction) -> Visit:
            here = self._look(tx, visit)
            if not visits.is_undecided(here.visit):
                return here.visit
            agreed = visits.consent(
                tx, self._known, here.visit, agreed=True, version=version, now=now
            )
            if ticks is not None:
                work.add_ticks(tx, ticks, now=now)
            here = replace(here, visit=agreed)
            return claiming.claim(tx, self._known, here, now=now, origin=origin)

        return self._write(decide)

    def pass_step(
        self,
        visit: Visit | int,
        step: Literal["screening", "instructions", "practice", "exit"],
        *,
        now: datetime,
    ) -> Visit:
        """Note that somebody who has agreed has come past a page; the first time counts."""

        def go_on(tx: Transaction) -> Visit:
            passed = visits.pass_step(tx, self._known, self._look(tx, visit).visit, step, now=now)
            work.keep_unbegun(tx, self._known, passed.id, now=now)
            return passed

        return self._write(go_on)

    def screen(
        self,
        visit: Visit | int,
        page: PageAnswers,
        *,
        admit: bool,
        now: datetime,
        origin: Origin | None = None,
    ) -> Visit:
        """Keep the answers to screening questions and give a batch, or let the person go."""
        return self._write(
            lambda tx: claiming.screen(
                tx, self._known, self._look(tx, visit), page, admit=admit, now=now, origin=origin
            )
        )

    def screen_out(self, visit: Visit | int, *, now: datetime) -> Visit:
        """Let somebody go who did not pass what comes before the tasks; their place is freed."""
        return self._write(
            lambda tx: claiming.screen_out(tx, self._known, self._look(tx, visit), now=now)
        )

    def attempts(self, visit: Visit | int, task: str) -> list[dict[str, str]]:
        """What somebody answered to a task of practice each time, by question."""
        number = visit if isinstance(visit, int) else visit.id
        return self._read(lambda tx: claiming.attempts(tx, number, task))

    def claim(self, visit: Visit, *, now: datetime, origin: Origin | None = None) -> Visit:
        """Give the batch in hand or the next one; without one the visit is turned away.

        Trying again later is allowed. A study that is paused or closed hands out nothing new.
        `origin`: where somebody comes from whom nothing proves; it limits what they may hold.
        """
        here = self.visit(visit.id)
        if here is not None and _holds(here, now=now):
            return here
        return self._write(
            lambda tx: claiming.claim(
                tx, self._known, self._look(tx, visit), now=now, origin=origin
            )
        )

    def has_next_batch(self, visit: Visit, *, now: datetime) -> bool:
        """Whether `claim` would give a batch now; writes nothing."""
        return self._read(lambda tx: claiming.has_next(tx, self._known, visit.id, now=now))

    def is_waiting(self, visit: Visit) -> bool:
        """Whether somebody is through with calibration and waits for the rest to be opened."""
        if not self.study.spec.site.hold_after_calibration:
            return False
        return self._read(lambda tx: gate.is_waiting(tx, self._known, self._look(tx, visit).owner))

    def finish_attempt(self, visit: Visit | int, attempt: int, *, now: datetime) -> Visit:
        """Hand in an attempt at the qualification; doing so twice is doing it once.

        Whoever passes gets a batch in the same step. Unfinished: an answer is missing.
        """
        return self._write(
            lambda tx: claiming.finish_attempt(
                tx, self._known, self._look(tx, visit), attempt=attempt, now=now
            )
        )

    def order(self, assignment: Assignment) -> tuple[Task, ...]:
        """The tasks of a batch in the order of this seat."""
        return self._known.order(assignment.batch, assignment.seat)

    def answers(self, of: Visit | Assignment) -> dict[tuple[str, str], str]:
        """The latest raw value by task and question, of a whole visit or of one assignment."""
        if isinstance(of, Visit):
            return self._read(lambda tx: work.answers(tx, of.id))
        return self._read(lambda tx: work.answers(tx, of.visit, of.id))

    def record(self, page: PageAnswers, *, now: datetime) -> Saved:
        """Store the answers of a page for good, then say so."""
        return self._write(lambda tx: work.record(tx, self._known, page, now=now))

    def record_all(self, pages: Sequence[PageAnswers], *, now: datetime) -> Saved:
        """Store the answers of several pages of one assignment in one go: the list in one form."""
        return self._write(lambda tx: work.record_all(tx, self._known, pages, now=now))

    def submit(self, assignment: Assignment, *, now: datetime) -> Assignment:
        """Hand in a batch; doing so twice is doing it once. Unfinished: an answer is missing."""
        visit = self.hand_in(assignment.visit, assignment.id, now=now)
        return next(each for each in visit.assignments if each.id == assignment.id)

    def hand_in(
        self, visit: int, assignment: int, pages: Sequence[PageAnswers] = (), *, now: datetime
    ) -> Visit:
        """Store the last answers and hand in a batch, in one go: `record_all` and `submit`.

        What is not this visit's is left alone.
        """

        def finish(tx: Transaction) -> Visit:
            here = self._look(tx, visit)
            return work.hand_in(
                tx,
                self._known,
                here,
                assignment=assignment,
                pages=pages,
                checks=self._checks,
                now=now,
            )

        return self._write(finish)

    def may_be_rejected(self, visit: Visit) -> bool:
        """Whether somebody failed as many fair attention checks as allow a rejection.

        Only checks count that the study wants to reject for (`on_fail: reject`).
        """
        if not rejecting_checks(self.study):
            return False
        finished = [each for each in visit.assignments if each.is_finished]
        failed = sum(
            self._checks.count_rejecting(each.batch, self.answers(each)) for each in finished
        )
        return failed >= failures_to_reject(study_minutes(self.study, self.plan))

    def note_client(
        self,
        visit: Visit,
        *,
        time_zone: str | None = None,
        offset_minutes: int | None = None,
        device: str | None = None,
        language: str | None = None,
    ) -> None:
        """Keep what the browser tells of itself; the first time counts."""
        odd = visits.is_odd(time_zone, self.study.spec.recruitment.regions)
        self._write(
            lambda tx: visits.note_client(
                tx,
                visit.id,
                zone=time_zone,
                offset=offset_minutes,
                kind=device,
                tongue=language,
                odd=odd,
            )
        )

    @contextmanager
    def transaction(self, numbers: Collection[int] = ()) -> Iterator[None]:
        """Make everything that this thread does meanwhile one transaction, durable at the end.

        What leaves it by an exception is undone. `numbers`: of the visits that will be asked for,
        to be read in one go.
        """
        with self._transactions.sharing() as tx, visits.prefetch(tx, self._known, numbers):
            yield

    @contextmanager
    def reading(self, numbers: Collection[int] = ()) -> Iterator[None]:
        """Read everything that this thread reads meanwhile through one connection."""
        with self._transactions.looking() as tx, visits.prefetch(tx, self._known, numbers):
            yield

    def unavailable(self, error: StoreUnavailable) -> AbstractContextManager[None]:
        """Have everything that this thread does meanwhile fail with this error, at once."""
        return self._transactions.failing(error)

    @property
    def codes(self) -> Codes:
        """The completion codes; the first three are set, the others where they can be needed."""
        return self._known.codes

    @property
    def registered_on(self) -> date:
        """The day on which the study was first served; its rates of pay are promised."""
        return self._known.registered_on

    @property
    def consent_version(self) -> str:
        """Names the information and consent pages as people read them, as `consent` keeps it."""
        return self._known.consent_text(None).version

    @property
    def secret(self) -> bytes:
        """What the site signs cookies and forms with: 32 random bytes, made on registration."""
        return self._known.secret

    def receipt(self, participant: str) -> str:
        """The code with which a participant (pseudonym) can ask for their data later."""
        return receipt_code(self.secret, participant)

    @property
    def state(self) -> State:
        """Whether batches are handed out."""
        found = self._read(lambda tx: work.state(tx, self._known))
        return "open" if found == "open" else "paused" if found == "paused" else "closed"

    @property
    def is_open(self) -> bool:
        """Whether batches are handed out."""
        return self.state == "open"

    def _read(self, look: Callable[[Transaction], T]) -> T:
        return self._transactions.read(look)

    def _write(self, work: Callable[[Transaction], T]) -> T:
        return self._transactions.write(work)

    def _look(self, transaction: Transaction, visit: Visit | int) -> visits.VisitRecord:
        number = visit if isinstance(visit, int) else visit.id
        return visits.look(transaction, self._known, number)


def _holds(visit: Visit, *, now: datetime) -> bool:
    """Whether the batch in hand needs nothing done."""
    current = visit.current
    return current is not None and current.status == "held" and current.expires_at > now
