"""Does a system score the same in two runs, within what matters? Two one-sided tests.

What matters is taken from the earlier run: the smallest effect that it could have called
significant (Lakens 2017), as van Miltenburg et al. (2024) set the bounds for two of their runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.compare.aligned import Aligned, pairs_of
from rejudge.compare.comparison import Equivalent
from rejudge.compare.gaps import COMPARED, summary_of
from rejudge.compare.run import RunCriterion
from rejudge.stats import (
    StandardisedBounds,
    Summary,
    critical_effect,
    t_test_from_summary,
    tost_from_summary,
)

_INDEPENDENT = (
    "Judgments were taken as independent, so p is rather too small, for equivalence as for "
    "difference."
)
_FROM_SHARE = "SDs of wins and losses, from the shares themselves."


def equivalences(
    aligned: Aligned, *, effect: float | None = None, alpha: float = 0.05
) -> tuple[Equivalent, ...]:
    """Each system whose mean, SD and n two runs tell, on the original's scale.

    The bounds are `effect` standard deviations of the first run; without one given, the smallest d
    that a test of two systems with as many judgments could have called significant in that run.
    """
    return tuple(
        _tested(criterion, system, runs, parts, effect=effect, alpha=alpha)
        for criterion in aligned.criteria
        for runs in pairs_of(aligned.runs)
        for system, parts in _summaries(aligned, criterion, runs)
    )


def _summaries(
    aligned: Aligned, criterion: RunCriterion, runs: tuple[str, str]
) -> Iterator[tuple[str, tuple[Summary, Summary]]]:
    for system in aligned.shared(criterion.id, runs):
        first, second = (summary_of(aligned, criterion, run, system) for run in runs)
        if first is not None and second is not None and first.varies:
            yield system, (first, second)


def _tested(
    criterion: RunCriterion,
    system: str,
    runs: tuple[str, str],
    parts: tuple[Summary, Summary],
    *,
    effect: float | None,
    alpha: float,
) -> Equivalent:
    first, second = parts
    reach = critical_effect((first.n, first.n), alpha=alpha).value if effect is None else effect
    bounds = StandardisedBounds.around_zero(reach, sd=first.sd)
    found = tost_from_summary(first, second, bounds, alpha=alpha)
    usual = t_test_from_summary(first, second)
    told = (
        f"the smallest d that {runs[0]} could call significant with {first.n} judgments of each "
        "of two systems"
        if effect is None
        else "given"
    )
    return Equivalent(
        criterion=criterion.id,
        system=system,
        runs=runs,
        difference=first.mean - second.mean,
        bound=reach * first.sd,
        bound_from=f"d = {reach:.3f} ({told}) × SD {first.sd:.3g} of {runs[0]}",
        p=found.p,
        is_equivalent=None if found.p is None else found.p < alpha,
        interval=found.interval,
        standardised_bound=reach,
        p_differ=usual.p,
        effect=usual.effect.value if usual.effect else None,
        note=f"{_INDEPENDENT} {_FROM_SHARE}" if criterion.kind in COMPARED else _INDEPENDENT,
    )
