"""The conditions of the study: the pages as participants read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judged_study import (
    PAIRWISE,
    drawn,
    small_study,
)
from rejudge.analysis.analyse import analyse
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.report.blocks import to_html
from rejudge.report.conditions import _as_read, conditions
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.people import judge
from reported import report_of


def test_the_report_has_the_pages_as_participants_read_them():
    pages = {
        "information": "{title}: {tasks} tasks. <b>Read</b>.",
        "thanks": "",
        "consent": "I do.",
    }
    study = replace(small_study(PAIRWISE), pages=pages)
    page = to_html(report_of(study, origin="people"))
    assert "A small study: 9 tasks. &lt;b&gt;Read&lt;/b&gt;." in page
    assert "What participants read" in page
    assert "{tasks}" not in page


def test_pages_that_nobody_read_are_not_said_to_have_been_read():
    study = replace(small_study(PAIRWISE), pages={"consent": "I do."})
    simulated = to_html(report_of(study))
    imported = to_html(report_of(study, origin="people", is_imported=True))
    assert "As participants would read them. The judgments are simulated" in simulated
    assert "whether participants read these texts is not known here" in imported
    assert "What participants read" not in simulated + imported


def test_a_study_without_pages_has_none_in_its_report():
    assert "What participants read" not in to_html(report_of(small_study(PAIRWISE)))


def test_pages_say_which_placeholders_could_not_be_filled():
    assert _as_read(["You are paid GBP 2.25."]) == "As participants read them."
    assert "except {payment}: that depends on the day" in _as_read(["{payment} Thanks.", "{b-c}"])


@pytest.mark.parametrize(
    ("source", "order"), [(None, "the item file"), ("batches.csv", "the given batches")]
)
def test_the_order_of_given_batches_is_not_that_of_the_item_file(source, order):
    study = small_study(PAIRWISE, design={"order": "listed"})
    plan = replace(drawn(study), source=source)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    results = analyse(exclude(study, plan, tabulate(study, plan, answers)), study=study, plan=plan)
    facts, *_ = conditions(Subject(results, "small", designed=PlannedStudy(study, plan)))
    assert dict(facts.rows)["Order"] == f"tasks in the order of {order}"
