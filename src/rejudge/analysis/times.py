"""How long people took: on each page, in each batch, and each participant overall."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.columns import combine_codes, things
from rejudge.analysis.details import Page
from rejudge.english import natural_order
from rejudge.judgments.table import Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds per task: the median and the quartiles."""

    median: float
    lower: float
    upper: float
    tasks: int
    total: float | None = None  # of all tasks together


@dataclass(frozen=True, slots=True)
class TimeMark:
    """A quantile of the times, with the interval from order statistics."""

    share: float
    seconds: float
    interval: stats.Interval | None
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
    """The total time of one participant: on pages as recorded, and by the clock."""

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
    """How long people took, counting each page once."""

    pages: int  # with a time
    measured: str  # what the seconds are
    quantiles: tuple[TimeMark, ...] = ()
    shares: tuple[TimeShare, ...] = ()
    total: int = 0  # participants, however few are listed
    rows: tuple[TimeSpent, ...] = ()
    note: str = ""
    bins: tuple[TimeBin, ...] = ()  # of a histogram
    batches: tuple[BatchTime, ...] = ()  # up to 500, where judgments say their batch
    mean_of_participants: float | None = None  # of the seconds that each spent on all pages


@dataclass(frozen=True, slots=True)
class PageTimes:
    """How long one page took: summary statistics of the participants' seconds."""

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
    bins: tuple[TimeBin, ...] = ()  # the same as a histogram; left out for single tasks


@dataclass(frozen=True, slots=True)
class PagesToExit:
    """Seconds on each page from consent to the exit page, for participants who count."""

    measured: str  # what the seconds are
    pages: tuple[PageTimes, ...] = ()
    note: str = ""
    came: int | None = None  # everybody who opened the site, whether or not they judged anything
    consented: int | None = None  # of these; None where the site recorded nobody
    not_qualified: int | None = None  # 〃; None for a study without a qualification


MOST_PEOPLE = 500  # are listed one by one
MOST_BATCHES = 500
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95)
_POINTS = 101  # of the empirical distribution
_BINNED = 0.95  # of the times lie below the last bin
_BINS = 12
_BIN_WIDTHS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600)
_MEASURED = (
    "Seconds on the page as recorded with each judgment; each page counts once. Wall time is from "
    "a participant's first submission to the last; in active time, a pause counts as 5 minutes at "
    "most."
)
_FEWEST_IN_LIST = 5  # items
_MOSTLY = 0.9
_INDEPENDENT = "Intervals treat pages as independent."


