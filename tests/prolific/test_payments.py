"""Bonuses: nobody is paid twice, whatever goes wrong between two steps."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError, FileError
from rejudge.prolific.client import BonusBatch
from rejudge.prolific.submissions import (
    PAYMENTS,
    BonusPayment,
    PaymentRecord,
    pay,
    read_bonuses,
    read_record,
    resolve,
    top_ups,
    write_record,
)

PERSONS = {f"p{n:04}": f"{n:024x}" for n in range(6)}


class Bank:
    """Pays what was set up, as often as it is asked; fails where the script says so."""

    def __init__(self, fail_at: int | None = None, *, is_paid_before_failing: bool = False) -> None:
        self.set_up: dict[str, dict[str, Decimal]] = {}
        self.received: dict[str, Decimal] = {}
        self._fail_at = fail_at
        self._late = is_paid_before_failing
        self._step = 0

    def _may_fail(self) -> bool:
        self._step += 1
        return self._step == self._fail_at

    def set_up_bonuses(self, study: str, amounts: dict[str, Decimal]) -> list[BonusBatch]:
        if self._may_fail():
            raise ConnectionError
        names = list(amounts)
        batches = []
        for start in range(0, len(names), 2):  # two lines at most
            key = f"batch-{len(self.set_up)}"
            self.set_up[key] = {name: amounts[name] for name in names[start : start + 2]}
            batches.append(BonusBatch(id=key, study=study))
        return batches

    def pay_bonuses(self, batch: str) -> None:
        fails = self._may_fail()
        if not fails or self._late:
            for person, amount in self.set_up[batch].items():
                self.received[person] = self.received.get(person, Decimal(0)) + amount
        if fails:
            raise ConnectionError


def owed(**amounts: str) -> BonusPayment:
    return BonusPayment("thanks", {name: Decimal(text) for name, text in amounts.items()})


def test_bonuses_arrive_once_and_the_record_says_so():
    bank, kept = Bank(), []
    done = pay(
        owed(p0001="1.50", p0002="0.25", p0003="2"), bank, "s", persons=PERSONS, keep=kept.append
    )
    assert bank.received == {PERSONS["p0001"]: Decimal("1.50"), PERSONS["p0002"]: Decimal("0.25"),
                             PERSONS["p0003"]: Decimal(2)}  # fmt: skip
    assert [each.state for each in kept] == [
        "planned", "set up", "paying", "set up", "paying", "set up", "paid",
    ]  # fmt: skip
    with pytest.raises(DataError, match="already been paid"):
        pay(done, bank, "s", persons=PERSONS, keep=kept.append)


@given(st.integers(1, 4), st.booleans())
def test_after_any_failure_everybody_is_paid_exactly_once(fail_at, late):
    """The request may have been carried out or not; a person looks, and says so."""
    bank, kept = Bank(fail_at, is_paid_before_failing=late), []
    first = owed(p0001="1.50", p0002="0.25", p0003="2")
    try:
        pay(first, bank, "s", persons=PERSONS, keep=kept.append)
    except ConnectionError:
        found = kept[-1]
        if found.state == "paying":
            with pytest.raises(DataError, match="interrupted"):
                pay(found, bank, "s", persons=PERSONS, keep=kept.append)
            found = resolve(found, was_paid=late)
        if found.state != "paid":
            pay(found, bank, "s", persons=PERSONS, keep=kept.append)
    assert bank.received == {PERSONS[name]: amount for name, amount in first.amounts.items()}


def test_the_record_survives_on_disk(tmp_path):
    record = PaymentRecord(()).with_payment(owed(p0001="1.50"))
    record = record.with_payment(
        BonusPayment("b", {"p0002": Decimal("0.10")}, "paid", ("x",), ("x",))
    )
    write_record(tmp_path, record)
    assert read_record(tmp_path) == record
    assert read_record(tmp_path).paid_to("p0002") == Decimal("0.10")
    assert read_record(tmp_path).paid_to("p0001") == 0


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "payments": [3]}']
)
def test_a_damaged_record_stops_everything(tmp_path, content):
    (tmp_path / PAYMENTS).write_text(content)
    with pytest.raises(FileError, match="paid twice"):
        read_record(tmp_path)


def test_top_ups_count_what_was_paid_before():
    record = PaymentRecord((BonusPayment("a", {"p1": Decimal("0.50")}, "paid"),))
    assert top_ups(Decimal("0.50"), {"p1": 2, "p2": 1, "p3": 0}, record) == {
        "p1": Decimal("0.50"),
        "p2": Decimal("0.50"),
    }


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "column"),
        ("participant,amount\n", "nobody"),
        ("participant,amount\np1,1.505\n", "not an amount"),
        ("participant,amount\np1,-1\n", "not an amount"),
        ("participant,amount\np1,£1\n", "not an amount"),
        ("participant,amount\np1,NaN\n", "not an amount"),
        ("participant,amount\np1,1e3000000\n", "not an amount"),
        ("participant,amount\np9,1\n", "did not finish"),
        ("participant,amount\np1,1\np1,2\n", "twice"),
    ],
)
def test_faults_of_a_table_of_bonuses_are_named(table, message):
    with pytest.raises(FileError, match=message):
        read_bonuses(table.encode(), known=["p1", "p2"], file="bonuses.csv")


def test_a_table_of_bonuses_is_read():
    table = "\ufeffAmount,Participant,why\r\n1.50,p1,thanks\r\n,,\r\n2,p2,\r\n"
    found = read_bonuses(table.encode(), known=["p1", "p2"], file="bonuses.csv")
    assert found == {"p1": Decimal("1.50"), "p2": Decimal(2)}
