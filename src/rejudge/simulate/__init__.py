"""Simulated participants: with known opinions, or with rules in place of opinions."""

from rejudge.simulate.baseline_checks import BaselineCheck, CheckSort
from rejudge.simulate.baseline_run import DRAWS, run_baselines
from rejudge.simulate.baselines import (
    BaselineClaim,
    BaselineOutcome,
    BaselineRun,
    Baselines,
    MeasuredScore,
    RuleScore,
)
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import (
    Crowd,
    Seat,
    SimulatedPeople,
    SimulatedPerson,
    TaskReply,
    judge,
    seats,
)
from rejudge.simulate.rule_agreement import AgreementShare
from rejudge.simulate.rules import (
    RuleAnswer,
    RuleFollower,
    SeenTexts,
    answer_by_rules,
    baselines_of,
    overlap,
    unread_baselines,
    usual_baselines,
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
    "Parameters",
    "RuleAnswer",
    "RuleFollower",
    "RuleScore",
    "Seat",
    "SeenTexts",
    "SimulatedPeople",
    "SimulatedPerson",
    "TaskReply",
    "answer_by_rules",
    "baselines_of",
    "judge",
    "overlap",
    "run_baselines",
    "seats",
    "unread_baselines",
    "usual_baselines",
]
