"""What baselines show about a study: how much of its result appears without any judging.

Each baseline fills the plan by its rules and goes through the study's own analysis. The scores of
systems that come out, and how they compare with those of participants, are findings like others;
claims are judged as those of a study are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge import stats
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import DEFAULT_SEED
from rejudge.analysis.claims import judge_claims
from rejudge.analysis.evidence import USUAL_ALPHA, sign_of
from rejudge.analysis.partial_analysis import scores_in, system_scores
from rejudge.analysis.results import ClaimOutcome, Results
from rejudge.design.plan import Plan
from rejudge.findings.model import Finding, Key, Measure, Tally
from rejudge.findings.words import How
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import Cleaned, exclude, rules_of, stated_rules
from rejudge.judgments.table import Judgments
from rejudge.simulate.baseline_checks import BaselineCheck, baseline_checks
from rejudge.simulate.rules import RuleFollower, baselines_of, decides, reversed_questions
from rejudge.stats import Interval
from rejudge.stats.reasons import Why
from rejudge.study.baselines import Baseline
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study
from rejudge.version import __version__

DRAWS = 20  # of a baseline in which chance plays a part
PARTICIPANTS = "participants"  # the run that baselines are compared with
AGREES, AGREES_DECIDED = "same-answers", "same-answers-where-decided"  # with participants
IN_ORDER, SUPPORTED_IN_ORDER = "pairs-in-order", "supported-pairs-in-order"
_RELIABLY = 0.95  # share of the draws that must show an order
_NAMED = "Labels without order have shares, but no score."
_UNTIMED = "Exclusion rules about time were not applied, because rules have no response times."
_NO_MATCH = Why.NOBODY(
    what="judgment of a participant can be matched with an answer of the baseline"
)
_PAIR = 2
_Pair: TypeAlias = tuple[str, str]
_Place: TypeAlias = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class RuledQuestion:
    """What the rules of a baseline can decide on one question."""

    question: str
    rules: tuple[str, ...]  # that can decide it, turned round where it asks for the opposite
    is_reversed: bool = False
    decided: float | None = None  # percent of comparisons or scores that a rule decided
    note: str = ""


@dataclass(frozen=True, slots=True)
class BaselineRun:
    """One baseline: its rules, what is found if it answers, its checks and its claims."""

    id: str
    rules: tuple[str, ...]
    questions: tuple[RuledQuestion, ...]
    findings: tuple[Finding, ...]  # scores of systems, then how they compare with participants'
    claims: tuple[ClaimOutcome, ...]  # never supported where the order depends on chance
    checks: tuple[BaselineCheck, ...]
    participants: int  # who would fill the plan by these rules
    kept: int  # of them, after the study's exclusion rules

    def question(self, name: str) -> RuledQuestion:
        """What it can decide on a question."""
        return next(each for each in self.questions if each.question == name)

    def scores(self, question: str) -> tuple[Finding, ...]:
        """The scores of systems, in the order of the study."""
        return scores_in([each for each in self.findings if each.question == question])

    def comparison(self, question: str, by: str) -> Finding | None:
        """How its answers compare with those of participants; None where they cannot."""
        found = (each for each in self.findings if (each.question, each.by) == (question, by))
        return next(found, None)

    def verdict(self, claim: str) -> str | None:
        """The verdict on a claim."""
        return next((each.verdict for each in self.claims if each.claim == claim), None)


@dataclass(frozen=True, slots=True)
class Baselines:
    """All baselines of a study, beside the participants' scores and verdicts."""

    runs: tuple[BaselineRun, ...]
    findings: tuple[Finding, ...]  # the participants' scores; empty before data collection
    claims: tuple[ClaimOutcome, ...]  # the verdicts from their judgments
    judgments: int  # by participants, that count
    participants: int
    is_simulated: bool  # whether the participants were
    is_declared: bool  # whether the study names its baselines; else they are the usual ones
    study: str  # fingerprints
    plan: str
    judged: str | None  # fingerprint of the judgments; None before data collection
    seed: int
    level: float
    version: str
    notes: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions of the study, in order."""
        return tuple(each.question for each in self.runs[0].questions) if self.runs else ()

    @property
    def has_participants(self) -> bool:
        """Whether there is anything to compare the baselines with."""
        return self.judged is not None

    def scores(self, question: str) -> tuple[Finding, ...]:
        """The participants' scores of systems on a question, in the order of the study."""
        return tuple(each for each in self.findings if each.question == question)


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
    kept = None if participants is None else participants[0].kept.of_kind("real")
    results = None if participants is None else participants[1]
    runs = []
    for place, each in enumerate(chosen):
        if watch is not None:
            watch(each.id, place / len(chosen))
        filled = _Filled(study, plan, each, seed)
        compared: tuple[Finding, ...] = ()
        if kept is not None and results is not None:
            compared = tuple(_compare(filled, kept, results))
        runs.append(_run(filled, compared))
    alpha = study.spec.analysis.alpha if study.spec.analysis else USUAL_ALPHA
    return Baselines(
        runs=tuple(runs),
        findings=() if results is None else scores_in(results.select()),
        claims=() if results is None else results.claims,
        judgments=0 if kept is None else len(kept),
        participants=0 if kept is None else len(kept.participant.used()),
        is_simulated=results is not None and results.flow.is_simulated,
        is_declared=bool(baselines or study.spec.baselines),
        study=study.fingerprint,
        plan=plan.fingerprint,
        judged=None if results is None else results.signature.judgments,
        seed=seed,
        level=1 - alpha if results is None else results.signature.level,
        version=__version__,
        notes=(_UNTIMED,) if _has_time_rules(study) else (),
    )


