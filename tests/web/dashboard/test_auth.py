"""Who comes in, and who does not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from rejudge.store import SESSION_LASTS

PAGES = ["/desk/", "/desk/live", "/desk/people", "/desk/log", "/desk/downloads"]


@pytest.mark.parametrize("path", [*PAGES, "/desk/access", "/desk/downloads/judgments.csv"])
def test_without_a_login_every_page_leads_to_the_form(office, path):
    answer = office.client.get(path, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/desk/login"


def test_the_script_is_told_when_the_session_is_over(office):
    answer = office.client.get("/desk/live", headers={"X-Desk": "live"})
    assert answer.status_code == 401


@pytest.mark.parametrize("path", PAGES)
def test_a_viewer_sees_every_page(office, path):
    assert office.log_in("viewer").get(path).status_code == 200


def test_a_one_time_token_opens_once_and_its_session_holds(office):
    secret = office.store.grant("owner", now=office.clock(), one_time=True)
    office.client.post("/desk/login", data={"token": secret})
    assert office.client.get("/desk/").status_code == 200
    office.client.cookies.clear()
    assert office.client.post("/desk/login", data={"token": secret}).status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "é" * 40, "x" * 30_000])
def test_a_wrong_token_is_refused_in_words(office, token):
    answer = office.client.post("/desk/login", data={"token": token})
    assert answer.status_code == 403
    assert "not known, was revoked" in answer.text


def test_the_secret_is_stored_nowhere(office, tmp_path):
    office.log_in()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert office.secrets["owner"].encode() not in stored


def test_after_five_failures_even_the_right_token_waits(office):
    secret = office.store.grant("owner", now=office.clock())
    for _ in range(5):
        office.client.post("/desk/login", data={"token": "wrong"})
    answer = office.client.post("/desk/login", data={"token": secret})
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "60"
    office.clock.go(60)
    assert office.client.post("/desk/login", data={"token": secret}).status_code == 200


def test_a_login_form_from_another_site_is_refused(office):
    secret = office.store.grant("owner", now=office.clock())
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert (
        office.client.post("/desk/login", data={"token": secret}, headers=cross).status_code == 403
    )


def test_logins_are_in_the_log(office):
    office.log_in()
    assert (office.last_line().what, office.last_line().who) == ("logged in", "owner 1")


def test_a_revoked_token_ends_its_sessions_at_once(office):
    client = office.log_in("viewer")
    office.store.revoke(1, who="owner 9", now=office.clock())
    assert client.get("/desk/", follow_redirects=False).status_code == 303


def test_a_session_ends_after_half_a_day(office):
    client = office.log_in()
    office.clock.go((SESSION_LASTS + timedelta(seconds=1)).total_seconds())
    assert client.get("/desk/", follow_redirects=False).status_code == 303


def test_whoever_logs_out_is_out(office):
    client = office.log_in()
    kept = dict(client.cookies)
    assert office.act("/logout").url.path == "/desk/login"
    assert client.get("/desk/", follow_redirects=False).status_code == 303
    client.cookies.update(kept)  # somebody has a copy
    assert client.get("/desk/", follow_redirects=False).status_code == 303


def test_a_link_to_the_dashboard_ends_by_itself(office):
    secret = office.store.grant("owner", now=office.clock(), one_time=True)
    office.clock.go(24 * 3600)
    answer = office.client.post("/desk/login", data={"token": secret})
    assert answer.status_code == 403
    assert "expired" in answer.text


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/desk/login", {"GET", "HEAD", "POST"}),
        ("/desk/logout", {"POST"}),
        ("/desk/people", {"GET", "HEAD"}),
        ("/save", {"POST"}),
        ("/consent", {"GET", "HEAD", "POST"}),
        ("/healthz", {"GET", "HEAD"}),
    ],
)
def test_a_method_that_is_not_taken_is_answered_with_those_that_are(office, path, allowed):
    answer = office.client.request("DELETE", path)
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "path",
    [
        "/state",
        "/assignments/1",
        "/batches/b1/place",
        "/people/p0001/withdraw",
        "/identities",
        "/access/grant",
        "/access/1/revoke",
    ],
)
def test_a_viewer_cannot_act(office, path):
    office.log_in("viewer")
    lines = len(office.store.log())
    answer = office.act(path, reason="Because.", event="exclude", state="closed", confirm="p0001")
    assert answer.status_code == 403
    assert "lets you look, not act" in answer.text
    assert len(office.store.log()) == lines


def test_a_viewer_neither_sees_nor_opens_the_page_of_tokens(office):
    client = office.log_in("viewer")
    assert "/desk/access" not in client.get("/desk/").text
    assert client.get("/desk/access").status_code == 403


def test_a_form_without_the_token_of_its_page_does_nothing(office):
    client = office.log_in()
    answer = client.post("/desk/state", data={"state": "closed", "csrf": "0" * 32})
    assert answer.status_code == 403
    assert office.store.state == "open"


def test_the_form_token_of_another_session_does_nothing(office):
    office.log_in()
    old = office.csrf()
    client = office.log_in()
    assert client.post("/desk/state", data={"state": "closed", "csrf": old}).status_code == 403


def test_a_form_that_is_far_too_long_is_refused(office):
    client = office.log_in()
    answer = client.post("/desk/state", data={"state": "closed", "reason": "x" * 30_000})
    assert answer.status_code == 413


def test_the_cookie_is_out_of_reach_of_scripts_and_other_paths(office):
    secret = office.store.grant("owner", now=office.clock())
    answer = office.client.post("/desk/login", data={"token": secret}, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=lax", "path=/desk"))
    assert "secure" not in cookie


def test_behind_tls_the_cookie_travels_by_tls_alone(office):
    object.__setattr__(office.site, "is_secure", True)
    secret = office.store.grant("owner", now=office.clock())
    answer = office.client.post("/desk/login", data={"token": secret}, follow_redirects=False)
    assert "; secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_comes_with_a_strict_policy_and_is_kept_nowhere(office, path):
    answer = office.log_in().get(path)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert " style=" not in answer.text
    assert "<script>" not in answer.text
