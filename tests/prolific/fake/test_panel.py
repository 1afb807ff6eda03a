"""The fake panel: screeners whose ids drift, and the export of demographics."""

from __future__ import annotations

import csv
import io
import random

import pytest
from fake_account import LINK, START, Account
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.fake.panel import EXPIRED, demographic_csv, draw_member, make_filters
from rejudge.prolific.fake.records import (
    FakeSubmission,
    PanelMember,
)


@pytest.fixture
def account() -> Account:
    return Account()


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


def test_screeners_keep_their_titles_when_their_ids_change(account):
    before = {each.title: each for each in account.api.filters()}
    account.world.drift()
    after = {each.title: each for each in account.api.filters()}
    assert before.keys() == after.keys()
    age = after["Age"]
    assert (age.filter_id, age.min, age.max) == ("age_v1", 18, 100)
    one, two = (each["Handedness"].choices for each in (before, after))
    assert set(one.values()) == set(two.values())


@given(st.integers(0, 2**32), st.integers(0, 9))
def test_every_generation_of_screeners_has_the_same_titles_and_answers(seed, generation):
    rng = random.Random(seed)  # noqa: S311 - a simulation
    first, later = make_filters(0, rng), make_filters(generation, rng)
    assert first.keys() == later.keys()
    for name, each in later.items():
        assert each["title"] == first[name]["title"]
        assert sorted(each.get("choices", {}).values()) == sorted(
            first[name].get("choices", {}).values()
        )


@given(st.integers(0, 2**32))
def test_a_member_answers_every_usual_question(seed):
    member = draw_member(random.Random(seed), "m1")  # noqa: S311 - a simulation
    assert 18 <= int(member.answers["Age"]) <= 80
    assert all(member.answers.values())


def test_a_screener_that_nobody_answered_has_expired():
    somebody = FakeSubmission("s1", "m1", "study", "ACTIVE", START, LINK)
    members = {"m1": PanelMember("m1", {"Age": "31"})}
    text = demographic_csv([somebody], members, ["Shoe size"]).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["Age"], row["Shoe size"], row["Completion code"]) == ("31", EXPIRED, "")
