"""Requests to Prolific: what is repeated, what errors say, and that the token stays secret."""

from __future__ import annotations

import json
import random
from decimal import Decimal

import httpx
import pytest

from rejudge.prolific.client import (
    DRY_RUN_ID,
    DryRunTransport,
    ProlificApi,
    ProlificError,
    read_base_url,
    read_token,
)

TOKEN = "secret-token-of-a-lab"  # noqa: S105 - of these tests
PERSON = "5f0e0c0a0b0c0d0e0f0a0b0c"
OK = httpx.Response(200, json={"id": "s1", "status": "ACTIVE"})


class Script:
    """Answers requests with what was prepared, in this order, and keeps what was sent."""

    def __init__(self, *replies: httpx.Response | Exception) -> None:
        self.replies = list(replies)
        self.sent: list[httpx.Request] = []
        self.slept: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def api(self) -> ProlificApi:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return ProlificApi(http, TOKEN, sleep=self.slept.append, rng=random.Random(1))  # noqa: S311


def test_every_request_carries_the_token_and_goes_to_the_documented_address():
    script = Script(OK)
    script.api().study("s1")
    assert str(script.sent[0].url) == "https://api.prolific.com/api/v1/studies/s1/"
    assert script.sent[0].headers["authorization"] == f"Token {TOKEN}"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_request_that_reads_is_repeated_with_growing_pauses(status):
    script = Script(*[httpx.Response(status)] * 3, OK)
    assert script.api().study("s1").status == "ACTIVE"
    assert len(script.sent) == 4
    assert all(0 <= pause <= 2**place for place, pause in enumerate(script.slept))


def test_the_platforms_own_pause_is_kept():
    script = Script(httpx.Response(429, headers={"retry-after": "17"}), OK)
    script.api().study("s1")
    assert script.slept == [17]


def test_a_request_is_given_up_after_six_attempts():
    script = Script(*[httpx.Response(503)] * 6)
    with pytest.raises(ProlificError) as caught:
        script.api().study("s1")
    assert (len(script.sent), caught.value.status) == (6, 503)


UNREPEATED = {
    "create": lambda api: api.create_study({"name": "x"}),
    "pay": lambda api: api.pay_bonuses("b1"),
    "set up": lambda api: api.set_up_bonuses("s1", {"abc": Decimal(1)}),
    "new addresses": lambda api: api.update_study("s1", {"access_details": []}),
}


@pytest.mark.parametrize("call", UNREPEATED.values(), ids=UNREPEATED)
@pytest.mark.parametrize(
    "fault", [httpx.Response(502), httpx.ReadTimeout("late"), httpx.RemoteProtocolError("cut")]
)
def test_what_must_not_happen_twice_is_not_repeated_when_it_may_have_happened(call, fault):
    script = Script(fault, OK)
    with pytest.raises(ProlificError) as caught:
        call(script.api())
    assert len(script.sent) == 1
    assert caught.value.is_outcome_unknown
    assert "before you try again" in str(caught.value)


@pytest.mark.parametrize("call", UNREPEATED.values(), ids=UNREPEATED)
@pytest.mark.parametrize("fault", [httpx.Response(429), httpx.ConnectError("refused")])
def test_what_certainly_did_not_happen_is_tried_again(call, fault):
    script = Script(fault, OK)
    call(script.api())
    assert len(script.sent) == 2


def test_a_transition_without_a_reply_is_looked_up_and_not_sent_again():
    script = Script(httpx.ReadTimeout("late"), OK)
    assert script.api().transition_study("s1", "PUBLISH").status == "ACTIVE"
    assert [request.method for request in script.sent] == ["POST", "GET"]


def test_a_transition_that_was_not_carried_out_stays_an_error():
    paused = httpx.Response(200, json={"id": "s1", "status": "UNPUBLISHED"})
    with pytest.raises(ProlificError, match="may have been carried out"):
        Script(httpx.Response(500), paused).api().transition_study("s1", "PUBLISH")


NESTED = {
    "error": {
        "status": 400,
        "error_code": 140001,
        "title": "Wrong input",
        "detail": {"reward": ["Too low."], "name": ["Missing.", "Short."]},
        "additional_information": "See the help",
    }
}
SHAPES = {
    "nested": (NESTED, "Wrong input. reward: Too low.; name: Missing., Short. See the help"),
    "flat": ({"message": "Not so.", "detail": "It is locked"}, "Not so. It is locked"),
    "unnested": ({"status": 400, "title": "Wrong", "detail": ["a", "b"]}, "Wrong. a, b"),
    "detail alone": ({"detail": "Invalid token."}, "Invalid token"),
    "fields alone": ({"places": ["too few"]}, "places: too few"),
    "list": (["no", "never"], "no, never"),
}


