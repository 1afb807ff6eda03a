"""How far two systems lie apart in one run, how surely, and how stable their order is.

Raw judgments come first, with intervals that allow for shared items and people; then the interval
of the difference that a run has stored, which allows for the same; then the intervals of the two
scores; then mean, standard deviation and number of judgments. The last two assume independent
judgments, and the comparison says so.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.analysis.evidence import error_on_the_scale
from rejudge.compare.alignment import Alignment, criterion_of, sd_of, stretch
from rejudge.compare.labs import Labs, labs_of
from rejudge.compare.run import (
    Run,
    RunCriterion,
    are_unlinked,
    difference_of,
    differences_on,
    scores_on,
)
from rejudge.findings.model import Finding
from rejudge.findings.words import How
from rejudge.stats import (
    AdjustedDifference,
    Estimate,
    Interval,
    Summary,
    difference_variance,
    implied_error,
    normal_interval,
    order_stability,
    score_difference,
    t_half_width,
    win_sd,
)
from rejudge.stats.reasons import Reason, Why

if TYPE_CHECKING:
    Numbers: TypeAlias = NDArray[np.float64]


Pair: TypeAlias = tuple[str, str]
INDEPENDENT = Why.AS_INDEPENDENT(of="", effect="the interval is probably too narrow")
FROM_SCORES = Why.FROM_SCORES(of="")
COMPARED = frozenset({"best-worst", "win-rate"})  # each win is another's loss
# What a difference rests on, the method of its key
JUDGMENTS: Final = "judgments"
STORED: Final = "stored-difference"
SCORES: Final = "scores"
SUMMARIES: Final = "summaries"
_LEVEL = 0.95
_PAIR = 2
_BY_CLUSTERS = ("cluster-robust", "mixed-model")  # the first is what raw judgments are analysed by
_UNKNOWN = Why.NEEDS(
    least="an interval, or the SD and the number of judgments,", what="of each score"
)
_ORDER_INDEPENDENT = Why.AS_INDEPENDENT(of="", effect="the probability is probably too high")


def is_clustered(found: Finding) -> bool:
    """Whether a difference allows for what judgments share."""
    return found.key.method in {JUDGMENTS, STORED}


def ordered_pairs(
    aligned: Alignment, criterion: RunCriterion, run: str | None = None
) -> tuple[Pair, ...]:
    """Every two systems that are compared, the better one in the run (or the original) first."""
    return tuple(
        pair
        for pair in combinations(ranked_systems(aligned, criterion, run), 2)
        if aligned.is_compared(criterion, *pair)
    )


def ranked_systems(
    aligned: Alignment, criterion: RunCriterion, run: str | None = None
) -> tuple[str, ...]:
    """The systems a run has scores of, the best first."""
    where = run or aligned.original.id
    systems = aligned.shared(criterion.id, [where])
    sign = better(criterion)
    return tuple(sorted(systems, key=lambda name: -sign * aligned.value(criterion.id, where, name)))


def better(criterion: RunCriterion) -> int:
    """1 where higher scores are better, −1 where lower ones are."""
    return 1 if criterion.is_higher_better else -1


def summary_of(
    aligned: Alignment, criterion: RunCriterion, run: str, system: str
) -> Summary | None:
    """Mean, SD and number of judgments of a score; None where the run does not state them.

    Of a share of wins the SD follows from the share itself, as if no comparison was a tie.
    """
    score = aligned.score(criterion.id, run, system)
    if score is None or score.n is None or score.n < 2:
        return None
    sd = _sd_of_wins(criterion, score) if criterion.kind in COMPARED else sd_of(score)
    return None if sd is None else Summary(score.value or 0.0, sd, score.n)


def summaries_of(
    aligned: Alignment,
    criterion: RunCriterion,
    run: str,
    *,
    pair: Pair,
    difference: Finding | None,
) -> tuple[Summary | None, Summary | None]:
    """Two summaries whose means lie as far apart as the two systems do, compared within items."""
    first, second = (summary_of(aligned, criterion, run, system) for system in pair)
    if first is None or second is None or difference is None or not is_clustered(difference):
        return first, second
    apart = better(criterion) * (difference.value or 0.0)
    return replace(first, mean=second.mean + apart), second


def differences(
    aligned: Alignment, criterion: RunCriterion, run: str, pairs: Sequence[Pair]
) -> dict[Pair, Finding]:
    """First minus second in the sense of better, on the original's scale, by the best evidence."""

    def known(pair: Pair) -> Finding | None:
        about = ("difference", criterion.id, run, pair)
        return aligned.once(about, lambda: _difference(aligned, criterion, run, pair))

    refused = without_shared_items(aligned, criterion, run, pairs)
    found = {pair: known(pair) for pair in pairs if pair not in refused}
    return {pair: each for pair, each in found.items() if each is not None}