def _has_time_rules(study: Study) -> bool:
    return any(rule.by == "time" for rule in stated_rules(rules_of(study)))


# ── one baseline ─────────────────────────────────────────────────────────────────────────────────


class _Filled:
    """A plan filled by the rules of one baseline, with the analysis of its answers."""

    def __init__(self, study: Study, plan: Plan, baseline: Baseline, seed: int) -> None:
        self.study, self.plan = study, plan
        self.follower = RuleFollower(study, baseline)
        self.table = tabulate(study, plan, self.follower.fill(plan), origin="simulated")
        names = [each.id for each in study.spec.questions if self.follower.suits(each)]
        self.results: Results | None = None  # None: no question can be decided
        if names and len(self.table):
            self.results = analyse(self.table, study=study, plan=plan, questions=names, seed=seed)
        self.draws = tuple(self._draws())

    def _draws(self) -> Iterator[dict[tuple[str, str], float]]:
        """Scores by question and system: one draw where nothing is left to chance."""
        if self.results is None:
            return
        yield _values(scores_in(self.results.select()))
        for draw in range(1, DRAWS if self.follower.has_chanced else 1):
            answers = self.follower.fill(self.plan, draw)
            table = tabulate(self.study, self.plan, answers, origin="simulated")
            yield _values(system_scores(self.study, table, self.results.questions))

    def scores(self) -> tuple[Finding, ...]:
        """The score of each system; where chance plays a part, the mean of all draws."""
        if self.results is None:
            return ()
        found = scores_in(self.results.select())
        return tuple(each for finding in found if (each := self._score(finding)) is not None)

    def _score(self, finding: Finding) -> Finding | None:
        place = (finding.question, finding.systems[0])
        values = [draw[place] for draw in self.draws if place in draw]
        if not values:
            return None
        score = Finding(
            finding.key,
            finding.by,
            _rounded(sum(values) / len(values)),
            finding.n,
            finding.n_of,
            how=(How.RULES(),),
        )
        if len(values) == 1:
            return score
        drawn = (How.RULES(), How.MEAN_OF_DRAWS(n=len(values)))
        return replace(score, how=drawn, interval=Interval(min(values), max(values), 1.0))

    def puts_first(self, question: str, pair: _Pair) -> bool:
        """Whether the first of two systems is above the second, whatever chance does."""
        first, second = ((question, system) for system in pair)
        known = [draw[first] - draw[second] for draw in self.draws if {first, second} <= set(draw)]
        return bool(known) and sum(each > 0 for each in known) >= _RELIABLY * len(known)

    def claims(self) -> tuple[ClaimOutcome, ...]:
        """The verdicts; an order that depends on chance is not supported."""
        if self.results is None or len(self.draws) == 1:
            return () if self.results is None else self.results.claims
        labels = {system.id: system.label for system in self.study.spec.systems}
        findings = [self._without_chance(each) for each in self.results.select()]
        return judge_claims(self.study.spec.claims, findings, self.results.questions, labels)

    def _without_chance(self, finding: Finding) -> Finding:
        if not finding.is_supported or len(finding.systems) != _PAIR:
            return finding
        one, other = finding.systems
        if any(self.puts_first(finding.question, pair) for pair in ((one, other), (other, one))):
            return finding
        return replace(finding, is_supported=False, p=None, p_adjusted=None)


