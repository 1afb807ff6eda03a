"""What labs have in common because they judge the same items.

An item that suits one system does so in every lab. The labs' differences then err together, and
neither their number nor their agreement shows it: only the judgments of the items themselves do.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from rejudge.compare.differences import Pair
from rejudge.compare.labs import Labs
from rejudge.stats import SharedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_FEWEST = 2


def shared_error(
    rows: Labs, pair: Pair, *, per_unit: Mapping[str, float] | None = None
) -> SharedError | None:
    """The error that the labs' differences of two systems share; None: they share no items.

    The mean covariance of two labs, Σᵢ aᵢ bᵢ · I/(I − 1) over the I items that both judged, where
    aᵢ is how far item i moves the first lab's difference and bᵢ the second's. Not below 0.
    `per_unit` divides each lab's difference, as by its SD.
    """
    import numpy as np

    places = [rows.systems.index(name) for name in pair]
    own = rows.of(np.isin(rows.system, places) | np.isin(rows.against, places))
    moves = score_moves if rows.are_comparisons else mean_moves
    return of_moves(own, moves(own, *places), per_unit=per_unit)


def of_moves(
    rows: Labs, move: Numbers, *, per_unit: Mapping[str, float] | None = None
) -> SharedError | None:
    """The same, from how far each of these judgments moves the estimate of its lab."""
    import numpy as np

    items = int(rows.item.max(initial=-1)) + 1
    place = rows.lab * items + rows.item
    table = np.bincount(place, move, len(rows.runs) * items).reshape(len(rows.runs), items)
    judged = np.bincount(place, minlength=table.size).reshape(table.shape) > 0
    scaled = [
        table[k] / (1.0 if per_unit is None else per_unit[r]) for k, r in enumerate(rows.runs)
    ]
    found = [
        _covariance(scaled[one], scaled[two], judged[one] & judged[two])
        for one, two in combinations(range(len(rows.runs)), 2)
    ]
    shared = int((judged.sum(axis=0) >= _FEWEST).sum())
    if shared < _FEWEST or not found:
        return None
    return SharedError(max(0.0, float(np.mean(found))), shared - 1.0)


def _covariance(one: Numbers, two: Numbers, both: NDArray[np.bool_]) -> float:
    items = int(both.sum())
    return 0.0 if items < _FEWEST else float(one[both] @ two[both]) * items / (items - 1)


def mean_moves(rows: Labs, first: int, second: int) -> Numbers:
    """How far each score moves its lab's difference of means."""
    one, two = (_deviations(rows, rows.value, rows.system == place) for place in (first, second))
    return one - two


def rate_moves(rows: Labs) -> Numbers:
    """How far each comparison moves its lab's share of wins, in percent."""
    return _deviations(rows, 100 * rows.value, rows.system >= 0)


def score_moves(rows: Labs, first: int, second: int) -> Numbers:
    """How far each comparison moves its lab's difference of two scores, from −100 to 100."""
    import numpy as np

    outcome = 200 * rows.value - 100
    moves = np.zeros(len(rows))
    for system, sign in ((first, 1), (second, -1)):
        is_here = (rows.system == system) | (rows.against == system)
        own = np.where(rows.system == system, outcome, -outcome)
        moves += sign * _deviations(rows, own, is_here)
    return moves


def _deviations(rows: Labs, value: Numbers, chosen: NDArray[np.bool_]) -> Numbers:
    """(value − mean) / n within each lab, over the chosen rows; 0 elsewhere."""
    import numpy as np

    labs = len(rows.runs)
    n = np.bincount(rows.lab, chosen, labs)
    total = np.bincount(rows.lab, np.where(chosen, value, 0.0), labs)
    each = np.maximum(n, 1)
    return np.where(chosen, (value - (total / each)[rows.lab]) / each[rows.lab], 0.0)
