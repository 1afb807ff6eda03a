"""Scores of systems and the differences between them; of labels without order, their shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import Scores, choices_of_first_shown, scores
from rejudge.analysis.data import QuestionData, difference_estimate
from rejudge.analysis.evidence import turned
from rejudge.analysis.findings import (
    interval_fact,
    population_of_clusters,
    undefined_pair,
    with_alternative,
    with_estimate,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.findings.model import Finding, Key, Spread, Tally
from rejudge.findings.planned_keys import label_name
from rejudge.findings.words import Fact, How
from rejudge.stats.reasons import Why
from rejudge.study.analysis_plan import PlannedTest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_VALUES = 20  # a slider's scores are not listed one by one
_TWO = 2


def estimates(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """Scores of systems and differences between them; of labels without order, their shares."""
    yield from system_scores(analysis, data)
    yield from cluster_robust(analysis, data, analysis.check(data.question))


def system_scores(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """What describes each system: its mean, its share of wins, or its shares of labels."""
    if data.question.is_comparison:
        yield from _standings(analysis, data)
    elif data.question.is_named:
        for label in _labels(data):
            yield from _shares(analysis, data, label)
    else:
        yield from _means(analysis, data)


def cluster_robust(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """The difference of each pair of systems that the test compares."""
    if data.question.is_comparison:
        found = list(_rates(analysis, data, planned))
    elif data.question.is_named:
        found = list(_share_differences(analysis, data, planned))
    else:
        found = [
            _difference(analysis, data, pair)
            for pair in data.pairs(planned)
            if data.judged.issuperset(pair)
        ]
    yield from found
    missing = set(planned.pairs) - {each.systems for each in found}
    for pair in planned.pairs:
        if pair in missing:
            yield undefined_pair(analysis, data, planned, pair)


# Means


def _means(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    table, question = data.scores, data.question
    found = _mean_estimates(analysis, data, table, question.bounds)
    what = How.MEAN_OF_SEGMENTS() if question.in_segments else How.MEAN()
    z = _z(table)
    for code, mean in enumerate(found):
        finding = Finding(
            key=data.key("mean", "mean", (data.systems[code],)),
            by="mean",
            value=mean.value,
            n=mean.n,
            n_of=n_of(question),
            how=(what, *weighted_facts(table.weights), _interval(table, mean)),
            is_planned=analysis.is_planned(question),
            spread=_spread(table, code, question, z),
            is_comparable=data.has_comparable_means,
            is_weighted=table.weights is not None,
        )
        reasons = () if data.has_comparable_means else (Why.DIFFERENT_COVERAGE(what="means"),)
        yield with_estimate(finding, mean, *reasons, has_participants=table.has_participants)


def weighted_facts(weights: stats.ItemWeights | None) -> tuple[Fact, ...]:
    """States that items count by the inverse of their probability of selection, if they do."""
    return () if weights is None else (How.WEIGHTED(),)


def _mean_estimates(
    analysis: AnalysisPlan, data: QuestionData, table: Scores, bounds: tuple[float, float] | None
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
        systems=len(data.systems),
        level=analysis.level,
        bounds=bounds,
    )


def _spread(
    table: Scores, system: int, asked: AnalysedQuestion, z: NDArray[np.float64] | None
) -> Spread | None:
    rows = table.system == system
    value = table.value[rows]
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
        z=None if z is None else float(z[rows].mean()),
    )


def _z(table: Scores) -> NDArray[np.float64] | None:
    """Scores in each participant's own terms; None where no participants are known."""
    if not table.has_participants or not len(table.value) or table.participant.min() < 0:
        return None
    return stats.z_by_participant(table.value, table.participant).value


def _normalised_mean(
    value: NDArray[np.float64], bounds: tuple[float, float] | None
) -> float | None:
    """The mean between the declared ends of the scale; None where these are not known or kept."""
    if bounds is None or value.min() < bounds[0] or value.max() > bounds[1]:
        return None
    return float(stats.normalise(value, bounds).mean())


def _difference(analysis: AnalysisPlan, data: QuestionData, pair: tuple[int, int]) -> Finding:
    table, difference = data.scores, data.difference(pair, analysis.level)
    if not isinstance(difference, stats.AdjustedDifference):
        what = How.DIFFERENCE_OF_MEANS()
    else:
        within = "items and participants" if difference.is_within_participants else "items"
        what = How.WITHIN(within=within)
    finding = Finding(
        key=data.key("mean-difference", "cluster-robust", data.names(pair)),
        by="cluster-robust",
        value=difference.value,
        n=difference.n or int(np.isin(table.system, pair).sum()),
        n_of=n_of(data.question),
        how=_difference_facts(data, table, difference, what),
        is_weighted=table.weights is not None,
        p=difference.p,
        is_planned=analysis.is_planned(data.question, "cluster-robust"),
    )
    return _tested(analysis, data, finding, difference)


