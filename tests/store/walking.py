"""Small studies and people who walk through them, straight at the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from judged_study import PAIRWISE, gold_task, small_study
from rejudge.collect.assignment import Assignment
from rejudge.collect.visit import Arrival, Visit
from rejudge.design.plan import Batch, Plan, Task
from rejudge.errors import RejudgeError
from rejudge.store.records import PageAnswers, Saved
from rejudge.store.store import Store, open_store
from rejudge.study.model import Study

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LEASE = 30 * MINUTE  # what the studies here say
LATE = NOW + LEASE + MINUTE

_keys = count(1)


def study_of(name: str = "small", *, failed_checks: int | None = 1, **site: Any) -> Study:
    """One pairwise question, leases of 30 minutes, and by default one wrong check excludes."""
    exclude = {} if failed_checks is None else {"failed_checks": failed_checks}
    made = small_study(
        PAIRWISE,
        checks=[{"kind": "gold", "id": "gold", "question": "meaning"}],
        analysis={"exclude": exclude},
        site={"minutes_held": 30, **site},
    )
    return Study(
        spec=made.spec.model_copy(update={"id": name}),
        items=made.items,
        pages={"information": "What it is about.", "consent": "Do you agree?"},
    )


def plan_of(
    study: Study,
    *places: int,
    cap: int = 1,
    calibration: bool = False,
    conflicts: dict[str, tuple[str, ...]] | None = None,
) -> Plan:
    """This many places in batches b1, b2, …, each of two real tasks and a check (a is right)."""
    batches = [_batch(f"b{n}", wanted) for n, wanted in enumerate(places, start=1)]
    if calibration:
        first = _batch("calibration", sum(places))
        batches.insert(0, Batch(first.id, first.tasks, first.participants, is_calibration=True))
    return Plan(
        study=study.design_fingerprint,
        seed=5,
        order="listed",
        batches_per_participant=cap,
        batches=tuple(batches),
        texts={},
        segments={},
        conflicts=conflicts or {},
    )


def _batch(name: str, places: int) -> Batch:
    check = gold_task(f"{name}-3")
    real = (
        Task(f"{name}-1", "i0", ("ash", "beech")),
        Task(f"{name}-2", "i1", ("beech", "cedar")),
    )
    return Batch(name, (*real, check), places)


def opened(url: str, *places: int, cap: int = 1, **parts: Any) -> Store:
    """A store of a small study with so many places in each batch."""
    calibration, now = parts.pop("calibration", False), parts.pop("now", NOW)
    study = study_of(**parts)
    plan = plan_of(study, *(places or (2, 2)), cap=cap, calibration=calibration)
    return open_store(url, study, plan, now=now)


def person(number: int | str, session: int | str = 1) -> Arrival:
    """Somebody from Prolific, in one of their sessions."""
    return Arrival("prolific", f"person-{number}", f"session-{number}-{session}")


def come(store: Store, number: int | str, *, now: datetime = NOW, session: int | str = 1) -> Visit:
    """Somebody arrives, consents and has read the instructions."""
    visit = store.arrive(person(number, session), now=now)
    visit = store.consent(visit, agreed=True, version=store.consent_version, now=now)
    return store.pass_step(visit, "instructions", now=now)


def begin(store: Store, number: int | str, *, now: datetime = NOW) -> Assignment:
    """Somebody comes and gets a batch."""
    return in_hand(store.claim(come(store, number, now=now), now=now))


def in_hand(visit: Visit) -> Assignment:
    """The batch of somebody who has one."""
    assert visit.current is not None
    return visit.current


def page(
    assignment: Assignment, task: str, raw: str, *, key: str | None = None, shown: datetime = NOW
) -> PageAnswers:
    """One answer to the one question."""
    position = int(task.rpartition("-")[2])
    key = key or f"key-{next(_keys)}"
    return PageAnswers(
        assignment.visit, assignment.id, task, position, {"meaning": raw}, key, shown, 4.0, 0, 0
    )


def answer(
    store: Store, assignment: Assignment, *, right: bool = True, now: datetime = NOW
) -> list[Saved]:
    """Answer all tasks; the check too, rightly or not."""
    raws = {task.id: "a" if task.is_real or right else "b" for task in store.order(assignment)}
    return [
        store.record(page(assignment, task, raw, shown=now), now=now) for task, raw in raws.items()
    ]


def finish(
    store: Store, assignment: Assignment, *, right: bool = True, now: datetime = NOW
) -> Assignment:
    """Answer all tasks and hand in."""
    answer(store, assignment, right=right, now=now)
    return store.submit(assignment, now=now)


def complete(
    store: Store, number: int | str, *, right: bool = True, now: datetime = NOW
) -> Assignment:
    """Somebody comes and does a whole batch."""
    return finish(store, begin(store, number, now=now), right=right, now=now)


def counts(store: Store) -> dict[str, tuple[int, int, int]]:
    """Places, done and held of each batch."""
    return {each.batch: (each.places, each.done, each.held) for each in store.occupancies()}


def together(
    store: Store, acts: Iterable[Callable[[], Any]], numbers: Iterable[int] = ()
) -> list[Any]:
    """What each of several acts gives or refuses, in one transaction."""
    with store.transaction(numbers):
        return [given_or_refused(act) for act in acts]


def look_together(
    store: Store, acts: Iterable[Callable[[], Any]], numbers: Iterable[int] = ()
) -> list[Any]:
    """What each of several acts reads, through one connection."""
    with store.reading(numbers):
        return [act() for act in acts]


def given_or_refused(act: Callable[[], Any]) -> Any:
    """What an act gives, or the refusal."""
    try:
        return act()
    except RejudgeError as refusal:
        return refusal
