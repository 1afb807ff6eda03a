"""The typed client: what it sends, and how it reads lists to their end."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.prolific.client import ProlificApi, ProlificError


def api_of(handle: Callable[[httpx.Request], httpx.Response]) -> ProlificApi:
    http = httpx.Client(transport=httpx.MockTransport(handle))
    return ProlificApi(http, "token", sleep=lambda _: None)


class Recorder:
    """Answers everything alike and keeps what was sent."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.sent: list[tuple[str, str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content or b"null")
        self.sent.append((request.method, request.url.path.removeprefix("/api/v1"), body))
        return httpx.Response(200, json=self.reply)


def entries(number: int) -> list[dict[str, str]]:
    return [{"id": f"{place:024x}", "status": "APPROVED"} for place in range(number)]


@settings(max_examples=examples(50))
@given(
    total=st.integers(0, 450),
    most=st.integers(1, 120),
    tells=st.sampled_from(["count", "links", "nothing"]),
    style=st.sampled_from(["offset", "page", "page with 404"]),
)
def test_lists_are_read_to_their_end_whatever_the_platform_tells(total, most, tells, style):
    """It may give fewer entries at a time than asked for, and may not say how many there are."""
    listed = entries(total)

    def handle(request: httpx.Request) -> httpx.Response:
        asked = request.url.params
        size = min(most, int(asked.get("limit") or asked["page_size"]))
        start = int(asked.get("offset", 0)) or size * (int(asked.get("page", 1)) - 1)
        if style == "page with 404" and start >= max(1, total):
            return httpx.Response(404, json={"detail": "Invalid page."})
        href = "https://elsewhere.example" if start + size < total else None
        more = {"count": {"meta": {"count": total}}, "links": {"_links": {"next": {"href": href}}}}
        return httpx.Response(
            200, json={"results": listed[start : start + size], **more.get(tells, {})}
        )

    api = api_of(handle)
    found = list(api.submissions("s1") if style == "offset" else api.studies())
    assert [each.id for each in found] == [each["id"] for each in listed]


def test_a_list_without_pages_is_read_once():
    """A platform that ignores `offset` would otherwise be asked for ever."""
    recorder = Recorder({"results": entries(3)})
    assert len(list(api_of(recorder).submissions("s1"))) == 3
    assert len(recorder.sent) == 2


def test_a_submission_that_moves_to_the_next_page_comes_once():
    listed = entries(25)

    def handle(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params["offset"])
        if start:  # somebody new came meanwhile: everything moves by one
            listed.insert(0, {"id": "f" * 24, "status": "ACTIVE"})
        return httpx.Response(
            200, json={"results": listed[start : start + 20], "meta": {"count": len(listed)}}
        )

    found = [each.id for each in api_of(handle).submissions("s1")]
    assert len(found) == len(set(found)) == 25


@pytest.mark.parametrize(
    ("spelled", "read"),
    [
        ("AWAITING_REVIEW", "AWAITING REVIEW"),
        ("AWAITING REVIEW", "AWAITING REVIEW"),
        ("TIMED-OUT", "TIMED-OUT"),
        ("TIMED_OUT", "TIMED-OUT"),
        ("PARTIALLY APPROVED", "PARTIALLY APPROVED"),
        ("A STATE OF THE FUTURE", "UNKNOWN"),
    ],
)
def test_states_are_read_however_they_are_spelled(spelled, read):
    detail = {"id": "x", "participant": "p", "study_id": "s", "status": spelled, "new": [1]}
    found = api_of(Recorder(detail)).submission("x")
    assert (found.status, found.participant_id) == (read, "p")


def test_counts_are_by_state_without_the_total():
    told = {"ACTIVE": 2, "AWAITING REVIEW": 1, "TIMED-OUT": 0, "TOTAL": 3, "NEW": 4, "NEWER": 1}
    counts = api_of(Recorder(told)).submission_counts("s1")
    assert counts == {"ACTIVE": 2, "AWAITING REVIEW": 1, "TIMED-OUT": 0, "UNKNOWN": 5}


def test_many_submissions_are_approved_a_thousand_at_a_time():
    recorder = Recorder({"message": "ok"})
    api_of(recorder).approve([f"{number}" for number in range(2500)])
    assert [len(body["submission_ids"]) for _, _, body in recorder.sent] == [1000, 1000, 500]
    assert {path for _, path, _ in recorder.sent} == {"/submissions/bulk-approve/"}


def test_bonuses_are_sent_in_major_units_two_hundred_at_a_time():
    recorder = Recorder({"id": "b", "amount": 425, "total_amount": 566})
    amounts = {f"{number:024x}": Decimal("4.25") for number in range(201)}
    batches = api_of(recorder).set_up_bonuses("s1", amounts)
    lines = [body["csv_bonuses"].split("\n") for _, _, body in recorder.sent]
    assert [len(each) for each in lines] == [200, 1]
    assert lines[1] == [f"{200:024x},4.25"]
    assert [batch.total_amount for batch in batches] == [566, 566]


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "NaN"])
def test_a_bonus_that_cannot_be_paid_is_not_sent(amount):
    recorder = Recorder({})
    with pytest.raises((ProlificError, ArithmeticError)):
        api_of(recorder).set_up_bonuses("s1", {"a": Decimal(amount)})
    assert not recorder.sent


def test_a_short_message_of_rejection_is_not_sent():
    recorder = Recorder({})
    with pytest.raises(ProlificError, match="at least 100"):
        api_of(recorder).reject("x", message="bad", category="LOW_EFFORT")
    assert not recorder.sent


def test_a_webhook_is_confirmed_with_the_secret_of_its_reply():
    sent = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append((request.url.path, json.loads(request.content)))
        headers = {"X-Hook-Secret": "proof"} if len(sent) == 1 else {}
        return httpx.Response(201, json={"id": "h1"}, headers=headers)

    made = api_of(handle).subscribe(
        "w", event_type="submission.status.change", target_url="https://x.example/hook"
    )
    assert made.id == "h1"
    assert sent[1] == ("/api/v1/hooks/subscriptions/h1/", {"secret": "proof"})


def test_money_with_decimals_is_read_as_whole_pence():
    """The documentation calls amounts numbers with decimals."""
    cost = api_of(Recorder({"total_cost": 2000.5, "fees": 12.0})).study_cost("s1")
    assert (cost.total_cost, cost.fees, cost.vat) == (2000, 12, None)
