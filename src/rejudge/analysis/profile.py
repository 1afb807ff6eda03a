"""Who took part, what they wrote, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rejudge.stats import Interval

ProfileSource: TypeAlias = Literal["exit-question", "device", "language", "column"]
Page: TypeAlias = Literal["consent", "instructions", "practice", "task", "batch", "exit"]
RemarkSource: TypeAlias = Literal["exit-question", "comment", "column"]


@dataclass(frozen=True, slots=True)
class TimeMark:
    """A quantile of the times, with the interval from order statistics."""

    share: float
    seconds: float
    interval: Interval | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TimeShare:
    """A point of the empirical distribution of times, with a band that holds for all at once."""

    seconds: float
    share: float  # of the times up to here
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TimeBin:
    """How many times were longer than `low` and at most `high`; the first bin includes 0."""

    low: float
    high: float | None  # None: the last bin, with all longer times
    n: int


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """All the time of one participant: on pages as recorded, and by the clock."""

    participant: str
    pages: int  # with a time
    seconds: float | None  # on these pages together
    wall_seconds: float | None = None  # from the first to the last submission
    active_seconds: float | None = None  # the same with pauses cut to five minutes
    pauses: int = 0
    least: float | None = None  # seconds on a page: the shortest,
    median: float | None = None
    most: float | None = None  # the longest,
    sd: float | None = None  # and their spread
    mean: float | None = None


@dataclass(frozen=True, slots=True)
class BatchTime:
    """How long one batch took those who did it, in seconds."""

    batch: str
    participants: int
    pages: int  # with a time, of all of them
    mean: float  # of the participants' totals,
    median: float
    least: float
    most: float
    mean_of_pages: float


@dataclass(frozen=True, slots=True)
class Times:
    """How long people took, each page once."""

    pages: int  # with a time
    measured: str  # what the seconds are
    quantiles: tuple[TimeMark, ...] = ()
    shares: tuple[TimeShare, ...] = ()
    total: int = 0  # participants, however few are listed
    rows: tuple[TimeSpent, ...] = ()
    note: str = ""
    bins: tuple[TimeBin, ...] = ()  # of a histogram; absent from older files
    batches: tuple[BatchTime, ...] = ()  # up to 500, where judgments say their batch
    mean_of_participants: float | None = None  # of the seconds that each spent on all pages


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
    silent: int = 0  # participants about whom nothing is known
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
    """How long one page took: the participants' seconds in a few numbers."""

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
    bins: tuple[TimeBin, ...] = ()  # the same as a histogram; absent from older files


@dataclass(frozen=True, slots=True)
class Way:
    """Seconds on each page from consent to the exit page, for participants who count."""

    measured: str  # what the seconds are
    pages: tuple[PageTimes, ...] = ()
    note: str = ""
    came: int | None = None  # everybody who opened the site, whether or not they judged anything
    consented: int | None = None  # of these; None where the site recorded nobody


@dataclass(frozen=True, slots=True)
class Remark:
    """What one participant wrote, and about what, as far as it is known."""

    text: str
    participant: str | None = None  # pseudonym
    item: str | None = None
    systems: tuple[str, ...] = ()  # one, or the two that were compared


@dataclass(frozen=True, slots=True)
class RemarkList:
    """All remarks on one question or in one column. They are personal data."""

    id: str
    prompt: str  # what was asked, or the name of the column
    source: RemarkSource
    remarks: tuple[Remark, ...]
    answered: int | None = None  # participants who wrote something; None: not known who wrote
    participants: int | None = None  # who took part
