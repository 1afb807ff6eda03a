"""Scores of systems and the differences between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import (
    Scores,
    choices_of_first_shown,
    comparisons,
    knows_participants,
    scores,
    weighted_comparisons,
)
from rejudge.analysis.descriptives import dealt_facts, has_comparable_means
from rejudge.analysis.findings import (
    interval_fact,
    pairs_of,
    population_of_clusters,
    texts,
    with_alternative,
    with_estimate,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.findings.model import Finding, Key, Spread, Tally
from rejudge.findings.words import Fact, How
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Why

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_VALUES = 20  # a slider's scores are not listed one by one


def means(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """The mean of each system."""
    yield from _means(analysis, asked, scores(analysis.outline, judgments))


def differences(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """The difference of each pair of systems."""
    table = scores(analysis.outline, judgments)
    judged = set(table.system.tolist())
    for pair in pairs_of(analysis.outline.systems):
        if judged.issuperset(pair):
            yield _difference(analysis, asked, table, pair)


def _means(analysis: AnalysisPlan, asked: AnalysedQuestion, table: Scores) -> Iterator[Finding]:
    systems = analysis.outline.systems
    is_comparable = has_comparable_means(analysis, table)
    means = mean_estimates(analysis, asked, table)
    what = How.MEAN_OF_SEGMENTS() if asked.in_segments else How.MEAN()
    z = _z(table, len(systems))
    for code, (system, mean) in enumerate(zip(systems, means, strict=True)):
        finding = Finding(
            key=Key(asked.id, "mean", "mean", (system,)),
            by="mean",
            value=mean.value,
            n=mean.n,
            n_of=n_of(asked),
            how=(what, *weighted_facts(table.weights), _interval(table, mean)),
            is_planned=analysis.is_planned(asked),
            spread=_spread(table.value[table.system == code], asked, z.get(code)),
            is_comparable=is_comparable,
            is_weighted=table.weights is not None,
        )
        reasons = () if is_comparable else (Why.DIFFERENT_COVERAGE(what="means"),)
        yield with_estimate(finding, mean, *reasons, has_participants=table.has_participants)


def weighted_facts(weights: stats.ItemWeights | None) -> tuple[Fact, ...]:
    """States that items count by the inverse of their probability of selection, if they do."""
    return () if weights is None else (How.WEIGHTED(),)


def mean_estimates(
    analysis: AnalysisPlan, asked: AnalysedQuestion, table: Scores
) -> tuple[stats.Estimate, ...]:
    """The mean of each system, weighted where items were not equally likely to be selected."""
    if table.weights is None:
        compute = stats.mean_by_system
    else:
        compute = partial(stats.weighted_mean_by_system, weights=table.weights)
    return compute(
        table.value,
        table.system,
        item=table.item,
        participant=table.participant,
        systems=len(analysis.outline.systems),
        level=analysis.level,
        bounds=asked.bounds,
    )


def difference_estimate(
    analysis: AnalysisPlan, table: Scores, pair: tuple[int, int]
) -> stats.Estimate:
    """The difference of two systems, compared within items unless chance dealt these out."""
    is_random = analysis.items_dealt_at_random
    compute: Callable[..., stats.Estimate]
    if table.weights is None:
        compute = stats.mean_difference if is_random else stats.adjusted_difference
    else:
        weighted = (
            stats.weighted_mean_difference if is_random else stats.weighted_adjusted_difference
        )
        compute = partial(weighted, weights=table.weights)
    return compute(
        table.value,
        table.system,
        pair,
        item=table.item,
        participant=table.participant,
        level=analysis.level,
    )


def _spread(
    value: NDArray[np.float64], asked: AnalysedQuestion, z: NDArray[np.float64] | None
) -> Spread | None:
    if not len(value):
        return None
    lower, median, upper = np.quantile(value, [0.25, 0.5, 0.75]).tolist()
    values, counts = np.unique(value, return_counts=True)
    listed = dict(zip((f"{each:g}" for each in values), counts.tolist(), strict=True))
    return Spread(
        sd=float(value.std(ddof=1)) if len(value) > 1 else None,
        median=median,
        lower=lower,
        upper=upper,
        counts=listed if len(values) <= _MOST_VALUES else {},
        normalised=_normalised_mean(value, asked.bounds),
        z=None if z is None else float(z.mean()),
    )


def _z(table: Scores, systems: int) -> dict[int, NDArray[np.float64]]:
    """Scores in each participant's own terms, by system; none where no participants are known."""
    if not table.has_participants or not len(table.value) or table.participant.min() < 0:
        return {}
    z = stats.z_by_participant(table.value, table.participant).value
    return {code: z[table.system == code] for code in range(systems)}


