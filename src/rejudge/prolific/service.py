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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import httpx

from rejudge.collect.assignment import BATCH_PARAMETER
from rejudge.collect.looks import Look
from rejudge.collect.submissions import SubmissionReport
from rejudge.errors import Problem, RejudgeError
from rejudge.platforms import PROLIFIC
from rejudge.prolific.client import (
    NOT_FOUND,
    TOKEN_VARIABLES,
    ProlificApi,
    ProlificError,
    SubmissionDetail,
    read_base_url,
    read_submission_status,
    read_token,
)
from rejudge.prolific.study import read_record
from rejudge.prolific.submissions import STATUSES, Poller, follow_look
from rejudge.store.store import Store

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


HOOK_SECRET: Final = "REJUDGE_PROLIFIC_HOOK_SECRET"  # noqa: S105 - the name of a variable
_TIMEOUT = 5.0  # seconds; somebody waits for a page
_MOST_LOOKED_UP = 10_000  # links whose ids are remembered
_STATUS_CHANGE = "submission.status.change"


class DetailSource(Protocol):
    """As much of the API as looking up an arrival needs."""

    def submission(self, submission: str) -> SubmissionDetail:
        """One submission."""


class ArrivalLookup:
    """Asks Prolific whether the ids of a link belong together: anybody can type some.

    Only a clear answer keeps somebody out. Where none comes, people are let in as before.
    """

    def __init__(self, api: DetailSource, report: Callable[[str], None]) -> None:
        self._api = api
        self._report = report
        self._found: dict[tuple[str, ...], bool] = {}  # by the ids of a link

    def is_known(self, query: Mapping[str, str]) -> bool:
        """Whether Prolific has sent this person here just now."""
        ids = tuple(query.get(name, "").strip() for name in PROLIFIC.link_ids)
        shapes = PROLIFIC.link_ids.values()
        if not all(shape.fullmatch(each) for shape, each in zip(shapes, ids, strict=True)):
            return True  # the page says what is missing
        if ids not in self._found:
            try:
                found = self._ask(*ids)
            except RejudgeError as error:
                self._report(f"an arrival could not be looked up: {error}")
                return True
            if len(self._found) >= _MOST_LOOKED_UP:
                self._found.clear()
            self._found[ids] = found
        return self._found[ids]

    def _ask(self, person: str, session: str, study: str) -> bool:
        try:
            found = self._api.submission(session)
        except ProlificError as error:
            if error.status == NOT_FOUND:
                return False
            raise
        is_theirs = found.participant_id == person and found.study_id in {"", study}
        return is_theirs and found.status in {"RESERVED", "ACTIVE", "UNKNOWN"}


@dataclass(frozen=True, slots=True)
class ProlificService:
    """What the site of a study asks Prolific, and what it hears from there."""

    poller: Poller | None  # None: without a token nothing can be asked
    now: Callable[[], datetime]
    hook_secrets: tuple[str, ...] = ()
    lookup: ArrivalLookup | None = None  # None: without a token nobody can be looked up
    names_batches: bool = False  # whether each link names a batch (Taskflow)
    act_on_look: Callable[[Look], str] | None = None  # None: without a token nothing can be done

    @property
    def recruiter(self) -> str:
        """The platform's name."""
        return PROLIFIC.name

    def refresh(self) -> bool:
        """Ask about all submissions; whether places became free."""
        return self.poller is not None and self.poller.refresh()

    def follow_look(self, look: Look) -> str:
        """Stop recruiting, or ask for more places, as a planned look decided; what was done."""
        if self.act_on_look is not None:
            return self.act_on_look(look)
        done = "stop recruiting" if look.is_final else "add places"
        return f"without {TOKEN_VARIABLES[0]} the site cannot {done} on Prolific"

    def is_genuine(self, query: Mapping[str, str]) -> bool:
        """Whether Prolific made a link, as far as that can be known.

        A link of Taskflow from which the batch was removed is not genuine: whoever comes by it
        would get a batch that Prolific has given to somebody else.
        """
        if not set(PROLIFIC.link_ids) & set(query):
            return True  # a link of our own
        if self.names_batches and BATCH_PARAMETER not in query:
            return False
        return self.lookup is None or self.lookup.is_known(query)

    def read_notification(
        self, headers: Mapping[str, str], body: bytes
    ) -> Sequence[SubmissionReport] | None:
        """What a notification says about a submission; None if Prolific did not sign it."""
        try:
            event = verify_event(headers, body, secrets=self.hook_secrets, now=self.now())
        except SignatureError:
            return None
        said = event.payload
        if said.get("event_type") != _STATUS_CHANGE or not said.get("resource_id"):
            return ()
        status = STATUSES[read_submission_status(said.get("status"))]
        delivery = event.id or event.key
        return (SubmissionReport(str(said["resource_id"]), status, event.sent_at, delivery),)


def open_service(
    folder: Path,
    store: Store,
    *,
    environment: Mapping[str, str],
    now: Callable[[], datetime],
    base_url: str,  # noqa: ARG001 - other platforms need it
    report: Callable[[str], None],
) -> ProlificService | None:
    """The service of a study that was created on Prolific; None before that."""
    record = read_record(folder)
    if record is None or record.study is None:
        return None
    url = read_base_url(environment)
    http = httpx.Client(timeout=_TIMEOUT)
    api = None
    if any(environment.get(name) for name in TOKEN_VARIABLES):
        api = ProlificApi(http, read_token(environment), base_url=url, sleep=_give_up)
    else:
        report(
            f"{TOKEN_VARIABLES[0]} is not set: Prolific cannot tell the site who has "
            "returned or timed out. Places become free only when their retention period ends."
        )
    secret = environment.get(HOOK_SECRET, "").strip()
    return ProlificService(
        None if api is None else Poller(store, api, record.study, now=now, report=report),
        now,
        hook_secrets=(secret,) if secret else (),
        lookup=None if api is None else ArrivalLookup(api, report),
        names_batches=bool(record.body.get("access_details")),
        act_on_look=None
        if api is None
        else partial(follow_look, api, store, record.study, now=now),
    )


def _give_up(seconds: float) -> None:  # noqa: ARG001 - it is asked to wait so long
    """Somebody waits for a page: a request that fails is repeated by the next poll."""
    raise ProlificError(Problem("Prolific did not answer.", "The next poll asks again."))
