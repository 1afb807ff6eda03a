"""Who gave which label to which unit, counted once, for models of how reliable participants are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.counting import distinct
from rejudge.stats.numbering import numbered

NO_LABELS = "Undefined: no judgments."
ONE_LABEL = "Undefined: only one label was given, so nobody can be right by more than chance."
ALONE = "No unit was judged by two participants, so nobody's errors can be told."
_MOST_CELLS = 300_000_000  # participants by labels by labels: 2.4 GB
_LARGEST = 2**62  # of a key that holds unit, participant and label


@dataclass(frozen=True, slots=True)
class Labelled:
    """Each combination of unit, participant and label once, in order, with how often it occurs."""

    units: Codes  # the codes that were given,
    people: Codes
    labels: Numbers
    unit: NDArray[np.int64]  # and which of them each row has
    person: NDArray[np.int64]
    label: NDArray[np.int64]
    times: Numbers

    @property
    def width(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    @property
    def n(self) -> int:
        """Judgments."""
        return int(self.times.sum())

    @property
    def place(self) -> NDArray[np.int64]:
        """Of each row: its unit and label in one number."""
        return np.asarray(self.unit * self.width + self.label)

    @property
    def cell(self) -> NDArray[np.int64]:
        """Of each row: its participant and label in one number."""
        return np.asarray(self.person * self.width + self.label)

    def votes(self) -> Numbers:
        """How often each unit (row) was given each label (column)."""
        shape = (len(self.units), self.width)
        return weighted_counts(self.place, self.times, shape[0] * shape[1]).reshape(shape)

    @property
    def is_shared(self) -> bool:
        """Whether two participants judged one unit."""
        own = np.unique(self.unit * max(len(self.people), 1) + self.person)
        return len(own) > len(self.units)


def labelled(unit: Codes, participant: Codes, label: NDArray[Any]) -> Labelled:
    """The table of three columns of the same length; labels are codes or numbers."""
    units, row = numbered(unit)
    people, person = numbered(participant)
    labels, said = distinct(label)
    _refuse_large(len(units), len(people), len(labels))
    key = (row * max(len(people), 1) + person) * max(len(labels), 1) + said
    kept, times = np.unique(key, return_counts=True)
    rest, said = np.divmod(kept, max(len(labels), 1))
    row, person = np.divmod(rest, max(len(people), 1))
    return Labelled(units, people, labels, row, person, said, times.astype(np.float64))


def weighted_counts(codes: Codes, weights: Numbers, size: int) -> Numbers:
    """The sum of the weights of each code, as real numbers even where there are none."""
    return np.bincount(codes, weights, size).astype(np.float64, copy=False)


def normalised(scores: Numbers) -> tuple[Numbers, Numbers]:
    """Probabilities from their logarithms up to a constant in each row, and that constant."""
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (top + np.log(total))[:, 0]


def _refuse_large(units: int, people: int, labels: int) -> None:
    if people * labels**2 > _MOST_CELLS or units * people * labels > _LARGEST:
        raise DataError(
            Problem(
                f"{people:,} participants with {labels:,} different labels are too many for a "
                "table of errors for each of them.",
                "Use fewer labels, for instance whole points of the scale.",
            )
        )
