"""Types I and II: how far the scores of runs spread (CV*), and how alike they order the systems.

CV* of each system, of each criterion as the mean over systems, and of the study as the mean over
criteria. Correlations r, rho, tau and W of each criterion, as the mean over criteria, and of all
scores together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from rejudge.compare.alignment import Alignment, groups_of
from rejudge.compare.comparison import FEW, OF_CRITERIA, OF_PAIRS, TOGETHER
from rejudge.compare.run import RunCriterion
from rejudge.english import count
from rejudge.errors import DataError
from rejudge.findings.model import Finding
from rejudge.findings.words import How
from rejudge.stats import (
    CVVariant,
    Estimate,
    Interval,
    cv_star,
    cv_star_interval,
    kendall_tau,
    kendall_w,
    pearson,
    spearman,
)
from rejudge.stats.reasons import Reason, Why

Measure: TypeAlias = Literal["pearson", "spearman", "kendall-tau"]
AnyMeasure: TypeAlias = Literal["pearson", "spearman", "kendall-tau", "kendall-w"]
Place: TypeAlias = tuple[str, str]  # criterion and system
VARIANTS: tuple[CVVariant, ...] = tuple(
    name for name in get_args(CVVariant) if name != "cv*"
)  # published definitions that leave out a step; never the default
MEASURES: Mapping[Measure, Callable[..., Estimate]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall-tau": kendall_tau,
}
BY_ROUNDING = "by rounding"  # where CV* may lie, given how the scores were rounded
_W: Literal["kendall-w"] = "kendall-w"
_FEWEST = 2


# type I


def variations(aligned: Alignment) -> Iterator[Finding]:
    """CV* of all studies together and of every pair: each system, each criterion, the study.

    Each criterion over those runs that asked it; two of them are a pair already.
    """
    for group in groups_of(aligned.runs):
        asked = [
            (criterion, aligned.having(criterion.id, group))
            for criterion in _common_criteria(aligned, group)
        ]
        wanted = [(criterion, runs) for criterion, runs in asked if _is_whole(runs, group)]
        for criterion, runs in wanted:
            for system, shared in _by_system(aligned, criterion, runs):
                if _is_whole(shared, group):
                    yield variation(aligned, criterion, system, shared)
            yield mean_variation(aligned, runs, criterion.id)
        if wanted:
            yield mean_variation(aligned, group, None)


def variation(
    aligned: Alignment, criterion: RunCriterion, system: str, runs: Sequence[str]
) -> Finding:
    """CV* of one system's scores in some runs."""
    about = ("cv-star", criterion.id, system, *runs)
    return aligned.once(about, lambda: _variation(aligned, criterion, system, runs))


def _variation(
    aligned: Alignment, criterion: RunCriterion, system: str, runs: Sequence[str]
) -> Finding:
    scores = [aligned.scores[criterion.id, run, system] for run in runs]
    values = [score.value or 0.0 for score in scores]
    low = criterion.low
    empty = Finding(
        key=aligned.key(criterion, "cv-star", "scores", runs, [system]),
        by="cv-star",
        value=None,
        n=len(values),
        n_of="runs",
        how=(),
    )
    try:
        whole = cv_star(values, scale_minimum=low)
    except DataError as error:  # a score below the declared scale
        return replace(empty, reasons=(Why.OFF_SCALE(problem=str(error)),))
    variants: dict[str, float | Interval | None] = {
        name: cv_star(values, scale_minimum=low, variant=name).value for name in VARIANTS
    }
    return replace(
        empty,
        value=whole.value,
        extra={
            BY_ROUNDING: from_rounding(scores, low),
            "shift": None if low is None else whole.shift,
            "unbiased SD": whole.unbiased_sd,
            "published interval of the SD": whole.sd_interval,
            "interval of the SD": whole.exact_sd_interval,
            **variants,
        },
        reasons=(*whole.reasons, *aligned.remarks(criterion.id, runs)),
    )


def from_rounding(
    scores: Sequence[Finding], low: float | None, variant: CVVariant = "cv*"
) -> Interval | None:
    """Where CV* may lie, given how the scores were rounded; None where none was."""
    if low is None or not any(score.half_unit for score in scores):
        return None
    boxes = [_on_scale(score, low) for score in scores]
    return cv_star_interval(
        [middle for middle, _ in boxes],
        scale_minimum=low,
        half_unit=[half for _, half in boxes],
        variant=variant,
    )


