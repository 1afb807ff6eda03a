"""Findings of questions that give numbers: rating, slider, segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

from rejudge.analysis.agenda import Agenda, corrected, estimated, interval_method
from rejudge.analysis.columns import Scores, scores
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.stats import mean_by_system, mean_difference
from rejudge.study import Question, Segments, Slider


def scored(agenda: Agenda, question: Question, judgments: Judgments) -> Iterator[Finding]:
    """The mean of each system, and how far each pair lies apart."""
    table = scores(agenda.study, judgments)
    yield from _means(agenda, question, table)
    pairs = combinations(range(len(agenda.study.system_ids)), 2)
    differences = (_difference(agenda, question, table, pair) for pair in pairs)
    yield from corrected(agenda, [each for each in differences if each.n])


def _means(agenda: Agenda, question: Question, table: Scores) -> Iterator[Finding]:
    systems = agenda.study.system_ids
    means = mean_by_system(
        table.value,
        table.system,
        item=table.item,
        participant=table.participant,
        systems=len(systems),
        level=agenda.level,
        bounds=_bounds(question),
    )
    what = "mean of all scores"
    if isinstance(question, Segments):
        what = "mean over outputs of the mean of their segments"
    for system, mean in zip(systems, means, strict=True):
        finding = Finding(
            id=f"{question.id}.mean.{system}",
            question=question.id,
            measure="mean",
            by="mean",
            systems=(system,),
            value=mean.value,
            n=mean.n,
            n_of=_n_of(question),
            method=f"{what}; {interval_method(mean)}",
            is_planned=bool(agenda.tests(question)),
        )
        yield estimated(finding, mean)


def _difference(
    agenda: Agenda, question: Question, table: Scores, pair: tuple[int, int]
) -> Finding:
    first, second = (agenda.study.system_ids[code] for code in pair)
    difference = mean_difference(
        table.value,
        table.system,
        pair,
        item=table.item,
        participant=table.participant,
        level=agenda.level,
    )
    finding = Finding(
        id=f"{question.id}.cluster-robust.{first}.{second}",
        question=question.id,
        measure="mean-difference",
        by="cluster-robust",
        systems=(first, second),
        value=difference.value,
        n=difference.n,
        n_of=_n_of(question),
        method="mean of the first minus mean of the second; "
        f"{interval_method(difference)}; p against 0",
        p=difference.p,
        is_planned="cluster-robust" in agenda.tests(question),
    )
    return estimated(finding, difference)


def _n_of(question: Question) -> Literal["judgments", "outputs"]:
    return "outputs" if isinstance(question, Segments) else "judgments"


def _bounds(question: Question) -> tuple[float, float] | None:
    if isinstance(question, Slider):
        return question.lowest, question.highest
    values: tuple[float, ...] = getattr(question, "values", ())
    return (values[0], values[-1]) if values else None
