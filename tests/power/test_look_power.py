"""What planned looks do to power, against simulated studies with looks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from planned_studies import rating_study
from rejudge.design.draw import draw
from rejudge.power.grid import GridRequest, compute_power, look_power
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.results import ComparisonPower
from rejudge.power.sizes import StudyShape, planned_shape
from rejudge.simulate.sources import read_parameters
from rejudge.stats import Interval
from rejudge.tables.power import look_sentences

LOOKS = "stop: {{looks: 5, boundary: {}, question: fluency, systems: [a, b]}}\n"
SHAPE = StudyShape(100, 1, 100)


def comparison(drift: float) -> ComparisonPower:
    """A difference of so many standard errors, with an interval of 1.96 of them on each side."""
    return ComparisonPower(
        "fluency", "mixed-model", ("b", "a"), -drift, 0.8, Interval(0.7, 0.9, 0.95),
        width=2 * 1.959964,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("boundary", "power", "used"),
    [("obrien-fleming", 78.5, 81), ("pocock", 69.3, 72), ("always-valid", 43.4, 88)],
)
def test_power_and_length_are_those_of_simulated_studies(boundary, power, used):
    """4,000 studies of 100 normal scores with five looks, where one test has 80 % power: the first
    row of the table in docs/methods.md."""
    study = rating_study(more=LOOKS.format(boundary))
    found = look_power(study, SHAPE, [comparison(1.959964 + 0.841621)], alpha=0.05)

    assert found is not None
    assert found.single == pytest.approx(0.80, abs=0.001)
    assert 100 * found.power == pytest.approx(power, abs=2)
    assert 100 * found.used == pytest.approx(used, abs=2)
    assert sum(found.stops) == pytest.approx(found.power)


def test_without_a_difference_a_boundary_keeps_its_level():
    study = rating_study(more=LOOKS.format("pocock"))
    found = look_power(study, SHAPE, [comparison(0.0)], alpha=0.05)

    assert found is not None
    assert found.power == pytest.approx(0.05, abs=1e-6)
    assert 0.95 < found.used < 1


def test_nothing_is_said_without_looks_or_without_the_comparison_that_decides():
    study = rating_study(more=LOOKS.format("pocock"))

    assert look_power(rating_study(), SHAPE, [comparison(2.8)], alpha=0.05) is None
    assert look_power(study, SHAPE, [], alpha=0.05) is None
    other = replace(comparison(2.8), width=None)
    assert look_power(study, SHAPE, [other], alpha=0.05) is None


def test_a_power_analysis_states_it_in_a_sentence():
    study = rating_study(more=LOOKS.format("obrien-fleming"))
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: 0.8}))
    found = compute_power(
        GridRequest(
            study, plan, stated.task, stated.effects, (planned_shape(study, plan),),
            on=date(2026, 11, 18), precision=0.05,
        )
    )  # fmt: skip

    assert found.looks is not None
    assert found.looks.power < found.looks.single
    assert found.looks.single == pytest.approx(found.planned.power, abs=0.06)
    (sentence,) = look_sentences(found)
    assert sentence.startswith("5 looks (O’Brien–Fleming): a – b on fluency by itself is found")
    assert not any("looks are left out" in note for note in found.notes)
