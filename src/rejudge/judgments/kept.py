"""The judgments that counted in an analysis, from the two files that it left."""

from __future__ import annotations

import csv
import io
from collections import Counter

from rejudge.judgments.sheet import to_csv
from rejudge.judgments.table import Judgments


def without_excluded(collected: Judgments, excluded: str) -> Judgments:
    """All that was collected without the rows of `excluded.csv`.

    Rows are told apart by all their columns; of equal rows as many go as are excluded.
    """
    import numpy as np

    rows = list(csv.DictReader(io.StringIO(excluded, newline="")))
    if not rows:
        return collected
    columns = [name for name in rows[0] if name != "rule"]
    gone = Counter(tuple(row[name] for name in columns) for row in rows)
    keep = np.ones(len(collected), dtype=np.bool_)
    for place, row in enumerate(csv.DictReader(io.StringIO(to_csv(collected), newline=""))):
        key = tuple(row.get(name, "") for name in columns)
        if gone[key] > 0:
            gone[key] -= 1
            keep[place] = False
    return collected.take(keep)
