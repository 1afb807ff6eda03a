"""The page of a comparison in a real browser: on a phone, for everybody, without a request."""

from __future__ import annotations

import pytest

from browser_contexts import DESKTOP, PHONE
from rejudge.compare.compare import compare
from rejudge.compare.run import run_of_paper
from rejudge.paper.paper_file import open_shipped
from rejudge.report.comparison.files import comparison_files
from visitor import axe

pytestmark = pytest.mark.browser
NAMES = ("august-2022", "miltenburg-2024", "miltenburg-2024-second")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    runs = [run_of_paper(open_shipped(name)) for name in NAMES]
    page = tmp_path_factory.mktemp("page") / "index.html"
    page.write_bytes(comparison_files(compare(*runs))["report/index.html"])
    return page.as_uri()


@pytest.mark.parametrize(
    "window",
    [
        pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow),
        pytest.param(PHONE, id="phone"),
    ],
)
def test_it_fits_makes_no_request_and_is_for_everybody(address, open_page, window):
    asked: list[str] = []
    page = open_page(**window)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    assert asked == [address]
    assert page.evaluate("document.documentElement.scrollWidth") <= window["viewport"]["width"]
    assert page.locator("svg.drawing").count() >= 3
    assert axe(page) == []
