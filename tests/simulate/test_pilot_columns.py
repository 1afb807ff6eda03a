"""The comparisons that one ranking decides share its noise, so not all are used together."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import RATING, SEGMENTS, SLIDER, drawn, small_study
from rejudge.judgments import tabulate
from rejudge.simulate import judge
from rejudge.simulate.pilot_columns import PilotQuestion, _without_shared_outputs, systems_of
from rejudge.stats import Comparisons


def test_no_output_occurs_twice_in_one_answer_and_all_pairs_have_their_turn():
    pairs = np.array([(0, 1), (0, 2), (1, 2)] * 6)
    nobody = np.zeros(len(pairs), dtype=int)
    table = Comparisons(pairs[:, 0], pairs[:, 1], nobody * 0.5, nobody, nobody, 3)
    answer = np.repeat(np.arange(6), 3)
    taken = _without_shared_outputs(answer, table, 0)
    assert answer[taken].tolist() == list(range(6))
    assert {tuple(pair) for pair in pairs[taken].tolist()} == {(0, 1), (0, 2), (1, 2)}


@pytest.mark.parametrize("question", [RATING, SLIDER, SEGMENTS], ids=lambda q: q["kind"])
def test_every_kind_of_score_shows_spreads(question):
    study = small_study(question, inputs=30)
    plan = drawn(study)
    table = tabulate(study, plan, judge(study, plan, rng=np.random.default_rng(2)))
    (asked,) = study.spec.questions
    found = PilotQuestion("pilot", table, study.system_ids, asked, asked).components()
    assert found.spreads["noise"] == pytest.approx(0.7, abs=0.3)
    assert found.spreads["system_by_item"] == pytest.approx(0.6, abs=0.4)


def test_systems_of_the_study_come_first():
    study = small_study(RATING)
    plan = drawn(study)
    table = tabulate(study, plan, judge(study, plan, rng=np.random.default_rng(2)))
    assert systems_of(table, ["zebra", "cedar"]) == ("zebra", "cedar", "ash", "beech")
