"""What lies behind the findings of a question: who scored what, whom they beat, who worked how.

All of it describes; nothing here is tested, and no p value counts in a correction. Lists that could
grow without bound are cut, and say how long they are in truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.stats import Interval

Flag: TypeAlias = Literal[
    "one-answer",  # the same answer throughout
    "fast",  # much faster than the others
    "faster-than-reading",  # did a batch faster than its texts can be read
    "one-side",  # leans to one side, whichever output stands there
]
Likeness: TypeAlias = Literal["spearman", "pearson", "percent"]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """How often a system was given each score."""

    system: str
    n: int
    counts: tuple[int, ...]
    shares: tuple[float, ...]  # of n, in percent; empty without judgments
    off_scale: int = 0  # scores that are no point of the scale, or lie outside of it


@dataclass(frozen=True, slots=True)
class ScoreCounts:
    """What a stacked bar for each system shows.

    `at` are the points of the scale, or the edges of equal bins, one more than there are counts. A
    score on an edge belongs to the bin above; the last edge to the last bin.
    """

    kind: Literal["points", "bins"]
    at: tuple[float, ...]
    systems: tuple[SystemScores, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class DatasetScores:
    """The same for the items of one dataset alone."""

    dataset: str
    scores: ScoreCounts


@dataclass(frozen=True, slots=True)
class Duel:
    """One cell of the win matrix: how the system of the row fared against that of the column."""

    row: str
    column: str
    wins: int
    losses: int
    ties: int
    win_percent: float | None  # a tie as half; None: they never met


@dataclass(frozen=True, slots=True)
class CoveredSystem:
    """What was judged of one system, and by how many."""

    system: str
    judgments: int
    items: int
    participants: int | None  # None: not known


@dataclass(frozen=True, slots=True)
class CoveredPair:
    """What two systems have in common."""

    first: str
    second: str
    shared_items: int
    shared_participants: int | None  # None: not known
    information_share: float  # how much of a comparison of their means is within items


@dataclass(frozen=True, slots=True)
class Covered:
    """Who judged what, by system and by pair of systems."""

    systems: tuple[CoveredSystem, ...]
    pairs: tuple[CoveredPair, ...]
    is_even: bool  # each system has the same share of every item's and participant's judgments


@dataclass(frozen=True, slots=True)
class OwnDifference:
    """How far two systems lie apart for one participant, over the items judged for both."""

    participant: str
    first: str
    second: str
    value: float | None
    items: int
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One output, segment or pair of outputs, and how far people were at odds about it."""

    item: str
    systems: tuple[str, ...]
    n: int  # judgments
    rank: float | None  # of difficulty; 1 is the hardest
    disagreement: float | None  # as `Units.measure` says; needs two judgments
    slowness: float | None = None  # times relative to the participants' usual ones; 1 is usual
    contribution: float | None = None  # what it takes off Krippendorff's alpha
    contribution_rank: int | None = None
    segment: int | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Units:
    """The hardest units first; `total` is how many there are, however few are listed."""

    total: int
    measure: Literal["share of pairs that differ", "sample variance"]
    rows: tuple[UnitRow, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conduct:
    """How one participant went about one question. Absent is None."""

    participant: str
    judgments: int
    longest_run: int  # of the same answer (of a comparison: side), in the order given
    modal_share: float  # of the most frequent answer, in percent
    pages: int = 0  # with a time
    seconds: float | None = None  # on all these pages together
    first_shown: float | None = None  # chosen, in percent; ties do not count
    first_shown_n: int = 0
    first_shown_p: float | None = None  # exact, against 50 %
    first_shown_p_adjusted: float | None = None  # over participants, Holm
    repeats: int = 0  # units judged again
    same_again: float | None = None  # in percent
    agreement: float | None = None  # other people's judgments that say the same, in percent
    agreement_n: int = 0  # own judgments that others judged, too
    with_majority: float | None = None  # own judgments that most others share, in percent
    with_majority_n: int = 0  # own judgments of units on which most others agree
    correlation: float | None = None  # mean over the others, as `People.measure` says
    others: int = 0  # with whom the correlation is defined
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class PairOfPeople:
    """How two participants go together over the units both judged."""

    first: str
    second: str
    n: int
    value: float | None  # None: fewer than three shared units, or one of them never varied


@dataclass(frozen=True, slots=True)
class People:
    """How everybody worked; `total` is how many there are, however few are listed."""

    total: int
    measure: Likeness  # of `pairs` and, for scores, of the means over others
    rows: tuple[Conduct, ...]
    pairs: tuple[PairOfPeople, ...] = ()
    fast_below: float | None = None  # seconds per page
    note: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """What lies behind the findings of one question."""

    question: str
    scores: ScoreCounts | None = None  # of scores
    duels: tuple[Duel, ...] = ()  # of comparisons: the win matrix, cell by cell
    units: Units | None = None
    people: People | None = None
    notes: tuple[str, ...] = ()  # what is undefined or left out, and why
    scores_by_dataset: tuple[DatasetScores, ...] = ()  # of several datasets, up to 12
    coverage: Covered | None = None  # of scores; absent from older files
    own_differences: tuple[OwnDifference, ...] = ()  # of scores by fewer than five participants


@dataclass(frozen=True, slots=True)
class CopiedInputs:
    """How many outputs of a system read like their input."""

    system: str
    outputs: int  # of judged items that have an input
    identical: int  # but for white space
    share: float  # in percent


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
