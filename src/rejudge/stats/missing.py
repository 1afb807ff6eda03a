"""Numbers that are none: one of them would spoil a statistic in silence, so it is refused."""

from __future__ import annotations

import numpy as np

from rejudge.english import count
from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Numbers


def refuse_missing(*columns: Numbers) -> None:
    """Raise where values are NaN or infinite: who leaves them out must know, and say how many."""
    lost = sum(int(np.count_nonzero(~np.isfinite(column))) for column in columns)
    if lost:
        raise DataError(
            Problem(
                f"{count(lost, 'value')} missing (NaN) or infinite.",
                "Leave out what has no value first, and report how many.",
            )
        )
