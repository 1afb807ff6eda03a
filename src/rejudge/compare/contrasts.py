"""What a run found about two systems, whichever of them it names first."""

from __future__ import annotations

from dataclasses import replace

from rejudge.compare.run import Run, RunContrast, RunEffect
from rejudge.stats import Interval

USUAL_ALPHA = 0.05


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


def is_significant(contrast: RunContrast, alpha: float) -> bool | None:
    """Whether a difference is significant at a level; None where the run does not tell."""
    if contrast.p is not None:
        return contrast.p < alpha
    if contrast.p_below is not None and contrast.p_below <= alpha:
        return True
    if contrast.is_significant and alpha >= USUAL_ALPHA:
        return True
    if contrast.is_significant is False and alpha <= USUAL_ALPHA:
        return False
    return None


def sign_of(difference: float | None) -> int:
    """1, 0 or −1; 0 where nothing is known."""
    return 0 if difference is None else (difference > 0) - (difference < 0)


def told_p(contrast: RunContrast) -> str:
    """The p value or what stands in its place, in words."""
    if contrast.p is not None:
        return "p < 0.001" if contrast.p < 0.001 else f"p = {contrast.p:.3f}"  # noqa: PLR2004
    if contrast.p_below is not None:
        return f"p < {contrast.p_below:g}"
    return {True: "significant", False: "not significant", None: "not tested"}[
        contrast.is_significant
    ]


def _turned(found: RunContrast) -> RunContrast:
    return replace(
        found,
        first=found.second,
        second=found.first,
        difference=None if found.difference is None else -found.difference,
        effect=found.effect
        and RunEffect(found.effect.name, -found.effect.value, _mirrored(found.effect.interval)),
        interval=_mirrored(found.interval),
    )


def _mirrored(interval: Interval | None) -> Interval | None:
    return interval and Interval(-interval.high, -interval.low, interval.level)
