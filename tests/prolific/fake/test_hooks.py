"""Webhooks of the fake: signed, confirmed first, tried again, doubled and out of order."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import httpx
import pytest
from fake_account import Account

from rejudge.prolific.fake.hooks import deliver_events
from rejudge.prolific.transport import ProlificError

TARGET = "https://study.example.org/hooks/prolific"


class Receiver:
    """A site that takes webhooks, or does not."""

    def __init__(self) -> None:
        self.status = 200
        self.requests: list[httpx.Request] = []
        self.http = httpx.Client(transport=httpx.MockTransport(self._take))

    def _take(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(self.status)

    @property
    def events(self) -> list[dict[str, str]]:
        return [json.loads(request.content) for request in self.requests]


@pytest.fixture
def account() -> Account:
    return Account()


def subscribe(account: Account, event: str = "submission.status.change") -> str:
    workspace = next(account.api.workspaces()).id
    secret = account.api.create_hook_secret(workspace)
    account.api.subscribe(workspace, event_type=event, target_url=TARGET)
    return secret.value


def test_an_event_tells_who_and_which_state_but_not_the_study(account):
    subscribe(account)
    receiver = Receiver()
    study = account.published()
    somebody = account.come(study)
    assert deliver_events(account.world, receiver.http) == 2
    assert receiver.events[1] == {
        "resource_id": somebody.id,
        "participant_id": somebody.participant,
        "status": "ACTIVE",
        "event_type": "submission.status.change",
    }
    assert deliver_events(account.world, receiver.http) == 0


def test_the_signature_covers_timestamp_and_raw_bytes(account):
    secret = subscribe(account)
    receiver = Receiver()
    account.come(account.published())
    deliver_events(account.world, receiver.http)
    for request in receiver.requests:
        stamp = request.headers["x-prolific-request-timestamp"].encode()
        digest = hmac.new(secret.encode(), stamp + request.content, hashlib.sha256).digest()
        given = request.headers["x-prolific-request-signature"]
        assert given == base64.b64encode(digest).decode()


def test_nothing_is_sent_before_the_subscription_is_confirmed(account):
    workspace = account.world.workspace
    account.world.hooks.create_secret(workspace)
    hook = account.world.hooks.subscribe(workspace, "study.status.change", TARGET)
    account.published()
    assert deliver_events(account.world, Receiver().http) == 0
    account.world.hooks.confirm(hook.id, hook.proof)
    account.published()
    assert deliver_events(account.world, Receiver().http) == 1


@pytest.mark.parametrize(
    ("event", "target"),
    [("submission.status.change", "http://study.example.org"), ("no.such.event", TARGET)],
)
def test_a_subscription_needs_tls_and_a_known_event(account, event, target):
    workspace = next(account.api.workspaces()).id
    account.api.create_hook_secret(workspace)
    with pytest.raises(ProlificError):
        account.api.subscribe(workspace, event_type=event, target_url=target)


def test_a_failed_delivery_is_tried_again_with_the_same_id_for_a_day(account):
    subscribe(account)
    receiver = Receiver()
    receiver.status = 500
    account.world.reserve(account.published(), account.world.join(1)[0].id)
    for _ in range(60 * 24):
        deliver_events(account.world, receiver.http)
        account.time.wait(minutes=1)
        if receiver.events[0]["status"] != "RESERVED":
            break
    own = [r for r in receiver.requests if json.loads(r.content)["status"] == "RESERVED"]
    assert len(own) == 12
    assert len({request.headers["x-event-id"] for request in own}) == 1
    hook = next(account.api.subscriptions(account.world.workspace))
    states = {each.status for each in account.api.deliveries(hook.id)}
    assert "FAILED" in states


def test_a_delivery_that_arrives_late_counts(account):
    subscribe(account)
    receiver = Receiver()
    receiver.status = 503
    account.come(account.published())
    deliver_events(account.world, receiver.http)
    receiver.status = 204
    account.time.wait(minutes=5)
    deliver_events(account.world, receiver.http)
    hook = next(account.api.subscriptions(account.world.workspace))
    assert {each.status for each in account.api.deliveries(hook.id)} == {"SUCCEEDED"}
    stamps = [request.headers["x-timestamp"] for request in receiver.requests]
    assert len(set(stamps)) == 1  # the event's own time stays
    tries = [request.headers["x-prolific-request-timestamp"] for request in receiver.requests]
    assert len(set(tries)) == 2


def test_five_days_of_failure_end_a_subscription(account):
    subscribe(account)
    receiver = Receiver()
    receiver.status = 500
    study = account.published(total_available_places=100)
    for _ in range(6):
        account.come(study)
        deliver_events(account.world, receiver.http)
        account.time.wait(days=1)
    assert not next(account.api.subscriptions(account.world.workspace)).is_enabled


def test_events_can_come_twice_and_in_any_order(account):
    subscribe(account)
    receiver = Receiver()
    study = account.published(total_available_places=20)
    for _ in range(20):
        account.come(study)
    sent = deliver_events(account.world, receiver.http, duplicates=0.5, is_shuffled=True)
    ids = [request.headers["x-event-id"] for request in receiver.requests]
    assert sent == len(ids) > len(set(ids)) == 40
    states = [event["status"] for event in receiver.events]
    assert states != sorted(states, reverse=True)


def test_a_new_secret_replaces_the_one_before(account):
    before = subscribe(account)
    after = account.api.create_hook_secret(account.world.workspace).value
    assert before != after
    assert account.world.hooks.secrets[account.world.workspace] == after
