"""Conditions of measurement: what files and tables show of them, and what differs between runs.

Labels are those that published studies use for the same thing, so that two runs match where they
do. What the files do not say is left out: unknown is not equal. A table does not show how people
were recruited, paid or instructed; that must be given with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge import fingerprint
from rejudge.channels import planned_channel
from rejudge.compare.alignment import pairs_of
from rejudge.compare.comparison import Condition, Similarity
from rejudge.compare.run import Run
from rejudge.design.balance import measure_balance
from rejudge.design.pay import quote_price
from rejudge.design.plan import Plan
from rejudge.english import count, did_you_mean
from rejudge.errors import DesignError
from rejudge.paper.conditions import PROPERTIES, property_of
from rejudge.paper.model import PropertyValue
from rejudge.platforms import platform
from rejudge.study.analysis_plan import Analysis
from rejudge.study.item_sample import Sample
from rejudge.study.kinds.question import Question
from rejudge.study.model import Spec, Study
from rejudge.study.parse import ROLES
from rejudge.study.qualification import Qualification

if TYPE_CHECKING:
    from rejudge.judgments.table import Judgments


StatedCondition: TypeAlias = "tuple[str, PropertyValue | None]"
_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "en": "English", "es": "Spanish",
    "fr": "French", "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "tr": "Turkish",
    "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
# Answers that come from elsewhere were given on pages of the study only where it wrote the files.
_ORDERS = {
    "batch": "at random, in one order per batch",
    "participant": "at random, anew for each participant",
    "latin-square": "Latin square over participants",
    "listed": "as in the item file",
}
_FAILED = {"exclude": "paid and asked again", "flag": "kept", "reject": "rejected and asked again"}
_CONTRASTS = {"other-reference": "distractor", "input": "input as output"}
_BY_KEY = {  # `*` is the id of an entry of a list
    "analysis.correction": "correction",
    "analysis.tests": "test",
    "checks": "checks",
    "checks.*.on_fail": "failed-check",
    "checks.*.per_batch": "checks-per-batch",
    "design.batch": "batch-size",
    "design.batches_per_participant": "max-batches-per-participant",
    "design.order": "order",
    "design.participants_per_batch": "participants-per-item",
    "interface": "interface",
    "items.sample": "sampling",
    "language": "language",
    "pages.consent": "consent",
    "pages.information": "information",
    "pages.instructions": "instructions",
    "pages.thanks": "x-thanks-page",
    "payment.currency": "currency",
    "payment.hourly": "pay-per-hour",
    "payment.kind": "pay-per-hour",
    "payment.living_wage": "pay-per-hour",
    "payment.minutes": "expected-minutes",
    "payment.reward": "pay-per-batch",
    "practice": "training",
    "qualification": "x-qualification",
    "questions": "criteria",
    "questions.*.definition": "definitions",
    "questions.*.kind": "elicitation",
    "questions.*.labels": "scale",
    "questions.*.points": "scale",
    "questions.*.prompt": "x-wording",
    "questions.*.tie": "scale",
    "recruitment.approval_percent": "approval",
    "recruitment.languages": "native-language",
    "recruitment.platform": "platform",
    "recruitment.previous_submissions": "previous-tasks",
    "recruitment.regions": "countries",
    "site.consent_statements": "consent",
}
SEEN = frozenset(
    ("items", "units", "criteria", "elicitation", "participants", "participants-per-item")
)


def study_conditions(
    study: Study, plan: Plan, *, participants: int | None, judgments: Judgments | None = None
) -> dict[str, PropertyValue]:
    """All conditions that study.yaml, its items, its plan and its judgments show."""
    told: list[StatedCondition] = [
        *_object(study, plan),
        *_method(study),
        *_procedure(study, plan, judgments),
        *_pay(study, plan, judgments),
        ("dates", _dates(judgments)),
        ("participants", participants),
        *_participants(study),
    ]
    return {key: value for key, value in told if value is not None and value not in ("", ())}


def study_pages(study: Study) -> dict[str, str]:
    """The texts of a study's pages, by the condition that each of them is."""
    return {
        condition_of_key(f"pages.{role}"): study.pages[role]
        for role in ROLES
        if study.pages.get(role, "").strip()
    }


