"""The search for the variance ratios."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import (
    study,
)
from slope_examples import judged


def test_the_slope_of_the_criterion_is_that_of_its_values():
    """Central differences of the criterion at a place far from the peak."""
    from rejudge.stats.mixed.evaluation import Exact
    from rejudge.stats.mixed.search import Likelihood
    from rejudge.stats.mixed.sums import tally

    value, fixed, groups = study(8)
    columns = np.column_stack([np.ones(len(value)), fixed["length"]])
    sums = tally(columns, value, list(groups.values()))
    likelihood = Likelihood(sums, reml=True, solver=Exact(sums, sums.stack))
    place, step = np.array([0.2, 1.7]), 1e-5
    slopes = [
        (likelihood.at(place + e).criterion - likelihood.at(place - e).criterion) / (2 * step)
        for e in np.eye(2) * step
    ]
    assert likelihood.at(place).slope == pytest.approx(slopes, rel=1e-6)
    wall = np.array([0.0, 1.7])
    rise = likelihood.at(np.array([step, 1.7])).criterion - likelihood.at(wall).criterion
    assert likelihood.at(wall).slope[0] == pytest.approx(rise / step, rel=1e-2)


def test_the_search_for_free_slopes_leaves_a_point_where_nothing_varies():
    """There the slope by each element of the factors is 0, whatever the judgments say."""
    from rejudge.stats.mixed.evaluation import Exact
    from rejudge.stats.mixed.search import Likelihood, maximise
    from rejudge.stats.mixed.sums import Slopes, tally_terms

    value, system, item, person = judged(20, 8, 2, missing=5)
    columns = np.column_stack([system == 0, system == 1]).astype(float)
    terms = [Slopes(0, 20, 2, np.tril_indices(2)), Slopes(3, 8, 2, np.tril_indices(2))]
    sums = tally_terms(columns, value, terms, [2 * item + system, 2 * person + system])
    likelihood = Likelihood(sums, reml=True, solver=Exact(sums, sums.stack))
    usual, lost = maximise(likelihood), maximise(likelihood, np.zeros(6))
    assert lost.point.criterion == pytest.approx(usual.point.criterion, abs=1e-6)
    assert lost.converged
