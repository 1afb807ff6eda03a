"""Simulated participants with known opinions, who answer every kind of question."""

from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import (
    Crowd,
    Seat,
    SimulatedPerson,
    TaskReply,
    judge,
    judge_by_surface,
    seats,
)
from rejudge.simulate.pilot import Pilot
from rejudge.simulate.sources import ParameterSet, read_parameters

__all__ = [
    "Crowd",
    "ParameterSet",
    "Parameters",
    "Pilot",
    "Seat",
    "SimulatedPerson",
    "TaskReply",
    "judge",
    "judge_by_surface",
    "read_parameters",
    "seats",
]