def _difference_facts(
    data: QuestionData, table: Scores, found: stats.Estimate, *what: Fact
) -> tuple[Fact, ...]:
    return (
        *what,
        *weighted_facts(table.weights),
        *data.dealt_facts,
        _interval(table, found),
        How.AGAINST(null="0"),
    )


def _tested(
    analysis: AnalysisPlan, data: QuestionData, finding: Finding, found: stats.Estimate
) -> Finding:
    is_known = data.scores.has_participants
    whole = with_alternative(
        with_estimate(finding, found, has_participants=is_known),
        analysis.alternative(data.question, "cluster-robust"),
    )
    return replace(whole, population=population_of_clusters(has_participants=is_known))


def _interval(table: Scores, estimate: stats.Estimate) -> Fact:
    return interval_fact(estimate, has_participants=table.has_participants)


def n_of(asked: AnalysedQuestion) -> Literal["judgments", "scores", "comparisons"]:
    """What is counted; of segments the mean over an output, which is one score of one person."""
    if asked.is_implied:
        return "comparisons"
    return "scores" if asked.in_segments else "judgments"


# Shares of labels


def _labels(data: QuestionData) -> list[float]:
    """The labels that could be given, or else those that were."""
    given: NDArray[np.float64] = np.unique(data.rows.value)
    return sorted({*data.question.points, *given.tolist()})


def _scores_of_label(data: QuestionData, label: float) -> Scores:
    """100 for each judgment that gave a label, 0 for each other: the mean is a share in percent."""
    is_given = 100.0 * (data.rows.value == label)
    return scores(data.outline, replace(data.rows, value=is_given))


def _shares(analysis: AnalysisPlan, data: QuestionData, label: float) -> Iterator[Finding]:
    """How often a label was given to each system, in percent."""
    table, question = _scores_of_label(data, label), data.question
    found = _mean_estimates(analysis, data, table, (0.0, 100.0))
    what = "segments, averaged over outputs," if question.in_segments else "judgments"
    for system, share in zip(data.systems, found, strict=True):
        finding = Finding(
            key=data.key("share", "share", (system,), label_name(question.labels, label)),
            by="share",
            value=share.value,
            n=share.n,
            n_of=n_of(question),
            how=(How.SHARE(what=what), *weighted_facts(table.weights), _interval(table, share)),
            is_planned=analysis.is_planned(question),
            is_comparable=data.has_comparable_means,
            is_weighted=table.weights is not None,
        )
        reasons = () if data.has_comparable_means else (Why.DIFFERENT_COVERAGE(what="shares"),)
        yield with_estimate(finding, share, *reasons, has_participants=table.has_participants)


