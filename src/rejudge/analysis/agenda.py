"""What was planned for a study, and what all its findings share."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rejudge.analysis.results import Finding
from rejudge.stats import Correction, Estimate, adjusted
from rejudge.study import Analysis, Question, Study

if TYPE_CHECKING:
    import numpy as np

NOT_YET = "Not computed by this version."


@dataclass(frozen=True, slots=True)
class Agenda:
    """What was planned, and how sure and how corrected every number shall be."""

    study: Study
    plan: Analysis | None
    seed: int

    @property
    def level(self) -> float:
        """Of every interval."""
        return 1 - self.alpha

    @property
    def alpha(self) -> float:
        """Below this a corrected p value supports a difference."""
        return self.plan.alpha if self.plan else 0.05

    @property
    def correction(self) -> Correction:
        """For the pairs of one test on one question."""
        return self.plan.correction if self.plan else "holm"

    def tests(self, question: Question) -> tuple[str, ...]:
        """The tests planned for a question."""
        planned = self.plan.tests if self.plan else ()
        return tuple(each.test for each in planned if each.question == question.id)

    def rng(self, finding: str) -> np.random.Generator:
        """A stream of its own for each finding, so that a further one changes no other."""
        import numpy as np

        return np.random.default_rng([self.seed, zlib.crc32(finding.encode())])


def corrected(agenda: Agenda, family: Sequence[Finding]) -> Iterator[Finding]:
    """The p values of one test on one question, corrected for all its pairs."""
    values = adjusted([finding.p for finding in family], agenda.correction)
    for finding, p in zip(family, values, strict=True):
        supported = None if p is None else p < agenda.alpha
        yield replace(finding, p_adjusted=p, is_supported=supported)


def estimated(finding: Finding, estimate: Estimate, note: str = "") -> Finding:
    """A finding with the interval of its estimate and what it rests on."""
    return replace(
        finding,
        interval=estimate.interval,
        items=estimate.items,
        participants=estimate.participants,
        note=" ".join(part for part in (estimate.note, note) if part),
    )


def interval_method(estimate: Estimate) -> str:
    """How an estimate got its interval, in words."""
    if estimate.df is None:
        return "no interval"
    return f"interval: cluster-robust by item and participant, t with {estimate.df} df"


def not_yet(question: Question, measure: Literal["test", "agreement"], name: str) -> Finding:
    """A planned number that is listed, not silently replaced by another one."""
    return Finding(
        id=f"{question.id}.{name}",
        question=question.id,
        measure=measure,
        by=name,
        systems=(),
        value=None,
        n=0,
        n_of="judgments",
        method=name,
        note=NOT_YET,
    )
