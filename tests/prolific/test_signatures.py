"""Only webhooks that Prolific has signed are believed."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.service import SignatureError, verify_event

SECRET = "a secret of a workspace"  # noqa: S105 - of these tests
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BODY = b'{"resource_id": "r1",  "status":"RETURNED"}'  # spaced as no library would


def headers(body: bytes = BODY, *, stamp: str | None = None, secret: str = SECRET):
    stamp = stamp if stamp is not None else str(int(NOW.timestamp()))
    digest = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    return {
        "x-prolific-request-signature": base64.b64encode(digest).decode(),
        "X-Prolific-Request-Timestamp": stamp,
        "x-event-id": "e1",
    }


def test_a_signed_event_is_read():
    event = verify_event(headers(), BODY, secrets=[SECRET], now=NOW)
    assert (event.id, event.sent_at, event.is_late) == ("e1", NOW, False)
    assert event.payload["status"] == "RETURNED"


def test_while_secrets_change_both_are_accepted():
    assert verify_event(headers(), BODY, secrets=["new", SECRET], now=NOW).id == "e1"


@given(place=st.integers(0, len(BODY) - 1), bit=st.integers(0, 7))
def test_any_changed_bit_is_noticed(place, bit):
    changed = bytearray(BODY)
    changed[place] ^= 1 << bit
    with pytest.raises(SignatureError):
        verify_event(headers(), bytes(changed), secrets=[SECRET], now=NOW)


FORGED = {
    "another secret": headers(secret="guess"),  # noqa: S106 - of these tests
    "no signature": {"X-Prolific-Request-Timestamp": "1"},
    "nothing": {},
    "odd letters": headers() | {"x-prolific-request-signature": "日本"},
    "another time": headers() | {"X-Prolific-Request-Timestamp": "1770000000"},
}


@pytest.mark.parametrize("given_headers", FORGED.values(), ids=FORGED)
def test_forged_events_are_rejected(given_headers):
    with pytest.raises(SignatureError):
        verify_event(given_headers, BODY, secrets=[SECRET], now=NOW)


def test_without_a_secret_nothing_is_believed():
    with pytest.raises(SignatureError):
        verify_event(headers(), BODY, secrets=[], now=NOW)


@pytest.mark.parametrize(
    ("age", "is_accepted", "is_late"),
    [
        (timedelta(minutes=5), True, False),
        (timedelta(minutes=6), True, True),
        (timedelta(hours=24), True, True),
        (timedelta(hours=25), False, True),
        (timedelta(minutes=-5), True, False),
        (timedelta(minutes=-6), False, False),
    ],
)
def test_old_events_are_only_taken_as_deliveries_that_are_tried_again(age, is_accepted, is_late):
    stamp = str(int((NOW - age).timestamp()))
    if not is_accepted:
        with pytest.raises(SignatureError, match="too far"):
            verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW)
        return
    event = verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW)
    assert event.is_late == is_late


def test_events_are_ordered_by_their_own_time_not_by_that_of_the_attempt():
    """A delivery that is tried again has a new, signed timestamp, and the event's own as before."""
    earlier = int(NOW.timestamp()) - 3600
    again = headers() | {"X-Timestamp": str(earlier)}
    event = verify_event(again, BODY, secrets=[SECRET], now=NOW)
    assert (event.sent_at, event.is_late) == (NOW - timedelta(hours=1), False)


def test_an_events_own_time_is_not_signed_and_cannot_make_it_newer():
    later = headers() | {"X-Timestamp": str(int(NOW.timestamp()) + 3600)}
    assert verify_event(later, BODY, secrets=[SECRET], now=NOW).sent_at == NOW


def test_a_replayed_event_with_another_id_has_the_same_key():
    """The id is not signed, so an attacker can change it."""
    one = verify_event(headers(), BODY, secrets=[SECRET], now=NOW)
    other = verify_event(headers() | {"x-event-id": "e2"}, BODY, secrets=[SECRET], now=NOW)
    assert one.id != other.id
    assert one.key == other.key


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-03-02T09:00:00Z",
        "2026-03-02T10:00:00+01:00",
        "2026-03-02T09:00:00",
        str(int(NOW.timestamp() * 1000)),
        str(NOW.timestamp()),
    ],
)
def test_timestamps_are_read_in_any_usual_form(stamp):
    assert verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW).sent_at == NOW


@pytest.mark.parametrize("stamp", ["", "soon", "nan", "1e400", "-1e30"])
def test_a_timestamp_that_is_none_is_rejected(stamp):
    with pytest.raises(SignatureError):
        verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_signed_nonsense_is_rejected_too(body):
    with pytest.raises(SignatureError, match="JSON"):
        verify_event(headers(body), body, secrets=[SECRET], now=NOW)
