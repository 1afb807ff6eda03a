"""How long people took: on each page, in each batch, and each participant overall."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.columns import combine_codes, things
from rejudge.analysis.details import Page, Visitor
from rejudge.english import natural_order
from rejudge.findings.frame import Frame, Row
from rejudge.judgments.table import Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_PEOPLE = 500  # are listed one by one
MOST_BATCHES = 500
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95)
_POINTS = 101  # of the empirical distribution
MOST_PLACES = 200  # of tasks that are listed by their place in the order
_BEFORE: tuple[Page, ...] = ("consent", "instructions", "practice")
_LONG_SECONDS = 120.0
_BINNED = 0.95  # of the times lie below the last bin
_BINS = 12
_BIN_WIDTHS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600)
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


def time_frames(
    visitors: Sequence[Visitor], kept: Judgments, pages: TimedPages, *, level: float
) -> Iterator[Frame]:
    """How long people took: on pages of each kind from consent to the exit page, in each batch, and
    each participant overall. Only participants who count."""
    yield _quantiles(pages, level=level)
    yield from page_frames(list(_timed_pages(visitors, kept, pages)), level=level)
    total, rows = _by_participant(kept, pages)
    if rows:
        facts = {"unit": _unit(pages.seconds)}
        yield Frame.of("times-people", rows, total=total, facts=facts)
    batches = list(_by_batch(kept, pages))
    if batches:
        facts = {"unit": _unit(np.array([row["median"] for row in batches]))}
        yield Frame.of("times-batches", batches, facts=facts)


def _unit(seconds: NDArray[np.float64]) -> str:
    """What times are shown in: minutes where the median is two or more of them."""
    is_long = len(seconds) > 0 and float(np.median(seconds)) >= _LONG_SECONDS
    return "minutes" if is_long else "seconds"


def _quantiles(pages: TimedPages, *, level: float) -> Frame:
    """Quantiles of the times of all pages that judgments record."""
    n = len(pages.seconds)
    if not n:
        return Frame("times", facts={"pages": 0}, notes=("No page has a time.",))
    marks = [stats.time_quantile(pages.seconds, share, level=level) for share in _QUANTILES]
    return Frame.of(
        "times",
        (
            {
                "share": share,
                "seconds": mark.value,
                "low": mark.interval.low if mark.interval else None,
                "high": mark.interval.high if mark.interval else None,
            }
            for share, mark in zip(_QUANTILES, marks, strict=True)
        ),
        facts={
            "pages": n,
            "mean_of_participants": float(np.mean(_totals(pages.participant, pages.seconds))),
            "level": level,
            "unit": _unit(pages.seconds),
        },
        notes=(_INDEPENDENT,),
    )


Timed: TypeAlias = tuple[Page, int | None, "NDArray[np.float64]"]  # a page, its place, seconds


def _timed_pages(
    visitors: Sequence[Visitor], kept: Judgments, pages: TimedPages
) -> Iterator[Timed]:
    """The sorted times of each page in the order that participants meet it: before the tasks, all
    tasks together, each by its place in the order (or whole batches), and the exit page."""
    names = {
        kept.participant.labels[code] for code in np.unique(kept.participant.codes) if code >= 0
    }
    times = [each.seconds for each in visitors if each.participant in names]

    def of_site(page: Page) -> Iterator[Timed]:
        longest = max((len(own.get(page, ())) for own in times), default=0)
        for place in range(longest):
            seconds = [own[page][place] for own in times if len(own.get(page, ())) > place]
            yield (
                page,
                place + 1 if longest > 1 else None,
                np.sort(np.asarray(seconds, dtype=float)),
            )

    for before in _BEFORE:
        yield from of_site(before)
    if len(pages.seconds):
        page: Page = "batch" if has_times_of_batches(kept, pages) else "task"
        yield page, None, np.sort(pages.seconds)
        places = np.unique(pages.position[pages.position >= 0])
        if page == "task" and 1 < len(places) <= MOST_PLACES:
            for place in places.tolist():
                yield page, place, np.sort(pages.seconds[pages.position == place])
    yield from of_site("exit")


def page_frames(timed: Sequence[Timed], *, level: float) -> Iterator[Frame]:
    """Summary statistics of each page; of all but single tasks also how its times are spread."""
    if timed:
        yield Frame.of("times-pages", (_summary(*each) for each in timed))
        several = [each for each in timed if each[0] != "task" or each[1] is None]
        shares = (row for each in several for row in _shares(*each, level=level))
        yield Frame.of("times-shares", shares, facts={"level": level})
        yield Frame.of("times-bins", (row for each in several for row in _bins(*each)))


def _summary(page: Page, place: int | None, seconds: NDArray[np.float64]) -> Row:
    """Summary statistics of the times of one page."""
    return {"page": page, "place": place, "n": len(seconds), **_spread(seconds)}


def _spread(seconds: NDArray[np.float64]) -> dict[str, float | None]:
    least, lower, median, upper, most = np.quantile(seconds, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return {
        "least": least,
        "lower": lower,  # a quarter took no longer
        "median": median,
        "upper": upper,
        "most": most,
        "mean": float(seconds.mean()),
        "sd": float(seconds.std(ddof=1)) if len(seconds) > 1 else None,
    }


def _shares(
    page: Page, place: int | None, seconds: NDArray[np.float64], *, level: float
) -> Iterator[Row]:
    """Up to 101 points of the empirical distribution of sorted times, at equal steps of rank, with
    a band that holds for all of them at once."""
    at = np.unique(seconds[np.linspace(0, len(seconds) - 1, _POINTS).round().astype(np.int64)])
    found = stats.empirical_shares(seconds, at, level=level)
    points = zip(*(part.tolist() for part in (at, found.share, found.low, found.high)), strict=True)
    for time, share, low, high in points:
        yield {"page": page, "place": place, "seconds": time, "share": share, "low": low,
               "high": high}  # fmt: skip


def _bins(page: Page, place: int | None, seconds: NDArray[np.float64]) -> Iterator[Row]:
    """Sorted times counted in up to twelve bins of a round width, and one for the longest 5 %.

    A bin has times longer than `low` and at most `high`; the first one includes 0.
    """
    high = float(np.quantile(seconds, _BINNED, method="inverted_cdf")) or 1.0
    width = next((each for each in _BIN_WIDTHS if each * _BINS >= high), high / _BINS)
    edges = [at * width for at in range(math.ceil(high / width - 1e-9) + 1)]
    up_to = np.searchsorted(seconds, edges[1:], side="right")
    counts = np.diff(up_to, prepend=0, append=len(seconds)).tolist()
    for low, end, n in zip(edges, (*edges[1:], None), counts, strict=True):
        yield {"page": page, "place": place, "low": low, "high": end, "n": n}


def _by_batch(judgments: Judgments, pages: TimedPages) -> Iterator[Row]:
    """How long each batch took those who did it; a batch without a name is not listed."""
    names = judgments.batch.labels
    codes = {names[code]: code for code in np.unique(pages.batch[pages.batch >= 0]).tolist()}
    for name in natural_order(codes)[:MOST_BATCHES]:
        rows = pages.batch == codes[name]
        totals = _totals(pages.participant[rows], pages.seconds[rows])
        yield {
            "batch": name,
            "participants": len(totals),
            "pages": int(rows.sum()),
            **{part: _spread(totals)[part] for part in ("mean", "median", "least", "most")},
            "mean_of_pages": float(pages.seconds[rows].mean()),
        }


def _totals(participant: NDArray[np.integer], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The seconds of each participant on all these pages."""
    _, who = np.unique(participant, return_inverse=True)
    return np.asarray(np.bincount(who, seconds))


