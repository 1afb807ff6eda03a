"""Raw judgments of several labs analysed together, with labs that differ from each other.

Scores by a mixed model in which labs have offsets and likings of their own; comparisons by the
share of wins over all labs, with clusters of items and people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rejudge.analysis import with_crossings
from rejudge.compare.aligned import Aligned
from rejudge.compare.comparison import PooledEffect, PooledPart
from rejudge.compare.gaps import Pair, better, ordered_pairs
from rejudge.compare.labs import Labs, labs_of
from rejudge.compare.meta import studies, within_scale
from rejudge.compare.run import RunCriterion
from rejudge.stats import (
    FEW_STUDIES,
    Comparisons,
    Estimate,
    Interval,
    LevelContrast,
    MixedFit,
    level_contrasts,
    linear_mixed,
    mean_difference,
    pair_rates,
    prediction_interval,
    random_effects,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEWEST = 2
_LEVEL = 0.95
_MODEL = (
    "linear mixed model of all judgments, REML: system fixed, {groups} random; t with "
    "Satterthwaite's degrees of freedom"
)
_RATE = (
    "share of comparisons won by the first over all labs, a tie as half; clusters of items and of "
    "participants; p against 50 %; variance between labs by random effects"
)
_EVEN = 50.0


def pooled(aligned: Aligned) -> tuple[PooledEffect, ...]:
    """Each difference over all runs whose raw judgments are at hand, if these are two or more."""
    with_labels = {run.id for run in aligned.runs if run.judgments is not None}
    known = [run for run in studies(aligned) if run in with_labels]
    return tuple(
        each
        for criterion in aligned.criteria
        for each in _of_criterion(aligned, criterion, aligned.having(criterion.id, known))
    )


def _of_criterion(
    aligned: Aligned, criterion: RunCriterion, runs: Sequence[str]
) -> Iterator[PooledEffect]:
    labs = labs_of(aligned, criterion, runs) if len(runs) >= _FEWEST else None
    if labs is None:
        return
    rows = labs.by_output()
    pairs = ordered_pairs(aligned, criterion)
    yield from (_rates if rows.are_comparisons else _modelled)(criterion, rows, pairs)


def _modelled(criterion: RunCriterion, rows: Labs, pairs: Sequence[Pair]) -> Iterator[PooledEffect]:
    groups = with_crossings(
        rows.system, {"lab": rows.lab, "participant": rows.participant, "item": rows.item}
    )
    fit = linear_mixed(rows.value, {"system": rows.system}, groups, level=_LEVEL)
    places = [(rows.systems.index(first), rows.systems.index(second)) for first, second in pairs]
    found = level_contrasts(fit, "system", pairs=places, adjust="none", level=_LEVEL)
    names = tuple(groups)
    how = _MODEL.format(groups=f"{', '.join(names[:-1])} and {names[-1]}")
    for pair, place, each in zip(pairs, places, found, strict=False):
        effect = _contrast(criterion, pair, each, told=(rows, place, fit, how))
        yield within_scale(effect, criterion)


def _contrast(
    criterion: RunCriterion,
    pair: Pair,
    each: LevelContrast,
    *,
    told: tuple[Labs, tuple[int, int], MixedFit, str],
) -> PooledEffect:
    rows, place, fit, how = told
    sign = better(criterion)
    between = _variance(fit, "system × lab")
    return PooledEffect(
        criterion=criterion.id,
        first=pair[0],
        second=pair[1],
        by="pooled-mixed-model",
        measure="mean-difference",
        value=None if each.value is None else sign * each.value,
        interval=_turned(each.interval, sign),
        prediction=_turned(_prediction(each, between, len(rows.runs)), sign),
        p=each.p_alone,
        heterogeneity=between,
        runs=rows.runs,
        n=len(rows),
        method=f"{how}; variances: {_variances(fit)}",
        parts=tuple(_differences(rows, place, sign)),
        note=" ".join(part for part in (each.note, fit.note, _few(len(rows.runs))) if part),
    )


def _prediction(each: LevelContrast, between: float | None, labs: int) -> Interval | None:
    """Where the true difference of a further lab may lie: two systems each have their own pull."""
    if each.value is None or each.standard_error is None or between is None:
        return None
    return prediction_interval(
        each.value, each.standard_error, 2 * between, studies=labs, level=_LEVEL
    )


def _differences(rows: Labs, place: tuple[int, int], sign: int) -> Iterator[PooledPart]:
    """Each lab's own difference of means."""
    for lab, run in enumerate(rows.runs):
        own = rows.of(rows.lab == lab)
        found = mean_difference(
            own.value, own.system, place, item=own.item, participant=own.participant
        )
        if found.value is not None:
            yield PooledPart(run, sign * found.value, _turned(found.interval, sign))


def _rates(criterion: RunCriterion, rows: Labs, pairs: Sequence[Pair]) -> Iterator[PooledEffect]:
    """Wins need no turning: the better output won, whatever the scale of scores."""
    for pair in pairs:
        places = (rows.systems.index(pair[0]), rows.systems.index(pair[1]))
        own = rows.of((rows.system == min(places)) & (rows.against == max(places)))
        is_turned = places[0] > places[1]
        whole = _rate(own, is_turned=is_turned)
        if whole is not None:
            each = {
                run: _rate(own.of(own.lab == lab), is_turned=is_turned)
                for lab, run in enumerate(own.runs)
            }
            yield within_scale(_pooled_rate(criterion, pair, whole, each), criterion)


def _rate(rows: Labs, *, is_turned: bool) -> Estimate | None:
    """How often the first of the two systems in question won, in percent."""
    first, second = _zeros(rows), _zeros(rows) + 1
    found = pair_rates(
        Comparisons(
            first=second if is_turned else first,
            second=first if is_turned else second,
            preference=rows.value,
            item=rows.item,
            participant=rows.participant,
            systems=2,
        ),
        level=_LEVEL,
    )
    return found[0].win_percent if found else None


def _zeros(rows: Labs) -> NDArray[np.int64]:
    return 0 * rows.lab


def _pooled_rate(
    criterion: RunCriterion, pair: Pair, whole: Estimate, each: dict[str, Estimate | None]
) -> PooledEffect:
    import numpy as np

    known = {run: rate for run, rate in each.items() if rate is not None and rate.value is not None}
    sure = [rate for rate in known.values() if rate.standard_error]
    apart = random_effects(
        np.array([rate.value for rate in sure]), np.array([rate.standard_error for rate in sure])
    )
    return PooledEffect(
        criterion=criterion.id,
        first=pair[0],
        second=pair[1],
        by="pooled-cluster-robust",
        measure="win-percent",
        value=whole.value,
        interval=whole.interval,
        prediction=apart.prediction,
        p=whole.p,
        heterogeneity=apart.tau_squared,
        runs=tuple(known),
        n=whole.n,
        method=_RATE,
        parts=tuple(PooledPart(run, r.value or 0.0, r.interval) for run, r in known.items()),
        note=" ".join(part for part in (whole.note, _few(len(known))) if part),
    )


def _variance(fit: MixedFit, group: str) -> float | None:
    return next((part.variance for part in fit.components if part.group == group), None)


def _variances(fit: MixedFit) -> str:
    return ", ".join(
        f"{part.group} {part.variance:.3g}" for part in fit.components if part.variance is not None
    )


def _turned(interval: Interval | None, sign: int) -> Interval | None:
    if interval is None or sign > 0:
        return interval
    return Interval(-interval.high, -interval.low, interval.level)


def _few(labs: int) -> str:
    if labs >= FEW_STUDIES:
        return ""
    return f"With {labs} labs the variance between them is hardly known."
