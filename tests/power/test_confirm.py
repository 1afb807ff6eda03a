"""Complete studies beside the fast ones: which are simulated, and what is said of them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from planned_studies import rating_study
from rejudge.design.draw import draw
from rejudge.power.complete import confirm
from rejudge.power.grid import GridRequest, compute_power
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.sizes import planned_shape
from rejudge.simulate.sources import read_parameters


@pytest.fixture(scope="module")
def request_of_study() -> GridRequest:
    study = rating_study()
    plan = draw(study)
    stated = state_task(study, plan, read_parameters(study), effect=EffectRequest({EVERY: 2.0}))
    return GridRequest(
        study, plan, stated.task, stated.effects, (planned_shape(study, plan),),
        on=date(2026, 11, 18), precision=0.1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def found(request_of_study):
    return compute_power(request_of_study)


class Recorder(Executor):
    """Runs nothing, and keeps what it was to run."""

    def __init__(self) -> None:
        self.parts: list[tuple[Any, ...]] = []

    def map(self, _function, parts, **_others: object):
        self.parts = list(parts)
        return iter([])


def test_each_test_is_confirmed_beside_its_fast_power(request_of_study, found):
    """Two points of a scale of five: complete studies find it as the fast ones do."""
    (fast,) = found.planned.comparisons
    again = confirm(request_of_study, found, 3)
    (one,) = again.confirmed
    assert (one.question, one.test, one.systems) == (fast.question, fast.test, fast.systems)
    assert (again.confirmed_studies, again.planned.comparisons) == (3, (fast,))
    assert one.power == pytest.approx(1.0)
    assert fast.power > 0.95


def test_complete_studies_come_in_tens_with_seeds_of_their_own(request_of_study, found):
    recorder = Recorder()
    assert confirm(request_of_study, found, 25, executor=recorder) == found
    assert [part[-2] for part in recorder.parts] == [10, 10, 5]
    assert len({part[-1] for part in recorder.parts}) == 3


def test_complete_studies_that_were_simulated_already_are_said_to_add_nothing(
    request_of_study, found
):
    complete = replace(found, engine="complete")
    assert confirm(request_of_study, complete, 20).notes[-1].endswith("--confirm adds nothing.")


def test_only_the_planned_size_is_confirmed(request_of_study, found):
    other = replace(found, sizes=tuple(replace(each, is_planned=False) for each in found.sizes))
    assert confirm(request_of_study, other, 1) == other