def condition_of_key(key: str) -> str:
    """The condition that a key of study.yaml decides; one of its own where there is none."""
    steps = key.split(".")
    if steps[0] in {"checks", "questions"}:
        steps[1:2] = "*" if len(steps) > 1 else ()
    while steps:
        if ".".join(steps) in _BY_KEY:
            return _BY_KEY[".".join(steps)]
        steps.pop()
    return "x-" + key.replace(".", "-").replace("_", "-")


def unknown_deviation_keys(study: Study) -> Iterator[tuple[str, str]]:
    """Keys of `deviations` that are neither keys of study.yaml nor conditions, with a remedy."""
    known = [*Spec.model_fields, *(each.key for each in PROPERTIES)]
    for key in study.spec.deviations:
        is_key = key.partition(".")[0] in Spec.model_fields
        if not is_key and property_of(key) is None and not key.startswith("x-"):
            yield key, did_you_mean(key, known) or "Write a key of study.yaml, or a condition."


def _object(study: Study, plan: Plan) -> Iterator[StatedCondition]:
    by_dataset = measure_balance(study, plan).inputs_by_dataset
    drawn = study.spec.items.sample
    yield "x-items-fingerprint", study.items_fingerprint
    yield "datasets", tuple(sorted(name for name in by_dataset if name))
    yield "language", _language(study.spec.language)
    yield "items", sum(by_dataset.values())
    yield "units", sum(len(batch.real) for batch in plan.batches)
    if drawn is not None:
        several = len([name for name in by_dataset if name]) > 1
        yield "sampling", _sampling(drawn, several=several)


def _sampling(drawn: Sample, *, several: bool) -> str:
    """How inputs were selected."""
    if drawn.method in {None, "random"} or drawn.is_balanced:
        return "equally from datasets" if drawn.is_balanced and several else "at random"
    if drawn.method == "stratified":
        share = "in proportion" if drawn.is_proportional else "equally"
        return f"{share} from {drawn.column or 'dataset'}"
    if drawn.method == "weighted":
        return f"in proportion to {drawn.column}"
    return "listed"


def _method(study: Study) -> Iterator[StatedCondition]:
    questions = study.spec.questions
    sizes = [question.shows(len(study.spec.systems)) for question in questions]
    yield "criteria", tuple(sorted(question.id for question in questions))
    yield "criteria-asked-together", any(sizes.count(size) > 1 for size in sizes)
    yield (
        "definitions",
        "; ".join(_definition(question) for question in questions if question.definition),
    )
    yield "elicitation", _join(question.elicitation for question in questions)
    yield "scale", _join(question.scale_in_words for question in questions)
    if all(question.is_comparison and not question.is_implied for question in questions):
        yield "tie-allowed", any(question.allows_tie for question in questions)
    yield "scoring", _join(question.scoring for question in questions)
    yield "analysis", "rejudge"
    yield from _tests(study.spec.analysis)


def _tests(analysis: Analysis | None) -> Iterator[StatedCondition]:
    if analysis is None:
        return
    yield "test", _join(planned.test for planned in analysis.tests)
    yield "test-unit", _join(planned.unit or "" for planned in analysis.tests)
    yield "correction", analysis.correction


