"""Fair pay, and what people really earned."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paid_studies import WINTER_2023, paid, priced
from studies import RATING, make_study

from judged_study import drawn, small_study
from rejudge.design.draw import draw
from rejudge.design.duration import workload
from rejudge.design.pay import Earnings, Stint, hourly_earnings, promised_hourly, quote_price
from rejudge.design.wages import known_rates, platform_fee, platform_floor
from rejudge.errors import DesignError


def lists_of_thirty():
    """300 definitions in 10 lists, all of them judged by the same two people."""
    design = {
        "batch": {"tasks": 30},
        "batches_per_participant": 10,
        "participants_per_batch": 2,
    }
    return make_study(inputs=300, systems=1, questions=[RATING], design=design)


def test_eight_minutes_at_the_living_wage_of_2023_are_1_60():
    """Arvan & Parde (2024): £12 × 8/60 = £1.60 for each of 60 × 3 = 180 places: £288.

    A fee of 33.3 % is £95.904, and 20 % tax on £95.90 is £19.18: together £403.08.
    """
    study = make_study(inputs=300, design={"batch": {"inputs": 5}})
    found = priced(paid(study, minutes=8, living_wage="GB", fee_percent=33.3, vat_percent=20))
    assert found.reward == Decimal("1.60")
    assert found.effective_hourly == Decimal("12.00")
    assert found.work.rewards == 180
    assert found.cost.rewards == Decimal("288.00")
    assert found.cost.fee == Decimal("95.90")
    assert found.cost.vat == Decimal("19.18")
    assert found.cost.total == Decimal("403.08")
    assert found.work.minutes_are == "stated"
    assert not found.is_below_floor


def test_ten_minutes_at_the_living_wage_of_2023_are_2_00():
    """Steen & Markert (2024): £12 × 10/60 = £2 for each of 40 × 3 = 120 places."""
    study = make_study(inputs=200, design={"batch": {"inputs": 5}})
    found = priced(paid(study, minutes=10, living_wage="GB"))
    assert (found.reward, found.cost.total) == (Decimal("2.00"), Decimal("240.00"))


def test_two_hours_by_the_larger_of_two_wages_are_a_voucher_of_30_euros():
    """Van Miltenburg et al. (2024): max(£10.90 = €12.62, €12.79) × 2 h = €25.58, up to fives: €30.

    Their 10 lists of 12 minutes are paid with one voucher; at €1.158 a pound, £10.90 is €12.6222.
    """
    study = paid(
        lists_of_thirty(),
        kind="voucher",
        currency="EUR",
        minutes=12,
        living_wage="GB",
        minimum_wage="NL",
        exchange={"GBP": 1.158},
        round_up_to=5,
    )
    found = priced(study, on=date(2023, 10, 13))
    assert [floor.hourly for floor in found.floors] == [Decimal("12.62220"), Decimal("12.79")]
    assert found.floor.reason == "minimum wage"
    assert (found.work.unit, found.work.minutes) == ("participant", 120)
    assert found.reward == Decimal("30.00")
    assert found.effective_hourly == Decimal("15.00")
    assert (found.work.rewards, found.cost.total) == (2, Decimal("60.00"))


def test_without_the_voucher_each_list_is_paid_on_its_own():
    """€12.79 × 12/60 = €2.558, up to cents €2.56; 10 lists × 2 people."""
    study = paid(lists_of_thirty(), currency="EUR", minutes=12, minimum_wage="NL")
    found = priced(study, on=date(2023, 10, 13))
    assert found.reward == Decimal("2.56")
    assert (found.work.rewards, found.cost.total) == (20, Decimal("51.20"))


def test_a_fixed_reward_shows_what_an_hour_brings():
    """£2 for a median of 7:16 is printed as £16.51 an hour: 2 × 3600/436 = 16.5137…"""
    found = priced(paid(make_study(), minutes=436 / 60, reward=2.0, living_wage="GB"))
    assert found.effective_hourly == Decimal("16.51")
    assert not found.is_below_floor


def test_a_reward_below_the_floor_is_said_to_be():
    """£1.59 for 8 minutes is £11.925 an hour, which is not £12."""
    found = priced(paid(make_study(), minutes=8, reward=1.59, living_wage="GB"))
    assert found.is_below_floor
    assert found.effective_hourly == Decimal("11.92")


def with_one_long_answer():
    """20 inputs in 4 batches; one output has 2,380 words, ten minutes each time it is shown."""
    study = make_study(inputs=20)
    first = study.items[0]
    long = replace(first, outputs=("word " * 2380, *first.outputs[1:]))
    return replace(study, items=(long, *study.items[1:]))


def test_a_reward_is_for_the_longest_batch():
    """The long output is in 3 of its 6 pairs: that batch takes half an hour more than the rest."""
    study = paid(with_one_long_answer(), hourly=12)
    found = priced(study)
    took = found.work.duration
    assert took.longest == pytest.approx(took.minutes + 30, rel=0.01)
    assert found.work.minutes == ceil(took.longest)
    assert found.reward * 60 >= 12 * Decimal(took.longest)
    assert found.work.usual_minutes == ceil(took.minutes)
    assert any("Everybody is paid for the longest" in note for note in found.notes)


def test_a_fixed_reward_has_to_be_enough_for_the_longest_batch():
    """1.60 are 12.00 an hour for 8 minutes; the longest batch takes more than half an hour."""
    found = priced(paid(with_one_long_answer(), reward=1.60, hourly=12))
    assert found.is_below_floor
    assert found.effective_hourly < 4


def test_a_voucher_is_for_the_longest_batches_that_one_person_can_get():
    """One of two batches is the long one: half an hour more than two usual batches."""
    study = with_one_long_answer()
    design = study.spec.design.model_copy(update={"batches_per_participant": 2})
    study = replace(study, spec=study.spec.model_copy(update={"design": design}))
    work = priced(paid(study, kind="voucher", hourly=12)).work
    assert work.minutes == pytest.approx(work.usual_minutes + 30, abs=1)


def test_an_own_rate_counts_when_it_is_the_highest():
    found = priced(paid(make_study(), minutes=30, hourly=15.5, living_wage="GB"))
    assert found.floor.reason == "own rate"
    assert found.reward == Decimal("7.75")


def test_the_platforms_minimum_is_a_floor_too():
    """£5 an hour is not allowed; £6 is, so 10 minutes are £1."""
    found = priced(paid(make_study(), platform="prolific", minutes=10, hourly=5))
    assert found.floor.reason == "platform minimum"
    assert found.reward == Decimal("1.00")


@pytest.mark.parametrize(
    ("currency", "minimum", "recommended"), [("GBP", "6.00", "9.00"), ("USD", "8.00", "12.00")]
)
def test_prolific_asks_for_a_least_hourly_rate(currency, minimum, recommended):
    floor = platform_floor("prolific", currency)
    assert (floor.minimum, floor.recommended) == (Decimal(minimum), Decimal(recommended))


def test_a_platform_without_a_known_minimum_has_no_floor():
    assert platform_floor("prolific", "EUR") is None
    assert platform_floor("link", "GBP") is None


def test_an_unverified_fee_is_used_and_said_to_be():
    found = priced(paid(make_study(), platform="prolific", minutes=10, living_wage="GB"))
    assert found.fee_percent == platform_fee("prolific").percent
    assert any("`payment.fee_percent`" in note for note in found.notes)


def test_an_unknown_fee_gives_no_total():
    found = priced(paid(make_study(), platform="mturk", minutes=10, living_wage="GB"))
    assert found.reward == Decimal("2.00")
    assert (found.fee_percent, found.cost) == (None, None)
    assert any("mturk" in note for note in found.notes)


def test_other_rates_can_be_given():
    """A rate of 20 an hour from 2020: 6 minutes are 2."""
    wage = replace(
        known_rates().wages[0], region="XX", hourly=Decimal(20), valid_from=date(2020, 1, 1)
    )
    rates = replace(known_rates(), wages=(wage,))
    study = paid(make_study(), minutes=6, living_wage="XX")
    assert quote_price(study, draw(study), on=WINTER_2023, rates=rates).reward == Decimal("2.00")


def test_a_missing_exchange_rate_is_refused_with_the_line_to_add():
    study = paid(make_study(), minutes=10, living_wage="GB", currency="EUR")
    with pytest.raises(DesignError) as refused:
        priced(study)
    (problem,) = refused.value.problems
    assert problem.field == "payment.exchange"
    assert "`exchange: {GBP: 1.00}`" in problem.remedy


def test_everything_that_is_missing_is_told_at_once():
    study = paid(make_study(), minutes=9, living_wage="XX", minimum_wage="NL", currency="GBP")
    with pytest.raises(DesignError) as refused:
        priced(study)
    fields = [problem.field for problem in refused.value.problems]
    assert fields == ["payment.living_wage", "payment.exchange"]
    assert "GB, GB-LON, IE, NZ" in refused.value.problems[0].remedy


def test_pay_without_any_rule_is_refused():
    with pytest.raises(DesignError, match="living_wage: GB"):
        priced(paid(make_study(), minutes=10))


def test_a_reward_finer_than_the_currency_is_refused():
    with pytest.raises(DesignError, match="GBP has 2 decimals"):
        priced(paid(make_study(), minutes=10, reward=1.555))


@pytest.mark.parametrize("kind", ["credit", "unpaid"])
def test_where_no_money_is_paid_there_is_a_note_and_no_number(kind):
    found = priced(paid(make_study(), kind=kind, minutes=10))
    assert (found.reward, found.cost, found.effective_hourly, found.floor) == (None,) * 4
    assert found.notes


def test_a_study_that_says_nothing_about_pay_says_so():
    found = priced(make_study())
    assert (found.kind, found.reward) == ("unstated", None)
    assert "study.yaml says nothing about payment." in found.notes


def test_unstated_minutes_are_estimated_and_said_to_be():
    study = paid(make_study(), living_wage="GB")
    found = priced(study)
    assert found.work.minutes_are == "estimated"
    assert found.work.minutes == found.work.minutes.to_integral_value()
    assert found.work.minutes >= Decimal(found.work.duration.minutes)
    assert any("`payment.minutes` is not given" in note for note in found.notes)


def test_a_voucher_counts_the_pages_only_once():
    """Ten batches, and the pages before the first: less than ten times one batch with its pages."""
    study = replace(
        paid(lists_of_thirty(), kind="voucher", hourly=12), pages={"consent": "word " * 238}
    )
    work = workload(study, draw(study))
    parts = work.duration.parts
    exact = parts.once + 10 * (parts.reading + parts.deciding)
    assert exact <= work.minutes < exact + 1


def test_calibration_is_paid_on_top_of_the_batches():
    """As in Ito et al. (2023): 10 shared and 30 own each; 30 minutes a batch, so 10 shared are 10.

    At 12 an hour: 6 for the batch and 2 for the calibration, for each of three people.
    """
    study = make_study(
        inputs=100,
        systems=1,
        questions=[RATING],
        design={"batch": {"inputs": 30}, "calibration": 10, "participants_per_batch": 1},
    )
    found = priced(paid(study, minutes=30, hourly=12))
    assert (found.reward, found.calibration_reward) == (Decimal("6.00"), Decimal("2.00"))
    assert (found.cost.rewards, found.cost.calibration) == (Decimal("18.00"), Decimal("6.00"))
    assert found.effective_hourly == Decimal("12.00")


def test_a_fixed_reward_must_cover_the_calibration():
    """6 for 30 minutes is 12 an hour, but with 10 minutes of calibration it is 9."""
    study = make_study(
        inputs=100,
        systems=1,
        questions=[RATING],
        design={"batch": {"inputs": 30}, "calibration": 10, "participants_per_batch": 1},
    )
    found = priced(paid(study, minutes=30, reward=6, hourly=12))
    assert found.effective_hourly == Decimal("9.00")
    assert found.is_below_floor
    assert any("10 minutes of calibration" in note for note in found.notes)


@given(
    minutes=st.floats(0.1, 600).map(lambda value: round(value, 2)),
    hourly=st.floats(1, 100).map(lambda value: round(value, 2)),
    step=st.sampled_from([0.01, 0.05, 0.25, 1, 5, 10]),
    currency=st.sampled_from(["GBP", "JPY", "KWD"]),
)
def test_a_computed_reward_never_falls_below_its_floor(minutes, hourly, step, currency):
    study = paid(make_study(), minutes=minutes, hourly=hourly, round_up_to=step, currency=currency)
    found = priced(study)
    assert not found.is_below_floor
    exact = Fraction(str(hourly)) * Fraction(str(minutes)) / 60
    most = max(Fraction(str(step)), Fraction(1 if currency == "JPY" else 0))
    assert exact <= Fraction(found.reward) < exact + most + Fraction(1, 100)


@pytest.mark.parametrize(("day", "hourly"), [("2024-02-15", "12.00"), ("2022-10-01", "10.90")])
def test_a_study_is_paid_by_the_wage_of_its_own_day(day, hourly):
    """Arvan & Parde (2024), section 3.5: £12 was the living wage when they collected data."""
    study = paid(make_study(inputs=6), minutes=8, living_wage="GB", date=day)
    found = priced(study, on=date(2026, 11, 17))
    assert found.floor.hourly == Decimal(hourly)
    assert f"Wages are those of {day} (payment.date)." in found.notes
    assert not any("a newer one was due" in note for note in found.notes)


def test_a_fixed_reward_of_the_past_is_measured_against_the_wage_of_its_day():
    study = paid(make_study(inputs=6), minutes=10, living_wage="GB", reward=2.0, date="2024-02-15")
    assert not priced(study, on=date(2026, 11, 17)).is_below_floor
    today = paid(make_study(inputs=6), minutes=10, living_wage="GB", reward=2.0)
    assert priced(today, on=date(2026, 11, 17)).is_below_floor


PAID = {"currency": "GBP", "minutes": 10, "hourly": 12}  # a reward of GBP 2.00


def quoted(**payment: object):
    study = small_study(payment={**PAID, **payment})
    return quote_price(study, drawn(study), on=date(2026, 1, 1))


def test_the_rate_is_the_reward_over_the_median_time():
    """Rewards of 2.00 for 8, 10 and 30 minutes: 2.00 · 60 / 10 = 12.00 an hour."""
    found = hourly_earnings(quoted(), [Stint(1, 8), Stint(1, 30), Stint(1, 10)])
    assert found.hourly == Decimal("12.00")
    assert found.top_up is None
    assert found.people == 3


def test_where_people_need_longer_the_promise_says_what_is_owed():
    """12 an hour for a median of 15 minutes is 3.00, of which 2.00 was paid."""
    found = hourly_earnings(quoted(), [Stint(1, 15)])
    assert found.hourly == Decimal("8.00")
    assert found.promised == Decimal(12)
    assert found.top_up == Decimal("1.00")


def test_what_is_owed_is_rounded_up_and_the_rate_down():
    """10.01 minutes: 2 · 60 / 10.01 = 11.988 → 11.98; 12 · 10.01 / 60 − 2 = 0.002 → 0.01."""
    found = hourly_earnings(quoted(), [Stint(1, 10.01)])
    assert found.hourly == Decimal("11.98")
    assert found.top_up == Decimal("0.01")


def test_whoever_did_two_batches_was_paid_twice():
    """Two batches in 20 minutes and one in 10 bring the same."""
    study = small_study(payment=PAID, design={"batches_per_participant": 2})
    twice = quote_price(study, drawn(study), on=date(2026, 1, 1))
    assert hourly_earnings(twice, [Stint(2, 20), Stint(1, 10)]).hourly == Decimal("12.00")


def test_a_fixed_reward_promises_itself_over_the_stated_minutes():
    """1.50 for 10 minutes are 9.00 an hour."""
    assert promised_hourly(quoted(hourly=None, reward=1.5)) == Decimal("9.00")


def test_nothing_is_earned_before_anybody_finished_or_without_time():
    assert hourly_earnings(quoted(), []) is None
    assert hourly_earnings(quoted(), [Stint(0, 10), Stint(1, 0)]) is None


@pytest.mark.parametrize("kind", ["credit", "unpaid"])
def test_where_no_money_is_paid_there_is_no_rate(kind):
    assert hourly_earnings(quoted(kind=kind), [Stint(1, 10)]) is None


def test_a_pay_far_above_the_promise_shows_wrong_times():
    """EUR 912.22 an hour where 12 were promised: nobody read the pages."""
    assert not Earnings("EUR", Decimal("912.22"), Decimal(12), None, 8).is_plausible
    assert Earnings("EUR", Decimal(60), Decimal(12), None, 8).is_plausible
    assert Earnings("EUR", Decimal("912.22"), None, None, 8).is_plausible
