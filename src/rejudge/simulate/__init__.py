"""Simulated participants: with known opinions, or with rules instead of opinions."""

from rejudge.simulate.baseline_run import DRAWS, run_baselines
from rejudge.simulate.baselines import (
    AgreementShare,
    BaselineCheck,
    BaselineClaim,
    BaselineOutcome,
    BaselineRun,
    Baselines,
    CheckSort,
    MeasuredScore,
    RuleScore,
)
from rejudge.simulate.parameter_file import parameters_schema, parameters_yaml, parse_parameters
from rejudge.simulate.parameters import Parameters, ParameterSet, for_each_question
from rejudge.simulate.people import (
    Crowd,
    Seat,
    SimulatedPerson,
    TaskReply,
    judge,
    participant_seats,
)
from rejudge.simulate.pilot import Pilot, parameters_from_pilot
from rejudge.simulate.rules import (
    RuleAnswer,
    RuleFollower,
    SeenTexts,
    answer_by_rules,
    baselines_of,
    unread_baselines,
    usual_baselines,
    word_overlap,
)
from rejudge.simulate.sources import (
    Preset,
    parameters_from_preset,
    presets,
    read_parameters,
)

__all__ = [
    "DRAWS",
    "AgreementShare",
    "BaselineCheck",
    "BaselineClaim",
    "BaselineOutcome",
    "BaselineRun",
    "Baselines",
    "CheckSort",
    "Crowd",
    "MeasuredScore",
    "ParameterSet",
    "Parameters",
    "Pilot",
    "Preset",
    "RuleAnswer",
    "RuleFollower",
    "RuleScore",
    "Seat",
    "SeenTexts",
    "SimulatedPerson",
    "TaskReply",
    "answer_by_rules",
    "baselines_of",
    "for_each_question",
    "judge",
    "parameters_from_pilot",
    "parameters_from_preset",
    "parameters_schema",
    "parameters_yaml",
    "parse_parameters",
    "participant_seats",
    "presets",
    "read_parameters",
    "run_baselines",
    "unread_baselines",
    "usual_baselines",
    "word_overlap",
]
