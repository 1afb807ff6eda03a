"""The fake Prolific keeps the platform's rules, as far as they are documented."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import httpx
import pytest
from fake_account import Account, study_body, taskflow_body

from rejudge.prolific.api import ProlificApi
from rejudge.prolific.fake.app import create_fake_app
from rejudge.prolific.fake.records import FakeFault, FakeRefusal
from rejudge.prolific.fake.routes import FAKE_URL
from rejudge.prolific.transport import ProlificError
from rejudge.web.serving import run_site

REASON = "You answered all questions in less time than anybody needs to read them once. " * 2


@pytest.fixture
def account() -> Account:
    return Account()


# ── creating and changing studies ────────────────────────────────────────────────────────────────


# ── places ───────────────────────────────────────────────────────────────────────────────────────


def test_a_reservation_lapses_after_ten_minutes(account):
    study = account.published(total_available_places=1)
    somebody = account.world.reserve(study, account.world.join(1)[0].id)
    account.time.wait(minutes=9, seconds=59)
    with pytest.raises(FakeRefusal, match="no places left"):
        account.come(study)
    account.time.wait(seconds=1)
    account.come(study)
    assert account.api.submission(somebody.id).status == "TIMED-OUT"


def test_whoever_takes_too_long_is_timed_out_and_frees_the_place(account):
    study = account.published(total_available_places=1)
    slow = account.come(study)
    account.time.wait(minutes=29)
    assert account.api.submission(slow.id).status == "TIMED-OUT"
    account.come(study)


def test_nobody_takes_part_twice_not_even_after_returning(account):
    study = account.published()
    somebody = account.come(study)
    account.world.give_back(somebody)
    with pytest.raises(FakeRefusal, match="taken part"):
        account.world.reserve(study, somebody.participant)


def test_a_paused_study_lets_people_finish_but_nobody_in(account):
    study = account.published()
    somebody = account.come(study)
    account.api.transition_study(study, "PAUSE")
    with pytest.raises(FakeRefusal):
        account.come(study)
    assert account.world.enter_code(somebody, "DONE1") == "AWAITING REVIEW"


def test_people_of_earlier_studies_can_be_kept_out(account):
    first = account.published()
    known = account.come(first)
    account.world.give_back(known)
    chosen = {"filter_id": "previous_studies_blocklist", "selected_values": [first]}
    second = account.published(filters=[chosen])
    with pytest.raises(FakeRefusal, match="not eligible"):
        account.world.reserve(second, known.participant)
    account.come(second)


@pytest.mark.parametrize("frees", [True, False])
def test_taskflow_fills_every_address_and_replaces_returns(frees):
    account = Account(returns_free_urls=frees)
    made = account.api.create_study(taskflow_body(2, 3))
    account.api.transition_study(made.id, "PUBLISH")
    people = [account.come(made.id) for _ in range(5)]
    assert [each.open for each in account.api.url_progress(made.id)] == [0, 0]
    with pytest.raises(FakeRefusal):
        account.come(made.id)
    account.world.give_back(people[0])
    assert sum(each.open for each in account.api.url_progress(made.id)) == 1
    replacement = account.come(made.id)
    assert replacement.url == people[0].url
    assert Counter(each.url.rpartition("=")[2] for each in (*people[1:], replacement)) == {
        "b1": 2,
        "b2": 3,
    }


def test_a_study_with_one_address_has_no_progress_of_addresses(account):
    assert account.api.url_progress(account.published()) is None


# ── codes and reviews ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("DONE1", "AWAITING REVIEW"),
        ("NO1", "AWAITING REVIEW"),
        ("AUTO1", "APPROVED"),
        ("OUT1", "SCREENED OUT"),
        ("PART1", "AWAITING REVIEW"),  # not for participants: as good as a wrong one
        ("WRONG", "AWAITING REVIEW"),
        (None, "AWAITING REVIEW"),
    ],
)
def test_every_code_leads_to_its_state(account, code, status):
    study = account.published()
    somebody = account.come(study)
    assert account.world.enter_code(somebody, code) == status
    listed = next(account.api.submissions(study))
    assert (listed.status, listed.study_code) == (status, code or "NOCODE")
    assert (listed.return_requested is not None) == (code == "NO1")


def test_a_full_study_awaits_review_and_is_complete_when_all_are_reviewed(account):
    study = account.published(total_available_places=2)
    people = [account.come(study) for _ in range(2)]
    for each in people:
        account.world.enter_code(each, "DONE1")
    assert account.api.study(study).status == "AWAITING REVIEW"
    account.api.reject(people[0].id, message=REASON, category="TOO_QUICKLY")
    assert account.api.study(study).status == "ACTIVE"  # the place is free again
    account.world.enter_code(account.come(study), "DONE1")
    account.api.approve([each.id for each in account.api.submissions(study)][1:])
    assert account.api.study(study).status == "COMPLETED"


def test_bulk_approval_leaves_out_who_returned_meanwhile(account):
    study = account.published()
    somebody = account.come(study)
    account.world.enter_code(somebody, "DONE1")
    account.world.approve_later([somebody.id])
    somebody.status = "RETURNED"
    account.world.pass_time()
    assert not account.world.ledger.entries


def test_whoever_is_not_reviewed_is_approved_after_three_weeks(account):
    study = account.published()
    somebody = account.come(study)
    account.world.enter_code(somebody, None)
    account.time.wait(days=21)
    assert account.api.submission(somebody.id).status == "APPROVED"


def test_who_comes_back_when_the_place_is_taken_is_surplus(account):
    study = account.published(total_available_places=1)
    first = account.come(study)
    account.world.enter_code(first, "DONE1")
    account.api.reject(first.id, message=REASON, category="OTHER")
    account.come(study)
    account.api.unreject(first.id)
    assert account.world.submission(first.id).is_surplus


def test_who_finished_late_can_be_approved_and_is_surplus(account):
    study = account.published(total_available_places=1)
    late = account.come(study)
    account.time.wait(hours=2)
    account.come(study)
    assert account.world.enter_code(late, "DONE1") == "TIMED-OUT"
    account.api.approve([late.id])
    assert account.api.submission(late.id).status == "APPROVED"
    assert account.world.submission(late.id).is_surplus


def test_paid_screen_outs_pause_the_study_when_their_slots_are_used(account):
    study = account.published(total_available_places=9)
    for _ in range(3):
        account.world.enter_code(account.come(study), "OUT1")
    assert account.api.study(study).status == "PAUSED"
    assert [entry.amount for entry in account.world.ledger.entries] == [20, 20, 20]
    assert account.world.free_places(account.world.studies[study]) == 9


# ── money, exports, messages ─────────────────────────────────────────────────────────────────────


def test_the_client_does_not_pay_twice_when_the_reply_is_lost(account):
    study = account.published()
    somebody = account.come(study)
    (batch,) = account.api.set_up_bonuses(study, {somebody.id: Decimal(1)})
    account.world.faults.append(FakeFault(502, "/pay/", is_carried_out=True))
    with pytest.raises(ProlificError) as caught:
        account.api.pay_bonuses(batch.id)
    assert caught.value.is_outcome_unknown
    assert account.world.ledger.bonus_payments[batch.id].times_paid == 1


def test_a_lost_reply_to_publishing_does_no_harm(account):
    made = account.api.create_study(study_body())
    account.world.faults.append(FakeFault(502, "/transition/", is_carried_out=True))
    assert account.api.transition_study(made.id, "PUBLISH").status == "ACTIVE"


# ── lists, errors, faults ────────────────────────────────────────────────────────────────────────


def test_a_wrong_token_is_refused(account):
    stranger = ProlificApi(account.http, "wrong", base_url=FAKE_URL)
    with pytest.raises(ProlificError) as caught:
        stranger.account()
    assert caught.value.status == 401


def test_a_fault_is_overcome_by_trying_again(account):
    account.world.faults += [FakeFault(503), FakeFault(429)]
    assert account.api.account().currency_code == "GBP"
    assert len(account.slept) == 2


def test_the_fake_can_be_served_over_http(account):
    study = account.published()
    somebody = account.come(study)
    with run_site(create_fake_app(account.world)) as address, httpx.Client() as http:
        api = ProlificApi(http, account.world.token, base_url=address)
        assert [each.id for each in api.submissions(study)] == [somebody.id]
        assert (
            api.reward_recommendations(workspace=account.world.workspace, currency="GBP")[
                0
            ].min_reward_per_hour
            == 600
        )
        with pytest.raises(ProlificError, match="Not found"):
            api.pay_bonuses("none")
