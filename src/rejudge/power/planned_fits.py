"""Spend a limited time on planned tests without a closed form, over all sizes of a grid.

Time is counted by an estimate that is the same on every machine, so that the same seed and limit
give the same numbers. Each size gets a first sample; the rest of the time makes all intervals
equally narrow, and at last those narrower that matter: the planned size, and sizes that may or may
not reach the target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rejudge.english import join_words
from rejudge.executors import Chunk, Executor
from rejudge.power.paired import (
    EstimatedShare,
    PairedTally,
    pair_chunk,
    seconds_per_study,
    studies_for,
)
from rejudge.power.planned_power import SizePower
from rejudge.power.studies import StudyShape
from rejudge.power.summaries import hardest_power
from rejudge.power.tallies import PowerTask, SizeTally
from rejudge.study import TESTS

_FIRST: Final = 200  # studies of each size to begin with, if there is time
_FEWEST: Final = 40
_SHARES: Final = (0.3, 0.7)  # of the time: after the first samples, and after all sizes
_CHUNK_SECONDS: Final = 4.0
_FEWEST_IN_CHUNK, _MOST_IN_CHUNK = 50, 1000
_MOST_TIMES: Final = 4  # as many studies near the target as the precision asks for
_SEED: Final = 2_000_003  # so that the sample does not share chance with the other studies


@dataclass(slots=True)
class PlannedFits:
    """The planned tests of all sizes, and how many studies of each have had them."""

    task: PowerTask
    stand_ins: Mapping[StudyShape, SizeTally]
    executor: Executor
    watch: Callable[[str, float], None] | None
    seed: int
    start: float = 0.0  # of the progress
    tallies: dict[StudyShape, PairedTally] = field(default_factory=dict)
    _chunks: dict[StudyShape, int] = field(default_factory=dict)

    def run(self, limit: float, *, precision: float, target: float, planned: StudyShape) -> None:
        """Sample studies of every size until the precision or the limit is reached."""
        shapes = list(self.stand_ins)
        each = {shape: seconds_per_study(self.task, shape) for shape in shapes}
        first = int(min(_FIRST, max(_FEWEST, _SHARES[0] * limit / sum(each.values()))))
        self._sample(dict.fromkeys(shapes, first), _SHARES[0])
        wanted = {shape: self._wanted(shape, precision) for shape in shapes}
        self._sample(_within(wanted, self._missing_seconds(wanted, each),
                             (_SHARES[1] - _SHARES[0]) * limit, first), _SHARES[1])  # fmt: skip
        open_ = [s for s in shapes if s == planned or self._is_open(s, target)]
        closer = {
            s: self._wanted(s, precision) * (_MOST_TIMES if self._is_open(s, target) else 1)
            for s in open_
        }
        self._sample(_within(closer, self._missing_seconds(closer, each),
                             (1 - _SHARES[1]) * limit, first), 1.0)  # fmt: skip

    def _share(self, shape: StudyShape) -> EstimatedShare:
        found = hardest_power(self.task, self.stand_ins[shape], self.tallies[shape])
        return EstimatedShare(found.power, found.mc)

    def _wanted(self, shape: StudyShape, precision: float) -> int:
        return studies_for(self._share(shape), self.tallies[shape].studies, precision)

    def _is_open(self, shape: StudyShape, target: float) -> bool:
        mc = self._share(shape).mc
        return mc.low < target <= mc.high

    def _missing_seconds(
        self, wanted: Mapping[StudyShape, int], each: Mapping[StudyShape, float]
    ) -> float:
        return sum(
            max(0, studies - self.tallies[shape].studies) * each[shape]
            for shape, studies in wanted.items()
        )

    def _sample(self, wanted: Mapping[StudyShape, int], end: float) -> None:
        """Compute what is missing of so many studies of each size."""
        chunks: list[tuple[StudyShape, Chunk]] = []
        for shape, studies in wanted.items():
            done = self.tallies[shape].studies if shape in self.tallies else 0
            chunks += self._split(shape, studies - done)
        if not chunks:
            return
        results = self.executor.run(
            pair_chunk, [chunk for _, chunk in chunks], progress=self._progress(end)
        )
        for (shape, _), result in zip(chunks, results, strict=True):
            known = self.tallies.get(shape)
            self.tallies[shape] = result if known is None else known + result

    def _progress(self, end: float) -> Callable[[float], None] | None:
        watch, begin = self.watch, self.start
        if watch is None:
            return None
        self.start = last = begin + (1 - begin) * end if end < 1 else 1.0
        return lambda done: watch("planned tests", begin + (last - begin) * done)

    def _split(self, shape: StudyShape, studies: int) -> list[tuple[StudyShape, Chunk]]:
        fitting = int(_CHUNK_SECONDS / seconds_per_study(self.task, shape))
        most = max(_FEWEST_IN_CHUNK, min(_MOST_IN_CHUNK, fitting))
        size = (shape.items, shape.participants_per_item, shape.participants)
        found = []
        while studies > 0:
            number = self._chunks.get(shape, 0)
            self._chunks[shape] = number + 1
            name = "x".join(map(str, ("planned", *size, number)))
            seed = (self.seed, _SEED, *size, number)
            found.append((shape, Chunk(name, seed, (self.task, shape, min(most, studies)))))
            studies -= most
        return found


def _within(
    wanted: Mapping[StudyShape, int], seconds: float, limit: float, first: int
) -> dict[StudyShape, int]:
    """The numbers of studies, reduced in proportion where they would take too long."""
    share = min(1.0, limit / seconds) if seconds > 0 else 1.0
    return {
        shape: first + int(max(0, studies - first) * share) for shape, studies in wanted.items()
    }


def fit_notes(task: PowerTask, sizes: Sequence[SizePower], precision: float) -> list[str]:
    """How the power of planned tests without a closed form was computed, in sentences."""
    fitted = [test for test in task.plan.tests if test.is_fitted]
    if not fitted:
        return []
    planned = join_words(list(dict.fromkeys(TESTS[test.planned].label for test in fitted)))
    quick = join_words(list(dict.fromkeys(TESTS[test.test].label for test in fitted)))
    counts = [size.studies for size in sizes]
    often = f"{min(counts):,}" + (f" to {max(counts):,}" if max(counts) > min(counts) else "")
    how = (
        f"The {planned} was computed in {often} simulated studies of each size, weighted by the "
        f"results of the {quick} in these and further studies."
    )
    notes = [how]
    widest = max((size.hardest.mc.high - size.hardest.mc.low) / 2 for size in sizes)
    if widest > _TOLERANCE * precision:
        notes.append(
            f"The time limit allows a Monte-Carlo error of up to ±{widest:.3f}; a longer "
            "--time-limit makes it smaller."
        )
    return notes


_TOLERANCE: Final = 1.5  # times the precision, above which the error is remarked on