def without_shared_items(
    aligned: Alignment, criterion: RunCriterion, run: str, pairs: Sequence[Pair]
) -> frozenset[Pair]:
    """Pairs that a run cannot compare: no shared items, and items not assigned at random.

    Their difference could be one of items, so nothing else may replace it.
    """
    rows = labs_of(aligned, criterion, [run])
    if rows is None:
        here = aligned.run(run)
        asked = criterion_of(here, criterion.id) or criterion
        return frozenset(pair for pair in pairs if are_unlinked(here, asked, pair))
    place = {system: code for code, system in enumerate(rows.systems)}
    return frozenset(p for p in pairs if not rows.has_shared_items(place[p[0]], place[p[1]]))


def _difference(
    aligned: Alignment, criterion: RunCriterion, run: str, pair: Pair
) -> Finding | None:
    scores = [aligned.score(criterion.id, run, system) for system in pair]
    if scores[0] is None or scores[1] is None:
        return None
    empty = Finding(
        key=aligned.key(criterion, "mean-difference", "", [run], pair),
        by="difference",
        value=None,
        n=None,
        n_of="judgments",
        how=(),
    )
    rows = labs_of(aligned, criterion, [run])
    found = None if rows is None else _from_judgments(criterion, rows.by_output(), empty)
    found = found or _from_stored(criterion, aligned.run(run), empty)
    return found or _from_scores(aligned, criterion, run, (empty, scores[0], scores[1]))


def _based_on(basis: str, empty: Finding) -> Finding:
    return replace(empty, key=replace(empty.key, method=basis))


def _from_judgments(criterion: RunCriterion, rows: Labs, empty: Finding) -> Finding | None:
    places = rows.systems.index(empty.systems[0]), rows.systems.index(empty.systems[1])
    if rows.are_comparisons:
        unit = (half_of(criterion) or 1.0) / 100  # best–worst scores reach from −100 to 100
        found = score_difference(rows.comparisons, places, level=_LEVEL)
    else:
        unit = better(criterion)
        found = rows.difference(*places, level=_LEVEL)
    if found.value is None or found.standard_error is None or found.interval is None:
        return None
    ends = sorted((unit * found.interval.low, unit * found.interval.high))
    return replace(
        _based_on(JUDGMENTS, empty),
        value=unit * found.value,
        standard_error=abs(unit) * found.standard_error,
        interval=Interval(ends[0], ends[1], found.interval.level),
        n=found.n,
        how=(How.FROM(source=_how(rows, found)),),
        df=found.df,
        reasons=found.reasons,
    )


def _how(rows: Labs, found: Estimate) -> str:
    if rows.are_comparisons or not isinstance(found, AdjustedDifference):
        return "raw judgments, clusters of items and of participants"
    within = "items and participants" if found.is_within_participants else "items"
    return f"raw judgments compared within {within}, clusters of items and of participants"


