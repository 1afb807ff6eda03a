"""What a study will need and can find: size, duration, cost, power, looks and pass rates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rejudge.cli.folders import plan_size, selection_json
from rejudge.english import join_words
from rejudge.errors import DesignError, Problem

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.design.duration import Duration
    from rejudge.design.freeze import Change
    from rejudge.design.pay import Quote
    from rejudge.design.plan import Plan
    from rejudge.design.stages import Stages
    from rejudge.power.detectable import DetectableDifference
    from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class StudyEstimates:
    """What is known about a study before data collection."""

    source: Literal["stored", "drawn", "stale", "none"]
    stored: Plan | None  # as plan.json has it, also when it is stale
    plan: Plan | None  # that belongs to the study as it is
    changes: tuple[Change, ...]
    quote: Quote | None
    duration: Duration | None
    obstacles: tuple[Problem, ...]
    is_frozen: bool
    stages: Stages | None  # None: no looks are planned, or the plan cannot be done in stages


def estimate_study(study: Study, folder: Path, *, on: date) -> StudyEstimates:
    """Everything that study, plan and rates of pay tell before anybody takes part."""
    from rejudge.design.draw import draw
    from rejudge.design.duration import estimate_duration
    from rejudge.design.freeze import Frozen, changes_since_freeze
    from rejudge.design.pay import quote_price
    from rejudge.design.plan import Plan
    from rejudge.design.stages import stages_of
    from rejudge.files.step_files import FROZEN, PLAN, check_fresh, read, refuse_misfit

    stored = read(Plan, folder / PLAN) if (folder / PLAN).exists() else None
    frozen = read(Frozen, folder / FROZEN) if (folder / FROZEN).exists() else None
    is_fresh = stored is not None and check_fresh(stored, study) is None
    if stored is not None and is_fresh:
        refuse_misfit(stored, study, file=str(folder / PLAN))
    obstacles: list[Problem] = []
    plan, price, stages = stored if is_fresh else None, None, None
    try:
        plan = plan or draw(study)
        price = quote_price(study, plan, on=on)
        stages = stages_of(study, plan)
    except DesignError as error:
        obstacles += error.problems
    duration = price.work.duration if price else estimate_duration(study, plan) if plan else None
    source: Literal["stored", "drawn", "stale", "none"] = "drawn" if plan else "none"
    if stored:
        source = "stored" if is_fresh else "stale"
    since = changes_since_freeze(frozen, study, stored or plan) if frozen else ()
    return StudyEstimates(
        source,
        stored,
        plan,
        since,
        price,
        duration,
        tuple(obstacles),
        is_frozen=frozen is not None,
        stages=stages,
    )


def estimates_json(study: Study, known: StudyEstimates) -> dict[str, object]:
    """The estimates for programs, by what they are about."""
    return {
        "size": None if known.plan is None else _size(known.plan),
        "minutes": None if known.duration is None else _minutes(study, known.duration),
        "pay": None if known.quote is None else _pay(known.quote),
        "qualification": _qualification(study),
        "detectable": _detectable(study, known.plan),
        "looks": _looks(study, known.stages),
    }


def _looks(study: Study, stages: Stages | None) -> dict[str, object] | None:
    """When the results are looked at, and how small p must be there."""
    stop = study.spec.stop
    if stop is None or stages is None:
        return None
    return {
        "boundary": stop.boundary,
        "question": stop.question,
        "systems": list(stop.systems),
        "places": list(stages.places),
        "participants": list(stages.people),
        "levels": _levels(study, stages),
    }


def _levels(study: Study, stages: Stages) -> list[float] | None:
    """The level of each look; None for an always-valid interval, whose width the data decide."""
    from rejudge.stats import sequential_boundary

    stop = study.spec.stop
    if stop is None or stop.boundary == "always-valid":
        return None
    boundary = sequential_boundary(stages.fractions, stop.boundary, alpha=_alpha(study))
    return list(boundary.levels)


def _look_rows(study: Study, stages: Stages | None) -> list[tuple[str, str]]:
    from rejudge.tables.looks import stop_sentence

    stop = study.spec.stop
    if stop is None or stages is None:
        return []
    rows = [("looks", stop_sentence(stop, stages.places))]
    levels = _levels(study, stages)
    if levels is not None:
        shown = ", ".join(f"{level:.2g}" for level in levels)
        rows.append(("", f"p below {shown}, which is {100 * _alpha(study):g} % over all looks"))
    return rows


def _alpha(study: Study) -> float:
    return study.spec.analysis.alpha if study.spec.analysis else 0.05


def _detectable(study: Study, plan: Plan | None) -> list[dict[str, object]]:
    """What the planned study can detect under the assumptions of `rejudge power`."""
    return [
        {
            "question": each.question,
            "test": each.test,
            "difference": None if each.difference is None else round(each.difference, 4),
            "unit": each.unit,
            "power": each.power,
            "level": each.level,
            "tests": each.tests,
            "note": each.note,
        }
        for each in _detectable_differences(study, plan)
    ]


def _detectable_differences(study: Study, plan: Plan | None) -> tuple[DetectableDifference, ...]:
    from rejudge.power.detectable import detectable_differences

    return () if plan is None else detectable_differences(study, plan)


def _detectable_rows(study: Study, plan: Plan | None) -> list[tuple[str, str]]:
    """One line: the smallest difference on each question that would be found."""
    found = _detectable_differences(study, plan)
    if not found:
        return []
    alike: dict[str, list[str]] = {}
    for each in found:
        alike.setdefault(_difference(each), []).append(each.question)
    sizes = "; ".join(f"{size} on {join_words(names)}" for size, names in alike.items())
    corrected = f" corrected for {found[0].tests} tests," if found[0].tests > 1 else ""
    notes = "".join(f"; {note}" for note in dict.fromkeys(each.note for each in found) if note)
    what = (
        f"{sizes}, with 80 % power,{corrected} if judgments vary as usual{notes}; "
        "`rejudge power` simulates it"
    )
    return [("can detect", what)]


def _difference(found: DetectableDifference) -> str:
    """A difference with its unit, to three digits or whole numbers."""
    size = found.difference
    if size is None:
        return "no difference"
    is_whole = found.unit == "percentage points" or size >= 10
    return f"differences of {size:.{0 if is_whole else 2}f} {found.unit}"


def _qualification(study: Study) -> dict[str, object] | None:
    from rejudge.collect.qualification import stage_rates

    rates = stage_rates(study)
    if rates is None:
        return None
    return {
        "checks": rates.checks,
        "pass_mark": rates.mark,
        "attempts": rates.attempts,
        "guessing_passes": round(rates.guessing, 6),
        "guessing_passes_in_all": round(rates.within_attempts(rates.guessing), 6),
        "right_by_same_answer": rates.same_answer,
        "by_accuracy": [
            {
                "accuracy": accuracy,
                "fails": round(1 - rate, 6),
                "fails_in_all": round(1 - rates.within_attempts(rate), 6),
            }
            for accuracy, rate in rates.by_accuracy
        ],
    }


def _qualification_rows(study: Study) -> list[tuple[str, str]]:
    from rejudge.collect.qualification import stage_rates

    rates = stage_rates(study)
    if rates is None:
        return []
    tries = "" if rates.attempts == 1 else f" ({{:.1%}} in {rates.attempts} attempts)"
    guess = tries.format(rates.within_attempts(rates.guessing))
    failing = [
        f"{accuracy:.0%}: {1 - rate:.1%}" + tries.format(1 - rates.within_attempts(rate))
        for accuracy, rate in rates.by_accuracy
    ]
    verdict = "passes" if rates.same_answer >= rates.mark else "fails"
    return [
        ("pass mark", f"{rates.mark} of {rates.checks} answers; everybody is paid"),
        ("guessing passes", f"{rates.guessing:.1%}{guess}"),
        ("failing by accuracy", "; ".join(failing)),
        (
            "always the same answer",
            f"{rates.same_answer} of {rates.checks} right: {verdict}",
        ),
    ]


def _size(plan: Plan) -> dict[str, object]:
    return {
        "batches": len(plan.main),
        "tasks_per_batch": sorted({len(batch.tasks) for batch in plan.main}),
        "calibration_tasks": sum(len(b.tasks) for b in plan.batches if b.is_calibration),
        "participants_per_batch": sorted({batch.participants for batch in plan.main}),
        "places": plan.places,
        "participants_at_least": plan.people,
        "judgments_per_question": plan.judgments_per_question,
        "notes": list(plan.notes),
        "selection": selection_json(plan),
    }


def _minutes(study: Study, duration: Duration) -> dict[str, object]:
    payment = study.spec.payment
    return {
        "stated": payment.minutes if payment else None,
        "estimated": round(duration.minutes, 1),
        "shortest": round(duration.shortest, 1),
        "longest": round(duration.longest, 1),
        "calibration": None if duration.calibration is None else round(duration.calibration, 1),
        "method": duration.method,
    }


def _pay(price: Quote) -> dict[str, object]:
    """Amounts are text, so that they stay exact."""
    cost = price.cost
    return {
        "kind": price.kind,
        "currency": price.currency,
        "reward": _text(price.reward),
        "reward_per": price.work.unit,
        "calibration_reward": _text(price.calibration_reward),
        "qualification_reward": _text(price.qualification_reward),
        "hourly": _text(price.effective_hourly),
        "floor": None
        if price.floor is None
        else {
            "reason": price.floor.reason,
            "hourly": str(price.floor.hourly),
            "source": price.floor.source,
        },
        "fee_percent": _text(price.fee_percent),
        "cost": None
        if cost is None
        else {
            "rewards": str(cost.rewards),
            "calibration": str(cost.calibration),
            "fee": str(cost.fee),
            "vat": str(cost.vat),
            "total": str(cost.total),
        },
        "notes": list(price.notes),
    }


def _text(amount: object) -> str | None:
    return None if amount is None else str(amount)


def estimate_table(study: Study, known: StudyEstimates) -> list[RenderableType]:
    """The estimates for people, one row for each; nothing where nothing is known."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    rows = [
        *([] if known.plan is None else _size_rows(known.plan, known.source)),
        *_selection_rows(study, known.plan),
        *_qualification_rows(study),
        *_look_rows(study, known.stages),
        *([] if known.duration is None else [_minutes_row(study, known.duration)]),
        *([] if known.quote is None else _pay_rows(known.quote)),
        *_detectable_rows(study, known.plan),
    ]
    for what, detail in rows:
        table.add_row(what, detail)
    return [table] if rows else []


