"""What participants read: pages with the study's numbers, address and pay for placeholders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import ceil

from rejudge.design.duration import Workload, workload
from rejudge.design.pay import Quote, quote_price
from rejudge.design.phrases import plain_values, sentences
from rejudge.design.plan import Batch, Plan
from rejudge.errors import DesignError
from rejudge.study.conduct import Payment
from rejudge.study.model import Study, fill_placeholders


def fill_pages(
    study: Study, plan: Plan, *, on: date, own: Sequence[str] | None = None
) -> dict[str, str]:
    """The pages by role as people read them, at the rates of a day; still Markdown."""
    values = page_values(study, plan, on=on, own=own)
    return {role: fill_placeholders(text, values) for role, text in study.shown_pages.items()}


def page_values(
    study: Study,
    plan: Plan | None,
    *,
    on: date,
    same: str | None = None,
    own: Sequence[str] | None = None,
) -> dict[str, str]:
    """What each placeholder stands for; those that nothing is known for are left out.

    `same` is the word for a tie, where the site has another one than its language.
    `own`: the batches of the person who reads it, where the plan says which they are. The rate for
    a batch is the same for everybody, but numbers, minutes and the sum are their own.
    """
    if plan is None:
        return values_of(study, None, None, same=same)
    own_plan = None
    if own is not None:
        plan = replace(plan, batches_per_participant=max(1, len(own)))
        batches = (each for each in plan.batches if each.is_calibration or each.id in own)
        own_plan = replace(plan, batches=tuple(batches))
    try:
        price = quote_price(study, plan, on=on)
    except DesignError:  # `rejudge check` says why there is no price
        price = None
    return values_of(study, plan, price, same=same, own_plan=own_plan)


def values_of(
    study: Study,
    plan: Plan | None,
    price: Quote | None,
    *,
    same: str | None = None,
    own_plan: Plan | None = None,
) -> dict[str, str]:
    """The same, where the price is known already. `own_plan`: what one person does of the plan."""
    values = dict(plain_values(study.spec))
    if plan is not None:
        work = price.work if price and own_plan is None else workload(study, own_plan or plan)
        plan = own_plan or plan
        values |= dict(_measures(study, plan, work))
        values |= dict(_payment_values(study.spec.payment, price))
    values |= dict(sentences(study.spec, values, same=same))
    if "wage" in values and (price is None or price.is_below_floor):
        values["wage"] = ""
    return values


def _total_minutes(work: Workload) -> Decimal:
    """Minutes of somebody who does all that one person may do."""
    if work.unit == "participant":
        return work.minutes
    return work.minutes * work.rewards_per_participant + work.calibration_minutes


def _amount(money: Decimal, currency: str) -> str:
    """An amount as pages show it, the same in every language."""
    return f"{currency} {money:f}"


def _measures(study: Study, plan: Plan, work: Workload) -> Iterator[tuple[str, str]]:
    total = _total_minutes(work)
    each = total / batches_of(plan) if work.unit == "participant" else work.minutes
    tasks = max((len(batch.tasks) for batch in plan.main), default=0)
    shared = [batch for batch in plan.batches if batch.is_calibration]
    yield "tasks", str(tasks)
    yield "inputs", str(max((_inputs(study, batch) for batch in plan.main), default=0))
    yield "shared", str(sum(_inputs(study, batch) for batch in shared))
    yield "batches", str(batches_of(plan))
    yield "pages", str(tasks * batches_of(plan) + sum(len(batch.tasks) for batch in shared))
    yield "minutes", str(ceil(each))
    yield "total", str(ceil(total))
    halves = ceil(Fraction(total) / 30)
    yield "hours", str(halves // 2) if halves % 2 == 0 else f"{halves / 2:.1f}"


def _inputs(study: Study, batch: Batch) -> int:
    """How many inputs a batch has; items of one group are one input."""
    items = {task.item for task in batch.tasks if task.is_real}
    return len({study.item[item].group if item in study.item else item for item in items})


def batches_of(plan: Plan) -> int:
    """How many batches one person can do."""
    return max(1, min(plan.batches_per_participant, len(plan.main)))


def _payment_values(payment: Payment | None, price: Quote | None) -> Iterator[tuple[str, str]]:
    if price is None or price.reward is None or price.currency is None or payment is None:
        return
    everything = price.reward * price.work.rewards_per_participant
    yield "reward", _amount(price.reward, price.currency)
    yield "earnings", _amount(everything + (price.calibration_reward or 0), price.currency)
    if price.qualification_reward is not None:
        yield "qualification_reward", _amount(price.qualification_reward, price.currency)
    if price.effective_hourly is not None:
        yield "hourly", _amount(price.effective_hourly, price.currency)
