"""The tests whose power is computed: those that a study plans, or the usual ones without a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from rejudge.design.planned_comparisons import compared_pairs, planned_comparisons
from rejudge.english import join_words
from rejudge.errors import Problem, StudyError, UsageError
from rejudge.study.analysis_plan import Alternative, PlannedTest, Unit
from rejudge.study.kinds.question import Question
from rejudge.study.methods import TESTS, Test
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.stats import Correction

Pair: TypeAlias = tuple[str, str]
_PAIR = 2
_UNPLANNED: Final = "The study plans no analysis; the {} is assumed."

_IN_LOG_ODDS: Final = frozenset({"ordinal-mixed-model", "binary-mixed-model"})
_IN_WINS: Final = frozenset({"mixed-model", "cluster-robust", "sign-flip"})


@dataclass(frozen=True, slots=True)
class SimulatedTest:
    """One test of a question, as it is simulated."""

    question: str
    planned: Test
    test: Test  # what is simulated: the planned one, or one that stands in for it
    unit: Unit | None
    alternative: Alternative
    pairs: tuple[Pair, ...]  # that are tested, each in the order of its direction
    is_fitted: bool = False  # the planned test itself decides, on a sample of the same studies

    def is_on_scale(self, questions: Mapping[str, Question]) -> bool:
        """Whether its differences are in the unit of the effect, rather than in one of its own."""
        if not questions[self.question].is_comparison:
            return self.test not in _IN_LOG_ODDS
        return self.test in _IN_WINS

    @property
    def as_planned(self) -> SimulatedTest:
        """The planned test itself, where it can be computed from simulated answers."""
        return replace(self, test=self.planned) if self.is_fitted else self

    @property
    def without_stand_in(self) -> SimulatedTest:
        """The planned test itself, whether or not there is a fast simulation of it."""
        return replace(self, test=self.planned, is_fitted=False)

    @property
    def is_stand_in(self) -> bool:
        """Whether another test is simulated than the planned one."""
        return self.test != self.planned


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
    def is_fitted(self) -> bool:
        """Whether planned tests are fitted study by study."""
        return any(test.is_fitted for test in self.tests)

    @property
    def as_planned(self) -> TestPlan:
        """The same with the planned tests themselves where they can be computed."""
        return replace(self, tests=tuple(test.as_planned for test in self.tests))

    @property
    def without_stand_ins(self) -> TestPlan:
        """The same with the planned tests themselves, for complete studies."""
        return replace(self, tests=tuple(test.without_stand_in for test in self.tests))

    @property
    def comparisons(self) -> int:
        """How many p values are corrected together."""
        return self.others + sum(len(test.pairs) for test in self.tests)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are tested."""
        return tuple(dict.fromkeys(test.question for test in self.tests))


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
    tests = tuple(_simulated(study, asked[test.question], test) for test in known)
    others = planned_comparisons(study, plan) - sum(len(test.pairs) for test in tests)
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


def _simulated(study: Study, question: Question, planned: PlannedTest) -> SimulatedTest:
    return SimulatedTest(
        question.id,
        planned.test,
        planned.test,
        planned.unit,
        planned.alternative,
        tuple(planned.pairs) or compared_pairs(study, question),
    )


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
