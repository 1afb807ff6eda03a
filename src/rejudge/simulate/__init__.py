"""People with known opinions: they judge a plan, so that everything after it can be tried."""

from rejudge.simulate.people import (
    Crowd,
    Looked,
    Seat,
    SimulatedPeople,
    SimulatedPerson,
    judge,
    judge_by_surface,
    seats,
)

__all__ = [
    "Crowd",
    "Looked",
    "Seat",
    "SimulatedPeople",
    "SimulatedPerson",
    "judge",
    "judge_by_surface",
    "seats",
]
