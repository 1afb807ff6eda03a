"""rejudge status: the progress of a running study, in the terminal."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_option, open_existing_store
from rejudge.english import count, verb

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.collect.looks import LookState
    from rejudge.collect.visit import CalibrationGate
    from rejudge.design.pay import Earnings, Quote
    from rejudge.design.plan import Plan
    from rejudge.findings.model import Finding
    from rejudge.judgments.answers import CheckCount
    from rejudge.store.records import BatchPace, ParticipantStatus, Progress
    from rejudge.store.store import Store
    from rejudge.study.model import Study

_SHOWN = 20  # people; --all shows the others


@dataclass(frozen=True, slots=True)
class _StudyStatus:
    """Everything that is shown about a running study."""

    progress: Progress
    people: tuple[ParticipantStatus, ...]
    minutes: float | None  # of finished batches, the median
    quote: Quote
    earned: Earnings | None
    checks: tuple[CheckCount, ...]
    monitored: tuple[Finding, ...]  # agreement and first-position bias; never which system leads
    gate: CalibrationGate | None  # None: nobody is held back after calibration
    looks: LookState | None  # None: no looks are planned


@click.command("status")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@database_option
@click.option(
    "--all", "everybody", is_flag=True, help="List all participants, not only the last 20."
)
@print_outcome
def command(folder: Path, *, database: str | None, everybody: bool) -> Outcome:
    """Show progress, pay, checks and agreement of STUDY."""
    study, plan, store = open_existing_store(folder, database)
    try:
        standing = _read_status(study, plan, store)
    finally:
        store.close()
    return Outcome(_json(standing), _render(study, standing, everybody=everybody))


def _read_status(study: Study, plan: Plan, store: Store) -> _StudyStatus:
    from rejudge.analysis.monitoring import monitor
    from rejudge.collect.assignment import earned_by_clock
    from rejudge.design.duration import ReadingFloor
    from rejudge.design.pay import quote_price
    from rejudge.judgments.answers import check_counts
    from rejudge.judgments.exclusions import find_fast_batches
    from rejudge.store.analysis_input import judgments_of

    now = datetime.now(UTC)
    paces, people = store.paces(), store.people(now=now)
    judgments = judgments_of(store)
    hasty = {each.participant for each in find_fast_batches(judgments, ReadingFloor(study, plan))}
    people = tuple(
        replace(each, flags=(*each.flags, "faster-than-reading"))
        if each.participant in hasty
        else each
        for each in people
    )
    quoted = quote_price(study, plan, on=store.registered_on)
    return _StudyStatus(
        progress=store.progress(now=now),
        people=people,
        minutes=median(_minutes(pace) for pace in paces) if paces else None,
        quote=quoted,
        earned=earned_by_clock(quoted, plan, people),
        checks=check_counts(study, plan, judgments) if len(judgments) else (),
        monitored=monitor(study, plan, judgments).findings if paces else (),
        gate=store.gate(),
        looks=store.look_state(),
    )


def _minutes(pace: BatchPace) -> float:
    """Active time; if the pages did not record it, the time from claim to submission."""
    return pace.wall_minutes if pace.active_minutes is None else pace.active_minutes


def _json(standing: _StudyStatus) -> dict[str, Any]:  # JSON of several shapes
    progress, paid = standing.progress, standing.earned
    return {
        "progress": {
            **asdict(progress),
            "first_arrival_at": _moment(progress.first_arrival_at),
            "last_submission_at": _moment(progress.last_submission_at),
        },
        "calibration": None
        if standing.gate is None
        else {
            "is_open": standing.gate.is_open,
            "at": _moment(standing.gate.at),
            "who": standing.gate.who,
            "reason": standing.gate.reason,
            "waiting": _waiting(standing),
        },
        "looks": None
        if standing.looks is None
        else {
            "look": standing.looks.number,
            "looks": standing.looks.stages.looks,
            "done": standing.looks.done,
            "due_at": standing.looks.open,
            "is_due": standing.looks.is_due,
            "is_over": standing.looks.is_over,
        },
        "minutes_median": standing.minutes,
        "pay": None
        if paid is None
        else {
            "currency": paid.currency,
            "hourly": str(paid.hourly),
            "promised": None if paid.promised is None else str(paid.promised),
            "top_up": None if paid.top_up is None else str(paid.top_up),
        },
        "checks": [asdict(check) for check in standing.checks],
        "agreement": [
            {"id": f.id, "value": f.value, "n": f.n, "note": f.note} for f in standing.monitored
        ],
        "people": [
            {
                "participant": p.participant,
                "step": p.step,
                "batch": p.batch,
                "answered": p.answered,
                "tasks": p.tasks,
                "statuses": dict(p.statuses),
                "active_minutes": round(p.active_minutes, 1),
                "failed_checks": p.failed_checks,
                "flags": list(p.flags),
                "is_now": p.is_now,
            }
            for p in standing.people
        ],
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def _render(study: Study, standing: _StudyStatus, *, everybody: bool) -> tuple[RenderableType, ...]:
    from rich.text import Text

    progress = standing.progress
    done = f"{progress.done} of {progress.places} places done, {progress.held} in progress"
    return (
        Text(f"{study.spec.title}: {progress.state}, {done}", "bold"),
        Text(
            f"{count(progress.participants, 'participant')}: {progress.people_now} now, "
            f"{progress.finished_people} finished, {progress.declined} declined, "
            f"{_screened(progress)}"
            f"{progress.turned_away} turned away, {progress.withdrawn} withdrawn."
        ),
        *_qualification(study, progress),
        *map(Text, _lines(standing)),
        Text(),
        _table(standing.people if everybody else standing.people[-_SHOWN:]),
        *_more(standing, everybody=everybody),
    )


def _qualification(study: Study, progress: Progress) -> tuple[RenderableType, ...]:
    from rich.text import Text

    if study.spec.qualification is None:
        return ()
    return (
        Text(
            f"Qualification: {progress.qualifying} in progress, {progress.not_qualified} did not "
            "pass "
            "and are paid for it."
        ),
    )


def _screened(progress: Progress) -> str:
    """How many were screened out, where that is possible."""
    return f"{progress.screened_out} screened out, " if progress.screened_out else ""


def _lines(standing: _StudyStatus) -> list[str]:
    """Calibration, time, pay, checks and agreement, a line each."""
    lines = [] if standing.gate is None else [_gate(standing.gate, _waiting(standing))]
    if standing.looks is not None:
        lines.append(standing.looks.sentence)
    if standing.minutes is not None:
        lines.append(f"A batch takes {standing.minutes:.1f} minutes (median).")
    if standing.earned is not None:
        lines.append(_pay(standing.earned))
    lines += [
        f"Check '{check.check}': {check.failed} of {check.answered} failed."
        for check in standing.checks
    ]
    for finding in standing.monitored:
        value = "undefined" if finding.value is None else f"{finding.value:.3g}"
        span = finding.interval
        interval = f" [{span.low:.3g}, {span.high:.3g}]" if span is not None else ""
        lines.append(f"{finding.id}: {value}{interval} (n = {finding.n} {finding.n_of})")
    return lines


def _waiting(standing: _StudyStatus) -> int:
    return sum(person.step == "waiting" for person in standing.people)


def _gate(gate: CalibrationGate, waiting: int) -> str:
    people = f"{count(waiting, 'person')} {verb(waiting, 'is', 'are')} waiting"
    if gate.at is None:
        return f"The tasks after calibration are not open yet; {people}."
    since = f"by {gate.who} on {gate.at:%Y-%m-%d %H:%M} UTC"
    because = f" ({gate.reason})" if gate.reason else ""
    if gate.is_open:
        return f"The tasks after calibration were opened {since}{because}."
    return f"The tasks after calibration were held back {since}{because}; {people}."


def _pay(paid: Earnings) -> str:
    line = f"Hourly pay: {paid.hourly} {paid.currency}"
    if paid.promised is not None:
        line += f"; promised {paid.promised}"
    return f"{line}; {paid.top_up} per person is owed." if paid.top_up is not None else f"{line}."


def _table(people: tuple[ParticipantStatus, ...]) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("who", "where", "batch", "state"):
        table.add_column(head)
    for head in ("minutes", "failed"):
        table.add_column(head, justify="right")
    table.add_column("flags")
    for person in people:
        where = person.step
        if person.step == "task":
            where = f"task {person.answered} of {person.tasks}"  # type: ignore[assignment]  # words
        table.add_row(
            person.participant,
            where,
            person.batch or "",
            person.statuses.get(person.batch or "", ""),
            f"{person.active_minutes:.1f}",
            str(person.failed_checks),
            ", ".join(person.flags),
        )
    return table


def _more(standing: _StudyStatus, *, everybody: bool) -> tuple[RenderableType, ...]:
    from rich.text import Text

    left = len(standing.people) - _SHOWN
    if everybody or left <= 0:
        return ()
    return (Text(f"… and {left} who came earlier; --all lists everyone.", "dim"),)
