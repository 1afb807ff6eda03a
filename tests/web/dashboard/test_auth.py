"""Who comes in, and who does not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from rejudge.store.oversight import SESSION_LASTS

PAGES = [
    "/dashboard/",
    "/dashboard/live",
    "/dashboard/people",
    "/dashboard/log",
    "/dashboard/downloads",
]


@pytest.mark.parametrize(
    "path", [*PAGES, "/dashboard/access", "/dashboard/downloads/judgments.csv"]
)
def test_without_a_login_every_page_leads_to_the_form(site, path):
    answer = site.client.get(path, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/dashboard/login"


def test_the_script_learns_that_the_session_is_over(site):
    answer = site.client.get("/dashboard/live", headers={"X-Dashboard": "live"})
    assert answer.status_code == 401


@pytest.mark.parametrize("path", PAGES)
def test_a_viewer_sees_every_page(site, path):
    assert site.log_in("viewer").get(path).status_code == 200


def test_a_one_time_token_opens_once_and_its_session_holds(site):
    secret = site.store.grant("owner", now=site.clock(), one_time=True)
    site.client.post("/dashboard/login", data={"token": secret})
    assert site.client.get("/dashboard/").status_code == 200
    site.client.cookies.clear()
    assert site.client.post("/dashboard/login", data={"token": secret}).status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "é" * 40, "x" * 30_000])
def test_a_wrong_token_is_refused_in_words(site, token):
    answer = site.client.post("/dashboard/login", data={"token": token})
    assert answer.status_code == 403
    assert "unknown, was revoked" in answer.text


def test_the_secret_is_stored_nowhere(site, tmp_path):
    site.log_in()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert site.secrets["owner"].encode() not in stored


def test_after_five_failures_even_the_right_token_waits(site):
    secret = site.store.grant("owner", now=site.clock())
    for _ in range(5):
        site.client.post("/dashboard/login", data={"token": "wrong"})
    answer = site.client.post("/dashboard/login", data={"token": secret})
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "60"
    site.clock.go(60)
    assert site.client.post("/dashboard/login", data={"token": secret}).status_code == 200


def test_a_login_form_from_another_site_is_refused(site):
    secret = site.store.grant("owner", now=site.clock())
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert (
        site.client.post("/dashboard/login", data={"token": secret}, headers=cross).status_code
        == 403
    )


def test_logins_are_in_the_log(site):
    site.log_in()
    assert (site.last_line().what, site.last_line().who) == ("logged in", "owner 1")


def test_a_revoked_token_ends_its_sessions_at_once(site):
    client = site.log_in("viewer")
    site.store.revoke(1, who="owner 9", now=site.clock())
    assert client.get("/dashboard/", follow_redirects=False).status_code == 303


def test_a_session_ends_after_half_a_day(site):
    client = site.log_in()
    site.clock.go((SESSION_LASTS + timedelta(seconds=1)).total_seconds())
    assert client.get("/dashboard/", follow_redirects=False).status_code == 303


def test_whoever_logs_out_is_out(site):
    client = site.log_in()
    kept = dict(client.cookies)
    assert site.act("/logout").url.path == "/dashboard/login"
    assert client.get("/dashboard/", follow_redirects=False).status_code == 303
    client.cookies.update(kept)  # somebody has a copy
    assert client.get("/dashboard/", follow_redirects=False).status_code == 303


def test_a_link_to_the_dashboard_ends_by_itself(site):
    secret = site.store.grant("owner", now=site.clock(), one_time=True)
    site.clock.go(24 * 3600)
    answer = site.client.post("/dashboard/login", data={"token": secret})
    assert answer.status_code == 403
    assert "expired" in answer.text


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/dashboard/login", {"GET", "HEAD", "POST"}),
        ("/dashboard/logout", {"POST"}),
        ("/dashboard/people", {"GET", "HEAD"}),
        ("/save", {"POST"}),
        ("/consent", {"GET", "HEAD", "POST"}),
        ("/healthz", {"GET", "HEAD"}),
    ],
)
def test_a_method_that_is_not_taken_is_answered_with_those_that_are(site, path, allowed):
    answer = site.client.request("DELETE", path)
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
def test_a_viewer_cannot_act(site, path):
    site.log_in("viewer")
    lines = len(site.store.log())
    answer = site.act(path, reason="Because.", event="exclude", state="closed", confirm="p0001")
    assert answer.status_code == 403
    assert "not make changes" in answer.text
    assert len(site.store.log()) == lines


def test_a_viewer_neither_sees_nor_opens_the_page_of_tokens(site):
    client = site.log_in("viewer")
    assert "/dashboard/access" not in client.get("/dashboard/").text
    assert client.get("/dashboard/access").status_code == 403


def test_a_form_without_the_token_of_its_page_does_nothing(site):
    client = site.log_in()
    answer = client.post("/dashboard/state", data={"state": "closed", "csrf": "0" * 32})
    assert answer.status_code == 403
    assert site.store.state == "open"


def test_the_form_token_of_another_session_does_nothing(site):
    site.log_in()
    old = site.csrf()
    client = site.log_in()
    assert client.post("/dashboard/state", data={"state": "closed", "csrf": old}).status_code == 403


def test_a_form_that_is_far_too_long_is_refused(site):
    client = site.log_in()
    answer = client.post("/dashboard/state", data={"state": "closed", "reason": "x" * 30_000})
    assert answer.status_code == 413


def test_the_cookie_is_out_of_reach_of_scripts_and_other_paths(site):
    secret = site.store.grant("owner", now=site.clock())
    answer = site.client.post("/dashboard/login", data={"token": secret}, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=lax", "path=/dashboard"))
    assert "secure" not in cookie


def test_behind_tls_the_cookie_travels_by_tls_alone(site):
    object.__setattr__(site.site, "is_secure", True)
    secret = site.store.grant("owner", now=site.clock())
    answer = site.client.post("/dashboard/login", data={"token": secret}, follow_redirects=False)
    assert "; secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_comes_with_a_strict_policy_and_is_kept_nowhere(site, path):
    answer = site.log_in().get(path)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert " style=" not in answer.text
    assert "<script>" not in answer.text
