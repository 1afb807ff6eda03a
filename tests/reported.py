"""Reports of small studies, and what can be read in them."""

from __future__ import annotations

import re

import numpy as np

from judged_study import (
    drawn,
    hand_plan,
)
from rejudge.analysis.analyse import analyse
from rejudge.design.plan import Task
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import Cleaned, exclude
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.blocks import PageTable, all_blocks
from rejudge.report.build import build
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.people import judge


def report_of(
    study,
    *,
    origin="simulated",
    parameters=None,
    changes=None,
    folder="my-study",
    is_imported=False,
):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1), parameters=parameters)
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin=origin))
    results = analyse(cleaned, study=study, plan=plan)
    designed = PlannedStudy(study, plan, changes=changes, is_imported=is_imported)
    return build(Subject(results, study.spec.title, folder=folder, designed=designed))


def report_of_rows(study, rows):
    table = Judgments.from_rows(rows, systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    plan = hand_plan(study, Task("t1", "i0", ("ash", "beech")))
    results = analyse(Cleaned(table, table, nothing, (), ()), study=study, plan=plan)
    return build(Subject(results, study.spec.title, designed=PlannedStudy(study, plan)))


def choices(value, people=6, items=8):
    return [
        Judgment(f"p{p}", f"i{i}", "meaning", value(p, i), system_a="ash", system_b="beech")
        for p in range(people)
        for i in range(items)
    ]


def words_of(page):
    """The page as it is read: without markup and styles."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def tables_of(report):
    blocks = all_blocks(block for section in report.sections for block in section.blocks)
    return [block for block in blocks if isinstance(block, PageTable)]
