"""A published study as data."""

from rejudge.paper.arithmetic import Arithmetic, PrintedSum
from rejudge.paper.model import (
    Case,
    Criterion,
    NamedSystem,
    Paper,
    PaperClaim,
    PrintedAgreement,
    PrintedEffect,
    PrintedStatistic,
    PrintedTest,
    PropertyValue,
    Reference,
    Reproducibility,
    Scale,
    Score,
    StatedDeviation,
)
from rejudge.paper.printed import Printed, PrintedNumber, PrintedP, PrintedProbability

__all__ = [
    "Arithmetic",
    "Case",
    "Criterion",
    "NamedSystem",
    "Paper",
    "PaperClaim",
    "Printed",
    "PrintedAgreement",
    "PrintedEffect",
    "PrintedNumber",
    "PrintedP",
    "PrintedProbability",
    "PrintedStatistic",
    "PrintedSum",
    "PrintedTest",
    "PropertyValue",
    "Reference",
    "Reproducibility",
    "Scale",
    "Score",
    "StatedDeviation",
]
