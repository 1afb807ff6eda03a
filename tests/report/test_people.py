"""Who took part, who was left out, and how long it took."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from judged_study import (
    PAIRWISE,
    checked_study,
    drawn,
    small_study,
)
from pictured import page_frames_of
from rejudge.analysis.analyse import analyse
from rejudge.design.pay import Earnings
from rejudge.judgments.table import Judgments
from rejudge.report.build import build
from rejudge.report.people import earned_sentences
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.parameters import Parameters
from reported import choices, report_of, tables_of


def test_every_practice_page_stands_in_the_table_of_pages_and_single_tasks_do_not():
    study = small_study(PAIRWISE)
    plan = drawn(study)
    table = Judgments.from_rows(choices(lambda *_: "a"), systems=study.system_ids)
    pages = [("practice", 1), ("practice", 2), ("task", None), ("task", 1)]
    frames = page_frames_of(*((*page, [1.0, 3.0]) for page in pages))
    results = replace(analyse(table, study=study, plan=plan), frames=frames)
    report = build(Subject(results, "A study", designed=PlannedStudy(study, plan)))
    (found,) = [each for each in tables_of(report) if each.id == "table-times-pages"]
    assert [row[0] for row in found.rows] == ["Practice 1", "Practice 2", "Task"]


def test_every_exclusion_is_shown_and_adds_up():
    report = report_of(checked_study(PAIRWISE), parameters=Parameters(careless=0.5))
    table = next(table for table in tables_of(report) if table.id == "table-exclusions")
    collected, *rules, kept = [int(row[2].replace(",", "")) for row in table.rows]
    assert collected == sum(rules) + kept
    assert rules[0] > 0


def test_times_that_are_too_short_are_not_reported_as_pay():
    said = " ".join(earned_sentences(Earnings("EUR", Decimal("912.22"), Decimal(12), None, 8)))
    assert "912" not in said
    assert said.startswith(
        "The recorded times of 8 paid participants, by elapsed time, are implausib"
    )
    kept = " ".join(earned_sentences(Earnings("EUR", Decimal("12.50"), Decimal(12), None, 1)))
    assert kept == (
        "Median hourly pay of 1 paid participant, by elapsed time: EUR 12.50, not less than the "
        "EUR 12 promised."
    )
