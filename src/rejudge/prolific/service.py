"""Prolific beside a running site: polls, notifications and signed links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rejudge.collect import SubmissionReport
from rejudge.platforms.prolific import PLATFORM
from rejudge.prolific.replies import read_submission_status
from rejudge.prolific.signatures import (
    TOKEN_PARAMETER,
    SignatureError,
    StudyKeys,
    verify_arrival,
    verify_event,
)
from rejudge.prolific.sync import STATUSES, Poller

HOOK_SECRET: Final = "REJUDGE_PROLIFIC_HOOK_SECRET"  # noqa: S105 - the name of a variable
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
        return PLATFORM.name

    def refresh(self) -> bool:
        """Ask about all submissions; whether places became free."""
        return self.poller.refresh()

    def is_genuine(self, query: Mapping[str, str]) -> bool:
        """Whether Prolific made a link; True where the links of the study are not signed."""
        is_ours = not (set(PLATFORM.link_ids) | {TOKEN_PARAMETER}) & set(query)
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
