"""Raw judgments of several labs analysed together, with labs that differ from each other.

Scores and comparisons by mixed models in which labs have offsets and favourites of their own. What
holds for labs in general needs three labs or more: two show what they found themselves, no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from rejudge.compare.aligned import Aligned
from rejudge.compare.comparison import PooledEffect, PooledPart
from rejudge.compare.differences import Pair, better, ordered_pairs
from rejudge.compare.lab_scores import LabScores, lab_scores
from rejudge.compare.labs import Labs, labs_of
from rejudge.compare.meta import corrected, studies, within_scale
from rejudge.compare.run import RunCriterion
from rejudge.compare.shared_items import of_moves, rate_moves, shared_error
from rejudge.stats import (
    FEW_STUDIES,
    LABS_IN_GENERAL,
    Comparisons,
    Estimate,
    Interval,
    LabShare,
    SharedError,
    further_study,
    pair_rates,
    win_percent_over_labs,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEWEST = 2
_LEVEL = 0.95
_CHOICES = (
    "linear mixed model of the share of comparisons won by the first, a tie as half, REML: "
    "{groups} random{labs}; t with Satterthwaite's degrees of freedom, {limit}; p against 50 %"
)
_FIXED = ", each lab with a share of its own, of which the value is the mean"
_IN_GENERAL = "at most one fewer than labs"
_HERE = "at most as many as participants beyond labs and as items but one"
_THESE = (
    "Two labs cannot show how far labs differ: interval and p hold for these two labs, with other "
    "items and participants, not for labs in general."
)


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
    found = (_choices if rows.are_comparisons else _scores)(criterion, rows, pairs)
    yield from corrected(tuple(within_scale(each, criterion) for each in found))


def _scores(criterion: RunCriterion, rows: Labs, pairs: Sequence[Pair]) -> Iterator[PooledEffect]:
    """Each pair over the labs that judged both systems; one model for each such set of labs."""
    judged = {pair: _labs_with(rows, pair) for pair in pairs}
    for labs in dict.fromkeys(judged.values()):
        alike = [pair for pair in pairs if judged[pair] == labs]
        if len(labs) >= _FEWEST:
            here = rows.of_labs(labs)
            for pair, each in zip(alike, lab_scores(here, alike, level=_LEVEL), strict=True):
                yield _score_effect(criterion, here, pair, each)


def _labs_with(rows: Labs, pair: Pair) -> tuple[int, ...]:
    first, second = (set(rows.lab[rows.system == rows.systems.index(each)]) for each in pair)
    return tuple(sorted(int(lab) for lab in first & second))


def _score_effect(
    criterion: RunCriterion, rows: Labs, pair: Pair, found: LabScores
) -> PooledEffect:
    sign = better(criterion)
    place = rows.systems.index(pair[0]), rows.systems.index(pair[1])
    own = {run: rows.of_lab(lab).difference(*place) for lab, run in enumerate(rows.runs)}
    further = None if found.value is None else _further(own, shared_error(rows, pair))
    return PooledEffect(
        criterion=criterion.id,
        first=pair[0],
        second=pair[1],
        by="pooled-mixed-model",
        measure="mean-difference",
        value=None if found.value is None else sign * found.value,
        interval=_turned(found.interval, sign),
        prediction=_turned(further, sign),
        p=found.p,
        heterogeneity=found.between,
        runs=rows.runs,
        n=len(rows),
        method=found.method,
        parts=tuple(
            PooledPart(run, sign * each.value, _turned(each.interval, sign))
            for run, each in own.items()
            if each.value is not None
        ),
        note=_joined(found.note, _few(len(rows.runs))),
        speaks_for=_speaks_for(len(rows.runs)),
    )


def _further(own: Mapping[str, Estimate], shared: SharedError | None) -> Interval | None:
    """Where a further lab's difference may lie, from what each lab found, and how surely."""
    import numpy as np

    sure = [each for each in own.values() if each.value is not None and each.standard_error]
    common = 0.0 if shared is None else shared.variance
    errors = np.array([each.standard_error for each in sure], dtype=np.float64)
    return further_study(
        np.array([each.value for each in sure], dtype=np.float64),
        np.maximum(errors**2 - common, 0.05 * errors**2),
        shared=common,
        level=_LEVEL,
    )


def _choices(criterion: RunCriterion, rows: Labs, pairs: Sequence[Pair]) -> Iterator[PooledEffect]:
    """Wins need no turning: the better output won, whatever the scale of scores."""
    for pair in pairs:
        places = (rows.systems.index(pair[0]), rows.systems.index(pair[1]))
        own = rows.of((rows.system == min(places)) & (rows.against == max(places)))
        labs = tuple(sorted(set(own.lab.tolist())))
        if len(labs) >= _FEWEST:
            own = own.of_labs(labs)
            turned = replace(own, value=1 - own.value) if places[0] > places[1] else own
            yield _choice_effect(criterion, pair, turned)


def _choice_effect(criterion: RunCriterion, pair: Pair, rows: Labs) -> PooledEffect:
    found = win_percent_over_labs(
        rows.value, lab=rows.lab, item=rows.item, participant=rows.participant, level=_LEVEL
    )
    own = {run: _rate(rows.of_lab(lab)) for lab, run in enumerate(rows.runs)}
    further = None if found.interval is None else _further(own, of_moves(rows, rate_moves(rows)))
    return PooledEffect(
        criterion=criterion.id,
        first=pair[0],
        second=pair[1],
        by="pooled-mixed-model",
        measure="win-percent",
        value=found.value,
        interval=found.interval,
        prediction=further,
        p=found.p,
        heterogeneity=found.between,
        runs=rows.runs,
        n=len(rows),
        method=_choice_method(found),
        parts=tuple(PooledPart(run, each.value or 0.0, each.interval) for run, each in own.items()),
        note=_joined(found.note, _few(len(rows.runs))),
        speaks_for=_speaks_for(len(rows.runs)),
    )


def _choice_method(found: LabShare) -> str:
    groups = [part.group for part in found.components if part.levels is not None]
    if not groups:
        return "mean of the labs' shares of comparisons won by the first, a tie as half"
    is_general = found.labs >= LABS_IN_GENERAL
    return _CHOICES.format(
        groups=" and ".join((", ".join(groups[:-1]), groups[-1])) if groups[1:] else groups[0],
        labs="" if is_general else _FIXED,
        limit=_IN_GENERAL if is_general else _HERE,
    )


def _rate(rows: Labs) -> Estimate:
    """How often the first of two systems won in one lab, in percent."""
    comparisons = Comparisons(
        first=_zeros(rows),
        second=_zeros(rows) + 1,
        preference=rows.value,
        item=rows.item,
        participant=rows.participant,
        systems=2,
    )
    return pair_rates(comparisons, level=_LEVEL)[0].win_percent


def _zeros(rows: Labs) -> NDArray[np.int64]:
    return 0 * rows.lab


def _speaks_for(labs: int) -> Literal["labs in general", "these labs"]:
    return "labs in general" if labs >= LABS_IN_GENERAL else "these labs"


def _turned(interval: Interval | None, sign: int) -> Interval | None:
    if interval is None or sign > 0:
        return interval
    return Interval(-interval.high, -interval.low, interval.level)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _few(labs: int) -> str:
    if labs >= FEW_STUDIES:
        return ""
    if labs < LABS_IN_GENERAL:
        return _THESE
    return f"With {labs} labs the variance between them is hardly known."
