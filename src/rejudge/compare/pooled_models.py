"""Raw judgments of several labs analysed together, with labs that differ from each other.

Scores and comparisons by mixed models in which labs have offsets and favourites of their own.
Conclusions about labs in general need three labs or more: two describe only themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rejudge.analysis.formula import with_crossings
from rejudge.compare.alignment import Alignment
from rejudge.compare.comparison import PooledEffect, PooledPart
from rejudge.compare.differences import Pair, better, ordered_pairs
from rejudge.compare.labs import Labs, labs_of
from rejudge.compare.meta_analysis import (
    error_of_influence,
    first_runs,
    limit_to_scale,
    rate_influence,
    shared_error,
    with_holm_correction,
)
from rejudge.compare.run import RunCriterion
from rejudge.english import join_notes, join_words
from rejudge.stats import (
    FEW_STUDIES,
    LABS_IN_GENERAL,
    NONE_SHARED,
    Comparisons,
    Estimate,
    Interval,
    LabShare,
    LevelContrast,
    MixedFit,
    SharedError,
    coverage_table,
    coverage_terms,
    level_contrasts,
    linear_mixed,
    pair_rates,
    random_effects,
    win_percent_over_labs,
)

if TYPE_CHECKING:
    Column = NDArray[np.integer] | NDArray[np.float64]


_FEWEST = 2
_LEVEL = 0.95
_CHOICES = (
    "linear mixed model of the share of comparisons won by the first, counting a tie as half, "
    "REML: {groups} random{labs}; t with Satterthwaite's degrees of freedom, {limit}; p against "
    "50 %"
)
_FIXED = ", each lab with a share of its own, of which the value is the mean"
_IN_GENERAL = "at most one fewer than labs"
_HERE = "at most as many as participants beyond labs and as items but one"
_THESE = (
    "Two labs cannot show how much labs differ: interval and p apply to these two labs, with other "
    "items and participants, not to labs in general."
)
_METHOD = (
    "linear mixed model of all judgments, REML: {fixed} fixed, {groups} random{terms}; t with "
    "Satterthwaite's degrees of freedom, at most {limit}; variances: {variances}"
)
_TERMS = "; systems compared within items and participants by their shares in each (Mundlak 1978)"


def pooled_effects(aligned: Alignment) -> tuple[PooledEffect, ...]:
    """Each difference over all runs with raw judgments, if there are two or more."""
    with_labels = {run.id for run in aligned.runs if run.judgments is not None}
    known = [run for run in first_runs(aligned) if run in with_labels]
    return tuple(
        each
        for criterion in aligned.criteria
        for each in _of_criterion(aligned, criterion, aligned.having(criterion.id, known))
    )


def _of_criterion(
    aligned: Alignment, criterion: RunCriterion, runs: Sequence[str]
) -> Iterator[PooledEffect]:
    labs = labs_of(aligned, criterion, runs) if len(runs) >= _FEWEST else None
    if labs is None:
        return
    rows = labs.by_output()
    pairs = ordered_pairs(aligned, criterion)
    found = (_choices if rows.are_comparisons else _scores)(criterion, rows, pairs)
    yield from with_holm_correction(tuple(limit_to_scale(each, criterion) for each in found))


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
    further = (
        None if found.value is None else _further(own, shared_error(rows, pair), found.interval)
    )
    return PooledEffect(
        criterion=criterion.id,
        first=pair[0],
        second=pair[1],
        by="pooled-mixed-model",
        measure="mean-difference",
        value=None if found.value is None else sign * found.value,
        interval=_orient(found.interval, sign),
        prediction=_orient(further, sign),
        p=found.p,
        heterogeneity=found.between,
        runs=rows.runs,
        n=len(rows),
        method=found.method,
        parts=tuple(
            PooledPart(run, sign * each.value, _orient(each.interval, sign))
            for run, each in own.items()
            if each.value is not None
        ),
        note=join_notes(found.note, _few(len(rows.runs))),
        speaks_for=_speaks_for(len(rows.runs)),
    )


def _further(
    own: Mapping[str, Estimate], shared: SharedError | None, interval: Interval | None
) -> Interval | None:
    """Where a further lab's difference may lie, from what each lab found, and how surely.

    `interval` is that of the mean over labs, which the prediction is never narrower than.
    """
    sure = [each for each in own.values() if each.value is not None and each.standard_error]
    found = random_effects(
        np.array([each.value for each in sure], dtype=np.float64),
        np.array([each.standard_error for each in sure], dtype=np.float64),
        shared=shared,
        prediction="integrated",
        level=_LEVEL,
    )
    return None if found.prediction is None else found.prediction.hull(interval)


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
    further = (
        None
        if found.interval is None
        else _further(own, error_of_influence(rows, rate_influence(rows)), found.interval)
    )
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
        note=join_notes(found.note, _few(len(rows.runs))),
        speaks_for=_speaks_for(len(rows.runs)),
    )


def _choice_method(found: LabShare) -> str:
    groups = [part.group for part in found.components if part.levels is not None]
    if not groups:
        return "mean of the labs' shares of comparisons won by the first, counting a tie as half"
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


def _orient(interval: Interval | None, sign: int) -> Interval | None:
    if interval is None or sign > 0:
        return interval
    return Interval(-interval.high, -interval.low, interval.level)


def _few(labs: int) -> str:
    if labs >= FEW_STUDIES:
        return ""
    if labs < LABS_IN_GENERAL:
        return _THESE
    return f"With {labs} labs the variance between them is poorly estimated."


@dataclass(frozen=True, slots=True)
class LabScores:
    """One difference of two systems over several labs."""

    value: float | None
    interval: Interval | None
    p: float | None
    between: float | None  # variance of system × lab; None for two labs
    method: str
    note: str = ""


def lab_scores(rows: Labs, pairs: Sequence[Pair], *, level: float) -> tuple[LabScores, ...]:
    """Pairs of systems that every one of these labs judged, over the labs.

    Three labs or more are drawn from many: lab and system × lab are random, with at most one degree
    of freedom fewer than labs. Two labs are these labs: each has differences of its own, and the
    value is their mean, with at most as many degrees of freedom as participants beyond labs.
    Systems that were judged on other items, or by other people, are compared within items and
    participants (`coverage_terms`), unless every lab dealt its items to systems at random.
    """
    fixed, terms = _fixed_effects(rows), _terms(rows)
    drawn: dict[str, NDArray[np.integer]] = {"participant": rows.participant, "item": rows.item}
    if _is_general(rows):
        drawn = {"lab": rows.lab} | drawn
    groups = with_crossings(rows.system, drawn)
    fit = linear_mixed(rows.value, fixed | terms, groups, level=level)
    places = [(rows.systems.index(first), rows.systems.index(second)) for first, second in pairs]
    most, limit = _limit(rows)
    found = level_contrasts(fit, "system", pairs=places, adjust="none", level=level, df_limit=most)
    if not found:
        return tuple(LabScores(None, None, None, None, "", fit.note) for _ in pairs)
    names = ("system", "lab", "system × lab")[: 1 if _is_general(rows) else 3]
    how = _METHOD.format(
        fixed=join_words(names),
        groups=join_words(tuple(groups)),
        terms=_TERMS if terms else "",
        limit=limit,
        variances=_variances(fit),
    )
    return tuple(_lab_scores(rows, fit, each, how) for each in found)


def _is_general(rows: Labs) -> bool:
    return len(rows.runs) >= LABS_IN_GENERAL


def _fixed_effects(rows: Labs) -> dict[str, Column]:
    """Systems; and of two labs, which is which, with a difference of its own for each system.

    Labs are −1 and 1 there, so that the effect of a system is that of the mean of the two labs.
    """
    fixed: dict[str, Column] = {"system": rows.system}
    if _is_general(rows):
        return fixed
    sign = np.where(rows.lab == 0, -1.0, 1.0)
    crossed = {
        f"{rows.systems[code]} × lab": sign * (rows.system == code)
        for code in np.unique(rows.system)[1:].tolist()
    }
    return {**fixed, "lab": sign, **crossed}


def _terms(rows: Labs) -> dict[str, Column]:
    if all(rows.dealt_at_random):
        return {}
    found = coverage_terms(rows.system, rows.item, rows.participant, systems=len(rows.systems))
    return {each.name: each.column for each in found}


def _limit(rows: Labs) -> tuple[int, str]:
    labs = len(rows.runs)
    if _is_general(rows):
        return labs - 1, f"{labs - 1} (one fewer than labs)"
    most = max(1, len(np.unique(rows.participant)) - labs)
    return most, f"{most} (participants beyond labs)"


def _lab_scores(rows: Labs, fit: MixedFit, each: LevelContrast, how: str) -> LabScores:
    if not _are_linked(rows, each):
        return LabScores(None, None, None, None, how, NONE_SHARED)
    between = fit.variance("system × lab") if _has(fit, "system × lab") else None
    note = " ".join(part for part in (each.note, fit.note) if part)
    return LabScores(each.value, each.interval, each.p_alone, between, how, note)


def _are_linked(rows: Labs, each: LevelContrast) -> bool:
    """Whether shared items lead from one system to the other, or need not."""
    if all(rows.dealt_at_random):
        return True
    known = coverage_table(rows.system, rows.item, rows.participant, systems=len(rows.systems))
    return known.pair(each.first, each.second).is_within_items


def _has(fit: MixedFit, group: str) -> bool:
    return any(part.group == group for part in fit.components)


def _variances(fit: MixedFit) -> str:
    return ", ".join(
        f"{part.group} {part.variance:.3g}" for part in fit.components if part.variance is not None
    )