def _values(scores: Sequence[Finding]) -> dict[tuple[str, str], float]:
    return {
        (each.question, each.systems[0]): _rounded(each.value)
        for each in scores
        if each.value is not None
    }


def _rounded(value: float) -> float:
    """Without rounding errors, so that equal scores are equal."""
    return round(value, 9) + 0.0


def _run(filled: _Filled, compared: tuple[Finding, ...]) -> BaselineRun:
    study, follower = filled.study, filled.follower
    cleaned = exclude(_without_missing_answers(study), filled.plan, filled.table)
    return BaselineRun(
        id=follower.baseline.id,
        rules=follower.baseline.rules,
        questions=tuple(_ruled(filled, each) for each in study.spec.questions),
        findings=(*filled.scores(), *compared),
        claims=filled.claims(),
        checks=tuple(baseline_checks(study, filled.plan, follower, cleaned)),
        participants=len(filled.table.participant.used()),
        kept=len(cleaned.kept.participant.used()),
    )


def _without_missing_answers(study: Study) -> Study:
    """The study without its rule about missing answers: a baseline cannot decide every question."""
    analysis = study.spec.analysis
    if analysis is None:
        return study
    rules = analysis.exclude.model_copy(update={"incomplete": False})
    planned = analysis.model_copy(update={"exclude": rules})
    return replace(study, spec=study.spec.model_copy(update={"analysis": planned}))


def _ruled(filled: _Filled, question: Question) -> RuledQuestion:
    follower = filled.follower
    is_reversed = question.id in reversed_questions(filled.study, follower.baseline)
    if question.has_unordered_labels:
        return RuledQuestion(question.id, (), is_reversed, note=_NAMED)
    if filled.results is None or not follower.suits(question):
        note = _why_undecided(follower.baseline, question)
        return RuledQuestion(question.id, (), is_reversed, note=note)
    shares = list(_decisions(filled, question).values())
    decided = 100 * sum(shares) / len(shares) if shares else None
    return RuledQuestion(question.id, follower.rules(question), is_reversed, decided)


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


# ── beside the participants ──────────────────────────────────────────────────────────────────────


def _compare(filled: _Filled, kept: Judgments, results: Results) -> Iterator[Finding]:
    """Agreement of answers, and of the order and the scores of systems, on each question."""
    if filled.results is None:
        return
    for question in filled.study.spec.questions:
        if question.has_unordered_labels or not filled.follower.suits(question):
            continue
        yield from _order(filled, question.id, results)
        theirs = kept.of_question(question.id)
        same = _same_answers(question, filled.table.of_question(question.id), theirs)
        decisions = _decisions(filled, question)
        is_decided = [decisions.get(task or "", 0.0) == 1.0 for task in theirs.task.words()]
        level = results.signature.level
        for by, rows in ((AGREES, ~np.isnan(same)), (AGREES_DECIDED, ~np.isnan(same) & is_decided)):
            yield _agreement(
                Key(question.id, "agreement", by), theirs.take(rows), same[rows], level
            )


