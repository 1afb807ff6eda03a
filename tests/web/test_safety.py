"""What must not be possible: forged forms and cookies, markup in texts, requests to other hosts."""

from __future__ import annotations

import asyncio
import re

import pytest

from participants import (
    BEST_WORST,
    PAGES,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    TIE,
    made_study,
)

NASTY = "<script>alert(1)</script>{{7*7}}\"'><img src=x onerror=y>&amp;"


def test_a_form_without_its_token_is_refused_and_stores_nothing(opened):
    site = opened()
    person = site.person()
    person.to_tasks()
    form = person.form
    for token in ("", "0" * 32, "ä"):
        hidden = {**form["hidden"], "csrf": token}
        page = person.post(form["action"], {**hidden, **dict.fromkeys(form["names"], "a")})
        assert page.status_code == 403
    assert site.rows() == []


def test_a_page_of_one_person_cannot_be_sent_by_another(opened):
    site = opened()
    one, two = site.person(), site.person()
    one.to_tasks()
    two.to_tasks()
    stolen = {**two.form["hidden"], "stamp": one.form["hidden"]["stamp"]}
    page = two.post("/task/1", {**stolen, **dict.fromkeys(one.form["names"], "a")})
    assert page.status_code == 403
    assert site.rows() == []


@pytest.mark.parametrize("forged", ["1", "1.", "1.AAAA", "", "x" * 5000, "2.{sig}"])
def test_a_forged_cookie_opens_nothing(opened, forged):
    site = opened()
    person = site.person()
    person.to_tasks()
    name, value = next(iter(person.client.cookies.items()))
    thief = site.person()
    thief.client.cookies.set(name, forged.format(sig=value.split(".", 1)[1]))
    assert thief.get("/task/1").status_code == 403
    assert "Please open your link again" in thief.text


def test_the_cookie_is_closed_to_scripts_and_other_sites(opened):
    for is_secure in (False, True):
        person = opened(is_secure=is_secure).person()
        reply = person.client.get(person.link, follow_redirects=False)
        cookie = reply.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert ("; secure" in cookie) is is_secure


def test_the_script_needs_cookie_and_token(opened):
    site = opened()
    person = site.person()
    person.to_tasks()
    body = {"stamp": person.form["hidden"]["stamp"], "task": 0, "question": "meaning", "raw": "a"}
    assert person.client.post("/save", json=body).status_code == 403
    other = site.person()
    token = {"X-CSRF": person.form["hidden"]["csrf"]}
    assert other.client.post("/save", json=body, headers=token).status_code == 403
    assert site.rows() == []


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


@pytest.mark.parametrize("path", ["/save", "/consent", "/dashboard/login", "/dashboard/state"])
def test_whose_connection_breaks_while_sending_is_no_mishap(opened, path):
    """The application would raise: the server writes that into its log as a fault."""
    heard = []

    async def hang_up() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(sent) -> None:
        heard.append(sent["type"])

    headers = [(b"content-type", b"application/json"), (b"content-length", b"9")]
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": headers, "client": ("127.0.0.1", 1),
    }  # fmt: skip
    asyncio.run(opened().app(scope, hang_up, send))
    assert heard == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize(
    "path", ["/consent/", "/thanks/", "/dashboard/people/", "/dashboard/login/"]
)
def test_no_address_leads_out_of_the_path_of_the_site(opened, path):
    site = opened(base_url="https://example.org/meaning")
    reply = site.person().client.get(path, follow_redirects=False)
    assert reply.status_code == 404


def test_texts_of_the_study_are_shown_as_they_are_never_as_markup(opened):
    study = made_study(
        {**TIE, "prompt": NASTY, "definition": NASTY},
        {**RATING, "prompt": NASTY, "labels": {1: NASTY, 5: NASTY}},
        {**SLIDER, "prompt": NASTY, "low": NASTY, "high": NASTY},
        {**BEST_WORST, "prompt": NASTY},
        {**RANKING, "prompt": NASTY},
        {**SEGMENTS, "prompt": NASTY},
        texts=lambda number, name: f"{NASTY} {number} {name}. And more.",
        title=NASTY,
        contact={"name": NASTY, "email": "a@b.org"},
        pages=dict.fromkeys(PAGES, f"# {NASTY}\n\n{NASTY}\n\n![x](http://other.example/p.png)"),
        practice={
            "examples": [
                {
                    "input": NASTY,
                    "outputs": [NASTY, NASTY],
                    "answers": {"meaning": "a"},
                    "explanation": NASTY,
                }
            ]
        },
        site={"exit_questions": [{"id": "q", "prompt": NASTY, "options": [NASTY, "no"]}]},
    )
    site = opened(study)
    person = site.person()
    seen = [person.arrive().text, person.send(agree="yes").text, person.send().text]
    person.send(**{"0:meaning": "a"})
    seen.append(person.page.text)
    seen.append(person.send(go="on").text)
    seen += [person.get(f"/task/{n}").text for n in range(1, len(site.plan.batches[0].tasks) + 1)]
    assert len(seen) > 10
    for page in seen:
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "49" not in re.sub(r"[\w~.-]{30,}", "", page)
        assert "{{7*7}}" in page


