"""Which grouping lies within which."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import favoured

from rejudge.stats.mixed.sums import Nest, nests, positive_inverse

_, _, GROUPS = favoured(3, items=7, people=5)
PARTICIPANT, ITEM, OUTPUT, LIKING = GROUPS.values()
TOPIC = ITEM // 3


def test_each_grouping_is_taken_with_the_one_that_it_lies_within():
    fine, other = len(np.unique(OUTPUT)), len(np.unique(LIKING))
    assert nests([PARTICIPANT, ITEM, OUTPUT, LIKING]) == (Nest(2, 1, fine), Nest(3, 0, other))


def test_a_third_grouping_around_a_pair_stands_alone():
    found = nests([TOPIC, ITEM, OUTPUT])
    assert found == (Nest(2, 1, len(np.unique(OUTPUT))), Nest(0, None, len(np.unique(TOPIC))))


def test_crossed_groupings_stand_alone():
    assert [nest.coarse for nest in nests([PARTICIPANT, ITEM])] == [None, None]


def test_a_large_matrix_is_inverted_whole():
    """Beyond one strip of the cache; the inverse of I + a 1 1ᵀ is I − a / (1 + a n) 1 1ᵀ."""
    n, a = 300, 0.5
    log_determinant, inverse = positive_inverse(np.eye(n) + a)
    assert log_determinant == pytest.approx(np.log(1 + a * n))
    assert inverse == pytest.approx(np.eye(n) - a / (1 + a * n), abs=1e-12)
