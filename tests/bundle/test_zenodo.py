"""The steps of a deposit on Zenodo; with a fake over HTTP they are in tests/cli."""

from __future__ import annotations

import hashlib

import pytest

from rejudge.bundle.deposit import DepositError, RequestList
from rejudge.bundle.zenodo import ADDRESS, ZenodoDeposit, deposit_on_zenodo, expected_replies

DEPOSIT = ZenodoDeposit(ADDRESS, "a b.zip", b"bytes", {"title": "T"})
MD5 = hashlib.md5(b"bytes", usedforsecurity=False).hexdigest()


def run(replies, *, publish=False):
    sent = RequestList(replies)
    saved = []
    record = deposit_on_zenodo(DEPOSIT, sent, before=None, save=saved.append, publish=publish)
    return [(each.method, each.url.removeprefix(ADDRESS)) for each in sent.requests], saved, record


def test_the_draft_is_recorded_before_anything_is_uploaded():
    requests, saved, record = run(lambda request: expected_replies(ADDRESS, request))

    assert requests == [
        ("POST", "/api/deposit/depositions"),
        ("PUT", "/api/files/{bucket}/a%20b.zip"),
        ("PUT", "/api/deposit/depositions/{deposition}"),
    ]
    assert saved == [record]
    assert record.is_published is False


def test_a_file_that_is_there_is_not_uploaded_again():
    draft = {"id": 7, "links": {"bucket": f"{ADDRESS}/b"},
             "files": [{"filename": "a b.zip", "checksum": MD5}]}  # fmt: skip
    requests, _, _ = run(lambda _: draft, publish=True)

    assert not any("/b/" in path for _, path in requests)
    assert requests[-1] == ("POST", "/api/deposit/depositions/7/actions/publish")


def test_a_file_that_arrived_damaged_is_noticed():
    draft = {"id": 7, "links": {"bucket": f"{ADDRESS}/b"}, "checksum": "md5:0000"}
    with pytest.raises(DepositError, match="arrived damaged"):
        run(lambda _: draft)


@pytest.mark.parametrize("draft", [{}, {"id": None}, {"id": 7}, {"id": 7, "links": {}}])
def test_a_reply_without_a_place_to_upload_to_is_an_error(draft):
    with pytest.raises(DepositError):
        run(lambda _: draft)
