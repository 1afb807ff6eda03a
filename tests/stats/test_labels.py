"""Whose labels look like guesses."""

from __future__ import annotations

import numpy as np
import pytest
from labels import drawn

from rejudge.stats import find_guessing


def test_two_people_on_two_units_by_hand():
    """Each says of both units what the other says. a is (1, 0) and (0, 1), its means are 1/2, so
    S = 1/2 + 1/2 and D = 1/2 + 1/2. The variance over permutations is 2/(2 − 1) · (1/4 + 1/4) = 1,
    so p is the normal tail beyond 1."""
    found = find_guessing(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    assert found.with_others == pytest.approx([1, 1])
    assert found.p_guessing == pytest.approx([0.158655254, 0.158655254])
    assert found.typical == pytest.approx(1)
    assert not found.is_like_guessing.any()


def test_a_guesser_among_people_who_agree_is_flagged():
    unit, participant, label, _ = drawn(units=60, competence=(0.9, 0.8, 0.9, 0.9, 0.0))
    assert find_guessing(unit, participant, label).is_like_guessing.tolist() == [False] * 4 + [True]


def test_somebody_who_always_says_the_same_is_flagged_too():
    unit, participant, label, _ = drawn(units=60, competence=(0.9, 0.8, 0.9, 0.9))
    label[participant == 2] = 1
    assert np.flatnonzero(find_guessing(unit, participant, label).is_like_guessing).tolist() == [2]


def test_somebody_of_the_opposite_taste_is_not_taken_for_a_guesser():
    unit, participant, label, _ = drawn(units=60, competence=(0.9, 0.8, 0.9, 0.9, 0.9))
    values = np.unique(label)
    label[participant == 4] = np.roll(values, 1)[np.searchsorted(values, label[participant == 4])]
    found = find_guessing(unit, participant, label)
    assert found.with_others[4] < 0
    assert not found.is_like_guessing.any()


def test_few_judgments_are_never_flagged():
    unit, participant, label, _ = drawn(units=9, competence=(0.9, 0.8, 0.9, 0.9, 0.0))
    assert not find_guessing(unit, participant, label).is_like_guessing.any()


def test_judgments_that_nobody_shares_say_nothing():
    unit, participant, label, _ = drawn(units=40, competence=(0.9, 0.8, 0.9))
    unit = np.append(unit, np.arange(100, 120))
    participant = np.append(participant, np.zeros(20, dtype=np.int64))
    label = np.append(label, np.zeros(20, dtype=np.int64))
    found = find_guessing(unit, participant, label)
    assert found.shared.tolist() == [40, 40, 40]


def test_one_label_is_undefined():
    found = find_guessing(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 1, 1]))
    assert np.isnan(found.p_guessing).all()
    assert found.typical is None


def test_no_judgments_flag_nobody():
    none = np.zeros(0, dtype=np.int64)
    assert len(find_guessing(none, none, none).is_like_guessing) == 0


@pytest.mark.parametrize("seed", range(5))
def test_names_and_order_of_rows_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    unit, participant, label, _ = drawn(units=20, competence=(0.8, 0.5, 0.2), seed=seed)
    order, names = rng.permutation(len(unit)), rng.permutation(3)
    found = find_guessing(unit, participant, label)
    again = find_guessing(unit[order], names[participant][order], 5.0 - label[order])
    assert again.p_guessing[names] == pytest.approx(found.p_guessing, nan_ok=True)


def test_among_guessers_one_in_twenty_is_told_from_guessing():
    """2,000 guessers in 100 studies: the test keeps its level where nobody knows anything."""
    told = [
        find_guessing(*drawn(units=40, competence=(0.0,) * 20, seed=seed)[:3]).p_guessing < 0.05
        for seed in range(100)
    ]
    assert np.mean(told) == pytest.approx(0.05, abs=0.02)
