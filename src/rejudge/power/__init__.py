"""What a planned study can detect, and what it costs, by simulating it many times.

Names are loaded when they are first used, so that `rejudge check` does not wait for simulations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.arguments import lazy_names

if TYPE_CHECKING:  # what mypy and editors read
    from rejudge.power.complete import complete_reasons, simulate_complete, why_complete
    from rejudge.power.confirm import confirm
    from rejudge.power.detectable import DetectableDifference, detectable_differences
    from rejudge.power.effects import effect_unit, stated_truth, true_differences
    from rejudge.power.fast import choose_engine, simulate_studies, why_not_fast
    from rejudge.power.fill import FilledRule, fill_size
    from rejudge.power.grid import GridRequest, compute_power, power_fingerprint
    from rejudge.power.planned_power import (
        ClaimRepeat,
        ComparisonPower,
        Confirmation,
        LookPower,
        PlannedPower,
        RankingRepeat,
        SizePower,
        StatedEffect,
        TestInWords,
    )
    from rejudge.power.planned_tests import SimulatedTest, TestPlan, plan_tests
    from rejudge.power.resize import resize_study
    from rejudge.power.sizes import SizeGrid, StudyPrice, planned_shape, price_study, size_grid
    from rejudge.power.stand_ins import SimulatedPlan, SimulatedQuestion, with_stand_ins
    from rejudge.power.studies import Engine, SimulatedStudies, StudyShape
    from rejudge.power.tallies import PowerTask, SizeTally
    from rejudge.power.truth import EVERY, POST_HOC, EffectRequest, StatedTask, state_task

_NAMES = {
    "complete": "complete_reasons simulate_complete why_complete",
    "confirm": "confirm",
    "detectable": "DetectableDifference detectable_differences",
    "effects": "effect_unit stated_truth true_differences",
    "fast": "choose_engine simulate_studies why_not_fast",
    "fill": "FilledRule fill_size",
    "grid": "GridRequest compute_power power_fingerprint",
    "planned_power": """
        ClaimRepeat ComparisonPower Confirmation LookPower PlannedPower RankingRepeat SizePower
        StatedEffect TestInWords
    """,
    "planned_tests": "SimulatedTest TestPlan plan_tests",
    "resize": "resize_study",
    "sizes": "SizeGrid StudyPrice planned_shape price_study size_grid",
    "stand_ins": "SimulatedPlan SimulatedQuestion with_stand_ins",
    "studies": "Engine SimulatedStudies StudyShape",
    "tallies": "PowerTask SizeTally",
    "truth": "EVERY POST_HOC EffectRequest StatedTask state_task",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "EVERY",
    "POST_HOC",
    "ClaimRepeat",
    "ComparisonPower",
    "Confirmation",
    "DetectableDifference",
    "EffectRequest",
    "Engine",
    "FilledRule",
    "GridRequest",
    "LookPower",
    "PlannedPower",
    "PowerTask",
    "RankingRepeat",
    "SimulatedPlan",
    "SimulatedQuestion",
    "SimulatedStudies",
    "SimulatedTest",
    "SizeGrid",
    "SizePower",
    "SizeTally",
    "StatedEffect",
    "StatedTask",
    "StudyPrice",
    "StudyShape",
    "TestInWords",
    "TestPlan",
    "choose_engine",
    "complete_reasons",
    "compute_power",
    "confirm",
    "detectable_differences",
    "effect_unit",
    "fill_size",
    "plan_tests",
    "planned_shape",
    "power_fingerprint",
    "price_study",
    "resize_study",
    "simulate_complete",
    "simulate_studies",
    "size_grid",
    "state_task",
    "stated_truth",
    "true_differences",
    "why_complete",
    "why_not_fast",
    "with_stand_ins",
]

if not TYPE_CHECKING:  # mypy would take every unknown name for Any
    __getattr__ = lazy_names(__name__, _MODULES)


def __dir__() -> list[str]:
    return __all__
