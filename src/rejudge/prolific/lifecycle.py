"""A study on Prolific after it was created: publish, pause, resume, close, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from rejudge.errors import Problem
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.record import ProlificRecord, study_of
from rejudge.prolific.replies import (
    ProlificStudy,
    StudyAction,
    StudyCost,
    StudyStatus,
    SubmissionStatus,
    UrlProgress,
)
from rejudge.prolific.transport import ProlificError

_NEXT_TO_OPEN: Mapping[StudyStatus, StudyAction] = {
    "UNPUBLISHED": "PUBLISH",
    "SCHEDULED": "PUBLISH",
    "PAUSED": "START",
}
_OPEN: frozenset[StudyStatus] = frozenset({"ACTIVE", "PUBLISHING"})
_CLOSED: frozenset[StudyStatus] = frozenset({"COMPLETED"})
_NOT_PUBLISHED: frozenset[StudyStatus] = frozenset({"UNPUBLISHED", "SCHEDULED"})


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study on Prolific is."""

    study: ProlificStudy
    counts: Mapping[SubmissionStatus, int]
    cost: StudyCost
    urls: tuple[UrlProgress, ...]  # of Taskflow; none for a study with one address


def progress_of(api: ProlificApi, study: str) -> StudyProgress:
    """How far a study is; nothing is changed."""
    return StudyProgress(
        study=api.study(study),
        counts=api.submission_counts(study),
        cost=api.study_cost(study),
        urls=tuple(api.url_progress(study) or ()),
    )


def action_to_open(status: StudyStatus) -> StudyAction | None:
    """What opens a study in this state to participants; None: it is open already."""
    if status in _OPEN:
        return None
    if status not in _NEXT_TO_OPEN:
        what = f"the study is {status.lower()} and cannot be opened."
        raise ProlificError(Problem(what, "To reopen it, raise its places in Prolific's web app."))
    return _NEXT_TO_OPEN[status]


def open_to_participants(
    api: ProlificApi, record: ProlificRecord, *, now: datetime
) -> ProlificRecord:
    """Publish a study, or resume a paused one; the record with what was done."""
    action = action_to_open(api.study(study_of(record)).status)
    return record if action is None else _transition(api, record, action, now=now)


def pause(api: ProlificApi, record: ProlificRecord, *, now: datetime) -> ProlificRecord:
    """Let no new participants start; those who have started can finish."""
    status = api.study(study_of(record)).status
    if status == "PAUSED":
        return record
    if status not in _OPEN:
        what = f"the study is {status.lower()}: only an active study can be paused."
        raise ProlificError(Problem(what, "Nothing was changed."))
    return _transition(api, record, "PAUSE", now=now)


def close(api: ProlificApi, record: ProlificRecord, *, now: datetime) -> ProlificRecord:
    """Stop a study permanently; submissions can still be reviewed and paid."""
    status = api.study(study_of(record)).status
    if status in _CLOSED:
        return record
    if status in _NOT_PUBLISHED:
        what = "the study was never published."
        raise ProlificError(Problem(what, "Delete it in Prolific's web app if you do not need it."))
    return _transition(api, record, "STOP", now=now)


def _transition(
    api: ProlificApi, record: ProlificRecord, action: StudyAction, *, now: datetime
) -> ProlificRecord:
    status = api.transition_study(study_of(record), action).status
    return record.with_action(action, status, now=now)
