"""What a planned study can detect, by formula."""

from __future__ import annotations

import numpy as np
import pytest

from planned_studies import PAIRWISE, RATING, planned_study, rating_study
from rejudge.design.draw import draw
from rejudge.power.balanced import simulate_studies
from rejudge.power.detectable import detectable_differences, smallest_difference
from rejudge.power.effects import stated_truth
from rejudge.power.plan import SimulatedTest
from rejudge.power.sizes import StudyShape
from rejudge.simulate.parameters import Parameters
from rejudge.study.analysis_plan import PlannedTest


@pytest.mark.parametrize(
    ("text", "name", "shape", "unit"),
    [
        (RATING, "mixed-model", StudyShape(40, 3, 24, 2), None),
        (RATING, "cluster-robust", StudyShape(60, 5, 10, 2), None),
        (RATING, "paired-t", StudyShape(40, 3, 120, 2), "item"),
        (PAIRWISE, "cluster-robust", StudyShape(60, 3, 36, 2), None),
        (f"{PAIRWISE}, tie: true", "mixed-model", StudyShape(60, 3, 36, 2), None),
    ],
)
def test_a_simulation_finds_the_smallest_difference_with_about_the_power(text, name, shape, unit):
    """Within 6 points of 80 %: the formula is an approximation."""
    question = planned_study((text,), "").spec.questions[0]
    test = SimulatedTest(PlannedTest(question=question.id, test=name, unit=unit), (("a", "b"),))
    size = smallest_difference(
        shape, Parameters(), question, test=test, power_and_level=(0.8, 0.05)
    )
    assert size is not None
    made = stated_truth(question, Parameters(), ("a", "b"), size)
    found = simulate_studies(shape, made, question, name, 1500, (3,), unit=unit)

    assert float(np.mean(found.p < 0.05)) == pytest.approx(0.8, abs=0.06)


def test_more_participants_and_items_detect_smaller_differences():
    small, large = (
        detectable_differences(study, draw(study))[0].difference
        for study in (rating_study(items=10), rating_study(items=100))
    )

    assert small is not None
    assert large is not None
    assert small > 2 * large


def test_a_correction_for_several_tests_makes_differences_larger():
    two = rating_study()
    four = planned_study(
        (RATING,), "{question: fluency, test: mixed-model}", systems="[a, b, c, d]"
    )
    one, several = (detectable_differences(each, draw(each))[0] for each in (two, four))

    assert (one.tests, several.tests) == (1, 6)
    assert one.difference is not None
    assert several.difference is not None
    assert several.difference > one.difference


def test_a_study_too_small_for_any_difference_says_none():
    tiny = rating_study(items=2, design="{seed: 1, batch: {inputs: 2}, participants_per_batch: 2}")

    assert detectable_differences(tiny, draw(tiny))[0].difference is None


def test_one_system_detects_nothing():
    one = planned_study((RATING,), "", systems="[a]")

    assert detectable_differences(one, draw(one)) == ()


@pytest.mark.parametrize(
    ("test", "per_batch", "note"),
    [
        ("mixed-model", 3, ""),
        ("mixed-model", 1, "2 participants cannot show"),
        ("binary-mixed-model", 3, "as small as this one"),
    ],
)
def test_a_formula_that_promises_too_much_says_so(test, per_batch, note):
    """12 items in two batches; binary models find far less than their stand-in there."""
    study = planned_study(
        ("kind: rating, id: fluency, prompt: Is it fluent, points: 2",),
        f"{{question: fluency, test: {test}}}",
        items=12,
        design=f"{{seed: 1, batch: {{inputs: 6}}, participants_per_batch: {per_batch}}}",
    )
    (found,) = detectable_differences(study, draw(study))

    assert note in found.note
    assert bool(found.note) == bool(note)
