"""Mixed models of choices, solved exactly and by iteration."""

from __future__ import annotations

import pytest
from choice_examples import (
    best_worst,
    crowd,
    iterate,
)
from whys import why

from rejudge.stats import Why, choice_model, set_model


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        (2000, {"items": 60, "people": 50}),
        (3000, {"items": 60, "people": 50, "systems": 12, "tail": 0.8}),
        (1500, {"items": 15, "people": 60, "tail": 1.0}),
        (2000, {"items": 20, "people": 12, "systems": 40}),
    ],
)
def test_a_fit_by_iteration_is_close_to_the_exact_one(size, shape):
    """The second has more places than are solved exactly; its limit is raised instead."""
    comparisons = crowd(5, size, **shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rejudge.stats.preference.choice_fit.EXACT_UP_TO", 5000)
        exact = choice_model(comparisons, adjust="none")
    close = iterate(comparisons, adjust="none")
    assert exact.criterion is not None
    assert close.criterion is None
    assert why(close) == [Why.ITERATIVE]
    total = sum(exact.variances.values())
    for name, variance in exact.variances.items():
        assert close.variances[name] == pytest.approx(variance, abs=2e-3 * total)
    for one, other in zip(exact.contrasts, close.contrasts, strict=True):
        error = one.standard_error
        assert other.standard_error == pytest.approx(error, rel=0.01)
        assert other.value == pytest.approx(one.value, abs=0.01 * error)


def test_sets_solved_by_iteration_are_close_to_the_exact_solution():
    sets = best_worst(3, items=60, people=50, systems=6)
    exact = set_model(sets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rejudge.stats.preference.choice_fit.EXACT_UP_TO", 0)
        close = set_model(sets)
    for one, other in zip(exact.contrasts, close.contrasts, strict=True):
        error = one.standard_error
        assert other.standard_error == pytest.approx(error, rel=0.01)
        assert other.value == pytest.approx(one.value, abs=0.01 * error)
