"""Channels: how participants are asked, as facts.

A study reaches people by the site, by workbooks, by a survey in Qualtrics, or elsewhere, and comes
back as a table. Every text about people asks the channel what it shows, records and allows, so
that nothing is stated that did not happen. Where people come from is a platform's fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

ChannelName: TypeAlias = Literal["site", "workbook", "qualtrics", "mturk", "table"]
Assigns: TypeAlias = Literal["on arrival", "beforehand", "in the tool", "unknown"]
Shows: TypeAlias = Literal["rejudge pages", "original page", "sheet", "survey", "unknown"]
Recorded: TypeAlias = Literal[
    "answers", "page times", "session times", "stated times", "order", "consent", "ticks",
    "comment", "device", "events",
]  # fmt: skip
Allowed: TypeAlias = Literal[
    "back", "break", "resume", "parts", "instructions", "practice", "practice feedback",
    "exit questions", "contact on every page", "receipt", "reassign",
]  # fmt: skip
Ask: TypeAlias = Literal["one", "number", "order"]  # what a question wants: a choice, a number
Presentation: TypeAlias = Literal["options", "slider", "list cell", "number field"]


@dataclass(frozen=True, slots=True)
class Channel:
    """What is known about one way to ask people; what it does not name it does not do."""

    name: ChannelName
    title: str  # in a sentence, after "Answers were collected with"
    assigns: Assigns = "unknown"
    shows: Shows = "unknown"
    records: frozenset[Recorded] = frozenset({"answers"})
    allows: frozenset[Allowed] = frozenset()
    proof: Literal["receipt", "code"] = "code"  # with what somebody asks for withdrawal
    asks: Mapping[Ask, Presentation] = field(default_factory=dict)  # empty: not known
    is_online: bool = False  # people use a browser, wherever they are

    @property
    def is_known(self) -> bool:
        """Whether it is known what people saw."""
        return self.shows != "unknown"


SITE: Final = Channel(
    name="site",
    title="a web site that shows the tasks and stores the answers",
    assigns="on arrival",
    shows="rejudge pages",
    records=frozenset({
        "answers", "page times", "order", "consent", "ticks", "comment", "device", "events",
    }),
    allows=frozenset({
        "back", "break", "resume", "parts", "instructions", "practice", "practice feedback",
        "exit questions", "contact on every page", "receipt", "reassign",
    }),
    proof="receipt",
    asks={"one": "options", "number": "slider", "order": "options"},
    is_online=True,
)  # fmt: skip

WORKBOOK: Final = Channel(
    name="workbook",
    title="workbooks, one for each participant",
    assigns="beforehand",
    shows="sheet",
    records=frozenset({"answers", "stated times", "order", "consent"}),
    allows=frozenset({"back", "break", "resume", "instructions", "practice"}),
    asks={"one": "list cell", "number": "number field", "order": "list cell"},
)

QUALTRICS: Final = Channel(
    name="qualtrics",
    title="a survey in Qualtrics",
    assigns="in the tool",
    shows="survey",
    records=frozenset({"answers", "session times", "consent"}),
    allows=frozenset({"instructions", "exit questions"}),
    asks={"one": "options", "number": "number field", "order": "options"},
    is_online=True,
)

MTURK: Final = Channel(
    name="mturk",
    title="Amazon Mechanical Turk",
    assigns="in the tool",
    shows="original page",
    records=frozenset({"answers", "session times"}),
    proof="receipt",  # it has closed: its studies are repeated on the site
    is_online=True,
)

TABLE: Final = Channel(name="table", title="another tool")

CHANNELS: Final[Mapping[ChannelName, Channel]] = {
    each.name: each for each in (SITE, WORKBOOK, QUALTRICS, MTURK, TABLE)
}
_OF_PLATFORM: Final[Mapping[str, Channel]] = {
    "spreadsheet": WORKBOOK,
    "qualtrics": QUALTRICS,
    "mturk": MTURK,
}
_OF_FORMAT: Final[Mapping[str, Channel]] = {
    "xlsx": WORKBOOK,
    "qualtrics": QUALTRICS,
    "mturk": MTURK,
}


def planned_channel(platform: str) -> Channel:
    """By which channel a study is to be answered, by the name of its platform."""
    return _OF_PLATFORM.get(platform, SITE)


def channel_of_format(name: str) -> Channel:
    """By which channel the answers in files of a format came."""
    return _OF_FORMAT.get(name, TABLE)
