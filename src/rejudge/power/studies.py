"""The size of a study, what many simulated studies of that size found, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats import Interval

Engine: TypeAlias = Literal["numpy", "numba", "complete"]
"""What computed simulated studies; all agree statistically, but not in single numbers."""
Z95: Final = 1.959964
_EVEN: Final = 0.5  # the share that varies most


@dataclass(frozen=True, slots=True)
class StudyShape:
    """Who judges what: every participant judges all systems on the items of their block.

    A block is one batch, or the batches that the same participants judge. Blocks are as equal as
    they can be; with as many participants as each item needs, there is one, and everybody judges
    everything.
    """

    items: int
    participants_per_item: int
    participants: int  # in all; with fewer than are needed at one batch each, they do several
    systems: int = 2

    def __post_init__(self) -> None:
        named = {
            "items": (self.items, 1),
            "participants per item": (self.participants_per_item, 1),
            "participants": (self.participants, self.participants_per_item),
            "systems": (self.systems, 2),
        }
        problems = [
            Problem(f"A study has {least} {what} or more, not {given}.")
            for what, (given, least) in named.items()
            if given < least
        ]
        if problems:
            raise DataError.of(problems)

    @property
    def blocks(self) -> int:
        """How many groups of participants judge items of their own."""
        return max(1, min(self.participants // self.participants_per_item, self.items))

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """How many items each block has."""
        small, larger = divmod(self.items, self.blocks)
        return tuple(small + (block < larger) for block in range(self.blocks))

    @property
    def judging(self) -> int:
        """How many participants have a place; the others are too few for a block of their own."""
        return self.blocks * self.participants_per_item


@dataclass(frozen=True, slots=True)
class SimulatedStudies:
    """The planned test of each pair of systems in each study; arrays are studies × pairs.

    Pairs are in the order of `itertools.combinations` of the systems; what is undefined is NaN.
    """

    value: NDArray[np.float64]  # first minus second; of win percentages, minus 50
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]
    p: NDArray[np.float64]  # of the pair alone
    scores: NDArray[np.float64]  # studies × systems
    engine: Engine = "numpy"

    @classmethod
    def joined(cls, parts: Sequence[SimulatedStudies]) -> SimulatedStudies:
        """All studies of several simulations, in their order."""
        names = [each.name for each in fields(cls) if each.name != "engine"]
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**arrays, engine=parts[0].engine)


def wilson(found: float, n: float, z: float = Z95) -> Interval:
    """The interval of a share after Wilson (1927), at 95 %."""
    if n <= 0:
        return Interval(0.0, 1.0, 0.95)
    share, square = found / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if found <= 0 else max(0.0, middle - reach)
    high = 1.0 if found >= n else min(1.0, middle + reach)  # rounding must not cut off the share
    return Interval(min(low, share), max(high, share), 0.95)


def studies_needed(mc: Interval, precision: float) -> int:
    """How many studies make the interval of a power as narrow as this, for any power within it."""
    share = min(max(_EVEN, mc.low), mc.high)
    return math.ceil(Z95**2 * share * (1 - share) / precision**2)
