"""Judgments for tests of free slopes, made by a formula so that R can make them too."""

from __future__ import annotations

import numpy as np


def judged(items, people, systems, *, missing=0, spread=0.6):
    """Value, system, item and participant; every `missing`-th cell or so has no judgment.

    In R: d <- expand.grid(s = 0:(S-1), r = 0:(R-1), i = 0:(I-1)), the same formula with %% for %,
    and round(…, 2).
    """
    i, r, s = (codes.ravel() for codes in np.indices((items, people, systems)))
    value = (
        3
        + 0.2 * s
        + np.sin(1.7 * i)
        + 0.5 * np.cos(2.3 * r)
        + 0.5 * np.sin(1.3 * i * (s + 1) + s)
        + spread * (0.2 + s) * np.cos(0.9 * r * (2 * s + 1))
        + np.sin(3.1 * i * r + 5.3 * (s + 1) * (i + 2 * r))
    )
    if not missing:
        return np.round(value, 2), s, i, r
    kept = (i + 3 * r + 2 * s + i * r) % missing > 0
    return np.round(value, 2)[kept], s[kept], i[kept], r[kept]
