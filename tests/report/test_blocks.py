"""Every page is valid HTML, whatever the study."""

from __future__ import annotations

import pytest

from edge_reports import CASES, page_of, report_of, subject_of
from rejudge.report.blocks import PageTable, isolate_right_to_left
from rejudge.report.build import pictures_of
from valid_html import faults


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_valid(name):
    assert faults(page_of(name)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_figure_names_only_tables_of_its_page(name):
    named = {picture.numbers_in for picture in pictures_of(subject_of(name)) if picture.numbers_in}
    assert named <= set(report_of(name).places)


def test_arabic_names_in_a_sentence_are_isolated_from_each_other():
    """Between two first-strong isolates a comma keeps its place (Unicode annex 9)."""
    one, two = "\u0627\u0644\u0645\u0639\u0646\u0649", "\u0646\u0638\u0627\u0645 \u062c"
    said = isolate_right_to_left(f"On {one}, {two} won.")
    assert said == f"On \u2068{one}\u2069, \u2068{two}\u2069 won."
    assert isolate_right_to_left("On meaning, ours won.") == "On meaning, ours won."


def test_only_short_tables_that_end_in_sentences_are_stacked_on_phones():
    sentence = "Ash 3.2, beech 2.9; not significant: Ash \u2013 beech (p = 0.489), as planned"
    head = ("Claim", "Verdict", "Because")
    assert PageTable("t", "", head, "lll", (("a > b", "upheld", sentence),)).is_wordy
    assert not PageTable("t", "", head, "lll", (("a > b", "upheld", "Ash 3.2"),)).is_wordy
