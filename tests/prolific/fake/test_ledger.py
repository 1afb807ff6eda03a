"""The money of the fake account: every payment with fee and tax, and what is left."""

from __future__ import annotations

from decimal import Decimal

import pytest
from fake_account import LINK, START, Account
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.fake.ledger import FakeLedger, charges, cost_of
from rejudge.prolific.fake.records import (
    FakeSubmission,
)


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
