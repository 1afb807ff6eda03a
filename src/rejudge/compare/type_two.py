"""Type II: how far runs order and space the same systems alike: r, rho, tau and W."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from rejudge.compare.aligned import Aligned, groups_of
from rejudge.compare.comparison import Correlated
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
_FEW = 5  # values, of which a p says next to nothing
_SAYS_LITTLE = "So few values: do not interpret p."
_DIFFERENT_SCALES = "Not computed: the criteria have different scales, so their scores do not mix."


def correlations(aligned: Aligned) -> tuple[Correlated, ...]:
    """Each criterion by itself, the mean over criteria, and all scores together."""
    return tuple(each for group in groups_of(aligned.runs) for each in _of_group(aligned, group))


def keys(aligned: Aligned, runs: Sequence[str], criterion: str | None) -> tuple[Key, ...]:
    """What all these runs have a score of, in the order of the original."""
    return tuple(
        (each.id, system)
        for each in aligned.criteria
        if criterion in (None, each.id) and len(aligned.having(each.id, runs)) == len(runs)
        for system in aligned.shared(each.id, runs)
    )


def lists(aligned: Aligned, runs: Sequence[str], joined: Sequence[Key]) -> list[list[float]]:
    """One list of scores for each run, all in the order of the keys."""
    return [
        [aligned.scores[criterion, run, system].value for criterion, system in joined]
        for run in runs
    ]


def _of_group(aligned: Aligned, group: tuple[str, ...]) -> Iterator[Correlated]:
    asked = [
        criterion
        for criterion in aligned.criteria
        if len(aligned.having(criterion.id, group)) == len(group)
    ]
    are_alike = len({(each.kind, each.low, each.high) for each in asked}) == 1
    for measure in tuple(MEASURES) if len(group) == _PAIR else (_W,):
        found = [
            _correlated(aligned, group, measure, keys(aligned, group, criterion.id))
            for criterion in asked
        ]
        yield from found
        if len(found) > 1:
            yield _mean(found)
            joined = keys(aligned, group, None)
            yield _together(aligned, group, measure, joined if are_alike else ())


def _together(
    aligned: Aligned, runs: tuple[str, ...], measure: AnyMeasure, joined: Sequence[Key]
) -> Correlated:
    """All scores of all criteria as one list; where they can be."""
    if not joined:
        return Correlated(measure, None, runs, None, 0, None, None, _TOGETHER, _DIFFERENT_SCALES)
    whole = _correlated(aligned, runs, measure, joined)
    return replace(whole, criterion=None, method=f"{_TOGETHER}; {whole.method}")


def _correlated(
    aligned: Aligned, runs: tuple[str, ...], measure: AnyMeasure, joined: Sequence[Key]
) -> Correlated:
    import numpy as np

    criterion = joined[0][0] if joined else None
    table = np.array(lists(aligned, runs, joined))
    if measure == _W:
        whole = kendall_w(table)
        how = "exact: all orders counted" if whole.is_exact else "chi-square approximation"
        method = f"Kendall's W with correction for ties; p {how}"
        note = _noted(whole.note, whole.n, whole.p)
        return Correlated(
            measure, criterion, runs, whole.value, whole.n, whole.p, None, method, note
        )
    found = MEASURES[measure](*table)
    method = f"{found.method}; {_how(found, measure)}"
    note = _noted(found.note, found.n, found.p)
    return Correlated(
        measure, criterion, runs, found.value, found.n, found.p, found.interval, method, note
    )


def _how(found: Correlation, measure: str) -> str:
    if found.p is None:
        return "no p"
    if found.is_exact:
        return "p exact: all orders counted"
    return "p normal, with ties" if measure == "kendall-tau" else "p from t with n − 2 df"


def _noted(note: str, n: int, p: float | None) -> str:
    return " ".join(part for part in (note, _SAYS_LITTLE if p and n <= _FEW else "") if part)


def _mean(parts: Sequence[Correlated]) -> Correlated:
    values = [part.value for part in parts if part.value is not None]
    return replace(
        parts[0],
        criterion=None,
        value=sum(values) / len(values) if values else None,
        n=len(values),
        p=None,
        interval=None,
        method=f"mean over {count(len(values), 'criterion')}",
        note=f"From {min(values):.3f} to {max(values):.3f}." if values else "Undefined for all.",
    )
