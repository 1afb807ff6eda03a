"""What commands read and keep in the folder of a study: study, plan, database, judgments, looks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rejudge.english import count, span
from rejudge.errors import DataError, FileError, Problem, RejudgeError, UsageError

if TYPE_CHECKING:
    from rejudge.analysis.details import Visitor
    from rejudge.analysis.results import Results
    from rejudge.collect.looks import LookLog
    from rejudge.design.plan import Plan
    from rejudge.judgments.table import Judgments
    from rejudge.store.store import Store
    from rejudge.study.model import Study

F = TypeVar("F", bound=Callable[..., Any])  # any command's function
COMMAND_LINE = "command line"
DATABASE_RECORD = "database.txt"  # the address of the database, where it is not study.db


def read_plan(folder: Path) -> tuple[Study, Plan]:
    """The study of a folder and the plan that belongs to it."""
    from rejudge.files.step_files import open_plan

    return open_plan(folder)


def collect_judgments(
    folder: Path, study: Study, plan: Plan, database: str | None, *, force: bool
) -> Judgments:
    """The judgments of a study: from its database if it was served, or else from judgments.csv.

    From a database judgments.csv is rewritten, so that the two never differ.
    """
    from rejudge.files.step_files import JUDGMENTS, read_judgments, write

    address = answers_database(folder, database)
    if address is None:
        return read_judgments(folder, plan)
    judgments = _stored_judgments(address, study, plan)
    made_from = {"plan": plan.fingerprint}
    is_ours = force or holds_site_judgments(folder / JUDGMENTS)
    write(judgments, folder / JUDGMENTS, made_from=made_from, force=is_ours)
    return judgments


def collect_judgments_if_any(
    folder: Path, study: Study, plan: Plan, database: str | None
) -> Judgments | None:
    """The same; None where nobody has judged yet."""
    from rejudge.files.step_files import JUDGMENTS, RESULTS

    places = (folder / JUDGMENTS, folder / RESULTS)
    if answers_database(folder, database) is None and not any(map(Path.exists, places)):
        return None
    return collect_judgments(folder, study, plan, database, force=False)


def collect_pilot_judgments(folder: Path) -> tuple[Study, Plan, Judgments]:
    """A study with its judgments, from its database or from judgments.csv; nothing is written."""
    from rejudge.files.step_files import DATABASE, read_judgments

    study, plan = read_plan(folder)
    if (folder / DATABASE).exists() and recorded_database(folder) is None:
        return study, plan, _stored_judgments(str(folder / DATABASE), study, plan)
    return study, plan, read_judgments(folder, plan)


def collect_visitors(
    folder: Path, study: Study, plan: Plan, *, database: str | None, judgments: Judgments
) -> tuple[Visitor, ...]:
    """What the site recorded of participants beside their judgments; nothing without a database.

    A rehearsal's records belong to its own judgments alone.
    """
    from rejudge.files.step_files import REHEARSAL

    address = answers_database(folder, database)
    if address is not None:
        found = _visitors(address, study, plan)
        return _with_demographics(folder, found)
    if not were_rehearsed(folder, study, plan, judgments):
        return ()
    return _visitors(str(folder / REHEARSAL), study, plan)


def were_rehearsed(folder: Path, study: Study, plan: Plan, judgments: Judgments) -> bool:
    """Whether judgments came from the rehearsal whose database is in the folder.

    Others may have replaced them since, by participants of the same names.
    """
    from rejudge.files.step_files import REHEARSAL

    if judgments.simulated < len(judgments) or not (folder / REHEARSAL).exists():
        return False
    try:
        stored = _stored_judgments(str(folder / REHEARSAL), study, plan)
    except RejudgeError:  # of another plan, or of another version: a rehearsal is no record
        return False
    return _answers_in(judgments) <= _answers_in(stored)


def _answers_in(judgments: Judgments) -> set[tuple[object, ...]]:
    columns = (judgments.participant, judgments.task, judgments.question, judgments.system)
    words = (column.words() for column in columns)
    return set(zip(*words, judgments.segment.tolist(), judgments.value.tolist(), strict=True))


def _with_demographics(folder: Path, visitors: tuple[Visitor, ...]) -> tuple[Visitor, ...]:
    """The visitors with what they told the platform, where that was fetched."""
    from dataclasses import replace

    from rejudge.platforms import DEMOGRAPHICS, read_demographics

    path = folder / DEMOGRAPHICS
    if not path.exists():
        return visitors
    told = read_demographics(path)
    return tuple(replace(each, told_platform=told.get(each.participant, {})) for each in visitors)


def _visitors(database: str, study: Study, plan: Plan) -> tuple[Visitor, ...]:
    from rejudge.store.analysis_input import visitors_of
    from rejudge.store.store import open_existing

    store = open_existing(database, study, plan)
    try:
        return visitors_of(store)
    finally:
        store.close()


def _stored_judgments(database: str, study: Study, plan: Plan) -> Judgments:
    from rejudge.store.analysis_input import judgments_of
    from rejudge.store.store import open_existing

    store = open_existing(database, study, plan)
    try:
        judgments = judgments_of(store)
    finally:
        store.close()
    if not len(judgments):
        raise DataError(
            Problem(
                "nobody has answered yet.",
                "Wait for participants, or try the study with a rehearsal.",
            )
        )
    return judgments


def holds_site_judgments(path: Path) -> bool:
    """Whether a table contains only judgments that the site stored or that were simulated."""
    from rejudge.files.step_files import read
    from rejudge.judgments.table import Judgments

    if not path.exists():
        return True
    there = read(Judgments, path)
    simulated = there.origin.codes == there.origin.code("simulated")
    return bool(((there.state.codes >= 0) | simulated).all())


def refuse_to_replace_people(folder: Path) -> None:
    """Refuse to replace judgments by people with simulated ones, even with --force."""
    from rejudge.files.step_files import DATABASE, JUDGMENTS, read
    from rejudge.judgments.table import Judgments

    path = folder / JUDGMENTS
    for name in (DATABASE, DATABASE_RECORD):
        if (folder / name).exists():
            what = f"{folder / name} exists: this study has been run with participants."
            raise UsageError(Problem(what, "Simulate in a copy of the folder, without it."))
    if not path.exists():
        return
    there = read(Judgments, path)
    if there.simulated < len(there):
        what = f"{path} contains judgments by real participants."
        raise UsageError(Problem(what, "Simulate in a copy of the folder."))


def refuse_to_repeat(folder: Path, *, force: bool) -> None:
    """Refuse to rehearse over an earlier rehearsal, before anything of it is changed."""
    from rejudge.files.step_files import JUDGMENTS

    path = folder / JUDGMENTS
    refuse_to_replace_people(folder)
    if path.exists() and not force:
        raise FileError(Problem("this file exists.", "Use --force to replace it.", file=str(path)))


def read_results(folder: Path, study: Study, plan: Plan) -> Results:
    """The results of a folder, which must match its current files."""
    from rejudge.files import step_files

    return step_files.read_results(folder, study, plan)


def selection_json(plan: Plan) -> dict[str, object] | None:
    """How inputs were selected, as JSON; None where no method is named."""
    selection = plan.selection
    if selection is None:
        return None
    known = [each.probability for each in selection.selected if each.probability is not None]
    effective, effect = selection.effective_inputs, selection.design_effect
    return {
        "method": selection.method,
        "column": selection.column,
        "allocation": selection.allocation,
        "inputs": selection.inputs,
        "selected": len(selection.selected),
        "certain": selection.certain,
        "impossible": selection.impossible,
        "lowest_probability": min(known, default=None),
        "highest_probability": max(known, default=None),
        "effective_inputs": None if effective is None else round(effective, 3),
        "design_effect": None if effect is None else round(effect, 6),
    }


def plan_size(plan: Plan) -> str:
    """Such as `60 batches × 32 tasks × 3 participants = 180 places`."""
    tasks = span([len(batch.tasks) for batch in plan.main], "task")
    people = span([batch.participants for batch in plan.main], "participant")
    places = count(plan.places, "place")
    return f"{count(len(plan.main), 'batch')} × {tasks} × {people} = {places}"


def database_option(function: F) -> F:
    """Give a command `--database`."""
    option = click.option(
        "--database",
        metavar="URL",
        envvar="REJUDGE_DATABASE",
        help="Database with the answers, a file or postgresql://….  [default: study.db in STUDY]",
    )
    return option(function)


def database_of(folder: Path, given: str | None) -> str:
    """The address of the database, as the store expects it; study.db while nothing is elsewhere."""
    from rejudge.files.step_files import DATABASE

    if given:
        return given
    elsewhere = recorded_database(folder)
    if elsewhere is not None:
        raise UsageError(
            Problem(
                f"the answers of this study are in {elsewhere}, not in {DATABASE}.",
                "Set REJUDGE_DATABASE or give --database, as when it was served. If that is no "
                "longer so, delete this file.",
                file=str(folder / DATABASE_RECORD),
            )
        )
    return str(folder / DATABASE)


def answers_database(folder: Path, given: str | None) -> str | None:
    """The address of a database with answers; None where there is none yet."""
    address = database_of(folder, given)
    return address if given or Path(address).exists() else None


def recorded_database(folder: Path) -> str | None:
    """The database that was last used instead of study.db; None where there was none."""
    try:
        return (folder / DATABASE_RECORD).read_text("utf-8").strip() or None
    except FileNotFoundError:
        return None


def note_database(folder: Path, given: str | None) -> None:
    """Record where the answers are, so that no later command takes an old study.db for them."""
    from rejudge.files.disk import write_bytes
    from rejudge.files.step_files import DATABASE
    from rejudge.store.database import hide_password

    if not given:
        return
    address = hide_password(given)
    if address == str((folder / DATABASE).absolute()):
        (folder / DATABASE_RECORD).unlink(missing_ok=True)
    elif address != recorded_database(folder):
        with suppress(FileError, OSError):  # people are served where the folder is read-only too
            write_bytes(folder / DATABASE_RECORD, f"{address}\n".encode(), force=True)


def open_existing_store(folder: Path, given: str | None) -> tuple[Study, Plan, Store]:
    """Open the store of a study that has been served before; nothing is created."""
    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_existing

    study, plan = open_plan(folder)
    url = database_of(folder, given)
    if given is None and not Path(url).exists():
        what = "no data have been collected yet: there is no study.db."
        remedy = f"Start the site with `rejudge serve {folder}`, or name a --database."
        raise FileError(Problem(what, remedy, file=url))
    return study, plan, open_existing(url, study, plan)


def read_look_log(
    folder: Path, study: Study, plan: Plan, *, database: str | None, simulated: bool = False
) -> LookLog | None:
    """The log of a study's looks: of its database, else looks.json; None where there is none.

    `simulated`: the judgments come from a rehearsal, whose database then has the log.
    """
    from rejudge.files.step_files import REHEARSAL, read_looks
    from rejudge.store.store import open_existing

    if study.spec.stop is None:
        return None
    rehearsed = folder / REHEARSAL
    if simulated and database is None:
        address = str(rehearsed) if rehearsed.exists() else None
    else:
        address = answers_database(folder, database)
    if address is None:
        return read_looks(folder, plan)
    store = open_existing(address, study, plan)
    try:
        return store.look_log()
    finally:
        store.close()


def write_look_log(folder: Path, plan: Plan, log: LookLog) -> str:
    """Write looks.json; the path."""
    from rejudge.files.step_files import LOOKS, write

    write(log, folder / LOOKS, made_from={"plan": plan.fingerprint}, force=True)
    return str(folder / LOOKS)


def log_of_analysis(
    folder: Path, study: Study, plan: Plan, judgments: Judgments, *, database: str | None
) -> LookLog | None:
    """The log for an analysis. If the study is not over, that it was analysed is logged first."""
    from rejudge.files.disk import locked

    with locked(folder):
        return _log_of_analysis(folder, study, plan, judgments, database=database)


def _log_of_analysis(
    folder: Path, study: Study, plan: Plan, judgments: Judgments, *, database: str | None
) -> LookLog | None:
    from rejudge.analysis.look import look_state_of
    from rejudge.collect.looks import LookLog, Peek
    from rejudge.store.store import open_existing

    is_simulated = judgments.simulated == len(judgments)
    is_rehearsed = study.spec.stop is not None and were_rehearsed(folder, study, plan, judgments)
    log = read_look_log(folder, study, plan, database=database, simulated=is_rehearsed)
    if study.spec.stop is None or is_simulated or (log is not None and log.is_over):
        return log
    now = datetime.now(UTC)
    state = look_state_of(study, plan, judgments, log or LookLog())
    address = answers_database(folder, database)
    if address is not None:
        store = open_existing(address, study, plan)
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
