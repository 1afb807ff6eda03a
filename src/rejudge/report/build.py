"""Build a report from results: the answer first, then everything it is based on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rejudge.analysis.results import Results
from rejudge.english import count, join_words, verb
from rejudge.judgments.exclusions import RULE_LABELS
from rejudge.layout.numbers import level_text
from rejudge.layout.table import file_name
from rejudge.report.answer import QuestionOutcome, answer, key_numbers, question_outcome
from rejudge.report.blocks import (
    Block,
    Facts,
    FigureBlock,
    Fold,
    Heading,
    Listing,
    PageTable,
    Paragraph,
    Report,
    Section,
    figure_block,
    figures_in,
    fold_if_long,
    page_table,
)
from rejudge.report.comparison.page import comparison_sections
from rejudge.report.conditions import conditions
from rejudge.report.effect_size import size_sentence
from rejudge.report.figures.registry import Picture, pictures_per
from rejudge.report.figures.study import study_pictures
from rejudge.report.hard_items import hard_blocks
from rejudge.report.limitations import limitations
from rejudge.report.methods import methods
from rejudge.report.people import people_blocks, profile_blocks, remark_sections
from rejudge.report.power import change_blocks, look_sections, planning_blocks, power_blocks
from rejudge.report.quality import (
    agreement_blocks,
    baseline_sections,
    conduct_blocks,
    copy_blocks,
    copy_sections,
    copy_sentences,
    diagnostic_blocks,
    pictures_of_baselines,
)
from rejudge.report.results import case_sections, group_sections, question_blocks
from rejudge.report.subject import Subject
from rejudge.tables.findings import claim_table
from rejudge.tables.looks import stopping_sentences
from rejudge.tables.summary import summary_tables
from rejudge.tables.wording import unfinished_sentences

NOTHING = "There are no judgments to analyse, so nothing can be said about the systems yet."
_MOST_ALSO = 11  # further questions on the first screen
_MOST_OPEN_QUESTIONS = 3  # whose figures are shown instead of one table of all
_MOST_OPEN_ROWS = 6  # of a table of agreement that is shown instead of its figure


def build(subject: Subject, pictures: Sequence[Picture] | None = None) -> Report:
    """The report of a study or of a table; `pictures` are drawn from the results if left out."""
    outcomes = outcomes_of(subject)
    drawn = pictures_of(subject) if pictures is None else pictures
    results = subject.results
    return Report(
        title=subject.title,
        language="en",
        is_simulated=results.flow.is_simulated,
        answer=tuple(_answer(outcomes, results)),
        figure=_lead_figure(outcomes, drawn),
        numbers=key_numbers(outcomes[0]) if outcomes else (),
        sections=tuple(_sections(subject, outcomes, drawn)),
        signature=results.signature.short,
        also=tuple(_further_questions(outcomes, results)),
    )


def outcomes_of(subject: Subject) -> tuple[QuestionOutcome, ...]:
    """The findings on every question, sorted for telling."""
    return tuple(question_outcome(subject, question) for question in subject.criteria)


def pictures_of(subject: Subject) -> tuple[Picture, ...]:
    """Every figure of the study or the table."""
    study = subject.designed.study if subject.designed else None
    planned = subject.designed.power if subject.designed else None
    return (
        *study_pictures(study, subject.results, subject.labels),
        *(pictures_per("power", planned) if planned else ()),
        *pictures_of_baselines(subject),
    )


def _answer(outcomes: Sequence[QuestionOutcome], results: Results) -> Iterator[str]:
    if not any(outcome.is_judged for outcome in outcomes):
        yield NOTHING
        yield from unfinished_sentences(results.flow)
        return
    yield from unfinished_sentences(results.flow)
    if results.stopping is not None and results.stopping.last is not None:
        yield next(iter(stopping_sentences(results.stopping)))
    yield from answer(outcomes[0], results.signature.correction)
    size = size_sentence(outcomes[0], results)
    if size:
        yield size


def _further_questions(outcomes: Sequence[QuestionOutcome], results: Results) -> Iterator[str]:
    """Further questions, in short; those that do not fit the first screen are counted."""
    further = outcomes[1:] if any(outcome.is_judged for outcome in outcomes) else ()
    for outcome in further[:_MOST_ALSO]:
        is_said = outcome.limit == outcomes[0].limit
        yield " ".join(answer(outcome, results.signature.correction, with_limit=not is_said))
    left = len(further) - _MOST_ALSO
    if left > 0:
        yield f"{count(left, 'more question')} {verb(left, 'is', 'are')} reported below."


def _lead_figure(
    outcomes: Sequence[QuestionOutcome], drawn: Sequence[Picture]
) -> FigureBlock | None:
    if not outcomes:
        return None
    wanted = outcomes[0].question.id, outcomes[0].leading_figure
    return next(figures_in(drawn, "results", wanted[1], question=wanted[0]), None)


def _sections(
    subject: Subject, outcomes: Sequence[QuestionOutcome], drawn: Sequence[Picture]
) -> Iterator[Section]:
    """First what every reader wants to know, then the reference material."""
    results = list(_results(subject, outcomes, drawn))
    yield from (section for section in results if not section.is_reference)
    groups = list(group_sections(subject.results, subject.labels))
    yield from (section for section in groups if not section.is_reference)
    yield Section("agreement", "Agreement", tuple(_agreement(subject, drawn)))
    yield Section(
        "participants", "Participants and exclusions", tuple(people_blocks(subject, drawn))
    )
    yield from copy_sections(subject)
    yield from _claims(subject)
    yield from look_sections(subject)
    yield from baseline_sections(subject, drawn)
    yield from comparison_sections(
        subject.comparisons,
        of=subject.results.signature.judgments,
        is_simulated=subject.results.flow.is_simulated,
    )
    changes = Section("changes", "Changes since the freeze", tuple(change_blocks(subject.designed)))
    has_changes = subject.designed is not None and bool(subject.designed.changes)
    if has_changes:
        yield changes
    limits = limitations(subject, outcomes) or ("The numbers alone show no limitations.",)
    yield Section("limitations", "Limitations", _prose(limits, "limitations"))
    yield from (section for section in (*results, *groups) if section.is_reference)
    for section in _reference(subject, outcomes, drawn):
        yield replace(section, is_reference=True)
    if not has_changes:
        yield replace(changes, is_reference=True)
    yield Section("methods", "Methods", _prose(methods(subject, outcomes), "methods"), True)
    yield Section("signature", "Signature", tuple(_signature(subject)), is_reference=True)


def _reference(
    subject: Subject, outcomes: Sequence[QuestionOutcome], drawn: Sequence[Picture]
) -> Iterator[Section]:
    """What the results rest on, section by section."""
    results = subject.results
    yield Section("design", "Design and conditions", conditions(subject))
    yield from case_sections(results, subject.labels)
    yield from _section_unless_empty(
        "profile", "Who took part, pay and times", profile_blocks(subject, drawn)
    )
    yield from _section_unless_empty("conduct", "How participants worked", _conduct(results, drawn))
    yield Section(
        "items",
        "What people disagree about most",
        (*figures_in(drawn, "items"), *hard_blocks(subject, outcomes)),
    )
    yield Section(
        "checks",
        "Checks, sides and order",
        (
            *diagnostic_blocks(subject),
            *(() if any(copy_sentences(subject)) else copy_blocks(subject)),
            *_figures_of_several(figures_in(drawn, "checks"), len(results.questions)),
        ),
    )
    yield from remark_sections(
        results.frame("remarks"), subject.labels, is_simulated=results.flow.is_simulated
    )
    yield Section("planned", "Planned and exploratory", tuple(planning_blocks(subject)))
    yield Section("power", "What the study could detect", tuple(power_blocks(subject, drawn)))


def _section_unless_empty(name: str, title: str, blocks: Iterable[Block]) -> Iterator[Section]:
    """A section, unless it is empty."""
    found = tuple(blocks)
    if found:
        yield Section(name, title, found)


def _figures_of_several(figures: Iterable[FigureBlock], rows: int) -> Iterator[FigureBlock]:
    """Figures with at least two rows: one mark alone says no more than its sentence."""
    if rows > 1:
        yield from figures


def _conduct(results: Results, drawn: Sequence[Picture]) -> Iterator[Block]:
    yield from (block for block in conduct_blocks(results) if not isinstance(block, Heading))
    yield from figures_in(drawn, "agreement", "people")


def _agreement(subject: Subject, drawn: Sequence[Picture]) -> Iterator[Block]:
    """A short table as it is; a long one behind its figure."""
    blocks = tuple(agreement_blocks(subject))
    tables = [block for block in blocks if isinstance(block, PageTable)]
    if sum(len(table.rows) for table in tables) <= _MOST_OPEN_ROWS:
        yield from blocks
    else:
        yield from figures_in(drawn, "agreement", "agreement")
        yield Fold("Agreement in numbers", blocks)


def _results(
    subject: Subject, outcomes: Sequence[QuestionOutcome], drawn: Sequence[Picture]
) -> Iterator[Section]:
    """Of a few questions the figure of each; of many the table of all, and the rest on demand."""
    if not any(outcome.is_judged for outcome in outcomes):
        yield Section("results", "Results", (Paragraph(NOTHING, "warn"),))
        return
    over_all = (
        *_summary_table(subject, outcomes),
        *(figure_block(e) for e in drawn if e.section == "results" and not e.question),
    )
    are_few = len(outcomes) <= _MOST_OPEN_QUESTIONS
    if over_all:
        yield Section("results", "All questions together", over_all, is_reference=are_few)
    for place, outcome in enumerate(outcomes):
        name = outcome.question.id
        title = "Results" if len(outcomes) == 1 else f"Results: {name}"
        is_first, is_told = place == 0, place <= _MOST_ALSO
        blocks = tuple(
            question_blocks(outcome, subject.results, drawn, is_first=is_first, is_told=is_told)
        )
        yield Section(
            f"results-{name}",
            title,
            tuple(_question_blocks(outcome, blocks, is_first=is_first)),
            is_reference=place > 0 and not are_few,
        )


def _question_blocks(
    outcome: QuestionOutcome, blocks: Sequence[Block], *, is_first: bool
) -> Iterator[Block]:
    """Sentences and the figure that shows the comparison; tables and other figures on demand.

    Of one pair a figure has one mark, so its table is shown instead.
    """
    question, is_one_pair = outcome.question.id, len(outcome.pairs) == 1
    family = "pairs" if is_first else outcome.leading_figure
    chosen = f"figure-{file_name(question)}-{family}"
    alone = f"figure-{file_name(question)}-pairs" if is_one_pair and family == "pairs" else ""
    wanted = f"table-{question}-pairs" if is_one_pair and is_first else chosen
    kept = [block for block in blocks if not (isinstance(block, FigureBlock) and block.id == alone)]
    shown = [b for b in kept if isinstance(b, Paragraph) or getattr(b, "id", None) == wanted]
    yield from shown
    rest = tuple(block for block in kept if block not in shown)
    if rest:
        yield Fold(f"Tables and further figures on {question}", rest)


def _summary_table(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> Iterator[Block]:
    """All systems and questions in one table with stars, as papers print it."""
    if len(outcomes) > 1:
        tables = summary_tables(subject.results, subject.labels)
        yield from (fold_if_long(page_table(each)) for each in tables if each.name == "summary")


def _claims(subject: Subject) -> Iterator[Section]:
    """What the study said its numbers would show, and whether they do."""
    claims = subject.results.claims
    if not claims:
        return
    shown = sum(each.verdict == "supported" for each in claims)
    words = f"{shown:,} of {count(len(claims), 'claim')} {verb(shown, 'is', 'are')} supported."
    yield Section(
        "claims", "Claims", (Paragraph(words), page_table(claim_table(claims, subject.labels)))
    )


def _prose(sentences: Sequence[str], name: str) -> tuple[Block, ...]:
    return (
        Paragraph(" ".join(sentences)),
        Paragraph(f"Also in {name}.md and {name}.tex next to this page.", "aside"),
    )


def _signature(subject: Subject) -> Iterator[Block]:
    signature = subject.results.signature
    left_out = [
        f"{rows:,} by {RULE_LABELS.get(rule, rule)}"
        for rule, rows in signature.excluded_rows.items()
    ]
    yield Paragraph(
        "Every number on this page is determined by the entries below. The same study, plan, "
        "judgments, options and seed give the same numbers."
    )
    yield Facts(
        (
            ("Study", signature.study or "none"),
            ("Plan", signature.plan or "none"),
            ("Judgments", signature.judgments),
            ("Rows left out", join_words(left_out) or "none"),
            ("Seed of resampling", str(signature.seed)),
            *([("Options", signature.listed_options)] if signature.options else []),
            ("Level of intervals", level_text(signature.level)),
            ("Correction", signature.correction),
            ("Made with", f"rejudge {signature.version}"),
        )
    )
    yield Paragraph("To compute everything again:")
    yield Listing(tuple(_command_again(subject)))


_FLAGS = ("items-dealt-at-random", "pooled-agreement")  # options without a value


def _command_again(subject: Subject) -> Iterator[str]:
    folder, signature = subject.folder, subject.results.signature
    source = folder if subject.designed else f"TABLE --out {folder}"
    options = "".join(
        f" --{name}" if name in _FLAGS else f" --{name} {shlex.quote(each)}"
        for name, given in signature.options.items()
        for each in given
    )
    yield f"rejudge analyse {source}{options} --seed {signature.seed} --force"
    yield f"rejudge report {folder} --force"
