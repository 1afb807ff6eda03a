"""Groupings of judgments, by participant, item or both: whether they can be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.numbering import how_many

FEW_LEVELS = 5  # below this a variance between levels is hardly known


@dataclass(frozen=True, slots=True)
class Component:
    """How much the levels of one grouping differ; «residual» is what single judgments have left."""

    group: str
    variance: float | None
    levels: int | None  # None for the residual
    note: str = ""

    @property
    def standard_deviation(self) -> float | None:
        return None if self.variance is None else math.sqrt(self.variance)


def refuse_bad_columns(value: Numbers, groups: Mapping[str, Codes]) -> None:
    """Raise if the columns do not belong to the same judgments."""
    problems = [
        Problem(f"The grouping {name!r} has {len(codes)} codes for {len(value)} judgments.")
        for name, codes in groups.items()
        if len(codes) != len(value)
    ]
    if not groups:
        problems.append(
            Problem("A mixed model needs a grouping.", "Give participant, item or both.")
        )
    if not np.all(np.isfinite(value)):
        problems.append(Problem("Some values are no numbers.", "Leave those rows out."))
    if problems:
        raise DataError.of(problems)


def no_model(columns: Numbers, groups: Mapping[str, Codes]) -> str:
    """Why these groupings have no variances that could be told apart, or nothing."""
    n = len(columns)
    if not n:
        return "No judgments."
    levels = {name: how_many(codes) for name, codes in groups.items()}
    for name, count in levels.items():
        if count < 2:  # noqa: PLR2004 - one level shows no variation between levels
            return f"Only one {name}: how they differ cannot be known. Leave this grouping out."
        if count == n:
            return f"Each judgment has its own {name}: that cannot be told from the residual."
    return twins(groups, levels)


def twins(groups: Mapping[str, Codes], levels: Mapping[str, int]) -> str:
    """Which two groupings are one and the same, or nothing."""
    for one, other in combinations(groups, 2):
        if levels[one] != levels[other]:
            continue
        together = groups[one].astype(np.int64) * (int(groups[other].max()) + 1) + groups[other]
        if how_many(together) == levels[one]:
            return f"{one} and {other} always go together: their variances cannot be told apart."
    return ""


def components(
    groups: Mapping[str, Codes], variances: Mapping[str, float | None]
) -> tuple[Component, ...]:
    counts = {name: how_many(codes) for name, codes in groups.items()}
    return tuple(
        Component(name, variances[name], count, few_levels(name, count))
        for name, count in counts.items()
    )


def few_levels(name: str, count: int) -> str:
    if count >= FEW_LEVELS:
        return ""
    return f"Only {count} levels of {name}: how they vary is hardly known."


def fit_note(
    groups: Mapping[str, Codes],
    variances: Mapping[str, float],
    *,
    converged: bool,
    is_exact: bool = True,
) -> str:
    """What a reader of the fit must be told, in one line."""
    notes = [few_levels(name, how_many(codes)) for name, codes in groups.items()]
    notes += [
        f"No differences between levels of {name} were found: their variance is 0 (singular fit)."
        for name, variance in variances.items()
        if variance == 0
    ]
    if not is_exact:
        notes.append("Solved by iteration: variances are accurate to about 0.4 %.")
    if not converged:
        notes.append("The search for the variances did not settle: do not rely on this fit.")
    return " ".join(note for note in notes if note)
