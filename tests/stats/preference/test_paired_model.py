"""The likelihood of paired comparisons: when it has a maximum, and resampled tables."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components

from rejudge.stats.preference.paired_model import are_tied_apart, components


@given(st.integers(1, 6).flatmap(
    lambda k: st.lists(st.lists(st.booleans(), min_size=k, max_size=k), min_size=k, max_size=k)
))  # fmt: skip
def test_groups_are_the_strongly_connected_components(edges):
    edges = np.array(edges)
    count, label = connected_components(edges, directed=True, connection="strong")
    found = components(edges)
    assert len(found) == count
    assert {frozenset(group) for group in found} == {
        frozenset(np.flatnonzero(label == each).tolist()) for each in range(count)
    }


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=10))
def test_ties_lie_apart_if_and_only_if_linear_programming_finds_such_strengths(rows):
    wins, ties = np.zeros((4, 4)), np.zeros((4, 4))
    limits = []
    for one, other, is_tie in rows:
        assume(one != other)
        apart = np.eye(4)[other] - np.eye(4)[one]
        (ties if is_tie else wins)[one, other] = 1
        limits += [(apart, 2), (-apart, 2)] if is_tie else [(apart, -2)]
    ties = np.maximum(ties, ties.T)
    assume(limits)
    solved = linprog(
        np.zeros(4),
        A_ub=np.array([left for left, _ in limits]),
        b_ub=[right for _, right in limits],
        bounds=(None, None),
    )
    assert are_tied_apart(wins, ties) == (solved.status == 0)
