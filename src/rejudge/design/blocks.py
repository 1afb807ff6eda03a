"""Which systems stand side by side when not all can: balanced incomplete block designs.

A design is balanced when every system occurs equally often (r) and every two systems meet equally
often (λ). Small designs are found as difference families: blocks that are moved round a circle of
v, or of v − 1 with one system in the middle (Bose 1939). Where none is found within bounds, all
subsets together are a balanced design; where there are too many of those, blocks are chosen one by
one so that meetings stay as even as can be, and the result says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TypeAlias

Block: TypeAlias = tuple[int, ...]

_MOST_BLOCKS = 400  # beyond it a complete design is no use to anybody
_MOST_FAMILIES = 30_000  # combinations of base blocks that are tried


@dataclass(frozen=True, slots=True)
class BlockDesign:
    """Blocks of places 0 … v−1, and how even they are."""

    blocks: tuple[Block, ...]
    points: int

    @property
    def occurrences(self) -> tuple[int, int]:
        """The smallest and the largest number of blocks a system is in."""
        counts = Counter(point for block in self.blocks for point in block)
        return _span([counts[point] for point in range(self.points)])

    @property
    def meetings(self) -> tuple[int, int]:
        """The smallest and the largest number of blocks in which two systems meet."""
        counts = Counter(pair for block in self.blocks for pair in combinations(sorted(block), 2))
        return _span([counts[pair] for pair in combinations(range(self.points), 2)])

    @property
    def is_balanced(self) -> bool:
        """Whether it is a balanced incomplete block design."""
        return len(set(self.occurrences)) == 1 and len(set(self.meetings)) == 1


@lru_cache
def block_design(points: int, width: int) -> BlockDesign:
    """The smallest balanced design that is found for so many systems, so many at a time."""
    if width == points:
        return BlockDesign((tuple(range(points)),), points)
    families = [_family(points, width, middle=middle) for middle in (False, True)]
    found = [design for design in families if design is not None]
    if comb(points, width) <= _MOST_BLOCKS:
        found.append(BlockDesign(tuple(combinations(range(points), width)), points))
    if found:
        return min(found, key=lambda design: len(design.blocks))
    return even_blocks(points, width, count=points * (points - 1))


def even_blocks(points: int, width: int, count: int) -> BlockDesign:
    """So many blocks, chosen one by one from the systems that were least seen and least met."""
    seen = [0] * points
    met: Counter[tuple[int, int]] = Counter()
    blocks: list[Block] = []
    for _ in range(count):
        block = [min(range(points), key=lambda p: (seen[p], p))]
        while len(block) < width:
            others = [point for point in range(points) if point not in block]
            met_by = {point: _met(point, block, met) for point in others}
            block.append(min(others, key=lambda p: (met_by[p], seen[p], p)))
        for point in block:
            seen[point] += 1
        met.update(combinations(sorted(block), 2))
        blocks.append(tuple(sorted(block)))
    return BlockDesign(tuple(blocks), points)


def _met(point: int, block: Sequence[int], met: Counter[tuple[int, int]]) -> int:
    return sum(met[min(point, other), max(point, other)] for other in block)


def _family(points: int, width: int, *, middle: bool) -> BlockDesign | None:
    """A design from as few base blocks as possible, moved round a circle."""
    circle = points - 1 if middle else points
    orbits = _orbits(circle, width, middle=middle)
    for many in range(1, 4):
        if comb(len(orbits), many) > _MOST_FAMILIES:
            return None
        for chosen in combinations(orbits, many):
            design = BlockDesign(tuple(block for orbit in chosen for block in orbit), points)
            if len(design.blocks) <= _MOST_BLOCKS and _can_balance(design, width):
                return design
    return None


def _can_balance(design: BlockDesign, width: int) -> bool:
    """Cheap divisibility first: r = b·k/v and λ = r(k−1)/(v−1) must be whole numbers."""
    incidences = len(design.blocks) * width
    if incidences % design.points:
        return False
    if (incidences // design.points) * (width - 1) % (design.points - 1):
        return False
    return design.is_balanced


def _orbits(circle: int, width: int, *, middle: bool) -> list[tuple[Block, ...]]:
    """All different circles of blocks; with `middle`, also those through the middle system."""
    orbits = {_orbit(block, circle) for block in _starting_at_zero(circle, width)}
    if middle:
        orbits |= {
            tuple((*block, circle) for block in _orbit(start, circle))
            for start in _starting_at_zero(circle, width - 1)
        }
    return sorted(orbits, key=lambda orbit: (len(orbit), orbit))


def _starting_at_zero(circle: int, width: int) -> list[Block]:
    if comb(circle - 1, width - 1) > 20 * _MOST_BLOCKS:
        return []
    return [(0, *rest) for rest in combinations(range(1, circle), width - 1)]


def _orbit(block: Block, circle: int) -> tuple[Block, ...]:
    return tuple(sorted({tuple(sorted((p + t) % circle for p in block)) for t in range(circle)}))


def _span(counts: list[int]) -> tuple[int, int]:
    return min(counts), max(counts)
