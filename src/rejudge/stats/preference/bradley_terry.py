"""Bradley–Terry strengths of systems from pairwise comparisons.

Bradley & Terry (1952); ties after Davidson (1970). Results contain the strength of each system and
the difference of each pair, with standard errors and win probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from rejudge.english import join_notes
from rejudge.errors import require_known
from rejudge.stats.arrays import Codes, Numbers, one_thread
from rejudge.stats.clusters import FEW_PARTICIPANTS
from rejudge.stats.estimate import Interval, t_half_width, t_test
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
    reachable,
    resampled_comparisons,
    resampled_items,
    resampled_variances,
    tallies,
)
from rejudge.stats.preference.pairwise import Comparisons

_FEW_ITEMS = 15  # below this, percentiles of resampled items are too narrow
_STEPS = 30  # for a resample, which starts from the strengths of the whole

_NO_COMPARISONS = "Undefined: there are no comparisons."
_NO_END = "Undefined: the search for the maximum did not converge."
_NO_MAXIMUM = (
    "Undefined: no system in one of these groups ever won against a system in a group before it, "
    "so the differences between the groups have no finite estimate: {groups} (by number, the best "
    "first). Rank the groups, collect more comparisons, or give a `prior`."
)
_NOT_LINKED = (
    "Undefined: no comparison links these groups of systems: {groups} (by number). "
    "Fit each group by itself."
)
_TIED_APART = (
    "Undefined: close systems always tie and distant ones never do, so the tie parameter has no "
    "finite estimate. Count ties as half wins, or give a `prior`."
)
_CLUSTERS = {
    "two-way": "items and participants",
    "item": "items",
    "participant": "participants",
}
_NOTHING = 1e-24  # a variance of zero but for rounding


@dataclass(frozen=True, slots=True)
class _BradleyTerryFit:
    """Comparisons among the systems that occur in them, counted, with the maximum found."""

    comparisons: Comparisons
    numbers: tuple[int, ...]  # of the systems that occur, in the whole
    cells: Numbers
    prior: float
    ties: Ties
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
    if not isinstance(fitted, _BradleyTerryFit):
        return replace(empty, groups=fitted[0], note=fitted[1])
    if errors == "model":
        spread: StrengthVariances | None = model_variances(fitted.fit)
    else:
        spread = cluster_variances(fitted.comparisons, fitted.fit, errors)
    if spread is None:
        note = (
            f"No standard errors: they need two or more {_CLUSTERS[errors]} that judged, or were "
            "judged on, the same systems."
        )
    else:
        note = _few_people(empty.participants, errors)
    return _result(replace(empty, note=note), fitted, spread, level=level)


def bradley_terry_bootstrap(
    comparisons: Comparisons,
    *,
    rng: np.random.Generator,
    by: Literal["comparison", "item"] = "comparison",
    ties: Ties = "half",
    prior: float = 0.0,
    level: float = 0.95,
    replicates: int = 1000,
) -> BradleyTerry:
    """The same strengths with errors and percentile intervals from resamples.

    Resampling comparisons is a multinomial draw over the cells of the table, exactly; it treats
    them as independent. Resampling items keeps each item's comparisons together and holds for
    these participants. Resamples whose likelihood has no maximum are left out and counted.
    """
    require_known(ties, get_args(Ties), option="ties")
    require_known(by, ("comparison", "item"), option="by")
    empty = _empty_result(comparisons, f"bootstrap by {by}")
    fitted = _fit(comparisons, ties, prior)
    if not isinstance(fitted, _BradleyTerryFit):
        return replace(empty, groups=fitted[0], note=fitted[1])
    if by == "item":
        tables = resampled_items(fitted.comparisons, replicates, rng)
    else:
        tables = resampled_comparisons(fitted.cells, replicates, rng)
    drawn = np.concatenate([_refit(cells, fitted) for cells in tables])
    notes = [
        f"{replicates - len(drawn)} of {replicates} resamples had no finite strengths; left out."
        if len(drawn) < replicates
        else "",
        f"Only {empty.items} items: percentiles are too narrow with so few."
        if by == "item" and empty.items < _FEW_ITEMS
        else "",
    ]
    empty = replace(empty, note=join_notes(*notes))
    enough = len(drawn) > 1 and not (by == "item" and empty.items == 1)
    spread = resampled_variances(drawn) if enough else None
    return _result(empty, fitted, spread, level=level, drawn=drawn)


def _empty_result(comparisons: Comparisons, errors: str) -> BradleyTerry:
    """A result with its counts and no strengths."""
    return BradleyTerry(
        strengths=tuple(Strength(system, None) for system in range(comparisons.systems)),
        differences=(),
        n=len(comparisons.preference),
        ties=int((comparisons.preference == 0.5).sum()),
        items=_how_many(comparisons.item),
        participants=_how_many(comparisons.participant),
        errors=errors,
    )


def _fit(
    comparisons: Comparisons, ties: Ties, prior: float
) -> _BradleyTerryFit | tuple[tuple[tuple[int, ...], ...], str]:
    """The maximum of the likelihood, or the groups that systems fall into and why there is none."""
    inner, numbers = _drop_absent_systems(comparisons)
    size = len(numbers)
    cells = np.bincount(outcome_cells(inner), minlength=2 * size * size).astype(np.float64)
    table = _with_prior(tallies(cells[np.newaxis], size), prior)
    model: Ties = ties if table.ties.any() else "half"  # without ties Davidson's ν is 0
    groups, obstacle = obstacle_of(table, model)
    if not obstacle:
        fit = maximise(table, model)
        if fit.is_found[0]:
            return _BradleyTerryFit(inner, numbers, cells, prior, model, fit)
        obstacle = _NO_END
    named = tuple(tuple(numbers[place] for place in group) for group in groups)
    listed = "; ".join(", ".join(map(str, group)) for group in named)
    return named, obstacle.format(groups=listed)


def _drop_absent_systems(comparisons: Comparisons) -> tuple[Comparisons, tuple[int, ...]]:
    """The comparisons with only those systems that occur in them, renumbered."""
    occurs = np.zeros(comparisons.systems, dtype=np.bool_)
    occurs[comparisons.first] = occurs[comparisons.second] = True
    anew = np.cumsum(occurs) - 1
    first, second = anew[comparisons.first], anew[comparisons.second]
    inner = replace(comparisons, first=first, second=second, systems=int(occurs.sum()))
    return inner, tuple(np.flatnonzero(occurs).tolist())


def obstacle_of(table: Tallies, ties: Ties) -> tuple[tuple[tuple[int, ...], ...], str]:
    """The groups that systems fall into, and why their strengths are undefined; empty if not."""
    met, wins, tied = table.met[0], table.wins[0], table.ties[0]
    if not met.any():
        return (), _NO_COMPARISONS
    linked = components(met > 0)
    if len(linked) > 1:
        return linked, _NOT_LINKED
    groups = components((wins > 0) | (tied > 0))
    if len(groups) > 1:
        return groups, _NO_MAXIMUM
    if ties == "davidson" and are_tied_apart(wins, tied):
        return (), _TIED_APART
    return (), ""


def _with_prior(table: Tallies, prior: float) -> Tallies:
    return replace(table, wins=table.wins + prior * (table.met > 0)) if prior else table


def _refit(cells: Numbers, fitted: _BradleyTerryFit) -> Numbers:
    """Strengths of resampled tables, those that have none left out."""
    table = _with_prior(tallies(cells, len(fitted.numbers)), fitted.prior)
    linked = np.asarray(reachable((table.wins > 0) | (table.ties > 0)).all(axis=(1, 2)))
    if fitted.ties == "davidson":
        linked &= table.ties.any(axis=(1, 2))
    fits = maximise(table[linked], fitted.ties, start=fitted.fit, steps=_STEPS)
    return fits.strengths[fits.is_found]


def _result(
    empty: BradleyTerry,
    fitted: _BradleyTerryFit,
    spread: StrengthVariances | None,
    *,
    level: float,
    drawn: Numbers | None = None,
) -> BradleyTerry:
    """The result with strengths and differences, and their errors where there is a spread."""
    log_tie = fitted.fit.log_tie
    tie = None if log_tie is None else math.exp(float(log_tie[0]))
    values = fitted.fit.strengths[0]
    found = StrengthEstimates(values, spread, fitted.numbers, level, tie=tie, drawn=drawn)
    systems = len(empty.strengths)
    absent = systems - len(values)
    notes = (
        empty.note,
        f"With {fitted.prior:g} added wins each way in each pair." if fitted.prior else "",
        f"{absent} of {systems} systems were not compared." if absent else "",
    )
    return replace(
        empty,
        strengths=strengths_of(found, systems),
        differences=differences_of(found),
        tie=tie,
        note=join_notes(*notes),
    )


def _how_many(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _few_people(participants: int, errors: Errors) -> str:
    if errors in {"model", "item"} or participants >= FEW_PARTICIPANTS:
        return ""
    return f"Only {participants} participants in all: this hardly generalises to other people."


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a system is, on the log scale where all strengths sum to 0."""

    system: int
    value: float | None
    standard_error: float | None = None
    interval: Interval | None = None
    df: float | None = None  # of Student's t; None where the normal law or percentiles were used


