"""Who may be rejected on Prolific, and why not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.submissions import ReviewedWork, review, review_all, shortest_plausible


def work(**parts: Any) -> ReviewedWork:
    return ReviewedWork("p0001", **{"is_complete": True, "minutes": 20.0, **parts})


@pytest.mark.parametrize(
    ("failed", "minutes", "may"), [(1, 4, True), (1, 5, False), (2, 5, True), (0, 4, False)]
)
def test_one_failed_check_is_enough_only_in_a_short_study(failed, minutes, may):
    found = review(work(failed_fair=failed), expected_minutes=minutes, shortest=None)
    assert found.may_reject is may
    assert (found.category == "FAILED_CHECK") is may


@given(st.integers(0, 50), st.floats(0.1, 300), st.booleans())
def test_gold_items_never_justify_a_rejection(failed, minutes, complete):
    found = review(
        work(failed_gold=failed, is_complete=complete, minutes=None),
        expected_minutes=minutes,
        shortest=None,
    )
    assert not found.may_reject
    assert found.category is None
    assert found.message is None


def test_messages_are_as_long_as_the_platform_wants():
    quick = review(work(minutes=1.0), expected_minutes=20, shortest=3.0)
    failed = review(work(failed_fair=2), expected_minutes=20, shortest=None)
    assert quick.category == "TOO_QUICKLY"
    assert all(len(each.message or "") >= 100 for each in (quick, failed))


def test_few_or_scattered_times_allow_no_rejection_for_speed():
    assert shortest_plausible([20.0] * 9) is None
    assert shortest_plausible([5.0, 6, 7, 8, 9, 10, 11, 12, 13, 300]) is None
    assert shortest_plausible([20.0] * 10) == pytest.approx(20)
    bound = 20 - 3 * (40 / 19) ** 0.5
    assert shortest_plausible([18.0, 19, 20, 21, 22] * 4) == pytest.approx(bound)


def test_times_of_unfinished_work_are_not_compared():
    works = [work(minutes=20.0 + n % 3) for n in range(48)]
    idle = ReviewedWork("p9", is_complete=False, minutes=6000.0)
    found = review_all([*works, idle, work(minutes=2.0)], expected_minutes=20)
    assert [each.may_reject for each in found] == [False] * 49 + [True]


def test_incomplete_work_is_asked_about_first():
    found = review(work(is_complete=False), expected_minutes=20, shortest=None)
    assert "ask the person to return" in found.reason
