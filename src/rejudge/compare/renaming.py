"""The same thing under the same name: systems and criteria of a run named as in the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from rejudge.compare.run import Run, RunContrast, RunDifference, RunRate
from rejudge.errors import DataError, Problem
from rejudge.judgments import Coded, Judgments

T = TypeVar("T", RunContrast, RunDifference, RunRate)


def renamed(run: Run, *, systems: Mapping[str, str], criteria: Mapping[str, str]) -> Run:
    """A run in the words of the original; names that are not given stay as they are."""
    mine = {criterion.id for criterion in run.criteria}
    systems = {old: new for old, new in systems.items() if old in run.systems}
    criteria = {old: new for old, new in criteria.items() if old in mine}
    _refuse_merging(run, [systems.get(each, each) for each in run.systems], "systems")
    _refuse_merging(run, [criteria.get(each, each) for each in mine], "criteria")
    if not systems and not criteria:
        return run

    def system(name: str) -> str:
        return systems.get(name, name)

    def criterion(name: str) -> str:
        return criteria.get(name, name)

    def pair(each: T) -> T:
        return replace(
            each,
            criterion=criterion(each.criterion),
            first=system(each.first),
            second=system(each.second),
        )

    told = dict(run.conditions)
    if isinstance(told.get("criteria"), tuple):
        told["criteria"] = tuple(criterion(str(each)) for each in told["criteria"])  # type: ignore[union-attr]  # just seen
    return replace(
        run,
        systems={system(key): system(name) for key, name in run.systems.items()},
        criteria=tuple(
            replace(each, id=criterion(each.id), name=criterion(each.name)) for each in run.criteria
        ),
        scores=tuple(
            replace(each, criterion=criterion(each.criterion), system=system(each.system))
            for each in run.scores
        ),
        agreement=tuple(
            replace(
                each,
                criterion=None if each.criterion is None else criterion(each.criterion),
                systems=tuple(map(system, each.systems)),
            )
            for each in run.agreement
        ),
        contingency=tuple(
            each.model_copy(update={"criterion": criterion(each.criterion)})
            for each in run.contingency
        ),
        contrasts=tuple(pair(each) for each in run.contrasts),
        differences=tuple(pair(each) for each in run.differences),
        rates=tuple(pair(each) for each in run.rates),
        conditions=told,
        judgments=_judgments(run.judgments, systems, criteria),
    )


def _judgments(
    judgments: Judgments | None, systems: Mapping[str, str], criteria: Mapping[str, str]
) -> Judgments | None:
    if judgments is None:
        return None
    return replace(
        judgments,
        question=_relabelled(judgments.question, criteria),
        system=_relabelled(judgments.system, systems),
        system_a=_relabelled(judgments.system_a, systems),
        system_b=_relabelled(judgments.system_b, systems),
    )


def _relabelled(column: Coded, names: Mapping[str, str]) -> Coded:
    return replace(column, labels=tuple(names.get(label, label) for label in column.labels))


def _refuse_merging(run: Run, names: list[str], kind: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            Problem(
                f"two {kind} of '{run.id}' would be called '{twice[0]}'.",
                f"Give each its own name with --{kind}.",
            )
        )
