"""What was asked, as a report tells it: from the study, or as far as the results alone show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.analysis import Results
from rejudge.study import Question, Study


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
    is_comparison = not results.of(name, "mean")
    low, high = (None, None) if is_comparison else _stated_scale(results)
    return Criterion(
        id=name,
        is_comparison=is_comparison,
        task="choice between two outputs" if is_comparison else "score of an output",
        low=low,
        high=high,
    )


def _stated_scale(results: Results) -> tuple[float | None, float | None]:
    """The ends that somebody gave with the table, such as 1..5."""
    for given in results.signature.options.get("scale", ()):
        low, _, high = given.partition("..")
        return float(low), float(high)
    return None, None
