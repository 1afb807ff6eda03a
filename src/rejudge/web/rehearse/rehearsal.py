"""A rehearsal: simulated people on the real pages, over HTTP, with a clock that can be moved."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.collect import Status
from rejudge.simulate import Crowd
from rejudge.web.entrance import personal_path
from rejudge.web.rehearse.browser import Browser
from rejudge.web.rehearse.characters import Character, cast
from rejudge.web.rehearse.clock import Clock
from rejudge.web.rehearse.invariants import Broken, broken_promises
from rejudge.web.rehearse.ledger import Told
from rejudge.web.rehearse.walker import Walker, Way
from rejudge.web.session import Seal

if TYPE_CHECKING:
    import httpx
    import numpy as np

    from rejudge.design import Plan
    from rejudge.judgments import Judgments
    from rejudge.store import Progress, Store
    from rejudge.study import Study

_BETWEEN_ARRIVALS = 150.0  # seconds, on average
_SWEEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What happened: to each person, in the store, and what must not have."""

    people: tuple[Told, ...]
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
    clock = Clock(start)
    try:
        with _site(study, plan, store, clock) as client:
            rng = np.random.default_rng(seed)
            crowd = Crowd(study, plan, rng=rng)
            seal = Seal(store.secret, study.spec.id)
            walkers = _walkers(
                study, plan, crowd, client, seal=seal, people=cast(people), seed=seed
            )
            _let_walk(walkers, store, clock, rng=rng, step=step)
        told = tuple(walker.told for walker in walkers)
        return Rehearsal(
            people=told,
            broken=broken_promises(store, told),
            progress=store.progress(now=clock.now()),
            statuses=_statuses(store, told),
            judgments=judgments_of(store),
            simulated=clock.now() - start,
            requests=sum(walker.requests for walker in walkers),
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
    from rejudge.web.context import SiteContext
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


def _walkers(
    study: Study,
    plan: Plan,
    crowd: Crowd,
    client: Callable[[], httpx.Client],
    *,
    seal: Seal,
    people: tuple[Character, ...],
    seed: int,
) -> list[Walker]:
    """One walker for each character, each with chance of their own."""
    from dataclasses import replace

    import numpy as np

    walkers = []
    for number, character in enumerate(people, start=1):
        name = f"sim-{number:03}"
        person = crowd.person(name, rng=np.random.default_rng((seed, number)))
        person = replace(person, is_careless=character.is_careless)
        way = Way(study, plan, personal_path(seal, name), lambda: Browser(client()))
        walkers.append(Walker(way, character, person, Told(name, character.name)))
    return walkers


def _let_walk(
    walkers: list[Walker],
    store: Store,
    clock: Clock,
    *,
    rng: np.random.Generator,
    step: Callable[[int], None],
) -> None:
    """Who is due next acts next; in between the clock jumps, and places are freed each minute."""
    due: list[tuple[datetime, int, Iterator[float]]] = []
    moment = clock.now()
    for number, walker in enumerate(walkers):
        moment += timedelta(seconds=float(rng.exponential(_BETWEEN_ARRIVALS)))
        due.append((moment, number, walker.walk()))
    heapq.heapify(due)
    swept = clock.now()
    while due:
        moment, number, walk = heapq.heappop(due)
        clock.move_to(moment)
        if moment - swept >= _SWEEP:
            store.expire(now=moment)
            swept = moment
        seconds = _one_act(walk, walkers[number].told)
        if seconds is None:
            step(1)
        else:
            heapq.heappush(due, (moment + timedelta(seconds=seconds), number, walk))


def _one_act(walk: Iterator[float], told: Told) -> float | None:
    """What somebody does next; None when they have come to an end, good or bad."""
    import httpx

    try:
        return next(walk, None)
    except httpx.HTTPError as error:
        told.end = "stuck"
        told.complaints.append(f"no answer came ({type(error).__name__})")
        return None


def _statuses(store: Store, people: tuple[Told, ...]) -> dict[str, Counter[Status]]:
    characters = {store.pseudonym_of(told.person): told.character for told in people}
    found: dict[str, Counter[Status]] = {told.character: Counter() for told in people}
    for each in store.assignments():
        found[characters[each.participant]][each.status] += 1
    return found
