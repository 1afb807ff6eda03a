"""The conditions of the study: the pages as participants read them."""

from __future__ import annotations

from dataclasses import replace

from judged_study import (
    PAIRWISE,
    small_study,
)
from rejudge.report import to_html
from reported import report_of


def test_the_report_has_the_pages_as_participants_read_them():
    pages = {
        "information": "{title}: {tasks} tasks. <b>Read</b>.",
        "thanks": "",
        "consent": "I do.",
    }
    study = replace(small_study(PAIRWISE), pages=pages)
    page = to_html(report_of(study))
    assert "A small study: 9 tasks. &lt;b&gt;Read&lt;/b&gt;." in page
    assert "What participants read" in page
    assert "{tasks}" not in page


def test_a_study_without_pages_has_none_in_its_report():
    assert "What participants read" not in to_html(report_of(small_study(PAIRWISE)))
