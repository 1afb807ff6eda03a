"""The store of one study: what is decided in `collect`, kept in a database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal, TypeVar

from sqlalchemy import bindparam, select

from rejudge.collect import (
    Arrival,
    Assignment,
    CalibrationGate,
    Event,
    Occupancy,
    Origin,
    Status,
    Visit,
)
from rejudge.design import Plan, Task
from rejudge.errors import StoreUnavailable
from rejudge.judgments import Answer
from rejudge.store import (
    copies,
    gate,
    origins,
    oversight,
    seats,
    tables,
    views,
    visits,
    work,
)
from rejudge.store.database import Database, Transactions
from rejudge.store.records import (
    AnswerRow,
    BatchPace,
    EventRow,
    Identity,
    LogEntry,
    PageAnswers,
    ParticipantStatus,
    Progress,
    Role,
    Saved,
    State,
    Token,
    Tombstone,
)
from rejudge.store.registering import Checks, Registered
from rejudge.store.statement import SqlStatement, Transaction
from rejudge.study import Codes, Study

T = TypeVar("T")

_LOCK = SqlStatement(
    select(tables.study.c.id)
    .where(tables.study.c.id == bindparam("study"))
    .with_for_update(key_share=True)
)


class Store:
    """One study of a database. Every `now` is aware and in UTC. Safe to use from many threads."""

    def __init__(self, database: Database, known: Registered) -> None:
        self._database = database
        self._known = known
        self._transactions = Transactions(database, _LOCK, known.id)
        self._checks = Checks(known.study, known.plan)

    def __repr__(self) -> str:
        return f"Store({self.study.spec.id!r} in {self._database.name!r})"

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

    # ── participants ──

    def arrive(self, arrival: Arrival, *, now: datetime, device: str | None = None) -> Visit:
        """The visit of this person and session: the same one however often they come.

        ElsewhereOpen: the person is known and holds a batch under another session.
        """
        known = self._known
        if self._transactions.shared is None:  # look first: who comes again waits for no writer
            found = self._read(lambda tx: visits.find(tx, known, arrival))
            if found is not None:
                return found
        return self._write(lambda tx: visits.arrive(tx, known, arrival, now=now, device=device))

    def visit(self, visit: int) -> Visit | None:
        """A visit with its assignments; None when there is none (any more)."""
        return self._read(lambda tx: visits.read(tx, self._known, visit))

    def consent(self, visit: Visit | int, *, agreed: bool, version: str, now: datetime) -> Visit:
        """Keep the decision and the version of the text (`consent_version`) it was made on.

        The first decision counts, and only of somebody who may take part.
        """

        def decide(tx: Transaction) -> Visit:
            here = self._look(tx, visit).visit
            return visits.consent(tx, self._known, here, agreed=agreed, version=version, now=now)

        return self._write(decide)

    def agree(
        self, visit: Visit | int, *, version: str, now: datetime, origin: Origin | None = None
    ) -> Visit:
        """Keep that somebody agreed and give them a batch, in one go: `consent` and `claim`."""

        def decide(tx: Transaction) -> Visit:
            here = self._look(tx, visit)
            if not visits.is_undecided(here.visit):
                return here.visit
            agreed = visits.consent(
                tx, self._known, here.visit, agreed=True, version=version, now=now
            )
            here = replace(here, visit=agreed)
            return work.claim(tx, self._known, here, now=now, origin=origin)

        return self._write(decide)

    def pass_step(
        self,
        visit: Visit | int,
        step: Literal["instructions", "practice", "exit"],
        *,
        now: datetime,
    ) -> Visit:
        """Note that somebody who has agreed has come past a page; the first time counts."""

        def go_on(tx: Transaction) -> Visit:
            passed = visits.pass_step(tx, self._known, self._look(tx, visit).visit, step, now=now)
            work.keep_unbegun(tx, self._known, passed.id, now=now)
            return passed

        return self._write(go_on)

    def claim(self, visit: Visit, *, now: datetime, origin: Origin | None = None) -> Visit:
        """Give the batch in hand or the next one; without one the visit is turned away.

        Trying again later is allowed. A study that is paused or closed hands out nothing new.
        `origin`: where somebody comes from whom nothing proves; it limits what they may hold.
        """
        here = self.visit(visit.id)
        if here is not None and _holds(here, now=now):
            return here
        return self._write(
            lambda tx: work.claim(tx, self._known, self._look(tx, visit), now=now, origin=origin)
        )

    def has_next_batch(self, visit: Visit, *, now: datetime) -> bool:
        """Whether `claim` would give a batch now; writes nothing."""
        return self._read(lambda tx: work.has_next(tx, self._known, visit.id, now=now))

    def is_waiting(self, visit: Visit) -> bool:
        """Whether somebody is through with calibration and waits for the rest to be opened."""
        if not self.study.spec.site.hold_after_calibration:
            return False
        return self._read(lambda tx: gate.is_waiting(tx, self._known, self._look(tx, visit).owner))

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
        with self._transactions.sharing() as tx, visits.prefetching(tx, self._known, numbers):
            yield

    @contextmanager
    def reading(self, numbers: Collection[int] = ()) -> Iterator[None]:
        """Read everything that this thread reads meanwhile through one connection."""
        with self._transactions.looking() as tx, visits.prefetching(tx, self._known, numbers):
            yield

    def unavailable(self, error: StoreUnavailable) -> AbstractContextManager[None]:
        """Have everything that this thread does meanwhile fail with this error, at once."""
        return self._transactions.failing(error)

    @property
    def codes(self) -> Codes:
        """The completion codes; all three are set."""
        return self._known.codes

    @property
    def registered_on(self) -> date:
        """The day on which the study was first served; its rates of pay are promised."""
        return self._known.registered_on

    @property
    def consent_version(self) -> str:
        """Names the information and consent pages as people read them, as `consent` keeps it."""
        return self._known.consent_version

    @property
    def secret(self) -> bytes:
        """What the site signs cookies and forms with: 32 random bytes, made on registration."""
        return self._known.secret

    @property
    def state(self) -> State:
        """Whether batches are handed out."""
        found = self._read(lambda tx: work.state(tx, self._known))
        return "open" if found == "open" else "paused" if found == "paused" else "closed"

    @property
    def is_open(self) -> bool:
        """Whether batches are handed out."""
        return self.state == "open"

    # ── researchers ──

    def expire(self, *, now: datetime) -> int:
        """Free the places of those of whom nothing was heard for too long; gives how many."""

        def sweep(tx: Transaction) -> int:
            origins.forget(tx, self._known, now=now)
            return seats.sweep(tx, self._known, now=now)

        return self._write(sweep)

    def release_unanswered(
        self, *, who: str, reason: str, now: datetime, minutes: float = 0.0
    ) -> int:
        """Take back all places that were given so many minutes ago and have no answer.

        Whoever had one takes it up again with the first answer while it is free. Gives how many.
        """
        before = now - timedelta(minutes=minutes)
        return self._write(
            lambda tx: oversight.release_unanswered(
                tx, self._known, before=before, who=who, reason=reason, now=now
            )
        )

    def change(
        self, assignment: int, event: Event, *, who: str, reason: str, now: datetime
    ) -> Assignment:
        """Accept, exclude, return or expire one assignment. DataError when that cannot be."""
        return self._write(
            lambda tx: oversight.change(
                tx, self._known, assignment, event, who=who, reason=reason, now=now
            )
        )

    def set_state(self, state: State, *, who: str, now: datetime, reason: str = "") -> None:
        """Open, pause or close the study."""
        self._write(
            lambda tx: oversight.set_state(tx, self._known, state, who=who, reason=reason, now=now)
        )

    def gate(self) -> CalibrationGate | None:
        """Whether the rest is open after calibration; None for a study without such a gate."""
        return self._read(lambda tx: gate.gate(tx, self._known))

    def set_gate(
        self, *, is_open: bool, who: str, now: datetime, reason: str = ""
    ) -> CalibrationGate:
        """Open the rest after calibration, or hold it back; the log keeps who, when and why."""
        return self._write(
            lambda tx: gate.set_gate(
                tx, self._known, is_open=is_open, who=who, reason=reason, now=now
            )
        )

    def add_place(self, batch: str, *, who: str, reason: str, now: datetime) -> Occupancy:
        """One more person for a batch than was planned; a surplus takes it first."""
        return self._write(
            lambda tx: oversight.add_place(tx, self._known, batch, who=who, reason=reason, now=now)
        )

    def withdraw(self, participant: str, *, who: str, now: datetime) -> Tombstone:
        """Remove everything of a participant (pseudonym) from the database."""
        left = self._write(
            lambda tx: oversight.withdraw(tx, self._known, participant, who=who, now=now)
        )
        if not self._database.purge():
            self.note("older pages remain in the log file until the next restart", who=who, now=now)
        return left

    def kept_of(self, participant: str, *, now: datetime) -> Tombstone:
        """How much is kept of a participant: what `withdraw` would remove. Nothing is changed."""
        return self._read(lambda tx: oversight.kept_of(tx, self._known, participant, now=now))

    def pseudonym_of(self, person: str) -> str | None:
        """Under which pseudonym a platform id is kept, the first where there are several."""
        return next(iter(self.pseudonyms_of(person)), None)

    def pseudonyms_of(self, person: str) -> tuple[str, ...]:
        """Under which pseudonyms a platform id is kept; to withdraw somebody who writes."""
        return self._read(lambda tx: oversight.pseudonyms_of(tx, self._known, person))

    def exclude_ids(self, persons: Iterable[str], *, who: str, now: datetime) -> int:
        """Turn these platform ids away from now on; they are kept as hashes. Gives how many."""
        listed = tuple(persons)
        return self._write(
            lambda tx: oversight.exclude_ids(tx, self._known, listed, who=who, now=now)
        )

    def note(
        self, what: str, *, who: str, now: datetime, reason: str = "", batch: str | None = None
    ) -> None:
        """Write a line into the audit log: a login, a download."""
        self._write(
            lambda tx: oversight.note(
                tx, self._known, what, who=who, now=now, reason=reason, batch=batch
            )
        )

    def identities(self) -> tuple[Identity, ...]:
        """Which platform id is behind which pseudonym: for payment, never for analysis."""
        return self._read(lambda tx: views.identities(tx, self._known))

    def assignment(self, assignment: int) -> Assignment | None:
        """One assignment by its id."""
        held = self._read(lambda tx: seats.find(tx, self._known, assignment))
        return None if held is None else held.assignment

    def assignments(self) -> tuple[Assignment, ...]:
        """All assignments, in the order of claiming."""
        return self._read(lambda tx: views.assignments(tx, self._known))

    def occupancies(self) -> tuple[Occupancy, ...]:
        """How every batch stands, in the order of the plan."""
        return self._read(lambda tx: seats.occupancies(tx, self._known))

    def people(self, *, now: datetime) -> tuple[ParticipantStatus, ...]:
        """Everybody, in the order of arrival."""
        with self._database.snapshot() as transaction:
            return views.people(transaction, self._known, now=now)

    def paces(self) -> tuple[BatchPace, ...]:
        """How long the finished assignments took, in the order of submission."""
        with self._database.snapshot() as transaction:
            return views.paces(transaction, self._known)

    def progress(self, *, now: datetime) -> Progress:
        """How far the study is."""
        with self._database.snapshot() as transaction:
            return views.progress(transaction, self._known, now=now)

    def states(self) -> Mapping[tuple[str, str], Status]:
        """The state of every assignment by participant and batch."""
        return {(each.participant, each.batch): each.status for each in self.assignments()}

    def all_answers(self, *, statuses: Iterable[Status] | None = None) -> Iterator[Answer]:
        """The last answer to every question of every task, of assignments in these states."""
        with self._database.snapshot() as transaction:
            yield from views.answers(transaction, self._known, statuses=statuses)

    def answer_rows(self) -> Iterator[AnswerRow]:
        """Every answer ever stored, as it came; practice and exit questions included."""
        with self._database.snapshot() as transaction:
            yield from views.answer_rows(transaction, self._known)

    def events(self) -> tuple[EventRow, ...]:
        """What happened to participants, in order."""
        return self._read(lambda tx: views.events(tx, self._known))

    def log(self) -> tuple[LogEntry, ...]:
        """The audit log, in order."""
        return self._read(lambda tx: views.log(tx, self._known))

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Who withdrew."""
        return self._read(lambda tx: views.tombstones(tx, self._known))

    def grant(self, role: Role, *, now: datetime, one_time: bool = False) -> str:
        """A new secret for the dashboard; only its hash is kept."""
        return self._write(
            lambda tx: oversight.grant(tx, self._known, role, now=now, one_time=one_time)
        )

    def login(self, secret: str, *, now: datetime) -> Token | None:
        """The token of a secret; None when it is unknown, revoked or used up."""
        if not self._read(lambda tx: oversight.is_known(tx, self._known, secret)):
            return None
        return self._write(lambda tx: oversight.login(tx, self._known, secret, now=now))

    def begin_session(self, token: Token, *, now: datetime) -> str:
        """Log somebody in; gives what their browser keeps, of which the hash is kept here."""
        return self._write(lambda tx: oversight.begin_session(tx, self._known, token.id, now=now))

    def session(self, nonce: str, *, now: datetime) -> Token | None:
        """The token of whoever is logged in; None when they logged out, or it was revoked."""
        return self._read(lambda tx: oversight.in_session(tx, self._known, nonce, now=now))

    def end_session(self, nonce: str) -> None:
        """Log somebody out, in every browser that has this session."""
        self._write(lambda tx: oversight.end_session(tx, self._known, nonce))

    def probe(self) -> None:
        """Write something and make it durable; StoreUnavailable when that cannot be done."""
        self._write(lambda tx: work.probe(tx, self._known))

    def tokens(self) -> tuple[Token, ...]:
        """All tokens that were granted."""
        return self._read(lambda tx: oversight.every(tx, self._known))

    def revoke(self, token: int, *, who: str, now: datetime) -> None:
        """Revoke a token and end the sessions that were opened with it."""

        def close(tx: Transaction) -> None:
            if oversight.revoke(tx, self._known, token, now=now):
                oversight.note(tx, self._known, f"token {token} revoked", who=who, now=now)

        self._write(close)

    def backup(self, path: str | Path) -> Path:
        """Copy the study into a new SQLite file, as it stands at one moment; nobody waits."""
        return copies.backup(self._database, self._known.id, Path(path))

    def close(self) -> None:
        """Give the connections back."""
        self._database.close()

    # ── how it is done ──

    def _read(self, look: Callable[[Transaction], T]) -> T:
        return self._transactions.read(look)

    def _write(self, work: Callable[[Transaction], T]) -> T:
        return self._transactions.write(work)

    def _look(self, transaction: Transaction, visit: Visit | int) -> visits.Here:
        number = visit if isinstance(visit, int) else visit.id
        return visits.look(transaction, self._known, number)


def _holds(visit: Visit, *, now: datetime) -> bool:
    """Whether the batch in hand needs nothing done."""
    current = visit.current
    return current is not None and current.status == "held" and current.expires_at > now
