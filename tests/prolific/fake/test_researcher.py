"""What researchers do on the fake platform: create, change, publish, review and pay."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from fake_account import START, Account, study_body, taskflow_body

from rejudge.prolific.fake.routes import FAKE_URL
from rejudge.prolific.transport import ProlificError

REASON = "You answered all questions in less time than anybody needs to read them once. " * 2


@pytest.fixture
def account() -> Account:
    return Account()


def test_a_study_is_created_unpublished_and_published_by_a_transition(account):
    made = account.api.create_study(study_body())
    assert (made.status, made.total_available_places, made.reward) == ("UNPUBLISHED", 3, 200)
    assert account.api.transition_study(made.id, "PUBLISH").status == "ACTIVE"
    assert account.api.study(made.id).published_at == START


def test_creating_twice_makes_two_studies(account):
    ids = {account.api.create_study(study_body()).id for _ in range(2)}
    assert {each.id for each in account.api.studies()} == ids


def test_an_underpaid_or_unaffordable_study_is_not_published():
    poor = Account(balance=100)
    made = poor.api.create_study(study_body())
    with pytest.raises(ProlificError, match="Insufficient funds"):
        poor.api.transition_study(made.id, "PUBLISH")
    cheap = poor.api.create_study(study_body(reward=99))
    with pytest.raises(ProlificError, match="Below the minimum"):
        poor.api.transition_study(cheap.id, "PUBLISH")


def test_after_publishing_places_only_go_up_and_little_else_changes(account):
    study = account.published()
    assert (
        account.api.update_study(study, {"total_available_places": 5}).total_available_places == 5
    )
    for changes in ({"total_available_places": 4}, {"reward": 300}, {"name": "x"}):
        with pytest.raises(ProlificError):
            account.api.update_study(study, changes)


def test_states_change_only_along_documented_lines(account):
    study = account.published()
    for action, after in (("PAUSE", "PAUSED"), ("START", "ACTIVE"), ("STOP", "COMPLETED")):
        assert account.api.transition_study(study, action).status == after
    with pytest.raises(ProlificError) as caught:
        account.api.transition_study(study, "START")
    assert caught.value.status == 409
    account.api.update_study(study, {"total_available_places": 4})
    assert account.api.study(study).status == "ACTIVE"


def test_a_planned_study_publishes_itself(account):
    made = account.api.create_study(study_body())
    account.api.transition_study(made.id, "SCHEDULE_PUBLISH", publish_at=START + timedelta(hours=1))
    assert account.api.study(made.id).status == "SCHEDULED"
    account.time.wait(hours=1)
    assert account.api.study(made.id).status == "ACTIVE"


def test_new_addresses_add_places(account):
    made = account.api.create_study(taskflow_body(1))
    account.api.transition_study(made.id, "PUBLISH")
    more = [{"external_url": "https://study.example.org/b9", "total_allocation": 2}]
    assert account.api.update_study(made.id, {"access_details": more}).total_available_places == 3
    assert len(account.api.url_progress(made.id)) == 2


def test_a_rejection_needs_a_reason_and_can_be_taken_back(account):
    study = account.published()
    somebody = account.come(study)
    account.world.enter_code(somebody, "DONE1")
    path = f"{FAKE_URL}/api/v1/submissions/{somebody.id}/transition/"
    head = {"authorization": f"Token {account.world.token}"}
    reply = account.http.post(path, json={"action": "REJECT", "message": "bad"}, headers=head)
    assert reply.status_code == 400
    account.api.reject(somebody.id, message=REASON, category="LOW_EFFORT")
    assert account.api.submission(somebody.id).status == "REJECTED"
    account.api.unreject(somebody.id)
    assert account.api.submission(somebody.id).status == "AWAITING REVIEW"


def test_a_share_of_the_reward_can_be_paid(account):
    study = account.published()
    somebody = account.come(study)
    account.api.complete(somebody.id, code="PART1", percent=50)
    assert account.api.submission(somebody.id).status == "PARTIALLY APPROVED"
    assert [entry.amount for entry in account.world.ledger.entries] == [100]


def test_bonuses_are_in_major_units_and_paid_by_a_request_of_their_own(account):
    study = account.published()
    one, two = account.come(study), account.come(study)
    amounts = {one.participant: Decimal("4.25"), two.id: Decimal(30)}
    (batch,) = account.api.set_up_bonuses(study, amounts)
    assert (batch.amount, batch.fees, batch.vat, batch.total_amount) == (3425, 1142, 228, 4795)
    assert not account.world.ledger.entries
    account.api.pay_bonuses(batch.id)
    assert account.api.submission(one.id).bonus_payments == (425,)
    assert account.api.submission(two.id).bonus_payments == (3000,)


def test_only_two_sets_of_screeners_can_be_exported(account):
    study = account.published()
    for filters in ([], ["age"], ["age"], []):
        account.api.demographics(study, filters)
    with pytest.raises(ProlificError, match="Two sets"):
        account.api.demographics(study, ["handedness"])
