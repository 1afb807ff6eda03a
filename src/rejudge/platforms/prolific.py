"""Prolific (https://www.prolific.com): participants for research, paid by the researcher."""

from __future__ import annotations

import re

from rejudge.platforms import Platform

_ID = re.compile(r"[0-9a-f]{24}")

PLATFORM = Platform(
    name="prolific",
    title="Prolific",
    recruited="on Prolific",
    link_ids={"PROLIFIC_PID": _ID, "SESSION_ID": _ID, "STUDY_ID": _ID},
    link_query="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
    completion_url="https://app.prolific.com/submissions/complete?cc=",
    id_shape=re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])"),
    id_columns=("prolific_id", "prolific_pid"),
    is_crowd=True,
    service="rejudge.prolific.service",
)
