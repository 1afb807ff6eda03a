"""Plackett–Luce worths of systems from rankings (Luce 1959; Plackett 1975)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, get_args

import numpy as np

from rejudge.errors import require_known
from rejudge.stats.arrays import Codes, Numbers, one_thread, refuse_missing
from rejudge.stats.clusters import CellSystems, Clusters
from rejudge.stats.estimate import Estimate, Interval, t_interval
from rejudge.stats.preference.bradley_terry import (
    Obstacle,
    Strength,
    StrengthDifference,
    StrengthEstimates,
    differences_of,
    few_people_of,
    strengths_of,
)
from rejudge.stats.preference.choice_model import JudgedSets
from rejudge.stats.preference.paired_model import Errors, StrengthVariances, components
from rejudge.stats.preference.ranked_sets import (
    MOST_SYSTEMS,
    MOST_TIED,
    ChosenFrom,
    Rankings,
    count_choices,
    in_sets,
    residuals,
)
from rejudge.stats.reasons import Reason, Why, WithReasons

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_CLOSE = 1e-10  # a Newton step below this ends the search
_LONGEST_STEP = 1.0  # on the log scale
_STEPS = 500

_NO_RANKINGS = Why.NEEDS(least="one", what="ranking of two systems or more")
_TOO_MANY = Why.TOO_LARGE(what="a ranking", size="more systems", most=MOST_SYSTEMS, advice="")
_TIED = Why.TOO_LARGE(what="a ranking", size="more tied systems", most=MOST_TIED, advice="")
_NO_END = Why.NOT_CONVERGED(what="maximum")
_NEEDED = "{} that ranked, or were ranked on, the same systems"
_KINDS = {"two-way": "items and participants", "item": "items", "participant": "participants"}


@dataclass(frozen=True, slots=True)
class FirstChance(Estimate):
    """The chance that a system is ranked first among all: its worth."""

    system: int = 0


@dataclass(frozen=True, slots=True)
class PlackettLuce(WithReasons):
    """Worths of all systems on the log scale, their differences, and chances of the first place.

    Where the likelihood has no maximum the strengths are None, `differences` is empty and `groups`
    lists systems that can be compared with each other, the better groups first.
    """

    strengths: tuple[Strength, ...]  # log worths that sum to 0
    differences: tuple[StrengthDifference, ...]
    first: tuple[FirstChance, ...]
    n: int  # rankings
    ties: int  # rankings with a tie
    items: int
    participants: int
    errors: str
    groups: tuple[tuple[int, ...], ...] = ()
    reasons: tuple[Reason, ...] = ()


@one_thread()
def plackett_luce(
    sets: JudgedSets, *, errors: Errors = "two-way", level: float = 0.95
) -> PlackettLuce:
    """Maximum-likelihood worths of systems from full or partial rankings, with ties.

    A ranking is a row of choices: the first of all systems in it, the second of the rest, and so
    on; each is chosen with a chance in proportion to its worth. `sets.score` orders the systems of
    a judgment, the highest first; systems that were not shown have no row, and those that were
    shown but not ranked have −∞: they lie below the others. Where systems tie, the log-likelihood
    is the mean over all orders of them, as if each tie were broken both ways with half the weight;
    two systems give the Bradley–Terry model with a tie as half a win.

    The worths exist if and only if being above leads from every system to every other (Hunter
    2004). `errors` are of the sandwich kind, with clusters of items and participants as in
    `clustered`, a ranking counting for each of its systems against their mean; or `model`, which
    treats rankings as independent and the model as true.
    """
    require_known(errors, get_args(Errors), option="errors")
    refuse_missing(np.where(np.isneginf(sets.score), 0.0, sets.score))
    rankings = Rankings.of(sets)
    empty = _empty_result(sets, rankings, errors)
    reason = _unusable_reason(rankings)
    if reason:
        return replace(empty, reasons=(reason,))
    occurs = np.unique(rankings.system)
    inner = replace(rankings, system=np.searchsorted(occurs, rankings.system), systems=len(occurs))
    counts = count_choices(inner)
    numbers = tuple(occurs.tolist())
    obstacle = _obstacle(counts)
    if obstacle:
        named = obstacle.renumbered(numbers)
        return replace(empty, groups=named.groups, reasons=(named.reason,))
    fit = _maximise(counts)
    if fit is None:
        return replace(empty, reasons=(_NO_END,))
    return _result(
        empty, _PlackettLuceFit(inner, _ranking_groups(sets), fit, numbers), errors, level
    )


@dataclass(frozen=True, slots=True)
class _Maximum:
    strengths: Numbers
    inverse: Numbers  # of the curvature, where strengths sum to 0


@dataclass(frozen=True, slots=True)
class _RankingGroups:
    """The item and the participant of each ranking."""

    item: Codes
    participant: Codes


@dataclass(frozen=True, slots=True)
class _PlackettLuceFit:
    rankings: Rankings
    owners: _RankingGroups
    fit: _Maximum
    numbers: tuple[int, ...]  # of the systems that occur, in the whole


def _ranking_groups(sets: JudgedSets) -> _RankingGroups:
    shown = np.bincount(sets.judgment)[sets.judgment] > 1
    first = np.flatnonzero(shown)[np.unique(sets.judgment[shown], return_index=True)[1]]
    return _RankingGroups(*(_number_codes(codes[first]) for codes in (sets.item, sets.participant)))


def _number_codes(codes: Codes) -> Codes:
    return np.asarray(np.unique(codes, return_inverse=True)[1])


def _empty_result(sets: JudgedSets, rankings: Rankings, errors: str) -> PlackettLuce:
    systems = range(sets.systems)
    owners = (
        _ranking_groups(sets) if rankings.n else _RankingGroups(np.zeros(0, int), np.zeros(0, int))
    )
    return PlackettLuce(
        strengths=tuple(Strength(None, system=system) for system in systems),
        differences=(),
        first=tuple(FirstChance(None, system=system) for system in systems),
        n=rankings.n,
        ties=rankings.ties,
        items=len(np.unique(owners.item)),
        participants=len(np.unique(owners.participant)),
        errors=errors,
    )


def _unusable_reason(rankings: Rankings) -> Reason | None:
    if not rankings.n or not rankings.is_chosen.any():
        return _NO_RANKINGS
    if len(np.unique(rankings.system)) > MOST_SYSTEMS:
        return _TOO_MANY
    return _TIED if max(rankings.sizes()) > MOST_TIED else None


def _obstacle(counts: ChosenFrom) -> Obstacle | None:
    linked = components(counts.met)
    if len(linked) > 1:
        return Obstacle(linked, Why.NOT_LINKED(what="ranking", groups="", advice=""))
    groups = components(counts.above)
    if len(groups) == 1:
        return None
    reason = Why.SEPARATED(
        never="were never ranked below others",
        groups="",
        advice="Report the order of the groups, or collect more rankings.",
    )
    return Obstacle(groups, reason)


def _maximise(counts: ChosenFrom) -> _Maximum | None:
    """Newton's method; the likelihood is concave in the log worths, so a maximum is the one."""
    from scipy.sparse import csr_array

    systems = len(counts.chosen)
    inside = csr_array(in_sets(counts.sets, systems).astype(np.float64))
    place = np.zeros(systems)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(inside, counts, place)
        # Equal shifts of all log worths change nothing; a constant makes the step defined.
        ridge = np.trace(curvature) / systems**2
        step = np.linalg.solve(curvature + ridge, slope)
        longest = float(np.abs(step).max())
        place = place + step / max(1.0, longest / _LONGEST_STEP)
        place -= place.mean()
        if longest < _CLOSE:
            return _Maximum(place, np.asarray(np.linalg.pinv(curvature, hermitian=True)))
    return None


