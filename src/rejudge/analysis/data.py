"""The judgments of one question, in one group and one case: made once, each part computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.cases import AGGREGATED, combine_judgments
from rejudge.analysis.columns import (
    Scores,
    are_choices,
    by_person,
    has_participants,
    knows_participants,
    levels,
    scores,
    sides,
    weighted_comparisons,
)
from rejudge.analysis.evidence import turned
from rejudge.analysis.outline import AnalysedQuestion, Grouping
from rejudge.findings.model import Finding, Group, Key, Measure
from rejudge.findings.words import Fact, How
from rejudge.study.analysis_plan import MultipleCase, PlannedTest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.judgments.table import Judgments

_NO_PERSON = AGGREGATED[:2]  # a mean or median of points is on no scale of points


class QuestionData:
    """One question in one group and one case; what every step of the analysis reads."""

    def __init__(
        self,
        analysis: AnalysisPlan,
        question: AnalysedQuestion,
        rows: Judgments,
        *,
        group: tuple[Group, ...] = (),
        case: str = "",
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        self.question = question
        self.everything = rows  # also what was judged a second time
        self.outline = analysis.outline
        self.is_dealt = analysis.items_dealt_at_random
        self.group = group
        self.case = case
        self.left_out = left_out  # tests that the analysis itself leaves out

    def of_group(
        self, analysis: AnalysisPlan, group: Group, rows: NDArray[np.bool_]
    ) -> QuestionData:
        """The judgments of one group."""
        return QuestionData(
            analysis,
            self.question,
            self.rows.take(rows),
            group=(group,),
            case=self.case,
            left_out=self.left_out,
        )

    def key(
        self, measure: Measure, method: str, systems: tuple[str, ...] = (), category: str = ""
    ) -> Key:
        """The address of a number about this question, group and case."""
        return Key(self.question.id, measure, method, systems, category, self.group, case=self.case)

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems of the analysis, also those that were not judged here."""
        return self.outline.systems

    def names(self, pair: Sequence[int]) -> tuple[str, str]:
        """The systems of a pair of codes."""
        return self.systems[pair[0]], self.systems[pair[1]]

    def pairs(self, planned: PlannedTest | None = None) -> list[tuple[int, int]]:
        """The pairs that a test compares, as codes in the order in which it takes them."""
        if planned is None or not planned.pairs:
            return list(combinations(range(len(self.systems)), 2))
        place = {name: code for code, name in enumerate(self.systems)}
        return [(place[first], place[second]) for first, second in planned.pairs]

    @cached_property
    def rows(self) -> Judgments:
        """The judgments that count."""
        return self.everything.of_kind("real")

    @cached_property
    def has_participants(self) -> bool:
        """Whether it is known who judged."""
        return has_participants(self.rows)

    @cached_property
    def scores(self) -> Scores:
        """One score per output and participant; in some cases items are the only clusters."""
        if self.outline.by_items_alone:
            return scores(self.outline, self.rows)
        return self.scores_by_person

    @cached_property
    def scores_by_person(self) -> Scores:
        """One score per output and participant."""
        return by_person(self.outline, self.rows)

    @cached_property
    def comparisons(self) -> stats.Comparisons:
        """The comparisons, with the weights of their items."""
        return weighted_comparisons(self.outline, self.rows)

    @cached_property
    def unweighted_comparisons(self) -> stats.Comparisons:
        """The comparisons as models take them."""
        return replace(self.comparisons, weights=None)

    @cached_property
    def are_choices(self) -> bool:
        """Whether each comparison was won, lost or tied."""
        return are_choices(self.rows)

    @cached_property
    def sides(self) -> NDArray[np.int64] | None:
        """Which of two outputs was shown first."""
        return sides(self.rows)

    @cached_property
    def knows_clusters(self) -> bool:
        """Whether participants are clusters beside items."""
        if self.question.is_comparison:
            return knows_participants(self.comparisons)
        return self.scores.has_participants

    @cached_property
    def sizes(self) -> tuple[int, int | None]:
        """How many items and participants there are; None: not known."""
        table = self.comparisons if self.question.is_comparison else self.scores
        people = levels(table.participant) if self.knows_clusters else None
        return levels(table.item), people

    @cached_property
    def judged(self) -> frozenset[int]:
        """The systems that have scores."""
        return frozenset(self.scores.system.tolist())

    @cached_property
    def coverage(self) -> stats.Coverage:
        """Who judged what."""
        table = self.scores
        return stats.coverage_table(
            table.system, table.item, table.participant, systems=len(self.systems)
        )

    @cached_property
    def has_comparable_means(self) -> bool:
        """Whether means are based on nearly the same items and people, or items were dealt."""
        return self.is_dealt or not len(self.scores.value) or self.coverage.has_comparable_means

    @cached_property
    def dealt_facts(self) -> tuple[Fact, ...]:
        """States that means are compared although items differ."""
        is_even = not self.is_dealt or self.coverage.is_even_by_item
        return () if is_even else (How.DEALT(),)

    @cached_property
    def terms(self) -> tuple[stats.CoverageTerm, ...]:
        """Covariates that keep a model's comparison within items and participants (decision 12)."""
        if self.is_dealt:
            return ()
        table = self.scores
        return stats.coverage_terms(
            table.system, table.item, table.participant, systems=len(self.systems)
        )

    @cached_property
    def _differences(self) -> dict[tuple[int, int], stats.Estimate]:
        return {}

    def difference(self, pair: tuple[int, int], level: float) -> stats.Estimate:
        """The cluster-robust difference of two systems, compared within items unless dealt."""
        if pair not in self._differences:
            self._differences[pair] = difference_estimate(
                self.scores, pair, level=level, is_dealt=self.is_dealt
            )
        return self._differences[pair]


