"""Somebody with a known opinion of the outputs of one task."""

from __future__ import annotations

from collections.abc import Sequence


class Liking:
    """Somebody who likes the outputs this much."""

    tie_width = 0.5

    def __init__(self, *seen: float) -> None:
        self.seen = seen

    def compare(self) -> tuple[float, ...]:
        return self.seen

    def score(self, points: Sequence[float]) -> float:
        return max(points)
