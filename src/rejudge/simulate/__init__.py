"""Simulated participants: with known opinions, or with rules instead of opinions.

Names are loaded when they are first used: most commands need only the parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.arguments import lazy_names

if TYPE_CHECKING:
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

_NAMES = {
    "baseline_run": "DRAWS run_baselines",
    "baselines": """
        AgreementShare BaselineCheck BaselineClaim BaselineOutcome BaselineRun Baselines CheckSort
        MeasuredScore RuleScore
    """,
    "parameter_file": "parameters_schema parameters_yaml parse_parameters",
    "parameters": "Parameters ParameterSet for_each_question",
    "people": "Crowd Seat SimulatedPerson TaskReply judge participant_seats",
    "pilot": "Pilot parameters_from_pilot",
    "rules": """
        RuleAnswer RuleFollower SeenTexts answer_by_rules baselines_of unread_baselines
        usual_baselines word_overlap
    """,
    "sources": "Preset parameters_from_preset presets read_parameters",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

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

if not TYPE_CHECKING:  # mypy would take every unknown name for Any
    __getattr__ = lazy_names(__name__, _MODULES)


def __dir__() -> list[str]:
    return __all__
