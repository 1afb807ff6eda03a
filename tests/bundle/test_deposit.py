"""Requests to archives, whichever it is; the commands are tested with fakes over HTTP."""

from __future__ import annotations

import httpx
import pytest

from rejudge.bundle.deposit import (
    DepositError,
    DepositRecord,
    DepositRequest,
    HttpSender,
    check_address,
    metadata_of,
    read_token,
    record_name,
    refuse_other,
    value_at,
)
from rejudge.errors import FileError, UsageError


def sender(reply):
    return HttpSender(httpx.Client(transport=httpx.MockTransport(reply)), "secret-token")


def test_only_signed_requests_carry_the_token():
    seen = []

    def reply(request) -> httpx.Response:
        seen.append(request.headers.get("authorization"))
        return httpx.Response(200, json={"id": 1})

    send = sender(reply)
    assert send(DepositRequest("GET", "https://archive.example/x")) == {"id": 1}
    send(DepositRequest("PUT", "https://elsewhere.example/x", b"1", is_signed=False))
    assert seen == ["Bearer secret-token", None]
    assert "secret" not in repr(send)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 429, 500, 503])
def test_a_refusal_names_host_path_and_status_but_no_token(status):
    send = sender(lambda _: httpx.Response(status, text="no\nway " * 400))
    with pytest.raises(DepositError) as caught:
        send(DepositRequest("PUT", "https://archive.example/api/x?token=hidden"))

    words = str(caught.value)
    assert caught.value.status == status
    assert f"archive.example refused PUT /api/x ({status})" in words
    assert "secret" not in words
    assert "hidden" not in words
    assert len(words) < 600


def test_no_reply_is_a_message():
    def away(request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(DepositError, match="cannot be reached"):
        sender(away)(DepositRequest("GET", "https://archive.example/x"))


@pytest.mark.parametrize("body", [b"", b"OK", b"<html>"])
def test_a_reply_that_is_not_json_is_empty(body):
    send = sender(lambda _: httpx.Response(200, content=body))
    assert send(DepositRequest("PUT", "https://archive.example/x")) == {}


@pytest.mark.parametrize("reply", [{}, [], None, {"a": None}, {"a": {"b": True}}, {"a": {"b": ""}}])
def test_a_reply_without_what_is_needed_is_not_followed(reply):
    with pytest.raises(DepositError, match=r"a\.b"):
        value_at(reply, "a", "b")
    assert value_at({"a": {"b": 7}}, "a", "b") == "7"


def test_a_token_comes_from_the_environment_alone():
    assert read_token({"HF_TOKEN": " x "}, "huggingface") == "x"
    with pytest.raises(DepositError, match="ZENODO_TOKEN"):
        read_token({"HF_TOKEN": "x"}, "zenodo")


@pytest.mark.parametrize(
    "address", ["https://zenodo.org/", "http://localhost:8000", "http://[::1]:1"]
)
def test_addresses_that_keep_a_token_secret(address):
    assert check_address(address) == address.rstrip("/")


@pytest.mark.parametrize("address", ["http://zenodo.org", "zenodo.org", "https://", "", "a b"])
def test_addresses_that_do_not(address):
    with pytest.raises(UsageError):
        check_address(address)


def test_a_record_belongs_to_one_archive():
    record = DepositRecord("zenodo", "https://zenodo.org", "1", "f")

    refuse_other(record, address="https://zenodo.org", file="x")
    with pytest.raises(UsageError, match="was begun at"):
        refuse_other(record, address="https://sandbox.zenodo.org", file="x")
    assert record_name("a.b.zip", "zenodo") == "a.b.zenodo.json"


def test_a_bundle_without_a_description_is_refused():
    with pytest.raises(FileError, match="--croissant"):
        metadata_of({}, file="x.zip")
