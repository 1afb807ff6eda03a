"""The planned looks on the dashboard. Which system leads is shown of a look, and only of a look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from rejudge.collect.looks import Look, LookLog, LookState
from rejudge.layout.numbers import number, p_value, range_text
from rejudge.study.sample_size import Stop
from rejudge.tables.looks import BOUNDARIES, ends_of, leader_of

_HIDDEN = "Which system leads is not shown before the look."
_OVER = {
    "stop": "The boundary was crossed, and the study has stopped. New visitors find no tasks.",
    "end": "That was the last look. New visitors find no tasks.",
}
_UNITS = {"win-percent": "\u202f%"}


@dataclass(frozen=True, slots=True)
class LookRow:
    """One look that was made."""

    name: str  # such as 1 of 4
    at: datetime
    places: str
    leader: str
    estimate: str
    p: str
    decision: str


@dataclass(frozen=True, slots=True)
class LookPanel:
    """What is known of the looks of a study."""

    sentence: str  # when the next one comes, or how the last one ended
    boundary: str
    decides: str  # the comparison
    share: float  # of the way to the end, in percent
    marks: tuple[float, ...]  # where the looks are, in percent
    rows: tuple[LookRow, ...]
    note: str
    is_over: bool


def look_panel(stop: Stop, state: LookState, log: LookLog, names: Mapping[str, str]) -> LookPanel:
    """The panel of a study that plans looks; `names` are the labels of systems."""
    first, second = (names.get(system, system) for system in stop.systems)
    last = log.last
    is_over = last is not None and last.is_final
    return LookPanel(
        sentence=state.sentence,
        boundary=BOUNDARIES[stop.boundary],
        decides=f"{first} and {second} on {stop.question}",
        share=100 * (last.fraction if is_over and last is not None else state.fraction),
        marks=tuple(100 * each for each in state.stages.fractions),
        rows=tuple(_row(each, names) for each in log.looks),
        note=_OVER[last.decision] if last is not None and is_over else _HIDDEN,
        is_over=is_over,
    )


def _row(look: Look, names: Mapping[str, str]) -> LookRow:
    leader = leader_of(look)
    value = "–" if look.value is None else f"{number(look.value, 2)}{_UNITS.get(look.measure, '')}"
    interval = ends_of(look)
    return LookRow(
        name=f"{look.number} of {look.looks}",
        at=look.at,
        places=f"{look.places:,} of {look.planned_places:,}",
        leader="neither" if leader is None else names.get(leader, leader),
        estimate=value if interval is None else f"{value} ({range_text(interval)})",
        p=p_value(look.p_looks),
        decision=_decision(look),
    )


def _decision(look: Look) -> str:
    crossed = "crossed" if look.is_crossed else "not crossed"
    return f"boundary {crossed}: {'stopped' if look.decision == 'stop' else look.decision}"
