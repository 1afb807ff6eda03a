"""Links, cookies and forms: what is signed cannot be forged, and ids alone open nothing."""

from __future__ import annotations

import re

import pytest

from participants import (
    PAIRWISE,
    made_study,
)
from rejudge.web.session import personal_path


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


def recruiting(**recruitment: object):
    return made_study(PAIRWISE, recruitment=recruitment)


@pytest.mark.parametrize("platform", ["link", "prolific"])
def test_the_own_link_resumes_in_another_browser_with_all_answers(opened, platform):
    site = opened(recruiting(platform=platform))
    first = site.person("somebody")
    first.to_tasks()
    first.answer("b")
    again = site.person("somebody")
    again.arrive()
    assert again.path == "/task/2"
    again.get("/task/1")
    assert 'value="b" data-key="2" checked' in again.page.text


def test_the_name_of_a_personal_link_alone_neither_shows_nor_changes_anything(opened):
    site = opened()
    victim = site.person("victim")
    victim.to_tasks()
    victim.answer("b")
    thief = site.person("victim")
    own = personal_path(site.app.state.pages.seal, "thief").partition(".")[2]
    for guess in ("victim", "victim.", f"victim.{own}", f"victim.{'A' * 22}"):
        assert thief.get(f"/?p={guess}").status_code == 400
    assert thief.get("/task/1").status_code == 403
    assert len(site.rows()) == 1


def test_who_came_by_an_open_link_goes_on_elsewhere_with_a_link_of_their_own(opened):
    site = opened(recruiting(open=True))
    first = site.person()
    first.get("/")
    first.send(agree="yes")
    link = re.search(r'href="[^"]*(/\?r=[^"]+)"', first.page.text)[1]
    first.send()
    first.answer("b")
    again = site.person()
    assert again.get(link).url.path == "/task/2"
    assert again.get("/").url.path == "/task/2"
    stranger = site.person()
    assert stranger.get("/").url.path == "/consent"
    assert stranger.get("/?r=1.AAAA").status_code == 400
    assert stranger.get("/task/1").url.path == "/consent"


def open_session(site, *, tasks: int = 0):
    """Somebody in the middle of an open study, and their own link for other devices."""
    person = site.person()
    person.get("/")
    person.send(agree="yes")
    link = re.search(r'href="[^"]*(/\?r=[^"]+)"', person.page.text)[1]
    person.send()
    for _ in range(tasks):
        person.answer("b")
    return person, link


def test_a_link_of_somebody_else_asks_before_it_replaces_an_unfinished_visit(opened):
    site = opened(recruiting(open=True))
    _, foreign = open_session(site)
    person, own = open_session(site, tasks=1)
    person.get(foreign)
    assert "You have not finished yet" in person.text
    assert person.get("/").url.path == "/task/2"
    assert person.get(own).url.path == "/task/2"


def test_a_link_of_another_visit_is_followed_once_that_is_confirmed(opened):
    site = opened(recruiting(open=True))
    _, foreign = open_session(site)
    person, _ = open_session(site, tasks=1)
    person.get(foreign)
    assert person.send().url.path == "/task/1"
    assert person.get("/").url.path == "/task/1"


def test_another_visit_is_not_taken_by_a_form_from_elsewhere(opened):
    site = opened(recruiting(open=True))
    _, foreign = open_session(site)
    person, _ = open_session(site, tasks=1)
    person.post("/switch", {"r": foreign.removeprefix("/?r=")})
    assert person.page.status_code == 403
    assert person.get("/").url.path == "/task/2"


def test_the_platform_id_alone_neither_shows_nor_changes_anything(opened):
    site = opened(recruiting(platform="prolific"))
    victim = site.person("victim")
    victim.to_tasks()
    victim.answer("b")
    thief = site.person("victim")
    thief.arrive(session="another")
    assert (thief.path, thief.page.status_code) == ("/elsewhere", 409)
    assert "rejudge" not in str(thief.client.cookies)
    assert thief.get("/task/1").status_code == 403
    assert len(site.rows()) == 1
