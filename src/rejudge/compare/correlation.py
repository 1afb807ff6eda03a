"""Type II: how similarly runs order and space the same systems: r, rho, tau and W."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from rejudge.compare.alignment import Alignment, groups_of
from rejudge.compare.comparison import MEAN_OF_PAIRS, RunCorrelation
from rejudge.english import count
from rejudge.stats import Correlation, kendall_tau, kendall_w, pearson, spearman

Measure: TypeAlias = Literal["pearson", "spearman", "kendall-tau"]
AnyMeasure: TypeAlias = Literal["pearson", "spearman", "kendall-tau", "kendall-w"]
Key: TypeAlias = tuple[str, str]  # criterion and system
MEASURES: Mapping[Measure, Callable[..., Correlation]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall-tau": kendall_tau,
}
_W: Literal["kendall-w"] = "kendall-w"
_PAIR = 2
_TOGETHER = "all scores together"
_FEW = 5  # values, for which p means almost nothing
_SAYS_LITTLE = "There are too few values to interpret p."
_DIFFERENT_SCALES = (
    "Not computed: the criteria have different scales, so their scores cannot be mixed."
)


def correlations(aligned: Alignment) -> tuple[RunCorrelation, ...]:
    """Each criterion by itself, the mean over criteria, and all scores together.

    With three studies or more also the mean of every measure over all pairs of runs.
    """
    groups = groups_of(aligned.runs)
    found = tuple(each for group in groups for each in _of_group(aligned, group))
    if not groups or len(groups[0]) <= _PAIR:  # runs of one study alone make no group
        return found
    return (*found, *_over_pairs(aligned, groups[0], found))


def keys(aligned: Alignment, runs: Sequence[str], criterion: str | None) -> tuple[Key, ...]:
    """What all these runs have a score of, in the order of the original."""
    return tuple(
        (each.id, system)
        for each in (aligned.wholes if criterion is None else aligned.criteria)
        if criterion in (None, each.id) and len(aligned.having(each.id, runs)) == len(runs)
        for system in aligned.shared(each.id, runs)
    )


def lists(aligned: Alignment, runs: Sequence[str], joined: Sequence[Key]) -> list[list[float]]:
    """One list of scores for each run, all in the order of the keys."""
    return [
        [aligned.scores[criterion, run, system].value for criterion, system in joined]
        for run in runs
    ]


def _of_group(aligned: Alignment, group: tuple[str, ...]) -> Iterator[RunCorrelation]:
    """Each criterion over those runs of the group that asked it; two of them are a pair already."""
    sharing = {each.id: aligned.having(each.id, group) for each in aligned.criteria}
    fewest = min(len(group), _PAIR + 1)
    asked = [each for each in aligned.criteria if len(sharing[each.id]) >= fewest]
    of_all = [each for each in aligned.wholes if sharing[each.id] == group]
    are_alike = len({(each.kind, each.low, each.high) for each in of_all}) == 1
    for measure in tuple(MEASURES) if len(group) == _PAIR else (_W,):
        found = [
            _of_criterion(aligned, sharing[criterion.id], measure, criterion.id)
            for criterion in asked
        ]
        yield from found
        wholes = [each for each in found if each.criterion not in aligned.parts]
        if len(wholes) > 1:
            yield _mean(wholes, group)
        if len(of_all) > 1:
            joined = keys(aligned, group, None)
            yield _together(aligned, group, measure, joined if are_alike else ())


def _of_criterion(
    aligned: Alignment, runs: tuple[str, ...], measure: AnyMeasure, criterion: str
) -> RunCorrelation:
    """Over the systems that all of these runs scored; the others are named."""
    found = replace(
        _correlation(aligned, runs, measure, keys(aligned, runs, criterion)), criterion=criterion
    )
    shared = aligned.shared(criterion, runs)
    dropped = [
        system
        for system in aligned.original.systems
        if system not in shared
        and any(aligned.score(criterion, run, system) is not None for run in runs)
    ]
    if not dropped:
        return found
    note = f"Without {', '.join(dropped)}, which not all of these runs scored."
    return replace(found, note=f"{found.note} {note}".strip())


def _over_pairs(
    aligned: Alignment, group: tuple[str, ...], found: Sequence[RunCorrelation]
) -> Iterator[RunCorrelation]:
    """On each criterion the mean over all pairs of the studies that asked it."""
    for criterion in aligned.criteria:
        runs = aligned.having(criterion.id, group)
        if len(runs) <= _PAIR:
            continue
        for measure in MEASURES:
            pairs = [
                each
                for each in found
                if (each.measure, each.criterion) == (measure, criterion.id)
                and set(each.runs) <= set(runs)
            ]
            yield _mean_of_pairs(measure, criterion.id, runs, pairs)


def _mean_of_pairs(
    measure: Measure, criterion: str, runs: tuple[str, ...], pairs: Sequence[RunCorrelation]
) -> RunCorrelation:
    """The plain mean; for r, that by Fisher's z is in the note."""
    values = [each.value for each in pairs if each.value is not None]
    notes = [f"From {min(values):.3f} to {max(values):.3f}." if values else "Undefined for all."]
    if len(values) < len(pairs) and values:
        notes.append(f"{count(len(pairs) - len(values), 'pair')} left out as undefined.")
    if measure == "pearson" and values and max(map(abs, values)) < 1:
        by_z = math.tanh(math.fsum(map(math.atanh, values)) / len(values))
        notes.append(f"By Fisher's z (the back-transformed mean of artanh r): {by_z:.3f}.")
    return RunCorrelation(
        measure=measure,
        criterion=criterion,
        runs=runs,
        value=math.fsum(values) / len(values) if values else None,
        n=len(values),
        p=None,
        interval=None,
        method=f"{MEAN_OF_PAIRS}, the plain mean of {count(len(values), 'value')}",
        note=" ".join(notes),
    )


