"""rejudge look: make a planned look at the results of a study, if it is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome, render_table
from rejudge.cli.folders import (
    COMMAND_LINE,
    database_of,
    database_option,
    read_look_log,
    were_rehearsed,
    write_look_log,
)
from rejudge.english import count
from rejudge.errors import DataError, Problem, RejudgeError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.collect.looks import Look, LookLog, LookState
    from rejudge.design.plan import Plan
    from rejudge.study.model import Study


@click.command("look")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--end",
    "ends_here",
    is_flag=True,
    help="End the study now, before its last stage is complete, with a final look.",
)
@click.option(
    "--as",
    "who",
    metavar="NAME",
    default=COMMAND_LINE,
    show_default=True,
    help="Name of the person who looks, for the log.",
)
@database_option
@print_outcome
def command(folder: Path, *, ends_here: bool, who: str, database: str | None) -> Outcome:
    """Show the planned looks of STUDY, and make the next one if it is due.

    A look is due when all places of its stage are done. It computes the comparison that `stop`
    names, once, and either stops the study or opens the next stage. Writes looks.json. A running
    site makes its looks automatically.
    """
    from rejudge.files.disk import locked
    from rejudge.files.step_files import open_plan

    study, plan = open_plan(folder)
    if study.spec.stop is None:
        what = "this study has no planned looks at its results."
        remedy = "Plan them with `stop:` in study.yaml, before the study is frozen."
        raise UsageError(Problem(what, remedy, file=str(folder / "study.yaml"), field="stop"))
    place = database_of(folder, database)
    is_stored = database is not None or Path(place).exists()
    problems: list[str] = []  # after the look was made and logged
    with locked(folder):
        if is_stored:
            made, log, state = _in_store(place, study, plan, who=who, ends_here=ends_here)
        else:
            made, log, state = _in_file(folder, study, plan, who=who, ends_here=ends_here)
        written: list[str] = []
        try:
            written += [write_look_log(folder, plan, log)] if log.looks or log.peeks else []
        except RejudgeError as error:
            if not is_stored:
                raise
            problems.append(f"The database has the log, but looks.json is not up to date: {error}")
    after = None
    if made is not None:
        try:
            after = _tell_platform(folder, study, plan, made, database=database)
        except RejudgeError as error:
            problems.append(f"The platform could not be told of the look: {error}")
    shown = _Shown(made, log, state, after, tuple(written), tuple(problems))
    return Outcome(_json(shown), tuple(_render(study, shown)), has_problems=bool(problems))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is printed."""

    made: Look | None
    log: LookLog
    state: LookState
    after: str | None  # what was done on the platform, or is left to do there
    written: tuple[str, ...]
    problems: tuple[str, ...]  # what went wrong after the look was made


def _in_store(
    place: str, study: Study, plan: Plan, *, who: str, ends_here: bool
) -> tuple[Look | None, LookLog, LookState]:
    from rejudge.store.analysis_input import make_due_look, make_last_look
    from rejudge.store.store import open_existing

    now = datetime.now(UTC)
    store = open_existing(place, study, plan)
    try:
        store.expire(now=now)
        make = make_last_look if ends_here else make_due_look
        made = make(store, who=who, now=now)
        state = store.look_state()
        if state is None:
            raise AssertionError(study.spec.id)  # it plans looks
        return made, store.look_log(), state
    finally:
        store.close()


