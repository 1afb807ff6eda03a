"""What is known about a study when its datasheet is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from rejudge.analysis.results import Results
from rejudge.design.pay import Earnings, Quote
from rejudge.design.plan import Plan
from rejudge.findings.model import Finding
from rejudge.heds.answers import SheetAnswer
from rejudge.heds.lint import StudyFacts
from rejudge.heds.profile import SheetProfile
from rejudge.judgments.table import Judgments
from rejudge.power.results import PlannedPower
from rejudge.study.analysis_plan import Exclude
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class Proposal:
    """An answer that the study gives to one question of the sheet."""

    number: str  # of the question, in version 3.0
    answer: SheetAnswer
    source: str  # where the study says it
    criterion: str | None = None


@dataclass(frozen=True)
class KnownStudy:
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
    power: PlannedPower | None = None  # a fresh power analysis, where there is one

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
        found = self.results.select() if self.results else ()
        return tuple(each for each in found if each.question == question)


def countable_facts(known: KnownStudy) -> StudyFacts:
    """The numbers of a study that a sheet must not contradict."""
    spec, results = known.study.spec, known.results
    counts = set(known.items_by_system.values())
    rules = spec.analysis.exclude if spec.analysis else Exclude()
    is_strict = rules.failed_checks is not None or rules.straight_lining is not None
    return StudyFacts(
        evaluators=results.flow.participants_kept if results else None,
        outputs_per_system=counts.pop() if len(counts) == 1 else None,
        excluded_participants=None if is_strict or rules.participants else 0,
        has_attention_checks=bool(spec.checks),
        scale_sizes={each.id: len(each.values) for each in spec.questions if each.values},
    )


def question_source(question: str) -> str:
    """How the source of an answer names a question of the study."""
    return f"study.yaml, question '{question}'"


def _judged_items(kept: Judgments, systems: tuple[str, ...]) -> dict[str, int]:
    real = kept.is_of_kind("real")
    counts = {}
    for system in systems:
        is_about = np.zeros(len(kept), dtype=bool)
        for column in (kept.system, kept.system_a, kept.system_b):
            is_about |= (column.codes >= 0) & (column.codes == column.code(system))
        counts[system] = len(np.unique(kept.item.codes[real & is_about]))
    return counts
