"""Sums over clusters, next to the same sums by their definition."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from rejudge.stats.preference.vote_sums import (
    PartSums,
    PartVotes,
    VotePairs,
    sum_block,
    sum_blocks,
)

_EXPECTED = np.array([[0.5, 0.7, 0.6], [0.3, 0.5, 0.45], [0.4, 0.55, 0.5]])
_PAIRS = ((0, 1), (0, 2), (1, 2))


def _votes(rows: int, clusters: int, cells: int, seed: int = 1) -> PartVotes:
    """Without two votes of a cell on a pair."""
    rng = np.random.default_rng(seed)
    drawn = np.stack([rng.integers(0, clusters, rows), rng.integers(0, cells, rows),
                      rng.integers(0, 3, rows)])  # fmt: skip
    cluster, other, pair = np.unique(drawn, axis=1)
    hashes = rng.integers(0, 2**63, (2, max(clusters, cells)), dtype=np.uint64)
    return PartVotes(hashes[0][cluster], hashes[1][other], 3 * pair + rng.integers(0, 3, len(pair)))


def _sums(votes: PartVotes) -> PartSums:
    pairs = VotePairs.of(_EXPECTED)
    return sum_blocks([sum_block(votes, pairs, is_whole=True)], pairs)


def _by_definition(votes: PartVotes) -> dict[str, np.ndarray | float]:
    n, cells = defaultdict(lambda: np.zeros(3)), defaultdict(lambda: np.zeros(3))
    s, residual = defaultdict(lambda: np.zeros(3)), defaultdict(lambda: np.zeros(3))
    for cluster, other, code in zip(*(x.tolist() for x in (votes.cluster, votes.other, votes.code)),
                                    strict=True):  # fmt: skip
        first, second = _PAIRS[code // 3]
        preference = code % 3 / 2
        for system, sign in ((first, 1), (second, -1)):
            n[cluster][system] += 1
            cells[cluster, other][system] += 1
            s[cluster][system] += sign * (preference - 0.5)
            residual[cluster][system] += sign * (preference - _EXPECTED[first, second])
    m = {c: sum(v**2 for key, v in cells.items() if key[0] == c) for c in n}
    number = {c: sum((v > 0) * 1.0 for key, v in cells.items() if key[0] == c) for c in n}
    return {
        "n_n": sum(v**2 for v in n.values()),
        "n5": sum(v**5 for v in n.values()),
        "s_n": sum(s[c] * n[c] for c in n),
        "m": sum(m.values()),
        "n3_m": sum(n[c] ** 3 * m[c] for c in n),
        "c_c": sum(v**2 for v in number.values()),
        "meat": sum(np.outer(v, v) for v in residual.values()),
        "cell n_n": sum(v**2 for v in cells.values()),
        "clusters": len(n),
        "cells": len(cells),
    }


@pytest.mark.parametrize(
    ("rows", "clusters", "cells"), [(60, 8, 6), (60, 500, 500), (80, 1, 20), (40, 60, 1), (1, 1, 1)]
)
def test_sums_are_those_of_their_definition(rows, clusters, cells):
    votes = _votes(rows, clusters, cells)
    found, expected = _sums(votes), _by_definition(votes)
    for name in ("n_n", "n5", "s_n", "m", "n3_m", "c_c"):
        np.testing.assert_allclose(getattr(found.systems, name), expected[name], atol=1e-9)
    np.testing.assert_allclose(found.meat, expected["meat"], atol=1e-9)
    np.testing.assert_allclose(found.cells.n_n, expected["cell n_n"])
    assert (found.clusters, found.cell_count) == (expected["clusters"], expected["cells"])
    assert found.repeats == 0


def test_blocks_of_whole_cells_add_up_to_the_part():
    votes, pairs = _votes(300, 12, 9), VotePairs.of(_EXPECTED)
    blocks = [
        sum_block(votes.rows(votes.cell % np.uint64(4) == place), pairs, is_whole=False)
        for place in range(4)
    ]
    found, whole = sum_blocks(blocks, pairs), _sums(votes)
    np.testing.assert_allclose(found.pairs.n4, whole.pairs.n4)
    np.testing.assert_allclose(found.systems.m_m, whole.systems.m_m)
    np.testing.assert_allclose(found.meat, whole.meat, atol=1e-9)
    assert (found.clusters, found.squares, found.cubes) == (
        whole.clusters,
        whole.squares,
        whole.cubes,
    )


def test_repeated_votes_are_counted():
    votes = _votes(60, 8, 6)
    again = PartVotes.concatenate([votes, votes.rows(np.arange(3))])
    assert _sums(again).repeats == 3


def test_no_votes_give_sums_of_nothing():
    none = _votes(5, 2, 2).rows(np.zeros(0, dtype=np.int64))
    found = _sums(none)
    assert (found.clusters, found.cell_count, found.squares) == (0, 0, 0)
    assert not found.meat.any()
