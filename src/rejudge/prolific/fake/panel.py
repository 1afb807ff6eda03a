"""The fake panel: screeners whose ids drift, members with demographics, and the export as CSV."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from rejudge.prolific.fake.records import NO_CODE, FakeSubmission, PanelMember
from rejudge.spreadsheet import csv_text

POOL: Final = 152_649  # active members, as Prolific reported it once
EXPIRED: Final = "DATA_EXPIRED"
_COUNTRIES = (
    "United Kingdom", "United States", "Australia", "Canada", "Ireland", "New Zealand", "Germany",
    "South Africa", "India", "Netherlands", "Korea, South",
)  # fmt: skip
_LANGUAGES = ("English", "German", "Spanish", "Chinese (Mandarin)", "Dutch", "Arabic", "Hindi")
# by the id they had first: title and answers, or title and bounds
_SELECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "current-country-of-residence": ("Current country of residence", _COUNTRIES),
    "first-language": ("First language", _LANGUAGES),
    "fluent-languages": ("Fluent languages", _LANGUAGES),
    "handedness": ("Handedness", ("Left-handed", "Right-handed")),
    "previous_studies_blocklist": ("Exclude participants from previous studies", ()),
    "participant_group_blocklist": ("Participant group blocklist", ()),
    "custom_blocklist": ("Custom blocklist", ()),
}
_RANGES: Mapping[str, tuple[str, int, int]] = {
    "approval_rate": ("Approval rate", 0, 100),
    "approval_numbers": ("Number of previous submissions", 0, 10_000),
    "age": ("Age", 18, 100),
}
_HEAD = (
    "Submission id", "Participant id", "Status", "Custom study tncs accepted at", "Started at",
    "Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code",
    "Total approvals",
)  # fmt: skip
_ABOUT = (
    "Age", "Sex", "Ethnicity simplified", "Country of birth", "Country of residence", "Nationality",
    "Language", "Student status", "Employment status",
)  # fmt: skip


def make_filters(generation: int, rng: random.Random) -> dict[str, dict[str, Any]]:
    """All screeners, by the id they had first; ids and those of answers change by generation."""
    mark = f"_v{generation}" if generation else ""
    made: dict[str, dict[str, Any]] = {}  # JSON, as the API gives it
    for name, (title, labels) in _SELECTS.items():
        numbers = rng.sample(range(len(labels)), len(labels))
        choices = {str(number): label for number, label in zip(numbers, labels, strict=True)}
        made[name] = {"type": "select", "title": title, "choices": choices}
    for name, (title, least, most) in _RANGES.items():
        made[name] = {"type": "range", "title": title, "min": least, "max": most}
    for name, each in made.items():
        each["filter_id"] = f"{name}{mark}"
    return made


def draw_member(rng: random.Random, name: str) -> PanelMember:
    """Somebody with answers to the usual questions."""
    country = rng.choice(_COUNTRIES)
    answers = {
        "Age": str(rng.randint(18, 80)),
        "Sex": rng.choice(("Female", "Male")),
        "Ethnicity simplified": rng.choice(("White", "Black", "Asian", "Mixed", "Other")),
        "Country of birth": rng.choice(_COUNTRIES),
        "Country of residence": country,
        "Nationality": country,
        "Language": rng.choice(_LANGUAGES),
        "Student status": rng.choice(("Yes", "No")),
        "Employment status": rng.choice(("Full-Time", "Part-Time", "Not in paid work")),
        "Total approvals": str(rng.randint(0, 3000)),
    }
    return PanelMember(name, answers, has_expired_data=rng.random() < 0.1)


def demographic_csv(
    submissions: Iterable[FakeSubmission], members: Mapping[str, PanelMember]
) -> bytes:
    """The export of a study: a byte-order mark, CRLF, and expired answers marked as such."""
    rows: list[tuple[str, ...]] = [(*_HEAD, *_ABOUT)]
    for each in submissions:
        member = members[each.participant]
        known = {} if member.has_expired_data else member.answers
        rows.append(
            (
                each.id,
                each.participant,
                each.status,
                "Not Applicable",
                _moment(each.started_at),
                _moment(each.completed_at),
                _moment(each.reviewed_at),
                _moment(each.completed_at),
                "" if each.seconds is None else f"{each.seconds:.0f}",
                "" if each.completed_at is None else each.entered_code or NO_CODE,
                *(known.get(name, EXPIRED) for name in ("Total approvals", *_ABOUT)),
            )
        )
    return b"\xef\xbb\xbf" + csv_text(rows).replace("\n", "\r\n").encode()


def _moment(when: datetime | None) -> str:
    return "" if when is None else when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
