"""The quality of the judgments: who worked too fast, copies, and agreement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged_study import PAIRWISE, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.report.blocks import to_html
from rejudge.report.build import build
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.people import judge
from reported import report_of, tables_of, words_of


def test_the_report_names_those_who_cannot_have_read():
    study = small_study(PAIRWISE)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    hurried = [replace(answer, seconds=0.2) for answer in answers]
    cleaned = exclude(study, plan, tabulate(study, plan, hurried))
    results = analyse(cleaned, study=study, plan=plan)
    designed = PlannedStudy(study, plan)
    page = words_of(to_html(build(Subject(results, study.spec.title, designed=designed))))
    people = len({answer.participant for answer in answers})
    assert f"{people} did a batch faster than its texts can be read" in page
    assert "1,000 words a minute" in page


def test_many_copies_stand_on_the_page_and_among_the_limitations():
    """All outputs of the first system are its inputs; the other two have none."""
    study = small_study(PAIRWISE)
    items = (replace(item, outputs=(item.input, *item.outputs[1:])) for item in study.items)
    copying = replace(study, items=tuple(items))
    report = report_of(copying)
    (section,) = [each for each in report.sections if each.id == "copies"]
    assert not section.is_reference
    assert [
        table.rows[0][1:] for table in tables_of(report) if table.id == "table-copied-inputs"
    ] == [("12", "12", "100.0")]
    (limits,) = [each for each in report.sections if each.id == "limitations"]
    said = limits.blocks[0].text
    assert "100\u202f% of the outputs of Ash <tree> are identical to their input" in said


def test_without_copies_the_table_stays_with_the_checks():
    report = report_of(small_study(PAIRWISE))
    assert "copies" not in {section.id for section in report.sections}
    assert [table for table in tables_of(report) if table.id == "table-copied-inputs"]


def test_agreement_stands_on_the_page_for_all_systems_and_by_pair():
    tables = {table.id: table for table in tables_of(report_of(small_study(PAIRWISE)))}
    whole, by_pair = (tables[f"table-{name}"].rows for name in ("agreement", "agreement-by-pair"))
    assert len(whole) == 2  # coefficients
    assert len(by_pair) == 2 * 3  # pairs of three systems


def test_no_table_of_a_report_is_empty():
    assert all(table.rows for table in tables_of(report_of(small_study(PAIRWISE))))
