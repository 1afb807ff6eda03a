"""Prolific beside a running site: polls, notifications and signed links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from rejudge.collect import SubmissionReport
from rejudge.errors import Problem
from rejudge.platforms import PROLIFIC
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.record import read_record
from rejudge.prolific.replies import read_submission_status
from rejudge.prolific.signatures import (
    JWKS_PATH,
    TOKEN_PARAMETER,
    SignatureError,
    StudyKeys,
    verify_arrival,
    verify_event,
)
from rejudge.prolific.sync import STATUSES, Poller
from rejudge.prolific.transport import TOKEN_VARIABLES, ProlificError, read_base_url, read_token
from rejudge.store import Store

HOOK_SECRET: Final = "REJUDGE_PROLIFIC_HOOK_SECRET"  # noqa: S105 - the name of a variable
_TIMEOUT = 5.0  # seconds; somebody waits for a page
_STATUS_CHANGE = "submission.status.change"


@dataclass(frozen=True, slots=True)
class SecureLinks:
    """What signed links are verified with."""

    keys: StudyKeys
    host: str  # of our site, as participants see it


@dataclass(frozen=True, slots=True)
class ProlificService:
    """What the site of a study asks Prolific, and what it hears from there."""

    poller: Poller
    now: Callable[[], datetime]
    hook_secrets: tuple[str, ...] = ()
    secure_links: SecureLinks | None = None  # None: the links of the study are not signed

    @property
    def recruiter(self) -> str:
        """The platform's name."""
        return PROLIFIC.name

    def refresh(self) -> bool:
        """Ask about all submissions; whether places became free."""
        return self.poller.refresh()

    def is_genuine(self, query: Mapping[str, str]) -> bool:
        """Whether Prolific made a link; True where the links of the study are not signed."""
        is_ours = not (set(PROLIFIC.link_ids) | {TOKEN_PARAMETER}) & set(query)
        if self.secure_links is None or is_ours:
            return True
        try:
            verify_arrival(
                query, keys=self.secure_links.keys, host=self.secure_links.host, now=self.now()
            )
        except SignatureError:
            return False
        return True

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
    base_url: str,
    report: Callable[[str], None],
) -> ProlificService | None:
    """The service of a study that was created on Prolific; None before that, or without a token."""
    record = read_record(folder)
    if record is None or record.study is None:
        return None
    if not any(environment.get(name) for name in TOKEN_VARIABLES):
        report(
            f"{TOKEN_VARIABLES[0]} is not set: Prolific cannot tell the site who has "
            "returned or timed out. Places become free only when their time is over."
        )
        return None
    url = read_base_url(environment)
    http = httpx.Client(timeout=_TIMEOUT)
    api = ProlificApi(http, read_token(environment), base_url=url, sleep=_give_up)
    links = None
    if record.body.get("is_external_study_url_secure"):
        keys = StudyKeys(lambda: _fetch_keys(http, url))
        links = SecureLinks(keys, urlsplit(base_url).hostname or "")
    secret = environment.get(HOOK_SECRET, "").strip()
    return ProlificService(
        Poller(store, api, record.study, now=now, report=report),
        now,
        hook_secrets=(secret,) if secret else (),
        secure_links=links,
    )


def _give_up(seconds: float) -> None:  # noqa: ARG001 - it is asked to wait so long
    """Somebody waits for a page: a request that fails is repeated by the next poll."""
    raise ProlificError(Problem("Prolific did not answer.", "The next poll asks again."))


def _fetch_keys(http: httpx.Client, url: str) -> Mapping[str, Any]:
    """The public keys that sign links; none if they cannot be read, so that no link is trusted."""
    try:
        found = http.get(f"{url}{JWKS_PATH}").raise_for_status().json()
    except (httpx.HTTPError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
