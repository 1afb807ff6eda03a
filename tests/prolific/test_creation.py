"""A study on Prolific follows from study and plan, and is created once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from math import sqrt

import pytest
from fake_account import Account
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import StudyError, UsageError
from rejudge.prolific.client import ProlificError, RewardRecommendation
from rejudge.prolific.fake import FakeFault
from rejudge.prolific.study import (
    CreationOptions,
    SiteKeys,
    check_pay,
    create_once,
    draft_study,
    maximum_minutes,
    offer_of,
    read_record,
)
from rejudge.study.site import Codes
from small_site import study_of

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ON = date(2026, 3, 2)
CODES = Codes(completed="C1", declined="D1", full="F1")
PAID = """
payment: {kind: paid, currency: GBP, hourly: 12, minutes: 10}
recruitment: {platform: prolific, regions: [GB], approval_percent: 95}
"""
SITE = SiteKeys(CODES, b"s" * 32)
OPTIONS = CreationOptions("https://study.example.org/x/")


@pytest.fixture
def account() -> Account:
    return Account()


def draft(account: Account, *, options: CreationOptions = OPTIONS, more: str = PAID, **size: int):
    study, plan = study_of(**{"batches": 2, "people": 3, **size}, more=more)
    return draft_study(account.api, study, plan, site=SITE, options=options, on=ON)


def create(account: Account, folder, mark: str = "abc"):
    return create_once(
        account.api, folder, draft(account), mark=mark, base_url="https://x", now=NOW
    )


def test_the_request_says_what_the_study_and_the_plan_say(account):
    body = draft(account).body
    assert body["external_study_url"] == (
        "https://study.example.org/x/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    assert body["total_available_places"] == 6  # two batches for three people each
    assert body["reward"] == 200  # ten minutes at GBP 12 an hour, in pence
    assert (body["estimated_completion_time"], body["maximum_allowed_time"]) == (10, 29)
    assert [(each["code"], each["code_type"]) for each in body["completion_codes"]] == [
        ("C1", "COMPLETED"),
        ("D1", "NO_CONSENT"),
        ("F1", "OTHER"),
    ]
    assert [each["actions"][0]["action"] for each in body["completion_codes"]] == [
        "MANUALLY_REVIEW",
        "REQUEST_RETURN",
        "MANUALLY_REVIEW",
    ]
    assert len(body["filters"]) == 2


def test_the_fake_accepts_every_kind_of_study(account):
    for is_taskflow in (False, True):
        options = replace(OPTIONS, is_taskflow=is_taskflow, devices=("desktop",), project="p1")
        account.api.create_study(draft(account, options=options).body)
    assert len(account.world.studies) == 2


def test_taskflow_has_one_address_for_each_batch(account):
    body = draft(account, options=replace(OPTIONS, is_taskflow=True), batches=3).body
    assert "external_study_url" not in body
    assert [each["total_allocation"] for each in body["access_details"]] == [3, 3, 3]
    endings = [each["external_url"].partition("&BATCH=")[2] for each in body["access_details"]]
    assert len(set(endings)) == 3
    assert all(endings)


def several(batches: int, people: int = 2):
    study, plan = study_of(batches=4, people=people, more=PAID)
    return study, replace(plan, batches_per_participant=batches)


def test_with_taskflow_a_person_has_a_submission_for_each_batch(account):
    study, plan = several(2)
    plan = replace(plan, conflicts={})
    options = replace(OPTIONS, is_taskflow=True)
    made = draft_study(account.api, study, plan, site=SITE, options=options, on=ON)
    assert made.body["submissions_config"]["max_submissions_per_participant"] == 2
    assert (made.offer.reward, made.offer.minutes, made.offer.places) == (200, 10, plan.places)
    assert sum(e["total_allocation"] for e in made.body["access_details"]) == plan.places


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"conflicts": {"b1": ("b2",)}}, "share inputs"),
        ({"lists": {"ann": ("b1",)}}, "have their own lists"),
    ],
)
def test_taskflow_is_refused_where_prolific_cannot_keep_the_plan(account, change, words):
    study, plan = several(2)
    plan = replace(plan, **({"conflicts": {}} | change))
    options = replace(OPTIONS, is_taskflow=True)
    with pytest.raises(StudyError, match=words):
        draft_study(account.api, study, plan, site=SITE, options=options, on=ON)


def test_a_submission_covers_all_batches_of_a_person():
    offer = offer_of(*several(2), on=ON)
    assert (offer.reward, offer.minutes, offer.places) == (400, 20, 4)
    assert "covers up to 2 batches" in offer.notes[-1]


@pytest.mark.parametrize(
    ("payment", "words"),
    [
        ("{kind: unpaid}", "payment in money"),
        ("{kind: voucher, currency: GBP, hourly: 12}", "payment in money"),
        ("{currency: EUR, hourly: 12, minutes: 10}", "GBP or USD"),
        ("{currency: USD, hourly: 12, minutes: 10}", "the account pays in GBP"),
        ("{currency: GBP, reward: 0.5, minutes: 10}", "Prolific's minimum is GBP 6.00"),
    ],
)
def test_pay_that_prolific_does_not_allow_is_refused(account, payment, words):
    more = f"payment: {payment}\nrecruitment: {{platform: prolific}}"
    with pytest.raises(StudyError, match=words) as caught:
        draft(account, more=more)
    assert caught.value.problems[0].remedy


def test_pay_below_the_recommended_rate_is_noted(account):
    more = "payment: {currency: GBP, hourly: 8, minutes: 10}\nrecruitment: {platform: prolific}"
    assert "Prolific recommends GBP 9.00" in " ".join(draft(account, more=more).notes)


def test_the_newest_recommendation_counts():
    study, plan = study_of(more=PAID)
    offer = offer_of(study, plan, on=ON)
    newest = RewardRecommendation(min_reward_per_hour=1300, recommended_reward_per_hour=1400)
    older = RewardRecommendation(min_reward_per_hour=600, recommended_reward_per_hour=900)
    assert check_pay(offer, [older, newest]) == ()
    with pytest.raises(StudyError, match=r"to 2\.17"):
        check_pay(offer, [newest, older])


@given(st.integers(1, 600))
def test_the_maximum_time_follows_the_platforms_rule(minutes):
    assert maximum_minutes(minutes) >= 2 + 2 * minutes + 2 * sqrt(minutes)
    assert maximum_minutes(minutes) < 24 * 60


def test_the_published_examples_of_the_rule():
    """The API's documentation: 23.66 minutes for 8, and 28.32 for 10."""
    assert (maximum_minutes(8), maximum_minutes(10)) == (24, 29)


