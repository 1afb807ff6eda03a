"""How each participant goes with the others, in columns."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats import company, participant_correlations


def test_percent_by_hand():
    """Units 0–3. a: 1 1 0 0; b: 1 1 0 1; c judged units 0 and 1 only: 0 1.

    a–b: 3 of 4 alike; a–c and b–c share two units, one fewer than three.
    """
    unit = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    person = np.array([0] * 4 + [1] * 4 + [2] * 2)
    value = np.array([1, 1, 0, 0, 1, 1, 0, 1, 0, 1], dtype=float)
    found = company(unit, person, value, measure="percent")
    assert found.n.tolist() == [4, 2, 2]
    assert found.value[0] == 75
    assert np.isnan(found.value[1:]).all()
    assert found.mean[:2].tolist() == [75, 75]
    assert found.others.tolist() == [1, 1, 0]


@pytest.mark.parametrize("measure", ["spearman", "pearson", "kendall"])
def test_correlations_are_those_of_every_pair(measure):
    rng = np.random.default_rng(3)
    unit, person = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    value = rng.integers(1, 6, 80).astype(float)
    columns = company(unit, person, value, measure=measure)
    one_by_one = participant_correlations(unit, person, value, method=measure)
    assert columns.value == pytest.approx([pair.correlation.value for pair in one_by_one.pairs])
    assert columns.mean == pytest.approx([each.value for each in one_by_one.means])


def test_without_shared_units_everything_is_undefined_with_the_reason():
    found = company(np.arange(3), np.arange(3), np.ones(3))
    assert np.isnan(found.mean).all()
    assert found.note.startswith("Undefined")
