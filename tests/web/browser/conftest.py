"""A real browser, and sites for it to visit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import pytest

from participants import Opened
from rejudge.study import Study
from rejudge.web.serving import running
from visitor import Site, Visitor

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """Chromium, started once for a file of tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, headless=True, args=_FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def serve(tmp_path_factory) -> Iterator[Callable[[Study], Site]]:
    """Serves a study on this machine, with the real clock; the same study once."""
    with ExitStack() as stack:
        sites: dict[str, Site] = {}

        def start(study: Study) -> Site:
            if study.fingerprint not in sites:
                opened = Opened(
                    study, tmp_path_factory.mktemp("site"), now=lambda: datetime.now(UTC)
                )
                stack.callback(opened.close)
                sites[study.fingerprint] = Site(opened, stack.enter_context(running(opened.app)))
            return sites[study.fingerprint]

        yield start


@pytest.fixture
def visit(browser, serve) -> Iterator[Callable[..., Visitor]]:
    """Opens the site of a study in a window of its own; complaints of the browser are faults."""
    numbers = itertools.count(1)
    contexts: list[Any] = []

    def open_window(study: Study, *, name: str = "", **options: Any) -> Visitor:
        site = serve(study)
        context = browser.new_context(**options)
        contexts.append(context)
        who = name or f"v{site.next_number()}-{next(numbers)}"
        return Visitor(context.new_page(), site, who)

    yield open_window
    for context in contexts:
        context.close()
