"""Who took part, in counts, and how long each page of their way took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rejudge.analysis.details import TimeBin, TimeShare

ProfileSource: TypeAlias = Literal["exit-question", "device", "language", "column"]
Page: TypeAlias = Literal["consent", "instructions", "practice", "task", "batch", "exit"]


@dataclass(frozen=True, slots=True)
class Visitor:
    """What the site recorded of one participant beside their judgments."""

    participant: str  # pseudonym
    answers: Mapping[str, str] = field(default_factory=dict)  # to exit questions, as given
    device: str | None = None
    language: str | None = None  # of the browser
    seconds: Mapping[Page, tuple[float, ...]] = field(default_factory=dict)  # on pages before
    # and after the tasks, in order
    comment: str = ""  # left at the end


@dataclass(frozen=True, slots=True)
class ProfileCount:
    """How many participants gave an answer: of all who came, and of those who count."""

    answer: str
    participants: int
    participants_kept: int


@dataclass(frozen=True, slots=True)
class ProfilePart:
    """The answers to one question about people, options in their order; small cells as they are."""

    id: str
    prompt: str  # what was asked, or what the counts are of
    source: ProfileSource
    counts: tuple[ProfileCount, ...]
    silent: int = 0  # of whom nothing is known
    silent_kept: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """Who took part: counts alone, nothing about one person."""

    participants: int
    participants_kept: int
    parts: tuple[ProfilePart, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class PageTimes:
    """How long one page of the way took: each participant's seconds in a few numbers."""

    page: Page
    n: int  # times
    least: float
    lower: float  # a quarter took no longer
    median: float
    upper: float
    most: float
    mean: float
    sd: float | None
    place: int | None = None  # of a task in the order seen, of a practice task; None: all of them
    shares: tuple[TimeShare, ...] = ()  # the empirical distribution; left out for single tasks
    bins: tuple[TimeBin, ...] = ()  # 〃 as a histogram; absent from older files


@dataclass(frozen=True, slots=True)
class Way:
    """Seconds on each page from the door to the code, for those who count."""

    measured: str  # what the seconds are
    pages: tuple[PageTimes, ...] = ()
    note: str = ""
    came: int | None = None  # everybody who opened the site, whether or not they judged anything
    consented: int | None = None  # of these; None where the site recorded nobody
