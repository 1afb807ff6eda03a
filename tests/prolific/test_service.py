"""Prolific beside a running site: notifications, arrivals, and what happens without a token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_account import START, Account
from walking import NOW, begin, opened

from rejudge.prolific.fake import FakeFault
from rejudge.prolific.service import (
    EVENT_ID_HEADER,
    HOOK_SECRET,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    ArrivalLookup,
    ProlificService,
    open_service,
    sign_event,
)
from rejudge.prolific.study import ProlificRecord, write_record
from rejudge.prolific.submissions import Poller
from rejudge.store.store import Store

SECRET = "of these tests alone"  # noqa: S105 - signs nothing else
LINK = {"PROLIFIC_PID": "a" * 24, "STUDY_ID": "b" * 24, "SESSION_ID": "c" * 24}
CHANGE = {"event_type": "submission.status.change", "resource_id": "s1", "status": "RETURNED"}


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    made = opened(str(tmp_path / "study.db"), 1, 1)
    yield made
    made.close()


@pytest.fixture
def service(store) -> ProlificService:
    poller = Poller(store, Account().api, "study", now=lambda: START, report=pytest.fail)
    return ProlificService(poller, lambda: START, (SECRET,))


def signed(body: bytes, *, secret: str = SECRET) -> dict[str, str]:
    stamp = str(int(START.timestamp()))
    return {
        SIGNATURE_HEADER: sign_event(secret, stamp, body),
        TIMESTAMP_HEADER: stamp,
        EVENT_ID_HEADER: "e1",
    }


def test_a_signed_notification_says_what_became_of_a_submission(service):
    body = json.dumps(CHANGE).encode()
    (report,) = service.read_notification(signed(body), body)
    assert (report.session, report.status, report.delivery) == ("s1", "returned", "e1")


@pytest.mark.parametrize(
    ("said", "status"),
    [("TIMED-OUT", "timed-out"), ("AWAITING_REVIEW", "submitted"), ("NEW WORD", "unknown")],
)
def test_states_are_read_however_they_are_spelled(service, said, status):
    body = json.dumps({**CHANGE, "status": said}).encode()
    (report,) = service.read_notification(signed(body), body)
    assert report.status == status


def test_what_prolific_did_not_sign_is_not_heard(service):
    body = json.dumps(CHANGE).encode()
    assert service.read_notification({}, body) is None
    assert service.read_notification(signed(body, secret="another"), body) is None  # noqa: S106
    assert service.read_notification(signed(body), body + b" ") is None


@pytest.mark.parametrize(
    "payload", [{"event_type": "study.status.change"}, {**CHANGE, "resource_id": ""}]
)
def test_other_notifications_are_taken_and_change_nothing(service, payload):
    body = json.dumps(payload).encode()
    assert service.read_notification(signed(body), body) == ()


def test_where_links_are_not_signed_every_link_is_taken(service):
    assert service.is_genuine({"PROLIFIC_PID": "a"})


def record(folder: Path, **parts: Any) -> None:
    known = {"mark": "m", "intended_at": START, "base_url": "https://api.example", "body": {}}
    write_record(folder, ProlificRecord(**{**known, "study": "6" * 24, **parts}))


def opened_service(folder, store, *, environment):
    said: list[str] = []
    found = open_service(
        folder,
        store,
        environment=environment,
        now=lambda: NOW,
        base_url="https://study.example.org",
        report=said.append,
    )
    return found, said


def test_without_a_study_on_prolific_there_is_nothing_to_hear(tmp_path, store):
    assert opened_service(tmp_path, store, environment={}) == (None, [])


def test_without_a_token_the_site_says_what_it_cannot_know(tmp_path, store):
    record(tmp_path)
    found, said = opened_service(tmp_path, store, environment={})
    assert "REJUDGE_PROLIFIC_TOKEN" in said[0]
    assert not found.refresh()
    assert found.is_genuine(LINK)


def test_a_link_of_taskflow_needs_its_batch_whoever_asks(tmp_path, store):
    record(tmp_path, body={"access_details": [{"external_url": "u", "total_allocation": 1}]})
    found, _ = opened_service(tmp_path, store, environment={})
    assert not found.is_genuine(LINK)
    assert found.is_genuine(LINK | {"BATCH": "b1.signature"})  # the site reads the signature
    assert found.is_genuine({"p": "a link of our own"})


# ── ids that anybody can type ────────────────────────────────────────────────────────────────────


@pytest.fixture
def arrived() -> tuple[Account, dict[str, str], ArrivalLookup, list[str]]:
    """Somebody who has just started on the platform, their link, and who looks it up."""
    account, said = Account(), []
    submission = account.come(account.published())
    link = {
        "PROLIFIC_PID": submission.participant,
        "STUDY_ID": submission.study,
        "SESSION_ID": submission.id,
    }
    return account, link, ArrivalLookup(account.api, said.append), said


def test_whoever_the_platform_sent_is_known(arrived):
    _, link, lookup, said = arrived
    assert lookup.is_known(link)
    assert not said


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
def test_an_id_that_does_not_belong_to_the_others_is_noticed(arrived, name):
    _, link, lookup, _ = arrived
    assert not lookup.is_known(link | {name: "0" * 24})


def test_a_place_that_was_given_back_lets_nobody_in(arrived):
    account, link, lookup, _ = arrived
    account.world.give_back(account.world.submission(link["SESSION_ID"]))
    assert not lookup.is_known(link)


def test_each_link_is_looked_up_once_and_an_outage_keeps_nobody_out(arrived):
    account, link, lookup, said = arrived
    account.world.faults += [FakeFault(503)] * 20
    assert lookup.is_known(link)
    assert "could not be looked up" in said[0]
    assert link["PROLIFIC_PID"] not in said[0]
    account.world.faults.clear()
    assert lookup.is_known(link)
    account.world.faults += [FakeFault(503)] * 20  # nobody asks any more
    assert lookup.is_known(link)
    assert len(said) == 1


def test_what_is_no_id_is_not_asked_for(arrived):
    account, link, lookup, _ = arrived
    account.world.faults += [FakeFault(503)]
    assert lookup.is_known(link | {"SESSION_ID": "../users/me"})
    assert account.world.faults


def test_notifications_are_verified_with_the_secret_of_the_environment(tmp_path, store):
    record(tmp_path)
    found, _ = opened_service(tmp_path, store, environment={HOOK_SECRET: SECRET})
    assert found.hook_secrets == (SECRET,)
    assert found.is_genuine({})  # somebody who comes back with a cookie


def test_without_an_answer_no_place_is_lost_and_nobody_waits_long(tmp_path, store):
    record(tmp_path)
    environment = {"REJUDGE_PROLIFIC_TOKEN": "t", "REJUDGE_PROLIFIC_URL": "http://127.0.0.1:9"}
    found, said = opened_service(tmp_path, store, environment=environment)
    begin(store, 1)
    assert not found.refresh()
    assert len(said) == 1
