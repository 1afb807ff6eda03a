"""Every page is valid HTML, whatever the study."""

from __future__ import annotations

import pytest

from edge_reports import CASES, page_of
from valid_html import faults


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_valid(name):
    assert faults(page_of(name)) == []
