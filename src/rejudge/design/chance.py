"""Chance that follows from a seed alone: the same on any machine, in any version, for good.

Libraries may change how a seed becomes a shuffle, and then a plan could not be drawn again. Here
the bits are SHAKE-128 of the seed and a name. Each part of a plan draws from its own named stream,
so adding a check does not move a side, and adding a batch does not change the ones before it.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

_NUMBERS_PER_BLOCK = 32
_UNPACK = struct.Struct(f"<{_NUMBERS_PER_BLOCK}Q").unpack
_RANGE = 1 << 64


class Chance:
    """A named stream of random numbers."""

    __slots__ = ("_numbers", "_path")

    def __init__(self, seed: int, *path: str | int) -> None:
        self._path: tuple[int, *tuple[str | int, ...]] = (seed, *path)
        self._numbers = _numbers("/".join(str(part).replace("/", "//") for part in self._path))

    def stream(self, *path: str | int) -> Chance:
        """A stream of its own for one part of the plan."""
        return Chance(*self._path, *path)

    def below(self, n: int) -> int:
        """A whole number from 0 to n − 1, each equally likely."""
        limit = _RANGE - _RANGE % n  # numbers beyond would make the low results likelier
        number = next(self._numbers)
        while number >= limit:
            number = next(self._numbers)
        return number % n

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """The things in random order (Fisher–Yates)."""
        result = list(things)
        below = self.below
        for last in range(len(result) - 1, 0, -1):
            other = below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def sample(self, things: Sequence[T], n: int) -> list[T]:
        """So many different ones of the things, in random order."""
        return self.shuffled(things)[:n]

    def choice(self, things: Sequence[T]) -> T:
        """One of the things."""
        return things[self.below(len(things))]


def _numbers(name: str) -> Iterator[int]:
    block = 0
    while True:
        bits = hashlib.shake_128(f"{name}#{block}".encode()).digest(8 * _NUMBERS_PER_BLOCK)
        yield from _UNPACK(bits)
        block += 1
