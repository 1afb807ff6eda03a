"""The dashboard in a real browser: both sizes and schemes, by keys, with and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from browser_contexts import DESKTOP, PHONE, Window
from dashboard_site import PAYMENT, DashboardSite, opened
from judged_study import PAIRWISE, RATING, checked_study
from rejudge.web.serving import run_site
from visitor import axe

pytestmark = pytest.mark.browser


class Dashboard(Window):
    """A window on the dashboard."""

    def __init__(self, page: Any, site: DashboardSite, address: str) -> None:
        super().__init__(page, address)
        self.site = site

    def log_in(self, role="owner"):
        secret = self.site.store.grant(role, now=self.site.clock())
        self.page.goto(f"{self.address}/dashboard/login#{secret}")
        self.page.wait_for_url("**/dashboard/")
        return secret

    def go(self, path):
        self.page.goto(f"{self.address}/dashboard{path}")

    def update(self):
        """Ask for news at once; otherwise the script does so every few seconds."""
        self.site.clock.go(5)
        with self.page.expect_response("**/dashboard/live"):
            self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[tuple[DashboardSite, str]]:
    """A running study with somebody in every state, on a real port."""
    study = checked_study(PAIRWISE, RATING, payment=PAYMENT)
    site = opened(tmp_path_factory.mktemp("dashboard"), study, careless=0.2)
    site.crowd.finish_many(5)
    site.crowd.begin()
    site.clock.go(1800)
    site.crowd.answer(site.crowd.begin(), tasks=2)
    with run_site(site.client.app) as address:
        yield site, address
    site.client.close()
    site.store.close()


@pytest.fixture
def open_window(served, open_page):
    """Opens windows; none of them may ask another host or complain."""
    site, address = served
    windows: list[Dashboard] = []

    def open_one(size, **options: Any) -> Dashboard:  # as the browser takes them
        windows.append(Dashboard(open_page(**size, **options), site, address))
        return windows[-1]

    yield open_one
    assert [complaint for window in windows for complaint in window.complaints] == []


def paths(site):
    batch = site.site.plan.batches[0].id
    return [
        "/", "/people", "/people/p0001", f"/batches/{batch}", f"/preview/{batch}/1", "/log",
        "/downloads", "/access", "/people/nobody",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(DESKTOP, id="desktop"),
        pytest.param(PHONE, id="phone", marks=pytest.mark.slow),
    ],
)
def test_every_page_is_accessible_and_as_wide_as_the_window(open_window, size):
    window = open_window(size)
    window.go("/login")
    found = {"/login": axe(window.page)}
    window.log_in()
    wide = {}
    for path in paths(window.site):
        window.go(path)
        found[path] = axe(window.page)
        wide[path] = window.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert {path: each for path, each in found.items() if each} == {}
    assert {path: over for path, over in wide.items() if over > 0} == {}


@pytest.mark.parametrize(
    "size",
    [pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow), pytest.param(PHONE, id="phone")],
)
def test_what_is_refused_is_reported_on_accessible_pages(open_window, size):
    window = open_window(size)
    window.go("/login")
    window.page.fill("#token", "not a token")
    window.page.click("button.primary")
    window.page.get_by_role("alert").wait_for()
    found = {"a wrong token": axe(window.page)}
    window.log_in("viewer")
    window.go("/access")
    found["for owners only"] = axe(window.page)
    assert found == {"a wrong token": [], "for owners only": []}


def test_a_link_with_a_token_logs_in_and_leaves_no_token_behind(open_window):
    window = open_window(DESKTOP)
    secret = window.log_in()
    assert secret not in window.page.url
    window.page.go_back()
    assert secret not in window.page.url
    assert secret not in window.page.content()


def test_the_overview_stays_fresh_and_keeps_focus(open_window):
    window = open_window(DESKTOP)
    window.log_in()
    link = window.page.locator('a[href="/dashboard/people/p0001"]').first
    link.focus()
    window.site.crowd.arrive()
    window.update()
    newest = window.site.store.people(now=window.site.clock())[-1].participant
    window.page.locator(f'a[href="/dashboard/people/{newest}"]').first.wait_for()
    focused = window.page.evaluate("document.activeElement.getAttribute('href')")
    assert focused == "/dashboard/people/p0001"


def test_updates_can_be_paused(open_window):
    window = open_window(DESKTOP)
    window.log_in()
    asked = []
    window.page.on("request", lambda request: asked.append(request.url))
    window.page.get_by_role("button", name="Pause updates").click()
    window.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert window.page.get_by_text("Updates paused").is_visible()
    assert not [url for url in asked if url.endswith("/live")]


def test_when_the_token_is_revoked_the_open_page_leads_to_the_form(open_window):
    window = open_window(DESKTOP)
    window.log_in("viewer")
    token = window.site.store.tokens()[-1].id
    window.site.store.revoke(token, who="owner 0", now=window.site.clock())
    window.update()
    window.page.wait_for_url("**/dashboard/login")


def test_by_keys_alone_the_study_is_paused_and_opened(open_window):
    window = open_window(DESKTOP)
    window.log_in()
    keys = window.page.keyboard
    window.page.locator(".conduct summary").first.focus()
    keys.press("Enter")
    keys.press("Tab")
    keys.type("Night.")
    keys.press("Tab")
    keys.press("Enter")
    window.page.get_by_text("The study is paused.").wait_for()
    assert window.site.store.state == "paused"
    window.page.locator(".conduct summary").first.press("Enter")
    window.page.get_by_role("button", name="Open", exact=True).press("Enter")
    window.page.get_by_text("The study is open.").wait_for()
    assert window.site.store.log()[-2].reason == "Night."


@pytest.mark.parametrize(
    "size",
    [pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow), pytest.param(PHONE, id="phone")],
)
def test_everything_works_without_scripts(open_window, size):
    window = open_window(size, java_script_enabled=False)
    secret = window.site.store.grant("owner", now=window.site.clock())
    window.go("/login")
    window.page.fill("#token", secret)
    window.page.click("button.primary")
    assert window.page.get_by_role("link", name="Reload").is_visible()
    assert not window.page.locator("#hold").is_visible()
    window.page.locator('a[href$="#decide"]').last.click()
    window.page.locator("#decide input[name=reason]").fill("Looked at it.")
    window.page.locator("#decide button").first.click()
    assert window.page.locator(".said").is_visible()
    assert window.site.store.log()[-1].reason == "Looked at it."
