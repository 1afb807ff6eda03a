"""Rules about pay and time, with prices and durations made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from good_study import good_batches, make_plan, make_study, only

from rejudge.design.duration import Parts, estimate_duration
from rejudge.design.pay import quote_price
from rejudge.lint.rules import check

DAY = date(2026, 6, 1)


def lasting(minutes):
    """A duration of so many minutes per batch."""
    parts = Parts(pages=0, practice=0, reading=minutes / 2, deciding=minutes / 2)
    known = estimate_duration(make_study(), make_plan(make_study()))
    return replace(known, minutes=minutes, shortest=minutes, longest=minutes, parts=parts)


def test_pay_below_the_living_wage_is_found():
    """2.00 for 10 minutes is 12.00 an hour; the British living wage of that day is 13.45."""
    study = make_study({"payment.minutes": 10, "payment.reward": 2.00})
    plan = make_plan(study)
    finding = only(study, plan, quote=quote_price(study, plan, on=DAY))
    assert (finding.code, finding.severity) == ("R501", "error")
    assert finding.message.startswith("The hourly pay is 12.00 GBP (2.00 for 10 minutes), below ")
    assert "the living wage of 13.45 GBP" in finding.message


def test_pay_below_the_platforms_minimum_is_found():
    """0.50 for 10 minutes is 3.00 an hour; the platform's minimum is 6.00."""
    payment = {"currency": "GBP", "minutes": 10, "reward": 0.5, "fee_percent": 33.3}
    study = make_study({"payment": payment})
    plan = make_plan(study)
    finding = only(study, plan, quote=quote_price(study, plan, on=DAY))
    assert "the platform minimum of 6.00 GBP" in finding.message


def test_pay_at_the_floor_is_fine():
    """13.45 for 60 minutes."""
    study = make_study({"payment.minutes": 60, "payment.reward": 13.45, "design.break_every": 2})
    plan = make_plan(study)
    assert check(study, plan, quote=quote_price(study, plan, on=DAY)) == ()


@pytest.mark.parametrize("payment", [None, {"kind": "unpaid"}])
def test_a_paid_platform_without_payment_is_found(payment):
    finding = only(make_study({"payment": payment}))
    assert (finding.code, finding.severity) == ("R502", "warning")


def test_invited_people_may_be_unpaid():
    assert check(make_study({"payment": None, "recruitment.platform": "link"})) == ()


def test_minutes_far_below_the_estimate_are_found():
    """Two thirds of 15 are 10."""
    finding = only(make_study({"payment.minutes": 9.9}), duration=lasting(15))
    assert (finding.code, finding.severity) == ("R503", "warning")
    assert finding.message == (
        "9.9 minutes per batch are stated, but reading and answering take about 15."
    )


def test_minutes_far_below_the_longest_batch_are_found():
    """10 minutes are enough for the median batch of 12, but not for one of 51."""
    known = replace(lasting(12), longest=51)
    finding = only(make_study({"payment.minutes": 10, "design.break_every": 2}), duration=known)
    assert (finding.code, finding.severity) == ("R503", "warning")
    assert finding.message.endswith("take about 51 in the longest batch.")


def test_minutes_near_the_estimate_are_fine():
    assert check(make_study({"payment.minutes": 10}), duration=lasting(15)) == ()


def test_more_than_half_an_hour_without_a_break_is_found():
    finding = only(make_study(), duration=lasting(31))
    assert (finding.code, finding.severity) == ("R504", "warning")
    assert "about 31 minutes and no break is offered" in finding.message


def test_half_an_hour_needs_no_break():
    assert check(make_study(), duration=lasting(30)) == ()


def test_stated_minutes_count_before_the_estimate():
    finding = only(make_study({"payment.minutes": 40}), duration=lasting(20))
    assert "about 40 minutes" in finding.message


def test_breaks_that_come_too_late_are_found():
    """A batch of 8 tasks in 80 minutes, a pause after 4: 40 minutes at a stretch."""
    study = make_study({"design.break_every": 4})
    finding = only(study, make_plan(study), duration=lasting(80))
    assert "breaks come every 4 tasks, so people work for 40 minutes" in finding.message


def test_breaks_in_time_are_fine():
    """A pause after 3 of 8 tasks: 30 minutes."""
    study = make_study({"design.break_every": 3})
    assert check(study, make_plan(study), duration=lasting(80)) == ()


def test_in_a_spreadsheet_people_stop_when_they_like():
    study = make_study({"recruitment.platform": "spreadsheet"})
    assert check(study, duration=lasting(600)) == ()


def test_a_plan_without_batches_breaks_nothing():
    study = make_study()
    batches = [replace(batch, tasks=()) for batch in good_batches()]
    assert check(study, make_plan(study, batches), duration=lasting(10)) == ()
