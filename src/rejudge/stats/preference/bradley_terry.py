"""Bradley–Terry strengths of systems from pairwise comparisons.

Bradley & Terry (1952); ties after Davidson (1970). Results contain the strength of each system and
the difference of each pair, with standard errors and win probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import get_args

import numpy as np

from rejudge.errors import require_known
from rejudge.stats.arrays import Codes, Numbers, one_thread
from rejudge.stats.clusters import few_people
from rejudge.stats.estimate import Contrast, Estimate, Interval, Test, t_interval, t_test_p
from rejudge.stats.preference.paired_model import (
    Errors,
    Fits,
    StrengthVariances,
    Tallies,
    Ties,
    are_tied_apart,
    cluster_variances,
    components,
    maximise,
    model_variances,
    outcome_cells,
    tallies,
)
from rejudge.stats.preference.pairwise import Comparisons
from rejudge.stats.reasons import Reason, Why, WithReasons

NO_ERRORS = Why.NEEDS(
    "errors", least="two", what="items and participants that have the same systems"
)
_NO_COMPARISONS = Why.NOBODY("value", what="comparisons")
_NO_END = Why.NOT_CONVERGED(what="maximum")
_TIED_APART = Why.TIES_BY_DISTANCE()
_CLUSTERS = {
    "two-way": "items and participants",
    "item": "items",
    "participant": "participants",
}
_NEEDED = "{} that judged, or were judged on, the same systems"
_NOTHING = 1e-24  # a variance of zero but for rounding


@dataclass(frozen=True, slots=True)
class _BradleyTerryFit:
    """Comparisons among the systems that occur in them, counted, with the maximum found."""

    comparisons: Comparisons
    numbers: tuple[int, ...]  # of the systems that occur, in the whole
    prior: float
    fit: Fits


@one_thread()
def bradley_terry(
    comparisons: Comparisons,
    *,
    ties: Ties = "half",
    errors: Errors = "two-way",
    prior: float = 0.0,
    level: float = 0.95,
) -> BradleyTerry:
    """Maximum-likelihood strengths, by Newton's method on the table of wins.

    They exist if and only if wins (a tie is half of one, each way) lead from every system to every
    other (Ford 1957); if not, they are None with the groups named, unless `prior` adds that many
    wins each way to each pair that was compared (½ is usual). `errors` are of the sandwich kind,
    with clusters of items and participants as in `clustered` or of one of them, or those of the
    model, which treats comparisons as independent.
    """
    require_known(ties, get_args(Ties), option="ties")
    require_known(errors, get_args(Errors), option="errors")
    empty = _empty_result(comparisons, errors)
    fitted = _fit(comparisons, ties, prior)
    if isinstance(fitted, Obstacle):
        return replace(empty, groups=fitted.groups, reasons=(fitted.reason,))
    if errors == "model":
        spread: StrengthVariances | None = model_variances(fitted.fit)
    else:
        spread = cluster_variances(fitted.comparisons, fitted.fit, errors)
    if spread is None:
        reasons: tuple[Reason, ...] = (NO_ERRORS.using(what=_NEEDED.format(_CLUSTERS[errors])),)
    else:
        reasons = few_people_of(empty.participants, errors)
    return _result(replace(empty, reasons=reasons), fitted, spread, level=level)


def _empty_result(comparisons: Comparisons, errors: str) -> BradleyTerry:
    """A result with its counts and no strengths."""
    return BradleyTerry(
        strengths=tuple(Strength(None, system=system) for system in range(comparisons.systems)),
        differences=(),
        n=len(comparisons.preference),
        ties=int((comparisons.preference == 0.5).sum()),
        items=_how_many(comparisons.item),
        participants=_how_many(comparisons.participant),
        errors=errors,
    )


def _fit(comparisons: Comparisons, ties: Ties, prior: float) -> _BradleyTerryFit | Obstacle:
    """The maximum of the likelihood, or the groups that systems fall into and why there is none."""
    inner, numbers = _drop_absent_systems(comparisons)
    size = len(numbers)
    cells = np.bincount(outcome_cells(inner), minlength=2 * size * size).astype(np.float64)
    table = _with_prior(tallies(cells[np.newaxis], size), prior)
    model: Ties = ties if table.ties.any() else "half"  # without ties Davidson's ν is 0
    obstacle = obstacle_of(table, model)
    if obstacle is None:
        fit = maximise(table, model)
        if fit.is_found[0]:
            return _BradleyTerryFit(inner, numbers, prior, fit)
        return Obstacle((), _NO_END)
    return obstacle.renumbered(numbers)


def _drop_absent_systems(comparisons: Comparisons) -> tuple[Comparisons, tuple[int, ...]]:
    """The comparisons with only those systems that occur in them, renumbered."""
    occurs = np.zeros(comparisons.systems, dtype=np.bool_)
    occurs[comparisons.first] = occurs[comparisons.second] = True
    anew = np.cumsum(occurs) - 1
    first, second = anew[comparisons.first], anew[comparisons.second]
    inner = replace(comparisons, first=first, second=second, systems=int(occurs.sum()))
    return inner, tuple(np.flatnonzero(occurs).tolist())


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why strengths are undefined, and the groups that systems fall into, the stronger first."""

    groups: tuple[tuple[int, ...], ...]
    reason: Reason

    def renumbered(self, numbers: tuple[int, ...]) -> Obstacle:
        """The same with the numbers of systems in a whole."""
        groups = tuple(tuple(numbers[place] for place in group) for group in self.groups)
        return Obstacle(groups, self.reason.using(groups=list_groups(groups)))


