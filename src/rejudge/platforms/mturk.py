"""Amazon Mechanical Turk, which has closed. Its studies are imported and repeated elsewhere."""

from __future__ import annotations

import re

from rejudge.platforms import Platform

_TASK_ID = re.compile(r"[0-9A-Z]{20,40}")

PLATFORM = Platform(
    name="mturk",
    title="Amazon Mechanical Turk",
    recruited="on Amazon Mechanical Turk",
    link_ids={
        "workerId": re.compile(r"A[0-9A-Z]{9,24}"),
        "assignmentId": _TASK_ID,
        "hitId": _TASK_ID,
    },
    link_query="?workerId=…&assignmentId=…&hitId=…",
    preview_query=("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"),
    id_shape=re.compile(
        r"(?<![0-9A-Za-z])A(?=[0-9A-Z]*\d[0-9A-Z]*\d)[0-9A-Z]{11,20}(?![0-9A-Za-z])"
    ),
    is_crowd=True,
)
