"""The addresses of the fake API, its lists and its errors."""

from __future__ import annotations

import pytest
from fake_account import START, Account, study_body

from rejudge.prolific.fake.routes import FAKE_URL, ROUTES, FakeReply


@pytest.fixture
def account() -> Account:
    return Account()


def test_messages_are_kept(account):
    people = [member.id for member in account.world.join(2)]
    account.api.send_message(people, study="s", body="Thank you")
    account.api.send_message(people[:1], study="s", body="One more thing")
    found = account.api.messages(participant=people[0])
    assert [each.body for each in found] == ["Thank you", "One more thing"]
    assert len(account.api.messages(since=START)) == 3


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


@pytest.mark.parametrize("content", [b"[]", b"{", b"nonsense", b"3", b"\xff"])
def test_a_request_that_cannot_be_read_is_refused_and_breaks_nothing(account, content):
    head = {"authorization": f"Token {account.world.token}"}
    for path in ("studies/", "submissions/bulk-approve/", "messages/", "hooks/subscriptions/"):
        reply = account.http.post(f"{FAKE_URL}/api/v1/{path}", content=content, headers=head)
        assert reply.status_code == 400, path


def test_every_address_leads_to_one_handler():
    paths = {
        (method, pattern.pattern.replace("([0-9A-Za-z_-]+)", "abc123").removesuffix("/?"))
        for method, pattern, _ in ROUTES
    }
    assert len(paths) == len(ROUTES)
    for method, path in paths:
        literal = [h for m, p, h in ROUTES if m == method and p.fullmatch(path)]
        assert literal, path


def test_ids_cannot_leave_their_place_in_an_address():
    for _, pattern, _ in ROUTES:
        assert not pattern.fullmatch("/studies/../users/me")
        assert not pattern.fullmatch("/studies/a/b/c/d")


def test_a_reply_is_json_or_the_bytes_it_has():
    assert FakeReply({"a": [1]}).encoded() == b'{"a": [1]}'
    assert FakeReply(b"a,b").encoded() == b"a,b"
