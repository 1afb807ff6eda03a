"""Claims of the original, judged by what each run shows: the rule is that of `analysis.judge`."""

from __future__ import annotations

from rejudge.analysis import Coefficient, Evidence, PairInterval, judge
from rejudge.compare.aligned import Aligned, criterion_of, stretch
from rejudge.compare.comparison import ClaimVerdict
from rejudge.compare.contrasts import as_test
from rejudge.compare.run import Run
from rejudge.paper import PaperClaim
from rejudge.stats import Interval
from rejudge.study import Claim


def verdicts(aligned: Aligned) -> tuple[ClaimVerdict, ...]:
    """Every claim of the original in every run."""
    return tuple(
        _verdict(aligned, run, claim) for run in aligned.others for claim in aligned.original.claims
    )


def _verdict(aligned: Aligned, run: Run, claim: Claim) -> ClaimVerdict:
    found = judge(claim, _evidence(aligned, run, claim.question))
    is_judged = found.verdict not in {"not-testable", "out-of-scope"}
    missed = _without(aligned, run, claim) if is_judged else ""
    words = claim.words if isinstance(claim, PaperClaim) else ""
    because = f"{found.because}{missed}"
    return ClaimVerdict(claim.id, claim.says, words, run.id, found.verdict, because)


def _evidence(aligned: Aligned, run: Run, question: str) -> Evidence | None:
    """What a run shows on a criterion, on the original's scale; None where it was not asked."""
    here, there = (criterion_of(each, question) for each in (run, aligned.original))
    if here is None or there is None:
        return None
    systems = tuple(system for system in aligned.original.systems if system in run.systems)
    scores = {system: aligned.score(question, run.id, system) for system in systems}
    factor = stretch(here, there)
    return Evidence(
        systems=systems,
        scores={system: score.value for system, score in scores.items() if score is not None},
        tests=tuple(as_test(each) for each in run.contrasts if each.criterion == question),
        intervals=() if factor is None else _intervals(run, question, factor),
        agreement=_agreement(run, question),
        is_higher_better=there.is_higher_better,
        note=aligned.note(question, (run.id,)),
    )


def _intervals(run: Run, question: str, factor: float) -> tuple[PairInterval, ...]:
    """Intervals of differences, stretched onto the original's scale."""
    stored = [
        PairInterval(
            each.first,
            each.second,
            _stretched(each.interval, factor),
            each.value * factor,
            each.standard_error and each.standard_error * factor,
            each.df,
        )
        for each in run.differences
        if each.criterion == question
    ]
    tested = [
        PairInterval(each.first, each.second, _stretched(each.interval, factor))
        for each in run.contrasts
        if each.criterion == question and each.interval is not None
    ]
    return (*stored, *tested)


def _stretched(ends: Interval, factor: float) -> Interval:
    return Interval(ends.low * factor, ends.high * factor, ends.level)


def _agreement(run: Run, question: str) -> tuple[Coefficient, ...]:
    """Coefficients on the criterion; on all together where the run asked nothing else."""
    wanted: tuple[str | None, ...] = (question, None) if len(run.criteria) == 1 else (question,)
    return tuple(
        Coefficient(each.coefficient, each.value, each.interval)
        for each in run.agreement
        if each.criterion in wanted and not each.systems
    )


def _without(aligned: Aligned, run: Run, claim: Claim) -> str:
    """Which systems the best or the worst of all was not compared with."""
    gone = [system for system in aligned.original.systems if system not in run.systems]
    if not gone or claim.kind not in {"best", "worst"}:
        return ""
    return f"; {', '.join(gone)} did not take part in this run"