def list_groups(groups: Sequence[Sequence[object]]) -> str:
    """Groups of systems in a sentence."""
    return "; ".join(", ".join(map(str, group)) for group in groups)


def obstacle_of(table: Tallies, ties: Ties) -> Obstacle | None:
    """Why strengths are undefined; None if they are not."""
    met, wins, tied = table.met[0], table.wins[0], table.ties[0]
    if not met.any():
        return Obstacle((), _NO_COMPARISONS)
    linked = components(met > 0)
    if len(linked) > 1:
        what, advice = "comparison", " Fit each group by itself."
        listed = list_groups(linked)
        return Obstacle(linked, Why.NOT_LINKED(what=what, groups=listed, advice=advice))
    groups = components((wins > 0) | (tied > 0))
    if len(groups) > 1:
        reason = Why.SEPARATED(
            never="never won against others",
            groups=list_groups(groups),
            advice="Rank the groups, collect more comparisons, or give a `prior`.",
        )
        return Obstacle(groups, reason)
    if ties == "davidson" and are_tied_apart(wins, tied):
        return Obstacle((), _TIED_APART)
    return None


def _with_prior(table: Tallies, prior: float) -> Tallies:
    return replace(table, wins=table.wins + prior * (table.met > 0)) if prior else table


def _result(
    empty: BradleyTerry,
    fitted: _BradleyTerryFit,
    spread: StrengthVariances | None,
    *,
    level: float,
) -> BradleyTerry:
    """The result with strengths and differences, and their errors where there is a spread."""
    log_tie = fitted.fit.log_tie
    tie = None if log_tie is None else math.exp(float(log_tie[0]))
    values = fitted.fit.strengths[0]
    found = StrengthEstimates(values, spread, fitted.numbers, level, tie=tie)
    systems = len(empty.strengths)
    absent = systems - len(values)
    reasons = [*empty.reasons]
    if fitted.prior:
        reasons.append(Why.PRIOR(wins=f"{fitted.prior:g}"))
    if absent:
        reasons.append(Why.ABSENT(n=absent, total=systems, what="compared"))
    return replace(
        empty,
        strengths=strengths_of(found, systems),
        differences=differences_of(found),
        tie=tie,
        reasons=tuple(reasons),
    )