def _normalised_mean(
    value: NDArray[np.float64], bounds: tuple[float, float] | None
) -> float | None:
    """The mean between the declared ends of the scale; None where these are not known or kept."""
    if bounds is None or value.min() < bounds[0] or value.max() > bounds[1]:
        return None
    return float(stats.normalise(value, bounds).mean())


def _difference(
    analysis: AnalysisPlan, asked: AnalysedQuestion, table: Scores, pair: tuple[int, int]
) -> Finding:
    first, second = (analysis.outline.systems[code] for code in pair)
    difference = difference_estimate(analysis, table, pair)
    finding = Finding(
        key=Key(asked.id, "mean-difference", "cluster-robust", (first, second)),
        by="cluster-robust",
        value=difference.value,
        n=difference.n or _rows_of(table, pair),
        n_of=n_of(asked),
        how=(
            _comparison(difference),
            *weighted_facts(table.weights),
            *dealt_facts(analysis, table),
            _interval(table, difference),
            How.AGAINST(null="0"),
        ),
        p=difference.p,
        is_planned=analysis.is_planned(asked, "cluster-robust"),
        is_weighted=table.weights is not None,
    )
    found = with_alternative(
        with_estimate(finding, difference, has_participants=table.has_participants),
        analysis.alternative(asked, "cluster-robust"),
    )
    population = population_of_clusters(has_participants=table.has_participants)
    return replace(found, population=population)


def _rows_of(table: Scores, pair: tuple[int, int]) -> int:
    return int(((table.system == pair[0]) | (table.system == pair[1])).sum())


def _comparison(difference: stats.Estimate) -> Fact:
    """How two systems were compared."""
    if not isinstance(difference, stats.AdjustedDifference):
        return How.DIFFERENCE_OF_MEANS()
    within = "items and participants" if difference.is_within_participants else "items"
    return How.WITHIN(within=within)


def _interval(table: Scores, estimate: stats.Estimate) -> Fact:
    return interval_fact(estimate, has_participants=table.has_participants)


def n_of(asked: AnalysedQuestion) -> Literal["judgments", "scores", "comparisons"]:
    """What is counted; of segments the mean over an output, which is one score of one person."""
    if asked.is_implied:
        return "comparisons"
    return "scores" if asked.in_segments else "judgments"


