"""Platforms: where participants come from, as facts.

    from rejudge.platforms import platform, platform_names

Everything that depends on the platform reads these facts: the links that participants follow, the
address that takes their completion code, the shape of the platform's ids, its name in a report.
What a platform can be asked and told over the network is in a package of its own (`service`).
Another package adds a platform with an entry point in the group `rejudge.platforms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from rejudge.errors import DataError, FileError, Problem
from rejudge.incoming import read_bytes
from rejudge.spreadsheet import csv_rows

ENTRY_POINTS: Final = "rejudge.platforms"
AGE_GROUPS: Final = (
    "under 18", "18–24", "25–34", "35–44", "45–54", "55–64", "65 or more",
)  # fmt: skip
DEMOGRAPHICS: Final = "demographics.csv"  # in the study folder; it is not part of a bundle


@dataclass(frozen=True, slots=True)
class Platform:
    """What is known about a place where participants come from."""

    name: str  # in study.yaml
    title: str  # for people
    recruited: str  # after "Participants were recruited"; empty: nobody comes from there
    # The ids that its links carry: the one of the person, the one of this visit, and others.
    link_ids: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    link_query: str = ""  # as the platform fills it in
    preview_query: tuple[str, str] | None = None  # of a link that only shows the pages
    completion_url: str | None = None  # the code goes at its end
    id_shape: re.Pattern[str] | None = None  # of its ids in any text; they must not be published
    id_columns: tuple[str, ...] = ()  # what its exports call the participant
    is_crowd: bool = False  # people work there for pay
    personal_files: tuple[str, ...] = ()  # in a study's folder, about single people
    service: str | None = None  # module with `open_service`, where it has an API


# No platform: people follow a link to our site, their own or one for everybody.
OWN_SITE = Platform(name="link", title="link", recruited="through a link")

# Prolific (https://www.prolific.com): participants for research, paid by the researcher.
_PROLIFIC_ID = re.compile(r"[0-9a-f]{24}")
PROLIFIC = Platform(
    name="prolific",
    title="Prolific",
    recruited="on Prolific",
    link_ids={"PROLIFIC_PID": _PROLIFIC_ID, "SESSION_ID": _PROLIFIC_ID, "STUDY_ID": _PROLIFIC_ID},
    link_query="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
    completion_url="https://app.prolific.com/submissions/complete?cc=",
    id_shape=re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])"),
    id_columns=("prolific_id", "prolific_pid"),
    is_crowd=True,
    personal_files=("prolific-payments.json",),
    service="rejudge.prolific.service",
)

# Amazon Mechanical Turk, which has closed. Its studies are imported and repeated elsewhere.
_MTURK_TASK_ID = re.compile(r"[0-9A-Z]{20,40}")
MTURK = Platform(
    name="mturk",
    title="Amazon Mechanical Turk",
    recruited="on Amazon Mechanical Turk",
    link_ids={
        "workerId": re.compile(r"A[0-9A-Z]{9,24}"),
        "assignmentId": _MTURK_TASK_ID,
        "hitId": _MTURK_TASK_ID,
    },
    link_query="?workerId=…&assignmentId=…&hitId=…",
    preview_query=("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"),
    id_shape=re.compile(
        r"(?<![0-9A-Za-z])A(?=[0-9A-Z]*\d[0-9A-Z]*\d)[0-9A-Z]{11,20}(?![0-9A-Za-z])"
    ),
    is_crowd=True,
)

# Qualtrics: the pages are there, and answers are imported from its export.
QUALTRICS = Platform(
    name="qualtrics",
    title="Qualtrics",
    recruited="",
    id_columns=("response_id",),
)

# Spreadsheets: each participant fills in a workbook, which is imported.
SPREADSHEET = Platform(name="spreadsheet", title="spreadsheet", recruited="")

_OWN: Final = (OWN_SITE, PROLIFIC, MTURK, QUALTRICS, SPREADSHEET)


@cache
def own_platforms() -> Mapping[str, Platform]:
    """The platforms that come with rejudge, by name."""
    return {each.name: each for each in _OWN}


@cache
def platforms() -> Mapping[str, Platform]:
    """All platforms by name: those that come with rejudge, then those of other packages."""
    found = dict(own_platforms())
    for entry in entry_points(group=ENTRY_POINTS):  # this reads the files of every package
        with suppress(Exception):  # what cannot be loaded is no platform; `rejudge import` says why
            loaded = entry.load()
            if isinstance(loaded, Platform):
                found.setdefault(loaded.name, loaded)
    return found


def platform(name: str) -> Platform:
    """The platform of that name."""
    found = own_platforms().get(name) or platforms().get(name)
    if found is None:
        what, known = f"there is no platform '{name}'.", ", ".join(platform_names())
        raise DataError(Problem(what, f"Known platforms: {known}."))
    return found


def platform_names() -> tuple[str, ...]:
    """The names that study.yaml may use."""
    return tuple(platforms())


def order_age_groups(answers: Iterable[str]) -> tuple[str, ...]:
    """The groups of ages from the youngest to the oldest that were given, without gaps.

    Empty where another answer is among them: nothing else has an order.
    """
    given = set(answers)
    if not given or not given <= set(AGE_GROUPS):
        return ()
    places = [AGE_GROUPS.index(each) for each in given]
    return AGE_GROUPS[min(places) : max(places) + 1]


def read_demographics(path: Path) -> dict[str, dict[str, str | None]]:
    """What each participant told the platform, by pseudonym and column; None: not given."""
    remedy = "Fetch it from the platform again."
    rows = csv_rows(read_bytes(path, remedy=remedy).decode("utf-8", "replace"))
    if not rows or rows[0][:1] != ["participant"]:
        raise FileError(Problem("this table was changed.", remedy, file=str(path)))
    head = rows[0][1:]
    return {
        row[0]: {name: cell or None for name, cell in zip(head, row[1:], strict=False)}
        for row in rows[1:]
        if row
    }
