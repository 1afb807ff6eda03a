"""Prolific: create and run its studies, follow submissions, review and pay."""

from rejudge.prolific.api import ProlificApi
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
    "DryRunTransport",
    "PlannedRequest",
    "ProlificApi",
    "ProlificError",
    "read_base_url",
    "read_token",
]
