"""Wins and losses that several tests use: a published season, and simulated comparisons."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from rejudge.stats import Comparisons

# American League East 1987, each pair 13 games: Agresti, Categorical Data Analysis, table 10.10.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
SEASON = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]


def from_wins(wins, ties=()):
    """Comparisons with these wins of row over column and these (first, second, number) ties."""
    rows = [(i, j, 1.0) for i, line in enumerate(wins) for j, n in enumerate(line)
            for _ in range(n)]  # fmt: skip
    rows += [(i, j, 0.5) for i, j, n in ties for _ in range(n)]
    first, second, preference = (np.array(column) for column in zip(*rows, strict=True))
    place = np.arange(len(rows))
    return Comparisons(first, second, preference, place, place, len(wins))


def judged(seed=3, *, n=600, systems=4, tied=0.2, items=40, participants=15):
    """Made-up comparisons with ties, items and participants."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(-0.8, 0.8, systems)
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    preference = (rng.random(n) < expit(strength[first] - strength[second])).astype(float)
    preference[rng.random(n) < tied] = 0.5
    item, participant = rng.integers(0, items, n), rng.integers(0, participants, n)
    return Comparisons(first, second, preference, item, participant, systems)
