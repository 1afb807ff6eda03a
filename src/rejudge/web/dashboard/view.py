"""What the overview shows, computed from store and analysis; independent of requests and pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from rejudge.collect.assignment import (
    TAKES_PLACE,
    Assignment,
    Event,
    Occupancy,
    Status,
    earned_by_clock,
    has_finished,
    next_status,
    stint,
)
from rejudge.design.pay import Earnings, Quote, Stint, hourly_earnings, promised_hourly
from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.store.records import ParticipantStatus, State
from rejudge.web.dashboard.figures import TrendPoint, thin, trend

Tone: TypeAlias = Literal["", "ok", "warn", "bad"]
Segment: TypeAlias = Literal["done", "held", "free", "surplus", "excluded"]

SEGMENTS: tuple[Segment, ...] = ("done", "held", "free", "surplus", "excluded")
DECISIONS: tuple[Event, ...] = ("accept", "exclude", "return", "expire")
_SAMPLES = 48  # points of a trend line
_WHERE = {
    "consent": "information and consent",
    "screening": "screening questions",
    "instructions": "instructions",
    "practice": "practice",
    "qualification": "qualification",
    "exit": "exit questions",
    "thanks": "thanks page",
    "declined": "did not consent",
    "screened-out": "screened out",
    "full": "no tasks left",
    "not-qualified": "did not pass the qualification",
    "waiting": "waiting for the rest to be opened",
}
_BEFORE = frozenset(("consent", "screening", "instructions", "practice", "qualification"))
_TONES: Mapping[str, Tone] = {
    "accepted": "ok", "submitted": "ok", "surplus": "warn", "expired": "warn", "away": "warn",
    "excluded": "bad", "returned": "warn",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """What the fast part of the page needs, read at one moment."""

    state: State
    occupancies: tuple[Occupancy, ...]
    people: tuple[ParticipantStatus, ...]
    assignments: tuple[Assignment, ...]
    withdrawn: int
    now: datetime


@dataclass(frozen=True, slots=True)
class Headline:
    """One of the key figures, with its history."""

    id: str
    label: str
    value: str
    detail: str
    trend: str = ""  # path in a square of 100
    tone: Tone = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class BatchCell:
    """One batch: its places, and further work on it."""

    batch: str
    segments: tuple[Segment, ...]
    words: str
    is_complete: bool
    is_calibration: bool


@dataclass(frozen=True, slots=True)
class Overall:
    """All batches together: the number of places by state."""

    counts: tuple[tuple[Segment, int, float], ...]  # with the share of the bar, in percent
    places: int
    complete: int
    batches: int


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One participant in the table."""

    participant: str
    state: str
    tone: Tone
    where: str
    batch: str | None
    active_minutes: float
    wall_minutes: float
    failed_checks: int
    flags: tuple[str, ...]
    is_now: bool
    can_decide: bool


def headlines(standing: StudyStatus, plan: Plan, quote: Quote) -> tuple[Headline, ...]:
    """The key figures at the top."""
    return (
        _done_headline(standing, plan),
        _active_headline(standing, plan),
        _pay_headline(standing, plan, quote),
        _checks_headline(standing),
    )


def _done_headline(standing: StudyStatus, plan: Plan) -> Headline:
    places, done, held = (
        sum(getattr(occupancy, part) for occupancy in _main(standing, plan))
        for part in ("places", "done", "held")
    )
    counted = sorted(
        each.submitted_at
        for each in standing.assignments
        if each.submitted_at is not None
        and each.status in TAKES_PLACE
        and not plan.batch[each.batch].is_calibration
    )
    line = [TrendPoint(moment, number) for number, moment in enumerate(counted, start=1)]
    share = f"{100 * done / places:.0f}\u202f%" if places else "–"
    return Headline(
        "done",
        "places done",
        f"{done:,}\u202f/\u202f{places:,}",
        f"{share}; {held:,} in progress",
        trend(_from_start(line, standing)),
        "ok" if places and done >= places else "",
    )


def _active_headline(standing: StudyStatus, plan: Plan) -> Headline:
    people = standing.people
    finished = sum(stint(person, plan, 0.0).batches > 0 for person in people)
    spans = [(p.arrived_at, standing.now if p.is_now else p.last_seen_at) for p in people]
    withdrawn = f"; {standing.withdrawn:,} withdrew" if standing.withdrawn else ""
    return Headline(
        "people",
        "people active now",
        f"{sum(person.is_now for person in people):,}",
        f"{count(len(people), 'person')} arrived, {finished:,} finished{withdrawn}",
        trend(_active_counts(spans, standing.now)),
    )


