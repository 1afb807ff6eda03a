"""What a planned study can find, and what it costs, by simulating it many times."""

from rejudge.power.fast import simulate_studies
from rejudge.power.studies import SimulatedStudies, StudyShape

__all__ = ["SimulatedStudies", "StudyShape", "simulate_studies"]
