"""What is simulated instead of a test or a question that has no fast simulation.

A stand-in decides by the same answers and for the same population. Where the planned test can be
computed from simulated answers, the stand-in only makes the estimate sharper: the planned test is
computed for a sample of the same studies, and it decides (`paired`). Elsewhere complete studies are
simulated (`complete`). Where a quick answer is asked for, the power is that of the stand-in, and a
note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rejudge.errors import DesignError, Problem
from rejudge.power.fast import is_fast, why_not_fast
from rejudge.power.planned_tests import SimulatedTest, TestPlan
from rejudge.power.studies import StudyShape
from rejudge.study.analysis_plan import Unit
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS
from rejudge.study.methods import TESTS, Test
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.simulate.parameters import Parameters

_CANDIDATES: Final[Mapping[Test, tuple[tuple[Test, Unit | None], ...]]] = {
    "ordinal-mixed-model": (("mixed-model", None),),
    "binary-mixed-model": (("mixed-model", None),),
    "mixed-model": (("joint-mixed-model", None),),
    "cluster-robust": (("joint-mixed-model", None),),
    "joint-mixed-model": (("mixed-model", None),),
    "bradley-terry": (("joint-mixed-model", None), ("mixed-model", None)),
    "plackett-luce": (("joint-mixed-model", None), ("mixed-model", None)),
    "wilcoxon": (("paired-t", None),),
    "mann-whitney": (("t-test", None),),
}
_TRIED: Final = (12, 3, 12)  # items, participants per item, participants: a table of many blocks
_TWO: Final = 2
_OF_POINTS: Final = frozenset({"ordinal-mixed-model", "binary-mixed-model"})


@dataclass(frozen=True, slots=True)
class SimulatedQuestion:
    """A question as it is simulated, and how many of its judgments count."""

    question: Question
    judgments: float = 1.0  # per judgment of the study that decides
    note: str = ""


@dataclass(frozen=True, slots=True)
class SimulatedPlan:
    """Tests and questions as they are simulated."""

    plan: TestPlan
    questions: Mapping[str, SimulatedQuestion]


def with_stand_ins(
    study: Study, plan: Plan, tests: TestPlan, *, is_quick: bool = False
) -> SimulatedPlan:
    """The tests and questions that are simulated for those of the study.

    `is_quick`: stand-ins alone, even where the planned test could be computed or complete studies
    simulated.
    """
    systems = len(study.system_ids)
    own = {q.id: q for q in study.spec.questions if q.id in tests.questions}
    for test in tests.tests:
        _refuse_without_points(test, own[test.question])
    if not is_quick:
        chosen = tuple(_test(test, own[test.question], systems) or test for test in tests.tests)
        asked = {name: SimulatedQuestion(question) for name, question in own.items()}
        return SimulatedPlan(replace(tests, tests=chosen), asked)
    asked = {name: _question(question, plan, systems) for name, question in own.items()}
    chosen = tuple(
        replace(_stand_in(test, asked[test.question].question, systems), is_fitted=False)
        for test in tests.tests
    )
    notes = [each.note for each in asked.values() if each.note]
    for planned, simulated in dict.fromkeys(
        (test.planned, test.test) for test in chosen if test.is_stand_in
    ):
        notes.append(
            f"The {TESTS[planned].label} has no closed form and is simulated as the "
            f"{TESTS[simulated].label}; its own power can be far lower, above all in small "
            "studies. Leave out --quick for the power of the planned test."
        )
    return SimulatedPlan(
        replace(tests, tests=chosen, notes=(*tests.notes, *dict.fromkeys(notes))), asked
    )


def _refuse_without_points(test: SimulatedTest, question: Question) -> None:
    """The analysis leaves these models out, so their power is 0 whatever the size."""
    if question.kind == "rating" or test.planned not in _OF_POINTS:
        return
    raise DesignError(
        Problem(
            f"the {TESTS[test.planned].label} has no result for {test.question}: it is for points "
            f"of a scale, not for answers of kind {question.kind}.",
            "Plan mixed-model for it.",
            file="study.yaml",
            field="analysis.tests",
        )
    )


def without_dropout(parameters: Parameters) -> Parameters:
    """People who leave early are replaced: the study ends with all its places filled."""
    return replace(parameters, dropout=0.0) if parameters.dropout else parameters


def _test(test: SimulatedTest, question: Question, systems: int) -> SimulatedTest | None:
    """The planned test, or the first that can be simulated in its place; None if there is none."""
    shape = StudyShape(*_TRIED, max(_TWO, systems))
    for name, unit in ((test.planned, test.unit), *_CANDIDATES.get(test.planned, ())):
        wanted = unit or test.unit
        why = why_not_fast(shape, _even(), question, name, unit=wanted)
        if not why and is_fast(question, name):
            own = why_not_fast(shape, _even(), question, test.planned, unit=test.unit)
            return replace(test, test=name, unit=wanted, is_fitted=name != test.planned and not own)
    return None


def _stand_in(test: SimulatedTest, question: Question, systems: int) -> SimulatedTest:
    found = _test(test, question, systems)
    if found is None:
        raise DesignError(
            Problem(
                f"the {TESTS[test.planned].label} of {test.question} has no similar test that is "
                "fast.",
                "Leave out --quick, or look at other questions with --question.",
                field="--quick",
            )
        )
    return found


def _even() -> Parameters:
    from rejudge.simulate.parameters import Parameters

    return Parameters()


def _question(question: Question, plan: Plan, systems: int) -> SimulatedQuestion:
    if question.is_segmented:
        return _scored_as_a_whole(question)
    shown = question.shows(systems)
    if question.is_comparison and question.is_implied and shown != systems:
        return _choices_of_two(question, plan, (shown, systems))
    return SimulatedQuestion(question)


def _scored_as_a_whole(question: Question) -> SimulatedQuestion:
    points = question.values
    whole = KINDS["rating"].model_validate(
        {
            "kind": "rating",
            "id": question.id,
            "prompt": question.prompt,
            "points": len(points),
            "lowest": points[0],
            "step": points[1] - points[0],
        }
    )
    note = (
        f"{question.id} is simulated with one score for each text; with one for each sentence the "
        "power is higher."
    )
    return SimulatedQuestion(whole, note=note)


def _choices_of_two(question: Question, plan: Plan, sizes: tuple[int, int]) -> SimulatedQuestion:
    """Best–worst or ranking of some systems at a time, as the choices between two they imply."""
    shown, systems = sizes
    real = [task for batch in plan.main for task in batch.real if len(task.options) == shown]
    per_item = len(real) / max(1, len({task.item for task in real}))
    pairs = shown * (shown - 1) / 2
    decided = pairs if question.is_order else 2 * shown - 3
    share = per_item * decided / (systems * (systems - 1) / 2)
    two = KINDS["pairwise"].model_validate(
        {"kind": "pairwise", "id": question.id, "prompt": question.prompt}
    )
    note = (
        f"{question.id} shows {shown} of {systems} systems at a time; it is simulated as choices "
        f"between two, {share:.2g} for each pair, item and participant."
    )
    return SimulatedQuestion(two, share, note)
