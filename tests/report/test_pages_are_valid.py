"""Every page is valid HTML, whatever the study."""

from __future__ import annotations

import pytest

from edge_reports import CASES, page_of
from rejudge.report.build import build, pictures_of
from valid_html import faults


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_valid(name):
    assert faults(page_of(name)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_figure_names_only_tables_of_its_page(name):
    subject = CASES[name]()
    pictures = pictures_of(subject)
    named = {picture.numbers_in for picture in pictures if picture.numbers_in}
    assert named <= set(build(subject, pictures).places)
