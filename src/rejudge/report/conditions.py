"""The design of a study in short answers, as a reader of its numbers needs to know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rejudge.design import Change, Plan, measure
from rejudge.english import count
from rejudge.report.blocks import Block, Facts, Paragraph
from rejudge.report.wording import listed
from rejudge.study import (
    Analysis,
    BestWorst,
    Exclude,
    Pairwise,
    Question,
    Ranking,
    Rating,
    Segments,
    Study,
)

_ORDER = {
    "batch": "tasks shuffled once per batch",
    "participant": "tasks shuffled anew for each participant",
    "latin-square": "tasks in a Latin square over participants",
    "listed": "tasks in the order of the item file",
}


def conditions(study: Study, plan: Plan, changes: tuple[Change, ...] | None) -> tuple[Block, ...]:
    """What was asked of whom, how it was planned, and what changed since it was frozen."""
    notes = tuple(Paragraph(note, "aside") for note in plan.notes)
    return (Facts(tuple(_facts(study, plan, changes))), *notes)


def _facts(
    study: Study, plan: Plan, changes: tuple[Change, ...] | None
) -> Iterator[tuple[str, str]]:
    for question in study.spec.questions:
        yield f"Question: {question.id}", f"“{question.prompt}” – {_kind(question)}"
    yield "Systems", listed([system.label for system in study.spec.systems])
    yield "Items", _items(study, plan)
    yield "Tasks", _tasks(plan)
    yield "Participants", _people(plan)
    yield "Order", _ORDER[plan.order]
    if study.spec.checks:
        yield (
            "Checks",
            listed([f"{c.id} ({c.kind}, on {c.question})" for c in study.spec.checks]),
        )
    yield "Planned analysis", _analysis(study.spec.analysis)
    if study.spec.claims:
        claims = "; ".join(claim.says for claim in study.spec.claims)
        yield "Claims", f"{claims} – listed as they were made; this version does not judge them"
    yield "Planned exclusions", _exclusions(study.spec.analysis)
    yield "Fixed beforehand", _frozen(changes)


def _kind(question: Question) -> str:
    if isinstance(question, Pairwise):
        return "choice of two outputs, " + ("ties allowed" if question.tie else "no ties")
    if isinstance(question, Rating):
        return f"rating from {question.lowest:g} to {question.highest:g}"
    if isinstance(question, Segments):
        return f"score of each segment from {question.lowest:g} to {question.highest:g}"
    if isinstance(question, BestWorst):
        return f"best and worst of {question.of} outputs"
    if isinstance(question, Ranking):
        return "ranking of outputs"
    return "slider from 0 to 100"


def _items(study: Study, plan: Plan) -> str:
    by_dataset = measure(study, plan).inputs_by_dataset
    total = count(sum(by_dataset.values()), "input")
    named = [f"{number:,} {name}" for name, number in by_dataset.items() if name]
    return f"{total} ({listed(named)})" if len(named) > 1 else total


def _tasks(plan: Plan) -> str:
    kinds = Counter(task.kind for task in plan.tasks())
    words = {"real": ("to judge", "to judge"), "check": ("check", "checks")}
    words["repeat"] = ("repeat", "repeats")
    parts = [f"{n:,} {words[kind][n != 1]}" for kind, n in kinds.items()]
    shared = len(plan.batches) - len(plan.main)
    calibration = " and a set that everybody judges first" if shared else ""
    return f"{listed(parts)}, in {count(len(plan.main), 'batch')}{calibration}"


def _people(plan: Plan) -> str:
    sizes = sorted({batch.participants for batch in plan.main})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    most = count(plan.batches_per_participant, "batch")
    places = count(plan.places, "place")
    return f"{each} per batch, {places} in all; one person does at most {most}"


def _analysis(analysis: Analysis | None) -> str:
    if analysis is None:
        return "none was planned: all numbers are exploratory"
    tests = listed([f"{planned.test} test on {planned.question}" for planned in analysis.tests])
    correction = (
        "no correction"
        if analysis.correction == "none"
        else f"{analysis.correction.title()} correction"
    )
    agreement = listed(
        [name.replace("krippendorff-alpha", "Krippendorff’s alpha") for name in analysis.agreement]
    )
    return f"{tests}; {correction} over pairs, level {analysis.alpha:g}; agreement: {agreement}"


def _exclusions(analysis: Analysis | None) -> str:
    rules = analysis.exclude if analysis else Exclude()
    parts = []
    if rules.participants:
        parts.append(f"{count(len(rules.participants), 'participant')} by name")
    if rules.incomplete:
        parts.append("batches that were not finished")
    if rules.failed_checks is not None:
        parts.append(f"participants who failed {count(rules.failed_checks, 'check')} or more")
    if rules.straight_lining is not None:
        share = f"{100 * rules.straight_lining:g} %"
        parts.append(f"participants who gave the same answer in {share} of their tasks or more")
    if rules.too_fast_total_seconds is not None:
        parts.append(f"batches done in less than {rules.too_fast_total_seconds:g} seconds")
    if rules.surplus:
        parts.append("batches done after as many participants as planned")
    if rules.faster_than_seconds is not None:
        limit = f"{rules.faster_than_seconds:g}"
        parts.append(f"answers given in less than {limit} seconds")
    return listed(parts) or "none"


def _frozen(changes: tuple[Change, ...] | None) -> str:
    if changes is None:
        return "no: the study was not frozen"
    if not changes:
        return "yes: frozen, and nothing has changed since"
    return f"frozen; {count(len(changes), 'change')} since: {'; '.join(map(str, changes))}"
