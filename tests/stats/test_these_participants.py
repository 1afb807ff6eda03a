"""Differences for each participant alone."""

from __future__ import annotations

import numpy as np
import pytest
from ratings import complete
from scipy import stats

from rejudge.stats import participant_differences


def test_each_participants_own_difference_is_their_own_paired_t_test():
    y, system, item, participant = complete()
    found = participant_differences(y, system, (0, 1), item=item, participant=participant)
    assert [each.participant for each in found] == [0, 1, 2, 3]
    for each in found:
        mine = participant == each.participant
        first, second = y[mine & (system == 0)], y[mine & (system == 1)]
        assert each.difference.value == pytest.approx((first - second).mean())
        assert each.difference.p == pytest.approx(stats.ttest_rel(first, second).pvalue)
        assert each.difference.participants == 1


def test_the_mean_of_own_differences_is_the_difference_where_everybody_judged_everything():
    y, system, item, participant = complete()
    found = participant_differences(y, system, (0, 1), item=item, participant=participant)
    assert np.mean([each.difference.value for each in found]) == pytest.approx(0.7916667)


def test_who_saw_no_item_for_both_systems_has_no_difference():
    found = participant_differences(
        np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, 1]), (0, 1),
        item=np.array([0, 0, 1, 2]), participant=np.array([5, 5, 9, 9]),
    )  # fmt: skip
    assert [(each.participant, each.difference.value) for each in found] == [(5, -1), (9, None)]
    assert "one item only" in found[0].difference.note
    assert "no item" in found[1].difference.note


def test_the_same_difference_everywhere_has_no_interval():
    (found,) = participant_differences(
        np.array([0.1, 0.3, 0.4, 0.6]), np.array([0, 1, 0, 1]), (0, 1),
        item=np.array([0, 0, 1, 1]), participant=np.zeros(4, dtype=int),
    )  # fmt: skip
    assert found.difference.value == pytest.approx(-0.2)
    assert found.difference.interval is None
    assert "same for every item" in found.difference.note
