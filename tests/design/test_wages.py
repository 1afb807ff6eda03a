"""Rates of pay, and amounts that can be paid."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from paid_studies import WINTER_2023, paid, priced
from studies import make_study

from rejudge.design.wages import find_wage, known_rates, round_down, round_to_currency, round_up


@pytest.mark.parametrize(
    ("region", "kind", "on", "hourly"),
    [
        ("GB", "living", date(2022, 9, 21), "9.90"),
        ("GB", "living", date(2022, 9, 22), "10.90"),
        ("GB", "living", date(2023, 10, 23), "10.90"),
        ("GB", "living", date(2023, 10, 24), "12.00"),
        ("GB-LON", "living", date(2023, 10, 24), "13.15"),
        ("GB", "minimum", date(2025, 4, 1), "12.21"),
        ("NL", "minimum", date(2023, 10, 13), "12.79"),
        ("DE", "minimum", date(2026, 6, 1), "13.90"),
        ("US", "minimum", date(2026, 6, 1), "7.25"),
    ],
)
def test_the_rate_is_the_one_in_force_on_the_day(region, kind, on, hourly):
    assert find_wage(region, kind, on).hourly == Decimal(hourly)


@pytest.mark.parametrize(
    ("region", "kind", "on"),
    [
        ("GB", "living", date(2000, 1, 1)),
        ("XX", "living", WINTER_2023),
        ("US-CA", "minimum", WINTER_2023),
    ],
)
def test_no_rate_is_lent_from_elsewhere(region, kind, on):
    assert find_wage(region, kind, on) is None


def test_every_rate_has_a_source_and_is_plausible():
    """Each is dated, in order, given once, and between 7 and 35 units an hour."""
    wages = known_rates().wages
    assert len({(wage.region, wage.kind, wage.valid_from) for wage in wages}) == len(wages)
    assert all(wage.source and 7 <= wage.hourly <= 35 for wage in wages)
    assert all(wage.due is None or wage.due > wage.valid_from for wage in wages)
    latest = {(wage.region, wage.kind): wage for wage in sorted(wages, key=lambda w: w.valid_from)}
    without_due = [place for place, wage in latest.items() if wage.due is None]
    assert without_due == [("US", "minimum")]


def test_a_rate_that_should_have_been_renewed_is_said_to_be():
    found = priced(paid(make_study(), minutes=10, living_wage="GB"), on=date(2027, 1, 1))
    assert any("a newer one was due on 2026-10-21" in note for note in found.notes)


def test_a_rate_that_nobody_verified_is_said_to_be():
    found = priced(
        paid(make_study(), minutes=9, minimum_wage="CH-GE", currency="CHF"), date(2026, 3, 1)
    )
    assert any("is not verified" in note for note in found.notes)


@pytest.mark.parametrize(
    ("amount", "currency", "down", "nearest", "up"),
    [
        ("1.005", "GBP", "1.00", "1.01", "1.01"),
        ("1.004", "EUR", "1.00", "1.00", "1.01"),
        ("99.5", "JPY", "99", "100", "100"),
        ("1.0005", "KWD", "1.000", "1.001", "1.001"),
        ("2", "USD", "2.00", "2.00", "2.00"),
    ],
)
def test_money_is_rounded_to_what_can_be_paid(amount, currency, down, nearest, up):
    exact = Fraction(amount)
    found = [str(way(exact, currency)) for way in (round_down, round_to_currency, round_up)]
    assert found == [down, nearest, up]
