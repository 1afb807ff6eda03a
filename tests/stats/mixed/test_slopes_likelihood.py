"""The search for the covariances of free slopes."""

from __future__ import annotations

import numpy as np
import pytest
from slope_examples import judged

from rejudge.stats.mixed.slopes_likelihood import search
from rejudge.stats.mixed.slopes_sums import slope_sums


def test_the_search_leaves_a_point_where_nothing_varies():
    """There the slope by each element of the factors is 0, whatever the judgments say."""
    value, system, item, person = judged(20, 8, 2, missing=5)
    columns = np.column_stack([system == 0, system == 1, value]).astype(float)
    sums = slope_sums(columns, system, {"item": item, "participant": person})
    usual, lost = search(sums), search(sums, np.zeros(6))
    assert lost.point.criterion == pytest.approx(usual.point.criterion, abs=1e-6)
    assert lost.converged