def _procedure(study: Study, plan: Plan, judgments: Judgments | None) -> Iterator[StatedCondition]:
    spec = study.spec
    sizes = {len(batch.real) for batch in plan.main}
    yield "platform", platform(spec.recruitment.platform).title
    used = () if judgments is None else judgments.channels
    channel = used[0] if used else planned_channel(spec.recruitment.platform)
    if channel.name == "site":
        ours = "pages of rejudge" if study.layout is None else "the study's own page layout"
        yield "interface", ours
    elif channel.shows in {"sheet", "survey"}:
        yield "interface", channel.title
    for role in ROLES if channel.is_known and channel.shows != "original page" else ():
        yield condition_of_key(f"pages.{role}"), _page(study.pages.get(role, ""))
    practice = spec.practice.examples if spec.practice else ()
    yield "training", f"{count(len(practice), 'example')} with feedback" if practice else "none"
    if spec.qualification is not None:
        yield "x-qualification", _qualification(spec.qualification)
    yield "order", "as in the given batches" if plan.source else _ORDERS[plan.order]
    yield "batches", len(plan.main)
    yield "batch-size", sizes.pop() if len(sizes) == 1 else None
    yield "max-batches-per-participant", plan.batches_per_participant
    yield "checks", _join(_check(check) for check in spec.checks) or "none"
    yield "checks-per-batch", sum(check.per_batch for check in spec.checks)
    yield "failed-check", _join(_FAILED[check.on_fail] for check in spec.checks)
    yield "blind", True
    yield "ethics-review", True if spec.ethics else None


def _qualification(asked: Qualification) -> str:
    attempts = count(asked.attempts, "attempt")
    return f"{asked.pass_mark} of {asked.gold_answers()} gold answers right, {attempts}"


def _pay(study: Study, plan: Plan, judgments: Judgments | None) -> Iterator[StatedCondition]:
    """Amounts as they were paid; a wage that study.yaml only names is looked up."""
    payment = study.spec.payment
    if payment is None:
        return
    if payment.kind == "credit":
        yield "x-pay-rule", "course credit"
    if payment.kind in {"unpaid", "credit"}:
        yield "pay-per-batch", 0
        yield "pay-per-hour", 0
        return
    reward, hourly = _amounts(study, plan, judgments)
    yield "expected-minutes", payment.minutes
    yield "pay-per-batch", reward
    yield "pay-per-hour", hourly
    yield "currency", payment.currency
    wages = {"living": payment.living_wage, "minimum": payment.minimum_wage}
    yield (
        "x-pay-rule",
        _join(f"{name} wage of {region}" for name, region in wages.items() if region),
    )


def _amounts(
    study: Study, plan: Plan, judgments: Judgments | None
) -> tuple[float | None, float | None]:
    """Reward and hourly rate on the first day of judgments; without one, by the newest wages."""
    payment = study.spec.payment
    days = _days(judgments)
    try:
        found = quote_price(study, plan, on=date.fromisoformat(days[0]) if days else date.max)
    except DesignError:  # a region whose wage is not known
        return (payment.reward, payment.hourly) if payment else (None, None)
    rate = found.effective_hourly if found.floor is None else found.floor.hourly
    return (
        None if found.reward is None else float(found.reward),
        None if rate is None else float(rate),
    )


def _participants(study: Study) -> Iterator[StatedCondition]:
    wanted = study.spec.recruitment
    yield "participants-per-item", study.spec.design.participants_per_batch
    yield "countries", tuple(sorted(wanted.regions))
    yield "native-language", _join(_language(each) for each in wanted.languages)
    yield "approval", wanted.approval_percent
    yield "previous-tasks", wanted.previous_submissions


def _page(text: str) -> str:
    """A page is too long for a table: its length, and a fingerprint to distinguish texts."""
    words = text.split()
    if not words:
        return "none"
    return f"{count(len(words), 'word')} ({fingerprint.of_bytes(' '.join(words).encode())[:6]})"


def _check(check: object) -> str:
    contrast = _CONTRASTS.get(getattr(check, "contrast", ""), getattr(check, "kind", ""))
    return f"{contrast} for {getattr(check, 'question', '')}".removesuffix(" for ")


def _definition(question: Question) -> str:
    return f"{question.id}: {question.definition}"


def _language(code: str) -> str:
    return _LANGUAGES.get(code.partition("-")[0], code)


def _dates(judgments: Judgments | None) -> str | None:
    """From the first day on which somebody answered to the last."""
    days = _days(judgments)
    return " to ".join(dict.fromkeys(days)) or None


