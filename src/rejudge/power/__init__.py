"""What a planned study can find, and what it costs, by simulating it many times."""

from rejudge.power.complete import resize_study, simulate_complete, why_complete
from rejudge.power.fast import choose_engine, simulate_studies, why_not_fast
from rejudge.power.studies import Engine, SimulatedStudies, StudyShape

__all__ = [
    "Engine",
    "SimulatedStudies",
    "StudyShape",
    "choose_engine",
    "resize_study",
    "simulate_complete",
    "simulate_studies",
    "why_complete",
    "why_not_fast",
]
