"""Run baselines: fill the plan by rules, analyse it as planned, compare it with participants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import DEFAULT_SEED
from rejudge.analysis.claims import judge
from rejudge.analysis.evidence import USUAL_ALPHA, Evidence, evidence_of, is_supported, sign_of
from rejudge.analysis.partial_analysis import scores_in, system_scores
from rejudge.analysis.results import Results, Verdict
from rejudge.design.plan import Plan
from rejudge.findings.model import Finding
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclude import Cleaned, exclude
from rejudge.judgments.table import Judgments
from rejudge.simulate.baselines import (
    BaselineClaim,
    BaselineOutcome,
    BaselineRun,
    Baselines,
    MeasuredScore,
    RuleAgreement,
    RuleScore,
    baseline_checks,
)
from rejudge.simulate.rules import RuleFollower, baselines_of, decides, reversed_questions
from rejudge.study.baselines import Baseline
from rejudge.study.claims import Claim
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study
from rejudge.version import __version__

DRAWS = 20  # of a baseline in which chance plays a part
_RELIABLY = 0.95  # share of the draws that must show an order
_NAMED = "Labels without order have shares, but no score."
_UNTIMED = "Exclusion rules about time were not applied, because rules have no response times."
_Pair: TypeAlias = tuple[str, str]


def run_baselines(
    study: Study,
    plan: Plan,
    *,
    baselines: Sequence[Baseline] = (),
    participants: tuple[Cleaned, Results] | None = None,
    seed: int = DEFAULT_SEED,
    watch: Callable[[str, float], None] | None = None,
) -> Baselines:
    """Let every baseline answer the plan, and compare it with the participants.

    `participants` are their judgments and the results based on them; None before data
    collection. `baselines` are those of the study if left out. `seed` is for resampling in the
    analysis. `watch` is called with the current baseline and the share of the work that is done.
    """
    chosen = tuple(baselines) or baselines_of(study)
    measured = None
    if participants is not None:
        measured = _Measured(participants[0].kept.of_kind("real"), participants[1])
    runs = []
    for place, each in enumerate(chosen):
        if watch is not None:
            watch(each.id, place / len(chosen))
        runs.append(_run(_Filled.of(study, plan, each, seed), measured))
    return Baselines(
        runs=tuple(runs),
        measured=tuple(_measured_scores(measured.results)) if measured else (),
        judgments=len(measured.kept) if measured else 0,
        participants=len(measured.kept.participant.used()) if measured else 0,
        is_simulated=bool(measured and measured.results.flow.is_simulated),
        is_declared=bool(baselines or study.spec.baselines),
        study=study.fingerprint,
        plan=plan.fingerprint,
        judged=measured.results.signature.judgments if measured else None,
        seed=seed,
        level=_level(study, measured),
        version=__version__,
        notes=(_UNTIMED,) if _has_time_rules(study) else (),
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """The participants' judgments of real tasks that count, and what they show."""

    kept: Judgments
    results: Results


def _level(study: Study, measured: _Measured | None) -> float:
    if measured is not None:
        return measured.results.signature.level
    return 1 - (study.spec.analysis.alpha if study.spec.analysis else USUAL_ALPHA)


def _has_time_rules(study: Study) -> bool:
    rules = study.spec.analysis.exclude if study.spec.analysis else None
    return rules is not None and bool(
        rules.faster_than_seconds or rules.too_fast_total_seconds or rules.faster_than_reading
    )


def _measured_scores(results: Results) -> Iterator[MeasuredScore]:
    for finding in scores_in(results.select()):
        yield MeasuredScore(
            finding.question, finding.systems[0], finding.value, finding.n or 0, finding.interval
        )