def _how_many(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def few_people_of(participants: int, errors: Errors) -> tuple[Reason, ...]:
    """A warning where errors allow for few people."""
    return () if errors in {"model", "item"} else few_people(participants)


@dataclass(frozen=True, slots=True)
class Strength(Estimate):
    """How strong a system is, on the log scale where all strengths sum to 0."""

    system: int = 0


@dataclass(frozen=True, slots=True)
class StrengthDifference(Contrast):
    """The difference in strength of two systems: the log odds that the first one wins.

    `win_probability` counts a tie as half; in Davidson's model it is that of a decided comparison,
    and `tie_probability` is the chance of a tie.
    """

    tie_probability: float | None = None

    @property
    def win_probability(self) -> float:
        """How likely the first is to win."""
        return _logistic(self.value or 0.0)

    @property
    def win_interval(self) -> Interval | None:
        """The interval of that chance."""
        if self.interval is None:
            return None
        low, high = _logistic(self.interval.low), _logistic(self.interval.high)
        return Interval(low, high, self.interval.level)


@dataclass(frozen=True, slots=True)
class BradleyTerry(WithReasons):
    """Strengths of all systems, differences of all pairs, and the data behind them.

    Where the likelihood has no maximum the strengths are None, `differences` is empty and
    `groups` lists systems that can be compared with each other, the stronger groups first.
    """

    strengths: tuple[Strength, ...]
    differences: tuple[StrengthDifference, ...]
    n: int  # comparisons
    ties: int
    items: int
    participants: int
    errors: str  # how the standard errors were found
    tie: float | None = None  # Davidson's ν
    groups: tuple[tuple[int, ...], ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class StrengthEstimates:
    """Strengths with their variances."""

    strengths: Numbers
    spread: StrengthVariances | None
    numbers: tuple[int, ...]  # of the systems that the strengths belong to
    level: float
    tie: float | None = None


def strengths_of(found: StrengthEstimates, systems: int) -> tuple[Strength, ...]:
    """The strength of each system; None for those that were not compared."""
    places = {number: place for place, number in enumerate(found.numbers)}
    return tuple(
        _strength(found, system, places[system])
        if system in places
        else Strength(None, system=system)
        for system in range(systems)
    )


def differences_of(found: StrengthEstimates) -> tuple[StrengthDifference, ...]:
    """The difference of each pair of systems that have a strength."""
    pairs = combinations(range(len(found.numbers)), 2)
    return tuple(_difference(found, one, other) for one, other in pairs)


def _strength(found: StrengthEstimates, system: int, place: int) -> Strength:
    spread = found.spread
    known = None
    if spread is not None:
        known = float(spread.own[place]), float(spread.own_df[place])
    value = float(found.strengths[place])
    return Strength.of(estimate_from_variance(value, known, found.level), system=system)


def _difference(found: StrengthEstimates, one: int, other: int) -> StrengthDifference:
    spread = found.spread
    known = None
    if spread is not None:
        known = float(spread.pairs[one, other]), float(spread.pairs_df[one, other])
    value = float(found.strengths[one] - found.strengths[other])
    estimate = estimate_from_variance(value, known, found.level)
    tie = None
    if found.tie is not None:
        tie = found.tie / (2 * math.cosh(value / 2) + found.tie)
    first, second = found.numbers[one], found.numbers[other]
    return StrengthDifference.of(estimate, first=first, second=second, tie_probability=tie)


def estimate_from_variance(
    value: float, known: tuple[float, float] | None, level: float
) -> Estimate:
    """A value with its variance and degrees of freedom, which are infinite where it is normal."""
    variance, df = known or (0.0, math.inf)
    is_normal = math.isinf(df)
    if variance <= _NOTHING:
        return Estimate(value, df=None if is_normal else df)
    error = math.sqrt(variance)
    name, degrees = ("z", ()) if is_normal else ("t", (df,))
    return Estimate(
        value,
        interval=t_interval(value, error, df, level),
        standard_error=error,
        df=None if is_normal else df,
        test=Test(t_test_p(value, error, df), name, value / error, degrees),
    )


def _logistic(value: float) -> float:
    return (1 + math.tanh(value / 2)) / 2
