"""Build a report from results: the answer first, then all that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Finding, Results
from rejudge.design import Change, Plan, measure
from rejudge.english import count
from rejudge.report.answer import Told, answer, key_numbers, told
from rejudge.report.behind import conduct_section
from rejudge.report.blocks import Block, Facts, Listing, Paragraph, Report, Section, Table
from rejudge.report.conditions import conditions
from rejudge.report.outcomes import lead_figure, question_blocks
from rejudge.report.sheets import sheets
from rejudge.report.wording import (
    COEFFICIENTS,
    between,
    digits_of,
    in_words,
    listed,
    number,
    p_value,
    percent,
)
from rejudge.study import Study

_RULES = {
    "duplicates-first": "judged again; the first judgment counts",
    "duplicates-last": "judged again later; the last judgment counts",
    "named": "left out by name",
    "returned": "batches given back",
    "incomplete": "batches not finished",
    "failed-checks": "failed checks",
    "excluded": "batches excluded while the study ran",
    "chose": "a system nobody should choose was chosen",
    "straight-lining": "always the same answer",
    "too-fast": "batches done too fast",
    "surplus": "batches beyond the planned number",
    "faster-than": "answers given too fast",
}
_REASONS = 8  # so many are listed on the page
_ON_FAIL = {"exclude": "leads to exclusion", "flag": "is only flagged", "reject": "is rejected"}


def build(
    study: Study,
    plan: Plan,
    results: Results,
    *,
    changes: tuple[Change, ...] | None = None,
    folder: str = "my-study",
) -> Report:
    """The report of a study; `changes` since it was frozen, None when it was not frozen."""
    tales = [told(study, results, question) for question in study.spec.questions]
    return Report(
        title=study.spec.title,
        language="en",
        is_simulated=results.flow.is_simulated,
        answer=answer(tales[0], results.signature.correction),
        figure=lead_figure(tales[0]),
        numbers=key_numbers(tales[0]),
        sections=(
            Section("design", "Design and conditions", conditions(study, plan, changes)),
            Section("participants", "Participants and exclusions", tuple(_people(results))),
            *_results(tales, results),
            *_cases(study, results),
            Section("agreement", "Agreement", (_agreement(results),)),
            *conduct_section(results),
            Section("checks", "Checks and sides", tuple(_checks(study, plan, results))),
            Section("signature", "Signature", tuple(_signature(results, folder))),
        ),
        signature=results.signature.short,
    )


def _results(tales: Sequence[Told], results: Results) -> Iterator[Section]:
    for place, tale in enumerate(tales):
        name = tale.question.id
        title = "Results" if len(tales) == 1 else f"Results: {name}"
        blocks = tuple(question_blocks(tale, results, is_first=place == 0))
        yield Section(f"results-{name}", title, blocks)


def _people(results: Results) -> Iterator[Block]:
    flow = results.flow
    came = count(flow.participants, "participant")
    who = f"{came} took part."
    if flow.is_simulated:
        were = "was" if flow.participants == 1 else "were"
        who = f"{came} {were} simulated by a program; no person took part."
        if flow.simulated_rows < flow.rows:
            who = f"{flow.simulated_rows:,} of {flow.rows:,} rows are simulated, the rest is real."
    kept = f"{flow.participants_kept:,} count"
    left_out = flow.real_rows - flow.real_rows_kept
    yield Paragraph(
        f"{who} {kept} in the analysis, with {count(flow.real_rows_kept, 'judgment')} of systems; "
        f"{count(left_out, 'judgment')} "
        f"{'was' if left_out == 1 else 'were'} left out, {flow.real_rows:,} in all."
    )
    yield _exclusions(results)
    if results.without_exclusions:
        yield _without_exclusions(results)
    if flow.pace:
        pace = flow.pace
        yield Paragraph(
            f"A task took {number(pace.median)} seconds in the median, half of them between "
            f"{number(pace.lower)} and {number(pace.upper)} ({count(pace.tasks, 'task')})."
        )


def _without_exclusions(results: Results) -> Block:
    """Whether a comparison of two systems comes out differently when everybody counts."""
    changed = [each for each in results.depends if each.choice == "exclusions"]
    if not changed:
        return Paragraph(
            "With everybody’s judgments, every comparison of two systems comes out the same."
        )
    by_id = {finding.id: finding for finding in results.findings}
    told_of = [
        f"{' and '.join(by_id[each.finding].systems)} on {by_id[each.finding].question} "
        f"({by_id[each.finding].by})"
        for each in changed
        if each.finding in by_id
    ]
    return Paragraph(
        f"With everybody’s judgments, these comparisons come out differently: {listed(told_of)}.",
        "warn",
    )


def _cases(study: Study, results: Results) -> Iterator[Section]:
    """The same comparisons with each way to treat what several people judged."""
    if not results.cases:
        return
    labels = {system.id: system.label for system in study.spec.systems}
    sheet = next(each for each in sheets(results, labels) if each.name == "cases")
    names = [column.name for column in sheet.columns]
    pairs = [row for row in sheet.rows if row[-1] is not None]
    differing = sum(row[-1] is False for row in pairs)
    said = (
        f"{differing} of {count(len(pairs), 'comparison')} of two systems "
        f"{'depends' if differing == 1 else 'depend'} on the choice."
    )
    table = Table(
        id="table-cases",
        caption=f"{sheet.caption} Differences and which system is supported as better.",
        head=tuple(_capital(name) for name in names),
        align="lll" + "rl" * len(results.cases) + "l",
        rows=tuple(tuple(_cell(cell) for cell in row) for row in pairs),
    )
    yield Section("cases", "Multiple judgments", (Paragraph(said), table))


def _cell(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return number(cell, 2)
    return "–" if cell is None else str(cell)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _exclusions(results: Results) -> Block:
    flow = results.flow
    if not flow.exclusions:
        return Paragraph("Nobody was excluded by the planned rules.")
    rules = dict.fromkeys(each.rule for each in flow.exclusions)
    listing = [
        (
            f"– {_RULES[rule]}",
            f"{len({each.participant for each in flow.exclusions if each.rule == rule}):,}",
            f"{sum(each.rows for each in flow.exclusions if each.rule == rule):,}",
        )
        for rule in rules
    ]
    reasons = [f"{each.participant}: {each.reason}." for each in flow.exclusions]
    if len(reasons) > _REASONS:
        reasons = [*reasons[:_REASONS], f"And {len(reasons) - _REASONS} more in excluded.csv."]
    return Table(
        id="table-exclusions",
        caption="Exclusions by rule, with all rows of those left out (judgments of systems, checks "
        "and repeats). Kept and excluded rows add up to what was collected.",
        head=("", "Participants", "Rows"),
        align="lrr",
        rows=(
            ("collected", f"{flow.participants:,}", f"{flow.rows:,}"),
            *listing,
            ("kept", f"{flow.participants_kept:,}", f"{flow.rows_kept:,}"),
        ),
        notes=tuple(reasons),
    )


def _agreement(results: Results) -> Block:
    found = [f for f in results.findings if f.measure == "agreement" and not f.systems]
    rows = tuple(
        (
            finding.question,
            COEFFICIENTS.get(finding.by, finding.by),
            f"{finding.n:,}",
            number(finding.value, digits_of(finding)),
            between(finding.interval, digits_of(finding)),
            between(finding.interval_for_new_people, digits_of(finding)),
        )
        for finding in found
    )
    notes = [f"{COEFFICIENTS.get(f.by, f.by)}, {f.question}: {f.note}" for f in found if f.note]
    return Table(
        id="table-agreement",
        caption="How far participants agree. A unit is an output, or a pair of outputs, that two "
        "or more people judged. The first interval resamples units and speaks for these "
        "participants; the second resamples participants too and speaks for new ones.",
        head=("Question", "Coefficient", "Units", "Value", "Interval", "For new participants"),
        align="llrrrr",
        rows=rows,
        notes=tuple(notes),
    )


def _checks(study: Study, plan: Plan, results: Results) -> Iterator[Block]:
    if results.checks:
        aims = {check.id: check.question for check in study.spec.checks}
        yield Table(
            id="table-checks",
            caption="Checks: how many were answered by all who took part, and how many failed.",
            head=("Check", "Aimed at", "A failure", "Answered", "Failed", "Failed, %"),
            align="lllrrr",
            rows=tuple(
                (
                    check.check,
                    aims[check.check],
                    _ON_FAIL[check.on_fail],
                    f"{check.answered:,}",
                    f"{check.failed:,}",
                    number(100 * check.failed / check.answered if check.answered else None),
                )
                for check in results.checks
            ),
        )
    else:
        yield Paragraph("The study has no checks.")
    for finding in results.findings:
        if finding.measure == "first-shown-percent":
            yield Paragraph(_side_sentence(finding, results.signature.level))
    yield from _drift(results)
    yield Paragraph("How even the plan is:")
    yield Facts(tuple((each.what, each.detail) for each in measure(study, plan).statements))


def _drift(results: Results) -> Iterator[Block]:
    """Whether answers change along the tasks of a participant."""
    found = [f for f in results.findings if f.measure == "order-effect" and f.value is not None]
    if found:
        yield Table(
            id="table-drift",
            caption="Change from one task to the next, mean over participants of their slopes. "
            "Exploratory.",
            head=("Question", "What", "Change per task", "Interval", "p"),
            align="llrrr",
            rows=tuple(
                (
                    f.question,
                    f.by.removesuffix("-by-position"),
                    number(f.value, 4),
                    between(f.interval, 4),
                    p_value(f.p),
                )
                for f in found
            ),
        )


def _side_sentence(finding: Finding, level: float) -> str:
    if finding.value is None:
        return f"On {finding.question} it is not known which output was shown first."
    share = (
        f"On {finding.question}, the output shown first was chosen in {percent(finding.value)} of "
        f"{count(finding.n, 'comparison')} ({in_words(finding.interval)})"
    )
    if finding.p is None:
        return f"{share}."
    side = "first" if finding.value > 50 else "second"  # noqa: PLR2004 - even
    pull = f"a pull towards the side shown {side}"
    is_seen = finding.p < 1 - level
    return f"{share}; {pull} is {'' if is_seen else 'not '}supported (p\u00a0{_equals(finding.p)})."


def _equals(p: float) -> str:
    text = p_value(p)
    return text if text.startswith("<") else f"=\u00a0{text}"


def _signature(results: Results, folder: str) -> Iterator[Block]:
    signature = results.signature
    left_out = [
        f"{rows:,} by {_RULES.get(rule, rule)}" for rule, rows in signature.excluded_rows.items()
    ]
    yield Paragraph(
        "Every number on this page follows from what is named here. The same study, plan, "
        "judgments and seed give the same numbers."
    )
    yield Facts(
        (
            ("Study", signature.study or "none"),
            ("Plan", signature.plan or "none"),
            ("Judgments", signature.judgments),
            ("Rows left out", listed(left_out) or "none"),
            ("Seed of resampling", str(signature.seed)),
            ("Level of intervals", f"{100 * signature.level:g}\u202f%"),
            ("Correction", signature.correction),
            ("Made with", f"rejudge {signature.version}"),
        )
    )
    yield Paragraph("To compute everything again in the study’s folder:")
    yield Listing(
        (
            f"rejudge analyse {folder} --seed {signature.seed} --force",
            f"rejudge report {folder} --force",
        )
    )
