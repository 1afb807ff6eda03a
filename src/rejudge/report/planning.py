"""What was planned and what was not, told apart; and what changed since the plan was fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Finding, Results
from rejudge.english import capital, count, day, join_words, verb
from rejudge.report.blocks import Block, Paragraph, Table
from rejudge.report.subject import Designed, Subject
from rejudge.tables.wording import TEST_NAMES, coefficient, name_of_test

_PAIR = 2
_DIAGNOSTICS = {
    "first-shown-percent": "pull of the side shown first",
    "score-by-position": "drift of scores",
    "first-shown-by-position": "drift towards a side",
    "agreement-by-position": "drift of agreement",
    "seconds-by-position": "drift of times",
}
_TOUCHES = {
    "analysis": "the plan of analysis",
    "claims": "the claims",
    "design": "the design",
    "items": "the items",
    "pages": "what participants read",
    "plan": "the plan of tasks",
    "other": "something else",
}


def planning_blocks(subject: Subject) -> Iterator[Block]:
    """Every analysis with whether it was planned, and what came of it."""
    results = subject.results
    yield Paragraph(_basis(subject))
    rows = list(_rows(results))
    if rows:
        yield Table(
            id="table-planned",
            caption="Every analysis of systems and of agreement, and whether it was fixed before "
            "anybody was asked. What is exploratory may suggest something; it confirms nothing. "
            "How participants worked and what they disagree about is exploratory, too.",
            head=("Question", "Analysis", "Status", "Numbers", "Supported"),
            align="lllrr",
            rows=tuple(sorted(rows, key=lambda row: row[2] != "planned")),
        )


def _basis(subject: Subject) -> str:
    results = subject.results
    if subject.designed is None or results.basis == "default":
        return (
            "Nothing was planned beforehand as far as this report knows, so every number on this "
            "page is exploratory."
        )
    frozen = subject.designed.changes is not None
    fixed = (
        "It was frozen before it was analysed."
        if frozen
        else "It was not frozen, so nothing shows that it was written before the answers were seen."
    )
    return f"The plan of analysis is part of the study. {fixed}"


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    for question in results.questions:
        found = [f for f in results.findings if f.question == question and _is_analysis(f)]
        for kind in dict.fromkeys(_kind(f) for f in found):
            these = [f for f in found if _kind(f) == kind]
            name, is_planned = kind
            yield (
                question,
                name,
                "planned" if is_planned else "exploratory",
                f"{sum(f.value is not None for f in these):,}",
                _supported(these),
            )


def _is_analysis(finding: Finding) -> bool:
    is_agreement = finding.measure == "agreement" and not finding.systems
    is_diagnostic = finding.by in _DIAGNOSTICS or finding.measure in _DIAGNOSTICS
    return is_comparison_of_systems(finding) or is_agreement or is_diagnostic


def is_comparison_of_systems(finding: Finding) -> bool:
    """Whether a finding says which system is better, or whether any differ."""
    is_pair = len(finding.systems) == _PAIR and finding.measure != "agreement"
    return is_pair or finding.measure == "test"


def _kind(finding: Finding) -> tuple[str, bool]:
    """What an analysis is called, and whether it was planned; diagnostics never are."""
    diagnostic = _DIAGNOSTICS.get(finding.by) or _DIAGNOSTICS.get(finding.measure)
    if diagnostic:
        return capital(diagnostic), False
    name = name_of_test(finding) if finding.by in TEST_NAMES else coefficient(finding.by)
    return capital(name), finding.is_planned


def _supported(found: Sequence[Finding]) -> str:
    tested = [f for f in found if f.is_supported is not None]
    if not tested:
        return "–"
    return f"{sum(bool(f.is_supported) for f in tested):,} of {len(tested):,}"


def change_blocks(designed: Designed | None) -> Iterator[Block]:
    """Every change since the study was frozen, and what it touches."""
    if designed is None:
        yield Paragraph("There is no study to freeze, so nothing could be fixed beforehand.")
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
        f"{verb(len(changes), 'was', 'were')} made since, touching {touched}.",
        "warn",
    )
    yield Table(
        id="table-changes",
        caption="What differs now from what was frozen.",
        head=("Change", "Touches"),
        align="ll",
        rows=tuple((str(change), _TOUCHES[change.touches]) for change in changes),
    )
