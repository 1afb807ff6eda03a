"""Which units are disputed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.stats import Why, count_table, disagreement_by_unit, krippendorff_alpha

LEVELS = ["nominal", "ordinal", "interval", "ratio"]


def test_disagreement_by_hand():
    """Unit 3: 1 2 4, mean 7/3: range 3, variance (16 + 1 + 25)/9/3 = 14/9, d_u = 2·(1 + 4 + 9)/2.

    Unit 5: 2 2: nothing. Unit 9: 1 4: range 3, variance 9/4, d_u = 2·9/1. Unit 7 was judged once.
    """
    unit = np.array([3, 3, 3, 5, 5, 7, 9, 9])
    found = disagreement_by_unit(unit, np.array([1.0, 2, 4, 2, 2, 1, 1, 4]), "interval")
    assert found.unit.tolist() == [3, 5, 9]
    assert found.n.tolist() == [3, 2, 2]
    assert found.span == pytest.approx([3, 0, 3])
    assert found.variance == pytest.approx([14 / 9, 0, 9 / 4])
    assert found.contribution == pytest.approx([14, 0, 18])
    assert found.span_rank.tolist() == [1, 3, 1]
    assert found.variance_rank.tolist() == [2, 3, 1]
    assert found.contribution_rank.tolist() == [2, 3, 1]
    assert why(found) == [Why.UNEQUAL]


def test_names_have_no_range_and_no_variance():
    found = disagreement_by_unit(np.array([0, 0, 1, 1]), np.array([1.0, 2, 1, 1]), "nominal")
    assert (found.span, found.variance, found.span_rank, found.variance_rank) == (None,) * 4
    assert found.contribution_rank.tolist() == [1, 2]


def test_without_shared_units_there_is_nothing_to_dispute():
    found = disagreement_by_unit(np.array([0, 1]), np.array([1.0, 2]), "ordinal")
    assert (len(found.unit), found.by_chance) == (0, None)
    assert why(found) == [Why.NO_PAIRS]


ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), min_size=4, max_size=40)


@given(ROWS, st.sampled_from(LEVELS))
def test_the_parts_of_all_units_make_up_alpha(rows, level):
    unit, value = np.array(rows).T
    alpha = krippendorff_alpha(
        count_table(unit, value.astype(float)), level, rng=np.random.default_rng(1), replicates=1
    ).value
    found = disagreement_by_unit(unit, value.astype(float), level)
    made_up = 1 - found.contribution.sum() / found.by_chance if found.by_chance else None
    assert made_up == pytest.approx(alpha, abs=1e-9)