def standings(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Each system against all others."""
    rows = weighted_comparisons(analysis.outline, judgments)
    is_known = knows_participants(rows)
    shares = stats.win_table(rows, level=analysis.level)
    scores = stats.relative_preference(rows, level=analysis.level)
    for standing, score in zip(shares, scores, strict=True):
        for finding in standing_findings(
            analysis, asked, standing, score, has_participants=is_known
        ):
            yield _completed(asked, finding, rows)


def rates(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Who wins each pair of systems."""
    rows = weighted_comparisons(analysis.outline, judgments)
    is_known = knows_participants(rows)
    for rate in stats.pair_rates(rows, level=analysis.level):
        finding = pair_finding(analysis, asked, rate, has_participants=is_known)
        yield _completed(asked, finding, rows)


def _completed(asked: AnalysedQuestion, finding: Finding, rows: stats.Comparisons) -> Finding:
    """A share whose method names the weights, if it has any; its tally counts without them."""
    what, *how = finding.how
    implied = (Why.IMPLIED(),) if asked.is_implied else ()
    return replace(
        finding,
        how=(what, *weighted_facts(rows.weights), *how),
        is_weighted=rows.weights is not None,
        reasons=(*finding.reasons, *implied),
    )


def sign_flips(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """The permutation test of each pair, by item."""
    rows = comparisons(analysis.outline, judgments)
    for rate in stats.pair_rates(rows, level=analysis.level):
        yield _sign_flip(analysis, asked, rate, rows)


def first_position_bias(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Whether the output shown first is preferred."""
    value, known = choices_of_first_shown(judgments)
    rows = comparisons(analysis.outline, judgments.take(known))
    is_known = knows_participants(rows)
    estimate = stats.share_of_first(
        value, item=rows.item, participant=rows.participant, level=analysis.level
    )
    finding = Finding(
        key=Key(asked.id, "first-shown-percent", "first-shown"),
        by="cluster-robust",
        value=estimate.value,
        n=estimate.n,
        n_of=_n_of_comparisons(asked),
        how=(
            How.FIRST_SHOWN(),
            interval_fact(estimate, has_participants=is_known),
            How.AGAINST(null="50 %"),
        ),
        p=estimate.p,
        is_planned=False,
    )
    yield with_estimate(finding, estimate, has_participants=is_known)


def standing_findings(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    standing: stats.Standing,
    score: stats.Estimate,
    *,
    has_participants: bool,
) -> Iterator[Finding]:
    """The win percentage and the best–worst score of a system."""
    system = analysis.outline.systems[standing.system]
    rate = standing.win_percent
    base = with_estimate(
        Finding(
            key=Key(asked.id, "win-percent", "wins", (system,)),
            by="wins",
            value=rate.value,
            n=rate.n,
            n_of=_n_of_comparisons(asked),
            how=(How.WINS(), interval_fact(rate, has_participants=has_participants)),
            tally=Tally(standing.wins, standing.losses, standing.ties),
            is_planned=analysis.is_planned(asked),
        ),
        rate,
        has_participants=has_participants,
    )
    yield base
    what = "wins − losses"
    if asked.is_implied:
        what = "times best − times worst, in rankings options beaten − options lost to, as a share"
    scored = replace(
        base,
        key=Key(asked.id, "best-worst-score", "best-worst", (system,)),
        by="best-worst",
        value=score.value,
        n=score.n,
        n_of="judgments",
        how=(How.BEST_WORST(what=what), interval_fact(score, has_participants=has_participants)),
    )
    yield with_estimate(scored, score, has_participants=has_participants)


def _n_of_comparisons(asked: AnalysedQuestion) -> Literal["judgments", "comparisons"]:
    return "comparisons" if asked.is_implied else "judgments"


def pair_finding(
    analysis: AnalysisPlan, asked: AnalysedQuestion, rate: stats.PairRate, *, has_participants: bool
) -> Finding:
    """How often the first of two systems was preferred."""
    first, second = (analysis.outline.systems[code] for code in (rate.first, rate.second))
    estimate = rate.win_percent
    finding = with_estimate(
        Finding(
            key=Key(asked.id, "win-percent", "cluster-robust", (first, second)),
            by="cluster-robust",
            value=estimate.value,
            n=estimate.n,
            n_of=_n_of_comparisons(asked),
            how=(
                How.PREFERENCE(),
                interval_fact(estimate, has_participants=has_participants),
                How.AGAINST(null="50 %"),
            ),
            p=estimate.p,
            tally=Tally(rate.wins, rate.losses, rate.ties),
            is_planned=analysis.is_planned(asked, "cluster-robust"),
        ),
        estimate,
        has_participants=has_participants,
    )
    found = with_alternative(finding, analysis.alternative(asked, "cluster-robust"), null=50.0)
    return replace(found, population=population_of_clusters(has_participants=has_participants))


def _sign_flip(
    analysis: AnalysisPlan, asked: AnalysedQuestion, rate: stats.PairRate, table: stats.Comparisons
) -> Finding:
    first, second = (analysis.outline.systems[code] for code in (rate.first, rate.second))
    key = Key(asked.id, "win-percent", "sign-flip", (first, second))
    rows = table.of(rate.first, rate.second)
    alternative = analysis.alternative(asked, "sign-flip")
    flip = stats.sign_flip(
        rows.preference, rows.item, rng=analysis.rng(key.id), alternative=alternative
    )
    patterns = "all sign patterns counted" if flip.is_exact else "9,999 sign patterns drawn"
    return Finding(
        key=key,
        by="sign-flip",
        value=rate.win_percent.value,
        n=rate.win_percent.n,
        n_of=_n_of_comparisons(asked),
        how=(How.SIGN_FLIP(n=flip.items, patterns=patterns),),
        p=flip.p,
        items=rate.win_percent.items,
        participants=rate.win_percent.participants if knows_participants(table) else None,
        tally=Tally(rate.wins, rate.losses, rate.ties),
        is_planned=analysis.is_planned(asked, "sign-flip"),
        alternative=alternative,
        population="items",
        reasons=texts(flip.note),
    )
