"""Planned tests without a closed form, over all sizes of a grid; see `paired`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rejudge.english import join_words
from rejudge.executors.chunks import Chunk, Executor
from rejudge.power.paired import PairedTally, fit_seconds, pair_chunk
from rejudge.power.planned_power import ComparisonPower, SizePower
from rejudge.power.studies import StudyShape
from rejudge.power.summaries import hardest_power
from rejudge.power.tallies import PowerTask, SizeTally
from rejudge.power.timed_sample import TimedSample, Watch, limit_notes, studies_in_words
from rejudge.study.methods import TESTS

_STAND_INS: Final = 10  # as many studies of the similar test as of the planned one are enough
_FEWEST_STAND_INS: Final = 1000
_MANY: Final = 10**9


class PlannedFits(TimedSample[PairedTally]):
    """The planned tests of all sizes, next to the stand-ins of the same and further studies."""

    step = "planned tests"
    seed = 2_000_003
    fewest_in_chunk = 50

    def __init__(
        self,
        task: PowerTask,
        stand_ins: Mapping[StudyShape, SizeTally],
        executor: Executor,
        watch: Watch | None,
        *,
        seed: int,
        start: float = 0.0,
    ) -> None:
        super().__init__(list(stand_ins), executor, watch, seed=seed, start=start)
        self._task, self._stand_ins = task, stand_ins

    @property
    def compute(self) -> Callable[[Chunk], PairedTally]:
        return pair_chunk

    def arguments(self, shape: StudyShape, studies: int) -> tuple[PowerTask, StudyShape, int]:
        return self._task, shape, studies

    def seconds(self, shape: StudyShape) -> float:
        return fit_seconds(self._task, shape).per_study

    def start_seconds(self, shape: StudyShape) -> float:
        return fit_seconds(self._task, shape).per_chunk

    def hardest(self, shape: StudyShape) -> ComparisonPower:
        return hardest_power(self._task, self._stand_ins[shape], self.tallies[shape])


def most_stand_ins(
    task: PowerTask, shapes: Sequence[StudyShape], limit: float
) -> dict[StudyShape, int]:
    """Of how many studies the similar test is worth computing for so much time."""
    return {
        shape: max(_FEWEST_STAND_INS, int(min(_MANY, _STAND_INS * limit / seconds)))
        for shape in shapes
        for seconds in [fit_seconds(task, shape).per_study]
    }


def fit_notes(task: PowerTask, sizes: Sequence[SizePower], precision: float) -> list[str]:
    """How the power of planned tests without a closed form was computed, in sentences."""
    fitted = [test for test in task.plan.tests if test.is_fitted]
    if not fitted:
        return []
    planned = join_words(list(dict.fromkeys(TESTS[test.planned].label for test in fitted)))
    quick = join_words(list(dict.fromkeys(TESTS[test.test].label for test in fitted)))
    how = (
        f"The {planned} was computed in {studies_in_words(sizes)} simulated studies of each size, "
        f"weighted by the results of the {quick} in these and further studies."
    )
    return [how, *limit_notes(sizes, precision)]