@dataclass(frozen=True, eq=False, slots=True)
class TimedPages:
    """The pages that have a time: who spent how long."""

    participant: NDArray[np.integer]
    seconds: NDArray[np.float64]
    position: NDArray[np.integer]  # in the order this participant saw; below 0: not known
    batch: NDArray[np.integer]  # below 0: not known

    def by_person(self, people: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """How many pages and seconds each participant has."""
        count = np.bincount(self.participant, minlength=people)
        return count, np.bincount(self.participant, self.seconds, people).astype(np.float64)


def pages_of(judgments: Judgments) -> TimedPages:
    """Each page once, though each of its judgments records its time.

    A page is a task; where tasks are not named, what was judged, or the whole of a participant's
    batch if all of it has one time, or a list whose time is repeated for each of its items.
    Judgments with different times were not made on one page.
    """
    rows = judgments.take(~np.isnan(judgments.seconds) & (judgments.participant.codes >= 0))
    if not len(rows):
        return TimedPages(rows.participant.codes, rows.seconds, rows.position, rows.batch.codes)
    _, second = np.unique(rows.seconds, return_inverse=True)
    visit = combine_codes(rows.participant.codes, rows.batch.codes)
    has_own = _has_many_times(_pass(rows), second) & (items_per_list(rows) is None)
    shown = np.where(has_own, things(rows), -1)
    shown[rows.task.codes >= 0] = -1
    page = combine_codes(visit, rows.task.codes, shown, second)
    first = np.full(int(page.max()) + 1, -1)
    first[page[::-1]] = np.arange(len(page))[::-1]
    return TimedPages(
        rows.participant.codes[first],
        rows.seconds[first],
        rows.position[first],
        rows.batch.codes[first],
    )


def varies_by_task(judgments: Judgments) -> bool:
    """Whether times are recorded by task rather than only by batch."""
    rows = judgments.take(~np.isnan(judgments.seconds))
    if items_per_list(rows) is not None:
        return False
    _, second = np.unique(rows.seconds, return_inverse=True)
    return bool(_has_many_times(_pass(rows), second).any())


def has_times_of_batches(judgments: Judgments, pages: TimedPages) -> bool:
    """Whether each time is that of a whole batch or list, not of one of its tasks."""
    if items_per_list(judgments) is not None:
        return True
    rows = judgments.take(~np.isnan(judgments.seconds) & (judgments.participant.codes >= 0))
    return len(pages.seconds) <= stats.count_distinct(_pass(rows))


def items_per_list(judgments: Judgments) -> int | None:
    """How many items share each time, where neither batches nor tasks are named and the same time
    is repeated for a whole list; None: times are not repeated like this.

    Times of single judgments coincide too, above all whole seconds, but neither always for the same
    number of items nor always one after the other.
    """
    rows = judgments.take(~np.isnan(judgments.seconds) & (judgments.participant.codes >= 0))
    if not len(rows) or (rows.batch.codes >= 0).any() or (rows.task.codes >= 0).any():
        return None
    _, second = np.unique(rows.seconds, return_inverse=True)
    timed = combine_codes(rows.participant.codes, second)
    items = np.bincount(np.unique(np.stack([timed, rows.item.codes]), axis=1)[0])
    items = items[items > 0]
    size = int(np.median(items))
    has_several = len(items) > stats.count_distinct(rows.participant.codes)
    if not has_several or size < _FEWEST_IN_LIST:
        return None
    is_one_size = np.count_nonzero(items == size) >= _MOSTLY * len(items)
    return size if is_one_size or _are_blocks(rows, timed) else None


def _are_blocks(rows: Judgments, timed: NDArray[np.int64]) -> bool:
    """Whether nearly all judgments of a participant with the same time follow one another."""
    block = combine_codes(timed, rows.question.codes)
    order = np.lexsort((rows.question.codes, rows.participant.codes))
    blocks = 1 + np.count_nonzero(np.diff(block[order]))
    return bool(_MOSTLY * blocks <= stats.count_distinct(block))


def list_notes(judgments: Judgments) -> tuple[str, ...]:
    """What was assumed of times that are repeated for whole lists."""
    size = items_per_list(judgments)
    if size is None:
        return ()
    said = (
        f"The same seconds are repeated for {size} items at a time, so they are taken as the time "
        "of a whole list, counted once. Name the column of the list with --columns batch=COLUMN."
    )
    return (said,)


def _pass(judgments: Judgments) -> NDArray[np.int64]:
    """Who went through which batch; a second pass has times of its own."""
    is_again = judgments.is_of_kind("repeat").astype(judgments.batch.codes.dtype)
    return combine_codes(judgments.participant.codes, judgments.batch.codes, is_again)


def _has_many_times(visit: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each row, whether the participant's batch has more than one time."""
    if not len(visit):
        return np.zeros(0, dtype=np.bool_)
    size = int(visit.max()) + 1
    count, total = np.bincount(visit, minlength=size), np.bincount(visit, second, size)
    differs = np.bincount(visit, second != (total / count)[visit], size) > 0
    return np.asarray(differs[visit])


def pace(pages: TimedPages) -> Pace | None:
    """Summary statistics of seconds per page."""
    if not len(pages.seconds):
        return None
    lower, middle, upper = np.quantile(pages.seconds, [0.25, 0.5, 0.75]).tolist()
    return Pace(middle, lower, upper, len(pages.seconds), float(pages.seconds.sum()))


def times_of(judgments: Judgments, pages: TimedPages, *, level: float) -> Times:
    """Quantiles, the empirical distribution, and the total of each participant."""
    seconds = np.sort(pages.seconds)
    total, rows = _time_by_participant(judgments, pages)
    if not len(seconds):
        return Times(0, _MEASURED, total=total, rows=rows, note="No page has a time.")
    marks = [stats.time_quantile(seconds, share, level=level) for share in _QUANTILES]
    return Times(
        len(seconds),
        _MEASURED,
        tuple(
            TimeMark(mark.share, mark.value, mark.interval, mark.note)
            for mark in marks
            if mark.value is not None
        ),
        time_shares(seconds, level=level),
        total,
        rows,
        _INDEPENDENT,
        time_bins(seconds),
        batches=_by_batch(judgments, pages),
        mean_of_participants=float(np.mean(_totals(pages.participant, pages.seconds))),
    )


def _by_batch(judgments: Judgments, pages: TimedPages) -> tuple[BatchTime, ...]:
    """How long each batch took those who did it; a batch without a name is not listed."""
    names = judgments.batch.labels
    codes = {names[code]: code for code in np.unique(pages.batch[pages.batch >= 0]).tolist()}
    return tuple(
        _batch_time(name, pages.participant[rows], pages.seconds[rows])
        for name in natural_order(codes)[:MOST_BATCHES]
        for rows in (pages.batch == codes[name],)
    )


def _batch_time(
    name: str, participant: NDArray[np.integer], seconds: NDArray[np.float64]
) -> BatchTime:
    totals = _totals(participant, seconds)
    return BatchTime(
        name,
        participants=len(totals),
        pages=len(seconds),
        mean=float(totals.mean()),
        median=float(np.median(totals)),
        least=float(totals.min()),
        most=float(totals.max()),
        mean_of_pages=float(seconds.mean()),
    )


def _totals(participant: NDArray[np.integer], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The seconds of each participant on all these pages."""
    _, who = np.unique(participant, return_inverse=True)
    return np.asarray(np.bincount(who, seconds))


def time_shares(seconds: NDArray[np.float64], *, level: float) -> tuple[TimeShare, ...]:
    """Up to 101 points of the empirical distribution of sorted times, at equal steps of rank."""
    at = np.unique(seconds[np.linspace(0, len(seconds) - 1, _POINTS).round().astype(np.int64)])
    found = stats.empirical_shares(seconds, at, level=level)
    points = zip(*(part.tolist() for part in (at, found.share, found.low, found.high)), strict=True)
    return tuple(TimeShare(*point) for point in points)


def time_bins(seconds: NDArray[np.float64]) -> tuple[TimeBin, ...]:
    """Sorted times counted in up to twelve bins of a round width, and one for the longest 5 %."""
    high = float(np.quantile(seconds, _BINNED, method="inverted_cdf")) or 1.0
    width = next((each for each in _BIN_WIDTHS if each * _BINS >= high), high / _BINS)
    edges = [place * width for place in range(math.ceil(high / width - 1e-9) + 1)]
    up_to = np.searchsorted(seconds, edges[1:], side="right")
    counts = np.diff(up_to, prepend=0, append=len(seconds)).tolist()
    ends = (*edges[1:], None)
    return tuple(map(TimeBin, edges, ends, counts))


def _time_by_participant(
    judgments: Judgments, pages: TimedPages
) -> tuple[int, tuple[TimeSpent, ...]]:
    """The slowest first, where not all can be listed; those without any time not at all."""
    labels = judgments.participant.labels
    count, seconds = pages.by_person(len(labels))
    codes = judgments.participant.codes
    has_clock = ~np.isnat(judgments.submitted_at) & (codes >= 0)
    marks = np.bincount(codes[has_clock], minlength=len(labels))
    present = np.flatnonzero((count > 0) | (marks > 1))
    listed = np.sort(present[np.argsort(-seconds[present], kind="stable")][:MOST_PEOPLE])
    sat = _sittings_by_participant(judgments, listed)
    return len(present), tuple(
        _time_of(labels[who], pages.seconds[pages.participant == who], sat.get(who))
        for who in listed.tolist()
    )


def _time_of(name: str, own: NDArray[np.float64], sat: stats.Sitting | None) -> TimeSpent:
    spent = TimeSpent(name, len(own), float(own.sum()) if len(own) else None)
    if sat is not None:
        spent = replace(
            spent,
            wall_seconds=sat.wall_seconds,
            active_seconds=sat.active_seconds,
            pauses=sat.pauses,
        )
    if not len(own):
        return spent
    return replace(
        spent,
        least=float(own.min()),
        mean=float(own.mean()),
        median=float(np.median(own)),
        most=float(own.max()),
        sd=float(own.std(ddof=1)) if len(own) > 1 else None,
    )


def _sittings_by_participant(
    judgments: Judgments, people: NDArray[np.integer]
) -> dict[int, stats.Sitting]:
    """Time by the clock, for those who submitted at two or more moments."""
    codes, moment = judgments.participant.codes, judgments.submitted_at
    rows = ~np.isnat(moment) & np.isin(codes, people)
    if not rows.any():
        return {}
    clock = (moment[rows] - moment[rows].min()) / np.timedelta64(1, "s")
    marks = np.unique(np.stack([codes[rows].astype(np.float64), clock], axis=1), axis=0)
    found = stats.session_times(marks[:, 1], marks[:, 0].astype(np.int64))
    return {sitting.session: sitting for sitting in found if sitting.wall_seconds is not None}
