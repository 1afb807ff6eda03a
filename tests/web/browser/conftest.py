"""Sites for a real browser to visit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import pytest

from participants import OpenSite
from rejudge.study.model import Study
from rejudge.web.serving import run_site
from visitor import Site, Visitor


@pytest.fixture(scope="module")
def serve(tmp_path_factory) -> Iterator[Callable[[Study], Site]]:
    """Serves a study on this machine, with the real clock; the same study once."""
    with ExitStack() as stack:
        sites: dict[str, Site] = {}

        def start(study: Study) -> Site:
            if study.fingerprint not in sites:
                opened = OpenSite(
                    study, tmp_path_factory.mktemp("site"), now=lambda: datetime.now(UTC)
                )
                stack.callback(opened.close)
                sites[study.fingerprint] = Site(opened, stack.enter_context(run_site(opened.app)))
            return sites[study.fingerprint]

        yield start


@pytest.fixture
def visit(open_page, serve) -> Callable[..., Visitor]:
    """Opens the site of a study in a window of its own; complaints of the browser are faults."""
    numbers = itertools.count(1)

    def open_window(study: Study, *, name: str = "", **options: Any) -> Visitor:
        site = serve(study)
        who = name or f"v{site.next_number()}-{next(numbers)}"
        return Visitor(open_page(**options), site, who)

    return open_window
