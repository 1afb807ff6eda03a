"""What is simulated: the planned tests of pairs of systems, and systems that differ as stated.

Tests are those that a study plans, or the usual ones without a plan. True values come from the
stated effect, never from an observed one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from rejudge.english import join_words
from rejudge.errors import DesignError, Problem, StudyError, UsageError
from rejudge.findings.planned_keys import compared_pairs, planned_keys
from rejudge.power.effects import effect_unit, stated_truth, true_differences
from rejudge.study.analysis_plan import Alternative, PlannedTest
from rejudge.study.claims import Claim
from rejudge.study.kinds.question import Question
from rejudge.study.methods import TESTS, Test
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.simulate.parameters import Parameters, ParameterSet
    from rejudge.stats import Correction

Pair: TypeAlias = tuple[str, str]
EVERY: Final = ""  # the question of an effect that holds for all questions
SMALLEST_EFFECT: Final = (
    "Say how large a difference would matter, such as --effect 0.3 (points of the scale) or "
    "--effect 10 (percentage points of wins): the smallest one that would change what you "
    "recommend or build."
)
POST_HOC: Final = (
    "Power at the observed difference only restates the p value: it is above one half "
    "exactly if p is below the level, and says nothing about the design (Hoenig & Heisey 2001)."
)
_PAIR: Final = 2
_UNPLANNED: Final = "The study plans no analysis; the {} is assumed."
_IN_LOG_ODDS: Final = frozenset({"ordinal-mixed-model", "binary-mixed-model"})
_IN_WINS: Final = frozenset({"mixed-model", "cluster-robust", "sign-flip"})


@dataclass(frozen=True, slots=True)
class SimulatedTest:
    """One planned test of a question, and the pairs that it tests."""

    planned: PlannedTest
    pairs: tuple[Pair, ...]  # each in the order of its direction

    @property
    def question(self) -> str:
        return self.planned.question

    @property
    def test(self) -> Test:
        return self.planned.test

    @property
    def alternative(self) -> Alternative:
        return self.planned.alternative

    @property
    def of_all_pairs(self) -> PlannedTest:
        """The test of all pairs in both directions; directions are applied when it is counted."""
        return self.planned.model_copy(update={"alternative": "two-sided", "pairs": ()})

    def is_on_scale(self, question: Question) -> bool:
        """Whether its differences are in the unit of the effect, rather than in one of its own."""
        return self.test in _IN_WINS if question.is_comparison else self.test not in _IN_LOG_ODDS


@dataclass(frozen=True, slots=True)
class TestPlan:
    """All tests of a study, which are corrected together, and what is left out of them."""

    tests: tuple[SimulatedTest, ...]
    others: int  # p values of the same family that are not simulated
    alpha: float
    correction: Correction
    is_planned: bool
    notes: tuple[str, ...] = ()

    @property
    def comparisons(self) -> int:
        """How many p values are corrected together."""
        return self.others + sum(len(test.pairs) for test in self.tests)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are tested."""
        return tuple(dict.fromkeys(test.question for test in self.tests))


@dataclass(frozen=True, slots=True)
class PowerTask:
    """What is simulated, whatever the size of the study: systems, truth, tests and claims."""

    systems: tuple[str, ...]
    questions: Mapping[str, Question]
    parameters: Mapping[str, Parameters]  # by question
    truth: Mapping[str, Mapping[Pair, float]]  # differences by question and pair, as combinations
    plan: TestPlan
    claims: tuple[Claim, ...] = ()

    @property
    def comparisons(self) -> tuple[tuple[SimulatedTest, Pair], ...]:
        """Every pair of every test, in the order of the tallies."""
        return tuple((test, pair) for test in self.plan.tests for pair in test.pairs)

    def difference(self, question: str, pair: Pair) -> float:
        """What is true of a pair, first minus second."""
        known = self.truth[question]
        return known[pair] if pair in known else -known[pair[::-1]]


@dataclass(frozen=True, slots=True)
class EffectRequest:
    """The effects that somebody states: by question, or one for all."""

    by_question: Mapping[str, float]
    pair: Pair | None = None  # the only systems that differ
    takes_qualities: bool = False  # the parameters were stated by hand, with their qualities


@dataclass(frozen=True, slots=True)
class StatedEffect:
    """The smallest difference of interest on a question, and between which systems it is."""

    question: str
    effect: float | None  # None: the differences are those of the parameters
    unit: str
    order: tuple[str, ...]  # of the systems, the best first
    pair: Pair | None = None  # the only two that differ by it; None: each two neighbours do


@dataclass(frozen=True, slots=True)
class StatedTask:
    """What is simulated, and the effects that it was made from."""

    task: PowerTask
    effects: tuple[StatedEffect, ...]


# ── planned tests ────────────────────────────────────────────────────────────────────────────────


