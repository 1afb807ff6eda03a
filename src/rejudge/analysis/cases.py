"""Several ways to treat what several people judged, side by side: do conclusions hang on them?

Ito, Fang, Mosteiro, Gatt & van Deemter (2023) gave four and found that rankings changed with them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.analysis.columns import units
from rejudge.errors import DataError, Problem
from rejudge.judgments import Coded, Judgments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PERSON = "participant:"
AGGREGATED = ("mean", "median", "majority")


def treated(judgments: Judgments, multiple: str) -> Judgments:
    """The judgments of one question with those of the same output made one, as `multiple` says.

    `first` is the earliest (by time of submission, else by row). One person's judgment counts where
    that person gave one, elsewhere the first. Of equally frequent values `majority` takes the mean.
    What is left of several people's judgments belongs to no participant.
    """
    if multiple == "each" or not len(judgments):
        return judgments
    if multiple in AGGREGATED:
        return _aggregated(judgments, multiple)
    preferred = _rows_of(judgments, multiple.removeprefix(_PERSON), multiple)
    return judgments.take(_earliest(judgments, units(judgments), preferred))


def _rows_of(judgments: Judgments, person: str, multiple: str) -> NDArray[np.bool_]:
    import numpy as np

    if multiple == "first":
        return np.zeros(len(judgments), dtype=np.bool_)
    if person not in judgments.participant.labels:
        raise DataError(
            Problem(
                f"nobody is called '{person}' among the participants.",
                "Name one who is in the judgments.",
                field="analysis.cases",
            )
        )
    return np.asarray(judgments.participant.codes == judgments.participant.code(person))


def _earliest(
    judgments: Judgments, unit: NDArray[np.int64], preferred: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The row of each unit that counts: a preferred one, else the earliest, else the first."""
    import numpy as np

    order = np.lexsort((np.arange(len(unit)), judgments.submitted_at, ~preferred, unit))
    _, first = np.unique(unit[order], return_index=True)
    return np.sort(order[first])


def _aggregated(judgments: Judgments, multiple: str) -> Judgments:
    import numpy as np

    unit = units(judgments)
    a, b = judgments.system_a.codes, judgments.system_b.codes
    is_turned = judgments.is_comparison & (a > b)
    value = np.where(is_turned, 1 - judgments.value, judgments.value)
    made = {"mean": _mean, "median": _median, "majority": _majority}[multiple](unit, value)
    _, first = np.unique(unit, return_index=True)
    rows = judgments.take(first)
    nobody = np.full(len(first), -1, dtype=np.int32)
    return replace(
        rows,
        value=np.where(is_turned[first], 1 - made, made),
        participant=Coded(nobody, judgments.participant.labels),
    )


def _mean(unit: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(np.bincount(unit, weights=value) / np.bincount(unit))


def _median(unit: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    ordered = value[np.lexsort((value, unit))]
    size = np.bincount(unit)
    start = np.cumsum(size) - size
    return np.asarray((ordered[start + (size - 1) // 2] + ordered[start + size // 2]) / 2)


def _majority(unit: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    values, column = np.unique(value, return_inverse=True)
    cell, counts = np.unique(unit * len(values) + column, return_counts=True)
    where, what = cell // len(values), values[cell % len(values)]
    most = np.zeros(int(unit.max()) + 1)
    np.maximum.at(most, where, counts)
    is_most = counts == most[where]
    return _mean(where[is_most], what[is_most])
