"""What a report is about: results, the study behind them as far as it is known, its criteria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from rejudge.analysis.results import Results
from rejudge.compare.comparison import Comparison
from rejudge.design.freeze import Change
from rejudge.design.pay import Earnings, Quote
from rejudge.design.plan import Plan
from rejudge.power.results import PlannedPower
from rejudge.simulate.baselines import Baselines
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """The study and plan that the judgments follow, and what is known of how it was carried out."""

    study: Study
    plan: Plan
    changes: tuple[Change, ...] | None = None  # since it was frozen; None: it was not frozen
    frozen_on: date | None = None
    quote: Quote | None = None  # what was promised
    earned: Earnings | None = None  # what an hour brought in truth
    power: PlannedPower | None = None  # what it could find as planned; None: not computed, or stale
    is_imported: bool = False  # people did not answer on our pages


@dataclass(frozen=True, slots=True)
class Subject:
    """Everything a report is made from; what is not known is None."""

    results: Results
    title: str
    folder: str = "my-study"
    designed: PlannedStudy | None = None  # None: a table of judgments without a study
    period: tuple[date, date] | None = None  # first and last day on which somebody answered
    comparisons: tuple[Comparison, ...] = ()
    baselines: Baselines | None = None

    @property
    def labels(self) -> Mapping[str, str]:
        """Names of systems for tables and figures, in the order that gives them their colours."""
        if self.designed is not None:
            return {system.id: system.label for system in self.designed.study.spec.systems}
        found = (system for finding in self.results.select() for system in finding.systems)
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


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question to participants; what results alone do not show is None."""

    id: str
    is_comparison: bool  # whether systems were compared rather than scored
    task: str  # what a participant did, in words
    prompt: str | None = None
    low: float | None = None
    high: float | None = None
    points: tuple[float, ...] = ()  # of a scale of points, where it is known

    @property
    def scale(self) -> str | None:
        """Such as “1 to 5”; None where the ends are not known."""
        if self.low is None or self.high is None:
            return None
        return f"{self.low:g} to {self.high:g}"

    @property
    def length(self) -> float | None:
        """Of the scale; None where its ends are not known."""
        if self.low is None or self.high is None or self.high <= self.low:
            return None
        return self.high - self.low


def criteria_of_study(study: Study) -> tuple[Criterion, ...]:
    """What study.yaml asks."""
    return tuple(_of_question(question) for question in study.spec.questions)


def criteria_of_results(results: Results) -> tuple[Criterion, ...]:
    """What a table of judgments shows of its questions."""
    derived = {each.id: each for each in criteria_of_derived(results)}
    return tuple(derived.get(name) or _of_findings(results, name) for name in results.questions)


def criteria_of_derived(results: Results) -> Iterator[Criterion]:
    """Scores that were computed from others."""
    for each in results.derived:
        yield Criterion(each.id, False, f"computed as {each.formula}", low=each.low, high=each.high)


def _of_question(question: Question) -> Criterion:
    low, high = question.bounds or (None, None)
    return Criterion(
        id=question.id,
        is_comparison=question.is_comparison,
        task=question.task_in_words,
        prompt=question.prompt,
        low=low,
        high=high,
        points=question.values,
    )


def _of_findings(results: Results, name: str) -> Criterion:
    is_named = bool(results.select(name, "share"))
    is_comparison = not is_named and not results.select(name, "mean")
    low, high = (None, None) if is_comparison or is_named else _stated_scale(results)
    task = "label of an output" if is_named else "score of an output"
    return Criterion(
        id=name,
        is_comparison=is_comparison,
        task="choice between two outputs" if is_comparison else task,
        low=low,
        high=high,
    )


def _stated_scale(results: Results) -> tuple[float | None, float | None]:
    """The ends that somebody gave with the table, such as 1..5."""
    for given in results.signature.options.get("scale", ()):
        low, _, high = given.partition("..")
        return float(low), float(high)
    return None, None
