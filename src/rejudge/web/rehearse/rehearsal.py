"""Run simulated participants through the real pages, and check the guarantees of the site."""

from __future__ import annotations

import heapq
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rejudge.collect.assignment import FINISHED, TAKES_PLACE, Assignment, Status
from rejudge.simulate.people import Crowd
from rejudge.store.analysis_input import judgments_of, make_due_look
from rejudge.store.records import Progress
from rejudge.store.store import Store, open_store
from rejudge.web.app import create_app
from rejudge.web.rehearse.browser import Browser
from rejudge.web.rehearse.participant import (
    Character,
    ParticipantRecord,
    ParticipantSetup,
    SimulatedParticipant,
    assign_characters,
)
from rejudge.web.rendering import SiteContext
from rejudge.web.serving import run_site
from rejudge.web.session import Seal, personal_path

if TYPE_CHECKING:
    import httpx

    from rejudge.design.plan import Plan
    from rejudge.judgments.table import Judgments
    from rejudge.study.model import Study


class Clock:
    """A simulated clock that never goes back."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The time, aware and in UTC."""
        return self._now

    def move_to(self, moment: datetime) -> None:
        """Advance to a moment; a moment in the past changes nothing."""
        with self._lock:
            self._now = max(self._now, moment)

    def move_by(self, seconds: float) -> None:
        """Advance by some seconds."""
        with self._lock:
            self._now += timedelta(seconds=max(0.0, seconds))


_COUNTED = frozenset({"submitted", "accepted"})


@dataclass(frozen=True, slots=True)
class BrokenGuarantee:
    """A guarantee that was broken in a rehearsal, and how."""

    promise: str
    detail: str


def broken_guarantees(
    store: Store, people: Sequence[ParticipantRecord]
) -> tuple[BrokenGuarantee, ...]:
    """Every guarantee that was broken; empty if all held."""
    assignments = store.assignments()
    names = {record.person: store.pseudonym_of(record.person) for record in people}
    return (
        *_overfull_batches(store, assignments),
        *_repeated_batches(store.plan, assignments),
        *_lost_answers(store, people, names),
        *_missing_codes(store, people),
        *(
            BrokenGuarantee("every page works", f"{record.character}: {complaint}")
            for record in people
            for complaint in record.complaints
        ),
    )


def _overfull_batches(store: Store, assignments: Iterable[Assignment]) -> Iterator[BrokenGuarantee]:
    """Batches with more people than places, or with surplus work that is not marked."""
    listed = list(assignments)
    taken = Counter(each.batch for each in listed if each.status in TAKES_PLACE)
    counted = Counter(each.batch for each in listed if each.status in _COUNTED)
    for batch in store.occupancies():
        if store.plan.batch[batch.batch].is_calibration:
            continue
        if taken[batch.batch] > batch.places:
            detail = (
                f"{batch.batch}: {taken[batch.batch]} at work or done for {batch.places} places"
            )
            yield BrokenGuarantee("no batch is given to more people than planned", detail)
        if counted[batch.batch] > batch.places:
            detail = f"{batch.batch}: {counted[batch.batch]} count for {batch.places} places"
            yield BrokenGuarantee("surplus work is marked", detail)


def _repeated_batches(plan: Plan, assignments: Iterable[Assignment]) -> Iterator[BrokenGuarantee]:
    """People who got a batch twice, or more batches than the plan allows."""
    by_person: dict[str, list[Assignment]] = {}
    for each in assignments:
        by_person.setdefault(each.participant, []).append(each)
    for person, own in by_person.items():
        batches = Counter(each.batch for each in own)
        for batch, times in batches.items():
            if times > 1:
                yield BrokenGuarantee(
                    "nobody gets a batch twice", f"{person} got {batch} {times} times"
                )
        main = [
            each
            for each in own
            if not plan.batch[each.batch].is_calibration and each.status != "expired"
        ]
        if len(main) > plan.batches_per_participant:
            yield BrokenGuarantee(
                "nobody gets more than their share", f"{person} got {len(main)} batches"
            )


def _lost_answers(
    store: Store, people: Iterable[ParticipantRecord], names: Mapping[str, str | None]
) -> Iterator[BrokenGuarantee]:
    """Saved answers that are lost or changed, and submitted batches that are not complete."""
    stored: dict[str, dict[tuple[str, str], str]] = {}
    for answer in store.all_answers():
        stored.setdefault(answer.participant, {})[answer.task, answer.question] = answer.raw
    finished = {(a.participant, a.batch) for a in store.assignments() if a.status in FINISHED}
    for record in people:
        own = stored.get(names[record.person] or "", {})
        for place, raw in record.saved.items():
            if place not in own:
                yield BrokenGuarantee(
                    "no saved answer is lost", f"{record.character}: {'/'.join(place)}"
                )
            elif own[place] != raw:
                detail = f"{record.character}: {'/'.join(place)} was {raw}, is {own[place]}"
                yield BrokenGuarantee("no saved answer is changed", detail)
        for batch in record.submitted:
            if (names[record.person], batch) not in finished:
                detail = f"{record.character}: {batch}"
                yield BrokenGuarantee("submitted work stays submitted", detail)


