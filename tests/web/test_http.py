"""Requests as handlers take them, and the cookie that goes out."""

from __future__ import annotations

import pytest


def test_the_cookie_is_closed_to_scripts_and_other_sites(opened):
    for is_secure in (False, True):
        person = opened(is_secure=is_secure).person()
        reply = person.client.get(person.link, follow_redirects=False)
        cookie = reply.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert ("; secure" in cookie) is is_secure


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"a":', "application/json", 400),
        (b"[]", "application/json", 400),
        (b"null", "application/json", 400),
        (b"", "application/json", 400),
        (b"\xff\xfe{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"a=1", "text/plain", 415),
        (b"x" * (2 << 20), "application/json", 413),
        (b"", "text/plain", 403),
    ],
    ids=["cut", "list", "null", "empty", "not-utf8", "deep", "text", "huge", "nothing"],
)
def test_garbled_bodies_are_refused_without_a_traceback(opened, body, kind, status):
    person = opened().person()
    for path in ("/save", "/task/1", "/consent"):
        reply = person.client.post(path, content=body, headers={"content-type": kind})
        assert reply.status_code == status
        assert "Traceback" not in reply.text
