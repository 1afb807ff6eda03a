"""Let simulated participants do a study on its real pages, and check what must always hold."""

from __future__ import annotations

import heapq
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.collect import FINISHED, TAKES_PLACE, Assignment, Status
from rejudge.simulate import Crowd
from rejudge.web.rehearse.browser import Browser
from rejudge.web.rehearse.participant import (
    Character,
    ParticipantRecord,
    ParticipantSetup,
    SimulatedParticipant,
    cast,
)
from rejudge.web.session import Seal, personal_path

if TYPE_CHECKING:
    import httpx
    import numpy as np

    from rejudge.design import Plan
    from rejudge.judgments import Judgments
    from rejudge.store import Progress, Store
    from rejudge.study import Study


class Clock:
    """Tells the time that was set; it never goes back."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The time, aware and in UTC."""
        return self._now

    def move_to(self, moment: datetime) -> None:
        """Go on to a moment; one that has passed changes nothing."""
        with self._lock:
            self._now = max(self._now, moment)

    def move_by(self, seconds: float) -> None:
        """Go on by some seconds."""
        with self._lock:
            self._now += timedelta(seconds=max(0.0, seconds))


_COUNTED = frozenset({"submitted", "accepted"})


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that was not kept."""

    promise: str
    detail: str


def broken_promises(store: Store, people: Sequence[ParticipantRecord]) -> tuple[Broken, ...]:
    """Everything that is not as it must be; nothing, if all is well."""
    assignments = store.assignments()
    names = {record.person: store.pseudonym_of(record.person) for record in people}
    return (
        *_places(store, assignments),
        *_twice(store.plan, assignments),
        *_kept(store, people, names),
        *_codes(store, people),
        *(
            Broken("every page makes sense", f"{record.character}: {complaint}")
            for record in people
            for complaint in record.complaints
        ),
    )


def _places(store: Store, assignments: Iterable[Assignment]) -> Iterator[Broken]:
    """No batch has more people than places; whoever finished beyond them is marked as surplus."""
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
            yield Broken("no batch is given to more people than planned", detail)
        if counted[batch.batch] > batch.places:
            detail = f"{batch.batch}: {counted[batch.batch]} count for {batch.places} places"
            yield Broken("surplus work is marked", detail)


def _twice(plan: Plan, assignments: Iterable[Assignment]) -> Iterator[Broken]:
    """Nobody gets a batch twice, or more batches than the plan allows."""
    by_person: dict[str, list[Assignment]] = {}
    for each in assignments:
        by_person.setdefault(each.participant, []).append(each)
    for person, own in by_person.items():
        batches = Counter(each.batch for each in own)
        for batch, times in batches.items():
            if times > 1:
                yield Broken("nobody gets a batch twice", f"{person} got {batch} {times} times")
        main = [
            each
            for each in own
            if not plan.batch[each.batch].is_calibration and each.status != "expired"
        ]
        if len(main) > plan.batches_per_participant:
            yield Broken("nobody gets more than their share", f"{person} got {len(main)} batches")


def _kept(
    store: Store, people: Iterable[ParticipantRecord], names: Mapping[str, str | None]
) -> Iterator[Broken]:
    """Answers reported as saved are stored as given; batches that were handed in are complete."""
    stored: dict[str, dict[tuple[str, str], str]] = {}
    for answer in store.all_answers():
        stored.setdefault(answer.participant, {})[answer.task, answer.question] = answer.raw
    finished = {(a.participant, a.batch) for a in store.assignments() if a.status in FINISHED}
    for record in people:
        own = stored.get(names[record.person] or "", {})
        for place, raw in record.saved.items():
            if place not in own:
                yield Broken("no saved answer is lost", f"{record.character}: {'/'.join(place)}")
            elif own[place] != raw:
                detail = f"{record.character}: {'/'.join(place)} was {raw}, is {own[place]}"
                yield Broken("no saved answer is changed", detail)
        for batch in record.submitted:
            if (names[record.person], batch) not in finished:
                detail = f"{record.character}: {batch}"
                yield Broken("what is submitted stays submitted", detail)


def _codes(store: Store, people: Iterable[ParticipantRecord]) -> Iterator[Broken]:
    """Whoever comes to an end reads the code of that end, and always the same one."""
    codes = store.codes
    wanted = {"thanks": codes.completed, "declined": codes.declined, "full": codes.full}
    for record in people:
        if record.end in wanted and wanted[record.end] not in record.codes:
            yield Broken(
                "every final page shows its code", f"{record.character} saw none at '{record.end}'"
            )
        if record.end == "stuck":
            yield Broken("everybody reaches a final page", f"{record.character} got stuck")


_BETWEEN_ARRIVALS = 150.0  # seconds, on average
_SWEEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What happened: to each person, in the store, and what must not have."""

    people: tuple[ParticipantRecord, ...]
    broken: tuple[Broken, ...]
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
    """Let so many people walk through the study's own pages; the database is made anew.

    What they do follows from the seed. `step` is called for each who has come to an end.
    """
    import numpy as np

    from rejudge.store import judgments_of, open_store

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
                study, plan, crowd, client, seal=seal, people=cast(people), seed=seed
            )
            _run(participants, store, clock, rng=rng, step=step)
        records = tuple(participant.record for participant in participants)
        return Rehearsal(
            people=records,
            broken=broken_promises(store, records),
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
    """The site on a free port; gives a maker of browsers' clients, which share connections."""
    import httpx

    from rejudge.web.app import create_app
    from rejudge.web.rendering import SiteContext
    from rejudge.web.serving import running

    context = SiteContext(
        study=study,
        plan=plan,
        store=store,
        now=clock.now,
        secret=store.secret,
        is_rehearsal=True,
    )
    with running(create_app(context)) as address, httpx.HTTPTransport(verify=False) as wire:
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
    """One participant for each character, each with chance of their own."""
    from dataclasses import replace

    import numpy as np

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
    """Who is due next acts next; in between the clock jumps, and places are freed each minute."""
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
        seconds = _one_act(walk, participants[number].record)
        if seconds is None:
            step(1)
        else:
            heapq.heappush(due, (moment + timedelta(seconds=seconds), number, walk))


def _one_act(walk: Iterator[float], record: ParticipantRecord) -> float | None:
    """What somebody does next; None when they have come to an end, good or bad."""
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
