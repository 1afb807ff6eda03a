"""What the study was planned to find and could detect: power, precision, and its planned looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from rejudge.analysis.details import Precision, Sensitivity
from rejudge.analysis.results import Results
from rejudge.english import as_sentence, capital, count, day, join_words, verb
from rejudge.layout.numbers import level_text, number
from rejudge.layout.table import Column, tabulate
from rejudge.report.blocks import (
    Block,
    Fold,
    Heading,
    PageTable,
    Paragraph,
    Section,
    figures_in,
    page_table,
)
from rejudge.report.figures.registry import Picture
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.tables.columns import frame_table
from rejudge.tables.looks import BOUNDARIES, look_table, stopping_sentences
from rejudge.tables.power import planned_power_sentences, power_table
from rejudge.tables.quality import (
    planned_table,
    precision_table,
    sensitivity_table,
)
from rejudge.tables.wording import TEST_NAMES

_MOST_ROWS = 20
_MOST_OPEN = 2  # tables of precision
EXPLAINED = (
    "Reliability is the share of the variance of the systems’ mean scores that comes from the "
    "systems: 1 if another study of this size, with other items and participants, would find the "
    "same, 0 if its result would be chance."
)
_PAIR = 2
_TOUCHES = {
    "analysis": "the analysis plan",
    "claims": "the claims",
    "design": "the design",
    "items": "the items",
    "pages": "what participants read",
    "plan": "the plan of tasks",
    "other": "something else",
}
_CENT = Decimal("0.01")


def power_blocks(subject: Subject, drawn: Sequence[Picture]) -> Iterator[Block]:
    """The whole section, each figure before its numbers."""
    results = subject.results
    labels = subject.labels
    yield from _planned_blocks(subject.designed, drawn)
    if not results.sensitivity:
        yield Paragraph(
            "What the study could detect is not known: no scores or choices of two systems were "
            "tested."
        )
        return
    yield Paragraph(
        "A true difference at least this large would have been found with the given power. It "
        "follows from how much judgments vary between items and between people, not from what was "
        "observed; a difference that was not supported may still exist and be smaller."
    )
    for question in dict.fromkeys(each.question for each in results.sensitivity):
        these = [each for each in results.sensitivity if each.question == question]
        for said in power_sentences(these):
            yield Paragraph(said)
        yield _fold_if_long(_sensitivity_table(question, these, labels))
    figures = tuple(figures_in(drawn, "power", "precision"))
    tables = tuple(_precision(results.precision, labels))
    if figures or tables:
        yield Heading("How precise a larger or smaller study would be")
        yield from (*figures, *tables)
    yield from reliability_blocks(results, drawn)


def _planned_blocks(designed: PlannedStudy | None, drawn: Sequence[Picture]) -> Iterator[Block]:
    """The power analysis that was made beforehand, where there is one."""
    if designed is None:
        return
    filled, found = designed.study.size, designed.power
    if filled is not None:
        how = "reaches the required power" if filled.reached else "comes closest to it"
        yield Paragraph(
            f"The size of the study was fixed as a rule, and a pilot filled it in: "
            f"{filled.inputs:,} inputs with {filled.participants_per_batch} participants per "
            f"batch, which {how} ({filled.source})."
        )
    if found is None:
        return
    yield Paragraph(" ".join(planned_power_sentences(found)))
    for said in (*found.assumptions, *found.notes):
        yield Paragraph(said, "aside")
    yield from figures_in(drawn, "power", "power against cost")
    if len(found.sizes) > 1:
        table = page_table(power_table("power", found, "page"))
        yield Fold(f"All {len(found.sizes)} sizes that were considered", (table,))
    yield Heading("What this study could detect")


def power_sentences(found: Sequence[Sensitivity]) -> Iterator[str]:
    """What the planned test could detect on a question, or on several of the same unit."""
    chosen = [each for each in found if each.is_planned] or list(found)
    chosen = [each for each in chosen if each.by == chosen[0].by]
    known = [size for each in chosen if (size := each.smallest()) is not None]
    if not known and any(each.standard_error is not None for each in chosen):
        yield (
            f"{_where(chosen)}, the {TEST_NAMES.get(chosen[0].by, chosen[0].by)} does not "
            "have 80\u202f% power to detect any difference that the scale allows."
        )
    if not known:
        return
    first = chosen[0]
    low, high = (number(end, _digits(first)) for end in (min(known), max(known)))
    span = f"{low} {first.unit}" if low == high else f"{low} to {high} {first.unit} ({_by(chosen)})"
    is_corrected = first.correction == "tukey" or (first.correction != "none" and first.tests > 1)
    corrected = " at the corrected level" if is_corrected else ""
    never = sum(each.standard_error is not None and each.smallest() is None for each in chosen)
    rest = f"; for {never:,} of {len(chosen):,} pairs, none within the scale" if never else ""
    yield (
        f"{_where(chosen)}, the {TEST_NAMES.get(first.by, first.by)} has 80\u202f% power to "
        f"detect a true difference of {span}{corrected}{rest}."
    )


def _where(found: Sequence[Sensitivity]) -> str:
    questions = {each.question for each in found}
    return f"On {found[0].question}" if len(questions) == 1 else f"On {len(questions)} questions"


def _by(found: Sequence[Sensitivity]) -> str:
    return "by pair" if len({each.question for each in found}) == 1 else "by question and pair"


def _digits(each: Sensitivity) -> int:
    return 1 if each.unit == "percentage points" else 2


def _sensitivity_table(
    question: str, found: Sequence[Sensitivity], labels: Mapping[str, str]
) -> PageTable:
    table = sensitivity_table(found, labels, digits=max(map(_digits, found)))
    return page_table(
        table.rendering("print").without("question"),
        name=f"{question}-sensitivity",
        caption=f"What could be detected on {question}, in {_units(found)}: the smallest true "
        "difference found with 80 and 90\u202f% power, at the corrected level where there are "
        "several tests.",
    )


def _units(found: Sequence[Sensitivity]) -> str:
    """What the differences are counted in."""
    return " or ".join(dict.fromkeys(each.unit for each in found))


def _fold_if_long(table: PageTable) -> Block:
    if len(table.rows) <= _MOST_ROWS:
        return table
    return Fold(f"All {len(table.rows):,} comparisons", (table,))


def _precision(found: Sequence[Precision], labels: Mapping[str, str]) -> Iterator[Block]:
    known = [each for each in found if each.by_participants]
    if not known:
        return
    widest = [
        max((each for each in known if each.question == question), key=_half_width)
        for question in dict.fromkeys(each.question for each in known)
    ]
    tables = [_precision_table(each, labels) for each in widest]
    yield from tables[:_MOST_OPEN]
    rest = tuple(tables[_MOST_OPEN:])
    if rest:
        yield Fold(count(len(rest), "further question"), rest)
    if len(known) > len(widest):
        yield Paragraph(
            "Shown is the pair with the widest interval; all are in tables/precision.csv.", "aside"
        )


def _half_width(each: Precision) -> float:
    return max((point.half_width or 0.0 for point in each.by_participants), default=0.0)


def _precision_table(each: Precision, labels: Mapping[str, str]) -> PageTable:
    has_cost = any(point.cost is not None for point in each.by_participants)
    systems = " and ".join(labels.get(system, system) for system in each.systems)
    money = f" Cost in {each.currency}, with fees." if has_cost and each.currency else ""
    shown = ("participants", "items", "judgments", "half width", *(["cost"] if has_cost else []))
    return page_table(
        precision_table([replace(each, by_items=())], labels).rendering("print").keep(*shown),
        name=f"{each.question}-precision",
        caption=f"{systems} on {each.question}: half the width of the "
        f"{level_text(each.level)} interval, in {each.unit}, by number of participants, items as "
        f"they are.{money}",
    )


# reliability


def reliability_blocks(results: Results, drawn: Sequence[Picture]) -> Iterator[Block]:
    """Variance components and the D study of each question, or why there are none."""
    found = [frame for frame in results.frames if frame.name == "reliability"]
    if not found:
        return
    yield Heading("How reliably the scores distinguish the systems")
    if any(map(len, found)):
        yield Paragraph(EXPLAINED)
    yield from figures_in(drawn, "power", "reliability")
    for each in found:
        variance = results.frame("variance", each.question)
        if len(variance):
            table = frame_table(variance, {}, "page")
            yield page_table(table, name=f"{each.question}-variance")
        if len(each):
            sizes = each.where(lambda row: row["grows_by"] != "now")
            table = frame_table(replace(sizes, total=None), {}, "page")
            yield page_table(table, name=f"{each.question}-reliability")
        else:
            why = " ".join(map(as_sentence, each.notes))
            yield Paragraph(f"{capital(each.question)}: {why}", "aside")


def planning_blocks(subject: Subject) -> Iterator[Block]:
    """Every analysis with whether it was planned, and what came of it."""
    results = subject.results
    yield Paragraph(_basis(subject))
    table = planned_table(results)
    if table.rows:
        yield page_table(table)


def _basis(subject: Subject) -> str:
    results = subject.results
    if subject.designed is None or results.basis == "default":
        return (
            "Nothing is known to have been planned beforehand, so every number on this "
            "page is exploratory."
        )
    frozen = subject.designed.changes is not None
    fixed = (
        "It was frozen before it was analysed."
        if frozen
        else "It was not frozen, so nothing shows that it was written before the answers were seen."
    )
    return f"The analysis plan is part of the study. {fixed}"


def change_blocks(designed: PlannedStudy | None) -> Iterator[Block]:
    """Every change since the study was frozen, and what it touches."""
    if designed is None:
        yield Paragraph("There is no study to freeze, so nothing was fixed beforehand.")
        return
    changes = designed.changes
    if changes is None:
        yield Paragraph(
            "The study was not frozen, so what changed since it was planned is not known."
        )
        return
    on = f" on {day(designed.frozen_on)}" if designed.frozen_on else ""
    if not changes:
        yield Paragraph(f"The study was frozen{on}, and nothing has changed since.")
        return
    touched = join_words([_TOUCHES[each] for each in dict.fromkeys(c.touches for c in changes)])
    yield Paragraph(
        f"The study was frozen{on}. {count(len(changes), 'change')} "
        f"{verb(len(changes), 'was', 'were')} made since, affecting {touched}.",
        "warn",
    )
    yield page_table(
        tabulate(
            "changes",
            "What differs now from what was frozen.",
            changes,
            (Column("change"), str),
            (Column("affects"), lambda change: _TOUCHES[change.touches]),
        )
    )


def look_sections(subject: Subject) -> Iterator[Section]:
    """A section on the looks; none for a study that planned none."""
    stopping = subject.results.stopping
    if stopping is not None:
        yield Section("looks", "Planned looks", tuple(_blocks(subject)))


def _blocks(subject: Subject) -> Iterator[Block]:
    stopping = subject.results.stopping
    if stopping is None:
        return
    for note in stopping.notes:
        yield Paragraph(note, "warn")
    yield Paragraph(" ".join((*stopping_sentences(stopping, subject.labels), *_saved(subject))))
    if stopping.log is not None and stopping.log.looks:
        yield page_table(look_table(stopping.log, subject.labels))


def _saved(subject: Subject) -> Iterator[str]:
    """What the places that were not needed would have cost."""
    stopping, designed = subject.results.stopping, subject.designed
    quote = None if designed is None else designed.quote
    if stopping is None or stopping.last is None or quote is None or quote.cost is None:
        return
    left = stopping.last.planned_places - stopping.last.places
    if left <= 0:
        return
    share = Decimal(left) / Decimal(stopping.last.planned_places)
    saved = (quote.cost.total * share).quantize(_CENT, ROUND_HALF_UP)
    yield (
        f"That saved about {quote.currency} {saved:,} of the {quote.currency} "
        f"{quote.cost.total:,} planned."
    )


def look_methods(subject: Subject) -> Iterator[str]:
    """A sentence for the methods paragraph."""
    stopping = subject.results.stopping
    if stopping is None:
        return
    correction = stopping.correction
    first, second = (subject.labels.get(s, s) for s in correction.systems)
    planned = (
        f"The study planned {correction.looks} looks at the comparison of {first} and {second} on "
        f"{correction.question} with {BOUNDARIES[correction.boundary]} boundaries at an overall "
        f"level of {correction.alpha:g}"
    )
    last = stopping.last
    if stopping.log is None:
        yield f"{planned}; no log of the looks was kept"
    elif last is None:
        yield f"{planned}; {len(stopping.log.looks)} have been made"
    else:
        verb = "stopped early" if last.decision == "stop" else "ended"
        yield (
            f"{planned}; it {verb} at look {last.number}, with {last.places:,} of "
            f"{last.planned_places:,} places done, and p values and intervals of comparisons are "
            "adjusted for all looks"
        )
