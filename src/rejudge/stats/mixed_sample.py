"""A sample of very many judgments, to find out roughly how much each grouping varies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rejudge.stats.clusters import Codes
from rejudge.stats.mixed_probes import Fingerprints
from rejudge.stats.mixed_sums import nests, without_gaps

MANY = 300_000  # judgments, from which on a sample of them saves time
LEAST_RATIO = 1e-3  # a variance that a sample does not show may still be there
_ONE_OF = 8  # levels is in the sample


def sampled_rows(groups: Sequence[Codes], prints: Sequence[Fingerprints]) -> Codes | None:
    """All judgments of one level in eight of the outer grouping that has the most levels, chosen by
    fingerprint; None where there are too few to choose from.

    The others are thinned by that: a grouping with many levels has few judgments of each to lose.
    """
    if not prints or len(groups[0]) < MANY:
        return None
    outer = [nest.fine if nest.coarse is None else nest.coarse for nest in nests(groups)]
    widest = max(outer, key=lambda place: len(prints[place]))
    chosen = prints[widest] % np.uint64(_ONE_OF) == 0
    rows = np.flatnonzero(chosen[without_gaps(groups[widest])])
    return rows if len(rows) * _ONE_OF**2 > len(groups[0]) else None
