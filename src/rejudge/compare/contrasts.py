"""What a run found about two systems, whichever of them it names first."""

from __future__ import annotations

from dataclasses import replace

from rejudge.analysis import PairTest
from rejudge.compare.run import Run, RunContrast, RunEffect
from rejudge.stats import Interval


def decisive(run: Run) -> tuple[RunContrast, ...]:
    """The first test of each pair of systems, which decides; further ones of the pair do not."""
    first: dict[tuple[str, frozenset[str]], RunContrast] = {}
    for found in run.contrasts:
        first.setdefault((found.criterion, frozenset((found.first, found.second))), found)
    return tuple(first.values())


def contrast_of(run: Run, criterion: str, first: str, second: str) -> RunContrast | None:
    """The run's first test of two systems, turned to the order asked for; None: there is none."""
    for found in run.contrasts:
        if found.criterion == criterion and {found.first, found.second} == {first, second}:
            return found if found.first == first else _turned(found)
    return None


def as_test(found: RunContrast) -> PairTest:
    """A run's test of two systems, as verdicts need it."""
    return PairTest(
        found.first,
        found.second,
        found.test,
        found.difference,
        found.p,
        found.p_below,
        found.is_significant,
    )


def in_reverse(found: RunContrast) -> RunContrast:
    """The same with differences and effects of the opposite sign."""
    return replace(
        found,
        difference=None if found.difference is None else -found.difference,
        effect=found.effect
        and RunEffect(found.effect.name, -found.effect.value, _mirrored(found.effect.interval)),
        interval=_mirrored(found.interval),
    )


def _turned(found: RunContrast) -> RunContrast:
    return replace(in_reverse(found), first=found.second, second=found.first)


def _mirrored(interval: Interval | None) -> Interval | None:
    return interval and Interval(-interval.high, -interval.low, interval.level)
