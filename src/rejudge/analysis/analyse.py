"""Run the planned analysis of a study; what else is computed is marked as exploratory."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis.agenda import Agenda, not_yet
from rejudge.analysis.agreeing import agreed
from rejudge.analysis.columns import refuse_duplicates, refuse_strangers
from rejudge.analysis.comparing import compared
from rejudge.analysis.results import Finding, Flow, Pace, Results, Signature
from rejudge.analysis.scoring import scored
from rejudge.design import Plan
from rejudge.judgments import Cleaned, Judgments, check_counts, fingerprint_of
from rejudge.study import BestWorst, Pairwise, Question, Ranking, Study
from rejudge.version import __version__


def analyse(study: Study, cleaned: Cleaned, *, plan: Plan, seed: int = 0) -> Results:
    """Every planned number of a study, question by question. The seed feeds resampling alone."""
    real = cleaned.kept.of_kind("real")
    refuse_strangers(study, real)
    refuse_duplicates(real)
    agenda = Agenda(study, study.spec.analysis, seed)
    return Results(
        findings=tuple(
            finding
            for question in study.spec.questions
            for finding in _findings(agenda, question, real.of_question(question.id))
        ),
        flow=_flow(cleaned),
        checks=check_counts(study, plan, cleaned.collected),
        signature=Signature(
            study=study.fingerprint,
            plan=plan.fingerprint,
            judgments=fingerprint_of(cleaned.collected),
            excluded_rows={rule: cleaned.rules.count(rule) for rule in sorted(set(cleaned.rules))},
            seed=seed,
            level=agenda.level,
            correction=agenda.correction,
            version=__version__,
        ),
    )


def _findings(agenda: Agenda, question: Question, judgments: Judgments) -> Iterator[Finding]:
    """All numbers of a question: estimates, planned tests and agreement."""
    compares = isinstance(question, Pairwise | BestWorst | Ranking)
    yield from (compared if compares else scored)(agenda, question, judgments)
    able = ("cluster-robust", "sign-flip") if compares else ("cluster-robust",)
    for test in agenda.tests(question):
        if test not in able:
            yield not_yet(question, "test", test)
    yield from agreed(agenda, question, judgments)


def _flow(cleaned: Cleaned) -> Flow:
    return Flow(
        participants=_people(cleaned.collected),
        participants_kept=_people(cleaned.kept),
        rows=len(cleaned.collected),
        rows_kept=len(cleaned.kept),
        real_rows=len(cleaned.collected.of_kind("real")),
        real_rows_kept=len(cleaned.kept.of_kind("real")),
        simulated_rows=cleaned.collected.simulated,
        exclusions=cleaned.exclusions,
        pace=_pace(cleaned.kept),
    )


def _people(judgments: Judgments) -> int:
    import numpy as np

    return len(np.unique(judgments.participant.codes))


def _pace(judgments: Judgments) -> Pace | None:
    """Seconds per page: the rows of one page share its time, which counts once."""
    import numpy as np

    timed = judgments.take(~np.isnan(judgments.seconds))
    if not len(timed):
        return None
    keys = np.stack([timed.participant.codes, timed.batch.codes, timed.task.codes], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    lower, middle, upper = np.quantile(timed.seconds[first], [0.25, 0.5, 0.75])
    return Pace(float(middle), float(lower), float(upper), len(first))
