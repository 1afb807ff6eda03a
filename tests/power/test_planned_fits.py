"""Time for planned tests without a closed form: how it is spent, and that numbers repeat."""

from __future__ import annotations

from datetime import date

import pytest

from planned_studies import RATING, planned_study
from rejudge.design import draw
from rejudge.power import EVERY, EffectRequest, GridRequest, StudyShape, compute_power, state_task
from rejudge.simulate import read_parameters

SHAPES = (StudyShape(10, 3, 6), StudyShape(20, 3, 12))


def power_of(limit: float, *, test: str = "wilcoxon", is_quick: bool = False):
    study = planned_study((RATING,), f"{{question: fluency, test: {test}}}", items=10)
    plan = draw(study)
    stated = state_task(
        study,
        plan,
        read_parameters(study),
        effect=EffectRequest({EVERY: 0.9}),
        is_quick=is_quick,
    )
    request = GridRequest(
        study, plan, stated.task, stated.effects, SHAPES, on=date(2026, 11, 17), precision=0.02,
        time_limit=limit,
    )  # fmt: skip
    return compute_power(request)


@pytest.fixture(scope="module")
def short():
    return power_of(0.5)


def test_the_printed_power_is_that_of_the_planned_test(short):
    assert short.tests[0].simulated == "wilcoxon"
    assert any("Wilcoxon’s signed ranks was computed in" in note for note in short.notes)
    assert short.sizes[0].power < short.sizes[-1].power


def test_every_size_has_studies_and_a_short_time_is_said(short):
    assert all(size.studies >= 40 for size in short.sizes)
    assert any("longer --time-limit" in note for note in short.notes)


def test_a_quick_answer_has_the_power_of_the_stand_in():
    found = power_of(0.5, is_quick=True)

    assert found.tests[0].simulated == "paired-t"
    assert any("Leave out --quick" in note for note in found.notes)


@pytest.mark.slow
def test_more_time_gives_narrower_intervals_and_the_same_seed_the_same_numbers(short):
    longer = power_of(5.0)

    assert longer.sizes[0].studies > short.sizes[0].studies
    assert power_of(0.5) == short


@pytest.mark.slow
def test_widths_of_log_odds_are_on_the_scale_of_the_effect():
    """Log odds are turned into points: an interval of a few points, about four errors wide."""
    found = power_of(2.0, test="ordinal-mixed-model")

    assert 0.5 < found.sizes[0].hardest.width < 4
    assert found.sizes[0].studies >= 40