def _size_rows(plan: Plan, source: str) -> list[tuple[str, str]]:
    sources = {"stored": "plan.json", "drawn": "drawn in memory", "stale": "drawn again in memory"}
    rows = [
        ("plan", f"{plan_size(plan)} ({sources[source]})"),
        ("participants", f"{plan.people:,} or more"),
    ]
    shared = sum(len(batch.tasks) for batch in plan.batches if batch.is_calibration)
    if shared:
        rows.insert(1, ("calibration", f"{shared:,} tasks that everybody does first"))
    return rows


def _selection_rows(study: Study, plan: Plan | None) -> list[tuple[str, str]]:
    if plan is None or plan.selection is None:
        return []
    return [("selection", plan.selection.describe(study.spec.items.file))]


def _minutes_row(study: Study, duration: Duration) -> tuple[str, str]:
    estimated = f"about {duration.minutes:.0f} per batch (estimated)"
    if _is_uneven(duration):
        estimated += f", {duration.shortest:.0f} to {duration.longest:.0f}"
    stated = study.spec.payment.minutes if study.spec.payment else None
    return ("minutes", f"{stated:g} per batch (stated); {estimated}" if stated else estimated)


_MUCH_LONGER = 1.5  # from here on R503 says that the stated minutes are too few


def _is_uneven(duration: Duration) -> bool:
    return duration.longest - duration.shortest >= 1  # minutes


