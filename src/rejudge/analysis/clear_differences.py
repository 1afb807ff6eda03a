"""Scores of two systems that differ by the same everywhere: no error, but signs can be flipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import FEWEST, AnalysisPlan, FurtherTest
from rejudge.analysis.columns import Scores, combine_codes, levels
from rejudge.analysis.data import QuestionData
from rejudge.analysis.estimates import n_of
from rejudge.analysis.findings import population_of_unit
from rejudge.english import count
from rejudge.findings.model import Finding
from rejudge.findings.planned_keys import method_of
from rejudge.findings.words import How
from rejudge.study.analysis_plan import PlannedTest, Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAME = 1e-9  # differences that are closer are equal but for rounding


def test_of_clear_differences(analysis: AnalysisPlan, data: QuestionData) -> Iterator[PlannedTest]:
    """The test of pairs whose scores differ by the same everywhere, if nothing was planned.

    Without variation there is no error to go by, but signs can be flipped.
    """
    question = data.question
    if question.is_comparison or question.is_named or analysis.is_planned(question):
        return
    table = data.scores
    if len(data.rows) and any(is_clear(table, pair) for pair in data.pairs()):
        unit: Unit = "participant" if levels(table.item) < FEWEST else "item"
        if unit == "item" or table.has_participants:
            yield analysis.exploratory_test(data.question, FurtherTest("sign-flip", unit))


def has_sweep(data: QuestionData) -> bool:
    """Whether all choices between two systems went to one of them: a model then has no error."""
    rows = data.unweighted_comparisons
    is_turned = rows.first > rows.second
    preference = np.where(is_turned, 1 - rows.preference, rows.preference)
    pair = combine_codes(np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second))
    share = np.bincount(pair, preference) / np.bincount(pair)
    return bool(np.isin(share, (0.0, 1.0)).any())


def is_clear(table: Scores, pair: tuple[int, int]) -> bool:
    """Whether two systems differ by the same on every item, and for everybody who judged both."""
    apart = [_mean_differences(table, pair, codes) for codes in (table.item, table.participant)]
    return all(len(each) and np.ptp(each) <= _SAME for each in apart)


def clear_differences(data: QuestionData, planned: PlannedTest) -> Iterator[Finding]:
    """The sign-flip test of pairs whose scores differ by the same everywhere."""
    table = data.scores
    unit: Unit = "participant" if planned.unit == "participant" else "item"
    codes = table.participant if unit == "participant" else table.item
    for pair in data.pairs(planned):
        apart = _mean_differences(table, pair, codes)
        if len(apart) < FEWEST or not is_clear(table, pair):
            continue  # of fewer, no pattern of signs would be rare
        flip = stats.sign_flip((1 + np.sign(apart)) / 2, np.arange(len(apart)))
        of_pair = np.isin(table.system, pair)
        yield Finding(
            key=data.key("mean-difference", method_of(planned), data.names(pair)),
            by=planned.test,
            value=float(apart.mean()),
            n=int(of_pair.sum()),
            n_of=n_of(data.question),
            how=(How.SAME_EVERYWHERE(differences=count(len(apart), unit)),),
            p=flip.p,
            is_planned=False,
            items=levels(table.item[of_pair]),
            participants=levels(table.participant[of_pair]) if table.has_participants else None,
            population=population_of_unit(unit),
        )


def _mean_differences(
    table: Scores, pair: tuple[int, int], codes: NDArray[np.integer]
) -> NDArray[np.float64]:
    """The first system's mean minus the second's, for each item or person with scores of both."""
    sides = []
    for system in pair:
        rows = table.system == system
        size = int(codes.max()) + 1
        sums = np.bincount(codes[rows], table.value[rows], size)
        sides.append((sums, np.bincount(codes[rows], minlength=size)))
    (one, of_one), (two, of_two) = sides
    both = (of_one > 0) & (of_two > 0)
    return np.asarray(one[both] / of_one[both] - two[both] / of_two[both], dtype=np.float64)
