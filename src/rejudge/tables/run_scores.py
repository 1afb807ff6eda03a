"""Runs side by side, for tables and figures: their names, and the scores of their systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.compare import Comparison
from rejudge.layout.numbers import MINUS
from rejudge.stats import Interval

_SEVERAL = 2
_LONG = 1e7  # from here on powers of ten are shorter


@dataclass(frozen=True, slots=True)
class RunScores:
    """Scores on one criterion, of the systems that two runs or more have scored."""

    criterion: str
    name: str
    runs: tuple[str, ...]  # the original first
    systems: tuple[str, ...]  # the original's highest first
    values: dict[tuple[str, str], float]  # by system and run; not there: no score
    intervals: dict[tuple[str, str], Interval]
    printed: dict[tuple[str, str], int]  # decimals, of scores that were read from print
    sds: dict[tuple[str, str], float]  # of the judgments behind a score
    begin: float  # where bars begin: 0, or the lower end of a scale that begins above it

    @property
    def digits(self) -> int:
        """Decimals that fit the size of these numbers."""
        return digits_for(max(map(abs, self.values.values())))

    def text(self, system: str, run: str) -> str:
        """A score with no more decimals than it was printed with."""
        digits = min(self.printed.get((system, run), self.digits), self.digits)
        return score_text(self.values[system, run], digits)


def run_scores(comparison: Comparison) -> Iterator[RunScores]:
    """The criteria that two runs or more have scores on."""
    for criterion in comparison.criteria:
        values = _values(comparison, criterion)
        systems = tuple(
            system
            for system in dict.fromkeys(system for system, _ in values)
            if sum(each == system for each, _ in values) >= _SEVERAL
        )
        kept = {key: value for key, value in values.items() if key[0] in systems}
        runs = tuple(run.id for run in comparison.runs if any(run.id == run_ for _, run_ in kept))
        if kept:
            yield RunScores(
                criterion,
                criterion_name(comparison, criterion),
                runs,
                tuple(sorted(systems, key=lambda system: _place(kept, system, runs))),
                kept,
                _intervals(comparison, criterion),
                _printed(comparison, criterion),
                _sds(comparison, criterion),
                _begin(comparison, criterion),
            )


def digits_for(largest: float) -> int:
    """Two decimals, fewer for numbers of hundreds, more for those below a tenth."""
    size = math.floor(math.log10(largest)) if largest > 0 else 0
    return max(0, min(2, 3 - size)) if size >= -1 else min(8, 1 - size)


def score_text(value: float, digits: int = 2) -> str:
    """A score as it is printed in a figure, with a true minus."""
    text = f"{value:.3g}" if abs(value) >= _LONG else f"{value:,.{digits}f}"
    is_zero = float(text.replace(",", "")) == 0
    return text.lstrip("-") if is_zero else text.replace("-", MINUS)


def _values(comparison: Comparison, criterion: str) -> dict[tuple[str, str], float]:
    """From the scores themselves, or from their spread in comparisons of an older kind."""
    found = {
        (each.system, each.run): each.value
        for each in comparison.scores
        if each.criterion == criterion
    }
    for each in comparison.variations:
        if each.criterion == criterion and each.system is not None:
            for run, value in each.scores.items():
                found.setdefault((each.system, run), value)
    return found


def _intervals(comparison: Comparison, criterion: str) -> dict[tuple[str, str], Interval]:
    return {
        (each.system, each.run): each.interval
        for each in comparison.scores
        if each.criterion == criterion and each.interval is not None
    }


def _sds(comparison: Comparison, criterion: str) -> dict[tuple[str, str], float]:
    return {
        (each.system, each.run): each.sd
        for each in comparison.scores
        if each.criterion == criterion and each.sd is not None
    }


def _printed(comparison: Comparison, criterion: str) -> dict[tuple[str, str], int]:
    """A half unit of 0.005 is two decimals; a scale that was stretched may leave less than one."""
    return {
        (each.system, each.run): max(0, math.floor(0.5 - math.log10(2 * each.half_unit)))
        for each in comparison.scores
        if each.criterion == criterion and each.half_unit > 0
    }


def _place(
    values: dict[tuple[str, str], float], system: str, runs: tuple[str, ...]
) -> tuple[bool, float]:
    """By the original's scores; what it did not score comes last, by the first run that did."""
    found = [values[system, run] for run in runs if (system, run) in values]
    return (system, runs[0]) not in values, -found[0]


def _begin(comparison: Comparison, criterion: str) -> float:
    shifts = [
        each.shift
        for each in comparison.variations
        if each.criterion == criterion and each.shift is not None
    ]
    return max(0.0, -shifts[0]) if shifts else 0.0


# names


def run_name(comparison: Comparison, run: str) -> str:
    """A run as it is called at the head of a column."""
    return next((card.name for card in comparison.runs if card.id == run), run)


def system_name(comparison: Comparison, system: str) -> str:
    """A system as the original calls it."""
    return comparison.systems.get(system) or system


def criterion_name(comparison: Comparison, criterion: str | None) -> str:
    """A criterion as the original calls it."""
    return "all criteria" if criterion is None else comparison.criteria.get(criterion) or criterion
