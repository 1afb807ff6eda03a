"""What the fake keeps of a study, a submission and a payment."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from fake_account import CODES, LINK, START, Account, study_body
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.fake.records import (
    FakeLedger,
    FakeRefusal,
    FakeStudy,
    FakeSubmission,
    LedgerEntry,
    charges,
    cost_of,
)


def study(**changes: Any) -> FakeStudy:
    return FakeStudy("s1", study_body(**changes), START)


def test_a_code_is_found_by_what_somebody_entered():
    assert study().code("DONE1") == CODES[0]
    assert study().code("done1") is None
    assert study(completion_codes=None).code("DONE1") is None


def test_places_and_reward_are_those_of_the_body():
    assert (study().places, study().reward) == (3, 200)


def test_a_submission_takes_from_start_to_completion():
    somebody = FakeSubmission("x", "p", "s1", "ACTIVE", START, LINK)
    assert somebody.seconds is None
    somebody.started_at = START
    assert somebody.seconds is None
    somebody.completed_at = START + timedelta(days=1, seconds=2.5)
    assert somebody.seconds == 86_402.5


def test_a_payment_costs_fee_and_tax_too():
    assert LedgerEntry("bonus", "s1", "p", "x", 100, 33, 7).total == 140


@pytest.mark.parametrize("detail", ["Not found.", {"name": ["This field is required."]}])
def test_a_refusal_keeps_its_detail(detail):
    refusal = FakeRefusal(detail, status=404)
    assert (refusal.detail, refusal.status) == (detail, 404)


@pytest.fixture
def account() -> Account:
    return Account()


def test_approving_twice_pays_once(account):
    study = account.published()
    somebody = account.come(study)
    account.world.enter_code(somebody, "DONE1")
    account.api.approve([somebody.id])
    account.api.approve([somebody.id])
    assert account.api.submission(somebody.id).status == "APPROVED"
    assert [entry.amount for entry in account.world.ledger.entries] == [200]
    assert account.api.account().balance == 10_000_000 - 200 - 67 - 13  # a third, and a fifth of it


def test_paying_twice_pays_twice_as_on_the_real_platform(account):
    study = account.published()
    somebody = account.come(study)
    (batch,) = account.api.set_up_bonuses(study, {somebody.id: Decimal(1)})
    account.api.pay_bonuses(batch.id)
    account.api.pay_bonuses(batch.id)
    assert account.world.ledger.bonus_payments[batch.id].times_paid == 2
    assert account.api.submission(somebody.id).bonus_payments == (100, 100)


@given(st.integers(0, 10**7))
def test_a_cost_is_the_sum_of_its_parts(rewards):
    cost = cost_of(rewards)
    fee, vat = charges(rewards)
    assert cost["total_cost"] == rewards + fee + vat
    assert abs(3 * fee - rewards) <= 2  # a third, to the nearest penny
    assert abs(5 * vat - fee) <= 3


@given(st.lists(st.integers(1, 10_000), max_size=20))
def test_the_balance_is_the_deposit_less_all_payments(amounts):
    ledger = FakeLedger("GBP", 10**9)
    somebody = FakeSubmission("s", "p", "study", "APPROVED", START, LINK)
    for amount in amounts:
        ledger.pay("reward", somebody, amount)
    assert ledger.balance == 10**9 - sum(cost_of(amount)["total_cost"] for amount in amounts)
