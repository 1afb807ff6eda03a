"""Browser pages are left without depending on the speed of the machine."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error

from browser_contexts import PATIENCE, leave

INTERRUPTED = 'Page.goto: Navigation to "about:blank" is interrupted by another navigation'


class Page:
    """A page that refuses to be left a number of times."""

    def __init__(self, *faults: str) -> None:
        self.url = "http://127.0.0.1/task/1"
        self._faults = list(faults)

    def goto(self, url: str, *, timeout: int) -> None:
        assert timeout == PATIENCE
        if self._faults:
            raise Error(self._faults.pop(0))
        self.url = url

    def wait_for_load_state(self, *, timeout: int) -> None:
        assert timeout == PATIENCE


def test_a_navigation_that_is_under_way_does_not_fail_a_test():
    page = Page(INTERRUPTED, INTERRUPTED)
    leave(page)
    assert page.url == "about:blank"


def test_any_other_fault_of_the_browser_is_reported():
    with pytest.raises(Error, match="crashed"):
        leave(Page("Page.goto: Page crashed"))


def test_a_page_that_always_navigates_is_reported():
    with pytest.raises(AssertionError, match="navigates without end"):
        leave(Page(*[INTERRUPTED] * 5))