# ── once ─────────────────────────────────────────────────────────────────────────────────────────


def test_creating_writes_a_record_with_the_resolved_screeners(account, tmp_path):
    record = create(account, tmp_path)
    assert record == read_record(tmp_path)
    assert record.study in account.world.studies
    assert record.body["metadata"] == "abc"
    assert [each.title for each in record.screeners] == [
        "Current country of residence",
        "Approval rate",
    ]
    assert record.eligible == 152_649 // 4
    assert [each.action for each in record.actions] == ["CREATE"]


def test_a_second_study_is_not_created(account, tmp_path):
    create(account, tmp_path)
    with pytest.raises(UsageError, match="already"):
        create(account, tmp_path)
    assert len(account.world.studies) == 1


def test_a_lost_reply_does_not_lead_to_a_second_study(account, tmp_path):
    account.world.faults.append(FakeFault(502, "/studies/", is_carried_out=True))
    record = create(account, tmp_path)
    assert list(account.world.studies) == [record.study]


def test_the_next_attempt_finds_the_study_of_an_interrupted_one(account, tmp_path):
    """The reply is lost, and so is the connection with which one could look for the study."""
    down = [FakeFault(503, "/studies/")] * 6
    account.world.faults += [FakeFault(502, "/studies/", is_carried_out=True), *down]
    with pytest.raises(ProlificError):
        create(account, tmp_path, mark="first")
    assert read_record(tmp_path).study is None
    record = create(account, tmp_path, mark="second")
    assert (record.mark, list(account.world.studies)) == ("first", [record.study])


def test_an_attempt_that_was_refused_is_made_again(account, tmp_path):
    account.world.faults += [FakeFault(502, "/studies/")]
    with pytest.raises(ProlificError):
        create(account, tmp_path, mark="first")
    assert not account.world.studies
    assert create(account, tmp_path, mark="second").mark == "first"
    assert len(account.world.studies) == 1


@pytest.mark.slow
def test_the_marked_study_is_found_among_many(account, tmp_path):
    for number in range(150):
        body = draft(account).body | {"internal_name": f"other {number}"}
        account.api.create_study(body)
    down = [FakeFault(503, "/studies/")] * 6
    account.world.faults += [FakeFault(502, "/studies/", is_carried_out=True), *down]
    with pytest.raises(ProlificError):
        create(account, tmp_path)
    assert create(account, tmp_path).study == list(account.world.studies)[-1]


def test_a_title_that_looks_like_html_is_shown_as_it_is_written(account):
    study, plan = study_of(2, 3, more=PAID)
    spec = study.spec.model_copy(update={"title": "A < B & 日本語 <script>"})
    study = replace(study, spec=spec, pages={})
    body = draft_study(account.api, study, plan, site=SITE, options=OPTIONS, on=ON).body
    assert body["name"] == "A < B & 日本語 <script>"
    assert body["description"] == "<p>A &lt; B &amp; 日本語 &lt;script&gt;</p>"
