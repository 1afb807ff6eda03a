"""Planned tests without a closed form: fitted to a sample of the studies that a stand-in decides.

A stand-in is computed for thousands of studies, the planned test for some of the very same ones.
Studies are sorted into strata by the stand-in's p. How often the planned test finds a difference in
each stratum is estimated from the sample, and how many studies lie in each stratum from all of
them (two-phase sampling with post-stratification; Cochran 1977, Sampling Techniques, §5A.9 and
§12.2). The estimate is that of the planned test whatever the stand-in is worth; a good stand-in
makes it sharper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge.english import join_words
from rejudge.power.planned_power import SizePower
from rejudge.power.studies import wilson
from rejudge.power.tallies import (
    EDGES,
    PowerTask,
    SizeTally,
    corrected_p,
    count_findings,
    simulate_tests,
    strata_of,
)
from rejudge.study.methods import TESTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.power.studies import StudyShape
    from rejudge.stats import Interval

_FEWEST: Final = 5  # studies in a stratum that is estimated by itself
_STRATA: Final = len(EDGES) + 1
_FOUND: Final = EDGES.index(1.0) + 1  # strata in which the stand-in finds a difference
_COARSER: Final = (
    tuple(range(_STRATA)),
    tuple(int(place >= _FOUND) for place in range(_STRATA)),
    (0,) * _STRATA,
)


@dataclass(frozen=True, slots=True)
class PairedTally:
    """Results of the planned tests in a sample of studies, by strata of the stand-ins."""

    planned: SizeTally
    sampled: NDArray[np.float64]  # comparisons × strata
    found: NDArray[np.float64]  # of these

    @property
    def studies(self) -> int:
        """In which the planned tests were computed."""
        return self.planned.studies

    def __add__(self, other: PairedTally) -> PairedTally:
        return PairedTally(
            self.planned + other.planned, self.sampled + other.sampled, self.found + other.found
        )


@dataclass(frozen=True, slots=True)
class EstimatedShare:
    """A share of studies, and its Monte-Carlo interval at 95 %."""

    value: float
    mc: Interval


def as_planned(task: PowerTask) -> PowerTask:
    """The task with the planned tests themselves."""
    return replace(task, plan=task.plan.as_planned)


def pair(task: PowerTask, shape: StudyShape, studies: int, seed: tuple[int, ...]) -> PairedTally:
    """Simulate so many studies, and compute stand-ins and planned tests on the same ones."""
    drawn = replace(task, engine="numpy")  # planned tests need every answer
    own = as_planned(drawn)
    fast = corrected_p(drawn, simulate_tests(drawn, shape, studies, seed))
    found = simulate_tests(own, shape, studies, seed)
    is_found = corrected_p(own, found) < task.plan.alpha
    strata = strata_of(fast, task.plan.alpha)
    in_each = [strata == place for place in range(_STRATA)]
    return PairedTally(
        count_findings(own, found),
        np.stack([here.sum(axis=0) for here in in_each], axis=1).astype(np.float64),
        np.stack([(here & is_found).sum(axis=0) for here in in_each], axis=1).astype(np.float64),
    )


def stratified_share(
    sampled: Sequence[float], found: Sequence[float], everywhere: Sequence[float]
) -> EstimatedShare:
    """How often the planned test finds a difference, from strata of a sample and of all studies.

    Strata with too few sampled studies are joined: to those in which the stand-in finds a
    difference and the others, then to one. The interval is Wilson's for as many studies as have
    the same variance; each share is moved towards ½ by two studies for the variance, so that a
    stratum in which all studies agree does not count as certain.
    """
    for groups in _COARSER:
        n, k, w = (
            np.bincount(groups, each, max(groups) + 1) for each in (sampled, found, everywhere)
        )
        if (n[w > 0] >= _FEWEST).all() or max(groups) == 0:
            break
    is_there = w > 0
    n, k, weight = n[is_there], k[is_there], w[is_there] / w.sum()
    share = float(weight @ (k / n))
    careful = (k + 1) / (n + 2)
    middle = float(weight @ careful)
    variance = float(weight**2 @ (careful * (1 - careful) / n))
    variance += float(weight @ (careful - middle) ** 2) / float(sum(everywhere))
    size = middle * (1 - middle) / variance
    return EstimatedShare(share, wilson(share * size, size))


def planned_shares(paired: PairedTally, fast: SizeTally, strata: slice) -> list[EstimatedShare]:
    """The power of each comparison by its planned test."""
    return [
        stratified_share(sampled, found, everywhere)
        for sampled, found, everywhere in zip(
            paired.sampled.tolist(), paired.found.tolist(), fast.sums[:, strata].tolist(),
            strict=True,
        )
    ]  # fmt: skip


def fit_notes(task: PowerTask, sizes: Sequence[SizePower]) -> list[str]:
    """How the power of planned tests without a closed form was computed, in sentences."""
    fitted = [test for test in task.plan.tests if test.is_fitted]
    if not fitted:
        return []
    planned = join_words(list(dict.fromkeys(TESTS[test.planned].label for test in fitted)))
    quick = join_words(list(dict.fromkeys(TESTS[test.test].label for test in fitted)))
    note = (
        f"The {planned} was computed in {sizes[0].studies:,} simulated studies of each size, "
        f"weighted by the results of the {quick} in these and further studies."
    )
    return [note]