def _order(filled: _Filled, question: str, results: Results) -> Iterator[Finding]:
    """How many pairs of systems have the participants' order, and the correlation of scores."""
    found = scores_in(results.select(question))
    own = {each.systems[0]: each.value for each in filled.scores() if each.question == question}
    theirs = {
        each.systems[0]: each.value
        for each in found
        if each.value is not None and each.systems[0] in own
    }
    if not found:
        return
    pairs = [
        (first, second) if theirs[first] > theirs[second] else (second, first)
        for first, second in combinations(theirs, 2)
        if sign_of(theirs[first] - theirs[second])
    ]
    tests = [f for f in results.select(question) if f.role == "headline" and f.is_supported]
    supported = {frozenset(each.systems) for each in tests}
    for by, chosen in (
        (IN_ORDER, pairs),
        (SUPPORTED_IN_ORDER, [pair for pair in pairs if frozenset(pair) in supported]),
    ):
        kept = sum(filled.puts_first(question, pair) for pair in chosen)
        yield Finding(
            _key(filled, question, "matching-accuracy", by),
            by,
            100 * kept / len(chosen) if chosen else None,
            len(chosen),
            "pairs",
            how=(How.TEXT(text="pairs of systems in the participants' order"),),
            tally=Tally(kept, len(chosen) - kept, 0),
        )
    tells_apart = any(
        filled.puts_first(question, each)
        for pair in combinations(theirs, 2)
        for each in (pair, pair[::-1])
    )
    if len(theirs) > 2 and tells_apart:
        x, y = (np.array([of[system] for system in theirs]) for of in (theirs, own))
        for key, value in (
            (_key(filled, question, "pearson", "pearson"), stats.pearson(x, y).value),
            (_key(filled, question, "spearman", "spearman"), stats.spearman(x, y).value),
        ):
            yield Finding(
                key, key.method, value, len(x), "systems", how=(How.TEXT(text="of scores"),)
            )


def _key(filled: _Filled, question: str, measure: Measure, by: str) -> Key:
    return Key(question, measure, by, runs=(PARTICIPANTS, filled.follower.baseline.id))


def _agreement(key: Key, theirs: Judgments, same: NDArray[np.float64], level: float) -> Finding:
    """The percentage of participants' judgments that the baseline agrees with.

    What the baseline leaves to chance counts with the share of its draws that agree. The interval
    allows for clusters of items and of participants.
    """
    share = Finding(
        key, key.method, None, len(same), "judgments", how=(How.TEXT(text="cluster-robust"),),
        items=0, participants=0, reasons=(_NO_MATCH,),
    )  # fmt: skip
    if not len(same):
        return share
    items, people = theirs.item.codes, theirs.participant.codes
    if (people < 0).any():
        return replace(
            share,
            value=float(100 * same.mean()),
            items=stats.count_distinct(items),
            reasons=(Why.UNKNOWN_PEOPLE("interval"),),
        )
    (found,) = stats.mean_by_system(
        100 * same,
        np.zeros(len(same), dtype=np.int64),
        item=items,
        participant=people,
        systems=1,
        level=level,
        bounds=(0.0, 100.0),
    )
    return replace(
        share,
        value=found.value,
        interval=found.interval,
        standard_error=found.standard_error,
        items=found.items,
        participants=found.participants,
        reasons=found.reasons,
    )


def _same_answers(question: Question, own: Judgments, theirs: Judgments) -> NDArray[np.float64]:
    """For each judgment how often the baseline gives the same answer; NaN if it gives none."""
    within = getattr(question, "tolerance", 0.0)
    by_task: dict[_Place, list[float]] = defaultdict(list)
    by_item: dict[_Place, list[float]] = defaultdict(list)
    real = own.of_kind("real")
    for (task, thing), value in zip(_places(real), real.value.tolist(), strict=True):
        by_task[(task, *thing)].append(value)
        by_item[thing].append(value)
    same = []
    for (task, thing), value in zip(_places(theirs), theirs.value.tolist(), strict=True):
        given = by_task.get((task, *thing)) if task else by_item.get(thing)
        is_same = [abs(each - value) <= within for each in given or ()]
        same.append(sum(is_same) / len(is_same) if is_same else np.nan)
    return np.array(same, dtype=np.float64)


def _places(judgments: Judgments) -> Iterator[tuple[str | None, _Place]]:
    """The task of each judgment, and what was judged: item, systems and segment."""
    columns = (judgments.item, judgments.system, judgments.system_a, judgments.system_b)
    things = zip(*(each.words() for each in columns), judgments.segment.tolist(), strict=True)
    return zip(judgments.task.words(), things, strict=True)
