"""True values in the simulated studies: from the stated effect, never an observed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rejudge.english import join_words
from rejudge.errors import Problem, UsageError
from rejudge.power.effects import effect_unit, stated_truth, true_differences
from rejudge.power.planned_power import Pair, StatedEffect
from rejudge.power.planned_tests import plan_tests
from rejudge.power.stand_ins import with_stand_ins, without_dropout
from rejudge.power.tallies import PowerTask
from rejudge.study.claims import Claim
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.simulate.parameters import Parameters, ParameterSet

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


@dataclass(frozen=True, slots=True)
class EffectRequest:
    """The effects that somebody states: by question, or one for all."""

    by_question: Mapping[str, float]
    pair: Pair | None = None  # the only systems that differ
    takes_qualities: bool = False  # the parameters were stated by hand, with their qualities


@dataclass(frozen=True, slots=True)
class StatedTask:
    """What is simulated, and the effects that it was made from."""

    task: PowerTask
    effects: tuple[StatedEffect, ...]


def state_task(
    study: Study,
    plan: Plan,
    parameters: ParameterSet,
    *,
    effect: EffectRequest,
    questions: Sequence[str] = (),
    is_quick: bool = False,
) -> StatedTask:
    """The study's own tests and claims, with systems that differ by the stated effect.

    `is_quick`: a stand-in alone for each question and planned test without a fast simulation.
    """
    planned = plan_tests(study, questions, plan=plan)
    simulated = with_stand_ins(study, plan, planned, is_quick=is_quick)
    tests = simulated.plan
    asked = {name: each.question for name, each in simulated.questions.items()}
    _refuse_strangers(effect, asked, study)
    effects = tuple(_state(study, q, parameters, effect) for q in asked.values())
    made = {
        each.question: _parameters(study, asked[each.question], parameters, each)
        for each in effects
    }
    task = PowerTask(
        systems=study.system_ids,
        questions=asked,
        judgments={name: each.judgments for name, each in simulated.questions.items()},
        parameters=made,
        truth={
            name: true_differences(asked[name], each, study.system_ids)
            for name, each in made.items()
        },
        plan=tests,
        claims=study.spec.claims,
        is_quick=is_quick,
    )
    return StatedTask(task, effects)


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
    known = without_dropout(parameters.by_question[question.id])
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
