"""Many people in any order: what must hold, holds after every step."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from sqlite3 import Connection

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from promises import broken
from walking import LEASE, NOW, come, page, person, plan_of, study_of

from property_settings import examples
from rejudge.collect.assignment import FINISHED, TAKES_PLACE, Assignment, Event, Status
from rejudge.collect.visit import Visit
from rejudge.errors import DataError, ElsewhereOpen, Unfinished
from rejudge.store.records import PageAnswers
from rejudge.store.store import Store, open_store

_numbers = count(1)
PEOPLE = st.integers(1, 4)
WHICH = st.integers(0, 99)
RIGHT = st.sampled_from([True, True, False])
SESSIONS = st.integers(1, 2)
TASKS = st.integers(1, 3)
RAWS = st.sampled_from(["a", "b", "tie"])


class Collection(RuleBasedStateMachine):
    """People and researchers at one store. Beside it stands what each of them was told."""

    def __init__(self, database: str) -> None:
        super().__init__()
        self._database = database

    @initialize(cap=st.integers(1, 2), calibration=st.booleans())
    def open(self, *, cap: int, calibration: bool) -> None:
        study = study_of(f"study-{next(_numbers)}")
        plan = plan_of(study, 1, 1, cap=cap, calibration=calibration)
        self.store: Store = open_store(self._database, study, plan, now=NOW)
        self.now: datetime = NOW
        self.visits: dict[tuple[int, int], int] = {}  # by person and session
        self.sent: list[PageAnswers] = []  # acknowledged
        self.finished: set[int] = set()  # assignments that were handed in
        self.arrived = 0
        for who in range(1, 4):  # begin in full swing: two places, three people
            self.arrive(who=who, session=1)
            self.claim(which=who - 1)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()

    # ── participants ──

    @rule(who=PEOPLE, session=SESSIONS)
    def arrive(self, *, who: int, session: int) -> None:
        is_new = not any(known == who for known, _ in self.visits)
        try:
            visit = come(self.store, who, session=session, now=self.now)
        except ElsewhereOpen:
            assert (who, session) not in self.visits
            return
        assert self.visits.setdefault((who, session), visit.id) == visit.id
        self.arrived += is_new

    @precondition(lambda self: self.visits)
    @rule(which=WHICH)
    def claim(self, *, which: int) -> None:
        """Also a reload and a second tab: whoever has a batch in hand keeps it."""
        self._claimed(self._visit(which))

    def _claimed(self, visit: Visit) -> Visit:
        before = visit.current
        try:
            after = self.store.claim(visit, now=self.now)
        except ElsewhereOpen:
            assert before is None
            return visit
        if before is not None:
            assert after.current is not None
            assert after.current.id == before.id
        if self.store.state != "open" and before is None:
            assert after.current is None
        return after

    @precondition(lambda self: self.has_work)
    @rule(which=WHICH, task=TASKS, raw=RAWS)
    def answer(self, which: int, task: int, raw: str) -> None:
        mine = self._assignment(which)
        sent = page(mine, f"{mine.batch}-{task}", raw, shown=self.now)
        saved = self.store.record(sent, now=self.now)
        assert saved.outcome == ("closed" if mine.is_finished else "saved")
        if saved.is_stored:
            self.sent.append(sent)

    @precondition(lambda self: self.sent)
    @rule(which=WHICH)
    def answer_again(self, which: int) -> None:
        """A retry whose first reply was lost."""
        sent = self.sent[which % len(self.sent)]
        assert self.store.record(sent, now=self.now).outcome == "repeated"

    @precondition(lambda self: self.has_work)
    @rule(which=WHICH, right=RIGHT)
    def work_through(self, *, which: int, right: bool) -> None:
        mine = self._assignment(which)
        if not mine.is_finished:
            self._work(mine, right=right)

    def _work(self, mine: Assignment, *, right: bool) -> None:
        for task in self.store.order(mine):
            sent = page(mine, task.id, "a" if right or task.is_real else "b", shown=self.now)
            assert self.store.record(sent, now=self.now).outcome == "saved"
            self.sent.append(sent)
        self._hand_in(mine)

    @precondition(lambda self: self.has_work)
    @rule(which=WHICH)
    def submit(self, which: int) -> None:
        self._hand_in(self._assignment(which))

    def _hand_in(self, mine: Assignment) -> None:
        try:
            first = self.store.submit(mine, now=self.now)
        except Unfinished:
            assert not mine.is_finished
            return
        assert first.is_finished
        assert self.store.submit(mine, now=self.now) == first
        if first.submitted_at is not None:  # else it was excluded while they worked
            self.finished.add(mine.id)

    @rule(who=PEOPLE, session=SESSIONS, right=RIGHT)
    def replace_whoever_lapsed(self, *, who: int, session: int, right: bool) -> None:
        """Everybody falls silent; somebody comes, perhaps one of them anew, and does a batch."""
        self.wait(minutes=31)
        self.expire()
        self.arrive(who=who, session=session)
        visit = self.store.visit(self.visits[who, session])
        given = self._claimed(visit).current
        if given is not None:
            self._work(given, right=right)

    @precondition(lambda self: self.in_state("expired"))
    @rule(which=WHICH, right=RIGHT)
    def finish_late(self, *, which: int, right: bool) -> None:
        late = [each for each in self.in_state("expired") if not each.is_finished]
        self._work(late[which % len(late)], right=right)

    @precondition(lambda self: self.in_state("expired"))
    @rule(which=WHICH, ends=st.booleans())
    def go_on_in_two_sessions(self, *, which: int, ends: bool) -> None:
        """Somebody begins anew in another session, and then goes on with what had lapsed."""
        late = self.in_state("expired")
        mine = late[which % len(late)]
        who, session = next(key for key, visit in self.visits.items() if visit == mine.visit)
        self.arrive(who=who, session=3 - session)
        if (who, 3 - session) in self.visits:
            self._claimed(self.store.visit(self.visits[who, 3 - session]))
        if ends:
            self._work(mine, right=True)
        else:
            sent = page(mine, f"{mine.batch}-1", "a", shown=self.now)
            assert self.store.record(sent, now=self.now).outcome == "saved"
            self.sent.append(sent)

    @precondition(lambda self: self.in_state("submitted"))
    @rule(which=WHICH, event=st.sampled_from(["exclude", "return"]))
    def free_a_place(self, *, which: int, event: Event) -> None:
        """Where a surplus waits for one, if it waits anywhere."""
        waiting = {each.batch for each in self.in_state("surplus")}
        done = self.in_state("submitted")
        done = [each for each in done if each.batch in waiting] or done
        self.store.change(done[which % len(done)].id, event, who="me", reason="", now=self.now)

    # ── time and researchers ──

    @rule(minutes=st.sampled_from([1, 10, 31]))
    def wait(self, *, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def expire(self) -> None:
        self.store.expire(now=self.now)
        for each in self.store.assignments():
            assert each.status != "held" or self.now < each.expires_at <= self.now + LEASE

    @precondition(lambda self: self.has_work)
    @rule(which=WHICH, event=st.sampled_from(["accept", "exclude", "return", "expire"]))
    def decide(self, which: int, event: str) -> None:
        rows = self.store.assignments()
        chosen = rows[which % len(rows)]
        try:
            self.store.change(chosen.id, event, who="me", reason="", now=self.now)  # type: ignore[arg-type]  # one of the events
        except DataError:
            assert self.store.assignment(chosen.id) == chosen

    @rule(who=PEOPLE)
    def withdraw(self, who: int) -> None:
        name = self.store.pseudonym_of(person(who).person)
        if name is None:
            return
        own = {visit for (known, _), visit in self.visits.items() if known == who}
        kept = len([row for row in self.store.answer_rows() if row.participant == name])
        self.finished -= {e.id for e in self.store.assignments() if e.visit in own}
        left = self.store.withdraw(name, who="me", now=self.now)
        assert left.answers == kept
        self.visits = {key: visit for key, visit in self.visits.items() if key[0] != who}
        gone = [sent for sent in self.sent if sent.visit in own]
        self.sent = [sent for sent in self.sent if sent.visit not in own]
        assert all(self.store.record(sent, now=self.now).outcome == "closed" for sent in gone[:2])

    @rule(state=st.sampled_from(["open", "open", "open", "paused", "closed"]))
    def set_state(self, state: str) -> None:
        self.store.set_state(state, who="me", now=self.now)  # type: ignore[arg-type]  # one of them

    @rule(batch=st.sampled_from(["b1", "b2"]))
    def add_place(self, batch: str) -> None:
        self.store.add_place(batch, who="me", reason="more", now=self.now)

    @rule(who=st.integers(4, 5))
    def bar(self, who: int) -> None:
        self.store.exclude_ids([person(who).person], who="me", now=self.now)

    # ── what holds ──

    @invariant()
    def promises_are_kept(self) -> None:
        assert broken(self.store) == []

    @invariant()
    def no_surplus_waits_beside_a_free_place(self) -> None:
        rows = self.store.assignments()
        free = {r.batch for r in self.store.occupancies() if r.is_free}
        returned = {(e.participant, e.batch) for e in self.store.events() if e.what == "returned"}
        cap = self.store.plan.batches_per_participant
        for each in rows:
            if each.status == "surplus" and each.batch in free:
                own = [e for e in rows if e.participant == each.participant and e is not each]
                counted = [e for e in own if e.status in TAKES_PLACE and e.batch != "calibration"]
                was_returned = (each.participant, each.batch) in returned
                is_kept = self._places_for_anybody_but(each.participant) <= 0
                assert was_returned or is_kept or len(counted) >= cap

    def _places_for_anybody_but(self, participant: str) -> int:
        """How many places are free when one is kept for each of the others in calibration, or
        through with it."""
        others: dict[str, list[Assignment]] = {}
        for each in self.store.assignments():
            if each.participant != participant:
                others.setdefault(each.participant, []).append(each)
        waiting = [own for own in others.values() if self._waits_after_calibration(own)]
        main = [
            occupancy for occupancy in self.store.occupancies() if occupancy.batch != "calibration"
        ]
        return sum(occupancy.places - occupancy.done - occupancy.held for occupancy in main) - len(
            waiting
        )

    def _waits_after_calibration(self, own: list[Assignment]) -> bool:
        visit = self.store.visit(own[0].visit)
        is_there = visit is not None and visit.left_at is None and not visit.is_turned_away
        is_all = len(own) == 1 and own[0].batch == "calibration"
        return is_there and is_all and own[0].status in {"held", "submitted", "accepted"}

    @invariant()
    def every_acknowledged_answer_is_there_once(self) -> None:
        names = {visit: self.store.visit(visit).participant for visit in self.visits.values()}
        told = sorted((names[s.visit], s.task, s.answers["meaning"]) for s in self.sent)
        rows = self.store.answer_rows()
        assert sorted((row.participant, row.task, row.raw) for row in rows) == told

    @invariant()
    def what_was_handed_in_stays_handed_in_and_counts_add_up(self) -> None:
        rows = self.store.assignments()
        assert self.finished <= {each.id for each in rows if each.is_finished}
        told = self.store.progress(now=self.now)
        assert sum(told.assignments.values()) == len(rows)
        assert told.participants + told.withdrawn == self.arrived
        assert all(each.status in FINISHED for each in rows if each.status == "surplus")

    @property
    def has_work(self) -> bool:
        """Whether anybody has or had a batch."""
        return bool(self.store.assignments())

    def in_state(self, status: Status) -> list[Assignment]:
        """All assignments in this state."""
        return [each for each in self.store.assignments() if each.status == status]

    def _visit(self, which: int) -> Visit:
        """One of those who came."""
        numbers = sorted(self.visits.values())
        visit = self.store.visit(numbers[which % len(numbers)])
        assert visit is not None
        return visit

    def _assignment(self, which: int) -> Assignment:
        """One of all batches that somebody has or had."""
        rows = self.store.assignments()
        return rows[which % len(rows)]


def walk(database: str, *, usual: int, steps: int) -> None:
    """Let hypothesis look for an order in which something breaks."""
    run_state_machine_as_test(
        lambda: Collection(database),
        settings=settings(
            max_examples=examples(usual),
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for the disk and no rebuilding of the file after a withdrawal."""
    from rejudge.store.database import Database

    opens = Database._open_file

    def open_quickly(self: Database) -> Connection:
        connection = opens(self)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    monkeypatch.setattr(Database, "_open_file", open_quickly)
    monkeypatch.setattr(Database, "purge", lambda _: True)


@pytest.mark.hypothesis
@pytest.mark.usefixtures("quick")
def test_what_must_hold_holds_in_any_order_of_events(database):
    walk(database, usual=8, steps=30)


@pytest.mark.slow
@pytest.mark.hypothesis
@pytest.mark.usefixtures("quick")
def test_what_must_hold_holds_in_any_order_of_many_events(database):
    walk(database, usual=30, steps=60)
