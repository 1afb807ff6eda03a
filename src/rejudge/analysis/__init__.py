"""From judgments to findings: every planned number, with its n, interval, method and signature."""

from rejudge.analysis.agenda import NOT_YET
from rejudge.analysis.analyse import analyse
from rejudge.analysis.results import Finding, Flow, Pace, Results, Signature, Tally
from rejudge.stats import Interval

__all__ = [
    "NOT_YET",
    "Finding",
    "Flow",
    "Interval",
    "Pace",
    "Results",
    "Signature",
    "Tally",
    "analyse",
]