def _pay_headline(standing: StudyStatus, plan: Plan, quote: Quote) -> Headline:
    label = "median pay per hour"
    if quote.reward is None or quote.currency is None:
        reason = quote.notes[-1] if quote.notes else "The study states no pay."
        return Headline("pay", label, "–", reason)
    promised = promised_hourly(quote)
    aim = "no rate promised"
    if promised is not None:  # written with as many decimals as are paid
        aim = f"promised {_money(promised.quantize(quote.reward), quote.currency)}"
    finished = sorted(
        (person for person in standing.people if has_finished(person)),
        key=lambda person: person.last_seen_at,
    )
    by_clock = [stint(person, plan, person.wall_minutes) for person in finished]
    found = earned_by_clock(quote, plan, standing.people)
    if found is None:
        return Headline("pay", label, "–", f"{aim}; nobody has finished yet")
    active = hourly_earnings(
        quote, [stint(person, plan, person.active_minutes) for person in finished]
    )
    line = _running_pay(quote, finished, by_clock)
    rest = (
        ""
        if active is None
        else f"; counting only task pages {_money(active.hourly, found.currency)}"
    )
    return Headline(
        "pay",
        label,
        _money(found.hourly, found.currency),
        f"{aim}{rest}",
        trend(line),
        "ok" if found.top_up is None else "bad",
        _top_up_warning(found),
    )


def _top_up_warning(found: Earnings) -> str:
    if found.top_up is None:
        return ""
    return f"Below the promised rate. Top up each reward by {_money(found.top_up, found.currency)}."


def _checks_headline(standing: StudyStatus) -> Headline:
    """Failed checks, counted at submission, so that unfinished batches do not count yet."""
    graded = sorted(
        (each.submitted_at, each.failed_checks)
        for each in standing.assignments
        if each.submitted_at is not None and each.failed_checks is not None
    )
    total, line = 0, []
    for moment, failed in graded:
        total += failed
        line.append(TrendPoint(moment, total))
    people = {each.participant for each in standing.assignments if each.failed_checks}
    whose = f"by {count(len(people), 'person')}" if people else "none"
    detail = f"{whose} in {count(len(graded), 'batch')} submitted"
    return Headline(
        "checks",
        "failed checks",
        f"{total:,}",
        detail if graded else "nothing submitted yet",
        trend(_from_start(line, standing)),
        "warn" if total else "",
    )


