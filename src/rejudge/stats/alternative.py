"""One-sided tests: for a direction that was fixed before anybody was asked.

A one-sided p is half as large as a two-sided one where the difference points the expected way, so
a direction chosen after seeing the data makes twice as many false findings as the test allows.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]


def one_sided(p: float | None, difference: float | None, alternative: Alternative) -> float | None:
    """The p of a test by t or z against a difference above 0 (`greater`) or below it (`less`).

    Exact from its two-sided p and the sign of the difference, since t and z are symmetric.
    """
    if p is None or difference is None or alternative == "two-sided":
        return p
    points_there = difference > 0 if alternative == "greater" else difference < 0
    return p / 2 if points_there else 1 - p / 2
