"""Wins and losses that several tests use: a published season, and simulated comparisons."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from rejudge.stats import Comparisons
from rejudge.stats.preference.vote_counts import pair_codes
from rejudge.stats.preference.vote_sums import PartVotes, VotePairs, sum_block, sum_blocks

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


def votes_without_repeats(rows, *, items, participants, systems, seed=1):
    """About so many votes, none of them twice by a participant on the same item and pair."""
    rng = np.random.default_rng(seed)
    pairs = np.array(np.triu_indices(systems, 1))
    drawn = np.stack([rng.integers(0, items, rows), rng.integers(0, participants, rows),
                      rng.integers(0, pairs.shape[1], rows)])  # fmt: skip
    item, participant, pair = np.unique(drawn, axis=1)
    first, second = pairs[:, pair]
    preference = rng.choice([0.0, 0.5, 1.0, 1.0], len(pair))
    return Comparisons(first, second, preference, item, participant, systems)


def part_sums(votes, kind, rows=None, *, expected=None):
    """The sums over the clusters of a kind, "item" or "participant", of all votes or of some."""
    hashes = np.random.default_rng(7).integers(0, 2**63, 1000, dtype=np.uint64)
    item, participant = hashes[votes.item], hashes[500 + votes.participant]
    cluster, other = (item, participant) if kind == "item" else (participant, item)
    code = 3 * pair_codes(votes.systems)[votes.first, votes.second] + 2 * votes.preference
    part = PartVotes(cluster, other, code.astype(np.int64))
    even = np.full((votes.systems, votes.systems), 0.5)
    pairs = VotePairs.of(even if expected is None else expected)
    chosen = part if rows is None else part.rows(rows)
    return sum_blocks([sum_block(chosen, pairs, is_whole=True)], pairs)