def _in_file(
    folder: Path, study: Study, plan: Plan, *, who: str, ends_here: bool
) -> tuple[Look | None, LookLog, LookState]:
    """For studies whose judgments come from spreadsheets or other tools."""
    from rejudge.analysis.look import look, look_state_of
    from rejudge.collect.looks import LookLog, look_state
    from rejudge.files.step_files import JUDGMENTS, read_judgments

    if not (folder / JUDGMENTS).exists():
        if ends_here:
            raise DataError(Problem("no judgments have been collected.", "Nothing was changed."))
        log = read_look_log(folder, study, plan, database=None) or LookLog()
        state = look_state(study, plan, {}, log)
        if state is None:
            raise AssertionError(study.spec.id)  # it plans looks
        return None, log, state
    judgments = read_judgments(folder, plan)
    is_rehearsed = were_rehearsed(folder, study, plan, judgments)
    if is_rehearsed and ends_here:
        what = "the judgments come from a rehearsal, which has made its own looks."
        raise DataError(Problem(what, "Leave out --end. Nothing was changed."))
    log = read_look_log(folder, study, plan, database=None, simulated=is_rehearsed) or LookLog()
    state = look_state_of(study, plan, judgments, log)
    made = None
    if (state.is_due or ends_here) and not is_rehearsed:
        made = look(
            study,
            plan,
            judgments,
            log=log,
            who=who,
            now=datetime.now(UTC),
            ends_here=ends_here,
        )
        log = log.with_look(made)
        state = look_state_of(study, plan, judgments, log)
    return made, log, state


def _tell_platform(
    folder: Path, study: Study, plan: Plan, look: Look, *, database: str | None
) -> str | None:
    """What was done on the platform, or cannot be done from here; None where it need not know."""
    from rejudge.platforms import platform
    from rejudge.store.store import open_existing
    from rejudge.web.looks import LookFollower
    from rejudge.web.recruiting import open_recruiting

    place = database_of(folder, database)
    if platform(study.spec.recruitment.platform).service is None:
        return None
    if database is None and not Path(place).exists():
        return None
    store = open_existing(place, study, plan)
    try:
        service: object = open_recruiting(folder, store, now=lambda: datetime.now(UTC), base_url="")
        if not isinstance(service, LookFollower):
            return None
        done = service.follow_look(look)
    finally:
        store.close()
    return f"{done[:1].upper()}{done[1:]}."


def _json(shown: _Shown) -> dict[str, Any]:  # JSON of several shapes
    state = shown.state
    return {
        "made": None if shown.made is None else asdict(shown.made),
        "next": None
        if state.is_over
        else {
            "look": state.number,
            "looks": state.stages.looks,
            "is_due": state.is_due,
            "done": state.done,
            "due_at": state.open,
            "planned": state.planned,
            "batches": _open_batches(state),
        },
        "is_over": state.is_over,
        "looks": [asdict(each) for each in shown.log.looks],
        "peeks": [asdict(each) for each in shown.log.peeks],
        "platform": shown.after,
        "written": list(shown.written),
        "problems": list(shown.problems),
    }


def _open_batches(state: LookState) -> dict[str, int]:
    """The batches of the open stage and how many participants do each."""
    opened = state.stages.open_places[state.number - 1]
    return {batch: number for batch, number in opened.items() if number}


def _render(study: Study, shown: _Shown) -> Iterator[RenderableType]:
    from rich.text import Text

    from rejudge.tables.looks import look_sentence, look_table, stop_sentence

    labels = {system.id: system.label for system in study.spec.systems}
    state, log = shown.state, shown.log
    if study.spec.stop is not None:
        yield Text(stop_sentence(study.spec.stop, state.stages.places))
    if shown.made is not None:
        yield Text(look_sentence(shown.made, labels), "bold")
    if log.looks:
        yield render_table(look_table(log, labels), corner="look")
    if state.is_over:
        yield Text("All looks are done. Run `rejudge analyse` and `rejudge report`.")
    else:
        yield Text(state.sentence)
        batches = _open_batches(state)
        if len(batches) < len(state.stages.open_places[-1]):
            yield Text(f"Open now: {', '.join(batches)}.", "dim")
    if log.peeks:
        seen = count(len(log.peeks), "time")
        words = f"The results were also analysed {seen} between looks; the report will mention it."
        yield Text(words, "yellow")
    yield from _render_after(shown)


def _render_after(shown: _Shown) -> Iterator[RenderableType]:
    """What followed from the look."""
    from rich.text import Text

    if shown.after is not None:
        yield Text(shown.after)
    for problem in shown.problems:
        yield Text(problem, "red")