@dataclass(frozen=True, slots=True)
class StrengthDifference:
    """The difference in strength of two systems: the log odds that the first one wins.

    `win_probability` counts a tie as half; in Davidson's model it is that of a decided comparison,
    and `tie_probability` is the chance of a tie.
    """

    first: int
    second: int
    value: float
    win_probability: float
    standard_error: float | None = None
    interval: Interval | None = None
    win_interval: Interval | None = None
    p: float | None = None  # two-sided, against equal strength
    tie_probability: float | None = None
    df: float | None = None


@dataclass(frozen=True, slots=True)
class BradleyTerry:
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
    note: str = ""


@dataclass(frozen=True, slots=True)
class StrengthEstimates:
    """Strengths with their variances; with resampled strengths if these tell the intervals."""

    strengths: Numbers
    spread: StrengthVariances | None
    numbers: tuple[int, ...]  # of the systems that the strengths belong to
    level: float
    tie: float | None = None
    drawn: Numbers | None = None


def strengths_of(found: StrengthEstimates, systems: int) -> tuple[Strength, ...]:
    """The strength of each system; None for those that were not compared."""
    places = {number: place for place, number in enumerate(found.numbers)}
    return tuple(
        _strength(found, system, places[system]) if system in places else Strength(system, None)
        for system in range(systems)
    )


