"""What an hour brought in truth."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from judged_study import drawn, small_study
from rejudge.design import Earned, Stint, earned, promised_hourly, quote

PAID = {"currency": "GBP", "minutes": 10, "hourly": 12}  # a reward of GBP 2.00


def quoted(**payment: object):
    study = small_study(payment={**PAID, **payment})
    return quote(study, drawn(study), on=date(2026, 1, 1))


def test_the_rate_is_the_reward_over_the_median_time():
    """Rewards of 2.00 for 8, 10 and 30 minutes: 2.00 · 60 / 10 = 12.00 an hour."""
    found = earned(quoted(), [Stint(1, 8), Stint(1, 30), Stint(1, 10)])
    assert found.hourly == Decimal("12.00")
    assert found.top_up is None
    assert found.people == 3


def test_where_people_need_longer_the_promise_says_what_is_owed():
    """12 an hour for a median of 15 minutes is 3.00, of which 2.00 was paid."""
    found = earned(quoted(), [Stint(1, 15)])
    assert found.hourly == Decimal("8.00")
    assert found.promised == Decimal(12)
    assert found.top_up == Decimal("1.00")


def test_what_is_owed_is_rounded_up_and_the_rate_down():
    """10.01 minutes: 2 · 60 / 10.01 = 11.988 → 11.98; 12 · 10.01 / 60 − 2 = 0.002 → 0.01."""
    found = earned(quoted(), [Stint(1, 10.01)])
    assert found.hourly == Decimal("11.98")
    assert found.top_up == Decimal("0.01")


def test_whoever_did_two_batches_was_paid_twice():
    """Two batches in 20 minutes and one in 10 bring the same."""
    study = small_study(payment=PAID, design={"batches_per_participant": 2})
    twice = quote(study, drawn(study), on=date(2026, 1, 1))
    assert earned(twice, [Stint(2, 20), Stint(1, 10)]).hourly == Decimal("12.00")


def test_a_fixed_reward_promises_itself_over_the_stated_minutes():
    """1.50 for 10 minutes are 9.00 an hour."""
    assert promised_hourly(quoted(hourly=None, reward=1.5)) == Decimal("9.00")


def test_nothing_is_earned_before_anybody_finished_or_without_time():
    assert earned(quoted(), []) is None
    assert earned(quoted(), [Stint(0, 10), Stint(1, 0)]) is None


@pytest.mark.parametrize("kind", ["credit", "unpaid"])
def test_where_no_money_is_paid_there_is_no_rate(kind):
    assert earned(quoted(kind=kind), [Stint(1, 10)]) is None


def test_a_pay_far_above_the_promise_shows_wrong_times():
    """EUR 912.22 an hour where 12 were promised: nobody read the pages."""
    assert not Earned("EUR", Decimal("912.22"), Decimal(12), None, 8).is_plausible
    assert Earned("EUR", Decimal(60), Decimal(12), None, 8).is_plausible
    assert Earned("EUR", Decimal("912.22"), None, None, 8).is_plausible