def plan_tests(
    study: Study, questions: Sequence[str] = (), *, plan: Plan | None = None
) -> TestPlan:
    """The tests of two systems that the study plans, for all questions or for some.

    The groups of items within which it tests as well are those that the `plan` shows. Without an
    analysis plan, each question has the mixed model that the analysis would choose.
    """
    _refuse_one_system(study)
    asked = {question.id: question for question in study.spec.questions}
    _refuse_unknown(questions, asked)
    analysis = study.spec.analysis
    planned = tuple(analysis.tests) if analysis else _usual(study)
    wanted = [test for test in planned if not questions or test.question in questions]
    known = [
        test
        for test in wanted
        if test.question in asked
        and TESTS[test.test].compares_pairs
        and not asked[test.question].has_unordered_labels
    ]
    if not known:
        raise _nothing_to_simulate(study, wanted, questions)
    tests = tuple(
        SimulatedTest(test, tuple(test.pairs) or compared_pairs(study, asked[test.question]))
        for test in known
    )
    others = len(planned_keys(study, plan)) - sum(len(test.pairs) for test in tests)
    return TestPlan(
        tests,
        others if analysis else 0,
        analysis.alpha if analysis else 0.05,
        analysis.correction if analysis else "holm",
        is_planned=analysis is not None,
        notes=(*([] if analysis else [_assumed(known)]), *_left_out(study, wanted, known)),
    )


def _usual(study: Study) -> tuple[PlannedTest, ...]:
    """The test that decides in the analysis if none is planned (`analysis.evidence`)."""
    return tuple(
        PlannedTest(
            question=question.id,
            test="joint-mixed-model" if question.is_implied else "mixed-model",
        )
        for question in study.spec.questions
    )


def _assumed(tests: Sequence[PlannedTest]) -> str:
    return _UNPLANNED.format(join_words(list(dict.fromkeys(TESTS[t.test].label for t in tests))))


def _left_out(
    study: Study, wanted: Sequence[PlannedTest], known: Sequence[PlannedTest]
) -> list[str]:
    whole = [test for test in wanted if not TESTS[test.test].compares_pairs]
    labels = _with_labels(study, wanted)
    derived = [t for t in wanted if t not in known and t not in whole and t not in labels]
    notes = []
    if whole:
        names = join_words(list(dict.fromkeys(TESTS[test.test].label for test in whole)))
        notes.append(f"Not simulated, since all systems are compared at once: {names}.")
    if derived:
        names = join_words(list(dict.fromkeys(test.question for test in derived)))
        notes.append(f"Not simulated, since they are computed from other scores: {names}.")
    if labels:
        names = join_words(list(dict.fromkeys(test.question for test in labels)))
        notes.append(f"Not simulated, since their labels have no order: {names}.")
    return notes


def _with_labels(study: Study, wanted: Sequence[PlannedTest]) -> list[PlannedTest]:
    """The tests on questions with labels without order."""
    named = {question.id for question in study.spec.questions if question.has_unordered_labels}
    return [test for test in wanted if test.question in named]


def _refuse_one_system(study: Study) -> None:
    if len(study.system_ids) < _PAIR:
        raise StudyError(
            Problem(
                "the study has one system, so there is no difference to detect.",
                "Power is about differences between systems. Add a second system, or plan for "
                "the width of the interval of its mean.",
                file="study.yaml",
                field="systems",
            )
        )


def _refuse_unknown(questions: Sequence[str], asked: Mapping[str, Question]) -> None:
    for name in questions:
        if name not in asked:
            raise UsageError(
                Problem(
                    f"the study has no question '{name}'.",
                    f"Its questions are {join_words(list(asked))}.",
                    field="--question",
                )
            )


def _nothing_to_simulate(
    study: Study, wanted: Sequence[PlannedTest], questions: Sequence[str]
) -> StudyError:
    labels = _with_labels(study, wanted)
    if labels and len(labels) == len(wanted):
        what = "the power of differences between shares of labels is not simulated."
        remedy = "Plan a test on a question whose answers have an order (`measured`)."
        return StudyError(Problem(what, remedy, file="study.yaml", field="analysis.tests"))
    if not wanted:
        named = join_words(list(questions)) or "any question"
        what = f"the study plans no test of {named}."
    else:
        names = join_words(list(dict.fromkeys(test.test for test in wanted)))
        what = f"no planned test compares two systems: {names}."
    first = study.spec.questions[0].id
    remedy = f"Plan one under analysis.tests, such as {{question: {first}, test: mixed-model}}."
    return StudyError(Problem(what, remedy, file="study.yaml", field="analysis.tests"))


# ── true values ──────────────────────────────────────────────────────────────────────────────────