def differences_of(found: StrengthEstimates) -> tuple[StrengthDifference, ...]:
    """The difference of each pair of systems that have a strength."""
    pairs = combinations(range(len(found.numbers)), 2)
    return tuple(_difference(found, one, other) for one, other in pairs)


def _strength(found: StrengthEstimates, system: int, place: int) -> Strength:
    value = float(found.strengths[place])
    error = _error(found.spread.own[place]) if found.spread else None
    df = _finite(found.spread.own_df[place]) if found.spread else None
    drawn = None if found.drawn is None else found.drawn[:, place]
    return Strength(
        system, value, error, _interval(value, error, df, level=found.level, drawn=drawn), df
    )


def _difference(found: StrengthEstimates, one: int, other: int) -> StrengthDifference:
    value = float(found.strengths[one] - found.strengths[other])
    error = _error(found.spread.pairs[one, other]) if found.spread else None
    df = _finite(found.spread.pairs_df[one, other]) if found.spread else None
    drawn = None if found.drawn is None else found.drawn[:, one] - found.drawn[:, other]
    interval = _interval(value, error, df, level=found.level, drawn=drawn)
    return StrengthDifference(
        found.numbers[one],
        found.numbers[other],
        value,
        _logistic(value),
        error,
        interval,
        interval and Interval(_logistic(interval.low), _logistic(interval.high), found.level),
        _p(value, error, df, drawn),
        None if found.tie is None else found.tie / (2 * math.cosh(value / 2) + found.tie),
        df,
    )


def _finite(df: float) -> float | None:
    return float(df) if math.isfinite(df) else None


def _error(variance: float) -> float | None:
    return math.sqrt(variance) if variance > _NOTHING else None


def _interval(
    value: float, error: float | None, df: float | None, *, level: float, drawn: Numbers | None
) -> Interval | None:
    from scipy.special import ndtri

    if error is None:
        return None
    tail = (1 + level) / 2
    if drawn is not None:
        low, high = np.quantile(drawn, [1 - tail, tail])
        return Interval(float(low), float(high), level)
    reach = error * float(ndtri(tail)) if df is None else t_half_width(error, df, level)
    return Interval(value - reach, value + reach, level)


def _p(value: float, error: float | None, df: float | None, drawn: Numbers | None) -> float | None:
    from scipy.special import ndtr

    if error is None:
        return None
    if drawn is not None:  # the observed table is one of the resamples, so p is never 0
        beyond = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
        return min(1.0, 2 * (beyond + 1) / (len(drawn) + 1))
    if df is None:
        return min(1.0, 2 * float(ndtr(-abs(value) / error)))
    return t_test(value, error, df)


def _logistic(value: float) -> float:
    return (1 + math.tanh(value / 2)) / 2
