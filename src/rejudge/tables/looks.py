"""Planned looks as a table and in sentences, for the terminal, the dashboard and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rejudge.analysis.planned_looks import Stopping
from rejudge.collect.looks import Look, LookLog
from rejudge.english import count, number_word
from rejudge.layout.numbers import NARROW, number, p_equals, range_text
from rejudge.layout.table import Column, Table, csv_only, interval_column, p_column
from rejudge.study.sample_size import Stop, StopBoundary

BOUNDARIES: Mapping[StopBoundary, str] = {
    "obrien-fleming": "O’Brien–Fleming",
    "pocock": "Pocock",
    "always-valid": "always-valid",
}
_EVEN = 50.0


@dataclass(frozen=True, slots=True)
class _Ends:
    low: float
    high: float


def look_table(log: LookLog, labels: Mapping[str, str] | None = None) -> Table:
    """One row for each look that was made."""
    names = labels or {}
    first = log.looks[0] if log.looks else None
    pair = " and ".join(names.get(s, s) for s in first.systems) if first else ""
    caption = (
        f"Planned looks at the comparison of {pair} on {first.question}: the estimate with an "
        "interval that holds at all looks together, p corrected for all "
        f"{number_word(first.looks)} looks (to be below {first.alpha:g}), and what was decided."
        if first
        else "No look has been made yet."
    )
    return Table(
        "looks",
        caption,
        (
            Column("look", 0),
            Column("time"),
            Column("places", 0),
            csv_only(Column("planned places", 0)),
            Column("estimate", 2),
            interval_column(2),
            csv_only(p_column()),
            p_column("p over all looks"),
            csv_only(Column("level", 6)),
            Column("decision"),
        ),
        tuple(_row(each) for each in log.looks),
        section="looks",
    )


def _row(look: Look) -> tuple[int | float | str | _Ends | None, ...]:
    return (
        look.number,
        f"{look.at:%Y-%m-%d %H:%M} UTC",
        look.places,
        look.planned_places,
        look.value,
        ends_of(look),
        look.p,
        look.p_looks,
        look.level,
        look.decision,
    )


def ends_of(look: Look) -> _Ends | None:
    """The interval that holds at all looks together."""
    return None if look.low is None or look.high is None else _Ends(look.low, look.high)


def stop_sentence(stop: Stop, places: tuple[int, ...]) -> str:
    """What a study plans, in one sentence; `places` are those that are done at each look."""
    listed = ", ".join(f"{n:,}" for n in places[:-1])
    first, second = stop.systems
    return (
        f"{stop.looks} looks with {BOUNDARIES[stop.boundary]} boundary, after {listed} and "
        f"{places[-1]:,} finished batches: the study stops early if {first} and {second} differ on "
        f"{stop.question}."
    )


def look_sentence(look: Look, labels: Mapping[str, str] | None = None) -> str:
    """What was seen at a look and what followed."""
    names = labels or {}
    first, second = (names.get(system, system) for system in look.systems)
    where = f"Look {look.number} of {look.looks}, at {look.places:,} of {look.planned_places:,} "
    if look.value is None or look.p_looks is None:
        return f"{where}places: the comparison could not be computed. {_decided(look)}"
    interval = ends_of(look)
    digits = 1 if look.measure == "win-percent" else 2
    span = "" if interval is None else f", interval {range_text(interval, digits)}"
    return (
        f"{where}places: {_estimate(look, first, second)}{span}; "
        f"{p_equals(look.p_looks)} over all looks. {_decided(look)}"
    )


def _estimate(look: Look, first: str, second: str) -> str:
    if look.measure == "win-percent":
        return f"{first} was preferred to {second} in {number(look.value, 1)}{NARROW}%"
    return f"{first} minus {second} is {number(look.value, 2)}"


def _decided(look: Look) -> str:
    if look.decision == "go on":
        return "The boundary was not crossed, and the study went on."
    crossed = "The boundary was crossed" if look.is_crossed else "The boundary was not crossed"
    if look.decision == "stop":
        return f"{crossed}; the study stopped."
    is_whole = look.places >= look.planned_places
    return f"{crossed}; the study {'was complete' if is_whole else 'was ended here'}."


def leader_of(look: Look) -> str | None:
    """The system that is ahead at a look; None if neither is."""
    null = _EVEN if look.measure == "win-percent" else 0.0
    if look.value is None or look.value == null:
        return None
    return look.systems[0] if look.value > null else look.systems[1]


def stopping_sentences(
    stopping: Stopping, labels: Mapping[str, str] | None = None
) -> Iterator[str]:
    """How a study came to its end, and what its numbers are worth."""
    correction, last = stopping.correction, stopping.last
    if last is not None:
        if last.decision == "stop":
            left = last.planned_places - last.places
            yield (
                f"The study stopped early, at look {last.number} of {last.looks}: "
                f"{last.places:,} of {count(last.planned_places, 'planned place')} were used, and "
                f"{left:,} were not needed."
            )
        elif last.places < last.planned_places:
            yield (
                f"The study was ended at {last.places:,} of {last.planned_places:,} places, before "
                "its last planned look. This is valid if the decision to end did not depend on "
                "the results."
            )
        else:
            yield f"The study ran to its last look, {last.number} of {last.looks}."
        yield look_sentence(last, labels)
    yield (
        f"p values and intervals of all comparisons of two systems allow for {correction.looks} "
        f"looks ({BOUNDARIES[correction.boundary]} boundary). The false-positive rate of the "
        f"comparison that decides is {100 * correction.alpha:g}{NARROW}% over all looks; the other "
        "planned comparisons follow it, corrected among themselves. Scores of single systems and "
        "agreement are not adjusted."
    )
    if last is not None and last.decision == "stop":
        yield _bias(last)


def _bias(look: Look) -> str:
    said = (
        "A study that stops because a difference is large overstates it on average; the interval "
        "accounts for this, the estimate does not."
    )
    if look.unbiased is None:
        return said
    unit = f"{NARROW}%" if look.measure == "win-percent" else ""
    return f"{said} The median-unbiased estimate is {number(look.unbiased, 2)}{unit}."
