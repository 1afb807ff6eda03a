"""A study with a dashboard, and simulated people who walk straight into its store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from threading import TIMEOUT_MAX
from typing import Any, TypeAlias

import httpx
import numpy as np
from starlette.applications import Starlette

from judged_study import drawn
from rejudge.collect.visit import Arrival, Visit
from rejudge.design.plan import Plan
from rejudge.judgments.answers import Answer
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge, participant_seats
from rejudge.store.records import PageAnswers, Role
from rejudge.store.store import Store, open_store
from rejudge.study.model import Study
from rejudge.web.app import create_app
from rejudge.web.rendering import SiteContext

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass
class Clock:
    """The time of day in a test; it goes on when told to."""

    now: datetime = START

    def __call__(self) -> datetime:
        """The time, as a site asks for it."""
        return self.now

    def go(self, seconds: float) -> datetime:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)
        return self.now


Said: TypeAlias = Mapping[tuple[str, int], list[Answer]]


def said(study: Study, plan: Plan, parameters: Parameters | None = None, *, seed: int = 3) -> Said:
    """What simulated people would answer, by batch and seat."""
    answers = judge(study, plan, rng=np.random.default_rng(seed), parameters=parameters)
    by_person: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        by_person.setdefault((answer.participant, answer.batch), []).append(answer)
    names = list(dict.fromkeys(answer.participant for answer in answers))
    return {
        (seat.batch.id, seat.number): by_person[name, seat.batch.id]
        for name, own in zip(names, participant_seats(plan), strict=True)
        for seat in own
    }


class Crowds(Sequence[Said]):
    """Four crowds that would judge a plan; asked only when somebody answers, and kept."""

    def __init__(self, study: Study, plan: Plan, parameters: Parameters) -> None:
        self._said = cache(lambda seed: said(study, plan, parameters, seed=seed))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, number: Any) -> Any:
        return self._said(number)


@dataclass
class Crowd:
    """People who come one after another."""

    store: Store
    clock: Clock
    said: Sequence[Said]  # several crowds, so that a replacement answers in their own way
    pause: float = 0.0  # seconds that each page costs more than its own time
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(8))
    _count: int = field(default=0)

    def arrive(self) -> Visit:
        """Somebody new who arrives."""
        self._count += 1
        who = Arrival("prolific", f"platform-{self._count:04}", f"session-{self._count:04}")
        return self.store.arrive(who, now=self.clock.go(5), device="desktop")

    def begin(self) -> Visit:
        """Somebody new who has a batch."""
        visit = self.arrive()
        version = self.store.consent_version
        read, looked = (float(self.rng.lognormal(mean, 0.5)) for mean in (3.0, 3.9))
        visit = self.store.consent(visit, agreed=True, version=version, now=self.clock.go(read))
        visit = self.store.pass_step(visit, "instructions", now=self.clock.go(looked))
        return self.store.claim(visit, now=self.clock.go(1))

    def answer(self, visit: Visit, *, tasks: int | None = None) -> None:
        """Some or all of the tasks in hand."""
        held = visit.current
        assert held is not None
        crowd = self.said[int(self.rng.integers(len(self.said)))]
        known = crowd.get((held.batch, held.seat)) or crowd[held.batch, 0]
        by_task: dict[str, dict[str, str]] = {}
        for each in known:
            by_task.setdefault(each.task, {})[each.question] = each.raw
        seconds = {each.task: each.seconds for each in known}
        order = self.store.order(held)
        for position, task in enumerate(order[:tasks], start=1):
            spent = seconds[task.id] or 1.0
            shown = self.clock.now
            page = PageAnswers(
                visit=visit.id,
                assignment=held.id,
                task=task.id,
                position=position,
                answers=by_task[task.id],
                key=f"{visit.id}-{task.id}",
                shown_at=shown,
                active_seconds=spent,
            )
            self.store.record(page, now=self.clock.go(spent + self.pause))

    def finish(self) -> str:
        """Somebody new who does everything; their pseudonym."""
        visit = self.begin()
        while visit.current is not None:
            self.answer(visit)
            self.store.submit(visit.current, now=self.clock.go(2))
            visit = self._fresh(visit)
        self.store.pass_step(visit, "exit", now=self.clock.go(15))
        return visit.participant

    def finish_many(self, number: int) -> list[str]:
        """This many of them."""
        return [self.finish() for _ in range(number)]

    def _fresh(self, visit: Visit) -> Visit:
        found = self.store.visit(visit.id)
        assert found is not None
        return found


def platform_ids(text: str) -> Iterable[str]:
    """What looks like an id of the recruiter in a text."""
    return [word for word in ("platform-", "session-") if word in text]


PAYMENT = {"currency": "GBP", "minutes": 4, "hourly": 12}
SECRET = b"a secret for tests only, of some length"


class Browser:
    """Asks an application without a network, follows redirects and keeps cookies."""

    def __init__(self, app: Starlette, address: str = "127.0.0.1") -> None:
        self.app = app
        transport = httpx.ASGITransport(app, client=(address, 123))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://testserver")
        self._runner = asyncio.Runner()
        self.cookies = self._client.cookies

    def get(self, path: str, **options: Any) -> httpx.Response:  # as httpx takes them
        """A page."""
        return self._ask("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:  # 〃
        """What a form sends."""
        return self._ask("POST", path, **options)

    def request(self, method: str, path: str) -> httpx.Response:
        """Anything else."""
        return self._ask(method, path)

    def close(self) -> None:
        """End the loop."""
        self._runner.close()

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:  # 〃
        options = {"follow_redirects": True, **options}
        return self._runner.run(self._client.request(method, path, **options))


@dataclass
class DashboardSite:
    """A site, its store and its clock; and whoever uses the dashboard."""

    study: Study
    store: Store
    clock: Clock
    site: SiteContext
    client: Browser
    crowd: Crowd
    secrets: dict[str, str] = field(default_factory=dict)

    def log_in(self, role: Role = "owner") -> Browser:
        """Somebody with a new token of this role; cookies of before are gone."""
        secret = self.store.grant(role, now=self.clock())
        self.secrets[role] = secret
        self.client.cookies.clear()
        answer = self.client.post("/dashboard/login", data={"token": secret})
        assert answer.status_code == 200
        return self.client

    def csrf(self, path: str = "/dashboard/") -> str:
        """The token of a form on a page."""
        return self.client.get(path).text.split('name="csrf" value="')[1].split('"')[0]

    def act(self, path: str, **fields: str):
        """Send a form of the dashboard."""
        return self.client.post(f"/dashboard{path}", data={"csrf": self.csrf(), **fields})

    def last_line(self):
        """The last line of the audit log."""
        return self.store.log()[-1]


def opened(folder, study: Study, *, careless: float = 0.0) -> DashboardSite:
    """The dashboard of a study whose database lies in a folder."""
    plan = drawn(study)
    clock = Clock()
    store = open_store(str(folder / "study.db"), study, plan, now=clock())
    site = SiteContext(study, plan, store, clock, SECRET, patience_seconds=TIMEOUT_MAX)
    crowd = Crowd(store, clock, Crowds(study, plan, Parameters(careless=careless)))
    client = Browser(create_app(site))
    return DashboardSite(study, store, clock, site, client, crowd)
