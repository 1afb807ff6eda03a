"""A part computed alone is the same as within the whole analysis."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.partial_analysis import scores_in, single_test, system_scores
from rejudge.design.draw import draw
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.simulate.people import judge
from rejudge.study.analysis_plan import PlannedTest

TESTS = [
    (RATING, "mixed-model", None),
    (RATING, "cluster-robust", None),
    (RATING, "paired-t", "item"),
    (PAIRWISE, "mixed-model", None),
    (PAIRWISE, "cluster-robust", None),
    (PAIRWISE, "sign-flip", None),
]


@pytest.mark.parametrize(("question", "test", "unit"), TESTS)
def test_a_test_alone_is_that_of_the_whole_analysis(question, test, unit):
    planned = PlannedTest(question=question["id"], test=test, unit=unit)
    study = small_study(
        question, analysis={"tests": [planned.model_dump()]}, design={"participants_per_batch": 5}
    )
    plan = draw(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    cleaned = exclude(study, plan, tabulate(study, plan, answers))
    whole = {each.id: each for each in analyse(cleaned, study=study, plan=plan).findings}
    found = single_test(study, cleaned.kept, planned)
    pairs = [each for each in found if len(each.systems) == 2]
    assert len(pairs) == 3
    assert all(each.p == whole[each.id].p for each in pairs)
    assert all(each.value == whole[each.id].value for each in found)


def test_a_test_that_the_study_does_not_plan_can_be_computed():
    study = small_study(RATING)
    plan = draw(study)
    rows = tabulate(study, plan, judge(study, plan, rng=np.random.default_rng(1)))
    found = single_test(study, rows, PlannedTest(question="fluency", test="welch"))
    assert {each.by for each in found if len(each.systems) == 2} == {"welch"}


@pytest.mark.parametrize("question", [RATING, PAIRWISE])
def test_scores_alone_are_those_of_the_whole_analysis(question):
    study = small_study(question)
    plan = draw(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    cleaned = exclude(study, plan, tabulate(study, plan, answers))
    whole = scores_in(analyse(cleaned, study=study, plan=plan, further=Further()).findings)
    alone = system_scores(study, cleaned.kept)
    assert {each.id: each.value for each in alone} == {each.id: each.value for each in whole}