@pytest.mark.parametrize(("body", "words"), SHAPES.values(), ids=SHAPES)
def test_every_shape_of_error_becomes_one_message_with_a_remedy(body, words):
    with pytest.raises(ProlificError) as caught:
        Script(httpx.Response(400, json=body)).api().study("s1")
    assert words in str(caught.value)
    assert caught.value.problems[0].remedy
    assert len(caught.value.problems) == 1


def test_the_number_of_an_error_is_kept():
    with pytest.raises(ProlificError) as caught:
        Script(httpx.Response(400, json=NESTED)).api().study("s1")
    assert (caught.value.status, caught.value.code) == (400, 140001)


def test_a_page_that_is_not_json_is_shown_but_not_at_full_length():
    with pytest.raises(ProlificError) as caught:
        Script(httpx.Response(403, text="<h1>no</h1>" * 900)).api().study("s1")
    assert "<h1>no</h1>" in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"id": None}),
        httpx.Response(200, json=[1]),
        httpx.Response(302, headers={"location": "https://elsewhere.example"}),
    ],
)
def test_an_unexpected_reply_is_an_error_and_no_traceback(reply):
    with pytest.raises(ProlificError):
        Script(reply).api().study("s1")


def test_no_id_of_a_person_is_in_an_error():
    told = {"detail": f"Participant {PERSON} was paid already"}
    with pytest.raises(ProlificError) as caught:
        Script(httpx.Response(400, json=told)).api().submission(PERSON)
    assert PERSON not in str(caught.value)
    assert "/api/v1/submissions/…/" in str(caught.value)


def test_the_token_is_in_no_representation_and_no_error():
    script = Script(httpx.Response(401, json={"detail": f"Invalid token {TOKEN}"}))
    api = script.api()
    with pytest.raises(ProlificError) as caught:
        api.study("s1")
    assert TOKEN not in str(caught.value) + repr(caught.value) + repr(api) + str(vars(api))
    assert "REJUDGE_PROLIFIC_TOKEN" in str(caught.value)


def test_ids_cannot_lead_to_another_address():
    script = Script(OK)
    script.api().study("../../users/me?x=")
    assert script.sent[0].url.raw_path == b"/api/v1/studies/..%2F..%2Fusers%2Fme%3Fx%3D/"


def test_the_token_comes_from_the_environment_alone():
    assert read_token({"PROLIFIC_TOKEN": "a"}) == "a"
    assert read_token({"PROLIFIC_TOKEN": "a", "REJUDGE_PROLIFIC_TOKEN": " b\n"}) == "b"
    with pytest.raises(ProlificError, match="REJUDGE_PROLIFIC_TOKEN"):
        read_token({"PROLIFIC_TOKEN": "  "})


def test_the_token_travels_by_tls_or_on_this_machine():
    assert read_base_url({}) == "https://api.prolific.com"
    assert read_base_url({"REJUDGE_PROLIFIC_URL": "http://127.0.0.1:8123/"}).endswith(":8123")
    for address in ("http://prolific.example", "ftp://127.0.0.1", "nonsense", "http://127.0.0.1.x"):
        with pytest.raises(ProlificError, match="https"):
            read_base_url({"REJUDGE_PROLIFIC_URL": address})


def test_a_dry_run_reads_but_sends_nothing_that_changes_anything():
    script = Script(OK, httpx.Response(200, json={"count": 3}))
    dry = DryRunTransport(httpx.MockTransport(script))
    api = ProlificApi(httpx.Client(transport=dry), TOKEN)
    assert api.study("s1").status == "ACTIVE"
    assert api.count_eligible([]) == 3
    made = api.create_study({"name": "Überprüfung", "reward": 120})
    api.transition_study(made.id, "PUBLISH")
    api.pay_bonuses("b1")
    assert api.demographics("s1") == b""
    assert [request.method for request in script.sent] == ["GET", "POST"]
    assert (made.id, made.reward) == (DRY_RUN_ID, 120)
    assert [each.url.rpartition("/api/v1")[2] for each in dry.kept] == [
        "/studies/",
        f"/studies/{DRY_RUN_ID}/transition/",
        "/bulk-bonus-payments/b1/pay/",
        "/studies/s1/demographic-export/",
    ]
    shown = str(dry.kept[0])
    assert shown.startswith("POST https://api.prolific.com/api/v1/studies/\n")
    assert json.loads(shown.split("\n", 2)[2]) == {"name": "Überprüfung", "reward": 120}
    assert TOKEN not in "".join(map(str, dry.kept))
