"""Estimates of a question and the differences between systems; of labels without order, shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import Scores, scores
from rejudge.analysis.descriptives import dealt_facts, has_comparable_means
from rejudge.analysis.estimates import (
    difference_estimate,
    differences,
    mean_estimates,
    means,
    n_of,
    rates,
    standings,
    weighted_facts,
)
from rejudge.analysis.findings import (
    interval_fact,
    on_planned_pairs,
    pairs_of,
    population_of_clusters,
    with_alternative,
    with_estimate,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.findings.model import Finding, Key
from rejudge.findings.planned_keys import label_name
from rejudge.findings.words import How
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Why

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TWO = 2


def estimate_findings(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Scores of systems and differences between them; of labels without order, their shares."""
    if asked.is_named:
        yield from shares(analysis, asked, judgments)
        pairs = share_differences
    else:
        yield from (standings if asked.is_comparison else means)(analysis, asked, judgments)
        pairs = rates if asked.is_comparison else differences
    yield from on_planned_pairs(
        analysis, asked, analysis.check(asked), lambda ordered: pairs(ordered, asked, judgments)
    )


def shares(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """How often each label was given to each system, in percent."""
    for label in _labels(asked, judgments):
        table = _given(analysis, judgments, label)
        is_comparable = has_comparable_means(analysis, table)
        found = mean_estimates(analysis, replace(asked, bounds=(0.0, 100.0)), table)
        for system, estimate in zip(analysis.outline.systems, found, strict=True):
            finding = Finding(
                key=Key(asked.id, "share", "share", (system,), label_name(asked.labels, label)),
                by="share",
                value=estimate.value,
                n=estimate.n,
                n_of=n_of(asked),
                how=(
                    How.SHARE(what=_what(asked)),
                    *weighted_facts(table.weights),
                    interval_fact(estimate, has_participants=table.has_participants),
                ),
                is_planned=analysis.is_planned(asked),
                is_comparable=is_comparable,
                is_weighted=table.weights is not None,
            )
            reasons = () if is_comparable else (Why.DIFFERENT_COVERAGE(what="shares"),)
            yield with_estimate(
                finding, estimate, *reasons, has_participants=table.has_participants
            )


def share_differences(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """The difference between two systems in the share of each label.

    Of two labels, one has the difference of the other with the opposite sign: it is tested once.
    """
    labels = _labels(asked, judgments)
    for label in labels[1:] if len(labels) == _TWO else labels:
        table = _given(analysis, judgments, label)
        judged = set(table.system.tolist())
        for pair in pairs_of(analysis.outline.systems):
            if judged.issuperset(pair):
                yield _difference(analysis, asked, table, pair, label=label)


def _difference(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    table: Scores,
    pair: tuple[int, int],
    *,
    label: float,
) -> Finding:
    first, second = (analysis.outline.systems[code] for code in pair)
    found = difference_estimate(analysis, table, pair)
    is_known = table.has_participants
    is_within = isinstance(found, stats.AdjustedDifference)
    finding = Finding(
        key=Key(
            asked.id,
            "share-difference",
            "cluster-robust",
            (first, second),
            label_name(asked.labels, label),
        ),
        by="cluster-robust",
        value=found.value,
        n=found.n or int(np.isin(table.system, pair).sum()),
        n_of=n_of(asked),
        how=(
            How.SHARE_DIFFERENCE(),
            *((How.WITHIN_ITEMS(),) if is_within else ()),
            *weighted_facts(table.weights),
            *dealt_facts(analysis, table),
            interval_fact(found, has_participants=is_known),
            How.AGAINST(null="0"),
        ),
        p=found.p,
        is_planned=analysis.is_planned(asked, "cluster-robust"),
        is_weighted=table.weights is not None,
    )
    tested = with_alternative(
        with_estimate(finding, found, has_participants=is_known),
        analysis.alternative(asked, "cluster-robust"),
    )
    return replace(tested, population=population_of_clusters(has_participants=is_known))


def _labels(asked: AnalysedQuestion, judgments: Judgments) -> list[float]:
    """The labels that could be given, or else those that were."""
    given: NDArray[np.float64] = np.unique(judgments.value)
    return sorted({*asked.points, *given.tolist()})


def _given(analysis: AnalysisPlan, judgments: Judgments, label: float) -> Scores:
    """100 for each judgment that gave a label, 0 for each other: the mean is a share in percent."""
    is_given = 100.0 * (judgments.value == label)
    return scores(analysis.outline, replace(judgments, value=is_given))


def _what(asked: AnalysedQuestion) -> str:
    return "segments, averaged over outputs," if asked.in_segments else "judgments"