def _share_differences(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """The difference between two systems in the share of each label.

    Of two labels, one has the difference of the other with the opposite sign: it is tested once.
    """
    labels, question = _labels(data), data.question
    for label in labels[1:] if len(labels) == _TWO else labels:
        table, name = _scores_of_label(data, label), label_name(question.labels, label)
        for pair in data.pairs(planned):
            if not data.judged.issuperset(pair):
                continue
            found = difference_estimate(table, pair, level=analysis.level, is_dealt=data.is_dealt)
            is_within = isinstance(found, stats.AdjustedDifference)
            what = (How.SHARE_DIFFERENCE(), *((How.WITHIN_ITEMS(),) if is_within else ()))
            finding = Finding(
                key=data.key("share-difference", "cluster-robust", data.names(pair), name),
                by="cluster-robust",
                value=found.value,
                n=found.n or int(np.isin(table.system, pair).sum()),
                n_of=n_of(question),
                how=_difference_facts(data, table, found, *what),
                p=found.p,
                is_planned=analysis.is_planned(question, "cluster-robust"),
                is_weighted=table.weights is not None,
            )
            yield _tested(analysis, data, finding, found)


# Wins


def _standings(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """Each system against all others."""
    rows = data.comparisons
    shares = stats.win_table(rows, level=analysis.level)
    scored = stats.relative_preference(rows, level=analysis.level)
    for standing, score in zip(shares, scored, strict=True):
        for finding in standing_findings(analysis, data, standing, score):
            yield _completed(data, finding)


def _rates(analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest) -> Iterator[Finding]:
    """Who wins each pair of systems."""
    rates = {
        (rate.first, rate.second): rate
        for rate in stats.pair_rates(data.comparisons, level=analysis.level)
    }
    for pair in data.pairs(planned):
        rate = rates.get((min(pair), max(pair)))
        if rate is not None:
            yield _completed(data, pair_finding(analysis, data, rate, pair))


def _completed(data: QuestionData, finding: Finding) -> Finding:
    """A share whose method names the weights, if it has any; its tally counts without them."""
    what, *how = finding.how
    implied = (Why.IMPLIED(),) if data.question.is_implied else ()
    weights = data.comparisons.weights
    return replace(
        finding,
        how=(what, *weighted_facts(weights), *how),
        is_weighted=weights is not None,
        reasons=(*finding.reasons, *implied),
    )


def standing_findings(
    analysis: AnalysisPlan, data: QuestionData, standing: stats.Standing, score: stats.Estimate
) -> Iterator[Finding]:
    """The win percentage and the best–worst score of a system."""
    system, question = data.systems[standing.system], data.question
    is_known, rate = data.knows_clusters, standing
    base = Finding(
        key=data.key("win-percent", "wins", (system,)),
        by="wins",
        value=rate.value,
        n=rate.n,
        n_of=_n_of_comparisons(question),
        how=(How.WINS(), interval_fact(rate, has_participants=is_known)),
        tally=Tally(standing.wins, standing.losses, standing.ties),
        is_planned=analysis.is_planned(question),
    )
    yield with_estimate(base, rate, has_participants=is_known)
    what = "wins − losses"
    if question.is_implied:
        what = "times best − times worst, in rankings options beaten − options lost to, as a share"
    scored = replace(
        base,
        key=data.key("best-worst-score", "best-worst", (system,)),
        by="best-worst",
        value=score.value,
        n=score.n,
        n_of="judgments",
        how=(How.BEST_WORST(what=what), interval_fact(score, has_participants=is_known)),
    )
    yield with_estimate(scored, score, has_participants=is_known)


def _n_of_comparisons(asked: AnalysedQuestion) -> Literal["judgments", "comparisons"]:
    return "comparisons" if asked.is_implied else "judgments"


def pair_finding(
    analysis: AnalysisPlan, data: QuestionData, rate: stats.PairRate, pair: tuple[int, int]
) -> Finding:
    """How often the first of two systems was preferred."""
    estimate, is_known = rate, data.knows_clusters
    finding = with_estimate(
        Finding(
            key=data.key("win-percent", "cluster-robust", data.names((rate.first, rate.second))),
            by="cluster-robust",
            value=estimate.value,
            n=estimate.n,
            n_of=_n_of_comparisons(data.question),
            how=(
                How.PREFERENCE(),
                interval_fact(estimate, has_participants=is_known),
                How.AGAINST(null="50 %"),
            ),
            p=estimate.p,
            tally=Tally(rate.wins, rate.losses, rate.ties),
            is_planned=analysis.is_planned(data.question, "cluster-robust"),
        ),
        estimate,
        has_participants=is_known,
    )
    ordered = finding if pair == (rate.first, rate.second) else turned(finding)
    alternative = analysis.alternative(data.question, "cluster-robust")
    found = with_alternative(ordered, alternative, null=50.0)
    return replace(found, population=population_of_clusters(has_participants=is_known))


def sign_flips(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """The permutation test of each pair, by item."""
    found = stats.pair_rates(data.unweighted_comparisons, level=analysis.level)
    rates = {(rate.first, rate.second): rate for rate in found}
    for pair in data.pairs(planned):
        rate = rates.get((min(pair), max(pair)))
        if rate is not None:
            yield _sign_flip(analysis, data, rate, pair)


def _sign_flip(
    analysis: AnalysisPlan, data: QuestionData, rate: stats.PairRate, pair: tuple[int, int]
) -> Finding:
    names = data.names(pair)
    rows = data.unweighted_comparisons.of(*pair)
    stream = Key(data.question.id, "win-percent", "sign-flip", names).id  # the same in each case
    alternative = analysis.alternative(data.question, "sign-flip")
    flip = stats.sign_flip(
        rows.preference, rows.item, rng=analysis.rng(stream), alternative=alternative
    )
    patterns = "all sign patterns counted" if flip.is_exact else "9,999 sign patterns drawn"
    finding = Finding(
        key=data.key("win-percent", "sign-flip", data.names((rate.first, rate.second))),
        by="sign-flip",
        value=rate.value,
        n=rate.n,
        n_of=_n_of_comparisons(data.question),
        how=(How.SIGN_FLIP(n=flip.n or 0, patterns=patterns),),
        items=rate.items,
        participants=rate.participants if data.knows_clusters else None,
        tally=Tally(rate.wins, rate.losses, rate.ties),
        is_planned=analysis.is_planned(data.question, "sign-flip"),
        population="items",
        reasons=flip.reasons,
    )
    ordered = finding if pair == (rate.first, rate.second) else turned(finding)
    return replace(ordered, p=flip.p, alternative=alternative)


def first_position_bias(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """Whether the output shown first is preferred."""
    value, known = choices_of_first_shown(data.rows)
    rows, is_known = data.unweighted_comparisons, data.knows_clusters
    estimate = stats.share_of_first(
        value, item=rows.item[known], participant=rows.participant[known], level=analysis.level
    )
    finding = Finding(
        key=data.key("first-shown-percent", "first-shown"),
        by="cluster-robust",
        value=estimate.value,
        n=estimate.n,
        n_of=_n_of_comparisons(data.question),
        how=(
            How.FIRST_SHOWN(),
            interval_fact(estimate, has_participants=is_known),
            How.AGAINST(null="50 %"),
        ),
        p=estimate.p,
        is_planned=False,
    )
    yield with_estimate(finding, estimate, has_participants=is_known)
