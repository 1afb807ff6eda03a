"""Percent agreement for new participants, by formula."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats import count_table, new_participants_interval, percent_agreement
from rejudge.stats.agreement.new_participants import percent_for_new_participants


def study(rng, units, people, each, *, strictness=0.6):
    """Scores of 0 to 4; each unit is judged by so many of the people."""
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(units)])
    latent = rng.normal(0, 1, units)[unit] + rng.normal(0, strictness, people)[person]
    return unit, person, np.digitize(latent + rng.normal(0, 0.7, len(unit)), [-1.2, -0.4, 0.4, 1.2])


@pytest.mark.parametrize("per_pair", [False, True])
def test_the_value_is_that_of_all_judgments(per_pair):
    unit, person, value = study(np.random.default_rng(1), 80, 30, 4)
    rows = np.random.default_rng(2).random(len(unit)) < 0.8
    table = count_table(unit[rows], value[rows])
    found = percent_for_new_participants(unit[rows], person[rows], value[rows], per_pair=per_pair)
    whole = percent_agreement(table)
    assert found.value == pytest.approx(whole.per_pair if per_pair else whole.value)
    assert (found.n, found.judgments) == (whole.n, whole.judgments)


def test_two_people_who_always_agree_half_of_the_time_are_counted_by_hand():
    """Four units, judged by the same three: pairs that agree are 3, 1, 1 and 0 of 3."""
    unit = np.repeat(np.arange(4), 3)
    person = np.tile(np.arange(3), 4)
    value = np.array([1, 1, 1, 1, 1, 2, 2, 2, 3, 1, 2, 3])
    found = percent_for_new_participants(unit, person, value)
    assert found.value == pytest.approx(100 * (3 + 1 + 1 + 0) / 12)


def test_very_many_kinds_of_unit_take_the_formula(monkeypatch):
    columns = study(np.random.default_rng(3), 400, 60, 3)
    resampled = new_participants_interval(*columns, "percent", rng=np.random.default_rng(1))
    monkeypatch.setattr("rejudge.stats.agreement.new_participants.MANY_KINDS", 100)
    found = new_participants_interval(*columns, "percent", rng=np.random.default_rng(1))
    assert found == percent_for_new_participants(*columns)
    assert found.value == pytest.approx(resampled.value)


def test_what_cannot_vary_has_no_interval():
    alone = percent_for_new_participants(np.arange(3), np.arange(3), np.arange(3))
    assert alone.value is None
    same = percent_for_new_participants(np.repeat([0, 1], 3), np.tile([0, 1, 2], 2), np.ones(6))
    assert (same.value, same.interval) == (100, None)
    one = percent_for_new_participants(np.zeros(3, int), np.arange(3), np.array([1, 1, 2]))
    assert one.interval is None


@pytest.mark.slow
@pytest.mark.parametrize(("units", "people", "each"), [(100, 40, 3), (200, 200, 3), (100, 10, 10)])
def test_the_interval_covers_what_new_people_and_units_would_give(units, people, each):
    """The truth is the mean over large studies; 300 studies, so that ±3 errors are ±3.8 %."""
    rng = np.random.default_rng(7)
    truth = np.mean([percent_for_new_participants(*study(rng, 4000, 3000, 2)).value for _ in "abc"])
    ends = [
        percent_for_new_participants(*study(rng, units, people, each)).interval for _ in range(300)
    ]
    assert 0.91 <= np.mean([end.low <= truth <= end.high for end in ends]) <= 0.99
