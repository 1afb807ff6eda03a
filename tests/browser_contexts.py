"""Windows of a real browser, for every test that looks at pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}
_NAVIGATIONS = 5  # a form that is sent, its redirects, and what their pages start
PATIENCE = 300_000  # milliseconds: a busy machine is no fault of a page, but a wait must end
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",  # one process less for each start
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def launched(chromium: str) -> Iterator[Any]:
    """The browser, until the block ends."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, headless=True, args=_FLAGS)
        yield browser
        browser.close()


def let_go(context: Any) -> None:
    """Close a context once its pages are at rest.

    Chromium never answers when a context ends in the middle of a navigation whose page asks before
    it is left, and Playwright waits for that answer without a limit.
    """
    for page in context.pages:
        leave(page)
    context.close()


def leave(page: Any) -> None:
    """Show an empty page, after any navigation that a test has started and not waited for."""
    from playwright.sync_api import Error

    for _ in range(_NAVIGATIONS):
        try:
            page.goto("about:blank", timeout=PATIENCE)
        except Error as error:  # the page's own navigation was faster, and goes on
            if "interrupted by another navigation" not in error.message:
                raise
            page.wait_for_load_state(timeout=PATIENCE)
        else:
            return
    raise AssertionError(f"{page.url} navigates without end")


class Window:
    """One page in a context of its own, and what it complained about.

    Nobody listens for dialogs: Playwright then answers them itself, and lets people leave.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)
        page.on("request", self._see)

    @property
    def path(self) -> str:
        """Where it is, within the site."""
        return str(self.page.url).removeprefix(self.address)

    def _hear(self, message: Any) -> None:
        is_network = "Failed to load resource" in message.text  # offline, or a status that is meant
        if message.type == "error" and not is_network:
            self.complaints.append(message.text)

    def _see(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.complaints.append(f"asks {request.url}")