def _on_scale(score: Finding, low: float) -> tuple[float, float]:
    """Middle and half of where a rounded score may lie: no score was below the scale."""
    value = score.value or 0.0
    if value - score.half_unit >= low:
        return value, score.half_unit
    high = max(low, value + score.half_unit)
    return (low + high) / 2, (high - low) / 2


def mean_variation(aligned: Alignment, runs: Sequence[str], criterion: str | None) -> Finding:
    """CV* of a criterion, the mean over systems; of the study, the mean over criteria."""
    found = [
        _criterion_mean(aligned, each, runs)
        for each in _common_criteria(aligned, runs)
        if (each.id not in aligned.parts if criterion is None else criterion == each.id)
    ]
    if criterion is not None and found:
        return found[0]
    return _mean_spread(aligned, None, runs, found)


def _criterion_mean(aligned: Alignment, criterion: RunCriterion, group: Sequence[str]) -> Finding:
    runs = aligned.having(criterion.id, group)
    parts = [
        variation(aligned, criterion, system, shared)
        for system, shared in _by_system(aligned, criterion, runs)
    ]
    return _mean_spread(aligned, criterion, runs, parts)


def _common_criteria(aligned: Alignment, group: Sequence[str]) -> list[RunCriterion]:
    """The criteria that two runs of the group or more have scores on."""
    return [
        criterion
        for criterion in aligned.criteria
        if len(aligned.having(criterion.id, group)) >= _FEWEST
    ]


def _is_whole(runs: Sequence[str], group: Sequence[str]) -> bool:
    """Whether these runs are more than a pair that is listed by itself."""
    return len(group) == _FEWEST or len(runs) > _FEWEST


