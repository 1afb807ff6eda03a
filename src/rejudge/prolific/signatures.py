"""Signatures of Prolific: of webhooks (HMAC), and of links into a study (JSON Web Tokens).

A webhook is signed over its timestamp and its raw bytes; parsed and written again, JSON has other
bytes. Its id is a header that the signature does not cover, so `SignedEvent.key` names an event by
what is signed. An event is a duplicate if either its id or its key is known.

A link of a study with secure URLs carries a token that is valid for two minutes; exchange it at
once for a session of our own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from rejudge.errors import Problem, RejudgeError, UsageError

SIGNATURE_HEADER: Final = "X-Prolific-Request-Signature"
TIMESTAMP_HEADER: Final = "X-Prolific-Request-Timestamp"
EVENT_ID_HEADER: Final = "X-Event-ID"
EVENT_TIME_HEADER: Final = "X-Timestamp"  # of the event; the other timestamp is of this attempt
TOKEN_PARAMETER: Final = "prolific_token"  # noqa: S105 - a name
JWKS_PATH: Final = "/.well-known/study/jwks.json"
ISSUER: Final = "https://www.prolific.com"

REPLAY_WINDOW: Final = timedelta(minutes=5)
RETRY_WINDOW: Final = timedelta(hours=24) + REPLAY_WINDOW  # a delivery is tried again for a day
KEYS_KEPT: Final = timedelta(hours=12)
_LEAST_PAUSE = timedelta(minutes=1)  # between two reads of the keys: made-up kids cost nothing
_LEEWAY = timedelta(seconds=30)  # between two clocks
_ALGORITHM = "RS256"
_IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_LATEST = 1 << 37  # seconds since 1970; a larger number counts milliseconds


class SignatureError(RejudgeError):
    """A signature is wrong, too old, or does not cover what came with it."""


# ── webhooks ─────────────────────────────────────────────────────────────────────────────────────


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


# ── links into the study ─────────────────────────────────────────────────────────────────────────


class StudyKeys:
    """The public keys that sign links, by their id; read again when they are old or unknown."""

    def __init__(self, fetch: Callable[[], Mapping[str, Any]]) -> None:
        self._fetch = fetch  # the JSON of JWKS_PATH
        self._keys: Mapping[str, Mapping[str, Any]] = {}
        self._read_at: datetime | None = None
        self._lock = threading.Lock()

    def find(self, kid: str, *, now: datetime) -> Mapping[str, Any]:
        """A key; a SignatureError where there is no such key."""
        with self._lock:
            age = None if self._read_at is None else now - self._read_at
            is_old = age is None or age >= KEYS_KEPT
            if is_old or (kid not in self._keys and age is not None and age >= _LEAST_PAUSE):
                self._keys = {
                    str(each["kid"]): each
                    for each in self._fetch().get("keys") or ()
                    if isinstance(each, Mapping) and each.get("kid") and each.get("kty") == "RSA"
                }
                self._read_at = now
            if kid not in self._keys:
                raise _rejection("the link is signed with an unknown key.")
            return self._keys[kid]


@dataclass(frozen=True, slots=True)
class SecureArrival:
    """A participant whose ids Prolific has signed."""

    participant: str
    study: str
    session: str


def verify_arrival(
    query: Mapping[str, str], *, keys: StudyKeys, host: str, now: datetime
) -> SecureArrival:
    """Who arrives with a signed link, or a SignatureError.

    The token must be Prolific's, still valid, for this host, and agree with every parameter of the
    link: a parameter that was added or changed is rejected.
    """
    claims = _claims(query.get(TOKEN_PARAMETER, ""), keys, now)
    if _host(claims.get("aud")) != host.lower():
        raise _rejection("the link was made for another site.")
    signed = claims.get("prolific")
    given = {name: value for name, value in query.items() if name != TOKEN_PARAMETER}
    if not isinstance(signed, dict) or not set(_IDS) <= set(given):
        raise _rejection("the link does not identify the participant.")
    if any(str(signed.get(name)) != value for name, value in given.items()):
        raise _rejection("the link was changed after it was signed.")
    if claims.get("sub") != given["SESSION_ID"]:
        raise _rejection("the link belongs to another session.")
    return SecureArrival(given["PROLIFIC_PID"], given["STUDY_ID"], given["SESSION_ID"])


def _claims(token: str, keys: StudyKeys, now: datetime) -> Mapping[str, Any]:
    """What a token says, once its signature, issuer and time are verified."""
    jwt = load_jwt()
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") != _ALGORITHM:
            raise _rejection("the link is signed with another method.")
        key = jwt.PyJWK.from_dict(dict(keys.find(str(header.get("kid")), now=now)), _ALGORITHM)
        claims: dict[str, Any] = jwt.decode(
            token,
            key.key,
            algorithms=[_ALGORITHM],
            issuer=ISSUER,
            options={
                "require": ["exp", "iat", "aud", "sub", "iss"],
                "verify_aud": False,  # the address with its placeholders: its host is compared
                "verify_exp": False,  # at the caller's time, below
                "verify_iat": False,
            },
        )
    except jwt.PyJWTError:
        raise _rejection("the link's token is not valid.") from None
    _refuse_untimely(claims, now)
    return claims


def _refuse_untimely(claims: Mapping[str, Any], now: datetime) -> None:
    begins, ends = claims["iat"], claims["exp"]
    if not all(isinstance(each, int | float) for each in (begins, ends)):
        raise _rejection("the link's token is not valid.")
    if now.timestamp() > ends + _LEEWAY.total_seconds():
        raise _rejection("the link has expired.")
    if now.timestamp() < begins - _LEEWAY.total_seconds():
        raise _rejection("the link is not valid yet.")


def _host(audience: object) -> str:
    address = audience[0] if isinstance(audience, list) and audience else audience
    try:
        return (urlsplit(str(address)).hostname or "").lower()
    except ValueError:
        return ""


def load_jwt() -> Any:  # an optional library
    """PyJWT, or a UsageError that says how to install it."""
    try:
        import cryptography  # noqa: F401 - PyJWT verifies RS256 with it
        import jwt
    except ImportError:
        what = "verifying signed links needs the library PyJWT."
        raise UsageError(Problem(what, "Install it: pip install 'rejudge[prolific]'.")) from None
    return jwt


def _rejection(what: str) -> SignatureError:
    return SignatureError(Problem(what, "It was not accepted."))