def _days(judgments: Judgments | None) -> tuple[str, ...]:
    """The first and the last day on which somebody answered, where they are known."""
    if judgments is None:
        return ()
    known = judgments.submitted_at[~np.isnat(judgments.submitted_at)]
    if not len(known):
        return ()
    return tuple(str(each.astype("datetime64[D]")) for each in (known.min(), known.max()))


def _join(words: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(word for word in words if word))


def table_conditions(kept: Judgments, *, participants: int | None) -> dict[str, PropertyValue]:
    """Items, units, criteria, form of answers and participants; what cannot be seen is left out."""
    real = kept.of_kind("real")
    if not len(real):
        return {}
    found: dict[str, PropertyValue] = {
        "items": len(real.item.used()),
        "criteria": tuple(sorted(real.question.used())),
        "elicitation": _forms(real),
    }
    units, people = _units(real)
    found["units"] = units
    if people is not None:
        found["participants-per-item"] = people
    if participants:
        found["participants"] = participants
    return found


def _forms(judgments: Judgments) -> str:
    forms = []
    if judgments.is_comparison.any():
        forms.append("choice of one of two outputs")
    is_segment = judgments.segment >= 0
    if (~judgments.is_comparison & ~is_segment).any():
        forms.append("rating of one output")
    if is_segment.any():
        forms.append("rating of each sentence")  # as a study of segments calls it
    return ", ".join(forms)


def _units(judgments: Judgments) -> tuple[int, int | None]:
    """How many outputs or pairs were judged, and by how many people each, if by equally many."""
    columns = (judgments.item, judgments.system, judgments.system_a, judgments.system_b)
    keys = np.stack([column.codes.astype(np.int64) for column in columns], axis=1)
    unit = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    units = int(unit.max(initial=-1)) + 1
    pairs = np.unique(np.stack([unit, judgments.participant.codes.astype(np.int64)]), axis=1)
    per_unit = np.bincount(pairs[0], minlength=units)
    is_even = bool((per_unit == per_unit[0]).all())
    return units, int(per_unit[0]) if is_even else None


_ORDER = {each.key: place for place, each in enumerate(PROPERTIES)}


def conditions(runs: Sequence[Run]) -> tuple[Condition, ...]:
    """Every condition that a run states, in the standard order, with its value in every run."""
    told = dict.fromkeys(key for run in runs for key in run.conditions)
    return tuple(
        Condition(
            property=key,
            title=title_of(key),
            group=found.group if (found := property_of(key)) else "other",
            values={run.id: run.conditions.get(key) for run in runs},
        )
        for key in in_order(told)
    )


def similarities(runs: Sequence[Run]) -> tuple[Similarity, ...]:
    """For every pair of runs: conditions known in both, and how many of them are equal."""
    by_id = {run.id: run for run in runs}
    return tuple(_similarity(by_id[one], by_id[two]) for one, two in pairs_of(runs))


def title_of(key: str) -> str:
    """A condition as it is shown."""
    found = property_of(key)
    return found.title if found else key


def are_equal(one: PropertyValue, two: PropertyValue) -> bool:
    """Whether two conditions say the same: lists in any order, words in any case."""
    return _plain(one) == _plain(two)


def in_order(keys: Iterable[str]) -> list[str]:
    """The standard ones first, in their order; then the rest as they come."""
    return sorted(keys, key=lambda key: _ORDER.get(key, len(_ORDER)))


def _similarity(one: Run, two: Run) -> Similarity:
    both = [key for key in one.conditions if key in two.conditions]
    equal = sum(are_equal(one.conditions[key], two.conditions[key]) for key in both)
    return Similarity(one.id, two.id, equal, len(both))


def _plain(value: PropertyValue) -> object:
    if isinstance(value, tuple | list):
        return frozenset(_plain(each) for each in value)
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    return ("truth", value) if isinstance(value, bool) else float(value)
