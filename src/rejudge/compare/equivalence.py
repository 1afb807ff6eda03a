"""Does a system score the same in two runs, within what matters? Two one-sided tests.

What matters is taken from the earlier run: the smallest effect that it could have called
significant (Lakens 2017), as van Miltenburg et al. (2024) set the bounds for two of their runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.compare.alignment import Aligned, pairs_of
from rejudge.compare.comparison import Equivalent
from rejudge.compare.differences import COMPARED, half_of, summary_of
from rejudge.compare.labs import Labs, labs_of
from rejudge.compare.run import RunCriterion
from rejudge.stats import (
    RawBounds,
    Summary,
    critical_effect,
    mean_difference,
    pooled_sd,
    t_test_from_summary,
    tost_from_error,
)

_INDEPENDENT = (
    "Judgments were assumed independent, so p is probably too small, for equivalence as for "
    "difference."
)
_CLUSTERED = "Errors allow for shared items and participants."
_FROM_SHARE = "SDs of wins and losses, from the shares themselves."


@dataclass(frozen=True, slots=True)
class _StandardError:
    """Of the difference of one system's scores in two runs, with its degrees of freedom."""

    value: float
    df: float | None  # None: normal
    is_clustered: bool


def equivalences(
    aligned: Aligned, *, effect: float | None = None, alpha: float = 0.05
) -> tuple[Equivalent, ...]:
    """Each system whose mean, SD and n two runs tell, on the original's scale.

    The bounds are `effect` standard deviations of the first run; without one given, the smallest d
    that a test of two systems with as many judgments could have called significant in that run.
    The error of the difference comes from the judgments of both runs, with clusters of items (which
    runs may share) and of participants; without them from the stored errors of the two means; and
    only where there are none from SDs and numbers of judgments, as if these were independent.
    """
    return tuple(
        _test(criterion, system, runs, parts, error=error, effect=effect, alpha=alpha)
        for criterion in aligned.criteria
        for runs in pairs_of(aligned.runs)
        for system, parts, error in _summaries(aligned, criterion, runs)
    )


def _summaries(
    aligned: Aligned, criterion: RunCriterion, runs: tuple[str, str]
) -> Iterator[tuple[str, tuple[Summary, Summary], _StandardError]]:
    labs = labs_of(aligned, criterion, runs)
    rows = None if labs is None else labs.by_output()
    for system in aligned.shared(criterion.id, runs):
        first, second = (summary_of(aligned, criterion, run, system) for run in runs)
        if first is None or second is None or not first.varies:
            continue
        known = None if rows is None else _from_judgments(criterion, rows, system)
        yield (
            system,
            (first, second),
            known or _from_stored(aligned, criterion, runs, system) or _from_spread(first, second),
        )


def _from_judgments(criterion: RunCriterion, rows: Labs, system: str) -> _StandardError | None:
    """The runs as the two sides of one difference: what items they share cancels."""
    import numpy as np

    place = rows.systems.index(system)
    own = rows.of((rows.system == place) | (rows.against == place))
    value = own.value
    if rows.are_comparisons:  # a win counts half the scale up, a loss half the scale down
        won = np.where(own.system == place, own.value, 1 - own.value)
        value = (half_of(criterion) or 100.0) * (2 * won - 1)
    found = mean_difference(value, own.lab, (0, 1), item=own.item, participant=own.participant)
    if not found.standard_error:
        return None
    return _StandardError(found.standard_error, found.df, is_clustered=True)


def _from_stored(
    aligned: Aligned, criterion: RunCriterion, runs: tuple[str, str], system: str
) -> _StandardError | None:
    """From the stored errors of both means, with Satterthwaite's degrees of freedom."""
    scores = [aligned.score(criterion.id, run, system) for run in runs]
    parts = [(s.standard_error**2, s.df) for s in scores if s is not None and s.standard_error]
    if len(parts) < len(runs):
        return None
    whole = sum(variance for variance, _ in parts)
    spread = sum(variance**2 / df for variance, df in parts if df)
    return _StandardError(
        math.sqrt(whole), whole**2 / spread if spread else None, is_clustered=True
    )


def _from_spread(first: Summary, second: Summary) -> _StandardError:
    """Student's pooled error, as if judgments were independent."""
    error = pooled_sd(first, second) * math.sqrt(1 / first.n + 1 / second.n)
    return _StandardError(error, first.n + second.n - 2, is_clustered=False)


def _test(
    criterion: RunCriterion,
    system: str,
    runs: tuple[str, str],
    parts: tuple[Summary, Summary],
    *,
    error: _StandardError,
    effect: float | None,
    alpha: float,
) -> Equivalent:
    first, second = parts
    reach = critical_effect((first.n, first.n), alpha=alpha).value if effect is None else effect
    difference = first.mean - second.mean
    bounds = RawBounds.around_zero(reach * first.sd)
    found = tost_from_error(difference, error.value, error.df, bounds, alpha=alpha)
    bound_source = (
        f"the smallest d that {runs[0]} could call significant with {first.n} judgments of each "
        "of two systems"
        if effect is None
        else "given"
    )
    usual = t_test_from_summary(first, second)
    from_share = criterion.kind in COMPARED and not error.is_clustered
    notes = (_CLUSTERED if error.is_clustered else _INDEPENDENT, _FROM_SHARE if from_share else "")
    return Equivalent(
        criterion=criterion.id,
        system=system,
        runs=runs,
        difference=difference,
        bound=reach * first.sd,
        bound_from=f"d = {reach:.3f} ({bound_source}) × SD {first.sd:.3g} of {runs[0]}",
        p=found.p,
        is_equivalent=None if found.p is None else found.p < alpha,
        interval=found.interval,
        standardised_bound=reach,
        p_differ=found.p_differ,
        effect=usual.effect.value if usual.effect else None,
        note=" ".join(note for note in notes if note),
        is_clustered=error.is_clustered,
    )
