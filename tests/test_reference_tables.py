"""The tables in the pages are what tools/make_reference.py makes of the code."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from typing import Any

import pytest

from shown import DOCS, ROOT


@pytest.fixture(scope="module")
def tool() -> dict[str, Callable[..., Any]]:
    return runpy.run_path(str(ROOT / "tools" / "make_reference.py"))


def test_no_page_is_stale(tool):
    stale = [str(page.relative_to(DOCS)) for page, _ in tool["stale"](DOCS)]
    assert not stale, "Run `make reference` and commit the pages."


def test_a_table_is_written_once_and_then_left_alone(tool):
    page = "# Rules\n\n<!-- lint: 2 -->\n\nAfter it.\n"
    once = tool["filled"](page)
    assert "### R201 obstacle\n*Error.* " in once
    assert once.startswith("# Rules\n\n<!-- lint: 2 -->\n")
    assert once.endswith("<!-- end -->\n\nAfter it.\n")
    assert tool["filled"](once) == once


def test_a_stale_table_is_replaced_and_its_neighbours_stay(tool):
    once = tool["filled"]("<!-- lint: 2 -->\n\nBetween.\n\n<!-- audit: 3 -->\n")
    assert tool["filled"](once.replace("obstacle", "hindrance")) == once


def test_what_is_no_table_stays(tool):
    page = "<!-- notebook: first-analysis -->\n\nText <!-- keys: Spec --> in a line.\n"
    assert tool["filled"](page) == page
