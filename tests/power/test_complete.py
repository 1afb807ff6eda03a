"""Complete studies: the planned analysis itself, and its agreement with the fast simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

from planned_studies import planned_study, rating_study
from power_studies import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    parameters_of,
    study_of,
    study_of_shape,
)
from rejudge.design.draw import draw
from rejudge.power.balanced import simulate_studies
from rejudge.power.complete import simulate_complete, why_complete
from rejudge.power.grid import GridRequest, compute_power
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.results import PlannedPower
from rejudge.power.sizes import StudyShape, planned_shape
from rejudge.simulate.sources import read_parameters
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.model import Study

SMALL = StudyShape(8, 2, 4)
EVEN = parameters_of(0.0, 0.0)
MIXED = PlannedTest(question="q", test="mixed-model")


def test_each_study_has_a_seed_of_its_own():
    study, plan = study_of_shape(RATING, SMALL)
    three = simulate_complete(study, plan, EVEN, MIXED, 3, (1,))
    two = simulate_complete(study, plan, EVEN, MIXED, 2, (1,))
    assert three.value[:2].tolist() == two.value.tolist()
    assert len(np.unique(three.value)) > 1


def test_tests_without_a_closed_form_are_simulated_too():
    study, plan = study_of_shape(PAIRWISE, StudyShape(8, 3, 6, 3))
    planned = PlannedTest(question="q", test="bradley-terry")
    found = simulate_complete(study, plan, parameters_of(1, 0, 0), planned, 2, (1,))
    assert found.p.shape == (2, 3)
    assert found.value[:, 0].mean() > 0


def test_pairs_that_are_planned_in_the_other_order_keep_their_sign():
    study, plan = study_of_shape(RATING, SMALL)
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


def power_of(study: Study, effect: float, *shapes: StudyShape, **changes: Any) -> PlannedPower:
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: effect}))
    request = GridRequest(
        study, plan, stated.task, stated.effects, shapes or (planned_shape(study, plan),),
        on=date(2026, 11, 18), precision=0.2, **changes,
    )  # fmt: skip
    return compute_power(request)


SOME = "kind: best-worst, id: meaning, prompt: Best and worst, of: 3"
SENTENCES = "kind: segments, id: fluency, prompt: How fluent, points: 4, lowest: 0"
APART = "{seed: 1, inputs: apart, batch: {inputs: 5}, participants_per_batch: 3}"


@pytest.mark.parametrize(
    ("study", "effect", "reason"),
    [
        (
            planned_study(
                (SOME,), "{question: meaning, test: joint-mixed-model}", systems="[a, b, c, d]",
                items=6,
            ),
            25,
            "Judgments that show some of the systems",
        ),
        (rating_study(design=APART), 0.9, "Not every participant judges all systems"),
        (
            planned_study((SENTENCES,), "{question: fluency, test: mixed-model}", items=8),
            0.9,
            "Each segment of a text has a score of its own",
        ),
    ],
    ids=["some systems", "apart", "sentences"],
)  # fmt: skip
def test_studies_that_are_not_balanced_have_the_power_of_complete_studies(study, effect, reason):
    found = power_of(study, effect)

    assert found.engine == "complete"
    assert found.planned.studies in {25, 62}  # 1.96² · ½ · ½ / 0.2² = 24.01; 62 near the target
    assert 0 < found.planned.power < 1
    (note,) = (each for each in found.notes if reason in each)
    assert "complete studies of each size were simulated" in note


def test_only_the_sizes_that_need_it_are_simulated_completely():
    """With one item the table is not crossed; the planned 20 items use the fast simulation."""
    study = rating_study()
    found = power_of(study, 0.9, StudyShape(1, 3, 3), StudyShape(20, 3, 12))
    alone = power_of(study, 0.9, StudyShape(20, 3, 12))

    one, planned = found.sizes
    assert planned.comparisons == alone.planned.comparisons
    assert one.studies < planned.studies
    assert any("complete studies of 1 size were simulated" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "systems", "effect"),
    [(SOME, "[a, b, c, d]", 10.0), (SOME, "[a, b, c, d, e, f]", 15.0), (SENTENCES, "[a, b]", 0.6)],
)
def test_complete_studies_have_the_stated_effect(question, systems, effect):
    """Within four standard errors: neighbours (of best–worst answers, the best two) differ so."""
    name = "fluency" if question == SENTENCES else "meaning"
    study = planned_study(
        (question,), f"{{question: {name}, test: cluster-robust}}", systems=systems
    )
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: effect}))
    planned = PlannedTest(question=name, test="cluster-robust")
    found = simulate_complete(study, plan, stated.task.parameters, planned, 60, (1,))

    allowed = 4 * found.value[:, 0].std() / math.sqrt(60)
    assert found.value[:, 0].mean() == pytest.approx(effect, abs=allowed)


STUDIES = 40
DESIGNS = [
    (RATING, StudyShape(16, 4, 4), "mixed-model", None, {"item_difficulty": 0.3}),
    (RATING, StudyShape(16, 3, 12), "mixed-model", None, {"careless": 0.2}),
    (RATING, StudyShape(16, 3, 12), "paired-t", "participant", {}),
    (PAIRWISE, StudyShape(16, 3, 12), "mixed-model", None, {"position_bias": 0.5}),
    (PAIRWISE, StudyShape(16, 3, 6, 3), "joint-mixed-model", None, {"position_bias": 0.3}),
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
    study, plan = study_of_shape(question, shape)
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
