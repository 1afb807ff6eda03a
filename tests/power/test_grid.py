"""A grid of sizes: as many studies as needed, the cheapest size, and the same numbers anywhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from planned_studies import PAY, RATING, planned_study, rating_study
from rejudge.design.draw import draw
from rejudge.errors import UsageError
from rejudge.parallel import executor_for
from rejudge.power.grid import GridRequest, compute_power, power_fingerprint
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.sizes import StudyShape
from rejudge.simulate.sources import read_parameters

ON = date(2026, 11, 17)


def request_of(effect: float = 0.9, **changes: Any) -> GridRequest:
    study = rating_study(more=PAY)
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: effect}))
    shapes = tuple(StudyShape(n, 3, 3 * n // 5, 2) for n in (10, 20, 40))
    return replace(
        GridRequest(study, plan, stated.task, stated.effects, shapes, on=ON, precision=0.1),
        **changes,
    )


@pytest.fixture(scope="module")
def found():
    return compute_power(request_of())


def test_power_grows_with_size_and_cost(found):
    assert [size.items for size in found.sizes] == [10, 20, 40]
    assert found.sizes[0].power < found.sizes[1].power < found.sizes[2].power
    assert found.sizes[0].price < found.sizes[1].price < found.sizes[2].price


def test_the_cheapest_size_that_reaches_the_target_is_chosen(found):
    enough = [size for size in found.sizes if size.power >= 0.8]

    assert found.best is enough[0]
    assert enough[0].price == min(size.price for size in enough)
    assert found.planned.is_planned


def test_every_interval_is_as_narrow_as_asked_for(found):
    assert all((s.hardest.interval.high - s.hardest.interval.low) / 2 <= 0.05 for s in found.sizes)


def test_no_size_is_chosen_where_none_is_enough():
    none = compute_power(request_of(0.05, shapes=(StudyShape(10, 3, 6, 2),)))

    assert none.cheapest is None
    assert none.best is None


def test_the_planned_size_is_always_among_them():
    only = compute_power(request_of(shapes=(StudyShape(10, 2, 4, 2),)))

    assert [size.is_planned for size in only.sizes] == [False, True]


def test_a_size_has_the_same_numbers_whatever_else_is_looked_at(found):
    alone = compute_power(request_of(shapes=(StudyShape(20, 3, 12, 2),), target=0.5))

    assert alone.sizes[0].comparisons == found.sizes[1].comparisons


def test_without_an_effect_the_share_found_is_the_level():
    """At most 5 standard errors from 5 %; the mixed model may be a little below it."""
    null = compute_power(request_of(0.0, shapes=(StudyShape(20, 3, 12, 2),), precision=0.02))
    size = null.planned

    assert size.power < 0.05 + 5 * (0.05 * 0.95 / size.studies) ** 0.5
    assert size.hardest.exaggeration is None


@pytest.mark.slow
def test_processes_give_the_same_numbers(found):
    with executor_for(processes=2) as executor:
        assert compute_power(request_of(), executor=executor) == found


@pytest.mark.parametrize("changes", [{"target": 1.0}, {"target": 0.0}, {"precision": 0.0}])
def test_impossible_demands_are_refused(changes):
    with pytest.raises(UsageError):
        request_of(**changes)


def test_a_changed_page_keeps_a_power_analysis_fresh_and_a_changed_test_does_not():
    study = rating_study()
    retitled = replace(study, spec=study.spec.model_copy(update={"title": "Another"}))

    assert power_fingerprint(retitled) == power_fingerprint(study)
    assert power_fingerprint(rating_study(items=21)) != power_fingerprint(study)


def test_a_test_without_a_result_is_remarked_on():
    """One item shows no variation between items: few studies have a result."""
    study = rating_study(items=1, design="{seed: 1, batch: {inputs: 1}, participants_per_batch: 3}")
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: 0.5}))
    shapes = (StudyShape(1, 3, 3, 2),)
    found = compute_power(
        GridRequest(study, plan, stated.task, stated.effects, shapes, on=ON, precision=0.1)
    )

    assert any("% of the simulated studies of 1 item the" in note for note in found.notes)
    assert any("slightly too many false positives" in note for note in found.notes)


def test_one_participant_has_no_result_and_no_further_warning():
    design = "{seed: 1, batch: {inputs: 8}, participants_per_batch: 1}"
    study = rating_study(items=8, design=design)
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: 0.5}))
    shapes = (StudyShape(8, 1, 1, 2),)
    found = compute_power(
        GridRequest(study, plan, stated.task, stated.effects, shapes, on=ON, precision=0.2)
    )

    assert any("In all simulated studies of 8 items" in note for note in found.notes)
    assert not any("false positives" in note for note in found.notes)


@pytest.mark.parametrize(
    ("test", "sample", "is_noted"),
    [
        ("cluster-robust", "weighted, column: w", True),
        ("mixed-model", "weighted, column: w", False),
        ("cluster-robust", "random", False),
    ],
)
def test_weights_of_inputs_that_the_simulation_leaves_out_are_noted(test, sample, is_noted):
    """Only the cluster-robust test weights inputs."""
    rows = "\n".join(f"i{n},input {n},a {n},b {n},{1 + n * n}" for n in range(20))
    study = planned_study(
        (RATING,),
        f"{{question: fluency, test: {test}}}",
        more=f"items: {{sample: {{inputs: 10, method: {sample}}}}}\n",
        files={"items.csv": f"id,input,a,b,w\n{rows}".encode()},
    )
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: 0.5}))
    request = GridRequest(study, plan, stated.task, stated.effects, (), on=ON, precision=0.1)
    notes = compute_power(request).notes

    assert any("equally likely" in note for note in notes) == is_noted
