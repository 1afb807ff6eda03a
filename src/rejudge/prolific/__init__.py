"""Prolific: create and run its studies, follow submissions, review and pay."""

from rejudge.arguments import explain_arguments
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.creation import (
    CreationOptions,
    SiteKeys,
    StudyDraft,
    create_once,
    draft_study,
    mark_request,
    refuse_changed_plan,
    refuse_created,
)
from rejudge.prolific.lifecycle import (
    StudyProgress,
    action_to_open,
    close,
    open_to_participants,
    pause,
    progress_of,
)
from rejudge.prolific.offer import Offer, ScreenOutPay
from rejudge.prolific.record import (
    RECORD,
    ProlificRecord,
    read_record,
    require_record,
    study_of,
    write_record,
)
from rejudge.prolific.screeners import Screener, resolve_screeners
from rejudge.prolific.signatures import (
    SecureArrival,
    SignatureError,
    SignedEvent,
    StudyKeys,
    verify_arrival,
    verify_event,
)
from rejudge.prolific.transport import (
    DRY_RUN_ID,
    DryRunTransport,
    PlannedRequest,
    ProlificError,
    read_base_url,
    read_token,
)

__all__ = [
    "DRY_RUN_ID",
    "RECORD",
    "CreationOptions",
    "DryRunTransport",
    "Offer",
    "PlannedRequest",
    "ProlificApi",
    "ProlificError",
    "ProlificRecord",
    "ScreenOutPay",
    "Screener",
    "SecureArrival",
    "SignatureError",
    "SignedEvent",
    "SiteKeys",
    "StudyDraft",
    "StudyKeys",
    "StudyProgress",
    "action_to_open",
    "close",
    "create_once",
    "draft_study",
    "mark_request",
    "open_to_participants",
    "pause",
    "progress_of",
    "read_base_url",
    "read_record",
    "read_token",
    "refuse_changed_plan",
    "refuse_created",
    "require_record",
    "resolve_screeners",
    "study_of",
    "verify_arrival",
    "verify_event",
    "write_record",
]

explain_arguments(__name__)