def _derivatives(inside: csr_array, counts: ChosenFrom, place: Numbers) -> tuple[Numbers, Numbers]:
    """The slope of the log-likelihood, and minus its second derivatives."""
    worth = np.exp(place - place.max())
    total = inside @ worth
    chance = inside.multiply(worth).multiply((1 / total)[:, np.newaxis]).tocsr()
    expected = np.asarray(chance.T @ counts.often)
    weighted = chance.multiply(counts.often[:, np.newaxis]).tocsr()
    curvature = np.diag(expected) - (chance.T @ weighted).toarray()
    return counts.chosen - expected, np.asarray(curvature)


def _result(
    empty: PlackettLuce, fitted: _PlackettLuceFit, errors: Errors, level: float
) -> PlackettLuce:
    values = fitted.fit.strengths
    worth = np.exp(values - values.max())
    worth /= worth.sum()
    spread, firsts = _spreads(fitted, worth, errors)
    found = StrengthEstimates(values, spread, fitted.numbers, level)
    systems = len(empty.strengths)
    absent = systems - len(values)
    reasons = [*few_people_of(empty.participants, errors)]
    if spread is None:
        reasons = [Why.NEEDS("errors", least="two", what=_NEEDED.format(_KINDS[errors]))]
    if absent:
        reasons.append(Why.ABSENT(n=absent, total=systems, what="ranked"))
    first = {
        number: _first_chance(number, float(value), known, level)
        for number, value, known in zip(fitted.numbers, worth, firsts, strict=True)
    }
    return replace(
        empty,
        strengths=strengths_of(found, systems),
        differences=differences_of(found),
        first=tuple(
            first.get(system, FirstChance(None, system=system)) for system in range(systems)
        ),
        reasons=tuple(reasons),
    )


