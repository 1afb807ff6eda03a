"""Groupings within groupings: outputs of systems within items, and what that spares.

Where each level of a fine grouping lies within one level of a coarse one (system × item within
item), the two together share judgments as the fine one alone does: their blocks of the model are
solved level by level of the coarse grouping, and only the levels of the fine one count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.stats.clusters import Codes


@dataclass(frozen=True, slots=True)
class Nest:
    """A grouping and, where there is one, another that its levels lie within; places in a list."""

    fine: int
    coarse: int | None
    levels: int  # of the fine one

    @property
    def places(self) -> tuple[int, ...]:
        return (self.fine,) if self.coarse is None else (self.fine, self.coarse)


def nests(groups: Sequence[Codes]) -> tuple[Nest, ...]:
    """All groupings, each alone or in a pair, the nest with the most levels first.

    A third grouping around a pair stands alone.
    """
    counts = [how_many(codes) for codes in groups]
    left = sorted(range(len(groups)), key=lambda k: -counts[k])
    found = []
    while left:
        fine = left.pop(0)
        around = (k for k in left if counts[k] < counts[fine] and _lies_within(groups, fine, k))
        coarse = next(around, None)
        if coarse is not None:
            left.remove(coarse)
        found.append(Nest(fine, coarse, counts[fine]))
    return tuple(found)


def levels_left(groups: Sequence[Codes]) -> int:
    """How many levels remain to be solved together when the largest nest is solved for."""
    return sum(nest.levels for nest in nests(groups)[1:])


def how_many(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _lies_within(groups: Sequence[Codes], fine: int, coarse: int) -> bool:
    """Whether all judgments of each fine level have one coarse level."""
    of_level = np.zeros(int(groups[fine].max()) + 1, dtype=groups[coarse].dtype)
    of_level[groups[fine]] = groups[coarse]
    return bool(np.all(of_level[groups[fine]] == groups[coarse]))
