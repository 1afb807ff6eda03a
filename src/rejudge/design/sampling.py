"""Random choices that follow from a seed, and which inputs take part: balanced over datasets.

Libraries may change how a seed becomes a shuffle, and then a plan could not be drawn again. Here
the bits are SHAKE-128 of the seed and a name. Each part of a plan draws from its own named stream,
so adding a check does not move a side, and adding a batch does not change the ones before it.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rejudge.errors import DesignError, Problem
from rejudge.study.model import Item, Study

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

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
        if n > _RANGE:
            return self._below_large(n)
        limit = _RANGE - _RANGE % n  # numbers beyond would make the low results likelier
        number = next(self._numbers)
        while number >= limit:
            number = next(self._numbers)
        return number % n

    def _below_large(self, n: int) -> int:
        """The same for a limit beyond 64 bits, from several numbers put together."""
        words = -(-n.bit_length() // 64)
        limit = (1 << 64 * words) - (1 << 64 * words) % n
        while True:
            number = 0
            for _ in range(words):
                number = number << 64 | next(self._numbers)
            if number < limit:
                return number % n

    def shuffle(self, things: Sequence[T]) -> list[T]:
        """The things in random order (Fisher–Yates)."""
        result = list(things)
        below = self.below
        for last in range(len(result) - 1, 0, -1):
            other = below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def sample(self, things: Sequence[T], n: int) -> list[T]:
        """This many different things, in random order."""
        return self.shuffle(things)[:n]

    def choice(self, things: Sequence[T]) -> T:
        """One of the things."""
        return things[self.below(len(things))]


def _numbers(name: str) -> Iterator[int]:
    block = 0
    while True:
        bits = hashlib.shake_128(f"{name}#{block}".encode()).digest(8 * _NUMBERS_PER_BLOCK)
        yield from _UNPACK(bits)
        block += 1


@dataclass(frozen=True, slots=True)
class Input:
    """What a participant meets as one thing: an item, or items of one group."""

    group: str
    items: tuple[Item, ...]

    @property
    def stratum(self) -> str:
        """The dataset it counts for; inputs that span several datasets are a kind of their own."""
        return " + ".join(sorted({item.dataset for item in self.items}))


@dataclass(frozen=True, slots=True)
class InputSample:
    """The inputs of the study, those left over for checks, and what could not be balanced."""

    chosen: tuple[Input, ...]
    spare: tuple[Input, ...]
    notes: tuple[str, ...]


def sample_inputs(study: Study, chance: Chance) -> InputSample:
    """Draw the study's inputs, the same number from each dataset as far as the file allows."""
    inputs = inputs_of(study.items)
    sample = study.spec.items.sample
    if sample is None:
        return InputSample(inputs, (), _unequal(inputs, "as the item file has them"))
    if sample.inputs is None or sample.inputs > len(inputs):
        raise DesignError(
            Problem(
                f"{sample.inputs} inputs are requested, but {study.spec.items.file} has "
                f"{len(inputs)}.",
                "Lower items.sample.inputs or add items.",
                file="study.yaml",
                field="items.sample.inputs",
            )
        )
    strata = by_key(inputs, lambda each: each.stratum if sample.balance else "")
    quota = quotas({name: len(members) for name, members in strata.items()}, sample.inputs, chance)
    drawn = {
        each.group
        for name, members in strata.items()
        for each in chance.stream("stratum", name).sample(members, quota[name])
    }
    chosen = tuple(each for each in inputs if each.group in drawn)
    spare = tuple(each for each in inputs if each.group not in drawn)
    return InputSample(chosen, spare, _unequal(chosen, _reason(sample.balance, strata, quota)))


def quotas(sizes: Mapping[str, int], total: int, chance: Chance) -> dict[str, int]:
    """Share `total` out as evenly as the sizes allow; who gets one more is left to chance."""
    quota = dict.fromkeys(sizes, 0)
    left = total
    while left:
        open_names = [name for name in sizes if quota[name] < sizes[name]]
        each = left // len(open_names)
        if each == 0:
            for name in chance.stream("remainder").sample(open_names, left):
                quota[name] += 1
            return quota
        for name in open_names:
            given = min(each, sizes[name] - quota[name])
            quota[name] += given
            left -= given
    return quota


def interleave(things: Sequence[T], key: Callable[[T], K], chance: Chance) -> list[T]:
    """Random order in which every stretch holds the kinds in proportion (within one or so).

    The i-th of n things of a kind is put near (i + ½)/n of the way, so that batches cut from the
    sequence are alike in datasets, systems and pairs.
    """
    places: list[tuple[float, int, T]] = []
    for name, members in by_key(things, key).items():
        n = len(members)
        for i, thing in enumerate(chance.stream("kind", str(name)).shuffle(members)):
            places.append(((i + 0.5) / n, len(places), thing))
    tie = chance.stream("ties").shuffle(range(len(places)))
    return [thing for _, _, thing in sorted(places, key=lambda p: (p[0], tie[p[1]]))]


def by_key(things: Sequence[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The things by a property, in their order."""
    groups: dict[K, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def inputs_of(items: Sequence[Item]) -> tuple[Input, ...]:
    """What participants meet as one thing each, in the order of the file."""
    groups = by_key(items, lambda item: item.group)
    return tuple(Input(group, tuple(members)) for group, members in groups.items())


def _reason(balance: bool, strata: Mapping[str, list[Input]], quota: Mapping[str, int]) -> str:  # noqa: FBT001
    if not balance:
        return "items.sample.balance is off"
    short = [f"'{name}' has only {len(m)}" for name, m in strata.items() if quota[name] == len(m)]
    if short and len(short) < len(strata):
        return "; ".join(short)
    return f"{sum(quota.values())} cannot be divided by {len(strata)}"


def _unequal(inputs: Sequence[Input], why: str) -> tuple[str, ...]:
    counts = {name: len(members) for name, members in by_key(inputs, lambda i: i.stratum).items()}
    if len(set(counts.values())) <= 1:
        return ()
    listed = ", ".join(f"{name or '(none)'} {count}" for name, count in sorted(counts.items()))
    return (f"Datasets are not equally large: {listed} ({why}).",)
