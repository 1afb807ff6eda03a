"""The quality of the judgments: agreement, conduct, checks, and what rules reproduce."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.results import Results
from rejudge.design.balance import measure_balance
from rejudge.english import as_sentence, capital, count, join_words, verb
from rejudge.findings.frame import Frame, Row
from rejudge.findings.model import Finding
from rejudge.layout.numbers import NARROW, interval_phrase, number, p_equals, percent
from rejudge.layout.table import Table
from rejudge.report.blocks import (
    Block,
    Facts,
    Fold,
    Heading,
    PageTable,
    Paragraph,
    Section,
    figures_in,
    page_table,
)
from rejudge.report.figures.baselines import baseline_pictures
from rejudge.report.figures.registry import Picture
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.baselines import Baselines
from rejudge.tables.baselines import baseline_sentences, baseline_tables
from rejudge.tables.columns import LIKENESS, frame_table
from rejudge.tables.findings import finding_table
from rejudge.tables.quality import check_table, drift_table

_MOST_PEOPLE = 6
_MOST_PAIRS = 45  # all of ten people
_MOST_QUESTIONS = 3  # whose tables are open on the screen
_COARSE = ("Like others, %", "With the majority, %", "n of these")
_EVEN = 50.0
_FOLDED = ("baseline-scores", "baseline-claims")
_WHAT = (
    "Baselines are rules that answer every task without judging, such as “the longer output wins”. "
    "If a rule gives the result that participants gave, the study does not show that they "
    "judged what they were asked to judge; where a rule passes a check, the check does not either."
)


def agreement_blocks(subject: Subject) -> Iterator[Block]:
    """Coefficients of agreement with both their intervals; those of pairs of systems on demand."""
    results = subject.results
    found = [f for f in (*results.select(), *results.pooled) if f.measure == "agreement"]
    whole = [f for f in found if not f.systems]
    if not any(f.value is not None for f in whole):
        reasons = dict.fromkeys(as_sentence(f.note) for f in whole if f.note)
        yield Paragraph(" ".join(["Agreement among participants is not known.", *reasons]))
        return
    pairs = [f for f in found if f.systems]
    yield page_table(_agreement(subject, whole))
    if pairs:
        table = page_table(_agreement(subject, pairs), name="agreement-by-pair")
        yield Fold("Agreement by pair of systems", (table,))


def _agreement(subject: Subject, found: Sequence[Finding]) -> Table:
    alone = replace(subject.results, findings=tuple(found))
    return finding_table(alone, "agreement", "page", subject.labels)


def conduct_blocks(results: Results) -> Iterator[Block]:
    """Who stands out for speed, repeated answers or favouring one side, question by question."""
    known = [frame for frame in results.frames if frame.name == "people"]
    if not known:
        return
    yield Heading("How participants worked")
    for people in known:
        yield Paragraph(_outlier_words(people))
        if people.size > 1:
            table = _conduct(people)
            title = f"How participants worked on {people.question}"
            yield Fold(title, (table,)) if len(known) > _MOST_QUESTIONS else table
        pairs = results.frame("people-pairs", people.question)
        if 0 < len(pairs) <= _MOST_PAIRS:
            shown = page_table(
                frame_table(pairs, {}, "page"), name=f"{people.question}-people-pairs"
            )
            yield Fold(f"Pairs of participants on {people.question}", (shown,))


def _outlier_words(people: Frame) -> str:
    flagged = [row["flags"] for row in people.rows if row["flags"]]
    everybody = count(people.size, "participant")
    out = "out for speed, repeated answers or a preference for one side"
    if not flagged:
        return f"On {people.question}, none of {everybody} stands {out}."
    unread = sum("faster-than-reading" in flags for flags in flagged)
    haste = f"{unread:,} did a batch faster than its texts can be read. " if unread else ""
    return (
        f"On {people.question}, {len(flagged):,} of {everybody} "
        f"{verb(len(flagged), 'stands', 'stand')} {out}. {haste}Their judgments still count."
    )


def _conduct(people: Frame) -> PageTable:
    """Those with flags first, then those least like the others."""
    measure = str(people.facts["measure"])
    is_fine = measure == "pearson"  # the very same score says little on a fine scale

    def order(row: Row) -> tuple[int, float]:
        likeness = row["correlation"] if is_fine else row["agreement"]
        return -len(row["flags"]), 101.0 if likeness is None else likeness

    listed = people.with_rows(sorted(people.rows, key=order)[:_MOST_PEOPLE])
    name = people.question
    table = frame_table(listed, {}, "page").without(*(_COARSE if is_fine else ()))
    more = f" {len(listed)} of {people.size:,}, more in tables/people.csv."
    correlation = (
        f" The correlation is the mean of {LIKENESS[measure]} with each other participant."
        if any(row["correlation"] is not None for row in listed.rows)
        else ""
    )
    return page_table(
        table,
        name=f"{name}-people",
        caption=f"How participants worked on {name}, those who stand out or agree least with "
        f"others first.{more if len(listed) < people.size else ''}{correlation} Exploratory.",
    )


def diagnostic_blocks(subject: Subject) -> Iterator[Block]:
    """The whole section but its figures."""
    results = subject.results
    yield from _checks(results, subject.designed)
    for finding in results.select():
        if finding.measure == "first-shown-percent":
            yield Paragraph(side_sentence(finding, results.signature.level))
    yield from _drift(results)
    if subject.designed is not None:
        yield Heading("How balanced the plan is")
        balance = measure_balance(subject.designed.study, subject.designed.plan)
        yield Facts(tuple((each.what, each.detail) for each in balance.statements))


def _checks(results: Results, designed: PlannedStudy | None) -> Iterator[Block]:
    if not results.checks:
        has = "The study has" if designed else "The table holds"
        yield Paragraph(f"{has} no checks.")
        return
    checks = designed.study.spec.checks if designed else ()
    aims = {check.id: check.question for check in checks}
    yield page_table(check_table(results.checks, aims))


def _drift(results: Results) -> Iterator[Block]:
    """Whether answers change along the tasks of a participant."""
    found = [f for f in results.select() if f.measure == "order-effect" and f.value is not None]
    if found:
        yield page_table(drift_table(found))


def side_sentence(finding: Finding, level: float) -> str:
    """How often the output shown first was chosen, and whether that is a bias."""
    if finding.value is None:
        return f"On {finding.question} it is not known which output was shown first."
    share = (
        f"On {finding.question}, the output shown first was chosen in {percent(finding.value)} of "
        f"{count(finding.n or 0, 'comparison')} ({interval_phrase(finding.interval)})"
    )
    if finding.p is None or finding.value == _EVEN:
        return f"{share}."
    side = "first" if finding.value > _EVEN else "second"
    is_seen = finding.p < 1 - level
    return (
        f"{share}; a bias towards the side shown {side} is {'' if is_seen else 'not '}supported "
        f"({p_equals(finding.p)})."
    )


MANY_COPIES = 10.0  # percent of the outputs of a system: judging them is hardly a judgment


def copy_blocks(subject: Subject) -> tuple[Block, ...]:
    """How often each system returned its input unchanged, however rarely, and which systems gave
    the same output."""
    frames = (subject.results.frame(name) for name in ("copied-inputs", "identical-outputs"))
    tables = (frame_table(frame, subject.labels, "page") for frame in frames if len(frame))
    return tuple(page_table(table) for table in tables)


def copy_sections(subject: Subject) -> Iterator[Section]:
    """The same as a section of its own, where they are many."""
    if any(copy_sentences(subject)):
        yield Section("copies", "Copies among the outputs", copy_blocks(subject))


def copy_sentences(subject: Subject) -> Iterator[str]:
    """Which systems returned many inputs unchanged, and which gave many outputs that are the
    same."""
    labels = subject.labels
    copied = [r for r in subject.results.frame("copied-inputs").rows if r["share"] >= MANY_COPIES]
    if copied:
        shares = (
            f"{number(row['share'], 0)}{NARROW}% of the outputs of "
            f"{labels.get(row['system'], row['system'])}"
            for row in copied
        )
        yield (
            f"{capital(join_words(list(shares)))} are identical to their input, so that judgments "
            "of these outputs say little about what the system changes"
        )
    same = [r for r in subject.results.frame("identical-outputs").rows if r["share"] >= MANY_COPIES]
    if same:
        pairs = (
            " and ".join(labels.get(row[name], row[name]) for name in ("first", "second"))
            + f" ({number(row['share'], 0)}{NARROW}%)"
            for row in same
        )
        yield f"Many outputs are the same for {join_words(list(pairs))}"


def baseline_sections(subject: Subject, drawn: Sequence[Picture]) -> Iterator[Section]:
    """The section, where there are baselines."""
    if subject.baselines is not None:
        blocks = tuple(_blocks(subject.baselines, subject.labels, drawn))
        yield Section("baselines", "Baselines", blocks)


def pictures_of_baselines(subject: Subject) -> tuple[Picture, ...]:
    """The figures of the section; none without baselines."""
    if subject.baselines is None or subject.designed is None:
        return ()
    return baseline_pictures(subject.baselines, subject.designed.study)


def tables_of_baselines(subject: Subject) -> tuple[Table, ...]:
    """The tables of the section; none without baselines."""
    return () if subject.baselines is None else baseline_tables(subject.baselines, subject.labels)


def _blocks(
    baselines: Baselines, labels: Mapping[str, str], drawn: Sequence[Picture]
) -> Iterator[Block]:
    yield Paragraph(" ".join(baseline_sentences(baselines)))
    yield Paragraph(_WHAT, "aside")
    yield from figures_in(drawn, "baselines")
    tables = {
        table.name: page_table(table.columns_as_notes("note"))
        for table in baseline_tables(baselines, labels)
    }
    yield from (table for name, table in tables.items() if name not in _FOLDED)
    folded = tuple(table for name, table in tables.items() if name in _FOLDED)
    if folded:
        yield Fold("Scores and claims by each baseline", folded)
    yield from (Paragraph(note, "aside") for note in baselines.notes)
