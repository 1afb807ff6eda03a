"""How large differences between systems are in two runs, and whether scores are the same.

Overlapping intervals are consistent with one effect (van Miltenburg et al. 2024, footnote 16). They
are a lenient test, so the difference of the two effects is given with an interval of its own.

Scores are the same within what matters by two one-sided tests. What matters is taken from the
earlier run: the smallest difference that its own analysis could have called significant (Lakens
2017), with an error that allows for shared items and participants. A paper prints no such error, so
its bound is that of van Miltenburg et al. (2024), as if its judgments were independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rejudge.compare.alignment import Alignment, pairs_of
from rejudge.compare.differences import (
    COMPARED,
    INDEPENDENT,
    SCORES,
    SUMMARIES,
    Pair,
    better,
    differences,
    half_of,
    is_clustered,
    ordered_pairs,
    summaries_of,
    summary_of,
    without_shared_items,
)
from rejudge.compare.labs import Labs, labs_of
from rejudge.compare.run import Run, RunCriterion, contrast_of
from rejudge.findings.model import EffectSize, Finding
from rejudge.findings.words import How
from rejudge.stats import (
    Effect,
    Interval,
    Summary,
    cohen_d_from_summary,
    cohen_d_with_error,
    critical_effect,
    effect_difference,
    mean_difference,
    pooled_sd,
    t_half_width,
    t_interval,
    t_test_from_summary,
    t_test_p,
    tost,
)
from rejudge.stats.reasons import Reason, Why

EQUIVALENCE, DIFFERENCE = "tost", "difference"  # the two tests of one score in two runs
_CLUSTERED = Why.ALLOWS_FOR_CLUSTERS(what="Intervals of d")
_STANDARDISED = frozenset({"d", "g"})


def effects(aligned: Alignment) -> Iterator[Finding]:
    """The size of each difference of two systems in each run, then how far two runs differ in it.

    For scores Cohen's d as printed, or from means, SDs and numbers of judgments, with the error of
    the difference that the run's judgments or results give; for comparisons the difference of the
    two systems' scores on the original's scale.
    """
    for criterion in aligned.criteria:
        pairs = ordered_pairs(aligned, criterion)
        known = {run.id: _effects(aligned, criterion, run, pairs) for run in aligned.runs}
        for pair in pairs:
            listed = set()
            for runs in pairs_of(aligned.runs):
                first, second = known[runs[0]].get(pair), known[runs[1]].get(pair)
                if first is None or second is None or first.measure != second.measure:
                    continue
                for run, effect in zip(runs, (first, second), strict=True):
                    if run not in listed:
                        yield _of_run(aligned, criterion, pair, (run, effect))
                        listed.add(run)
                yield _between(aligned, criterion, pair, (runs, first, second))


def _name(criterion: RunCriterion, effect: Effect) -> str:
    return "difference" if criterion.kind in COMPARED else effect.measure


def _of_run(
    aligned: Alignment, criterion: RunCriterion, pair: Pair, told: tuple[str, Effect]
) -> Finding:
    run, effect = told
    name = _name(criterion, effect)
    return Finding(
        key=aligned.key(criterion, "effect", name, [run], pair),
        by=name,
        value=effect.value or 0.0,
        n=effect.n or None,
        n_of="judgments",
        how=(),
        interval=effect.interval,
        reasons=effect.reasons,
    )


def _between(
    aligned: Alignment,
    criterion: RunCriterion,
    pair: Pair,
    told: tuple[tuple[str, str], Effect, Effect],
) -> Finding:
    """The second run's effect minus the first's, and whether their intervals overlap."""
    runs, first, second = told
    found = effect_difference(first, second)
    one, two = first.interval, second.interval
    name = _name(criterion, first)
    extra: dict[str, float | Interval | None] = {}
    if one is not None and two is not None:
        extra["overlap"] = float(one.low <= two.high and two.low <= one.high)
    return Finding(
        key=aligned.key(criterion, "effect-difference", name, runs, pair),
        by=name,
        value=found.value,
        n=None,
        n_of="judgments",
        how=(),
        interval=found.interval,
        extra=extra,
        reasons=_remarks(runs, first, second, found),
    )


def _effects(
    aligned: Alignment, criterion: RunCriterion, run: Run, pairs: Sequence[Pair]
) -> dict[Pair, Effect]:
    """The sizes of a run's differences, first minus second in the sense of better, if known."""
    apart = differences(aligned, criterion, run.id, pairs)
    if criterion.kind in COMPARED:
        return {pair: _share(found) for pair, found in apart.items()}
    refused = without_shared_items(aligned, criterion, run.id, pairs)
    pairs = [pair for pair in pairs if pair not in refused]
    found = {pair: _effect(aligned, criterion, run, (pair, apart.get(pair))) for pair in pairs}
    return {pair: each for pair, each in found.items() if each is not None}