def _from_stored(criterion: RunCriterion, run: Run, empty: Finding) -> Finding | None:
    """From the interval of the difference that the run's own analysis has stored."""
    stored = _stored_difference(run, criterion, (empty.systems[0], empty.systems[1]))
    factor = _factor(criterion, run)
    known = None if stored is None else (difference_of(stored), error_on_the_scale(stored))
    if stored is None or known is None or None in known or factor is None:
        return None
    sign = 1 if stored.systems[0] == empty.systems[0] else -1
    value = factor * sign * (known[0] or 0.0)
    error = factor * (known[1] or 0.0)
    return replace(
        _based_on(STORED, empty),
        value=value,
        standard_error=abs(error),
        interval=_around(value, error, stored.df),
        n=stored.n,
        how=(How.FROM(source=f"stored interval of the difference ({stored.by})"),),
        df=stored.df,
    )


def _stored_difference(run: Run, criterion: RunCriterion, pair: Pair) -> Finding | None:
    """The stored difference of two systems that allows for clusters, by the usual analysis first.

    A share of wins in one pair is the difference of two scores only where there is no third system.
    """
    here = criterion_of(run, criterion.id)
    if here is None or (criterion.kind in COMPARED and len(scores_on(run, here)) > _PAIR):
        return None
    found = {
        each.by: each
        for each in reversed(differences_on(run, here))
        if set(each.systems) == set(pair)
    }
    return next((found[by] for by in _BY_CLUSTERS if by in found), None)


def _factor(criterion: RunCriterion, run: Run) -> float | None:
    """How many units of the original's scale are one of a stored difference."""
    if criterion.kind in COMPARED:  # of two scores that mirror each other, from −100 to 100
        half = half_of(criterion)
        return None if half is None else 2 * half / 100
    here = criterion_of(run, criterion.id)
    return None if here is None else stretch(here, criterion)


def _around(value: float, error: float, df: float | None) -> Interval:
    if df is None:
        return normal_interval(value, error, level=_LEVEL)
    reach = t_half_width(error, df, _LEVEL)
    return Interval(value - reach, value + reach, _LEVEL)


def without_differences(aligned: Alignment) -> Iterator[tuple[Run, tuple[str, ...]]]:
    """Runs with stored results, and the criteria for which these lack what a difference needs.

    A case has no judgments of its own: how they were combined is not stored.
    """
    for run in aligned.runs:
        if run.source == "paper" or run.judgments is not None or run.case:
            continue
        lacking = tuple(
            criterion.id
            for criterion in aligned.criteria
            if any(
                _stored_difference(run, criterion, pair) is None
                for pair in combinations(aligned.shared(criterion.id, [run.id]), 2)
            )
        )
        if lacking:
            yield run, lacking


def _from_scores(
    aligned: Alignment,
    criterion: RunCriterion,
    run: str,
    told: tuple[Finding, Finding, Finding],
) -> Finding | None:
    empty, first, second = told
    errors = _errors(aligned, criterion, run, (first, second))
    if errors is None:
        return None
    one, two, how = errors
    df = _df_of_both(first, second)
    rivals = len(aligned.shared(criterion.id, [run])) if criterion.kind in COMPARED else None
    variance = difference_variance(one, two, rivals=rivals)
    if variance <= 0:  # such as 120 wins of 120: the spread does not show the uncertainty
        return None
    value = better(criterion) * ((first.value or 0.0) - (second.value or 0.0))
    has_intervals = first.interval is not None and second.interval is not None
    error = math.sqrt(variance)
    return replace(
        _based_on(SCORES if has_intervals else SUMMARIES, empty),
        value=value,
        standard_error=error,
        interval=_around(value, error, df),
        n=None if first.n is None or second.n is None else first.n + second.n,
        how=(How.FROM(source=how),),
        df=df,
        reasons=(FROM_SCORES if has_intervals else INDEPENDENT,),
    )