def _running_pay(
    quote: Quote, people: Sequence[ParticipantStatus], stints: Sequence[Stint]
) -> list[TrendPoint]:
    """The history of the hourly rate; a dozen points are enough for a short line."""
    step = max(1, len(people) // 12)
    numbers = sorted({*range(step, len(people), step), len(people)})
    line = []
    for number in numbers:
        found = hourly_earnings(quote, stints[:number])
        if found is not None:
            line.append(TrendPoint(people[number - 1].last_seen_at, float(found.hourly)))
    return line


def cells(standing: StudyStatus, plan: Plan) -> tuple[BatchCell, ...]:
    """Every batch with a segment for each place and for each further piece of work."""
    beside: dict[str, Counter[Status]] = {}
    for each in standing.assignments:
        beside.setdefault(each.batch, Counter())[each.status] += 1
    return tuple(
        _cell(occupancy, beside.get(occupancy.batch, Counter()), plan)
        for occupancy in standing.occupancies
    )


def _cell(occupancy: Occupancy, states: Counter[Status], plan: Plan) -> BatchCell:
    is_calibration = plan.batch[occupancy.batch].is_calibration
    free = 0 if is_calibration else max(0, occupancy.places - occupancy.done - occupancy.held)
    counts: dict[Segment, int] = {
        "done": occupancy.done,
        "held": occupancy.held,
        "free": free,
        "surplus": states["surplus"],
        "excluded": states["excluded"],
    }
    words = ", ".join(f"{counts[kind]} {kind}" for kind in SEGMENTS if counts[kind])
    return BatchCell(
        occupancy.batch,
        tuple(kind for kind in SEGMENTS for _ in range(counts[kind])),
        words or ("nothing yet" if occupancy.places else "opens after a look"),
        not is_calibration and 0 < occupancy.places <= occupancy.done,
        is_calibration,
    )


def overall(shown: Sequence[BatchCell], standing: StudyStatus, plan: Plan) -> Overall:
    """The places of all batches except calibration, by state."""
    main = [cell for cell in shown if not cell.is_calibration]
    counted = Counter(segment for cell in main for segment in cell.segments)
    whole = max(1, counted.total())
    return Overall(
        tuple((kind, counted[kind], 100 * counted[kind] / whole) for kind in SEGMENTS),
        sum(occupancy.places for occupancy in _main(standing, plan)),
        sum(cell.is_complete for cell in main),
        len(main),
    )


def rows(
    people: Iterable[ParticipantStatus], flags: Mapping[str, Iterable[str]] | None = None
) -> tuple[PersonRow, ...]:
    """The table of participants: active ones first, then by last activity."""
    extra = flags or {}
    ordered = sorted(people, key=lambda person: (person.is_now, person.last_seen_at), reverse=True)
    return tuple(row(person, extra.get(person.participant, ())) for person in ordered)


def row(person: ParticipantStatus, flags: Iterable[str] = ()) -> PersonRow:
    """One row of the table."""
    state = state_of(person)
    return PersonRow(
        participant=person.participant,
        state=state,
        tone=_TONES.get(state, ""),
        where=_where(person),
        batch=person.batch,
        active_minutes=person.active_minutes,
        wall_minutes=person.wall_minutes,
        failed_checks=person.failed_checks,
        flags=tuple(dict.fromkeys((*(each.replace("-", " ") for each in person.flags), *flags))),
        is_now=person.is_now,
        can_decide=any(decisions(status) for status in person.statuses.values()),
    )


def state_of(person: ParticipantStatus) -> str:
    """The state of a participant in a word or two: of their last batch, or where they are."""
    if person.step in {"declined", "screened-out", "not-qualified"}:
        return person.step.replace("-", " ")
    if not person.statuses:
        early = "arriving" if person.is_now else "left early"
        return early if person.step in _BEFORE | {"task"} else "turned away"
    status = list(person.statuses.values())[-1]
    if status == "held":
        return "judging" if person.is_now else "away"
    return status


def decisions(status: Status) -> tuple[Event, ...]:
    """What a researcher can do with work in this state."""
    return tuple(
        event
        for event in DECISIONS
        if next_status(status, event, place_is_free=True) not in (None, status)
    )


def decisions_on(work: Assignment) -> tuple[Event, ...]:
    """What a researcher can do with this work: what was excluded half-way cannot be accepted."""
    is_whole = work.submitted_at is not None
    return tuple(event for event in decisions(work.status) if is_whole or event != "accept")


def _where(person: ParticipantStatus) -> str:
    if person.step != "task":
        return " · ".join(filter(None, (person.batch, _WHERE[person.step])))
    if person.batch is None:
        return "before the first task"
    return f"{person.answered} of {person.tasks} in {person.batch}"


def _main(standing: StudyStatus, plan: Plan) -> list[Occupancy]:
    return [
        occupancy
        for occupancy in standing.occupancies
        if not plan.batch[occupancy.batch].is_calibration
    ]


def _from_start(line: list[TrendPoint], standing: StudyStatus) -> tuple[TrendPoint, ...]:
    """A trend line from 0 at the first arrival until now."""
    arrivals = [person.arrived_at for person in standing.people]
    if not line or not arrivals:
        return ()
    begin = TrendPoint(min(*arrivals, line[0].moment), 0.0)
    return thin([begin, *line, TrendPoint(max(standing.now, line[-1].moment), line[-1].value)])


def _active_counts(
    spans: Sequence[tuple[datetime, datetime]], now: datetime
) -> tuple[TrendPoint, ...]:
    """How many people were active at each of these moments."""
    if not spans:
        return ()
    begin = min(start for start, _ in spans)
    step = (now - begin) / (_SAMPLES - 1)
    moments = [*(begin + step * number for number in range(_SAMPLES - 1)), now]
    return tuple(
        TrendPoint(moment, sum(start <= moment <= end for start, end in spans))
        for moment in moments
    )


def _money(amount: Decimal, currency: str) -> str:
    return f"{currency}\u202f{amount:,f}"