@dataclass(frozen=True, slots=True)
class _ContrastVariance:
    variance: float
    df: float


def _spreads(
    fitted: _PlackettLuceFit, worth: Numbers, errors: Errors
) -> tuple[StrengthVariances | None, list[_ContrastVariance | None]]:
    """The spread of strengths and differences, and that of the log odds of the first place."""
    size = len(worth)
    unit = np.eye(size)
    pairs = list(combinations(range(size), 2))
    odds = [(unit[each] - worth) / (1 - worth[each]) for each in range(size)]
    contrasts = [*(unit - 1 / size), *(unit[a] - unit[b] for a, b in pairs), *odds]
    known = _contrast_variances(fitted, np.array(contrasts), errors)
    if known is None:
        return None, [None] * size
    own, between, first = known[:size], known[size:-size], known[-size:]
    tables = [np.zeros((size, size)) for _ in range(2)]
    for (a, b), each in zip(pairs, between, strict=True):
        for table, value in zip(tables, (each.variance, each.df), strict=True):
            table[a, b] = table[b, a] = value
    variance, df = (np.array([getattr(each, name) for each in own]) for name in ("variance", "df"))
    return StrengthVariances(variance, tables[0], df, tables[1]), list(first)


def _contrast_variances(
    fitted: _PlackettLuceFit, contrasts: Numbers, errors: Errors
) -> list[_ContrastVariance] | None:
    """The variance of each contrast of log worths with its degrees of freedom."""
    moves = contrasts @ fitted.fit.inverse  # how the slope of each system moves the contrast
    if errors == "model":
        variances = np.einsum("cs,cs->c", moves, contrasts)
        return [_ContrastVariance(float(each), np.inf) for each in variances]
    rankings, owners = fitted.rankings, fitted.owners
    kinds = {"item": (owners.item,), "participant": (owners.participant,)}
    if min(int(each.max()) for each in kinds.get(errors, (owners.item, owners.participant))) < 1:
        return None
    rows = rankings.ranking
    clusters = Clusters.of(owners.item[rows], owners.participant[rows])
    sides = CellSystems.of(clusters, rankings.system)
    off = residuals(rankings, np.exp(fitted.fit.strengths))
    shown = np.bincount(rows)
    found = []
    for move in moves:
        own = move[rankings.system]
        weight = own - (np.bincount(rows, own) / shown)[rows]
        sums = sides.sums(own * off, weight)
        if errors == "two-way":
            found.append(_ContrastVariance(sums.variance, sums.df))
            is_known = sums.is_known
        else:
            part = sums.by_item if errors == "item" else sums.by_participant
            found.append(_ContrastVariance(part.variance, max(1.0, part.df)))
            is_known = np.isfinite(part.factor)
        if not is_known:
            return None
    return found


def _first_chance(
    system: int, value: float, known: _ContrastVariance | None, level: float
) -> FirstChance:
    """The interval is made on the scale of log odds."""
    from scipy.special import expit, logit

    if known is None or known.variance <= 0 or not 0 < value < 1:
        return FirstChance(value, system=system)
    between = t_interval(float(logit(value)), float(np.sqrt(known.variance)), known.df, level)
    interval = Interval(float(expit(between.low)), float(expit(between.high)), level)
    return FirstChance(value, interval=interval, system=system)
