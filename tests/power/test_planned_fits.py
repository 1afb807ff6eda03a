"""Planned tests without a closed form in a grid: how many studies, and that numbers repeat."""

from __future__ import annotations

from datetime import date

import pytest

from planned_studies import RATING, planned_study
from rejudge.design.draw import draw
from rejudge.power.grid import GridRequest, compute_power
from rejudge.power.studies import StudyShape
from rejudge.power.truth import EVERY, EffectRequest, state_task
from rejudge.simulate.sources import read_parameters

SHAPES = (StudyShape(10, 3, 6), StudyShape(20, 3, 12))


def power_of(precision: float | None = 0.1, *, test: str = "wilcoxon", is_quick: bool = False):
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
        study, plan, stated.task, stated.effects, SHAPES, on=date(2026, 11, 17),
        precision=precision,
    )  # fmt: skip
    return compute_power(request)


@pytest.fixture(scope="module")
def short():
    return power_of()


def test_the_printed_power_is_that_of_the_planned_test(short):
    assert short.tests[0].simulated == "wilcoxon"
    assert any("Wilcoxon’s signed ranks was computed in" in note for note in short.notes)
    assert short.sizes[0].power < short.sizes[-1].power


def test_the_precision_decides_how_many_studies_are_computed(short):
    """1.96² · ½ · ½ / 0.1² = 96.04, whatever the power is."""
    assert [size.studies for size in short.sizes] == [97, 97]
    assert short.precision == 0.1
    assert any("in 97 simulated studies of each size" in note for note in short.notes)


def test_without_a_precision_an_error_of_five_points_is_enough():
    """1.96² · ½ · ½ / 0.05² = 384.2; a power has at most this error."""
    found = power_of(None)
    mc = found.planned.hardest.mc
    assert (found.planned.studies, found.precision) == (385, 0.05)
    assert (mc.high - mc.low) / 2 <= 0.05


def test_a_quick_answer_has_the_power_of_the_stand_in():
    found = power_of(is_quick=True)

    assert found.tests[0].simulated == "paired-t"
    assert any("Leave out --quick" in note for note in found.notes)


def test_the_same_seed_gives_the_same_numbers(short):
    assert power_of() == short


@pytest.mark.slow
def test_widths_of_log_odds_are_on_the_scale_of_the_effect():
    """Log odds are turned into points: an interval of a few points, about four errors wide."""
    found = power_of(test="ordinal-mixed-model")

    assert 0.5 < found.sizes[0].hardest.width < 4
