"""Corrections for testing many things at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

Correction: TypeAlias = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]


def adjusted(p_values: Sequence[float | None], correction: Correction) -> tuple[float | None, ...]:
    """The p values of one family, corrected; those that are undefined stay so and do not count.

    Holm (1979) and Bonferroni keep the chance of any false alarm, Benjamini & Hochberg (1995) the
    expected share of false alarms among the alarms.
    """
    known = [place for place, p in enumerate(p_values) if p is not None]
    raw = np.array([p for p in p_values if p is not None], dtype=np.float64)
    corrected = dict(zip(known, _correct(raw, correction).tolist(), strict=True))
    return tuple(corrected.get(place) for place in range(len(p_values)))


def _correct(
    raw: np.ndarray[tuple[int], np.dtype[np.float64]], correction: Correction
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    count = len(raw)
    if correction == "none" or count == 0:
        return raw
    if correction == "bonferroni":
        return np.minimum(raw * count, 1.0)
    order = np.argsort(raw, kind="stable")
    rank = np.arange(1, count + 1)
    if correction == "holm":
        steps = np.maximum.accumulate(raw[order] * (count - rank + 1))
    else:
        steps = np.minimum.accumulate((raw[order] * count / rank)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(steps, 1.0)
    return result