def _by_participant(judgments: Judgments, pages: TimedPages) -> tuple[int, Sequence[Row]]:
    """The slowest first, where not all can be listed; those without any time not at all."""
    labels = judgments.participant.labels
    count, seconds = pages.by_person(len(labels))
    codes = judgments.participant.codes
    has_clock = ~np.isnat(judgments.submitted_at) & (codes >= 0)
    marks = np.bincount(codes[has_clock], minlength=len(labels))
    present = np.flatnonzero((count > 0) | (marks > 1))
    listed = np.sort(present[np.argsort(-seconds[present], kind="stable")][:MOST_PEOPLE])
    sat = _sittings_by_participant(judgments, listed)
    rows = []
    for who in listed.tolist():
        own = pages.seconds[pages.participant == who]
        sitting = sat.get(who)
        spread = _spread(own) if len(own) else {}
        rows.append(
            {
                "participant": labels[who],
                "pages": len(own),
                "seconds": float(own.sum()) if len(own) else None,
                "wall_seconds": sitting.wall_seconds if sitting else None,
                "active_seconds": sitting.active_seconds if sitting else None,
                "pauses": sitting.pauses if sitting else 0,
                **{name: spread.get(name) for name in ("least", "mean", "median", "most", "sd")},
            }
        )
    return len(present), rows


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
