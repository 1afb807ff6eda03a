"""Scripted participants take places on the fake platform and walk the real site over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from fake_account import Account, study_body

from rejudge.prolific.fake import (
    BEHAVIOURS,
    Behaviour,
    ScriptedParticipant,
    SiteVisit,
    run_participants,
)
from rejudge.simulate.people import Crowd
from rejudge.store.store import open_store
from rejudge.web.app import create_app
from rejudge.web.rehearse.browser import Browser
from rejudge.web.rehearse.participant import (
    Character,
    ParticipantRecord,
    ParticipantSetup,
    SimulatedParticipant,
)
from rejudge.web.rendering import SiteContext
from rejudge.web.serving import run_site
from small_site import study_of

SECRET = b"of these tests alone, and long enough"


class Rehearsed:
    """A study on its real pages and on the fake platform, with one clock."""

    def __init__(self, database: Path, places: int) -> None:
        self.account = Account(seed=places)
        self.study, self.plan = study_of(batches=1, people=places)
        self.store = open_store(
            str(database), self.study, self.plan, now=self.account.time.now(), is_rehearsal=True
        )
        self.crowd = Crowd(self.study, self.plan, rng=np.random.default_rng(1))
        self.address = ""

    @contextmanager
    def served(self) -> Iterator[str]:
        context = SiteContext(
            study=self.study,
            plan=self.plan,
            store=self.store,
            now=self.account.time.now,
            secret=SECRET,
            is_rehearsal=True,
        )
        with (
            run_site(create_app(context)) as self.address,
            httpx.HTTPTransport(verify=False) as self.wire,
        ):
            yield self.address
        self.store.close()

    def publish(self, places: int) -> str:
        codes = self.store.codes
        review = {"action": "MANUALLY_REVIEW"}
        ask = {"action": "REQUEST_RETURN", "return_reason": "You did not consent."}
        ids = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        query = "&".join(f"{name}={{{{%{name}%}}}}" for name in ids)
        body = study_body(
            external_study_url=f"{self.address}/?{query}",
            total_available_places=places,
            completion_codes=[
                {"code": codes.completed, "code_type": "COMPLETED", "actions": [review]},
                {"code": codes.declined, "code_type": "NO_CONSENT", "actions": [ask]},
                {"code": codes.full, "code_type": "OTHER", "actions": [review]},
            ],
        )
        made = self.account.api.create_study(body)
        self.account.api.transition_study(made.id, "PUBLISH")
        return made.id

    def open_site(self, link: str, behaviour: Behaviour) -> SiteVisit:
        character = Character(
            behaviour,
            behaviour,
            share=1,
            has_two_tabs=behaviour == "two tabs",
            refreshes=behaviour == "refresh",
            declines=behaviour == "declines",
        )
        path = link.removeprefix(self.address)
        client = httpx.Client(base_url=self.address, transport=self.wire, timeout=None)
        setup = ParticipantSetup(self.study, self.plan, path, lambda: Browser(client))
        person = self.crowd.person(link, rng=np.random.default_rng(len(link)))
        record = ParticipantRecord(link, behaviour)
        return SimulatedParticipant(setup, character, replace(person, is_careless=False), record)


@pytest.fixture
def everybody(tmp_path):
    """One participant of each behaviour, with room for all on the site and on the platform."""
    rehearsed = Rehearsed(tmp_path / "study.db", len(BEHAVIOURS))
    with rehearsed.served():
        study = rehearsed.publish(len(BEHAVIOURS))
        world = rehearsed.account.world
        people = {
            behaviour: ScriptedParticipant(
                world, study, world.join(1)[0].id, behaviour, rehearsed.open_site
            )
            for behaviour in BEHAVIOURS
        }
        run_participants(list(people.values()), rehearsed.account.time, seconds_between=60)
        yield rehearsed, people


def test_every_behaviour_ends_in_its_state_on_the_platform(everybody):
    _, people = everybody
    assert {name: each.submission.status for name, each in people.items()} == {
        "normal": "AWAITING REVIEW",
        "returns early": "RETURNED",
        "returns after submitting": "RETURNED",
        "never starts": "TIMED-OUT",
        "times out": "TIMED-OUT",
        "finishes late": "TIMED-OUT",
        "two tabs": "AWAITING REVIEW",
        "refresh": "AWAITING REVIEW",
        "no code": "AWAITING REVIEW",
        "wrong code": "AWAITING REVIEW",
        "reopens": "AWAITING REVIEW",
        "declines": "RETURNED",
        "screened out": "AWAITING REVIEW",  # this study screens nobody out
        "careless": "AWAITING REVIEW",
    }


def test_everybody_who_finishes_reads_the_code_of_the_study(everybody):
    rehearsed, people = everybody
    done = rehearsed.store.codes.completed
    finished = set(BEHAVIOURS) - {"returns early", "never starts", "times out", "declines"}
    assert {name for name, each in people.items() if set(each.codes) == {done}} == finished
    assert len(people["reopens"].codes) == 2  # the same again
    assert people["no code"].submission.entered_code is None
    assert people["wrong code"].submission.entered_code == "WRONG123"


def test_the_site_keeps_the_work_of_everybody_who_finished(everybody):
    rehearsed, _ = everybody
    states = Counter(each.status for each in rehearsed.store.assignments())
    assert states["submitted"] + states["accepted"] + states["surplus"] == 10


def test_the_session_of_the_link_is_the_submission(everybody):
    rehearsed, people = everybody
    world = rehearsed.account.world
    submission = people["normal"].submission
    assert f"SESSION_ID={submission.id}" in world.link(submission)
    assert rehearsed.store.pseudonym_of(submission.participant) is not None


def test_whoever_comes_when_all_places_are_taken_is_turned_away(tmp_path):
    rehearsed = Rehearsed(tmp_path / "study.db", 1)
    with rehearsed.served():
        study = rehearsed.publish(1)
        world = rehearsed.account.world
        people = [
            ScriptedParticipant(world, study, world.join(1)[0].id, "normal", rehearsed.open_site)
            for _ in range(3)
        ]
        polled = []
        run_participants(
            people, rehearsed.account.time, seconds_between=1, after_each=polled.append
        )
    assert [each.turned_away is None for each in people] == [True, False, False]
    assert polled == sorted(polled)
