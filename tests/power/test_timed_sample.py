"""A limited time, spent on studies of several sizes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rejudge.executors.chunks import Chunk, SerialExecutor
from rejudge.power.planned_power import ComparisonPower
from rejudge.power.studies import StudyShape, wilson
from rejudge.power.timed_sample import TimedSample, left_out_notes

SMALL, MIDDLE, LARGE = (StudyShape(items, 2, 4) for items in (10, 20, 40))
POWERS = {10: 0.1, 20: 0.78, 40: 0.99}


@dataclass(frozen=True)
class Found:
    """A number of studies, and in how many of them a difference was found."""

    studies: int
    found: float

    def __add__(self, other: Found) -> Found:
        return Found(self.studies + other.studies, self.found + other.found)


def compute(chunk: Chunk) -> Found:
    """Exactly as many as the power says, so that tests do not depend on chance."""
    shape, studies = chunk.arguments
    return Found(studies, studies * POWERS[shape.items])


class Toy(TimedSample[Found]):
    """A study takes a tenth of a second for each ten items."""

    step = "toy studies"
    seed = 7

    @property
    def compute(self):
        return compute

    def arguments(self, shape, studies):
        return shape, studies

    def seconds(self, shape):
        return shape.items / 100

    def hardest(self, shape):
        known = self.tallies[shape]
        power, mc = known.found / known.studies, wilson(known.found, known.studies)
        return ComparisonPower("q", "mixed-model", ("a", "b"), 1.0, power, mc)


def run(limit: float, planned: StudyShape = SMALL, **changes: bool) -> Toy:
    sample = Toy([SMALL, MIDDLE, LARGE], SerialExecutor(), None, seed=1)
    sample.run(limit, precision=0.02, target=0.8, planned=planned, **changes)
    return sample


def used(sample: Toy) -> float:
    return sum(sample.seconds(shape) * each.studies for shape, each in sample.tallies.items())


@pytest.mark.parametrize("limit", [20, 60, 300, 2000])
def test_the_time_limit_is_kept_and_used(limit):
    sample = run(limit)

    assert used(sample) <= limit
    assert used(sample) == pytest.approx(sample.spent)
    assert used(sample) > 0.8 * limit or limit == 2000


def test_with_enough_time_every_interval_is_as_narrow_as_asked_for():
    sample = run(1e6)

    for shape in (SMALL, MIDDLE, LARGE):
        mc = sample.hardest(shape).mc
        assert (mc.high - mc.low) / 2 <= 0.0205


def test_a_size_that_may_reach_the_target_gets_most_studies():
    sample = run(300)

    studies = {shape: each.studies for shape, each in sample.tallies.items()}
    assert studies[MIDDLE] > studies[LARGE]


@pytest.mark.parametrize("planned", [SMALL, MIDDLE, LARGE])
def test_without_time_for_all_the_planned_size_is_kept(planned):
    sample = run(1, planned=planned)

    assert planned in sample.tallies
    assert len(sample.tallies) < 3
    (note,) = left_out_notes([sample], 3)
    assert "1 of 3 sizes" in note
    assert "--time-limit 14 or more" in note


def test_all_sizes_can_be_demanded():
    sample = run(1, needs_all=True)

    assert {each.studies for each in sample.tallies.values()} == {20}
    assert left_out_notes([sample], 3) == []


def test_chunks_have_names_and_seeds_of_their_own_and_progress_rises_to_the_end():
    seen: list[Chunk] = []
    shares: list[float] = []

    class Watched(SerialExecutor):
        def run(self, function, chunks, *, progress=None) -> list[Found]:
            seen.extend(chunks)
            return super().run(function, chunks, progress=progress)

    sample = Toy([SMALL, MIDDLE], Watched(), lambda _, share: shares.append(share), seed=1)
    sample.run(300, precision=0.02, target=0.8, planned=SMALL)

    assert len({chunk.key for chunk in seen}) == len(seen)
    assert len({chunk.seed for chunk in seen}) == len(seen)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
