"""The steps of a deposit on Hugging Face; with a fake over HTTP they are in tests/cli."""

from __future__ import annotations

import json

import pytest

from rejudge.bundle.deposit import DepositError, RequestList
from rejudge.bundle.huggingface import (
    ADDRESS,
    HubDeposit,
    check_repository,
    deposit_on_hub,
    expected_replies,
)
from rejudge.errors import UsageError

FILES = {"README.md": "# Grüße 日本\n".encode(), "x.zip": b"PK\0"}
DEPOSIT = HubDeposit(ADDRESS, "our-lab/trees", "f", FILES, "Add trees")


def run(replies, *, publish=False):
    sent = RequestList(replies)
    deposit_on_hub(DEPOSIT, sent, before=None, save=lambda _: None, publish=publish)
    return sent.requests


def usual(request):
    return expected_replies(DEPOSIT, request)


def test_the_steps_are_those_of_the_hub():
    paths = [each.url.removeprefix(ADDRESS) for each in run(usual, publish=True)]

    assert paths == [
        "/api/repos/create",
        "/api/datasets/our-lab/trees/preupload/main",
        "/datasets/our-lab/trees.git/info/lfs/objects/batch",
        "{address that the hub names}",
        "/api/datasets/our-lab/trees/commit/main",
        "/api/datasets/our-lab/trees/settings",
    ]


def test_a_commit_has_texts_inside_and_names_large_files():
    commit = next(each for each in run(usual) if "/commit/" in each.url)
    lines = [json.loads(line) for line in commit.body.splitlines()]

    assert [line["key"] for line in lines] == ["header", "file", "lfsFile"]
    assert lines[1]["value"]["encoding"] == "base64"
    assert lines[2]["value"]["size"] == 3
    assert lines[1]["value"]["content"] not in commit.about


def test_an_address_without_encryption_gets_nothing():
    def reply(request) -> object:
        told = usual(request)
        for each in told.get("objects", ()):
            each["actions"]["upload"]["href"] = "http://elsewhere.example/x"
        return told

    with pytest.raises(DepositError, match="not encrypted"):
        run(reply)


def test_the_token_stays_with_the_hub():
    def reply(request) -> object:
        told = usual(request)
        for each in told.get("objects", ()):
            each["actions"] = {
                "upload": {"href": "https://store.example/x", "header": None},
                "verify": {"href": "https://store.example/verify"},
            }
        return told

    signed = {each.url for each in run(reply) if each.is_signed}
    assert all(url.startswith(f"{ADDRESS}/") for url in signed)


@pytest.mark.parametrize("name", ["", "x", "a/", "/a", "a/b/c", "a b/c", "a/-b", "a/..", "ü/b"])
def test_names_that_no_repository_has(name):
    with pytest.raises(UsageError):
        check_repository(name)


def test_a_usual_name():
    assert check_repository("Our-Lab/my_study.v2") == "Our-Lab/my_study.v2"
