"""The search for the parameters of an ordinal model."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import (
    rated_by_a_crowd,
)

from rejudge.stats import (
    ordinal_mixed,
)
from rejudge.stats.mixed import ordinal_search
from rejudge.stats.mixed.ordinal_laplace import OrdinalJudgments


@pytest.mark.parametrize("effect", [0.0, 2.0, 4.0, 8.0])
def test_few_evaluations_of_the_likelihood_suffice_where_systems_nearly_decide(effect, monkeypatch):
    """120 ratings; from an effect of 4 on the better system nearly always has the best score."""
    evaluations, evaluate = [], ordinal_search.evaluate_laplace
    monkeypatch.setattr(
        ordinal_search, "evaluate_laplace", lambda *given: evaluations.append(1) or evaluate(*given)
    )
    rng = np.random.default_rng(7)
    system, item, participant = (each.ravel() for each in np.indices((2, 10, 6)))
    value = 3 + effect * system + rng.normal(0, 0.7, 10)[item] + rng.normal(0, 1, 120)
    groups = {"participant": participant, "item": item, "system × item": item * 2 + system}
    ordinal_mixed(np.clip(np.round(value), 1, 5), {"system": system}, groups)
    assert 5 < len(evaluations) < 100


def test_a_variance_that_starts_at_0_is_found_where_the_likelihood_rises():
    """At a standard deviation of 0 the slope is 0, whatever lies beyond."""
    value, _, groups = rated_by_a_crowd()
    judged = OrdinalJudgments.of(
        value.astype(int) - 1, 5, np.zeros((len(value), 0)), list(groups.values())
    )
    start = np.array([-2.0, 0.5, 0.3, 0.6, 0.0, 0.0, 0.0, 0.0])
    optimum = ordinal_search.maximise(judged, start)
    assert optimum.is_top
    assert (optimum.parameters.deviations > 0.2).all()
