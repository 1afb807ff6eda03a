"""Differences between systems summarised over runs by random effects.

Runs that judge the same items share an error: an item that suits one system does so in every lab.
Neither the number of labs nor their agreement shows it; only the judgments of the items do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.compare.alignment import Alignment, study_of
from rejudge.compare.differences import (
    COMPARED,
    SCORES,
    SUMMARIES,
    Pair,
    better,
    differences,
    half_of,
    ordered_pairs,
    summaries_of,
    summary_of,
    without_shared_items,
)
from rejudge.compare.labs import Labs, judged_by, labs_of
from rejudge.compare.run import RunCriterion
from rejudge.findings.model import Finding
from rejudge.findings.words import How
from rejudge.stats import (
    Estimate,
    Interval,
    SharedError,
    Test,
    adjust_p,
    normal_interval,
    pooled_sd,
    random_effects,
)
from rejudge.stats import standardised_difference as standardised
from rejudge.stats.reasons import Reason, Why

if TYPE_CHECKING:
    Numbers = NDArray[np.float64]


_FEWEST = 2
_LEVEL = 0.95


def pooled_effects(aligned: Alignment) -> Iterator[Finding]:
    """A random-effects summary of each difference whose error is known in two or more studies.

    Scores as Hedges' g, comparisons as the difference of two systems' scores on the original's
    scale. A study that analyses its judgments in several ways counts once, by the first of them.
    P values are corrected for the number of pairs of one criterion, after Holm. Each summary is
    followed by what the runs contribute to it.
    """
    for criterion in aligned.criteria:
        found = list(_summaries(aligned, criterion))
        values = adjust_p([each.p for each, _ in found], "holm")
        for (each, parts), p in zip(found, values, strict=True):
            yield replace(each, p_adjusted=p)
            yield from parts


def _summaries(
    aligned: Alignment, criterion: RunCriterion
) -> Iterator[tuple[Finding, list[Finding]]]:
    pairs = ordered_pairs(aligned, criterion)
    runs = _first_runs(aligned)
    raw = judged_by(aligned, criterion, runs)
    apart = {run: differences(aligned, criterion, run, pairs) for run in runs}
    for pair in pairs:
        known = {run: apart[run].get(pair) for run in runs}
        found = {run: _effect(aligned, criterion, run, (pair, known[run])) for run in runs}
        sure = {run: effect for run, effect in found.items() if effect is not None}
        unsure = [
            run
            for run in aligned.having(criterion.id, runs)
            if run not in sure and set(pair) <= set(aligned.shared(criterion.id, [run]))
        ]
        if len(sure) >= _FEWEST:
            seen = [run for run in raw if run in sure]
            shared = _shared_items(aligned, criterion, pair, seen, of=len(sure))
            notes = _caveats({run: known[run] for run in sure}, unsure)
            unseen = [run for run in sure if run not in seen]
            if unseen:
                notes = (*notes, Why.UNKNOWN_ITEMS(runs=", ".join(unseen)))
            yield _summary(aligned, criterion, pair, (sure, shared, notes))


def _first_runs(aligned: Alignment) -> tuple[str, ...]:
    """One run of each study, the first."""
    first = {study_of(run): run.id for run in reversed(aligned.runs)}
    return tuple(run.id for run in aligned.runs if run.id in first.values())


def _shared_items(
    aligned: Alignment, criterion: RunCriterion, pair: Pair, runs: Sequence[str], *, of: int
) -> SharedError | None:
    """What the studies' differences share by their items, as far as their judgments show it.

    It is the mean over all pairs of studies; those whose judgments are not there count 0.
    """
    labs = labs_of(aligned, criterion, runs) if len(runs) >= _FEWEST else None
    if labs is None:
        return None
    if criterion.kind in COMPARED:
        unit = dict.fromkeys(runs, 100 / (half_of(criterion) or 100.0))
    else:
        sizes = {r: [summary_of(aligned, criterion, r, system) for system in pair] for r in runs}
        unit = {r: pooled_sd(*(s for s in both if s is not None)) for r, both in sizes.items()}
    found = _shared_error(labs.by_output(), pair, unit)
    if found is None:
        return None
    share = len(runs) * (len(runs) - 1) / (of * (of - 1))
    return replace(found, variance=share * found.variance)


def _caveats(found: Mapping[str, Finding | None], unsure: Sequence[str]) -> tuple[Reason, ...]:
    """Whose error does not allow for what judgments share, and which runs have none at all."""
    bare = [
        run
        for run, difference in found.items()
        if difference is None or difference.key.method == SUMMARIES
    ]
    scores = [
        run
        for run, difference in found.items()
        if difference is not None and difference.key.method == SCORES
    ]
    return tuple(
        why(", ".join(runs))
        for why, runs in (
            (_independent, bare),
            (lambda names: Why.FROM_SCORES(of=f" for {names}"), scores),
            (lambda names: Why.UNKNOWN_ERROR(runs=names), unsure),
        )
        if runs
    )


def _independent(runs: str) -> Reason:
    return Why.AS_INDEPENDENT(of=f" of {runs}", effect="their weight is probably too large")


def _effect(
    aligned: Alignment,
    criterion: RunCriterion,
    run: str,
    told: tuple[Pair, Finding | None],
) -> Estimate | None:
    """What one run found, with its standard error."""
    pair, found = told
    if criterion.kind in COMPARED:
        if found is None:
            return None
        return Estimate(found.value, found.n or 0, standard_error=found.standard_error)
    if pair in without_shared_items(aligned, criterion, run, [pair]):
        return None
    first, second = summaries_of(aligned, criterion, run, pair=pair, difference=found)
    if first is None or second is None:
        return None
    is_known = found is not None and found.key.method != SUMMARIES
    error = found.standard_error if found is not None and is_known else None
    g = standardised(first, second, error=error)
    return None if g.value is None else replace(g, value=better(criterion) * g.value)


def _summary(
    aligned: Alignment,
    criterion: RunCriterion,
    pair: Pair,
    told: tuple[Mapping[str, Estimate], SharedError | None, tuple[Reason, ...]],
) -> tuple[Finding, list[Finding]]:
    """The summary over runs, and the effect and the weight of each of them."""
    found, shared, reasons = told
    whole = random_effects(
        np.array([each.value or 0.0 for each in found.values()]),
        np.array([each.standard_error or 0.0 for each in found.values()]),
        shared=shared,
        prediction="integrated",
        level=_LEVEL,
    )
    spread = whole.heterogeneity or Test(None)
    is_compared = criterion.kind in COMPARED
    is_determined = len(found) > _FEWEST
    name = "score-difference" if is_compared else "g"
    effect = Finding(
        key=aligned.key(criterion, "pooled-effect", name, found, pair),
        by="random-effects",
        value=whole.value,
        n=len(found),
        n_of="runs",
        how=(
            How.RANDOM_EFFECTS(
                what="differences of scores" if is_compared else "Hedges’ g",
                method=whole.method,
                share=whole.i_squared or 0.0,
                q=spread.statistic or 0.0,
                p=spread.p or 0.0,
                shared=_shared_in(shared),
            ),
        ),
        interval=whole.interval if is_determined else None,
        standard_error=whole.standard_error,
        df=whole.df,
        p=whole.p if is_determined else None,
        extra={
            "a further lab": whole.other,
            "variance between labs": whole.between.value if whole.between else None,
        },
        reasons=(*(whole.reasons if is_determined else (Why.TWO_STUDIES(),)), *reasons),
    )
    parts = []
    for (run, each), weight in zip(found.items(), whole.weights, strict=True):
        value, error = each.value or 0.0, each.standard_error or 0.0
        parts.append(
            Finding(
                key=aligned.key(criterion, "pooled-effect", f"{name}-of-one-run", [run], pair),
                by="random-effects",
                value=value,
                n=each.n or None,
                n_of="judgments",
                how=(),
                interval=normal_interval(value, error, level=_LEVEL),
                standard_error=error,
                extra={"weight": weight},
            )
        )
    return _limit_to_scale(effect, criterion), parts


def _shared_in(shared: SharedError | None) -> str:
    if shared is None:
        return ""
    return f"; shared items: variance {shared.variance:.3g} of the difference, {shared.df:.0f} df"


def _limit_to_scale(effect: Finding, criterion: RunCriterion) -> Finding:
    """The same within what is possible: the interval for a further lab is cut at the ends.

    Leaving it out where it is wide would keep the narrow ones, which then miss too often. An
    interval of the mean that reaches beyond every possible value is left out, with the reason.
    """
    if criterion.kind not in COMPARED or criterion.low is None or criterion.high is None:
        return effect
    most = criterion.high - criterion.low
    further, own = effect.extra["a further lab"], effect.interval
    if isinstance(further, Interval):
        inside = Interval(max(further.low, -most), min(further.high, most), further.level)
        effect = replace(effect, extra={**effect.extra, "a further lab": inside})
    if own is None or (own.low >= -most and own.high <= most):
        return effect
    reason = Why.BEYOND_SCALE(low=own.low, high=own.high, least=-most, most=most)
    return replace(effect, interval=None, reasons=(*effect.reasons, reason))


def _shared_error(rows: Labs, pair: Pair, per_unit: Mapping[str, float]) -> SharedError | None:
    """The error that the labs' differences of two systems share; None: they share no items.

    The mean covariance of two labs, Σᵢ aᵢ bᵢ · I/(I − 1) over the I items that both judged, where
    aᵢ is how far item i moves the first lab's difference and bᵢ the second's. Not below 0.
    `per_unit` divides each lab's difference, as by its SD.
    """
    places = [rows.systems.index(name) for name in pair]
    own = rows.of(np.isin(rows.system, places) | np.isin(rows.against, places))
    influence = _score_influence if own.are_comparisons else _mean_influence
    items = int(own.item.max(initial=-1)) + 1
    place = own.lab * items + own.item
    moves = influence(own, *places)
    table = np.bincount(place, moves, len(own.runs) * items).reshape(len(own.runs), items)
    judged = np.bincount(place, minlength=table.size).reshape(table.shape) > 0
    scaled = [table[k] / per_unit[r] for k, r in enumerate(own.runs)]
    found = [
        _covariance(scaled[one], scaled[two], judged[one] & judged[two])
        for one, two in combinations(range(len(own.runs)), 2)
    ]
    shared = int((judged.sum(axis=0) >= _FEWEST).sum())
    if shared < _FEWEST or not found:
        return None
    return SharedError(max(0.0, float(np.mean(found))), shared - 1.0)


def _covariance(one: Numbers, two: Numbers, both: NDArray[np.bool_]) -> float:
    items = int(both.sum())
    return 0.0 if items < _FEWEST else float(one[both] @ two[both]) * items / (items - 1)


def _mean_influence(rows: Labs, first: int, second: int) -> Numbers:
    """How far each score moves its lab's difference of means."""
    one, two = (_deviations(rows, rows.value, rows.system == place) for place in (first, second))
    return one - two


def _score_influence(rows: Labs, first: int, second: int) -> Numbers:
    """How far each comparison moves its lab's difference of two scores, from −100 to 100."""
    outcome = 200 * rows.value - 100
    moves = np.zeros(len(rows))
    for system, sign in ((first, 1), (second, -1)):
        is_here = (rows.system == system) | (rows.against == system)
        own = np.where(rows.system == system, outcome, -outcome)
        moves += sign * _deviations(rows, own, is_here)
    return moves


def _deviations(rows: Labs, value: Numbers, chosen: NDArray[np.bool_]) -> Numbers:
    """(value − mean) / n within each lab, over the chosen rows; 0 elsewhere."""
    labs = len(rows.runs)
    n = np.bincount(rows.lab, chosen, labs)
    total = np.bincount(rows.lab, np.where(chosen, value, 0.0), labs)
    each = np.maximum(n, 1)
    return np.where(chosen, (value - (total / each)[rows.lab]) / each[rows.lab], 0.0)
