"""The design of a study as short facts for readers of its results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from rejudge.design.balance import measure_balance
from rejudge.design.pages import values_of
from rejudge.design.plan import Plan
from rejudge.english import capital, count, day, join_words
from rejudge.judgments.exclusions import stated_rules
from rejudge.report.blocks import Block, Facts, Fold, Paragraph, Passage, Texts
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.study.analysis_plan import Analysis, Exclude
from rejudge.study.model import Study, fill_placeholders
from rejudge.tables.wording import TEST_NAMES, coefficient, pairs_in_words

_ORDER = {
    "batch": "tasks shuffled once per batch",
    "participant": "tasks shuffled separately for each participant",
    "latin-square": "tasks in a Latin square over participants",
    "listed": "tasks in the order of the item file",
}


def conditions(subject: Subject) -> tuple[Block, ...]:
    """What was asked of whom, and how it was planned; for a table alone, what it shows."""
    if subject.designed is None:
        return (Paragraph(_UNKNOWN), Facts(tuple(_facts_of_table(subject))))
    plan = subject.designed.plan
    notes = tuple(Paragraph(note, "aside") for note in plan.notes)
    read = tuple(_pages(subject.designed, is_simulated=subject.results.flow.is_simulated))
    return (Facts(tuple(_facts(subject, subject.designed))), *notes, *read)


def _pages(designed: PlannedStudy, *, is_simulated: bool) -> Iterator[Block]:
    """The pages of the study, with every placeholder filled."""
    study = designed.study
    values = values_of(study, designed.plan, designed.quote)
    shown = {
        role: fill_placeholders(text, values).strip() for role, text in study.shown_pages.items()
    }
    passages = tuple(
        Passage(capital(role), text, study.spec.language) for role, text in shown.items() if text
    )
    if passages:
        is_read = not (designed.is_imported or is_simulated)
        told = (
            _as_read(shown.values()) if is_read else _IMPORTED if designed.is_imported else _UNREAD
        )
        texts = Texts("The pages of the study", told, passages)
        yield Fold("What participants read" if is_read else "The pages of the study", (texts,))


_IMPORTED = (
    "As the study’s folder has them. The answers were imported from elsewhere, and whether "
    "participants read these texts is not known here."
)
_UNREAD = "As participants would read them. The judgments are simulated, so nobody did."


def _as_read(texts: Iterable[str]) -> str:
    """What the pages are, and which placeholders could not be filled."""
    unfilled = dict.fromkeys(name for text in texts for name in _PLACEHOLDER.findall(text))
    if not unfilled:
        return "As participants read them."
    return (
        f"As participants read them, except {join_words(list(unfilled))}: that depends on the day "
        "on which the study was run, which is not known here."
    )


_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")
_UNKNOWN = (
    "These are judgments from a table. How items were chosen, who judged them and in which order "
    "is "
    "not known to this report; what follows is what the table itself shows."
)


def _facts(subject: Subject, designed: PlannedStudy) -> Iterator[tuple[str, str]]:
    study, plan = designed.study, designed.plan
    for question in subject.criteria:
        yield f"Question: {question.id}", f"“{question.prompt}” – {question.task}"
    yield "Systems", join_words([system.label for system in study.spec.systems])
    yield "Items", _items(study, plan)
    yield "Tasks", _tasks(plan)
    yield "Participants", _people(plan)
    yield "Order", "tasks in the order of the given batches" if plan.source else _ORDER[plan.order]
    if study.spec.checks:
        yield (
            "Checks",
            join_words([f"{c.id} ({c.kind}, on {c.question})" for c in study.spec.checks]),
        )
    yield "Planned analysis", _analysis(study.spec.analysis)
    if study.spec.claims:
        claims = "; ".join(claim.says for claim in study.spec.claims)
        yield "Claims", f"{claims} – listed as they were made"
    yield "Planned exclusions", planned_exclusions(study.spec.analysis)
    yield "Fixed beforehand", _date_of_freezing(designed)
    yield from _notes(subject)


def _facts_of_table(subject: Subject) -> Iterator[tuple[str, str]]:
    for question in subject.criteria:
        yield f"Question: {question.id}", question.task
    yield "Systems", join_words(list(subject.labels.values())) or "none"
    yield from _notes(subject)


def _notes(subject: Subject) -> Iterator[tuple[str, str]]:
    for note in subject.results.notes:
        yield "Note", capital(note)


def _items(study: Study, plan: Plan) -> str:
    by_dataset = measure_balance(study, plan).inputs_by_dataset
    total = count(sum(by_dataset.values()), "input")
    named = [f"{number:,} {name}" for name, number in by_dataset.items() if name]
    return f"{total} ({join_words(named)})" if len(named) > 1 else total


def _tasks(plan: Plan) -> str:
    kinds = Counter(task.kind for task in plan.tasks())
    words = {"real": ("to judge", "to judge"), "check": ("check", "checks")}
    words["repeat"] = ("repeat", "repeats")
    parts = [f"{n:,} {words[kind][n != 1]}" for kind, n in kinds.items()]
    shared = len(plan.batches) - len(plan.main)
    calibration = " and a set that everybody judges first" if shared else ""
    return f"{join_words(parts)}, in {count(len(plan.main), 'batch')}{calibration}"


def _people(plan: Plan) -> str:
    sizes = sorted({batch.participants for batch in plan.main})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    most = count(plan.batches_per_participant, "batch")
    places = count(plan.places, "place")
    return f"{each} per batch, {places} in all; one person does at most {most}"


def _analysis(analysis: Analysis | None) -> str:
    if analysis is None:
        return "none was planned: all numbers are exploratory"
    asked: dict[str, list[str]] = {}
    for each in analysis.tests:
        side = "" if each.alternative == "two-sided" else ", one-sided"
        df = ", Kenward and Roger's degrees of freedom" if each.df == "kenward-roger" else ""
        slopes = ", free slopes" if each.slopes == "free" else ""
        only = f", only {pairs_in_words(each.pairs, {})}" if each.pairs else ""
        asked.setdefault(f"{TEST_NAMES[each.test]}{side}{df}{slopes}{only}", []).append(
            each.question
        )
    tests = "; ".join(f"{test} on {join_words(names)}" for test, names in asked.items())
    correction = (
        "no correction"
        if analysis.correction == "none"
        else f"{analysis.correction.title()} correction"
    )
    agreement = join_words([coefficient(name) for name in analysis.agreement])
    groups = f"; also by {join_words(analysis.groups)}" if analysis.groups else ""
    decided = f"{correction} over all planned tests, level {analysis.alpha:g}"
    return f"{tests}{groups}; {decided}; agreement: {agreement}"


def planned_exclusions(analysis: Analysis | None) -> str:
    """Whose judgments were to be left out, in words."""
    stated = stated_rules(analysis.exclude if analysis else Exclude())
    words = [rule.planned(limit) for rule, limit in stated.items() if rule.planned]
    return join_words(words) or "none"


def _date_of_freezing(designed: PlannedStudy) -> str:
    changes = designed.changes
    if changes is None:
        return "no: the study was not frozen"
    on = f" on {day(designed.frozen_on)}" if designed.frozen_on else ""
    if not changes:
        return f"yes: frozen{on}, and nothing has changed since"
    return f"frozen{on}; {count(len(changes), 'change')} since: {'; '.join(map(str, changes))}"