def _pay_rows(price: Quote) -> list[tuple[str, str]]:
    if price.reward is None:
        return [("pay", " ".join(price.notes) or "none")]
    money = price.currency
    meets = "below" if price.is_below_floor else "which meets"
    floor = price.floor
    least = f", {meets} the {floor.reason} of {_cents(floor.hourly)}" if floor else ""
    duration, unit = price.work.duration, price.work.unit
    where = ""
    if price.work.minutes_are == "stated" and unit == "batch":
        is_far = duration.longest > _MUCH_LONGER * float(price.work.minutes)
        where = " for the stated minutes" if is_far else ""
    elif _is_uneven(duration) and unit == "batch":
        where = " in the longest batch"
    per_hour = f" ({price.effective_hourly} an hour{where}{least})"
    rows = [("reward", f"{price.reward} {money} per {unit}{per_hour}")]
    if price.qualification_reward is not None:
        what = f"{price.qualification_reward} {money} each, not in the cost below"
        rows.append(("not passing", what))
    if price.cost is None:
        return [*rows, ("cost", "not known: " + " ".join(price.notes))]
    cost = price.cost
    parts = [f"rewards {cost.rewards}"]
    named = (("calibration", cost.calibration), ("fee", cost.fee), ("VAT", cost.vat))
    parts += [f"{name} {amount}" for name, amount in named if amount]
    return [*rows, ("cost", f"{cost.total} {money} ({', '.join(parts)})")]


def _cents(hourly: Decimal) -> Decimal:
    """An hourly rate rounded down, as the effective rate is."""
    return hourly.quantize(Decimal("0.01"), ROUND_DOWN)
