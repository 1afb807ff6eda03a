"""A rehearsal with a fake Prolific: its places, returns, time-outs and pay, and our real site.

Both run on this machine and talk over HTTP. Scripted participants take places on the platform, walk
the pages, and enter their codes, return or time out. The site follows them by polling or by the
platform's notifications. At the end everybody who is due is approved.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, TypeAlias

import httpx
import numpy as np

from rejudge.collect.assignment import Occupancy
from rejudge.collect.looks import Look
from rejudge.design.plan import Plan
from rejudge.platforms import PROLIFIC
from rejudge.prolific.client import ProlificApi
from rejudge.prolific.fake import (
    Behaviour,
    ProlificWorld,
    ScriptedParticipant,
    SiteVisit,
    create_fake_app,
    deliver_events,
    run_participants,
)
from rejudge.prolific.service import ArrivalLookup, ProlificService
from rejudge.prolific.study import (
    CreationOptions,
    SiteKeys,
    StudyDraft,
    draft_study,
    screen_out_pay,
)
from rejudge.prolific.submissions import (
    Poller,
    Reconciliation,
    find_replacements,
    follow_look,
    poll,
)
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import Crowd
from rejudge.store.analysis_input import make_due_look
from rejudge.store.store import open_store
from rejudge.study.model import Study
from rejudge.web.app import create_app
from rejudge.web.recruiting import NOTIFICATIONS
from rejudge.web.rehearse.browser import Browser
from rejudge.web.rehearse.participant import (
    Character,
    ParticipantRecord,
    ParticipantSetup,
    SimulatedParticipant,
)
from rejudge.web.rehearse.rehearsal import BrokenGuarantee, Clock, broken_guarantees
from rejudge.web.rendering import SiteContext
from rejudge.web.serving import bind_socket, run_site

Follows: TypeAlias = Literal["polling", "notifications"]
_BETWEEN_POLLS = timedelta(minutes=5)
_MOST_ROUNDS = 10
_DAY_SECONDS = 86_400
_SHARE_SENT_TWICE = 0.3  # of the notifications
_APPROVAL_SECONDS = 600  # until a bulk approval is carried out
_PERSON = next(iter(PROLIFIC.link_ids))  # the parameter of a link that names the person


@dataclass(frozen=True, slots=True)
class PlatformRehearsal:
    """How a rehearsal with a platform ended."""

    people: tuple[ScriptedParticipant, ...]
    visits: Reconciliation
    batches: tuple[Occupancy, ...]
    broken: tuple[BrokenGuarantee, ...]
    approved: int  # submissions
    rewards_paid: int  # in pence or cents, as the platform's ledger has it
    reward: int
    screened_out: int = 0  # people
    screen_outs_paid: int = 0  # as rewards
    screen_out_reward: int = 0
    looks: tuple[Look, ...] = ()
    surplus: int = 0  # finished batches for which no place was left; they are paid all the same

    @property
    def is_complete(self) -> bool:
        """Whether every batch has exactly as many people as planned."""
        return all((each.done, each.held) == (each.places, 0) for each in self.batches)

    @property
    def adds_up(self) -> bool:
        """Whether the platform paid what each approved or screened-out person is due."""
        is_paid = self.rewards_paid == self.approved * self.reward
        return is_paid and self.screen_outs_paid == self.screened_out * self.screen_out_reward


class PlatformRehearser:
    """The site of a study, a fake Prolific, and the clock they share."""

    def __init__(
        self,
        study: Study,
        plan: Plan,
        database: str,
        *,
        start: datetime,
        seed: int = 1,
        is_taskflow: bool = False,
        returns_free_urls: bool = True,
        parameters: Parameters | None = None,
    ) -> None:
        """`parameters`: what is true of systems and participants; the usual when left out."""
        self.study, self.plan = study, plan
        self.clock = Clock(start)
        self.world = ProlificWorld(
            now=self.clock.now,
            rng=random.Random(seed),  # noqa: S311 - a simulation
            returns_free_urls=returns_free_urls,
        )
        self._is_taskflow = is_taskflow
        self.store = open_store(database, study, plan, now=start, is_rehearsal=True)
        self.records: list[ParticipantRecord] = []
        self.complaints: list[str] = []  # of the poller
        rng = np.random.default_rng(seed)
        self._crowd = Crowd(study, plan, rng=rng, parameters=parameters)
        self._seed = seed
        self._polled_at = start
        self.looks: list[Look] = []  # that were made, with what was done on the platform

    def run(
        self, people: Sequence[Behaviour], *, follows: Follows = "polling"
    ) -> PlatformRehearsal:
        """Let these people come, one after another, and approve what is due at the end."""
        with self._connect(follows) as connected:
            scripted = self._send(connected, people, follows)
            for _ in range(_MOST_ROUNDS):  # the platform shows a study while it has places
                if not (free := connected.free_places()):
                    break
                scripted += self._send(connected, ["normal"] * free, follows)
            approved = self._approve(connected)
            visits = connected.poll()
        return self._outcome(connected, scripted, visits, approved=approved)

    def _outcome(
        self,
        connected: _Connected,
        people: Sequence[ScriptedParticipant],
        visits: Reconciliation,
        *,
        approved: int,
    ) -> PlatformRehearsal:
        reward = self.world.studies[connected.study].reward
        screen_out = screen_out_pay(self.study, reward)
        paid: Counter[str] = Counter()
        for each in self.world.ledger.entries:
            paid[each.kind] += each.amount
        return PlatformRehearsal(
            people=tuple(people),
            visits=visits,
            batches=self.store.occupancies(),
            broken=broken_guarantees(self.store, self._records_of_remaining(people)),
            approved=approved,
            rewards_paid=paid["reward"],
            reward=reward,
            screened_out=sum(each.said == "screened-out" for each in visits.visits),
            screen_outs_paid=paid["screen-out"],
            screen_out_reward=0 if screen_out is None else screen_out.reward,
            looks=tuple(self.looks),
            surplus=sum(each.status == "surplus" for each in self.store.assignments()),
        )

    def _send(
        self, connected: _Connected, people: Sequence[Behaviour], follows: Follows
    ) -> list[ScriptedParticipant]:
        """Let new members of the panel come, and follow what they do."""
        members = self.world.join(len(people))
        scripted = [
            ScriptedParticipant(
                self.world, connected.study, member.id, behaviour, connected.open_site
            )
            for member, behaviour in zip(members, people, strict=True)
        ]
        follow = partial(self._follow, connected, follows)
        run_participants(scripted, self.clock, seconds_between=90, after_each=follow)
        self.clock.move_by(_DAY_SECONDS)  # whoever left has timed out by then
        self.world.pass_time()
        follow(self.clock.now())
        return scripted

    def visit(
        self, link: str, behaviour: Behaviour, *, address: str, wire: httpx.BaseTransport
    ) -> SiteVisit:
        """Somebody on the pages, who answers as simulated people do."""
        character = Character(
            behaviour,
            behaviour,
            share=1,
            has_two_tabs=behaviour == "two tabs",
            refreshes=behaviour == "refresh",
            declines=behaviour == "declines",
            is_screened_out=behaviour == "screened out",
        )
        client = httpx.Client(base_url=address, transport=wire, timeout=60)
        person = httpx.URL(link).params[_PERSON]
        setup = ParticipantSetup(
            self.study, self.plan, link.removeprefix(address), lambda: Browser(client)
        )
        rng = np.random.default_rng([self._seed, len(self.records)])
        is_careless = behaviour == "careless"
        answers = replace(self._crowd.person(person, rng=rng), is_careless=is_careless)
        record = ParticipantRecord(person, behaviour)
        self.records.append(record)
        return SimulatedParticipant(setup, character, answers, record)

    def _records_of_remaining(
        self, people: Sequence[ScriptedParticipant]
    ) -> list[ParticipantRecord]:
        """What was seen by those who did not return: returned work is withdrawn, as it must be."""
        returned = {
            each.submission.participant
            for each in people
            if each.submission is not None and each.submission.status == "RETURNED"
        }
        return [each for each in self.records if each.person not in returned]

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    @contextmanager
    def _connect(self, follows: Follows) -> Iterator[_Connected]:
        """Put the study on the fake, and serve both on ports of this machine."""
        taken = bind_socket("127.0.0.1", 0)
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with ExitStack() as stack:
            platform = stack.enter_context(run_site(create_fake_app(self.world)))
            http = stack.enter_context(httpx.Client(timeout=60, trust_env=False))  # no proxy
            api = ProlificApi(http, self.world.token, base_url=platform, sleep=self.clock.move_by)
            made = api.create_study(self._draft(api, address).body)
            secrets = self._subscribe(api, address) if follows == "notifications" else ()
            poller = Poller(
                self.store, api, made.id, now=self.clock.now, report=self.complaints.append
            )
            context = SiteContext(
                study=self.study,
                plan=self.plan,
                store=self.store,
                now=self.clock.now,
                secret=self.store.secret,
                is_rehearsal=True,
                recruiting=ProlificService(
                    poller,
                    self.clock.now,
                    secrets,
                    lookup=ArrivalLookup(api, self.complaints.append),
                    names_batches=self._is_taskflow,
                ),
            )
            stack.enter_context(run_site(create_app(context), taken=taken))
            api.transition_study(made.id, "PUBLISH")
            wire = stack.enter_context(httpx.HTTPTransport())
            yield _Connected(self, api, http, wire, address, made.id)

    def _draft(self, api: ProlificApi, address: str) -> StudyDraft:
        """The study as `rejudge prolific create` would put it on the platform."""
        return draft_study(
            api,
            self.study,
            self.plan,
            site=SiteKeys(self.store.codes, self.store.secret),
            options=CreationOptions(address, is_taskflow=self._is_taskflow),
            on=self.clock.now().date(),
        )

    def _subscribe(self, api: ProlificApi, address: str) -> tuple[str, ...]:
        """Have the platform send its notifications; what they are signed with."""
        secret = api.create_hook_secret(self.world.workspace).value
        api.subscribe(
            self.world.workspace,
            event_type="submission.status.change",
            target_url=f"{address}{NOTIFICATIONS}",
        )
        return (secret,)

    def _follow(self, connected: _Connected, follows: Follows, now: datetime) -> None:
        """Send the notifications that are due, or ask every few minutes; make looks when due."""
        self.store.expire(now=now)
        self._look(connected, now)
        if follows == "notifications":
            deliver_events(
                self.world, connected.http, duplicates=_SHARE_SENT_TWICE, is_shuffled=True
            )
        elif now - self._polled_at >= _BETWEEN_POLLS:
            connected.poll()
            self._polled_at = now

    def _look(self, connected: _Connected, now: datetime) -> None:
        if self.study.spec.stop is None or self.store.look_log().is_over:
            return
        look = make_due_look(self.store, who="rehearsal", now=now)
        if look is not None:
            self.looks.append(look)
            follow_look(connected.api, self.store, connected.study, look, now=self.clock.now)

    def _approve(self, connected: _Connected) -> int:
        """Approve everything that was handed in, with data or without; how much that is."""
        found = connected.poll()
        due = [each.session for each in found.visits if each.said == "submitted" and each.session]
        connected.api.approve(due)
        self.clock.move_by(_APPROVAL_SECONDS)
        self.world.pass_time()
        return len(due)


@dataclass(frozen=True, slots=True)
class _Connected:
    """A site and a platform that know each other's addresses."""

    rehearser: PlatformRehearser
    api: ProlificApi
    http: httpx.Client
    wire: httpx.BaseTransport
    address: str
    study: str  # the platform's id

    def poll(self) -> Reconciliation:
        """Ask the platform about all submissions."""
        return poll(self.rehearser.store, self.api, self.study, now=self.rehearser.clock.now)

    def free_places(self) -> int:
        """How many places the platform has, once those that stay empty here were added."""
        rehearser = self.rehearser
        study = rehearser.world.study(self.study)
        if not rehearser.world.free_places(study):
            found = find_replacements(self.api, rehearser.store, self.study, self.poll())
            if found.places:
                self.api.update_study(self.study, found.changes)
        if study.status == "COMPLETED":  # a look has stopped it
            return 0
        if study.status == "PAUSED":  # as after the last paid screen-out
            self.api.transition_study(self.study, "START")
        return rehearser.world.free_places(study)

    def open_site(self, link: str, behaviour: Behaviour) -> SiteVisit:
        """Somebody opens the platform's link in a browser of their own."""
        return self.rehearser.visit(link, behaviour, address=self.address, wire=self.wire)
