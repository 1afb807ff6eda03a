"""Planned tests without a closed form: how many complete studies of each size."""

from __future__ import annotations

from datetime import date

import pytest

from planned_studies import RATING, planned_study
from rejudge.design.draw import draw
from rejudge.power.grid import GridRequest, compute_power
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.sizes import StudyShape
from rejudge.simulate.sources import read_parameters

SHAPES = (StudyShape(10, 3, 6), StudyShape(20, 3, 12))


def power_of(precision: float | None = 0.2, *, test: str = "wilcoxon"):
    study = planned_study((RATING,), f"{{question: fluency, test: {test}}}", items=10)
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: 0.9}))
    request = GridRequest(
        study, plan, stated.task, stated.effects, SHAPES, on=date(2026, 11, 17),
        precision=precision,
    )  # fmt: skip
    return compute_power(request)


@pytest.fixture(scope="module")
def rough():
    return power_of()


def test_the_precision_decides_how_many_studies_are_simulated(rough):
    """1.96² · ½ · ½ / 0.2² = 24.01; near the target, four times 1.96² · .8 · .2 / 0.2² = 61.5."""
    assert rough.precision == 0.2
    assert {size.studies for size in rough.sizes} <= {25, 62}


@pytest.mark.slow
def test_without_a_precision_an_error_of_seven_points_is_enough():
    """A power has at most this error: Wilson's interval is narrower than that of a share of ½."""
    found = power_of(None)
    assert found.precision == 0.07
    for size in found.sizes:
        mc = size.hardest.interval
        assert (mc.high - mc.low) / 2 <= 0.07 + 0.01


@pytest.mark.slow
def test_widths_of_log_odds_are_on_the_scale_of_the_effect():
    """Log odds are turned into points: an interval of a few points, about four errors wide."""
    found = power_of(test="ordinal-mixed-model")

    assert 0.5 < found.sizes[0].hardest.width < 4
