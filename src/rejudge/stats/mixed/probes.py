"""Random probe vectors that estimate the trace of a matrix without forming it.

A trace tr A is the mean of zᵀ A z over vectors z of random signs (Hutchinson 1990). Here the fine
levels of one coarse level share a sign but occupy different columns, so all products within a
coarse level are exact and only those between coarse levels are random. The signs are drawn once and
follow from the data: neither the order of the judgments nor the names of levels change a result,
and the same data always give the same one.

`sampled_rows` draws a sample of very many judgments, for a first estimate of the variances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers, number_codes
from rejudge.stats.mixed.sums import Nest, Stack, Sums, consecutive_codes, nests

Fingerprints = NDArray[np.uint64]

_MOST_COLUMNS_OF_A_SIGN = 32
_MOST_COLUMNS = 120
_LEVELS_OF_SIGNS = 5_000  # coarse levels with random signs, over all columns
_MOST_SIGNS = 12
MANY = 300_000  # judgments, from which on a sample of them saves time
LEAST_RATIO = 1e-3  # a variance that a sample does not show may still be there
_ONE_OF = 8  # levels is in the sample


@dataclass(frozen=True, slots=True)
class Probes:
    """Columns of random signs by fine level, and which of their sums serve each grouping."""

    columns: Numbers
    sums: tuple[Numbers, ...]  # of the fine grouping, then of the coarse one: columns × vectors
    signs: int

    def traces(self, before: Numbers, after: Numbers) -> list[float]:
        """The mean of beforeᵀ after, for each grouping."""
        return [float(np.vdot(before @ each, after @ each)) / self.signs for each in self.sums]


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """The probes of the largest nest, and of each stacked one."""

    largest: Probes
    stack: tuple[Probes, ...]


def nest_probes(sums: Sums[Nest], stack: Stack[Nest], prints: Sequence[Fingerprints]) -> ProbeSet:
    """Probes for crossed nests; `prints` are the fingerprints of the levels of each grouping."""
    return ProbeSet(
        _of_nest(sums.nest, sums.members, prints),
        tuple(
            _of_nest(nest, stack.members[around][:, span], prints)
            for nest, span, around in stack.parts()
        ),
    )


def block_probes(block: Codes, slot: Codes, prints: tuple[Fingerprints, Fingerprints]) -> Probes:
    """Probes for levels in blocks that have no variance of their own: a sign for each block, on one
    column for each level in it. `prints`: of the blocks, and of the levels."""
    outer, inner = prints
    width = int(slot.max()) + 1
    signs = _how_many_signs(len(outer), width)
    if width > _MOST_COLUMNS_OF_A_SIGN:
        return Probes(_signs(inner, signs), (np.eye(signs),), signs)
    return Probes(_spread(_signs(outer, signs)[block], slot), (np.eye(signs * width),), signs)


def probe_columns(blocks: int, width: int) -> int:
    """How many columns such probes have."""
    signs = _how_many_signs(blocks, width)
    return signs if width > _MOST_COLUMNS_OF_A_SIGN else signs * width


def turn_probes(probes: Probes, rotation: Any) -> Probes:
    """The same probes in other coordinates."""
    return replace(probes, columns=np.asarray(rotation @ probes.columns))


def _of_nest(nest: Nest, members: Any, prints: Sequence[Fingerprints]) -> Probes:
    """A sign for each coarse level, on one column for each fine level in it; where a coarse level
    has too many of these, a sign for each fine level, and columns of their own for coarse ones."""
    parent = np.arange(nest.levels)
    if nest.coarse is not None:
        row, column = members.nonzero()
        parent[column] = row
    outer = nest.fine if nest.coarse is None else nest.coarse
    slot = _slots(parent, prints[nest.fine])
    width = int(slot.max()) + 1
    signs = _how_many_signs(len(prints[outer]), width)
    common = _signs(prints[outer], signs)[parent]
    if width > _MOST_COLUMNS_OF_A_SIGN:
        alone, none = np.eye(2 * signs)[:, :signs], np.eye(2 * signs)[:, signs:]
        columns = np.hstack([_signs(prints[nest.fine], signs), common])
        return Probes(columns, (alone, none), signs)
    every = np.eye(signs * width)
    together = np.repeat(np.eye(signs), width, axis=0)
    sums = (every,) if nest.coarse is None else (every, together)
    return Probes(_spread(common, slot), sums, signs)


def _how_many_signs(blocks: int, width: int) -> int:
    signs = min(_MOST_SIGNS, math.ceil(_LEVELS_OF_SIGNS / blocks))
    return signs if width > _MOST_COLUMNS_OF_A_SIGN else min(signs, max(2, _MOST_COLUMNS // width))


def _spread(signs: Numbers, slot: Codes) -> Numbers:
    """Each level's signs in the columns of its slot."""
    columns = np.zeros((*signs.shape, int(slot.max()) + 1))
    columns[np.arange(len(signs)), :, slot] = signs
    return columns.reshape(len(signs), -1)


def _slots(parent: Codes, prints: Fingerprints) -> Codes:
    """The number of each fine level within its coarse one, by fingerprint."""
    order = np.lexsort((prints, parent))
    counts = np.bincount(parent)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    found = np.empty(len(parent), dtype=np.int64)
    found[order] = np.arange(len(parent)) - start
    return found


def _signs(prints: Fingerprints, count: int) -> Numbers:
    """Signs in the order of the fingerprints, always the same."""
    found = np.empty((len(prints), count))
    drawn = np.random.default_rng(1).integers(0, 2, (len(prints), count))
    found[np.argsort(prints, kind="stable")] = 2.0 * drawn - 1
    return found


def fingerprints(value: Numbers, groups: Sequence[Codes]) -> list[Fingerprints]:
    """A number for each level of each grouping that depends on its judgments and on what else they
    belong to, not on its name: a sum, so that the order of judgments does not matter either.
    Levels that nothing distinguishes have the same."""
    groups = [consecutive_codes(codes) for codes in groups]
    rows = _scramble(number_codes(value)[1].astype(np.uint64))
    for _ in range(2):
        found = [_add_codes(rows, codes) for codes in groups]
        for codes, sums in zip(groups, found, strict=True):
            rows = rows + _scramble(sums)[codes]
        rows = _scramble(rows)
    return [_add_codes(rows, codes) for codes in groups]


def _add_codes(rows: Fingerprints, codes: Codes) -> Fingerprints:
    found = np.zeros(int(codes.max()) + 1, dtype=np.uint64)
    np.add.at(found, codes, rows)  # modulo 2⁶⁴
    return found


def _scramble(numbers: Fingerprints) -> Fingerprints:
    """Steele, Lea & Flood (2014), SplitMix64's finaliser."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def sampled_rows(groups: Sequence[Codes], prints: Sequence[Fingerprints]) -> Codes | None:
    """All judgments of one level in eight of the outer grouping that has the most levels, chosen by
    fingerprint; None where there are too few to choose from.

    The others are thinned by that: a grouping with many levels has few judgments of each to lose.
    """
    if not prints or len(groups[0]) < MANY:
        return None
    outer = [nest.fine if nest.coarse is None else nest.coarse for nest in nests(groups)]
    widest = max(outer, key=lambda place: len(prints[place]))
    chosen = prints[widest] % np.uint64(_ONE_OF) == 0
    rows = np.flatnonzero(chosen[consecutive_codes(groups[widest])])
    return rows if len(rows) * _ONE_OF**2 > len(groups[0]) else None
