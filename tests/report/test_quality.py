"""The quality of the judgments: who worked too fast."""

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
from reported import words_of


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
