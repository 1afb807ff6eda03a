"""rejudge prolific bonus: amounts in a table are paid once, by a fake Prolific over HTTP."""

from __future__ import annotations

import json

import pytest
from click.testing import Result

from rejudge.prolific.fake import FakeFault
from rejudge.prolific.submissions import PAYMENTS
from served import run, said


@pytest.fixture
def pay(posted, tmp_path):
    """Pay amounts, for a name, from a table."""

    def pay_table(rows: str, name: str = "thanks", *options: str) -> Result:
        table = tmp_path / "thanks.csv"
        table.write_text(f"participant,amount\n{rows}\n", encoding="utf-8")
        return run("prolific", "bonus", posted, "--file", table, "--name", name, *options)

    return pay_table


def bonuses(account):
    return [entry.amount for entry in account.world.ledger.entries if entry.kind == "bonus"]


def test_bonuses_of_a_table_are_paid_once(account, posted, crowd, pay):
    crowd.finish()
    said("prolific", "approve", posted, "--yes")
    paid = pay("p0001,1.50", "thanks", "--yes", "--json")
    assert json.loads(paid.stdout) == {"paid": "thanks", "participants": 1, "total": "1.50"}
    assert bonuses(account) == [150]
    again = pay("p0001,1.50", "thanks", "--yes")
    assert again.exit_code == 2
    assert "has already been paid" in again.output
    record = (posted / PAYMENTS).read_text(encoding="utf-8")
    assert "p0001" in record
    assert not any(each in record for each in account.world.members)


def test_an_interrupted_payment_is_cleared_up_by_a_person(account, posted, crowd, pay):
    crowd.finish()
    account.world.faults.append(FakeFault(502, "/pay/", is_carried_out=True))
    assert pay("p0001,1.50", "thanks", "--yes").exit_code == 2
    stopped = pay("p0001,1.50", "thanks", "--yes")
    assert stopped.exit_code == 2
    assert "--was-paid" in stopped.output
    cleared = said("prolific", "bonus", posted, "--was-paid", "thanks")
    assert cleared == {"payment": "thanks", "state": "paid"}
    assert bonuses(account) == [150]


def test_a_payment_that_was_begun_keeps_another_from_being_made(account, crowd, pay):
    crowd.finish()
    account.world.faults += [FakeFault(503, "/pay/", is_carried_out=True)]
    assert pay("p0001,1.50", "a", "--yes").exit_code == 2
    other = pay("p0001,1.50", "b", "--yes")
    assert other.exit_code == 2
    assert "“a” was started but not finished" in other.output
    assert len(account.world.ledger.entries) == 1


def test_a_corrected_table_counts_as_long_as_nothing_was_set_up(account, crowd, pay):
    crowd.finish()
    account.world.faults += [FakeFault(400, "/bonus-payments/")]
    assert pay("p0001,900", "a", "--yes").exit_code == 2
    assert json.loads(pay("p0001,0.90", "a", "--yes", "--json").stdout)["total"] == "0.90"
    assert [each.amount for each in account.world.ledger.entries] == [90]


def test_nothing_is_paid_by_a_dry_run_or_without_a_word_of_consent(account, posted, crowd, pay):
    crowd.finish()
    asked = pay("p0001,1.50")
    assert asked.exit_code == 2
    assert "This pays 1.50 to 1 participant, before fees." in " ".join(asked.output.split())
    dry = pay("p0001,1.50", "thanks", "--dry-run", "--json")
    assert dry.exit_code == 0, dry.output
    assert [each["method"] for each in json.loads(dry.stdout)["requests"]] == ["POST", "POST"]
    assert not account.world.ledger.entries
    assert not (posted / PAYMENTS).exists()


def test_a_promise_that_was_kept_owes_nothing(account, posted, crowd):
    crowd.finish()
    assert said("prolific", "bonus", posted, "--top-up", "--yes") == {"paid": None}
    assert not account.world.ledger.entries


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "say what to pay."),
        (("--top-up", "--file", "thanks.csv"), "say what to pay."),
        (("--was-paid", "nothing"), "there is no payment “nothing”."),
        (("--was-not-paid", "nothing"), "Known: none."),
    ],
)
def test_a_request_that_cannot_be_followed_says_why(posted, options, words):
    refused = run("prolific", "bonus", posted, *options)
    assert refused.exit_code == 2
    assert words in " ".join(refused.output.split())
