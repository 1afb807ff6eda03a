"""Gwet's AC1 and AC2."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from rejudge.stats import cohen_kappa, gwet_agreement

# Four raters, twelve units, as in `test_agreement` (Krippendorff 2011; Gwet 2014, page 120).
RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def four_raters():
    cells = [(unit, said) for row in RATERS for unit, said in enumerate(row) if said is not None]
    unit, value = (np.array(column) for column in zip(*cells, strict=True))
    return unit, value


def two_raters(table):
    """Units and values from a table of what two people said."""
    counts = np.array(table)
    first, second = (np.repeat(part.ravel(), counts.ravel()) for part in np.indices(counts.shape))
    return np.tile(np.arange(len(first)), 2), np.concatenate([first, second])


def test_ac1_of_four_raters_is_that_of_irrcac():
    """R package irrCAC 1.0, README: gwet.ac1.raw(cac.raw4raters) gives pa 0.8181818, pe 0.1903212,
    AC1 0.77544, SE 0.14295, interval (0.461, 1)."""
    found = gwet_agreement(*four_raters())
    assert found.observed == pytest.approx(0.8181818, abs=5e-8)
    assert found.expected == pytest.approx(0.1903212, abs=5e-8)
    assert found.value == pytest.approx(0.77544, abs=5e-6)
    assert found.standard_error == pytest.approx(0.14295, abs=5e-6)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.461, 1), abs=5e-4)
    assert (found.n, found.judgments) == (11, 40)
    assert "one judgment (1)" in found.note


def test_ac1_of_two_raters_is_that_of_irrcac():
    """The same: gwet.ac1.table(cont3x3abstractors) gives 0.8493305, SE 0.04321747 with n in place
    of n − 1 of 100 units; interval (0.764, 0.935)."""
    found = gwet_agreement(*two_raters([[13, 0, 0], [0, 20, 7], [0, 4, 56]]))
    assert found.value == pytest.approx(0.8493305, abs=5e-8)
    assert found.standard_error == pytest.approx(0.04321747 * (100 / 99) ** 0.5, abs=5e-8)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.764, 0.935), abs=1.1e-3)


@pytest.mark.parametrize(
    ("weights", "credit"),
    [
        ("linear", lambda a, b: 1 - abs(a - b) / 4),
        ("quadratic", lambda a, b: 1 - (a - b) ** 2 / 16),
        ("ordinal", lambda a, b: 1 - (abs(a - b) + 1) * abs(a - b) / 2 / 10),
    ],
)
def test_ac2_by_going_through_all_pairs(weights, credit):
    """The definition of Gwet (2014), pair by pair, for five values."""
    unit, value = four_raters()
    agreed, shares = [], []
    for each in range(12):
        said = value[unit == each].tolist()
        shares.append([said.count(k) / len(said) for k in range(1, 6)])
        if len(said) > 1:
            agreed.append(np.mean([credit(a, b) for a, b in permutations(said, 2)]))
    mean = np.mean(shares, axis=0)
    weight = sum(credit(a, b) for a in range(1, 6) for b in range(1, 6))
    chance = weight / 20 * float(np.sum(mean * (1 - mean)))
    found = gwet_agreement(unit, value, weights=weights)
    assert found.observed == pytest.approx(np.mean(agreed))
    assert found.value == pytest.approx((np.mean(agreed) - chance) / (1 - chance))


def test_where_one_value_is_common_ac1_is_high_and_kappa_is_not():
    """90 of 100 units “fine” by both, 5 + 5 by one only: kappa −.05, AC1 by hand: π = .95, .05,
    P_e = 2 · ½ · 2 · .95 · .05 = .095, (.9 − .095)/.905."""
    unit, value = two_raters([[90, 5], [5, 0]])
    assert cohen_kappa(value[:100], value[100:]).value == pytest.approx(-0.0526, abs=1e-4)
    assert gwet_agreement(unit, value).value == pytest.approx(0.805 / 0.905)


def test_values_that_nobody_gave_count_if_they_are_named():
    """Two raters who always say 1: with two possible values they agree beyond chance."""
    unit, value = np.repeat(np.arange(5), 2), np.ones(10)
    assert gwet_agreement(unit, value).value is None
    assert gwet_agreement(unit, value, values=np.array([0.0, 1.0])).value == 1
    some = gwet_agreement(*four_raters(), values=np.arange(1.0, 8))
    assert some.value > gwet_agreement(*four_raters()).value


def test_sentences_of_one_text_count_as_one():
    """Each unit five times: with their texts the error is that of one of each."""
    unit, value = four_raters()
    five = np.concatenate([unit + 12 * copy for copy in range(5)])
    once = gwet_agreement(unit, value)
    texts = gwet_agreement(five, np.tile(value, 5), item=five % 12)
    assert texts.value == pytest.approx(once.value)
    assert texts.standard_error == pytest.approx(once.standard_error)


def test_without_pairs_it_is_undefined():
    assert gwet_agreement(np.arange(3), np.arange(3)).value is None
    one = gwet_agreement(np.zeros(2, dtype=int), np.array([1, 2]))
    assert one.interval is None
