"""looks.json: the log of planned looks beside a study, and of analyses in between."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejudge.collect import LookLog
    from rejudge.design import Plan
    from rejudge.judgments import Judgments
    from rejudge.study import Study

COMMAND_LINE = "command line"


def read_look_log(
    folder: Path, study: Study, plan: Plan, *, database: str | None, simulated: bool = False
) -> LookLog | None:
    """The log of a study's looks: of its database, else looks.json; None where there is none.

    `simulated`: the judgments come from a rehearsal, whose database then has the log.
    """
    from rejudge.collect import LookLog
    from rejudge.files import DATABASE, LOOKS, REHEARSAL, read
    from rejudge.store import open_existing

    if study.spec.stop is None:
        return None
    place = folder / (REHEARSAL if simulated else DATABASE)
    if database is None and not place.exists():
        return read(LookLog, folder / LOOKS) if (folder / LOOKS).exists() else None
    store = open_existing(database or str(place), study, plan)
    try:
        return store.look_log()
    finally:
        store.close()


def write_look_log(folder: Path, plan: Plan, log: LookLog) -> str:
    """Write looks.json; the path."""
    from rejudge.files import LOOKS, write

    write(log, folder / LOOKS, made_from={"plan": plan.fingerprint}, force=True)
    return str(folder / LOOKS)


def log_of_analysis(
    folder: Path, study: Study, plan: Plan, judgments: Judgments, *, database: str | None
) -> LookLog | None:
    """The log for an analysis. If the study is not over, that it was analysed is logged first."""
    from rejudge.analysis import look_state_of
    from rejudge.collect import LookLog, Peek
    from rejudge.files import DATABASE
    from rejudge.store import open_existing

    is_simulated = judgments.simulated == len(judgments)
    log = read_look_log(folder, study, plan, database=database, simulated=is_simulated)
    if study.spec.stop is None or is_simulated or (log is not None and log.is_over):
        return log
    now = datetime.now(UTC)
    state = look_state_of(study, plan, judgments, log or LookLog())
    if database is not None or (folder / DATABASE).exists():
        store = open_existing(database or str(folder / DATABASE), study, plan)
        try:
            store.note_peek(who=COMMAND_LINE, now=now)
            log = store.look_log()
        finally:
            store.close()
    elif log is None and state.total >= state.planned:
        return None  # complete, and nobody kept a log: the results say so
    else:
        peek = Peek(now, COMMAND_LINE, state.total, state.planned)
        log = (log or LookLog()).with_peek(peek)
    write_look_log(folder, plan, log)
    return log
