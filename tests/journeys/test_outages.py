"""A database server that goes away while people work, and comes back: nobody restarts the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from browser_contexts import DESKTOP, Window
from participants import link_of
from postgres import OwnServer
from rejudge.web.rehearse.browser import Page
from small_site import Participant, Site, study_of

NOT_SAVED = "Not saved yet"


@pytest.fixture
def site(mortal_server: OwnServer) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(mortal_server.new_database(), *study_of(people=9), stack)


def chosen(page: Page) -> str:
    """What the form of a task says."""
    filled = page.forms[0].values()
    return next(filled[name] for name in filled if name.endswith(":meaning"))


def stored(site: Site) -> dict[str, list[str]]:
    """Every answer ever kept, by its task."""
    found: dict[str, list[str]] = {}
    for row in site.store.answer_rows():
        found.setdefault(row.task, []).append(row.raw)
    return found


def at_work(participant: Participant) -> Page:
    """Past the first task."""
    return participant.answer(participant.begin(), "a")


def test_while_it_is_gone_answers_stay_in_the_form_and_nothing_is_called_saved(site, mortal_server):
    participant = site.person("ada")
    page = at_work(participant)
    mortal_server.stop()
    refused = [participant.answer(page, "b") for _ in range(2)]
    assert [each.status for each in refused] == [503, 503]
    assert all(NOT_SAVED in each.text for each in refused)
    assert [chosen(each) for each in refused] == ["b", "b"]


@pytest.mark.slow
def test_while_it_is_gone_pages_and_the_door_say_so(site, mortal_server):
    participant = site.person("ada")
    page = at_work(participant)
    mortal_server.stop()
    told = [participant.browser.open(page.path), participant.come(), site.person("bea").come()]
    assert [each.status for each in told] == [503, 503, 503]
    assert all("keep this page open" in each.text for each in told)


def test_when_it_is_back_the_same_form_is_taken_and_everything_is_kept_once(site, mortal_server):
    participant = site.person("ada")
    page = at_work(participant)
    mortal_server.stop()
    refused = participant.answer(page, "b")
    mortal_server.start()
    page = participant.answer(refused, "b")
    assert page.status == 200
    page = participant.answer(page, "a")
    assert (page.status, page.step) == (200, "thanks")
    assert Counter(map(tuple, stored(site).values())) == {("a",): 2, ("b",): 1}
    assert site.statuses() == {"ada": "submitted"}


@pytest.mark.slow
def test_when_it_is_back_nobody_is_turned_away_by_a_connection_that_died(site, mortal_server):
    """Readers keep connections; each of them is dead after a restart."""
    participants = [site.person(name) for name in ("ada", "bea", "cyd", "dan")]
    pages = [at_work(participant) for participant in participants]
    mortal_server.stop()
    mortal_server.start()
    seen = [
        participant.browser.open(page.path)
        for participant, page in zip(participants, pages, strict=True)
    ]
    assert [each.status for each in seen] == [200] * 4


@pytest.mark.slow
@pytest.mark.browser
def test_with_the_script_people_go_on_and_everything_arrives_once(site, mortal_server, open_page):
    window = Window(open_page(**DESKTOP), site.address)
    page = window.page
    page.goto(site.address + link_of(site.pages, "ada"))
    page.click("button[value=yes]")
    page.click("main button.primary")
    page.locator("#answers[data-tasks=here]").wait_for()
    mortal_server.stop()
    for place in (1, 2, 3):
        page.wait_for_url(f"**/task/{place}")
        page.locator(".tile").nth(place % 2).click()
        page.locator(".status.is-late").wait_for()
        assert NOT_SAVED in page.locator(".status").inner_text()
        page.locator(".next").click()
    assert window.path == "/task/3"
    mortal_server.start()
    page.wait_for_url("**/thanks")
    assert Counter(map(tuple, stored(site).values())) == {("a",): 1, ("b",): 2}
    assert window.complaints == []
