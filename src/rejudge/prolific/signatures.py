"""Signatures of Prolific's webhooks (HMAC).

A webhook is signed over its timestamp and its raw bytes; parsed and written again, JSON has other
bytes. Its id is a header that the signature does not cover, so `SignedEvent.key` names an event by
what is signed. An event is a duplicate if either its id or its key is known.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from rejudge.errors import Problem, RejudgeError

SIGNATURE_HEADER: Final = "X-Prolific-Request-Signature"
TIMESTAMP_HEADER: Final = "X-Prolific-Request-Timestamp"
EVENT_ID_HEADER: Final = "X-Event-ID"
EVENT_TIME_HEADER: Final = "X-Timestamp"  # of the event; the other timestamp is of this attempt

REPLAY_WINDOW: Final = timedelta(minutes=5)
RETRY_WINDOW: Final = timedelta(hours=24) + REPLAY_WINDOW  # a delivery is tried again for a day
_LATEST = 1 << 37  # seconds since 1970; a larger number counts milliseconds


class SignatureError(RejudgeError):
    """A signature is wrong, too old, or does not cover what came with it."""


@dataclass(frozen=True, slots=True)
class SignedEvent:
    """An event that Prolific has signed."""

    id: str  # the same when it is delivered again
    key: str  # names timestamp and content, which are signed; the id is not
    sent_at: datetime  # the event's own time: order events by this, not by their arrival
    is_late: bool  # older than the replay window: to be taken only if it is new
    payload: Mapping[str, Any]  # JSON; differs by kind of event


def sign_event(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a webhook."""
    digest = hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    return base64.b64encode(digest).decode()


def verify_event(
    headers: Mapping[str, str], body: bytes, *, secrets: Sequence[str], now: datetime
) -> SignedEvent:
    """The event of a request, or a SignatureError.

    Several secrets are for the time in which one replaces another. An event that is older than the
    replay window may be a delivery that is tried again; the caller refuses it if it has been seen.
    """
    given = {name.lower(): value for name, value in headers.items()}
    stamp = given.get(TIMESTAMP_HEADER.lower(), "")
    signature = given.get(SIGNATURE_HEADER.lower(), "").strip().encode()
    expected = [sign_event(secret, stamp, body).encode() for secret in secrets]
    matches = [hmac.compare_digest(signature, each) for each in expected]  # all, in the same time
    if not any(matches):
        raise _rejection("the webhook is not signed with a known secret.")
    tried_at = _moment(stamp)
    if tried_at - now > REPLAY_WINDOW or now - tried_at > RETRY_WINDOW:
        raise _rejection("the webhook's timestamp is too far from now.")
    # The event's own time is not signed, so it can make an event older, but not newer.
    own = given.get(EVENT_TIME_HEADER.lower())
    return SignedEvent(
        id=given.get(EVENT_ID_HEADER.lower(), ""),
        key=hashlib.sha256(stamp.encode() + b"\0" + body).hexdigest(),
        sent_at=tried_at if own is None else min(tried_at, _moment(own)),
        is_late=now - tried_at > REPLAY_WINDOW,
        payload=_payload(body),
    )


def _moment(stamp: str) -> datetime:
    """The moment of a timestamp: seconds or milliseconds since 1970, or ISO 8601."""
    try:
        number = float(stamp)
        seconds = number if number < _LATEST else number / 1000
        return datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        raise _rejection("the webhook's timestamp cannot be read.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _payload(body: bytes) -> Mapping[str, Any]:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise _rejection("the webhook's content is not a JSON object.")
    return payload


def _rejection(what: str) -> SignatureError:
    return SignatureError(Problem(what, "It was not accepted."))