def _errors(
    aligned: Alignment, criterion: RunCriterion, run: str, scores: tuple[Finding, Finding]
) -> tuple[float, float, str] | None:
    """The standard errors of two scores, and where they come from."""
    first, second = map(_score_error, scores)
    if first is not None and second is not None:
        return first, second, "intervals of the two scores"
    parts = [summary_of(aligned, criterion, run, score.systems[0]) for score in scores]
    if parts[0] is None or parts[1] is None:
        return None
    one, two = (part.sd / math.sqrt(part.n) for part in parts if part is not None)
    shown = "shares and numbers of comparisons" if criterion.kind in COMPARED else "SDs and n"
    return one, two, shown


def _score_error(score: Finding) -> float | None:
    if score.interval is None:
        return None
    return implied_error(score.interval) if score.standard_error is None else score.standard_error


def _df_of_both(first: Finding, second: Finding) -> float | None:
    """The fewer degrees of freedom of the two: the careful choice. None: normal, or not known."""
    known = [each.df for each in (first, second) if each.standard_error is not None]
    return min((df for df in known if df is not None), default=None)


def _sd_of_wins(criterion: RunCriterion, score: Finding) -> float | None:
    half = half_of(criterion)
    if half is None or criterion.low is None:
        return None
    return half * win_sd(((score.value or 0.0) - criterion.low) / half - 1)


def half_of(criterion: RunCriterion) -> float | None:
    """Half the length of the scale: from as many wins as losses to wins only."""
    if criterion.low is None or criterion.high is None:
        return None
    return (criterion.high - criterion.low) / 2


# how stable an order is


def rank_stability(aligned: Alignment, *, seed: int = 1) -> Iterator[Finding]:
    """Each run's order of systems on each criterion, and how likely it is to come out again.

    Normal errors of the differences: from raw judgments with clusters, from stored intervals, or
    from SDs and numbers of judgments; a repetition misses the truth as the run did
    (`order_stability`). Of more than two systems, each pair is listed as well.
    """
    for criterion in aligned.criteria:
        for run in aligned.runs:
            if len(aligned.shared(criterion.id, [run.id])) > 1:
                yield from _same_order(aligned, criterion, run.id, seed)


def _same_order(
    aligned: Alignment, criterion: RunCriterion, run: str, seed: int
) -> Iterator[Finding]:
    order = ranked_systems(aligned, criterion, run)
    pairs = tuple(combinations(order, 2))
    known = differences(aligned, criterion, run, pairs)
    whole = Finding(
        key=aligned.key(criterion, "same-order", "normal", [run], order),
        by="same-order",
        value=None,
        n=len(order),
        n_of="systems",
        how=(How.NORMAL(),),
        reasons=(_UNKNOWN,),
    )
    if len(known) < len(pairs):
        yield whole
        return
    rng = np.random.default_rng([seed, zlib.crc32(f"{run}.{criterion.id}".encode())])
    score, variance = _tables(order, known)
    found = order_stability(score, variance, rng=rng)
    ways = dict.fromkeys(each.method for each in known.values())
    notes = dict.fromkeys(reason for each in known.values() for reason in _remarks(each))
    yield replace(
        whole,
        key=replace(whole.key, systems=tuple(order[place] for place in found.order)),
        value=found.probability,
        how=(How.NORMAL(), How.TWICE(sources="; ".join(ways))),
        reasons=tuple(notes),
    )
    for each in found.pairs if len(order) > _PAIR else ():
        pair = (order[each.first], order[each.second])
        yield replace(
            whole, key=replace(whole.key, systems=pair), value=each.probability, reasons=()
        )


def _remarks(found: Finding) -> tuple[Reason, ...]:
    return (_ORDER_INDEPENDENT,) if found.key.method == SUMMARIES else found.reasons


def _tables(order: tuple[str, ...], known: Mapping[Pair, Finding]) -> tuple[Numbers, Numbers]:
    """Scores above that of the last system, and the variance of every difference."""
    last = order[-1]
    score = np.array([known[name, last].value if name != last else 0.0 for name in order])
    variance = np.zeros((len(order), len(order)))
    for one, two in combinations(range(len(order)), 2):
        error = known[order[one], order[two]].standard_error or 0.0
        variance[one, two] = variance[two, one] = error**2
    return score, variance
