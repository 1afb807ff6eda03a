"""Reports of studies at the edges: nothing judged, hardly anything, every kind, a table alone."""

from __future__ import annotations

from functools import cache

import numpy as np

from judged_study import EVERY_KIND, PAIRWISE, RATING, SYSTEMS, checked_study, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.design.freeze import Change
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import Cleaned, exclude
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.blocks import Report, to_html
from rejudge.report.build import build, pictures_of
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge


@cache
def subject_of(name: str) -> Subject:
    """What a case is about."""
    return CASES[name]()


@cache
def report_of(name: str) -> Report:
    """The report of a case."""
    return build(subject_of(name), pictures_of(subject_of(name)))


@cache
def page_of(name: str) -> str:
    """The page of a case."""
    return to_html(report_of(name))


def empty() -> Subject:
    """Nobody has judged anything."""
    return _of_rows(small_study(PAIRWISE, RATING), [])


def tiny() -> Subject:
    """Three people, two items."""
    study = small_study(RATING, inputs=2, design={"batch": {"inputs": 2}})
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", (p * 2 + i * 3 + len(s)) % 5 + 1, system=s)
        for p in range(3)
        for i in range(2)
        for s in SYSTEMS
    ]
    return _of_rows(study, rows)


def every_kind() -> Subject:
    """One question of each kind, with checks, careless people and a change since the freeze."""
    study = checked_study(*EVERY_KIND)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1), parameters=Parameters(careless=0.3))
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin="people"))
    changes = (Change("title", "A", "B", "other"),)
    results = analyse(cleaned, study=study, plan=plan)
    return Subject(results, study.spec.title, designed=PlannedStudy(study, plan, changes=changes))


def table_alone() -> Subject:
    """Judgments from elsewhere, with names that are no names for anything."""
    rows = [
        Judgment(f"r {p}", f"d{i}", "how good? <b>", (p + 2 * i + k) % 4 + 1.0, system=s)
        for p in range(4)
        for i in range(6)
        for k, s in enumerate(("old & tried", "“new”"))
    ]
    table = Judgments.from_rows(rows)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    return Subject(analyse(Cleaned(table, table, nothing, (), ())), "A table")


def _of_rows(study, rows) -> Subject:
    plan = drawn(study)
    table = Judgments.from_rows(rows, systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    results = analyse(Cleaned(table, table, nothing, (), ()), study=study, plan=plan)
    return Subject(results, study.spec.title, designed=PlannedStudy(study, plan))


CASES = {"empty": empty, "tiny": tiny, "every-kind": every_kind, "table": table_alone}