def _remarks(
    runs: tuple[str, str], first: Effect, second: Effect, between: Effect
) -> tuple[Reason, ...]:
    """What holds of both, or of which of the two."""
    if first.reasons == second.reasons:
        return (*first.reasons, *between.reasons)
    of_one = (
        Why.OF_RUN(run=run, remark=str(each))
        for run, effect in zip(runs, (first, second), strict=True)
        for each in effect.reasons
    )
    return (*of_one, *between.reasons)


def _effect(
    aligned: Alignment, criterion: RunCriterion, run: Run, known: tuple[Pair, Finding | None]
) -> Effect | None:
    """The size of a difference of scores; None: not known.

    Its interval allows for clusters where that of the difference does.
    """
    pair, difference = known
    sizes = summaries_of(aligned, criterion, run.id, pair=pair, difference=difference)
    told = _printed_effect(run, criterion, pair)
    if told is not None and (run.source == "paper" or None in sizes):
        return _with_interval(told, *sizes)
    first, second = sizes
    if first is None or second is None:
        return None
    if difference is not None and difference.key.method != SUMMARIES:
        d = replace(
            cohen_d_with_error(
                first, second, error=difference.standard_error or 0.0, df=difference.df
            ),
            reasons=difference.reasons if difference.key.method == SCORES else (_CLUSTERED,),
        )
    else:
        d = cohen_d_from_summary(first, second)
    if d.value is None:
        return None
    return _swap(d) if better(criterion) < 0 else Effect(d.value, "d", d.n, d.interval, _reasons(d))


def _share(found: Finding) -> Effect:
    return Effect(found.value, "share", found.n or 0, found.interval, found.reasons)


def _swap(d: Effect) -> Effect:
    ends = d.interval and Interval(-d.interval.high, -d.interval.low, d.interval.level)
    return Effect(-(d.value or 0.0), "d", d.n, ends, _reasons(d))


def _reasons(d: Effect) -> tuple[Reason, ...]:
    return d.reasons or (INDEPENDENT,)


def _printed_effect(run: Run, criterion: RunCriterion, pair: Pair) -> Effect | None:
    contrast = contrast_of(run, criterion.id, *pair)
    effect = None if contrast is None else contrast.effect
    if effect is None or effect.name not in _STANDARDISED:
        return None
    return Effect(effect.value, "d" if effect.name == "d" else "g", 0, effect.interval)


def _with_interval(told: Effect, first: Summary | None, second: Summary | None) -> Effect:
    """A printed effect, which was computed before means were rounded; its interval from n."""
    if told.interval is not None or told.value is None or first is None or second is None:
        return replace(told, reasons=(Why.PRINTED_EFFECT(),))
    exact = cohen_d_from_summary(Summary(told.value, 1.0, first.n), Summary(0.0, 1.0, second.n))
    if told.measure == "g":
        return replace(told, n=exact.n, reasons=(Why.PRINTED_EFFECT(),))
    return replace(exact, reasons=(Why.PRINTED_EFFECT(), INDEPENDENT))


_INDEPENDENT = Why.AS_INDEPENDENT(
    of="", effect="p is probably too small, for equivalence as for difference"
)
_CLUSTERED_ERRORS = Why.ALLOWS_FOR_CLUSTERS(what="Errors")


@dataclass(frozen=True, slots=True)
class _StandardError:
    """Of the difference of one system's scores in two runs, with its degrees of freedom."""

    value: float
    df: float | None  # None: normal
    is_clustered: bool


def equivalences(
    aligned: Alignment, *, effect: float | None = None, alpha: float = 0.05
) -> Iterator[Finding]:
    """Each system whose mean, SD and n two runs tell, on the original's scale: two tests of each.

    One test is that its scores are the same within bounds, the other that they are the same. The
    bounds are `effect` standard deviations of the first run; without one given, the smallest
    difference of the system from another that the first run could have called significant.
    The error of the difference comes from the judgments of both runs, with clusters of items (which
    runs may share) and of participants; without them from the stored errors of the two means; and
    only where there are none from SDs and numbers of judgments, as if these were independent.
    """
    for criterion in aligned.criteria:
        for runs in pairs_of(aligned.runs):
            run = aligned.run(runs[0])
            pairs = ordered_pairs(aligned, criterion, run.id)
            known = differences(aligned, criterion, run.id, pairs)
            sure = {pair: each for pair, each in known.items() if is_clustered(each)}
            for system, parts, error in _summaries(aligned, criterion, runs):
                if effect is not None:
                    bound = _Bound(effect * parts[0].sd, "given")
                elif run.source == "paper" and not any(system in pair for pair in sure):
                    bound = _pooled_bound(run.id, parts[0], alpha)
                else:
                    bound = _clustered_bound(run.id, system, sure, alpha)
                empty = Finding(
                    key=aligned.key(criterion, "run-difference", "", runs, [system]),
                    by="",
                    value=parts[0].mean - parts[1].mean,
                    n=parts[0].n + parts[1].n,
                    n_of="judgments",
                    how=(),
                )
                yield from _tests(criterion, empty, parts, (error, bound, alpha))


