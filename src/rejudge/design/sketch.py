"""What there is to judge about an input: systems alone, pairs of them, or tuples of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from rejudge.design.blocks import Block, BlockDesign, block_design
from rejudge.design.chance import Chance
from rejudge.design.sampling import Input
from rejudge.errors import DesignError, Problem
from rejudge.study import Study


class Sketch(NamedTuple):
    """A task before it has its id, its place and its sides."""

    item: str
    group: str
    dataset: str
    options: tuple[str, ...]


class Sketcher:
    """Makes the tasks of an input: each system alone, pairs, or tuples of several."""

    def __init__(self, study: Study, inputs: Sequence[Input], chance: Chance) -> None:
        self.notes: tuple[str, ...] = ()
        self._systems = study.system_ids
        count = len(self._systems)
        self._fixed: list[tuple[str, ...]] = []
        self._tuples: dict[str, list[tuple[str, ...]]] = {}
        for width in sorted({question.shows(count) for question in study.spec.questions}):
            if width == 1:
                self._fixed += [(system,) for system in self._systems]
            elif width == 2:  # noqa: PLR2004 - a pair
                self._fixed += _pairs(study)
            elif width == count:
                self._fixed.append(self._systems)
            else:
                self._add_tuples(study, inputs, width, chance.stream(width))

    def sketch(self, each: Input) -> list[Sketch]:
        """All tasks of one input."""
        return [
            Sketch(item.id, each.group, item.dataset, options)
            for item in each.items
            for options in (*self._fixed, *self._tuples.get(item.id, ()))
        ]

    def _add_tuples(
        self, study: Study, inputs: Sequence[Input], width: int, chance: Chance
    ) -> None:
        design = block_design(len(self._systems), width)
        per_input = study.spec.design.tuples_per_input or len(design.blocks)
        if per_input > len(design.blocks):
            raise DesignError(
                Problem(
                    f"{per_input} tuples per input are asked for, but a balanced design of "
                    f"{len(self._systems)} systems, {width} at a time, has {len(design.blocks)}.",
                    f"Set tuples_per_input to {len(design.blocks)} or less, or leave it out.",
                    file="study.yaml",
                    field="design.tuples_per_input",
                )
            )
        items = [item.id for each in inputs for item in each.items]
        dealt = _dealt_blocks(design, per_input, len(items), chance)
        for item, blocks in zip(items, dealt, strict=True):
            self._tuples.setdefault(item, []).extend(
                tuple(self._systems[point] for point in block) for block in blocks
            )
        everything = BlockDesign(tuple(b for blocks in dealt for b in blocks), len(self._systems))
        if not everything.is_balanced:
            self.notes += (_uneven(everything, width),)


def _dealt_blocks(
    design: BlockDesign, per_input: int, items: int, chance: Chance
) -> list[tuple[Block, ...]]:
    """Blocks for each item, going round the design again and again so that all are used evenly.

    All rounds have one order, so the blocks of an item are different ones.
    """
    order = _evenly_ordered(design.blocks, chance)
    size = len(order)
    return [
        tuple(order[(item * per_input + i) % size] for i in range(per_input))
        for item in range(items)
    ]


def _evenly_ordered(blocks: Sequence[Block], chance: Chance) -> list[Block]:
    """An order in which any first few blocks show the systems as evenly as can be."""
    left = chance.shuffled(blocks)
    seen: Counter[int] = Counter()
    met: Counter[tuple[int, ...]] = Counter()
    ordered = []
    while left:
        block = min(left, key=lambda b: (_load(b, seen), sum(met[p] for p in combinations(b, 2))))
        left.remove(block)
        ordered.append(block)
        seen.update(block)
        met.update(combinations(block, 2))
    return ordered


def _load(block: Block, seen: Counter[int]) -> int:
    return sum(seen[point] for point in block)


def _uneven(design: BlockDesign, width: int) -> str:
    seen, met = design.occurrences, design.meetings
    return (
        f"Tuples of {width} are near-balanced, not balanced: a system is shown {seen[0]} to "
        f"{seen[1]} times, two systems meet {met[0]} to {met[1]} times."
    )


def _pairs(study: Study) -> list[tuple[str, ...]]:
    pairs = study.spec.design.pairs
    if pairs == "all":
        return list(combinations(study.system_ids, 2))
    return [tuple(pair) for pair in pairs]
