"""Scores in the units of a test: single judgments, or means by item, participant or batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rejudge.analysis.columns import by_person, combined, comparisons
from rejudge.analysis.outline import Asked, Outline
from rejudge.judgments import Judgments
from rejudge.stats import average_within
from rejudge.study import Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_UNEVEN = 0.05  # of the weight of all scores: what parts differ by has hardly any effect below it


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Scores of systems in the units of a test. Those of one unit belong together."""

    value: NDArray[np.float64]
    system: NDArray[np.integer]
    unit: NDArray[np.integer]
    within: NDArray[np.integer] | None = None  # pairs are made within these parts of a unit, too
    is_by_item: bool = False  # with `within`: units are items and their parts participants

    def of(self, system: int) -> NDArray[np.float64]:
        """All scores of a system."""
        rows = self.system == system
        found: NDArray[np.float64] = self.value[rows]
        return found

    def paired(self, first: int, second: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean scores of two systems in the units where both have one.

        With `within`, only parts of a unit that have a score of both systems count, each once.
        Where no part has both (a Latin square, in which everybody judges another system of an
        item), all scores count, provided that each part has its share in both systems: what parts
        differ by then cancels out over the units.
        """
        import numpy as np

        if self.within is not None:
            if not self.has_parts_with_both(first, second) and self.is_balanced(first, second):
                return replace(self, within=None).paired(first, second)
            return self._parts(self.within, first, second).paired(first, second)
        sides = []
        for system in (first, second):
            rows = self.system == system
            unit, place = np.unique(self.unit[rows], return_inverse=True)
            means = np.bincount(place, weights=self.value[rows]) / np.bincount(place)
            sides.append((unit, means))
        (unit_1, mean_1), (unit_2, mean_2) = sides
        _, at_1, at_2 = np.intersect1d(unit_1, unit_2, return_indices=True)
        return mean_1[at_1], mean_2[at_2]

    def has_parts_with_both(self, first: int, second: int) -> bool:
        """Whether any part of a unit has scores of both systems."""
        return self.within is not None and len(self._parts(self.within, first, second).value) > 0

    def is_balanced(self, first: int, second: int) -> bool:
        """Whether parts weigh as much in the first system's mean scores as in the second's, over
        the units that have both."""
        import numpy as np

        if self.within is None:
            return False
        with_first, with_second = (np.unique(self.unit[self.system == k]) for k in (first, second))
        rows = np.isin(self.unit, np.intersect1d(with_first, with_second))
        rows &= np.isin(self.system, (first, second))
        if not rows.any():
            return False
        part = combined(self.within[rows])
        cell = combined(self.unit[rows], self.system[rows])
        weight = 1 / np.bincount(cell)[cell]
        gap = np.bincount(part, np.where(self.system[rows] == first, weight, -weight))
        return bool(np.abs(gap).sum() <= _UNEVEN * weight.sum())

    def _parts(self, within: NDArray[np.integer], first: int, second: int) -> Cells:
        """One mean of each of two systems for each part of a unit that has both."""
        import numpy as np

        rows = np.isin(self.system, (first, second))
        value, (part, unit, system) = average_within(
            self.value[rows],
            combined(self.unit, within)[rows],
            self.unit[rows],
            self.system[rows],
        )
        has_both = np.bincount(part, minlength=1)[part] == len((first, second))
        return Cells(value[has_both], system[has_both], unit[has_both])

    def matrix(self, systems: int) -> NDArray[np.float64]:
        """Units by systems, in those units where every one of these systems has a score."""
        import numpy as np

        units, place = np.unique(self.unit, return_inverse=True)
        at = place * systems + self.system
        counts = np.bincount(at, minlength=len(units) * systems).reshape(len(units), systems)
        sums = np.bincount(at, weights=self.value, minlength=len(units) * systems)
        whole = (counts > 0).all(axis=1)
        means = sums.reshape(len(units), systems)[whole] / counts[whole]
        return np.asarray(means, dtype=np.float64)


def cells(outline: Outline, asked: Asked, judgments: Judgments, unit: Unit) -> Cells:
    """The scores that a test compares: single judgments, or means by item, participant or batch.

    In a comparison the winner has 1, the loser −1, and both have 0 in a tie.
    """
    import numpy as np

    if asked.is_comparison:
        rows = comparisons(outline, judgments)
        value = np.concatenate([2 * rows.preference - 1, 1 - 2 * rows.preference])
        system = np.concatenate([rows.first, rows.second])
        places = {
            "judgment": np.arange(len(rows.preference)),
            "item": rows.item,
            "participant": judgments.participant.codes,
            "batch": judgments.batch.codes,
        }
        where = np.tile(places[unit], 2)
    else:
        table = by_person(outline, judgments)
        value, system = table.value, table.system
        if unit == "batch":
            value, system, where = _by_batch(outline, judgments)
        elif unit == "judgment":
            where = combined(table.item, table.participant)
        else:
            where = table.item if unit == "item" else table.participant
    known = where >= 0
    return Cells(value[known], system[known], where[known])


def cells_within(outline: Outline, judgments: Judgments, unit: Unit) -> Cells:
    """Scores by item that are compared within participants, or by participant within items.

    Where not everybody judged both systems on every item, a mean score of an item is also one of
    the people who gave it.
    """
    table = by_person(outline, judgments)
    if unit == "item":
        return Cells(table.value, table.system, table.item, table.participant, is_by_item=True)
    return Cells(table.value, table.system, table.participant, table.item)


def averaged(table: Cells) -> Cells:
    """One mean per unit and system."""
    value, (unit, system) = average_within(table.value, table.unit, table.system)
    return Cells(value, system, unit)


def _by_batch(
    outline: Outline, judgments: Judgments
) -> tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]:
    """Means by batch of the scores of outputs, however many segments an output has."""
    value: NDArray[np.float64] = judgments.value
    batch: NDArray[np.integer] = judgments.batch.codes
    system: NDArray[np.integer] = judgments.system.recoded(outline.systems)
    if (judgments.segment >= 0).any():
        output = judgments.item.codes, judgments.participant.codes
        value, (batch, system, _, _) = average_within(value, batch, system, *output)
    value, (batch, system) = average_within(value, batch, system)
    return value, system, batch
