"""Which addresses a site can be served under."""

from __future__ import annotations

import json
import socket
from contextlib import closing

import pytest

from rejudge.web import serving
from served import make_folder, run


@pytest.mark.parametrize(
    "address",
    [
        "study.example.org",
        "ftp://example.org",
        "https://",
        "https://[example.org",
        "https://example.org/study?a=b",
        "https://example.org/study#top",
        "https://example.org//study",
        "https://example.org/a study",
        "https://example.org/żółw",
    ],
)
def test_what_pages_cannot_stand_under_is_refused_in_words(tmp_path, address):
    result = run("serve", tmp_path, "--base-url", address, "--port", 0)
    assert result.exit_code == 2
    assert "is not a valid address for the site" in result.output


def test_an_ipv6_address_is_told_as_browsers_take_it(tmp_path, monkeypatch):
    with closing(socket.socket(socket.AF_INET6)) as one:
        try:
            one.bind(("::1", 0))
        except OSError:
            pytest.skip("needs IPv6")

    def end_at_once(_, taken, site) -> None:
        taken.close()
        site.store.close()

    monkeypatch.setattr(serving, "serve", end_at_once)
    folder = make_folder(tmp_path / "study")
    result = run("serve", folder, "--host", "::1", "--port", 0, "--json")
    told = json.loads(result.stdout)
    assert told["listens"] == told["address"]
    assert told["listens"].startswith("http://[::1]:")
