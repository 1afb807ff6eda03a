"""Scripted participants: they take a place on the platform, walk the real site, and come back.

What they do on the pages is somebody else's part: `open_site` gets the link and the behaviour and
returns a visit whose `walk` yields the seconds until the next click, such as a
`web.rehearse.participant.SimulatedParticipant`. What they do on the platform is here.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol, TypeAlias, get_args

from rejudge.prolific.fake.records import FakeRefusal, FakeSubmission
from rejudge.prolific.fake.world import RESERVED_FOR, ProlificWorld

Behaviour: TypeAlias = Literal[
    "normal",
    "returns early",  # after some clicks
    "returns after submitting",
    "never starts",  # lets the reservation lapse
    "times out",  # leaves in the middle, for good
    "finishes late",  # leaves in the middle, comes back after the time-out, and finishes
    "two tabs",
    "refresh",
    "no code",
    "wrong code",
    "reopens",  # opens the link again after finishing
    "declines",  # does not consent, and returns when asked to
    "screened out",  # where the study can: answers so that they may not take part
    "careless",  # answers without looking, and fails the checks there are
]
BEHAVIOURS: Final[tuple[Behaviour, ...]] = get_args(Behaviour)
WRONG_CODE: Final = "WRONG123"
_LEAVES = frozenset({"returns early", "times out", "finishes late"})
_CLICKS = 4  # after which somebody leaves: consent, instructions, and a few answers
_READING = 20.0  # seconds on the platform before and after
_LONG = 86_400.0  # every study has timed out by then


class SettableClock(Protocol):
    """A clock that can be moved on."""

    def now(self) -> datetime:
        """The time, aware and in UTC."""

    def move_to(self, moment: datetime) -> None:
        """Go on to a moment."""


class SiteRecord(Protocol):
    """What somebody read on the pages."""

    codes: list[str]


class SiteVisit(Protocol):
    """Somebody on the pages of a study."""

    @property
    def record(self) -> SiteRecord:
        """What they have read so far."""

    def walk(self) -> Iterator[float]:
        """Click through the pages; gives the seconds until each next click."""


OpenSite: TypeAlias = Callable[[str, Behaviour], SiteVisit]  # a link with the participant's ids


@dataclass(slots=True)
class ScriptedParticipant:
    """One member of the panel with a behaviour; filled as they go on."""

    world: ProlificWorld
    study: str
    member: str
    behaviour: Behaviour
    open_site: OpenSite
    submission: FakeSubmission | None = None
    codes: list[str] = field(default_factory=list)  # as the pages showed them
    turned_away: str | None = None  # why the platform had no place

    def walk(self) -> Iterator[float]:
        """Everything they do; gives the seconds until the next act."""
        try:
            with self.world.lock:
                self.submission = self.world.reserve(self.study, self.member)
        except FakeRefusal as refusal:
            self.turned_away = str(refusal.detail)
            return
        if self.behaviour == "never starts":
            yield RESERVED_FOR.total_seconds()
            return
        yield _READING
        with self.world.lock:
            link = self.world.start(self.submission)
        is_through = yield from self._walk_site(link)
        if not is_through:
            return
        yield _READING
        yield from self._finish(self.submission, link)

    def _walk_site(self, link: str) -> Generator[float, None, bool]:
        """Walk the pages; returns whether they came to the end."""
        visit = self.open_site(link, self.behaviour)
        for clicks, seconds in enumerate(visit.walk(), start=1):
            yield seconds
            if clicks == _CLICKS and self.behaviour in _LEAVES:
                if self.behaviour == "returns early":
                    self._give_back()
                if self.behaviour != "finishes late":
                    return False
                yield _LONG
        self.codes += visit.record.codes
        return True

    def _finish(self, submission: FakeSubmission, link: str) -> Iterator[float]:
        code = self.codes[-1] if self.codes else None
        entered = {"no code": None, "wrong code": WRONG_CODE}.get(self.behaviour, code)
        with self.world.lock:
            try:
                self.world.enter_code(submission, entered)
            except FakeRefusal as refusal:  # returned or timed out meanwhile
                self.turned_away = str(refusal.detail)
                return
        is_asked = submission.return_requested is not None  # by what the code does
        if self.behaviour == "returns after submitting" or is_asked:
            yield _READING
            self._give_back()
        if self.behaviour == "reopens":
            yield _READING
            again = self.open_site(link, "normal")
            yield from again.walk()
            self.codes += again.record.codes

    def _give_back(self) -> None:
        if self.submission is not None:
            with self.world.lock:
                try:
                    self.world.give_back(self.submission)
                except FakeRefusal as refusal:  # approved before they could
                    self.turned_away = str(refusal.detail)


def run_participants(
    participants: Sequence[ScriptedParticipant],
    clock: SettableClock,
    *,
    seconds_between: float,
    after_each: Callable[[datetime], None] = lambda _: None,
) -> None:
    """Run participants in turn: whoever is due next acts next, and the clock jumps ahead.

    `after_each` is called after each act, such as to poll the platform or deliver webhooks.
    """
    start = clock.now()
    due = [
        (start + timedelta(seconds=seconds_between * number), number, each.walk())
        for number, each in enumerate(participants)
    ]
    heapq.heapify(due)
    while due:
        moment, number, walk = heapq.heappop(due)
        clock.move_to(moment)
        seconds = next(walk, None)
        after_each(clock.now())
        if seconds is not None:
            heapq.heappush(due, (moment + timedelta(seconds=seconds), number, walk))