# ── one baseline ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Filled:
    """A plan filled by the rules of one baseline, and its analysis."""

    follower: RuleFollower
    plan: Plan
    table: Judgments
    results: Results | None  # None: no question can be decided

    @classmethod
    def of(cls, study: Study, plan: Plan, baseline: Baseline, seed: int) -> _Filled:
        follower = RuleFollower(study, baseline)
        table = tabulate(study, plan, follower.fill(plan), origin="simulated")
        names = [question.id for question in study.spec.questions if follower.suits(question)]
        results = None
        if names and len(table):
            results = analyse(table, study=study, plan=plan, questions=names, seed=seed)
        return cls(follower, plan, table, results)

    @property
    def study(self) -> Study:
        return self.follower.study

    @cached_property
    def draws(self) -> tuple[tuple[Finding, ...], ...]:
        """The scores of systems in each draw; one draw where nothing is left to chance."""
        first = scores_in(self.results.select()) if self.results else ()
        if not self.follower.has_chanced:
            return (first,)
        names = self.results.questions if self.results else ()
        tables = (
            tabulate(self.study, self.plan, self.follower.fill(self.plan, draw), origin="simulated")
            for draw in range(1, DRAWS)
        )
        return (first, *(system_scores(self.study, table, names) for table in tables))

    def scores(self, question: str) -> list[dict[str, float]]:
        """The scores on a question by system, draw by draw."""
        return [
            {f.systems[0]: _rounded(f.value) for f in draw
             if f.question == question and f.value is not None}
            for draw in self.draws
        ]  # fmt: skip


def _run(filled: _Filled, measured: _Measured | None) -> BaselineRun:
    study, follower = filled.study, filled.follower
    cleaned = exclude(_without_missing_answers(study), filled.plan, filled.table)
    return BaselineRun(
        id=follower.baseline.id,
        rules=follower.baseline.rules,
        outcomes=tuple(_outcome(filled, each, measured) for each in study.spec.questions),
        checks=tuple(baseline_checks(study, filled.plan, follower, cleaned)),
        participants=len(filled.table.participant.used()),
        kept=len(cleaned.kept.participant.used()),
        claims=tuple(_claims(filled, measured)),
    )


def _without_missing_answers(study: Study) -> Study:
    """The study without its rule about missing answers: a baseline cannot decide every question."""
    analysis = study.spec.analysis
    if analysis is None:
        return study
    rules = analysis.exclude.model_copy(update={"incomplete": False})
    planned = analysis.model_copy(update={"exclude": rules})
    return replace(study, spec=study.spec.model_copy(update={"analysis": planned}))


def _claims(filled: _Filled, measured: _Measured | None) -> Iterator[BaselineClaim]:
    if filled.results is None:
        return
    own = {each.claim: each.verdict for each in measured.results.claims} if measured else {}
    claims = {claim.id: claim for claim in filled.study.spec.claims}
    for each in filled.results.claims:
        verdict = _reliable(each.verdict, claims[each.claim], filled.draws)
        yield BaselineClaim(each.claim, each.says, verdict, own.get(each.claim))


def _reliable(verdict: Verdict, claim: Claim, draws: Sequence[Sequence[Finding]]) -> Verdict:
    """The verdict, unless it is supported by an order of systems that depends on chance."""
    if verdict != "supported" or claim.kind in ("agreement", "equivalent") or len(draws) == 1:
        return verdict
    plain = Claim(id=claim.id, says=claim.says.partition(" with p < ")[0])
    found = [judge(plain, evidence_of(draw, claim.question)).verdict for draw in draws]
    in_order = sum(each in {"supported", "same-direction"} for each in found)
    return verdict if in_order >= _RELIABLY * len(draws) else "same-direction"