def test_what_people_write_is_shown_to_them_as_text(opened):
    asked = [{"id": "q", "prompt": "Why?", "kind": "text"}, {"id": "n", "prompt": "How many?",
             "kind": "number"}]  # fmt: skip
    person = opened(made_study(PAIRWISE, site={"exit_questions": asked})).person()
    person.to_tasks()
    person.do_all()
    page = person.send(**{"exit:q": NASTY, "exit:n": NASTY, "comment": NASTY}).text
    assert page.count("&lt;script&gt;") >= 3
    assert "<script>alert" not in page


def test_every_reply_carries_the_headers_that_keep_others_out(opened):
    person = opened().person()
    for path in ("/", "/?p=abc", "/nothing", "/task/1", "/about", "/healthz", "/dashboard/login"):
        headers = person.client.get(path, follow_redirects=False).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_no_page_asks_another_host_for_anything_or_has_script_or_style_in_it(opened):
    study = made_study(PAIRWISE, recruitment={"platform": "prolific"})
    site = opened(study)
    person = site.person()
    pages = [person.arrive().text, person.send(agree="yes").text, person.send().text]
    while person.path != "/thanks":
        pages.append((person.answer() if "/task" in person.path else person.send()).text)
    for page in pages:
        loaded = re.findall(r'(?:src|<link[^>]+href|action)="([^"]*)"', page)
        assert all(each.startswith("/") for each in loaded)
        assert not re.search(r"<style|style=|<script>| on\w+=", page)
    links = {link for page in pages for link in re.findall(r'href="(https?:[^"]*)"', page)}
    code = site.store.codes.completed
    assert links == {f"https://app.prolific.com/submissions/complete?cc={code}"}


def test_static_files_are_kept_for_ever_under_the_name_of_their_content(opened):
    person = opened().person()
    person.arrive()
    for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', person.page.text):
        reply = person.client.get(path)
        assert reply.status_code == 200
        assert "immutable" in reply.headers["cache-control"]
    assert person.client.get("/static/0000/site.css").status_code == 404
    assert person.client.get("/static/0000/..%2fapp.py").status_code == 404


def test_no_page_tells_systems_checks_or_platform_ids(opened):
    checks = [{"kind": "instruction", "id": "watchful", "question": "meaning"}]
    site = opened(made_study(PAIRWISE, checks=checks, texts=lambda number, _: f"Text {number}."))
    person = site.person("a-platform-id")
    person.to_tasks()
    for number in range(1, len(site.plan.batches[0].tasks) + 1):
        page = person.get(f"/task/{number}").text
        assert not re.search(r"ash|beech|cedar|watchful|a-platform-id", page)


def test_a_site_below_a_path_stays_below_it(opened):
    site = opened(base_url="https://example.org/study/")
    reply = (person := site.person()).client.get(person.link, follow_redirects=False)
    assert reply.headers["location"] == "/study/consent"
    assert "path=/study/" in reply.headers["set-cookie"].lower()


def test_who_withdrew_while_a_page_was_open_is_not_brought_back(opened):
    site = opened()
    person = site.person()
    person.to_tasks()
    site.store.withdraw("p0001", who="test", now=site.clock())
    person.answer("a")
    assert site.rows() == []
    assert person.page.status_code == 400
    assert person.get("/task/1").status_code == 403


def test_the_site_is_healthy_only_while_it_can_save(opened):
    """Reading goes on when a file is gone or a disk is full; people's answers would be lost."""
    site = opened()
    person = site.person()
    assert site.store.state == "open"  # through a connection that stays
    assert person.client.get("/healthz").text == "ok"
    away = site.database.rename(site.database.with_name("away.db"))
    assert site.store.state == "open"
    assert person.client.get("/healthz").status_code == 503
    away.rename(site.database)
    assert person.client.get("/healthz").status_code == 200
