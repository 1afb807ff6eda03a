"""What the overview knows about the answers so far: agreement, first-position bias, times.

All numbers come from `rejudge.analysis.monitoring`, which cannot compare systems.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.analysis.monitoring import Monitoring, monitor, monitored_findings
from rejudge.design.plan import Plan
from rejudge.errors import RejudgeError
from rejudge.findings.model import Finding
from rejudge.judgments.table import Judgments
from rejudge.store.records import BatchPace, EventRow, Happening
from rejudge.study.model import Study
from rejudge.web.dashboard.figures import TimeDistribution, distribution

MOST_POINTS = 12  # of the line that shows agreement over time
_LEAST_PAUSE = 8.0  # seconds between two computations
_SHARE = 0.05  # of one processor, at most, goes into them


@dataclass(frozen=True, slots=True)
class PastFinding:
    """A value as it was when a given number of batches was done."""

    finding: Finding
    moment: datetime
    batches: int


@dataclass(frozen=True, slots=True)
class FinishedBatch:
    """A batch that a participant finished."""

    participant: str
    batch: str
    moment: datetime
    code: int  # in the table it was read from


@dataclass(frozen=True, slots=True)
class StoreReading:
    """What was read from the store at one moment."""

    judgments: Judgments
    events: tuple[EventRow, ...] = ()
    paces: tuple[BatchPace, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known about the judgments collected so far."""

    monitoring: Monitoring
    durations: tuple[TimeDistribution, ...] = ()
    history: tuple[PastFinding, ...] = ()

    def history_of(self, finding: str) -> tuple[PastFinding, ...]:
        """The history of one value, oldest first."""
        return tuple(past for past in self.history if past.finding.id == finding)


def history_points(places: int) -> tuple[int, ...]:
    """The numbers of finished batches at which the history is computed: about a dozen."""
    steps = (base * 10**power for power in range(9) for base in (1, 2, 5))
    step = next(step for step in steps if places / step <= MOST_POINTS)
    return tuple(range(step, places + 1, step))


def past(study: Study, kept: Judgments, batches: int) -> tuple[PastFinding, ...]:
    """The monitored values as they were when this many batches were finished."""
    first = done(kept)[:batches]
    rows = np.isin(_codes(kept), [work.code for work in first])
    return tuple(
        PastFinding(finding, first[-1].moment, batches)
        for finding in monitored_findings(study, kept.take(rows))
    )


