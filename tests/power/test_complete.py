"""Complete studies: the planned analysis itself, and its agreement with the fast simulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from power_studies import BEST_WORST, PAIRWISE, RANKING, RATING, parameters_of, study_of
from rejudge.errors import DesignError
from rejudge.power import (
    StudyShape,
    resize_study,
    simulate_complete,
    simulate_studies,
    why_complete,
)
from rejudge.study import PlannedTest

SMALL = StudyShape(8, 2, 4)
EVEN = parameters_of(0.0, 0.0)
MIXED = PlannedTest(question="q", test="mixed-model")


def test_a_study_of_another_size_has_its_items_batches_and_participants():
    study, plan = resize_study(study_of(RATING), StudyShape(12, 3, 9))
    assert len(study.items) == 12
    assert len({item.id for item in study.items}) == 12
    assert [batch.participants for batch in plan.main] == [3, 3, 3]
    assert plan.people == 9


def test_a_study_of_other_systems_is_refused():
    with pytest.raises(DesignError, match="the study has 2 systems, not 3"):
        resize_study(study_of(RATING), replace(SMALL, systems=3))


def test_each_study_has_a_seed_of_its_own():
    study, plan = resize_study(study_of(RATING), SMALL)
    told: list[float] = []
    three = simulate_complete(study, plan, EVEN, MIXED, 3, (1,), progress=told.append)
    two = simulate_complete(study, plan, EVEN, MIXED, 2, (1,))
    assert three.value[:2].tolist() == two.value.tolist()
    assert len(np.unique(three.value)) > 1
    assert told == pytest.approx([1 / 3, 2 / 3, 1])
    assert three.engine == "complete"


def test_an_undefined_test_has_no_p():
    study, plan = resize_study(study_of(RATING), StudyShape(4, 1, 1))
    found = simulate_complete(study, plan, EVEN, MIXED, 2, (1,))
    assert np.isnan(found.p).all()
    assert np.isfinite(found.scores).all()


def test_tests_without_a_closed_form_are_simulated_too():
    study, plan = resize_study(study_of(PAIRWISE, systems=3), StudyShape(8, 3, 6, 3))
    planned = PlannedTest(question="q", test="bradley-terry")
    found = simulate_complete(study, plan, parameters_of(1, 0, 0), planned, 2, (1,))
    assert found.p.shape == (2, 3)
    assert found.value[:, 0].mean() > 0


def test_pairs_that_are_planned_in_the_other_order_keep_their_sign():
    study, plan = resize_study(study_of(RATING), SMALL)
    one, other = (
        simulate_complete(
            study, plan, parameters_of(1, 0),
            PlannedTest(question="q", test=test, pairs=pairs), 2, (1,),
        )
        for test, pairs in (("cluster-robust", ()), ("cluster-robust", (("s1", "s0"),)))
    )  # fmt: skip
    assert other.value.tolist() == one.value.tolist()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"inputs": "apart"}, "all systems on the same items"),
        ({"calibration": 1}, "calibration items"),
    ],
)
def test_designs_that_are_not_balanced_need_complete_studies(changes, says):
    study = study_of(RATING)
    design = study.spec.design.model_copy(update=changes)
    study = replace(study, spec=study.spec.model_copy(update={"design": design}))
    assert says in why_complete(study, SMALL, EVEN, MIXED)


def test_a_balanced_design_needs_none():
    assert why_complete(study_of(RATING), SMALL, EVEN, MIXED) == ""
    free = PlannedTest(question="q", test="mixed-model", slopes="free")
    assert "Free slopes" in why_complete(study_of(RATING), SMALL, EVEN, free)


STUDIES = 40
DESIGNS = [
    (RATING, StudyShape(16, 4, 4), "mixed-model", None, {"item_difficulty": 0.3}),
    (RATING, StudyShape(16, 3, 12), "mixed-model", None, {"scale_use": 0.3, "careless": 0.2}),
    (RATING, StudyShape(16, 3, 12), "paired-t", "participant", {}),
    (PAIRWISE, StudyShape(16, 3, 12), "mixed-model", None, {"position_bias": 0.5}),
    (PAIRWISE, StudyShape(16, 3, 6, 3), "joint-mixed-model", None, {"scale_use": 0.3}),
    (RANKING, StudyShape(18, 3, 6, 3), "mixed-model", None, {"position_bias": 0.4}),
    (BEST_WORST, StudyShape(18, 3, 6, 3), "joint-mixed-model", None, {"careless": 0.2}),
]


@pytest.mark.slow
@pytest.mark.parametrize("effect", [0.0, 1.0])
@pytest.mark.parametrize(
    ("question", "shape", "test", "unit", "others"),
    DESIGNS,
    ids=[f"{each[0]['kind']}, {each[2]}, {each[1].participants}" for each in DESIGNS],
)
def test_fast_and_complete_simulations_agree(question, shape, test, unit, others, effect):
    """Within four standard errors of the smaller simulation."""
    study, plan = resize_study(study_of(question, systems=shape.systems), shape)
    truth = parameters_of(effect, *[0.0] * (shape.systems - 1), **others)
    planned = PlannedTest(question="q", test=test, unit=unit)
    assert why_complete(study, shape, truth, planned) == ""
    slow = simulate_complete(study, plan, truth, planned, STUDIES, (1,))
    asked = study.spec.questions[0]
    fast = simulate_studies(shape, truth, asked, test, 4000, (2,), unit=unit)
    allowed = 4 * fast.value[:, 0].std() / math.sqrt(STUDIES)
    assert slow.value[:, 0].mean() == pytest.approx(fast.value[:, 0].mean(), abs=allowed)
    errors = [np.nanmean(each.standard_error[:, 0]) for each in (slow, fast)]
    spread = 4 * np.nanstd(fast.standard_error[:, 0]) / math.sqrt(STUDIES)
    assert errors[0] == pytest.approx(errors[1], abs=spread)
    rates = [float(np.mean(each.p[:, 0] < 0.05)) for each in (slow, fast)]
    assert rates[0] == pytest.approx(
        rates[1], abs=4 * math.sqrt(max(rates[1] * (1 - rates[1]), 0.02) / STUDIES)
    )
    scores = np.abs(slow.scores.mean(axis=0) - fast.scores.mean(axis=0))
    assert (scores < 4.5 * fast.scores.std(axis=0) / math.sqrt(STUDIES)).all()
