"""Time for planned tests without a closed form: how it is spent, and that numbers repeat."""

from __future__ import annotations

from datetime import date

import pytest

from planned_studies import RATING, planned_study
from rejudge.design.draw import draw
from rejudge.executors.chunks import Chunk, SerialExecutor
from rejudge.power.grid import GridRequest, compute_power
from rejudge.power.planned_fits import PlannedFits
from rejudge.power.studies import StudyShape
from rejudge.power.tallies import tally_chunk
from rejudge.power.truth import EVERY, EffectRequest, state_task
from rejudge.simulate.sources import read_parameters

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
    assert all(size.studies >= 20 for size in short.sizes)
    assert any("longer --time-limit" in note for note in short.notes)


def grid_of(limit: float, *, needs_all: bool = False):
    """Twelve sizes and the planned one, as far as there is time for them."""
    study = planned_study((RATING,), "{question: fluency, test: wilcoxon}", items=10)
    plan = draw(study)
    effect = EffectRequest({EVERY: 0.9})
    stated = state_task(study, plan, read_parameters(study), effect=effect)
    shapes = tuple(StudyShape(items, 2, items // 2) for items in range(4, 28, 2))
    request = GridRequest(
        study, plan, stated.task, stated.effects, shapes, on=date(2026, 11, 17), precision=0.02,
        time_limit=limit, needs_all=needs_all,
    )  # fmt: skip
    return compute_power(request)


def test_a_short_time_is_kept_by_computing_sizes_spread_over_the_grid():
    """About 0.06 s for 20 studies of a size, by the estimate."""
    found = grid_of(0.3)

    sizes = [size.items for size in found.sizes]
    assert len(sizes) == 5
    assert any(size.is_planned for size in found.sizes)
    assert min(sizes) < 10 < max(sizes)
    assert [note for note in found.notes if "enough for 5 of 13 sizes" in note]


def test_the_planned_size_is_computed_however_short_the_time_is():
    found = grid_of(1e-9)

    assert [size.is_planned for size in found.sizes] == [True]
    assert found.sizes[0].studies == 20


def test_the_time_of_all_studies_by_the_estimate_stays_below_the_limit():
    study = planned_study((RATING,), "{question: fluency, test: wilcoxon}", items=10)
    plan = draw(study)
    effect = EffectRequest({EVERY: 0.9})
    task = state_task(study, plan, read_parameters(study), effect=effect).task
    shapes = [StudyShape(items, 2, items // 2) for items in range(4, 20, 2)]
    drawn = {s: tally_chunk(Chunk("c", (1,), (task, s, 100))) for s in shapes}
    fits = PlannedFits(task, drawn, SerialExecutor(), None, seed=1)

    fits.run(0.6, precision=0.01, target=0.8, planned=shapes[3])

    assert 0.4 < fits.spent <= 0.6


def test_a_rule_for_the_size_looks_at_all_its_sizes():
    assert len(grid_of(1e-9, needs_all=True).sizes) == 13


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
    assert found.sizes[0].studies >= 20
