"""The store of one study: how it is opened, what researchers see and change, and its judgments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.collect.assignment import Assignment, Event, Occupancy, Status
from rejudge.collect.looks import Look, LookLog, LookState
from rejudge.collect.panels import Panels
from rejudge.collect.submissions import SubmissionReport
from rejudge.collect.visit import CalibrationGate, Recruiter
from rejudge.design.plan import Plan
from rejudge.judgments.answers import Answer
from rejudge.store import (
    copies,
    gate,
    looks,
    origins,
    oversight,
    person,
    purging,
    seats,
    submissions,
    views,
    work,
)
from rejudge.store.copies import STARTING, create_tables, refuse_unreadable
from rejudge.store.database import Database
from rejudge.store.participant_store import ParticipantStore
from rejudge.store.person import PersonRecord
from rejudge.store.records import (
    AnswerRow,
    BatchPace,
    EventRow,
    FollowedReport,
    Identity,
    LogEntry,
    ParticipantStatus,
    Progress,
    Role,
    State,
    Token,
    Tombstone,
)
from rejudge.store.registering import find_registered, register
from rejudge.store.statement import Transaction
from rejudge.study.conduct import Erasure
from rejudge.study.model import Study

if TYPE_CHECKING:
    pass


def open_store(
    url: str, study: Study, plan: Plan, *, now: datetime, is_rehearsal: bool = False
) -> Store:
    """Open the database of a study, and make it where there is none.

    `url`: an address as SQLAlchemy takes it, or the path of an SQLite file. DataError when the
    database holds answers to another plan of this study, those of a rehearsal where this is none,
    or tables of another schema.
    """
    database = Database(url, is_durable=not is_rehearsal)
    try:
        create_tables(database)
        with database.writing() as transaction:
            if not database.is_sqlite:
                # Several processes may start at once, beside others that serve. A lock of the
                # table would be taken after their lock of the row, and before their next change.
                transaction.plain(f"SELECT pg_advisory_xact_lock({STARTING})")
            found = register(transaction, study, plan, now=now, is_rehearsal=is_rehearsal)
    except BaseException:
        database.close()
        raise
    return Store(database, found)


def open_existing(url: str, study: Study, plan: Plan) -> Store:
    """Open a database that must be there and know the study; nothing in it is changed."""
    database = Database(url)
    try:
        refuse_unreadable(database)
        with database.reading() as transaction:
            found = find_registered(transaction, study, plan)
    except BaseException:
        database.close()
        raise
    return Store(database, found)


def restore(path: str | Path, url: str) -> str:
    """Put a backup into a database that does not know its study; gives the id of the study."""
    return copies.restore(Path(path), url)


class Store(ParticipantStore):
    """One study of a database. Every `now` is aware and in UTC. Safe to use from many threads."""

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

    def use_panels(self, panels: Panels) -> None:
        """Admit new people by these lists from now on, as long as the store is open."""
        self._known = replace(self._known, panels=panels)

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

    def look_log(self) -> LookLog:
        """The planned looks that were made, and analyses in between."""
        return self._read(lambda tx: looks.look_log(tx, self._known))

    def look_state(self) -> LookState | None:
        """How far the study is on the way to its next look; None where none are planned."""
        return self._read(lambda tx: looks.state(tx, self._known))

    def record_look(self, look: Look, *, now: datetime) -> LookLog:
        """Keep a look; where the study goes on, its next stage is opened in the same step."""
        return self._write(lambda tx: looks.record_look(tx, self._known, look, now=now))

    def note_peek(self, *, who: str, now: datetime) -> None:
        """Keep that the results were analysed before the study was over."""
        self._write(lambda tx: looks.note_peek(tx, self._known, who=who, now=now))

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

    def count_kept(self, participant: str, *, now: datetime) -> Tombstone:
        """How much is kept of a participant: what `withdraw` would remove. Nothing is changed."""
        return self._read(lambda tx: oversight.count_kept(tx, self._known, participant, now=now))

    def pseudonym_of(self, person: str) -> str | None:
        """Under which pseudonym a platform id is kept, the first where there are several."""
        return next(iter(self.pseudonyms_of(person)), None)

    def pseudonyms_of(self, person: str) -> tuple[str, ...]:
        """Under which pseudonyms a platform id is kept; to withdraw somebody who writes."""
        return self._read(lambda tx: oversight.pseudonyms_of(tx, self._known, person))

    def participant_of_receipt(self, typed: str) -> str | None:
        """Whose receipt code this is (pseudonym), also of somebody who withdrew; None: nobody's."""
        return self._read(lambda tx: oversight.participant_of_receipt(tx, self._known, typed))

    def person(self, participant: str) -> PersonRecord:
        """Everything stored about a participant (pseudonym). DataError: nothing is."""
        with self._database.snapshot() as transaction:
            return person.read_person(transaction, self._known, participant)

    def last_answer(self) -> datetime | None:
        """When the last answer was saved; None where there is none."""
        return self._read(lambda tx: purging.last_answer(tx, self._known))

    def count_erasable(self, erased: Collection[Erasure]) -> Mapping[str, int]:
        """How much of each kind `purge` would delete. Nothing is changed."""
        return self._read(lambda tx: purging.count_erasable(tx, self._known, erased))

    def purge(self, erased: Collection[Erasure], *, who: str, now: datetime) -> bool:
        """Delete data about all participants and close the study.

        Gives whether no byte of them is left in the file; a long read can keep older pages of an
        SQLite file, and a PostgreSQL server keeps a log of its own.
        """
        self._write(lambda tx: purging.purge(tx, self._known, erased, who=who, now=now))
        return self._database.rewrite()

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

    def follow(
        self, recruiter: Recruiter, reports: Sequence[SubmissionReport], *, now: datetime
    ) -> tuple[FollowedReport, ...]:
        """Do what a platform's reports about submissions mean: free the places of who is gone."""
        return self._write(
            lambda tx: submissions.follow(tx, self._known, recruiter, reports, now=now)
        )

    def identities(self) -> tuple[Identity, ...]:
        """Which platform id is behind which pseudonym: for payment, never for analysis."""
        return self._read(lambda tx: views.identities(tx, self._known))

    def assignment(self, assignment: int) -> Assignment | None:
        """One assignment by its id."""
        held = self._read(lambda tx: seats.find_seat(tx, self._known, assignment))
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
        return self._read(lambda tx: oversight.token_of_session(tx, self._known, nonce, now=now))

    def end_session(self, nonce: str) -> None:
        """Log somebody out, in every browser that has this session."""
        self._write(lambda tx: oversight.end_session(tx, self._known, nonce))

    def probe(self) -> None:
        """Write something and make it durable; StoreUnavailable when that cannot be done."""
        self._write(lambda tx: work.probe(tx, self._known))

    def tokens(self) -> tuple[Token, ...]:
        """All tokens that were granted."""
        return self._read(lambda tx: oversight.all_tokens(tx, self._known))

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