def difference_estimate(
    table: Scores, pair: tuple[int, int], *, level: float, is_dealt: bool
) -> stats.Estimate:
    """The difference of two systems, compared within items unless chance dealt these out."""
    compute: Callable[..., stats.Estimate]
    if table.weights is None:
        compute = stats.mean_difference if is_dealt else stats.adjusted_difference
    else:
        weighted = (
            stats.weighted_mean_difference if is_dealt else stats.weighted_adjusted_difference
        )
        compute = partial(weighted, weights=table.weights)
    return compute(
        table.value,
        table.system,
        pair,
        item=table.item,
        participant=table.participant,
        level=level,
    )


def split(
    analysis: AnalysisPlan, judgments: Judgments, *, case: str = ""
) -> Iterator[QuestionData]:
    """Each question, whole."""
    for question in analysis.outline.questions:
        rows = judgments.of_question(question.id)
        yield QuestionData(analysis, question, rows, case=case)


def split_case(
    analysis: AnalysisPlan,
    whole: Sequence[QuestionData],
    case: MultipleCase,
    left_out: frozenset[tuple[str, str]],
) -> Iterator[QuestionData]:
    """Each question, with the judgments of the same output combined as the case says.

    A test that the analysis leaves out is left out of its cases too. Labels without order have no
    mean, also not of two that are equally frequent.
    """
    for data in whole:
        question = data.question
        if question.is_named and case.multiple in AGGREGATED:
            continue
        if case.multiple in _NO_PERSON:
            question = replace(question, level="interval")
        yield QuestionData(
            analysis,
            question,
            combine_judgments(data.rows, case.multiple),
            case=case.id,
            left_out=frozenset(test for asked, test in left_out if asked == question.id),
        )


def split_groups(
    analysis: AnalysisPlan, data: QuestionData, grouping: Grouping
) -> list[QuestionData]:
    """The judgments of each group of a column."""
    codes = grouping.codes(data.rows)
    return [
        data.of_group(analysis, Group(grouping.column, name), codes == code)
        for code, name in enumerate(grouping.names)
    ]


def in_order(found: Sequence[Finding], planned: PlannedTest) -> list[Finding]:
    """The comparisons that a test is limited to, each in its order; all of them if it is not."""
    if not planned.pairs:
        return list(found)
    known = {each.systems: each for each in found}
    turned_round = {pair[::-1]: each for pair, each in known.items()}
    return [
        known[pair] if pair in known else turned(turned_round[pair])
        for pair in planned.pairs
        if pair in known or pair in turned_round
    ]
