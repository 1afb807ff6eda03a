"""Whether higher or lower scores are better, where only some of the runs say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.compare.contrasts import in_reverse
from rejudge.compare.run import Run, RunCriterion, RunDifference
from rejudge.stats import Interval


def in_one_direction(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Runs that do not say which scores are better, read as the first run that does.

    A study and a table cannot say it; a paper and a file of conditions can. Without this, a table
    that reproduces a paper with `better: lower` would be read the wrong way round.
    """
    lower = {name: is_lower for name, (_, is_lower) in _stated(runs).items()}
    return tuple(_read(run, lower) for run in runs)


def direction_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Which runs are read as another one says, where lower scores are better."""
    stated = _stated(runs)
    for name, (run, is_lower) in stated.items():
        silent = [each.name for each in runs if name in {c.id for c in _silent(each)}]
        if is_lower and silent:
            yield (
                f"{run.name} says that lower scores on {name} are better. Nothing says which are "
                f"better for {', '.join(silent)}, so the same is assumed there."
            )


def _stated(runs: Sequence[Run]) -> dict[str, tuple[Run, bool]]:
    """By criterion the first run that says which scores are better, and whether the lower are."""
    found: dict[str, tuple[Run, bool]] = {}
    for run in runs:
        for each in run.criteria:
            if each.states_direction:
                found.setdefault(each.id, (run, not each.is_higher_better))
    return found


def _silent(run: Run) -> Iterator[RunCriterion]:
    return (each for each in run.criteria if not each.states_direction)


def _read(run: Run, lower: Mapping[str, bool]) -> Run:
    turned = {each.id for each in _silent(run) if lower.get(each.id)}
    if not turned:
        return run
    return replace(
        run,
        criteria=tuple(
            replace(each, is_higher_better=False) if each.id in turned else each
            for each in run.criteria
        ),
        contrasts=tuple(
            in_reverse(each) if each.criterion in turned else each for each in run.contrasts
        ),
        differences=tuple(
            _reversed(each) if each.criterion in turned else each for each in run.differences
        ),
    )


def _reversed(found: RunDifference) -> RunDifference:
    ends = found.interval
    return replace(found, value=-found.value, interval=Interval(-ends.high, -ends.low, ends.level))