def state_task(
    study: Study,
    plan: Plan,
    parameters: ParameterSet,
    *,
    effect: EffectRequest,
    questions: Sequence[str] = (),
) -> StatedTask:
    """The study's own tests and claims, with systems that differ by the stated effect."""
    tests = plan_tests(study, questions, plan=plan)
    asked = {q.id: q for q in study.spec.questions if q.id in tests.questions}
    for test in tests.tests:
        _refuse_without_points(test, asked[test.question])
    _refuse_strangers(effect, asked, study)
    effects = tuple(_state(study, question, parameters, effect) for question in asked.values())
    truth = {
        each.question: _parameters(study, asked[each.question], parameters, each)
        for each in effects
    }
    task = PowerTask(
        systems=study.system_ids,
        questions=asked,
        parameters=truth,
        truth={
            name: true_differences(asked[name], each, study.system_ids)
            for name, each in truth.items()
        },
        plan=tests,
        claims=study.spec.claims,
    )
    return StatedTask(task, effects)


def _refuse_without_points(test: SimulatedTest, question: Question) -> None:
    """The analysis leaves these models out, so their power is 0 whatever the size."""
    if question.kind == "rating" or test.test not in _IN_LOG_ODDS:
        return
    raise DesignError(
        Problem(
            f"the {TESTS[test.test].label} has no result for {test.question}: it is for points "
            f"of a scale, not for answers of kind {question.kind}.",
            "Plan mixed-model for it.",
            file="study.yaml",
            field="analysis.tests",
        )
    )


def _state(
    study: Study, question: Question, parameters: ParameterSet, effect: EffectRequest
) -> StatedEffect:
    size = effect.by_question.get(question.id, effect.by_question.get(EVERY))
    known = parameters.by_question[question.id].quality
    if size is None and not (effect.takes_qualities and known):
        raise _no_effect(question, parameters)
    order = tuple(sorted(known, key=lambda name: -known[name])) if size is None else ()
    return StatedEffect(
        question.id,
        size,
        effect_unit(question),
        order or expected_order(study, question.id),
        effect.pair,
    )


def _parameters(
    study: Study, question: Question, parameters: ParameterSet, stated: StatedEffect
) -> Parameters:
    known = replace(parameters.by_question[question.id], dropout=0.0)  # who leaves is replaced
    if stated.effect is not None:
        known = stated_truth(question, known, stated.order, stated.effect, pair=stated.pair)
    ordered = {name: float(known.quality[name]) for name in study.system_ids}
    return replace(known, quality=ordered)


def expected_order(study: Study, question: str) -> tuple[str, ...]:
    """The systems as the claims on a question order them, otherwise as the study lists them."""
    order = list(study.system_ids)
    own = [claim for claim in study.spec.claims if claim.question == question]
    for claim in own:
        if claim.kind == "order":
            return _in_claimed_order(order, claim)
    for claim in own:
        if claim.kind in {"best", "worst"}:
            order.remove(claim.systems[0])
            order.insert(0 if claim.kind == "best" else len(order), claim.systems[0])
        elif claim.kind == "better":
            _put_before(order, claim)
    return tuple(order)


def _in_claimed_order(order: Sequence[str], claim: Claim) -> tuple[str, ...]:
    return (*claim.systems, *(name for name in order if name not in claim.systems))


def _put_before(order: list[str], claim: Claim) -> None:
    first, *rest = (name for name in claim.systems if name in order)
    place = min(order.index(name) for name in rest)
    if order.index(first) > place:
        order.remove(first)
        order.insert(place, first)


def _no_effect(question: Question, parameters: ParameterSet) -> UsageError:
    several = len(parameters.by_question) > 1
    example = f" For one question: --effect {question.id}=0.3." if several else ""
    what = f"no effect of interest is stated for {question.id}."
    if any(each.quality for each in parameters.by_question.values()):
        reason = "The data show how much judgments vary, but not which difference matters. "
        return UsageError(
            Problem(what, f"{reason}{POST_HOC} {SMALLEST_EFFECT}{example}", field="--effect")
        )
    return UsageError(Problem(what, f"{SMALLEST_EFFECT}{example}", field="--effect"))


def _refuse_strangers(effect: EffectRequest, asked: Mapping[str, Question], study: Study) -> None:
    problems = [
        Problem(
            f"there is no planned test of '{name}'.",
            f"State effects for {join_words(list(asked))}.",
            field="--effect",
        )
        for name in effect.by_question
        if name != EVERY and name not in asked
    ]
    units = {effect_unit(question) for question in asked.values()}
    if EVERY in effect.by_question and len(units) > 1:
        named = " ".join(
            f"--effect {name}={0.3 if not q.is_comparison else 10:g}" for name, q in asked.items()
        )
        what = "one effect cannot apply to both scores and choices."
        problems.append(Problem(what, f"Give one for each question: {named}.", field="--effect"))
    for name in effect.pair or ():
        if name not in study.system_ids:
            remedy = f"Its systems are {join_words(list(study.system_ids))}."
            problems.append(Problem(f"there is no system '{name}'.", remedy, field="--pair"))
    if effect.pair and effect.pair[0] == effect.pair[1]:
        problems.append(Problem("a pair has two systems.", "Write --pair A:B.", field="--pair"))
    if problems:
        raise UsageError(*problems)
