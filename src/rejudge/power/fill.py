"""Fill in the size of a study: from its frozen rule and a pilot, the same for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING

from rejudge.design.draw import draw
from rejudge.english import count, join_words
from rejudge.errors import DesignError, Problem, StudyError
from rejudge.power.grid import GridRequest, Watch, compute_power, power_fingerprint
from rejudge.power.plan import EffectRequest, state_task
from rejudge.power.results import PlannedPower, SizePower
from rejudge.power.sizes import StudyShape, batches_needed, price_study
from rejudge.study.model import Study
from rejudge.study.sample_size import FilledSize, SizeRule, with_inputs

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rejudge.design.plan import Plan
    from rejudge.simulate.parameters import ParameterSet


@dataclass(frozen=True, slots=True)
class FilledRule:
    """The size chosen by a rule, and the power analysis behind it."""

    size: FilledSize
    power: PlannedPower


def fill_size(
    study: Study,
    plan: Plan,
    parameters: ParameterSet,
    *,
    pilot: str,
    on: date,
    precision: float | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> FilledRule:
    """The cheapest size within the limits of the rule that reaches its power.

    `pilot` is the fingerprint of the pilot's judgments. Equal inputs give equal sizes: the seed is
    part of the rule, and the day of the wages is recorded.
    """
    rule = _rule_of(study)
    stated = state_task(
        study,
        plan,
        parameters,
        effect=EffectRequest(rule.effect, rule.pair),
        questions=tuple(rule.effect),
    )
    shapes = tuple(_affordable(study, plan, rule, on))
    found = compute_power(
        GridRequest(
            study,
            plan,
            stated.task,
            stated.effects,
            shapes,
            on=on,
            target=rule.power,
            precision=precision,
            seed=rule.seed,
            source=parameters.source,
            assumptions=parameters.assumptions,
            command="rejudge power DIR --fill",
            with_planned=False,
        ),
        executor=executor,
        watch=watch,
    )
    chosen = found.best or _largest(found, rule)
    size = _filled(rule, chosen, found, (pilot, on))
    spec = with_inputs(study.spec, size.inputs, size.participants_per_batch)
    sized = replace(study, spec=spec, size=size)
    sizes = tuple(replace(each, is_planned=each is chosen) for each in found.sizes)
    return FilledRule(size, replace(found, study=power_fingerprint(sized), sizes=sizes))


def _rule_of(study: Study) -> SizeRule:
    rule = study.spec.sample_size
    if rule is None:
        raise StudyError(
            Problem(
                "the study has no rule for its size.",
                "State one under `sample_size`, or leave out --fill.",
                file="study.yaml",
                field="sample_size",
            )
        )
    return rule


def _affordable(study: Study, plan: Plan, rule: SizeRule, on: date) -> Iterator[StudyShape]:
    """The sizes to choose from that exist in the item file and stay within the limits."""
    have = len({item.group for item in study.items})
    per_batch = rule.participants_per_batch or (study.spec.design.participants_per_batch,)
    reasons: list[str] = []
    is_any = False
    for inputs in sorted(set(rule.inputs)):
        for people in sorted(set(per_batch)):
            shape = _shape(study, plan, inputs, people)
            reason = _too_much(study, plan, (rule, shape), (have, on))
            if reason:
                reasons.append(reason)
            else:
                is_any = True
                yield shape
    if not is_any:
        raise DesignError(
            Problem(
                "none of the sizes in the rule is possible: "
                f"{join_words(list(dict.fromkeys(reasons)))}.",
                "Change the item file or the pay; a frozen rule must not be changed.",
                file="study.yaml",
                field="sample_size",
            )
        )


def _shape(study: Study, plan: Plan, inputs: int, people: int) -> StudyShape:
    places = people * batches_needed(plan, inputs)
    in_all = max(people, ceil(places / plan.batches_per_participant))
    return StudyShape(inputs, people, in_all, len(study.system_ids))


def _too_much(
    study: Study, plan: Plan, asked: tuple[SizeRule, StudyShape], given: tuple[int, date]
) -> str:
    """Why a size is not possible; empty if it is."""
    (rule, shape), (have, on) = asked, given
    if shape.items > have:
        return f"{count(shape.items, 'input')} are more than the {have:,} of the item file"
    reason = _cannot_be_drawn(study, shape)
    if reason:
        return reason
    if rule.most_participants is not None and shape.participants > rule.most_participants:
        return f"{count(shape.participants, 'participant')} are more than allowed"
    if rule.most_cost is not None:
        cost = price_study(study, plan, shape, on=on).cost
        if cost is not None and cost > Decimal(str(rule.most_cost)):
            return f"{cost:,} is more than the maximum cost"
    return ""


def _cannot_be_drawn(study: Study, shape: StudyShape) -> str:
    """Why there is no plan of this size, such as items that are needed for checks."""
    spec = with_inputs(study.spec, shape.items, shape.participants_per_item)
    try:
        draw(replace(study, spec=spec))
    except DesignError as error:
        return error.problems[0].what.rstrip(".")
    return ""


def _largest(found: PlannedPower, rule: SizeRule) -> SizePower:
    """The most powerful size, where none reaches the power and the rule says so."""
    best = max(found.sizes, key=lambda size: size.power)
    if rule.otherwise == "none":
        raise DesignError(
            Problem(
                f"no size within the limits reaches {rule.power:.0%} power; the highest is "
                f"{best.power:.1%}.",
                "According to its rule, this study should not be run.",
                file="study.yaml",
                field="sample_size",
            )
        )
    return best


def _filled(
    rule: SizeRule, size: SizePower, found: PlannedPower, given: tuple[str, date]
) -> FilledSize:
    pilot, on = given
    return FilledSize(
        rule=rule.fingerprint,
        pilot=pilot,
        inputs=size.items,
        participants_per_batch=size.per_item,
        participants=size.participants,
        power=round(size.power, 4),
        reached=found.best is not None,
        judgments=size.judgments,
        hours=round(size.hours, 2),
        cost=None if size.cost is None else str(size.cost),
        currency=size.currency,
        on=on.isoformat(),
        source=found.source,
        engine=found.engine,
    )
