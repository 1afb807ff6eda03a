"""Spend a limited time on studies that take long to compute, over all sizes of a grid.

Time is counted by an estimate that is the same on every machine, so that the same seed and limit
give the same numbers. Each size gets a first sample; the rest of the time makes all intervals
equally narrow, and at last those narrower that matter: the planned size, and sizes that may or may
not reach the target.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from rejudge.executors import Chunk, Executor
from rejudge.power.planned_power import ComparisonPower, SizePower
from rejudge.power.studies import StudyShape

Watch = Callable[[str, float], None]
_FIRST: Final = 200  # studies of each size to begin with, if there is time
_FEWEST: Final = 40
_SHARES: Final = (0.3, 0.7)  # of the time: after the first samples, and after all sizes
_CHUNK_SECONDS: Final = 4.0
_MOST_IN_CHUNK: Final = 1000
_MOST_TIMES: Final = 4  # as many studies near the target as the precision asks for
_TOLERANCE: Final = 1.5  # times the precision, above which the error is remarked on


class CountedStudies(Protocol):
    """What some studies came to; counts of more studies can be added."""

    @property
    def studies(self) -> int: ...

    def __add__(self, other: Any, /) -> Any: ...  # of its own type


T = TypeVar("T", bound=CountedStudies)


class TimedSample(ABC, Generic[T]):
    """Studies of all sizes of a grid, as many as a time limit allows."""

    step: str  # what it is called beside the progress bar
    seed: int  # so that its studies do not share chance with others
    fewest_in_chunk = 1

    def __init__(
        self,
        shapes: Sequence[StudyShape],
        executor: Executor,
        watch: Watch | None,
        *,
        seed: int,
        start: float = 0.0,
    ) -> None:
        self.tallies: dict[StudyShape, T] = {}
        self._shapes, self._executor, self._watch = shapes, executor, watch
        self._seed, self._start = seed, start
        self._chunks: dict[StudyShape, int] = {}

    @property
    @abstractmethod
    def compute(self) -> Callable[[Chunk], T]:
        """Computes the studies of a chunk, in any process."""

    @abstractmethod
    def arguments(self, shape: StudyShape, studies: int) -> tuple[Any, ...]:
        """What a chunk of so many studies is computed from."""

    @abstractmethod
    def seconds(self, shape: StudyShape) -> float:
        """About how long a processor takes for one study."""

    @abstractmethod
    def hardest(self, shape: StudyShape) -> ComparisonPower:
        """The comparison with the lowest power, from the studies so far."""

    def run(self, limit: float, *, precision: float, target: float, planned: StudyShape) -> None:
        """Sample studies of every size until the precision or the limit is reached."""
        shapes = self._shapes
        each = {shape: self.seconds(shape) for shape in shapes}
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

    def _wanted(self, shape: StudyShape, precision: float) -> int:
        """How many studies make the interval as narrow as asked for."""
        mc = self.hardest(shape).mc
        return math.ceil(self.tallies[shape].studies * ((mc.high - mc.low) / 2 / precision) ** 2)

    def _is_open(self, shape: StudyShape, target: float) -> bool:
        mc = self.hardest(shape).mc
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
        results = self._executor.run(
            self.compute, [chunk for _, chunk in chunks], progress=self._progress(end)
        )
        for (shape, _), result in zip(chunks, results, strict=True):
            known = self.tallies.get(shape)
            self.tallies[shape] = result if known is None else known + result

    def _progress(self, end: float) -> Callable[[float], None] | None:
        watch, begin = self._watch, self._start
        if watch is None:
            return None
        self._start = last = begin + (1 - begin) * end if end < 1 else 1.0
        return lambda done: watch(self.step, begin + (last - begin) * done)

    def _split(self, shape: StudyShape, studies: int) -> list[tuple[StudyShape, Chunk]]:
        fitting = int(_CHUNK_SECONDS / self.seconds(shape))
        most = max(self.fewest_in_chunk, min(_MOST_IN_CHUNK, fitting))
        size = (shape.items, shape.participants_per_item, shape.participants)
        found = []
        while studies > 0:
            number = self._chunks.get(shape, 0)
            self._chunks[shape] = number + 1
            name = "x".join(map(str, (self.step.replace(" ", "-"), *size, number)))
            seed = (self._seed, self.seed, *size, number)
            found.append((shape, Chunk(name, seed, self.arguments(shape, min(most, studies)))))
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


def studies_in_words(sizes: Sequence[SizePower]) -> str:
    """How many studies of each size were computed."""
    counts = [size.studies for size in sizes]
    return f"{min(counts):,}" + (f" to {max(counts):,}" if max(counts) > min(counts) else "")


def limit_notes(sizes: Sequence[SizePower], precision: float) -> list[str]:
    """A remark where the time limit made the power less precise than asked for."""
    widest = max((size.hardest.mc.high - size.hardest.mc.low) / 2 for size in sizes)
    if widest <= _TOLERANCE * precision:
        return []
    note = (
        f"The time limit allows a Monte-Carlo error of up to ±{widest:.3f}; a longer "
        "--time-limit makes it smaller."
    )
    return [note]
