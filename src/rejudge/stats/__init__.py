"""Formulas: from arrays to a number with its n, its interval and, where it has none, the reason."""

from rejudge.stats.agreement import (
    Agreement,
    CountTable,
    count_table,
    krippendorff_alpha,
    percent_agreement,
)
from rejudge.stats.clusters import FEW_PARTICIPANTS, Estimate, Interval, clustered
from rejudge.stats.estimates import average_within, mean_by_system, mean_difference
from rejudge.stats.multiplicity import Correction, adjusted
from rejudge.stats.pairwise import (
    Comparisons,
    PairRate,
    SignFlip,
    Standing,
    pair_rates,
    share_of_first,
    sign_flip,
    win_table,
)

__all__ = [
    "FEW_PARTICIPANTS",
    "Agreement",
    "Comparisons",
    "Correction",
    "CountTable",
    "Estimate",
    "Interval",
    "PairRate",
    "SignFlip",
    "Standing",
    "adjusted",
    "average_within",
    "clustered",
    "count_table",
    "krippendorff_alpha",
    "mean_by_system",
    "mean_difference",
    "pair_rates",
    "percent_agreement",
    "share_of_first",
    "sign_flip",
    "win_table",
]
