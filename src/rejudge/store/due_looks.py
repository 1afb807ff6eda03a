"""Making a planned look at a study that is in a database, when it is due."""

from __future__ import annotations

from datetime import datetime

from rejudge.collect import Look
from rejudge.errors import DataError, Problem
from rejudge.store.store import Store, judgments_of


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
    from rejudge.analysis import look  # loads slowly, and the site seldom needs it

    made = look(
        store.study,
        store.plan,
        judgments_of(store),
        log=store.look_log(),
        who=who,
        now=now,
        ends_here=ends_here,
    )
    store.record_look(made, now=now)
    return made
