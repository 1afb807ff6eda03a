"""What a report is of: results, and as much of the study behind them as is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from rejudge.analysis import Results
from rejudge.compare import Comparison
from rejudge.design import Change, Earnings, Plan, Quote
from rejudge.report.criteria import (
    Criterion,
    criteria_of_derived,
    criteria_of_results,
    criteria_of_study,
)
from rejudge.study import Study


@dataclass(frozen=True, slots=True)
class Designed:
    """The study and plan that the judgments follow, and what is known of how it was carried out."""

    study: Study
    plan: Plan
    changes: tuple[Change, ...] | None = None  # since it was frozen; None: it was not frozen
    frozen_on: date | None = None
    quote: Quote | None = None  # what was promised
    earned: Earnings | None = None  # what an hour brought in truth


@dataclass(frozen=True, slots=True)
class Subject:
    """All that a report is made from; what is not at hand is None."""

    results: Results
    title: str
    folder: str = "my-study"
    designed: Designed | None = None  # None: a table of judgments without a study
    period: tuple[date, date] | None = None  # first and last day on which somebody answered
    comparisons: tuple[Comparison, ...] = ()

    @property
    def labels(self) -> Mapping[str, str]:
        """Names of systems for tables and figures, in the order that gives them their colours."""
        if self.designed is not None:
            return {system.id: system.label for system in self.designed.study.spec.systems}
        found = (system for finding in self.results.findings for system in finding.systems)
        return {system: system for system in dict.fromkeys(found)}

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What was asked, in order; where only some questions were analysed, these."""
        if self.designed is not None:
            chosen = self.results.signature.options.get("question", ())
            asked = (
                *criteria_of_study(self.designed.study),
                *criteria_of_derived(self.results),
            )
            return tuple(each for each in asked if not chosen or each.id in chosen)
        return criteria_of_results(self.results)
