"""What an analysis needs from a store: judgments and visitors; and the planned looks at them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rejudge.collect.looks import Look
from rejudge.collect.visit import COMMENT, EXIT, PRACTICE, Step
from rejudge.errors import DataError, Problem
from rejudge.judgments.answers import tabulate
from rejudge.judgments.table import Judgments
from rejudge.store.records import AnswerRow, EventRow
from rejudge.store.store import Store

if TYPE_CHECKING:
    from rejudge.analysis.details import Page, Visitor

_START = datetime(1970, 1, 1, tzinfo=UTC)  # nobody is here now, and nobody is asked for


def judgments_of(store: Store) -> Judgments:
    """Every judgment in the store; what was rehearsed is marked as simulated.

    Nothing is left out here: the state of each assignment travels along, and `exclude` goes by it.
    """
    return tabulate(
        store.study,
        store.plan,
        store.all_answers(),
        origin="simulated" if store.is_rehearsal else "people",
    )


def visitors_of(store: Store) -> tuple[Visitor, ...]:
    """Everybody who came, under their pseudonyms, with what they wrote."""
    from rejudge.analysis.details import Visitor  # loads slowly, and the site needs none of it

    moments = _first_moments(store.events())
    shown: dict[str, dict[tuple[str, datetime], float]] = defaultdict(dict)
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for row in store.answer_rows():
        if row.batch is None:
            pages, showing = shown[row.participant], (row.task, row.shown_at)
            pages[showing] = max(pages.get(showing, 0.0), _seconds(row))
            if row.task == EXIT and row.raw:
                said[row.participant][row.question] = row.raw
    return tuple(
        Visitor(
            participant=person.participant,
            comment=said[person.participant].pop(COMMENT, ""),
            answers=said[person.participant],
            device=person.device,
            language=person.language,
            has_qualified=_has_qualified(store, person.step, moments[person.participant]),
            seconds=_on_pages(
                moments[person.participant], _total_seconds(shown[person.participant])
            ),
        )
        for person in store.people(now=_START)
    )


def _has_qualified(store: Store, step: Step, moments: Mapping[str, datetime]) -> bool | None:
    """Whether somebody passed the qualification; None: they were not tested, or are at it."""
    if store.study.spec.qualification is None:
        return None
    if "qualified" in moments:
        return True
    return False if step == "not-qualified" else None


def _first_moments(events: Iterable[EventRow]) -> dict[str, dict[str, datetime]]:
    """When each person first came past each page; of arrivals, the last before they agreed."""
    found: dict[str, dict[str, datetime]] = defaultdict(dict)
    for event in events:
        own = found[event.participant]
        if event.what not in own or (event.what == "arrived" and "consented" not in own):
            own[event.what] = event.at
    return found


def _total_seconds(showings: Mapping[tuple[str, datetime], float]) -> dict[str, float]:
    """What a page tells grows while it is open, so of each showing the largest counted."""
    pages: dict[str, float] = {}
    for (task, _), seconds in showings.items():
        pages[task] = pages.get(task, 0.0) + seconds
    return pages


def _on_pages(
    moments: Mapping[str, datetime], shown: Mapping[str, float]
) -> dict[Page, tuple[float, ...]]:
    practice = sorted(
        (int(task.removeprefix(PRACTICE)), seconds)
        for task, seconds in shown.items()
        if task.startswith(PRACTICE)
    )
    pages: dict[Page, tuple[float, ...]] = {
        "consent": _between(moments, "arrived", "consented"),
        "instructions": _between(moments, "consented", "instructed"),
        "practice": tuple(seconds for _, seconds in practice),
        "exit": (shown[EXIT],) if EXIT in shown else (),
    }
    return {page: seconds for page, seconds in pages.items() if seconds}


def _between(moments: Mapping[str, datetime], begin: str, end: str) -> tuple[float, ...]:
    if begin not in moments or end not in moments:
        return ()
    return ((moments[end] - moments[begin]).total_seconds(),)


def _seconds(row: AnswerRow) -> float:
    """On the page as it told; without that, until its answers were saved."""
    if row.active_seconds is not None:
        return row.active_seconds
    return (row.saved_at - row.shown_at).total_seconds()


def make_due_look(store: Store, *, who: str, now: datetime) -> Look | None:
    """Make the next look if it is due; None where it is not, or somebody else has just made it."""
    state = store.look_state()
    if state is None or not state.is_due:
        return None
    try:
        return _make(store, who=who, now=now, ends_here=False)
    except DataError:
        after = store.look_state()
        if after is None or after == state:
            raise
        return None


def make_last_look(store: Store, *, who: str, now: datetime) -> Look:
    """End a study whose last stage is not complete, with a look at what was reached."""
    state = store.look_state()
    if state is None or state.is_over:
        what = "this study plans no looks." if state is None else state.sentence
        raise DataError(Problem(what, "Nothing was changed."))
    return _make(store, who=who, now=now, ends_here=True)


def _make(store: Store, *, who: str, now: datetime, ends_here: bool) -> Look:
    from rejudge.analysis.look import look  # loads slowly, and the site seldom needs it

    made = look(
        store.study,
        store.plan,
        judgments_of(store),
        log=store.look_log(),
        who=who,
        now=now,
        ends_here=ends_here,
        done={each.batch: each.done for each in store.occupancies()},
    )
    store.record_look(made, now=now)
    return made
