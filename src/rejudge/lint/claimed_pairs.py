"""Which pairs of systems a claim compares, and which of them the planned tests leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rejudge.study import Claim, PlannedTest, has_direction


def untested_pairs(
    claim: Claim, planned: Sequence[PlannedTest], systems: Sequence[str]
) -> list[tuple[str, str]]:
    """The pairs of a claim that no planned test on its question compares, though tests are there.

    Tests of all systems at once compare no two of them; they are left to another rule.
    """
    tests = [each for each in planned if each.question == claim.question]
    of_pairs = [each for each in tests if has_direction(each.test)]
    if not of_pairs or not all(each.pairs for each in of_pairs):
        return []
    tested = {frozenset(pair) for each in of_pairs for pair in each.pairs}
    return [pair for pair in _claimed(claim, systems) if frozenset(pair) not in tested]


def _claimed(claim: Claim, systems: Sequence[str]) -> Iterator[tuple[str, str]]:
    if claim.kind in {"best", "worst"}:
        first = claim.systems[0]
        yield from ((first, other) for other in systems if other != first)
    elif claim.kind == "order":
        yield from pairwise(claim.systems)
    elif claim.systems:
        yield from ((claim.systems[0], other) for other in claim.systems[1:])