def _together(
    aligned: Alignment, runs: tuple[str, ...], measure: AnyMeasure, joined: Sequence[Key]
) -> RunCorrelation:
    """All scores of all criteria as one list; where they can be."""
    if not joined:
        return RunCorrelation(
            measure, None, runs, None, 0, None, None, _TOGETHER, _DIFFERENT_SCALES
        )
    whole = _correlation(aligned, runs, measure, joined)
    return replace(whole, criterion=None, method=f"{_TOGETHER}; {whole.method}")


def _correlation(
    aligned: Alignment, runs: tuple[str, ...], measure: AnyMeasure, joined: Sequence[Key]
) -> RunCorrelation:
    criterion = joined[0][0] if joined else None
    table = np.array(lists(aligned, runs, joined))
    if measure == _W:
        whole = kendall_w(table)
        how = "exact: all orders counted" if whole.is_exact else "chi-square approximation"
        method = f"Kendall's W with correction for ties; p {how}"
        note = _with_warning(whole.note, whole.n, whole.p)
        return RunCorrelation(
            measure, criterion, runs, whole.value, whole.n, whole.p, None, method, note
        )
    found = MEASURES[measure](*table)
    method = f"{found.method}; {_how(found, measure)}"
    note = _with_warning(found.note, found.n, found.p)
    return RunCorrelation(
        measure, criterion, runs, found.value, found.n, found.p, found.interval, method, note
    )


def _how(found: Correlation, measure: str) -> str:
    if found.p is None:
        return "no p"
    if found.is_exact:
        return "p exact: all orders counted"
    return "p normal, with ties" if measure == "kendall-tau" else "p from t with n − 2 df"


def _with_warning(note: str, n: int, p: float | None) -> str:
    return " ".join(part for part in (note, _SAYS_LITTLE if p and n <= _FEW else "") if part)


def _mean(parts: Sequence[RunCorrelation], group: tuple[str, ...]) -> RunCorrelation:
    values = [part.value for part in parts if part.value is not None]
    fewer = [
        f"{part.criterion} in {len(part.runs)} of {len(group)} runs"
        for part in parts
        if len(part.runs) < len(group)
    ]
    span = f"From {min(values):.3f} to {max(values):.3f}." if values else "Undefined for all."
    return replace(
        parts[0],
        runs=group,
        criterion=None,
        value=sum(values) / len(values) if values else None,
        n=len(values),
        p=None,
        interval=None,
        method=f"mean over {count(len(values), 'criterion')}",
        note=f"{span} {'; '.join(fewer)}." if fewer else span,
    )
