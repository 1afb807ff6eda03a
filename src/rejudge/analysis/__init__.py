"""From judgments to findings: every planned number, with its n, interval, method and signature."""

from rejudge.analysis.analyse import analyse
from rejudge.analysis.depending import outcome
from rejudge.analysis.details import (
    Conduct,
    Details,
    Duel,
    PairOfPeople,
    People,
    ScoreCounts,
    SystemScores,
    TimeMark,
    Times,
    TimeShare,
    TimeSpent,
    UnitRow,
    Units,
)
from rejudge.analysis.models import with_crossings
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
    "Conduct",
    "Dependence",
    "Details",
    "Duel",
    "Effect",
    "Finding",
    "Flow",
    "Interval",
    "Pace",
    "PairOfPeople",
    "People",
    "Results",
    "ScoreCounts",
    "Signature",
    "Spread",
    "Statistic",
    "SystemScores",
    "Tally",
    "TimeMark",
    "TimeShare",
    "TimeSpent",
    "Times",
    "UnitRow",
    "Units",
    "analyse",
    "outcome",
    "with_crossings",
]
