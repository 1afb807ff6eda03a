"""Units crossed with participants: kinds of unit, and pairs who share units."""

from __future__ import annotations

import numpy as np

from rejudge.stats.agreement.crossing import crossed, pair_of, paired

# Units 0 and 1 are judged alike by 5 and 7, unit 2 differently, unit 3 by one person alone.
UNIT = np.array([0, 0, 1, 1, 2, 2, 3])
PERSON = np.array([5, 7, 5, 7, 5, 7, 5])
VALUE = np.array([1.0, 2.0, 1.0, 2.0, 3.0, 3.0, 1.0])


def test_units_with_the_same_judgments_are_one_kind():
    crossing = crossed(UNIT, PERSON, VALUE)
    assert sorted(crossing.units.tolist()) == [1, 2]
    assert (crossing.n, crossing.judgments, crossing.repeats) == (3, 6, 0)
    assert crossing.people.tolist() == [5, 7]


def test_a_pair_has_one_cell_for_each_two_values_that_met():
    crossing = crossed(UNIT, PERSON, VALUE)
    pairs = paired(crossing)
    counts = pairs.weights(crossing.units.astype(float))
    met = zip(pairs.values[pairs.x], pairs.values[pairs.y], counts, strict=True)
    assert set(met) == {(1.0, 2.0, 2.0), (3.0, 3.0, 1.0)}


def test_judging_a_unit_twice_is_a_repeat():
    assert crossed(np.array([0, 0, 0]), np.array([1, 1, 2]), np.array([1.0, 2.0, 1.0])).repeats == 1


def test_two_lists_are_a_pair():
    pairs = pair_of(VALUE[::2][:3], VALUE[1::2])
    assert pairs.weights(np.ones(3)).tolist() == [2.0, 1.0]
