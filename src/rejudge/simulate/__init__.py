"""Simulated participants with known opinions, who answer every kind of question."""

from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import (
    Crowd,
    Seat,
    SimulatedPeople,
    SimulatedPerson,
    TaskReply,
    judge,
    judge_by_surface,
    seats,
)

__all__ = [
    "Crowd",
    "Parameters",
    "Seat",
    "SimulatedPeople",
    "SimulatedPerson",
    "TaskReply",
    "judge",
    "judge_by_surface",
    "seats",
]
