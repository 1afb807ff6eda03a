"""Every page is valid HTML, whatever the study."""

from __future__ import annotations

import pytest

from edge_reports import CASES, page_of, report_of, subject_of
from rejudge.report.build import pictures_of
from valid_html import faults


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_valid(name):
    assert faults(page_of(name)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_figure_names_only_tables_of_its_page(name):
    named = {picture.numbers_in for picture in pictures_of(subject_of(name)) if picture.numbers_in}
    assert named <= set(report_of(name).places)
