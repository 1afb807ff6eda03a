"""Webhooks of the fake: subscriptions, signed deliveries, retries, duplicates and disorder."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import httpx

from rejudge.prolific.fake.records import FakeRefusal
from rejudge.prolific.signatures import (
    EVENT_ID_HEADER,
    EVENT_TIME_HEADER,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    sign_event,
)

if TYPE_CHECKING:
    from rejudge.prolific.fake.world import ProlificWorld

EVENT_TYPES: Final = {
    "submission.status.change": "A submission changes its status.",
    "study.status.change": "A study changes its status.",
    "study.progress.change": "Places of a study are taken or freed.",
    "study.has_high_return_rate": "Many people return their submissions.",
}
DeliveryStatus: TypeAlias = Literal["PENDING", "SUCCEEDED", "FAILED"]
_RETRIES = 11
_FIRST_PAUSE = 42.0  # seconds; doubled eleven times they make a day
_GIVEN_UP = timedelta(days=5)  # nothing but failures for so long ends a subscription
_NOT_FOUND = 404
_OK, _REDIRECT = 200, 300


@dataclass(slots=True)
class FakeSubscription:
    """Where events of a kind are sent."""

    id: str
    event_type: str
    target_url: str
    workspace: str
    proof: str = field(repr=False)  # to be sent back, in order to confirm
    is_confirmed: bool = False
    is_enabled: bool = True
    failing_since: datetime | None = None


@dataclass(slots=True)
class FakeDelivery:
    """One event for one subscription."""

    id: str
    subscription: str
    payload: dict[str, Any]  # JSON; differs by kind of event
    created_at: datetime
    due_at: datetime
    status: DeliveryStatus = "PENDING"
    attempts: int = 0


class Hooks:
    """Subscriptions and what was or will be sent to them."""

    def __init__(self, world: ProlificWorld) -> None:
        self._world = world
        self.secrets: dict[str, str] = {}  # by workspace
        self.subscriptions: dict[str, FakeSubscription] = {}
        self.deliveries: list[FakeDelivery] = []

    def create_secret(self, workspace: str) -> str:
        """A new secret, instead of the one before."""
        self.secrets[workspace] = f"{self._world.rng.getrandbits(256):064x}"
        return self.secrets[workspace]

    def subscribe(self, workspace: str, event_type: str, target_url: str) -> FakeSubscription:
        """Subscribe; nothing is sent until it is confirmed."""
        if workspace not in self.secrets:
            raise FakeRefusal("Create a secret for the workspace first.")
        if event_type not in EVENT_TYPES:
            raise FakeRefusal({"event_type": ["Unknown event type."]})
        if not target_url.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
            raise FakeRefusal({"target_url": ["Must be an https address."]})
        ids = (self._world.new_id(), self._world.new_id())
        made = FakeSubscription(ids[0], event_type, target_url, workspace, proof=ids[1])
        self.subscriptions[made.id] = made
        return made

    def subscription(self, name: str) -> FakeSubscription:
        """A subscription; a FakeRefusal for an unknown one."""
        if name not in self.subscriptions:
            raise FakeRefusal("Subscription not found.", status=_NOT_FOUND)
        return self.subscriptions[name]

    def confirm(self, name: str, proof: str) -> FakeSubscription:
        """Confirm a subscription with the secret of its reply."""
        found = self.subscription(name)
        if proof != found.proof:
            raise FakeRefusal({"secret": ["Does not match."]})
        found.is_confirmed = True
        return found

    def publish(self, event_type: str, **payload: Any) -> None:  # JSON values
        """Queue an event for everyone who subscribed to its kind."""
        now = self._world.now()
        for each in self.subscriptions.values():
            if each.event_type == event_type and each.is_confirmed and each.is_enabled:
                told = {**payload, "event_type": event_type}
                made = FakeDelivery(self._world.new_id(), each.id, told, now, now)
                self.deliveries.append(made)


def deliver_events(
    world: ProlificWorld,
    http: httpx.Client,
    *,
    duplicates: float = 0.0,
    is_shuffled: bool = False,
) -> int:
    """Send all events that are due; how many requests were sent.

    `duplicates` is the share that is sent twice. Shuffled, they arrive in any order, as happens
    when some are tried again.
    """
    now = world.pass_time()
    due = [d for d in world.hooks.deliveries if d.status == "PENDING" and d.due_at <= now]
    if is_shuffled:
        world.rng.shuffle(due)
    sent = 0
    for delivery in due:
        times = 2 if world.rng.random() < duplicates else 1
        sent += times
        outcomes = [_send(world, http, delivery, now) for _ in range(times)]
        _note(world, delivery, now, is_received=any(outcomes))
    return sent


def _send(world: ProlificWorld, http: httpx.Client, delivery: FakeDelivery, now: datetime) -> bool:
    target = world.hooks.subscriptions[delivery.subscription]
    body = json.dumps(delivery.payload, separators=(",", ": ")).encode()  # not as Python spaces it
    stamp = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json",
        EVENT_ID_HEADER: delivery.id,
        EVENT_TIME_HEADER: str(int(delivery.created_at.timestamp())),
        TIMESTAMP_HEADER: stamp,
        SIGNATURE_HEADER: sign_event(world.hooks.secrets[target.workspace], stamp, body),
    }
    try:
        reply = http.post(target.target_url, content=body, headers=headers)
    except httpx.TransportError:
        return False
    return _OK <= reply.status_code < _REDIRECT


def _note(
    world: ProlificWorld, delivery: FakeDelivery, now: datetime, *, is_received: bool
) -> None:
    target = world.hooks.subscriptions[delivery.subscription]
    delivery.attempts += 1
    if is_received:
        delivery.status, target.failing_since = "SUCCEEDED", None
        return
    target.failing_since = target.failing_since or now
    if now - target.failing_since >= _GIVEN_UP:
        target.is_enabled = False
    if delivery.attempts > _RETRIES:
        delivery.status = "FAILED"
        return
    delivery.due_at = now + timedelta(seconds=_pause(delivery.attempts, world.rng))


def _pause(attempts: int, rng: random.Random) -> float:
    """Exponential, with full jitter."""
    return rng.uniform(1, _FIRST_PAUSE * 2 ** (attempts - 1))
