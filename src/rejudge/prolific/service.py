"""Prolific beside a running site: polls, notifications, and whether arrivals are genuine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import httpx

from rejudge.collect.assignment import BATCH_PARAMETER
from rejudge.collect.looks import Look
from rejudge.collect.submissions import SubmissionReport
from rejudge.errors import Problem, RejudgeError
from rejudge.platforms import PROLIFIC
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.record import read_record
from rejudge.prolific.replacements import follow_look
from rejudge.prolific.replies import SubmissionDetail, read_submission_status
from rejudge.prolific.signatures import SignatureError, verify_event
from rejudge.prolific.sync import STATUSES, Poller
from rejudge.prolific.transport import (
    NOT_FOUND,
    TOKEN_VARIABLES,
    ProlificError,
    read_base_url,
    read_token,
)
from rejudge.store.store import Store

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
