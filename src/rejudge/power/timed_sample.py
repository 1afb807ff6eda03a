"""Spend a limited time on studies that take long to compute, over all sizes of a grid.

Time is counted by an estimate that is the same on every machine, so that the same seed and limit
give the same numbers. Each size gets a first sample; the rest of the time makes all intervals
equally narrow, and at last those narrower that matter: the planned size, and sizes that may or may
not reach the target. Where there is no time for a first sample of every size, the planned one comes
first, then sizes spread over the grid; the others are left out, and a note says so.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from rejudge.english import count
from rejudge.executors.chunks import Chunk, Executor
from rejudge.power.planned_power import ComparisonPower, SizePower
from rejudge.power.studies import StudyShape

Watch = Callable[[str, float], None]
_FIRST: Final = 200  # studies of each size to begin with, if there is time
_FEWEST: Final = 20
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
        self.shapes, self._executor, self._watch = shapes, executor, watch
        self._seed, self._start = seed, start
        self._chunks: dict[StudyShape, int] = {}
        self.spent = 0.0  # seconds, by the estimate

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

    def start_seconds(self, _: StudyShape) -> float:
        """About how long it takes until a chunk can begin."""
        return 0.0

    @abstractmethod
    def hardest(self, shape: StudyShape) -> ComparisonPower:
        """The comparison with the lowest power, from the studies so far."""

    def run(
        self,
        limit: float,
        *,
        precision: float,
        target: float,
        planned: StudyShape,
        needs_all: bool = False,
    ) -> None:
        """Sample studies of every size until the precision or the limit is reached.

        `needs_all`: every size gets its first sample even if that takes longer.
        """
        shapes = self.shapes if needs_all else self._affordable(limit, planned)
        self._sample(dict.fromkeys(shapes, self._first_sample(shapes, limit)), _SHARES[0])
        wanted = {shape: self._wanted(shape, precision) for shape in shapes}
        self._sample(self._within(wanted, _SHARES[1] * limit), _SHARES[1])
        open_ = [s for s in shapes if s == planned or self._is_open(s, target)]
        closer = {
            s: self._wanted(s, precision) * (_MOST_TIMES if self._is_open(s, target) else 1)
            for s in open_
        }
        self._sample(self._within(closer, limit), 1.0)

    def least_seconds(self) -> float:
        """About how long the smallest samples of all sizes take."""
        return sum(map(self._least_seconds, self.shapes))

    def _least_seconds(self, shape: StudyShape) -> float:
        return _FEWEST * self.seconds(shape) + self.start_seconds(shape)

    def _affordable(self, limit: float, planned: StudyShape) -> list[StudyShape]:
        """The planned size and as many others, spread over the grid, as there is time for."""
        kept, left = set(), limit
        first = planned if planned in self.shapes else self.shapes[0]
        for shape in (first, *_spread(self.shapes)):
            seconds = self._least_seconds(shape)
            if shape == first or (shape not in kept and seconds <= left):
                left -= 0 if shape in kept else seconds
                kept.add(shape)
        return [shape for shape in self.shapes if shape in kept]

    def _first_sample(self, shapes: Sequence[StudyShape], limit: float) -> int:
        """How many studies each size begins with."""
        left = _SHARES[0] * limit - sum(map(self.start_seconds, shapes))
        return int(min(_FIRST, max(_FEWEST, left / sum(map(self.seconds, shapes)))))

    def _wanted(self, shape: StudyShape, precision: float) -> int:
        """How many studies make the interval as narrow as asked for."""
        mc = self.hardest(shape).mc
        return math.ceil(self.tallies[shape].studies * ((mc.high - mc.low) / 2 / precision) ** 2)

    def _is_open(self, shape: StudyShape, target: float) -> bool:
        mc = self.hardest(shape).mc
        return mc.low < target <= mc.high

    def _within(self, wanted: Mapping[StudyShape, int], limit: float) -> dict[StudyShape, int]:
        """The numbers of studies, reduced in proportion to what is left of the time."""
        done = {shape: self.tallies[shape].studies for shape in wanted}
        more = {shape: max(0, studies - done[shape]) for shape, studies in wanted.items()}
        left = limit - self.spent - sum(self.start_seconds(s) for s in more if more[s])
        seconds = sum(self.seconds(shape) * studies for shape, studies in more.items())
        share = min(1.0, max(0.0, left) / seconds) if seconds > 0 else 0.0
        return {shape: done[shape] + int(studies * share) for shape, studies in more.items()}

    def _sample(self, wanted: Mapping[StudyShape, int], end: float) -> None:
        """Compute what is missing of so many studies of each size."""
        chunks: list[tuple[StudyShape, Chunk]] = []
        for shape, studies in wanted.items():
            done = self.tallies[shape].studies if shape in self.tallies else 0
            own = self._split(shape, studies - done)
            self.spent += self.seconds(shape) * max(0, studies - done)
            self.spent += self.start_seconds(shape) * len(own)
            chunks += own
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


def _spread(shapes: Sequence[StudyShape]) -> list[StudyShape]:
    """By size, in van der Corput's order: wherever one stops, what came first is spread evenly."""
    by_size = sorted(shapes, key=lambda s: (s.items, s.participants_per_item, s.participants))
    digits = len(shapes).bit_length()
    places = sorted(range(len(shapes)), key=lambda place: f"{place:0{digits}b}"[::-1])
    return [by_size[place] for place in places]


def left_out_notes(samples: Sequence[TimedSample[Any]], sizes: int) -> list[str]:
    """A sentence on the sizes that there was no time for."""
    left_out = sum(len(each.shapes) - len(each.tallies) for each in samples)
    if not left_out:
        return []
    enough = math.ceil(max(each.least_seconds() for each in samples))
    note = (
        f"The time limit was enough for {sizes - left_out:,} of {count(sizes, 'size')}; the others "
        f"were left out. For all of them, give --time-limit {enough} or more, or name the sizes "
        "that you consider with --items and --per-item."
    )
    return [note]


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
