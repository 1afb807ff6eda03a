"""From judgments to findings: every planned number, with its n, interval, method and signature."""

from rejudge.analysis.analyse import analyse
from rejudge.analysis.depending import outcome
from rejudge.analysis.results import (
    Case,
    Dependence,
    Effect,
    Finding,
    Flow,
    Pace,
    Results,
    Signature,
    Spread,
    Statistic,
    Tally,
)
from rejudge.stats import Interval

__all__ = [
    "Case",
    "Dependence",
    "Effect",
    "Finding",
    "Flow",
    "Interval",
    "Pace",
    "Results",
    "Signature",
    "Spread",
    "Statistic",
    "Tally",
    "analyse",
    "outcome",
]
