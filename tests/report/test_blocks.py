"""Every page is valid HTML, whatever the study."""

from __future__ import annotations

import pytest

from edge_reports import CASES, page_of, report_of, subject_of
from rejudge.report.blocks import PageTable
from rejudge.report.build import pictures_of
from valid_html import faults


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_valid(name):
    assert faults(page_of(name)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_figure_names_only_tables_of_its_page(name):
    named = {picture.numbers_in for picture in pictures_of(subject_of(name)) if picture.numbers_in}
    assert named <= set(report_of(name).places)


def test_only_short_tables_that_end_in_sentences_are_stacked_on_phones():
    sentence = "Ash 3.2, beech 2.9; not significant: Ash \u2013 beech (p = 0.489), as planned"
    head = ("Claim", "Verdict", "Because")
    assert PageTable("t", "", head, "lll", (("a > b", "upheld", sentence),)).is_wordy
    assert not PageTable("t", "", head, "lll", (("a > b", "upheld", "Ash 3.2"),)).is_wordy
