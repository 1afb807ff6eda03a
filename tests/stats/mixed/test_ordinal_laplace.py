"""The likelihood of ordinal judgments and its slope."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import (
    rated,
)


def test_the_slope_of_the_likelihood_is_that_of_its_values():
    """Central differences of log L, with three crossed groupings."""
    from rejudge.stats.mixed.ordinal_laplace import (
        LaplaceEvaluation,
        OrdinalJudgments,
        OrdinalParameters,
        evaluate_laplace,
    )

    value, fixed, groups = rated(3)
    item, participant = groups["item"], groups["participant"]
    third = (item + participant) % 5
    seen, category = np.unique(value, return_inverse=True)
    columns = (fixed["system"][:, None] == [1, 2]).astype(float)
    judged = OrdinalJudgments.of(category, len(seen), columns, (item, participant, third))
    place = np.concatenate([np.linspace(-2, 2.5, len(seen) - 1), [0.3, -0.4], [0.8, 0.5, 0.3]])
    cut = len(seen) - 1

    def at(x) -> LaplaceEvaluation:
        return evaluate_laplace(judged, OrdinalParameters(x[:cut], x[cut : cut + 2], x[cut + 2 :]))

    slope = at(place).slope
    exact = np.concatenate([slope.thresholds, slope.effects, slope.deviations])
    step = 1e-5
    nearby = [
        (at(place + e).value - at(place - e).value) / (2 * step) for e in np.eye(len(place)) * step
    ]
    assert exact == pytest.approx(nearby, rel=1e-5, abs=1e-5)
