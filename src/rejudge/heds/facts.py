"""What is known about a study when its datasheet is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from rejudge.analysis import Finding, Results
from rejudge.design import Earnings, Plan, Quote
from rejudge.heds.answers import SheetAnswer
from rejudge.heds.profile import SheetProfile
from rejudge.judgments import Judgments
from rejudge.study import Study


@dataclass(frozen=True, slots=True)
class Proposal:
    """An answer that the study gives to one question of the sheet."""

    number: str  # of the question, in version 3.0
    answer: SheetAnswer
    source: str  # where the study says it
    criterion: str | None = None


@dataclass(frozen=True)
class StudyFacts:
    """A study, its plan and, once there are any, its results."""

    study: Study
    plan: Plan
    profile: SheetProfile = field(default_factory=SheetProfile)
    results: Results | None = None  # None: before data collection
    kept: Judgments | None = None  # the judgments that count; None: before data collection
    quote: Quote | None = None  # what was promised to participants
    earned: Earnings | None = None
    period: tuple[date, date] | None = None  # first and last day on which somebody answered
    frozen_on: date | None = None

    @property
    def items_by_system(self) -> Mapping[str, int]:
        """How many items each system was judged on, or is to be judged on."""
        if self.kept is not None:
            return _judged_items(self.kept, self.study.system_ids)
        planned: dict[str, set[str]] = {system: set() for system in self.study.system_ids}
        for task in self.plan.tasks():
            for option in task.options if task.is_real else ():
                planned[option].add(task.item)
        return {system: len(items) for system, items in planned.items()}

    def findings(self, question: str) -> tuple[Finding, ...]:
        """What was found on one question; nothing before data collection."""
        found = self.results.findings if self.results else ()
        return tuple(each for each in found if each.question == question)


def question_source(question: str) -> str:
    """How the source of an answer names a question of the study."""
    return f"study.yaml, question '{question}'"


def _judged_items(kept: Judgments, systems: tuple[str, ...]) -> dict[str, int]:
    import numpy as np

    real = kept.is_of_kind("real")
    counts = {}
    for system in systems:
        is_about = np.zeros(len(kept), dtype=bool)
        for column in (kept.system, kept.system_a, kept.system_b):
            is_about |= (column.codes >= 0) & (column.codes == column.code(system))
        counts[system] = len(np.unique(kept.item.codes[real & is_about]))
    return counts