@dataclass(frozen=True, slots=True)
class _Bound:
    """How far apart two scores may lie and still be called the same; None: not known."""

    value: float | None
    source: str
    missing: Reason | None = None  # why it is not known


def _clustered_bound(run: str, system: str, known: Mapping[Pair, Finding], alpha: float) -> _Bound:
    """The smallest difference of the system from another that a run could call significant."""
    reach = {
        pair: t_half_width(each.standard_error or 0.0, each.df or math.inf, 1 - alpha)
        for pair, each in known.items()
        if system in pair
    }
    if not reach:
        return _Bound(None, "", Why.NO_ERROR_BOUND(run=run, system=system))
    pair = min(reach, key=lambda each: reach[each])
    df = known[pair].df
    degrees = "" if df is None else f" and {df:.3g} degrees of freedom"
    return _Bound(
        reach[pair],
        f"the smallest difference of {pair[0]} and {pair[1]} that {run} could call significant, "
        f"with a standard error of {known[pair].standard_error or 0.0:.3g}{degrees}",
    )


def _pooled_bound(run: str, first: Summary, alpha: float) -> _Bound:
    """The same from the number of judgments alone, as if they were independent."""
    reach = critical_effect((first.n, first.n), alpha=alpha).value
    return _Bound(
        reach * first.sd,
        f"the smallest d that {run} could call significant with {first.n} judgments of each of two "
        "systems, had they been independent",
    )


def _summaries(
    aligned: Alignment, criterion: RunCriterion, runs: tuple[str, str]
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
            known
            or _stored_effect(aligned, criterion, runs, system)
            or _from_spread(first, second),
        )


def _from_judgments(criterion: RunCriterion, rows: Labs, system: str) -> _StandardError | None:
    """The runs as the two sides of one difference: what items they share cancels."""
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


def _stored_effect(
    aligned: Alignment, criterion: RunCriterion, runs: tuple[str, str], system: str
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


def _tests(
    criterion: RunCriterion,
    empty: Finding,
    parts: tuple[Summary, Summary],
    told: tuple[_StandardError, _Bound, float],
) -> Iterator[Finding]:
    """Equivalence within the bound, then the usual test of a difference, with the same error."""
    error, bound, alpha = told
    first, second = parts
    half, sizes = bound.value or 1.0, (first.mean - second.mean, error.value, error.df)
    found = tost(*sizes, Interval(-half, half, 1.0))
    p_differ = t_test_p(*sizes)
    p = None if bound.value is None else found.p
    usual = t_test_from_summary(first, second)
    from_share = criterion.kind in COMPARED and not error.is_clustered
    reasons = (
        _CLUSTERED_ERRORS if error.is_clustered else _INDEPENDENT,
        *((Why.FROM_SHARES(),) if from_share else ()),
        *((bound.missing,) if bound.missing else ()),
    )
    both = replace(
        empty,
        interval=t_interval(*sizes, 1 - 2 * alpha),
        standard_error=error.value,
        df=error.df,
        extra={"clustered": float(error.is_clustered)},
        reasons=reasons,
    )
    reach = None if bound.value is None else bound.value / first.sd
    yield replace(
        both,
        key=replace(empty.key, method=EQUIVALENCE),
        by=EQUIVALENCE,
        p=p,
        is_supported=None if p is None else p < alpha,
        how=()
        if reach is None
        else (How.BOUND(reach=reach, source=bound.source, sd=first.sd, run=empty.key.runs[0]),),
        extra={**both.extra, "bound": bound.value, "bound in SDs": reach},
    )
    yield replace(
        both,
        key=replace(empty.key, method=DIFFERENCE),
        by=DIFFERENCE,
        p=p_differ,
        is_supported=p_differ < alpha,
        effect=next(
            (EffectSize("d", each.value) for each in usual.effects if each.value is not None), None
        ),
    )
