"""Prolific beside a running site: notifications, signed links, and what happens without a token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_account import START, Account
from walking import NOW, begin, opened

from rejudge.prolific.record import ProlificRecord, write_record
from rejudge.prolific.service import HOOK_SECRET, ProlificService, open_service
from rejudge.prolific.signatures import (
    EVENT_ID_HEADER,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    sign_event,
)
from rejudge.prolific.sync import Poller
from rejudge.store import Store

SECRET = "of these tests alone"  # noqa: S105 - signs nothing else
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
    assert found is None
    assert "REJUDGE_PROLIFIC_TOKEN" in said[0]


def test_signed_links_are_asked_for_where_the_study_was_created_so(tmp_path, store):
    record(tmp_path, body={"is_external_study_url_secure": True})
    environment = {
        "REJUDGE_PROLIFIC_TOKEN": "t",
        "REJUDGE_PROLIFIC_URL": "http://127.0.0.1:9",  # nothing listens there
        HOOK_SECRET: SECRET,
    }
    found, _ = opened_service(tmp_path, store, environment=environment)
    assert found.hook_secrets == (SECRET,)
    pytest.importorskip("jwt")
    assert not found.is_genuine({"PROLIFIC_PID": "a", "prolific_token": "forged"})
    assert found.is_genuine({})  # somebody who comes back with a cookie


def test_without_an_answer_no_place_is_lost_and_nobody_waits_long(tmp_path, store):
    record(tmp_path)
    environment = {"REJUDGE_PROLIFIC_TOKEN": "t", "REJUDGE_PROLIFIC_URL": "http://127.0.0.1:9"}
    found, said = opened_service(tmp_path, store, environment=environment)
    begin(store, 1)
    assert not found.refresh()
    assert len(said) == 1
