"""The fake Prolific keeps the platform's rules, as far as they are documented."""

from __future__ import annotations

import csv
import io
from collections import Counter
from datetime import timedelta
from decimal import Decimal

import httpx
import pytest
from fake_account import CODES, START, Account, study_body, taskflow_body

from rejudge.prolific import ProlificApi, ProlificError
from rejudge.prolific.fake import FAKE_URL, FakeFault, FakeRefusal, create_fake_app
from rejudge.web.serving import run_site

REASON = "You answered all questions in less time than anybody needs to read them once. " * 2


@pytest.fixture
def account() -> Account:
    return Account()


# ── creating and changing studies ────────────────────────────────────────────────────────────────


def test_a_study_is_created_unpublished_and_published_by_a_transition(account):
    made = account.api.create_study(study_body())
    assert (made.status, made.total_available_places, made.reward) == ("UNPUBLISHED", 3, 200)
    assert account.api.transition_study(made.id, "PUBLISH").status == "ACTIVE"
    assert account.api.study(made.id).published_at == START


def test_creating_twice_makes_two_studies(account):
    ids = {account.api.create_study(study_body()).id for _ in range(2)}
    assert {each.id for each in account.api.studies()} == ids


BAD = {
    "no name": ({"name": None}, "name"),
    "no reward": ({"reward": None}, "reward"),
    "reward in pounds": ({"reward": 2.5}, "reward"),
    "two targets": (
        {"access_details": [{"external_url": "x", "total_allocation": 3}]},
        "exactly one",
    ),
    "no target": ({"external_study_url": None}, "exactly one"),
    "too little time": ({"maximum_allowed_time": 28}, "maximum_allowed_time"),
    "a whole day": ({"maximum_allowed_time": 1440}, "24 hours"),
    "a link": ({"description": "<a href='x'>here</a>"}, "Tags not allowed: a"),
    "a retired field": ({"completion_code": "X"}, "no longer supported"),
    "codes twice": ({"completion_codes": [CODES[0], CODES[0]]}, "unique"),
    "approve and review": (
        {
            "completion_codes": [
                {
                    "code": "X",
                    "actions": [{"action": "AUTOMATICALLY_APPROVE"}, {"action": "MANUALLY_REVIEW"}],
                }
            ]
        },
        "not both",
    ),
    "null beside others": ({"completion_codes": [{"code": None}, CODES[0]]}, "null"),
    "an unknown filter": ({"filters": [{"filter_id": "shoe-size"}]}, "Unknown filter"),
    "an unknown answer": (
        {"filters": [{"filter_id": "handedness", "selected_values": ["7"]}]},
        "Unknown choice",
    ),
    "a range without bounds": ({"filters": [{"filter_id": "age"}]}, "selected_range"),
    "an unknown device": ({"device_compatibility": ["watch"]}, "Unknown choice"),
}


@pytest.mark.parametrize(("changes", "words"), BAD.values(), ids=BAD)
def test_a_study_that_breaks_a_rule_is_refused_with_its_field(account, changes, words):
    with pytest.raises(ProlificError, match=words) as caught:
        account.api.create_study(study_body(**changes))
    assert caught.value.status == 400
    assert not account.world.studies


def test_allocations_of_taskflow_add_up_to_the_places(account):
    with pytest.raises(ProlificError, match="add up"):
        account.api.create_study(taskflow_body(2, 2) | {"total_available_places": 5})


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


def test_new_addresses_add_places(account):
    made = account.api.create_study(taskflow_body(1))
    account.api.transition_study(made.id, "PUBLISH")
    more = [{"external_url": "https://study.example.org/b9", "total_allocation": 2}]
    assert account.api.update_study(made.id, {"access_details": more}).total_available_places == 3
    assert len(account.api.url_progress(made.id)) == 2


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


def test_approving_twice_pays_once(account):
    study = account.published()
    somebody = account.come(study)
    account.world.enter_code(somebody, "DONE1")
    account.api.approve([somebody.id])
    account.api.approve([somebody.id])
    assert account.api.submission(somebody.id).status == "APPROVED"
    assert [entry.amount for entry in account.world.ledger.entries] == [200]
    assert account.api.account().balance == 10_000_000 - 200 - 67 - 13  # a third, and a fifth of it


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


def test_a_share_of_the_reward_can_be_paid(account):
    study = account.published()
    somebody = account.come(study)
    account.api.complete(somebody.id, code="PART1", percent=50)
    assert account.api.submission(somebody.id).status == "PARTIALLY APPROVED"
    assert [entry.amount for entry in account.world.ledger.entries] == [100]


def test_paid_screen_outs_pause_the_study_when_their_slots_are_used(account):
    study = account.published(total_available_places=9)
    for _ in range(3):
        account.world.enter_code(account.come(study), "OUT1")
    assert account.api.study(study).status == "PAUSED"
    assert [entry.amount for entry in account.world.ledger.entries] == [20, 20, 20]
    assert account.world.free_places(account.world.studies[study]) == 9


# ── money, exports, messages ─────────────────────────────────────────────────────────────────────


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


