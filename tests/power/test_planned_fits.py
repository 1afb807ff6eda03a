"""Time for planned tests without a closed form: how it is spent, and that numbers repeat."""

from __future__ import annotations

from datetime import date

import pytest

from planned_studies import RATING, planned_study
from rejudge.design import draw
from rejudge.power import EVERY, EffectRequest, GridRequest, StudyShape, compute_power, state_task
from rejudge.simulate import read_parameters

SHAPES = (StudyShape(10, 3, 6), StudyShape(20, 3, 12))


def power_of(limit: float, *, is_quick: bool = False):
    study = planned_study((RATING,), "{question: fluency, test: ordinal-mixed-model}", items=10)
    plan = draw(study)
    stated = state_task(
        study,
        plan,
        read_parameters(study),
        effect=EffectRequest({EVERY: 0.9}),
        is_quick=is_quick,
    )
    request = GridRequest(
        study, plan, stated.task, stated.effects, SHAPES, on=date(2026, 11, 17), precision=0.05,
        time_limit=limit,
    )  # fmt: skip
    return compute_power(request)


@pytest.fixture(scope="module")
def short():
    return power_of(0.5)


def test_the_printed_power_is_that_of_the_planned_test(short):
    assert short.tests[0].simulated == "ordinal-mixed-model"
    assert any("ordinal mixed model was computed in" in note for note in short.notes)
    assert short.sizes[0].power < short.sizes[-1].power


def test_every_size_has_studies_and_a_short_time_is_said(short):
    assert all(size.studies >= 40 for size in short.sizes)
    assert any("longer --time-limit" in note for note in short.notes)


def test_widths_are_on_the_scale_of_the_effect(short):
    """Log odds are turned into points: an interval of a few points, about four errors wide."""
    assert 0.5 < short.sizes[0].hardest.width < 4


def test_a_quick_answer_has_the_power_of_the_stand_in():
    found = power_of(0.5, is_quick=True)

    assert found.tests[0].simulated == "mixed-model"
    assert any("Leave out --quick" in note for note in found.notes)


@pytest.mark.slow
def test_more_time_gives_narrower_intervals_and_the_same_seed_the_same_numbers(short):
    longer = power_of(4.0)

    assert longer.sizes[0].studies > short.sizes[0].studies
    assert power_of(0.5) == short
