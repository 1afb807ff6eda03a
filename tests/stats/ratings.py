"""Small tables of ratings whose numbers are known from other programs."""

from __future__ import annotations

import numpy as np

Table = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def complete() -> Table:
    """Six items, four participants, two systems: scores, systems, items, participants."""
    scores = "435433422231223354554353334231224453433312322121"  # the systems alternate
    y = np.array([float(score) for score in scores])
    item, participant, system = (part.ravel() for part in np.indices((6, 4, 2)))
    return y, system, item, participant


def uneven() -> Table:
    """The same without the second system on items 0, 2 and 4, which are the better ones."""
    y, system, item, participant = complete()
    kept = (system == 0) | np.isin(item, [1, 3, 5])
    return y[kept], system[kept], item[kept], participant[kept]