def test_paying_twice_pays_twice_as_on_the_real_platform(account):
    study = account.published()
    somebody = account.come(study)
    (batch,) = account.api.set_up_bonuses(study, {somebody.id: Decimal(1)})
    account.api.pay_bonuses(batch.id)
    account.api.pay_bonuses(batch.id)
    assert account.world.ledger.bonus_payments[batch.id].times_paid == 2
    assert account.api.submission(somebody.id).bonus_payments == (100, 100)


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


def test_the_export_has_a_byte_order_mark_crlf_and_expired_answers():
    account = Account(seed=4)
    study = account.published(total_available_places=40)
    people = [account.come(study) for _ in range(40)]
    account.world.enter_code(people[0], "DONE1")
    content = account.api.demographics(study, ["handedness"])
    assert content.startswith(b"\xef\xbb\xbfSubmission id,Participant id,Status,")
    assert content.count(b"\r\n") == 41
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert [row["Submission id"] for row in rows] == [each.id for each in people]
    assert rows[0]["Started at"] == "2026-03-02T09:00:00.000000Z"
    assert {"Handedness", "Age", "Employment status"} <= set(rows[0])
    assert 0 < sum(row["Age"] == "DATA_EXPIRED" for row in rows) < 40


def test_only_two_sets_of_screeners_can_be_exported(account):
    study = account.published()
    for filters in ([], ["age"], ["age"], []):
        account.api.demographics(study, filters)
    with pytest.raises(ProlificError, match="Two sets"):
        account.api.demographics(study, ["handedness"])


def test_messages_are_kept(account):
    people = [member.id for member in account.world.join(2)]
    account.api.send_message(people, study="s", body="Thank you")
    account.api.send_message(people[:1], study="s", body="One more thing")
    found = account.api.messages(participant=people[0])
    assert [each.body for each in found] == ["Thank you", "One more thing"]
    assert len(account.api.messages(since=START)) == 3


# ── lists, errors, faults ────────────────────────────────────────────────────────────────────────


def test_lists_have_twenty_entries_when_nobody_says_how_many(account):
    study = account.published(total_available_places=45)
    for _ in range(45):
        account.come(study)
    head = {"authorization": f"Token {account.world.token}"}
    for address in (f"studies/{study}/submissions/", f"submissions/?study={study}"):
        told = account.http.get(f"{FAKE_URL}/api/v1/{address}", headers=head).json()
        assert (len(told["results"]), told["meta"]["count"]) == (20, 45)
        assert told["_links"]["next"]["href"]
    assert len(list(account.api.submissions(study))) == 45
    assert len(list(account.api.submissions(study, status="ACTIVE"))) == 45
    assert account.api.submission_counts(study)["ACTIVE"] == 45


def test_the_list_of_studies_has_pages_but_no_offset(account):
    """As the real one: asking it for an offset gives the first page again and again."""
    made = [account.api.create_study(study_body()).id for _ in range(25)]
    head = {"authorization": f"Token {account.world.token}"}
    asked = f"{FAKE_URL}/api/v1/studies/?limit=100&offset=20"
    told = account.http.get(asked, headers=head).json()
    assert [each["id"] for each in told["results"]] == made[:4:-1]
    assert [each.id for each in account.api.studies()] == made[::-1]


def test_all_shapes_of_errors_occur(account):
    head = {"authorization": f"Token {account.world.token}"}
    addresses = {
        "studies/none/": {"error"},
        "submissions/none/": {"message", "detail"},
    }
    for address, keys in addresses.items():
        told = account.http.get(f"{FAKE_URL}/api/v1/{address}", headers=head)
        assert (told.status_code, set(told.json())) == (404, keys)
    told = account.http.post(
        f"{FAKE_URL}/api/v1/bulk-bonus-payments/none/pay/", headers=head
    ).json()
    assert {"status", "title", "detail"} <= set(told)


def test_a_wrong_token_is_refused(account):
    stranger = ProlificApi(account.http, "wrong", base_url=FAKE_URL)
    with pytest.raises(ProlificError) as caught:
        stranger.account()
    assert caught.value.status == 401


@pytest.mark.parametrize("content", [b"[]", b"{", b"nonsense", b"3", b"\xff"])
def test_a_request_that_cannot_be_read_is_refused_and_breaks_nothing(account, content):
    head = {"authorization": f"Token {account.world.token}"}
    for path in ("studies/", "submissions/bulk-approve/", "messages/", "hooks/subscriptions/"):
        reply = account.http.post(f"{FAKE_URL}/api/v1/{path}", content=content, headers=head)
        assert reply.status_code == 400, path


def test_screeners_keep_their_titles_when_their_ids_change(account):
    before = {each.title: each for each in account.api.filters()}
    account.world.drift()
    after = {each.title: each for each in account.api.filters()}
    assert before.keys() == after.keys()
    age = after["Age"]
    assert (age.filter_id, age.min, age.max) == ("age_v1", 18, 100)
    one, two = (each["Handedness"].choices for each in (before, after))
    assert set(one.values()) == set(two.values())


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
