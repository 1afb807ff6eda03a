"""The size of a study, and what many simulated studies of that size found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class StudyShape:
    """Who judges what: every participant judges all systems on the items of their batches."""

    items: int
    participants_per_item: int
    participants: int  # in all; with fewer than are needed at one batch each, they do several
    systems: int = 2


@dataclass(frozen=True, slots=True)
class SimulatedStudies:
    """The planned test of each pair of systems in each study; arrays are studies × pairs.

    Pairs are in the order of `itertools.combinations` of the systems; what is undefined is NaN.
    """

    value: NDArray[np.float64]  # first minus second
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]
    p: NDArray[np.float64]  # of the pair alone
    scores: NDArray[np.float64]  # studies × systems