def _missing_codes(store: Store, people: Iterable[ParticipantRecord]) -> Iterator[BrokenGuarantee]:
    """People whose final page lacked its code, or who reached no final page."""
    codes = store.codes
    wanted = {
        "thanks": {codes.completed, codes.failed_checks},
        "declined": {codes.declined},
        "screened-out": {codes.screened_out},
        "full": {codes.full, codes.not_qualified},  # the second: no place was left after passing
        "not-qualified": {codes.not_qualified},
    }
    for record in people:
        if record.end in wanted and not wanted[record.end] & set(record.codes):
            yield BrokenGuarantee(
                "every final page shows its code", f"{record.character} saw none at '{record.end}'"
            )
        if record.end == "stuck":
            yield BrokenGuarantee("everybody reaches a final page", f"{record.character} got stuck")


_BETWEEN_ARRIVALS = 150.0  # seconds, on average
_SWEEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The outcome of a rehearsal: people, store and broken guarantees."""

    people: tuple[ParticipantRecord, ...]
    broken: tuple[BrokenGuarantee, ...]
    progress: Progress
    statuses: Mapping[str, Counter[Status]]  # by character
    judgments: Judgments
    simulated: timedelta  # from the first arrival to the last act
    requests: int


def rehearse(
    study: Study,
    plan: Plan,
    *,
    database: Path,
    people: int,
    seed: int,
    start: datetime,
    step: Callable[[int], None] = lambda _: None,
) -> Rehearsal:
    """Run simulated participants through the study's pages, with a new database.

    The seed determines what they do. `step` is called whenever one of them has finished.
    """
    _remove(database)
    store = open_store(str(database), study, plan, now=start, is_rehearsal=True)
    if store.gate() is not None:
        store.set_gate(is_open=True, who="rehearsal", now=start)
    clock = Clock(start)
    try:
        with _site(study, plan, store, clock) as client:
            rng = np.random.default_rng(seed)
            crowd = Crowd(study, plan, rng=rng)
            seal = Seal(store.secret, study.spec.id)
            participants = _participants(
                study, plan, crowd, client, seal=seal, people=assign_characters(people), seed=seed
            )
            _run(participants, store, clock, rng=rng, step=step)
        records = tuple(participant.record for participant in participants)
        return Rehearsal(
            people=records,
            broken=broken_guarantees(store, records),
            progress=store.progress(now=clock.now()),
            statuses=_statuses(store, records),
            judgments=judgments_of(store),
            simulated=clock.now() - start,
            requests=sum(participant.requests for participant in participants),
        )
    finally:
        store.close()


def _remove(database: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{database}{ending}").unlink()


@contextmanager
def _site(
    study: Study, plan: Plan, store: Store, clock: Clock
) -> Iterator[Callable[[], httpx.Client]]:
    """The site on a free port; yields a factory of HTTP clients, which share connections."""
    import httpx

    context = SiteContext(
        study=study,
        plan=plan,
        store=store,
        now=clock.now,
        secret=store.secret,
        is_rehearsal=True,
    )
    with run_site(create_app(context)) as address, httpx.HTTPTransport(verify=False) as wire:
        yield lambda: httpx.Client(base_url=address, transport=wire, timeout=60)


def _participants(
    study: Study,
    plan: Plan,
    crowd: Crowd,
    client: Callable[[], httpx.Client],
    *,
    seal: Seal,
    people: tuple[Character, ...],
    seed: int,
) -> list[SimulatedParticipant]:
    """One participant per character, each with a random generator of their own."""
    participants = []
    listed = list(plan.lists or ())
    names = listed + [f"sim-{number:03}" for number in range(len(listed) + 1, len(people) + 1)]
    for number, (character, name) in enumerate(zip(people, names, strict=False), start=1):
        person = crowd.person(name, rng=np.random.default_rng((seed, number)))
        person = replace(person, is_careless=character.is_careless)
        setup = ParticipantSetup(study, plan, personal_path(seal, name), lambda: Browser(client()))
        participants.append(
            SimulatedParticipant(setup, character, person, ParticipantRecord(name, character.name))
        )
    return participants


def _run(
    participants: list[SimulatedParticipant],
    store: Store,
    clock: Clock,
    *,
    rng: np.random.Generator,
    step: Callable[[int], None],
) -> None:
    """Let people act in order of time; the clock jumps, and places are freed each minute.

    A planned look is made as soon as it is due.
    """
    due: list[tuple[datetime, int, Iterator[float]]] = []
    moment = clock.now()
    for number, participant in enumerate(participants):
        moment += timedelta(seconds=float(rng.exponential(_BETWEEN_ARRIVALS)))
        due.append((moment, number, participant.walk()))
    heapq.heapify(due)
    swept = clock.now()
    while due:
        moment, number, walk = heapq.heappop(due)
        clock.move_to(moment)
        if moment - swept >= _SWEEP:
            store.expire(now=moment)
            swept = moment
        seconds = _next_action(walk, participants[number].record)
        if seconds is None:
            make_due_look(store, who="rehearsal", now=moment)
            step(1)
        else:
            heapq.heappush(due, (moment + timedelta(seconds=seconds), number, walk))


def _next_action(walk: Iterator[float], record: ParticipantRecord) -> float | None:
    """The time of a participant's next action; None when they have finished or failed."""
    import httpx

    try:
        return next(walk, None)
    except httpx.HTTPError as error:
        record.end = "stuck"
        record.complaints.append(f"the site did not answer ({type(error).__name__})")
        return None


def _statuses(store: Store, people: tuple[ParticipantRecord, ...]) -> dict[str, Counter[Status]]:
    characters = {store.pseudonym_of(record.person): record.character for record in people}
    found: dict[str, Counter[Status]] = {record.character: Counter() for record in people}
    for each in store.assignments():
        found[characters[each.participant]][each.status] += 1
    return found
