"""Open the store of a study, and read out of it for analysis: judgments, and who visited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.collect import COMMENT, EXIT, PRACTICE
from rejudge.design import Plan
from rejudge.judgments import Judgments, tabulate
from rejudge.store import copies
from rejudge.store.copies import STARTING, migrate, refuse_without_tables
from rejudge.store.database import Database
from rejudge.store.records import AnswerRow, EventRow
from rejudge.store.registering import known, register
from rejudge.store.store import Store
from rejudge.study import Study

if TYPE_CHECKING:
    from rejudge.analysis import Page, Visitor
    from rejudge.store.store import Store


def open_store(
    url: str, study: Study, plan: Plan, *, now: datetime, is_rehearsal: bool = False
) -> Store:
    """Open the database of a study, and make it where there is none.

    `url`: an address as SQLAlchemy takes it, or the path of an SQLite file. DataError when the
    database holds answers to another plan of this study, or those of a rehearsal where this is
    none.
    """
    database = Database(url, is_durable=not is_rehearsal)
    try:
        migrate(database)
        with database.writing() as transaction:
            if not database.is_sqlite:
                # Several processes may start at once, beside others that serve. A lock of the
                # table would be taken after their lock of the row, and before their next change.
                transaction.plain(f"SELECT pg_advisory_xact_lock({STARTING})")
            found = register(transaction, study, plan, now=now, is_rehearsal=is_rehearsal)
    except BaseException:
        database.close()
        raise
    return Store(database, found)


def open_existing(url: str, study: Study, plan: Plan) -> Store:
    """Open a database that must be there and know the study; older tables become current."""
    database = Database(url)
    try:
        refuse_without_tables(database)
        migrate(database)
        with database.reading() as transaction:
            found = known(transaction, study, plan)
    except BaseException:
        database.close()
        raise
    return Store(database, found)


def restore(path: str | Path, url: str) -> str:
    """Put a backup into a database that does not know its study; gives the id of the study."""
    return copies.restore(Path(path), url)


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


_START = datetime(1970, 1, 1, tzinfo=UTC)  # nobody is here now, and nobody is asked for


def visitors_of(store: Store) -> tuple[Visitor, ...]:
    """Everybody who came, under their pseudonyms, with what they wrote."""
    from rejudge.analysis import Visitor  # loads slowly, and the site needs none of it

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
            seconds=_on_pages(moments[person.participant], _added_up(shown[person.participant])),
        )
        for person in store.people(now=_START)
    )


def _first_moments(events: Iterable[EventRow]) -> dict[str, dict[str, datetime]]:
    """When each person first came past each page; of arrivals, the last before they agreed."""
    found: dict[str, dict[str, datetime]] = defaultdict(dict)
    for event in events:
        own = found[event.participant]
        if event.what not in own or (event.what == "arrived" and "consented" not in own):
            own[event.what] = event.at
    return found


def _added_up(showings: Mapping[tuple[str, datetime], float]) -> dict[str, float]:
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
