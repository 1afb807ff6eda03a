"""Findings about how far people agree."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis.agenda import Agenda, not_yet
from rejudge.analysis.columns import agreement_table
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.stats import krippendorff_alpha, percent_agreement
from rejudge.study import Question

_USUAL = ("percent", "krippendorff-alpha")


def agreed(agenda: Agenda, question: Question, judgments: Judgments) -> Iterator[Finding]:
    """Each planned coefficient; without a plan the usual two, as exploratory."""
    planned = agenda.plan.agreement if agenda.plan else ()
    table = agreement_table(judgments)
    for coefficient in planned or _USUAL:
        if coefficient not in _USUAL:
            yield not_yet(question, "agreement", coefficient)
            continue
        name = f"{question.id}.{coefficient}"
        rng = agenda.rng(name)
        if coefficient == "percent":
            found = percent_agreement(table, rng=rng, level=agenda.level)
            how = "pairs of participants who said the same, mean over units, in percent"
        else:
            found = krippendorff_alpha(table, question.level, rng=rng, level=agenda.level)
            how = f"Krippendorff's alpha for {question.level} values"
        yield Finding(
            id=name,
            question=question.id,
            measure="agreement",
            by=coefficient,
            systems=(),
            value=found.value,
            n=found.n,
            n_of="units",
            method=f"{how}; interval: 2,000 resamples of units, for these participants",
            interval=found.interval,
            is_planned=coefficient in planned,
            note=found.note,
        )
