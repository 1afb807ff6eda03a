"""Simulated participants with known opinions, who answer every kind of question."""

from rejudge.simulate.parameter_file import parameters_schema, parameters_yaml, parse_parameters
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
from rejudge.simulate.pilot import Pilot, parameters_from_pilot
from rejudge.simulate.published_presets import Preset, preset, presets
from rejudge.simulate.sources import ParameterSet, for_each_question, read_parameters

__all__ = [
    "Crowd",
    "ParameterSet",
    "Parameters",
    "Pilot",
    "Preset",
    "Seat",
    "SimulatedPerson",
    "TaskReply",
    "for_each_question",
    "judge",
    "judge_by_surface",
    "parameters_from_pilot",
    "parameters_schema",
    "parameters_yaml",
    "parse_parameters",
    "preset",
    "presets",
    "read_parameters",
    "seats",
]
