"""Ito et al. (2023): a printed table of five studies of dialogue summaries; what gives each figure.

The raw ratings were not published; the figures follow from the 160 printed means and stars.
"""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
from figures import Entry

import rejudge as rj

SYSTEMS = ("PGN-multi", "PGN-both", "BERT-multi", "BERT-both")
CELLS = 8  # four criteria, two roles
# Each “both” system against its “multi” one, criterion by criterion and role by role.
PAIRS = [(8 * first + cell, 8 * first + 8 + cell) for first in (0, 2) for cell in range(CELLS)]
PRINTED_KAPPAS = (0.52, 0.42, 0.51)  # of the three pairs of people, section 4.1


@cache
def studies(folder):
    with (folder / "table1.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        study: (
            np.array([float(row["value"]) for row in rows if row["study"] == study]),
            np.array([row["starred"] == "1" for row in rows if row["study"] == study]),
        )
        for study in dict.fromkeys(row["study"] for row in rows)
    }


def pearson(folder, case):
    return rj.stats.pearson(studies(folder)["original"][0], studies(folder)[case][0]).value


def matching(folder, case):
    original, repeated = studies(folder)["original"][0], studies(folder)[case][0]
    return rj.stats.matching_accuracy(original, repeated, PAIRS, tolerance=1e-9).value


def f1(folder, case):
    return rj.stats.significance_f1(studies(folder)["original"][1], studies(folder)[case][1]).value


def no_opposite_trend(folder):
    """Where the original starred a member of a pair, no case orders the pair the other way."""
    value, starred = studies(folder)["original"]
    tested = [pair for pair in PAIRS if starred[list(pair)].any()]
    signs = {
        np.sign(value[a] - value[b]) * np.sign(case[a] - case[b])
        for name, (case, stars) in studies(folder).items()
        for a, b in tested
        if name != "original" and stars[[a, b]].any()
    }
    return -1.0 not in signs


def mean_kappa(folder):
    return float(np.mean(PRINTED_KAPPAS))


ENTRIES = (
    Entry(r"T2\.(?P<case>case\d)\.pearson", pearson),
    Entry(r"T2\.(?P<case>case\d)\.A", matching),
    Entry(r"T2\.(?P<case>case\d)\.F1", f1),
    Entry(
        r"gold_star_vector",
        lambda folder: " ".join(str(int(star)) for star in studies(folder)["original"][1]),
    ),
    Entry(r"kappa\.mean", mean_kappa),
    Entry(r"claim\.no_opposite_trend_for_significant", no_opposite_trend),
)