def done(judgments: Judgments) -> list[FinishedBatch]:
    """Each finished batch, in the order in which they were finished."""
    if not len(judgments):
        return []
    codes, place = np.unique(_codes(judgments), return_inverse=True)
    last = np.full(len(codes), np.datetime64("1970-01-01"), dtype="datetime64[us]")
    known = ~np.isnat(judgments.submitted_at)
    np.maximum.at(last, place[known], judgments.submitted_at[known])
    people, batches = judgments.participant.labels, (*judgments.batch.labels, "")
    works = [
        FinishedBatch(people[code // len(batches)], batches[code % len(batches)], moment, code)
        for code, moment in zip(codes.tolist(), _in_utc(last), strict=True)
    ]
    return sorted(works, key=lambda work: (work.moment, work.participant, work.batch))


def _in_utc(moments: NDArray[np.datetime64]) -> list[datetime]:
    return [moment.replace(tzinfo=UTC) for moment in moments.tolist()]


def _codes(judgments: Judgments) -> NDArray[np.int64]:
    """A number for each row that identifies its participant and batch."""
    batches = len(judgments.batch.labels) + 1
    batch = judgments.batch.codes % batches  # without a batch: the last
    codes: NDArray[np.int64] = judgments.participant.codes.astype(np.int64) * batches + batch
    return codes


_Key: TypeAlias = tuple[int, frozenset[tuple[str, str]]]


@dataclass
class SnapshotCache:
    """Keeps what is known so far fresh enough, beside the pages and at little cost.

    One thread at a time computes; a page takes what is there. The pause before the next
    computation grows with what the last one cost.
    """

    study: Study
    plan: Plan
    read: Callable[[], StoreReading]
    clock: Callable[[], float] = time.monotonic
    _known: Snapshot | None = None
    _seen: Hashable = None
    _past: dict[_Key, tuple[PastFinding, ...]] = field(default_factory=dict)
    _is_behind: bool = False
    _due: float = 0.0
    _note: str = ""
    _thread: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def latest(self, seen: Hashable, *, patience: float = 1.0) -> tuple[Snapshot | None, str]:
        """The latest snapshot, and a note if there is none; `seen` changes with the answers.

        The first request waits up to `patience` seconds for it; later ones take what is there.
        """
        with self._lock:
            is_stale = seen != self._seen or self._is_behind
            is_free = self._thread is None or not self._thread.is_alive()
            if is_stale and is_free and self.clock() >= self._due:
                self._thread = threading.Thread(target=self.refresh, args=(seen,), daemon=True)
                self._thread.start()
            thread = self._thread
        if self._known is None and thread is not None:
            thread.join(patience)
        return self._known, self._note

    def refresh(self, seen: Hashable = None) -> None:
        """Compute the current values, and one missing point of the history."""
        begin = self.clock()
        try:
            read = self.read()
            known = monitor(self.study, self.plan, read.judgments)
            self._known = Snapshot(
                known,
                durations(read.judgments, read.events, read.paces),
                self._history(known),
            )
            self._note = ""
        except RejudgeError as error:
            self._note = str(error)
        finally:
            self._seen = seen
            self._due = self.clock() + max(_LEAST_PAUSE, (self.clock() - begin) / _SHARE)

    def forget(self) -> None:
        """Drop everything computed, because someone's data must go at once."""
        with self._lock:
            self._known, self._past, self._seen, self._due = None, {}, None, 0.0

    def _history(self, known: Monitoring) -> tuple[PastFinding, ...]:
        """The history so far, one point more than last time, and the current values."""
        kept = known.cleaned.kept
        works = done(kept)
        names = [(work.participant, work.batch) for work in works]
        wanted = [(cut, frozenset(names[:cut])) for cut in history_points(self.plan.places)]
        wanted = [key for key in wanted if key[0] <= len(works)]
        missing = [key for key in wanted if key not in self._past]
        for key in missing[:1]:
            self._past[key] = past(self.study, kept, key[0])
        self._past = {key: self._past[key] for key in wanted if key in self._past}
        self._is_behind = len(missing) > 1
        present = [
            PastFinding(finding, works[-1].moment, len(works))
            for finding in known.findings
            if works
        ]
        return (*(each for pieces in self._past.values() for each in pieces), *present)


# From which happening to which a page was open; what was skipped is looked for further back.
_PAGES: tuple[tuple[str, tuple[Happening, ...], Happening], ...] = (
    ("Information and consent", ("arrived",), "consented"),
    ("Instructions", ("consented",), "instructed"),
    ("Practice", ("instructed",), "practised"),
    ("Qualification", ("practised", "instructed"), "qualified"),
)


def durations(
    judgments: Judgments, events: Iterable[EventRow], paces: Sequence[BatchPace]
) -> tuple[TimeDistribution, ...]:
    """How long each kind of page was open, and the whole, from arrival to the last submission."""
    moments = _moments(events)
    named = [
        (name, [_between(own, starts, end) for own in moments.values()])
        for name, starts, end in _PAGES
    ]
    named += [
        ("Each task", page_seconds(judgments).tolist()),
        ("A whole batch", [60 * pace.wall_minutes for pace in paces]),
        ("From arrival to the last batch", [_whole(own) for own in moments.values()]),
    ]
    drawn = (
        distribution(name, [each for each in seconds if each is not None])
        for name, seconds in named
    )
    return tuple(each for each in drawn if each is not None)


def page_seconds(judgments: Judgments) -> NDArray[np.float64]:
    """The seconds of every task, each once, although each of its judgments repeats them."""
    timed = judgments.take(~np.isnan(judgments.seconds))
    pages = np.stack([timed.participant.codes, timed.batch.codes, timed.task.codes])
    _, first = np.unique(pages, axis=1, return_index=True)
    return timed.seconds[first]


def _moments(events: Iterable[EventRow]) -> dict[str, dict[Happening, datetime]]:
    """The first time of each event by participant; for submissions the last."""
    moments: dict[str, dict[Happening, datetime]] = {}
    for event in events:
        own = moments.setdefault(event.participant, {})
        if event.what == "submitted":
            own[event.what] = event.at
        else:
            own.setdefault(event.what, event.at)
    return moments


def _between(
    own: Mapping[Happening, datetime], starts: Iterable[Happening], end: Happening
) -> float | None:
    begin = next((own[start] for start in starts if start in own), None)
    if begin is None or end not in own or own[end] < begin:
        return None
    return (own[end] - begin).total_seconds()


def _whole(own: Mapping[Happening, datetime]) -> float | None:
    return _between(own, ("arrived",), "submitted")