def _outcome(filled: _Filled, question: Question, measured: _Measured | None) -> BaselineOutcome:
    follower = filled.follower
    is_reversed = question.id in reversed_questions(filled.study, follower.baseline)
    if question.has_unordered_labels:
        return BaselineOutcome(question.id, (), is_reversed, note=_NAMED)
    if filled.results is None or not follower.suits(question):
        note = _why_undecided(follower.baseline, question)
        return BaselineOutcome(question.id, (), is_reversed, note=note)
    draws = filled.scores(question.id)
    decisions = _decisions(filled, question)
    outcome = BaselineOutcome(
        question.id,
        follower.rules(question),
        is_reversed,
        measure="best-worst-score" if question.is_comparison else "mean",
        decided=100 * sum(decisions.values()) / len(decisions) if decisions else None,
        scores=tuple(_rule_scores(filled.study, draws)),
    )
    if measured is None:
        return outcome
    agreement = RuleAgreement(
        question,
        filled.table.of_question(question.id),
        measured.kept.of_question(question.id),
        decisions,
        measured.results.signature.level,
    )
    evidence = evidence_of(measured.results.select(), question.id)
    return replace(
        outcome if evidence is None else _with_comparison(outcome, draws, evidence),
        agreement=agreement.share(),
        agreement_decided=agreement.share(decided_only=True),
    )


def _rounded(value: float) -> float:
    """Without rounding errors, so that equal scores are equal."""
    return round(value, 9) + 0.0


def _rule_scores(study: Study, draws: Sequence[Mapping[str, float]]) -> Iterator[RuleScore]:
    for system in study.system_ids:
        values = [draw[system] for draw in draws if system in draw]
        if len(values) == 1:
            yield RuleScore(system, values[0])
        elif values:
            mean = _rounded(sum(values) / len(values))
            yield RuleScore(system, mean, min(values), max(values))


def _why_undecided(baseline: Baseline, question: Question) -> str:
    rules = " and ".join(f"'{rule}'" for rule in baseline.rules if not decides(rule, question))
    if question.is_comparison:
        return f"{rules} cannot decide a comparison: there is no scale."
    return f"{rules} cannot decide a rating: one output is shown at a time."


def _decisions(filled: _Filled, question: Question) -> dict[str, float]:
    """By real task, the share of its pairs of outputs, or of its score, that a rule decided."""
    return {
        task.id: answer.decided
        for task in filled.plan.tasks()
        if task.is_real
        for asked, answer in filled.follower.answers(filled.plan, task, by="")
        if asked.id == question.id
    }


def _with_comparison(
    outcome: BaselineOutcome, draws: Sequence[Mapping[str, float]], evidence: Evidence
) -> BaselineOutcome:
    """The outcome compared with the participants' scores: order of systems and correlation."""
    own = {
        each.system: each.value
        for each in outcome.scores
        if each.value is not None and each.system in evidence.scores
    }
    theirs = {system: evidence.scores[system] for system in own}
    pairs = [
        (first, second) if theirs[first] > theirs[second] else (second, first)
        for first, second in combinations(own, 2)
        if sign_of(theirs[first] - theirs[second])
    ]
    supported = [pair for pair in pairs if is_supported(evidence.test_of(*pair))]
    outcome = replace(
        outcome,
        pairs=len(pairs),
        pairs_in_order=sum(_puts_first(draws, pair) for pair in pairs),
        supported=len(supported),
        supported_in_order=sum(_puts_first(draws, pair) for pair in supported),
    )
    tells_apart = any(
        _puts_first(draws, pair) or _puts_first(draws, pair[::-1]) for pair in combinations(own, 2)
    )
    if len(own) < 3 or not tells_apart:
        return outcome
    x, y = (np.array(list(each.values())) for each in (theirs, own))
    return replace(outcome, pearson=stats.pearson(x, y).value, spearman=stats.spearman(x, y).value)


def _puts_first(draws: Sequence[Mapping[str, float]], pair: _Pair) -> bool:
    """Whether a baseline puts the first of two systems above the second, whatever chance does."""
    first, second = pair
    known = [draw[first] - draw[second] for draw in draws if first in draw and second in draw]
    return bool(known) and sum(each > 0 for each in known) >= _RELIABLY * len(known)