def _by_system(
    aligned: Alignment, criterion: RunCriterion, group: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """Each system with the runs that have a score of it, if these are two or more."""
    for system in aligned.original.systems:
        runs = [run for run in group if aligned.score(criterion.id, run, system) is not None]
        if len(runs) >= _FEWEST:
            yield system, runs


def _mean_spread(
    aligned: Alignment,
    criterion: RunCriterion | None,
    runs: Sequence[str],
    parts: Sequence[Finding],
) -> Finding:
    """The plain mean over systems or criteria, with the least and the greatest in the note."""
    known = [part for part in parts if part.value is not None]
    values = [part.value for part in known if part.value is not None]
    if criterion is None:
        of = aligned.total
    else:
        of = len(aligned.shared(criterion.id, [aligned.original.id]))
    return Finding(
        key=aligned.key(criterion, "cv-star", "mean", runs),
        by="cv-star",
        value=sum(values) / len(values) if values else None,
        n=len(values),
        n_of="criteria" if criterion is None else "systems",
        how=(),
        extra={
            BY_ROUNDING: mean_interval([part.extra.get(BY_ROUNDING) for part in known], values),
            "of": float(of or len(aligned.original.systems)),
            **{name: _mean_variant(known, name) for name in VARIANTS},
        },
        reasons=tuple(_span(values, len(parts), "criterion" if criterion is None else "system")),
    )


def mean_interval(
    parts: Sequence[Interval | float | None], values: Sequence[float]
) -> Interval | None:
    """The mean of intervals; a value without one is certain. None if none has one."""
    known = [part if isinstance(part, Interval) else None for part in parts]
    if not values or all(part is None for part in known):
        return None
    whole = [part or Interval(value, value, 1.0) for part, value in zip(known, values, strict=True)]
    low = sum(part.low for part in whole) / len(whole)
    return Interval(low, sum(part.high for part in whole) / len(whole), 1.0)


def _mean_variant(parts: Sequence[Finding], name: str) -> float | None:
    values = [part.extra.get(name) for part in parts]
    known = [value for value in values if isinstance(value, float)]
    return sum(known) / len(known) if values and len(known) == len(values) else None


def _span(values: Sequence[float], parts: int, noun: str) -> Iterator[Reason]:
    if not values:
        yield Why.NO_SPREAD()
        return
    yield Why.MEAN_OF_PARTS(parts=count(len(values), noun), low=min(values), high=max(values))
    if left := parts - len(values):
        yield Why.PARTS_LEFT_OUT(parts=count(left, noun))


def _range(values: Sequence[float]) -> Reason:
    return Why.RANGE(low=min(values), high=max(values)) if values else Why.ALL_UNDEFINED()


# type II


def correlations(aligned: Alignment) -> list[Finding]:
    """Each criterion by itself, the mean over criteria, and all scores together.

    With three studies or more also the mean of every measure over all pairs of runs.
    """
    groups = groups_of(aligned.runs)
    found = [each for group in groups for each in _of_group(aligned, group)]
    if not groups or len(groups[0]) <= _FEWEST:  # runs of one study alone make no group
        return found
    return [*found, *_over_pairs(aligned, groups[0], groups[1:])]


def places(aligned: Alignment, runs: Sequence[str], criterion: str | None) -> tuple[Place, ...]:
    """What all these runs have a score of, in the order of the original."""
    return tuple(
        (each.id, system)
        for each in (aligned.wholes if criterion is None else aligned.criteria)
        if criterion in (None, each.id) and len(aligned.having(each.id, runs)) == len(runs)
        for system in aligned.shared(each.id, runs)
    )


def lists(aligned: Alignment, runs: Sequence[str], joined: Sequence[Place]) -> list[list[float]]:
    """One list of scores for each run, all in the order of the places."""
    return [[aligned.value(criterion, run, system) for criterion, system in joined] for run in runs]


def _of_group(aligned: Alignment, group: tuple[str, ...]) -> Iterator[Finding]:
    """Each criterion over those runs of the group that asked it; two of them are a pair already."""
    sharing = {each.id: aligned.having(each.id, group) for each in aligned.criteria}
    fewest = min(len(group), _FEWEST + 1)
    asked = [each for each in aligned.criteria if len(sharing[each.id]) >= fewest]
    of_all = [each for each in aligned.wholes if sharing[each.id] == group]
    are_alike = len({(each.kind, each.low, each.high) for each in of_all}) == 1
    for measure in tuple(MEASURES) if len(group) == _FEWEST else (_W,):
        found = {each.id: _of_criterion(aligned, each, sharing[each.id], measure) for each in asked}
        yield from found.values()
        wholes = {name: each for name, each in found.items() if name not in aligned.parts}
        if len(wholes) > 1:
            yield _mean_of_criteria(aligned, wholes, sharing, group)
        if len(of_all) > 1:
            joined = places(aligned, group, None) if are_alike else ()
            yield _together(aligned, group, measure, joined)


def _of_criterion(
    aligned: Alignment, criterion: RunCriterion, runs: tuple[str, ...], measure: AnyMeasure
) -> Finding:
    """Over the systems that all of these runs scored; the others are named."""
    found = correlation(aligned, criterion, runs, measure)
    shared = aligned.shared(criterion.id, runs)
    dropped = [
        system
        for system in aligned.original.systems
        if system not in shared
        and any(aligned.score(criterion.id, run, system) is not None for run in runs)
    ]
    if not dropped:
        return found
    note = Why.WITHOUT_SYSTEMS(systems=", ".join(dropped))
    return replace(found, reasons=(*found.reasons, note))


def correlation(
    aligned: Alignment,
    criterion: RunCriterion | None,
    runs: tuple[str, ...],
    measure: AnyMeasure,
) -> Finding:
    """One coefficient over the scores of a criterion, or of all together."""
    joined = places(aligned, runs, criterion.id if criterion else None)
    return _correlation(aligned, criterion, runs, (measure, joined))


def _correlation(
    aligned: Alignment,
    criterion: RunCriterion | None,
    runs: tuple[str, ...],
    asked: tuple[AnyMeasure, Sequence[Place]],
) -> Finding:
    measure, joined = asked
    table = np.array(lists(aligned, runs, joined))
    if measure == _W:
        whole = kendall_w(table)
        how = (
            "exact: all orders counted"
            if whole.test and whole.test.is_exact
            else "chi-square approximation"
        )
        value, n, p, interval, told = whole.value, whole.n, whole.p, None, whole.reasons
        fact = How.CORRELATION(coefficient="Kendall's W with correction for ties", p=f"p {how}")
    else:
        found = MEASURES[measure](*table)
        value, n, p, interval, told = (found.value, found.n, found.p, found.interval, found.reasons)
        fact = How.CORRELATION(coefficient=_NAMES[measure], p=_how(found, measure))
    return Finding(
        key=aligned.key(criterion, measure, "scores" if criterion else TOGETHER, runs),
        by=measure,
        value=value,
        n=n,
        n_of="scores",
        how=(fact,),
        interval=interval,
        p=p,
        reasons=(*told, *((Why.FEW_VALUES(),) if p and n <= FEW else ())),
    )


_NAMES: dict[AnyMeasure, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall-tau": "Kendall's tau-b",
    "kendall-w": "Kendall's W",
}


def _how(found: Estimate, measure: str) -> str:
    if found.p is None:
        return "no p"
    if found.test and found.test.is_exact:
        return "p exact: all orders counted"
    return "p normal, with ties" if measure == "kendall-tau" else "p from t with n − 2 df"


def _together(
    aligned: Alignment, runs: tuple[str, ...], measure: AnyMeasure, joined: Sequence[Place]
) -> Finding:
    """All scores of all criteria as one list; where they can be."""
    if joined:
        whole = _correlation(aligned, None, runs, (measure, joined))
        return replace(whole, how=(How.TOGETHER(), *whole.how))
    return Finding(
        key=aligned.key(None, measure, TOGETHER, runs),
        by=measure,
        value=None,
        n=0,
        n_of="scores",
        how=(How.TOGETHER(),),
        reasons=(Why.DIFFERENT_SCALES(),),
    )


def _mean_of_criteria(
    aligned: Alignment,
    parts: Mapping[str, Finding],
    sharing: Mapping[str, Sequence[str]],
    group: tuple[str, ...],
) -> Finding:
    values = [part.value for part in parts.values() if part.value is not None]
    fewer = [
        f"{name} in {len(sharing[name])} of {len(group)} runs"
        for name in parts
        if len(sharing[name]) < len(group)
    ]
    measure = next(iter(parts.values())).key.measure
    return Finding(
        key=aligned.key(None, measure, OF_CRITERIA, group),
        by=measure,
        value=sum(values) / len(values) if values else None,
        n=len(values),
        n_of="criteria",
        how=(How.MEAN_OVER(parts=count(len(values), "criterion")),),
        reasons=(
            _range(values),
            *((Why.IN_FEWER_RUNS(parts="; ".join(fewer)),) if fewer else ()),
        ),
    )


def _over_pairs(
    aligned: Alignment, group: tuple[str, ...], pairs: Sequence[tuple[str, ...]]
) -> Iterator[Finding]:
    """On each criterion the mean over all pairs of the studies that asked it; r also by Fisher's z.

    Only studies count here, each by its first case.
    """
    for criterion in aligned.criteria:
        runs = aligned.having(criterion.id, group)
        if len(runs) <= _FEWEST:
            continue
        for measure in MEASURES:
            parts = [
                correlation(aligned, criterion, pair, measure).value
                for pair in pairs
                if set(pair) <= set(runs)
            ]
            yield _mean_of_pairs(aligned, criterion, runs, (measure, parts))


def _mean_of_pairs(
    aligned: Alignment,
    criterion: RunCriterion,
    runs: tuple[str, ...],
    told: tuple[Measure, Sequence[float | None]],
) -> Finding:
    measure, parts = told
    values = [value for value in parts if value is not None]
    notes = [_range(values)]
    if len(values) < len(parts) and values:
        notes.append(Why.PARTS_LEFT_OUT(parts=count(len(parts) - len(values), "pair")))
    if measure == "pearson" and values and max(map(abs, values)) < 1:
        by_z = math.tanh(math.fsum(map(math.atanh, values)) / len(values))
        notes.append(Why.FISHERS_MEAN(value=by_z))
    return Finding(
        key=aligned.key(criterion, measure, OF_PAIRS, runs),
        by=measure,
        value=math.fsum(values) / len(values) if values else None,
        n=len(values),
        n_of="pairs",
        how=(How.MEAN_OVER_RUNS(values=count(len(values), "value")),),
        reasons=tuple(notes),
    )
