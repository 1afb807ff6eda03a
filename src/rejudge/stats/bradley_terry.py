"""Strengths of systems from comparisons of two (Bradley & Terry 1952; ties: Davidson 1970)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rejudge.stats.clusters import FEW_PARTICIPANTS, Codes, Numbers
from rejudge.stats.one_thread import one_thread
from rejudge.stats.paired_model import (
    Fits,
    Tallies,
    Ties,
    are_tied_apart,
    components,
    maximise,
    outcome_cells,
    reachable,
    tallies,
)
from rejudge.stats.paired_spread import (
    Errors,
    Spread,
    cluster_spread,
    drawn_spread,
    model_spread,
    resampled_comparisons,
    resampled_items,
)
from rejudge.stats.pairwise import Comparisons
from rejudge.stats.strengths import BradleyTerry, Found, Strength, differences_of, strengths_of

_FEW_ITEMS = 15  # below this, percentiles of resampled items are too narrow
_STEPS = 30  # for a resample, which starts from the strengths of the whole

_NO_COMPARISONS = "Undefined: there are no comparisons."
_NO_END = "Undefined: the search for the maximum did not end."
_NO_MAXIMUM = (
    "Undefined: no win leads back from one of these groups of systems to those before it, so that "
    "the strengths between them grow without end: {groups} (by number). Rank the groups, collect "
    "more comparisons, or ask for a `prior`."
)
_NOT_LINKED = (
    "Undefined: no comparison links these groups of systems: {groups} (by number). "
    "Fit each group by itself."
)
_TIED_APART = (
    "Undefined: close systems always tie and distant ones never do, so that the tie parameter "
    "grows without end. Count ties as half wins, or ask for a `prior`."
)
_CLUSTERS = {
    "two-way": "items and participants",
    "item": "items",
    "participant": "participants",
}


@dataclass(frozen=True, slots=True)
class _Fitted:
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
    other (Ford 1957); otherwise they are None with the groups named, unless `prior` adds that many
    wins each way to each pair that was compared (½ is usual). `errors` are of the sandwich kind,
    with clusters of items and participants as in `clustered` or of one of them, or those of the
    model, which takes comparisons as independent.
    """
    empty = _counted(comparisons, errors)
    fitted = _fitted(comparisons, ties, prior)
    if not isinstance(fitted, _Fitted):
        return replace(empty, groups=fitted[0], note=fitted[1])
    if errors == "model":
        spread: Spread | None = model_spread(fitted.fit)
    else:
        spread = cluster_spread(fitted.comparisons, fitted.fit, errors)
    if spread is None:
        note = (
            f"No standard errors: they need two or more {_CLUSTERS[errors]} that judged, or were "
            "judged on, the same systems."
        )
    else:
        note = _few_people(empty.participants, errors)
    return _described(replace(empty, note=note), fitted, spread, level=level)


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

    Resampling comparisons is a multinomial draw over the cells of the table, exactly; it takes
    them as independent. Resampling items keeps each item's comparisons together and speaks for
    these participants. Resamples whose likelihood has no maximum are left out and counted.
    """
    empty = _counted(comparisons, f"bootstrap by {by}")
    fitted = _fitted(comparisons, ties, prior)
    if not isinstance(fitted, _Fitted):
        return replace(empty, groups=fitted[0], note=fitted[1])
    if by == "item":
        tables = resampled_items(fitted.comparisons, replicates, rng)
    else:
        tables = resampled_comparisons(fitted.cells, replicates, rng)
    drawn = np.concatenate([_refitted(cells, fitted) for cells in tables])
    notes = [
        f"{replicates - len(drawn)} of {replicates} resamples had no finite strengths; left out."
        if len(drawn) < replicates
        else "",
        f"Only {empty.items} items: percentiles are too narrow with so few."
        if by == "item" and empty.items < _FEW_ITEMS
        else "",
    ]
    empty = replace(empty, note=_said(*notes))
    enough = len(drawn) > 1 and not (by == "item" and empty.items == 1)
    spread = drawn_spread(drawn) if enough else None
    return _described(empty, fitted, spread, level=level, drawn=drawn)


def _counted(comparisons: Comparisons, errors: str) -> BradleyTerry:
    """A result with its counts and no strengths."""
    return BradleyTerry(
        strengths=tuple(Strength(system, None) for system in range(comparisons.systems)),
        differences=(),
        n=len(comparisons.preference),
        ties=int((comparisons.preference == 0.5).sum()),  # noqa: PLR2004 - a tie
        items=_how_many(comparisons.item),
        participants=_how_many(comparisons.participant),
        errors=errors,
    )


def _fitted(
    comparisons: Comparisons, ties: Ties, prior: float
) -> _Fitted | tuple[tuple[tuple[int, ...], ...], str]:
    """The maximum of the likelihood, or the groups that systems fall into and why there is none."""
    inner, numbers = _compared(comparisons)
    size = len(numbers)
    cells = np.bincount(outcome_cells(inner), minlength=2 * size * size).astype(np.float64)
    table = _with_prior(tallies(cells[np.newaxis], size), prior)
    model: Ties = ties if table.ties.any() else "half"  # without ties Davidson's ν is 0
    groups, obstacle = _obstacle(table, model)
    if not obstacle:
        fit = maximise(table, model)
        if fit.is_found[0]:
            return _Fitted(inner, numbers, cells, prior, model, fit)
        obstacle = _NO_END
    named = tuple(tuple(numbers[place] for place in group) for group in groups)
    listed = "; ".join(", ".join(map(str, group)) for group in named)
    return named, obstacle.format(groups=listed)


def _compared(comparisons: Comparisons) -> tuple[Comparisons, tuple[int, ...]]:
    """The comparisons with only those systems that occur in them, numbered anew."""
    occurs = np.zeros(comparisons.systems, dtype=np.bool_)
    occurs[comparisons.first] = occurs[comparisons.second] = True
    anew = np.cumsum(occurs) - 1
    first, second = anew[comparisons.first], anew[comparisons.second]
    inner = replace(comparisons, first=first, second=second, systems=int(occurs.sum()))
    return inner, tuple(np.flatnonzero(occurs).tolist())


def _obstacle(table: Tallies, ties: Ties) -> tuple[tuple[tuple[int, ...], ...], str]:
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


def _refitted(cells: Numbers, fitted: _Fitted) -> Numbers:
    """Strengths of resampled tables, those that have none left out."""
    table = _with_prior(tallies(cells, len(fitted.numbers)), fitted.prior)
    linked = np.asarray(reachable((table.wins > 0) | (table.ties > 0)).all(axis=(1, 2)))
    if fitted.ties == "davidson":
        linked &= table.ties.any(axis=(1, 2))
    fits = maximise(table[linked], fitted.ties, start=fitted.fit, steps=_STEPS)
    return fits.strengths[fits.is_found]


def _described(
    empty: BradleyTerry,
    fitted: _Fitted,
    spread: Spread | None,
    *,
    level: float,
    drawn: Numbers | None = None,
) -> BradleyTerry:
    """The result with strengths and differences, and their errors where there is a spread."""
    log_tie = fitted.fit.log_tie
    tie = None if log_tie is None else math.exp(float(log_tie[0]))
    values = fitted.fit.strengths[0]
    found = Found(values, spread, fitted.numbers, level, tie=tie, drawn=drawn)
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
        note=_said(*notes),
    )


def _how_many(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _few_people(participants: int, errors: Errors) -> str:
    if errors in {"model", "item"} or participants >= FEW_PARTICIPANTS:
        return ""
    return f"Only {participants} participants in all: this can hardly speak for other people."


def _said(*notes: str) -> str:
    return " ".join(note for note in notes if note)
