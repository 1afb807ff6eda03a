"""Who judged what, and which comparisons of systems it allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.analysis_plan import FEWEST, Agenda
from rejudge.analysis.columns import Scores, levels, scores
from rejudge.analysis.details import Covered, CoveredPair, CoveredSystem, OwnDifference
from rejudge.analysis.findings import join_notes, pairs_of
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.stats import (
    NONE_SHARED,
    Coverage,
    CoverageTerm,
    PairCoverage,
    coverage_table,
    coverage_terms,
    few_shared,
    participant_differences,
)

_DIFFERENT_PEOPLE = (
    "No participants link the two systems, so a difference between them is also one between the "
    "people who judged them."
)
_NOTABLE = 2.0  # standard errors: a coverage term is worth a sentence
_MOST_TERMS = 3  # that a note names


def coverage_of(agenda: Agenda, table: Scores) -> Coverage:
    """Who judged what on one question."""
    systems = len(agenda.outline.systems)
    return coverage_table(table.system, table.item, table.participant, systems=systems)


def has_comparable_means(agenda: Agenda, table: Scores) -> bool:
    """Whether the means of systems rest on nearly the same items and people, or on items that were
    dealt at random."""
    if agenda.items_dealt_at_random or not len(table.value):
        return True
    return coverage_of(agenda, table).has_comparable_means


def terms_of(agenda: Agenda, table: Scores) -> tuple[CoverageTerm, ...]:
    """Covariates that keep a model's comparison within items and participants (decision 12)."""
    if agenda.items_dealt_at_random:
        return ()
    systems = len(agenda.outline.systems)
    return coverage_terms(table.system, table.item, table.participant, systems=systems)


def terms_in_words(terms: Sequence[CoverageTerm]) -> tuple[str, ...]:
    """What the covariates are, for the description of a model."""
    kinds = dict.fromkeys(term.kind for term in terms)
    return tuple(f"each system's share of the {kind}'s judgments" for kind in kinds)


def dealt_in_words(agenda: Agenda, table: Scores) -> str:
    """That means are compared although items differ, for the description of a method."""
    if not agenda.items_dealt_at_random or coverage_of(agenda, table).is_even_by_item:
        return ""
    return ", items taken as dealt to systems at random"


def terms_note(
    agenda: Agenda, statistics: Mapping[str, float | None], terms: Sequence[CoverageTerm]
) -> str:
    """Where items or participants with more judgments of a system score higher or lower."""
    notable = [
        (term, t)
        for term in terms
        if (t := statistics.get(term.name)) is not None and abs(t) >= _NOTABLE
    ]
    notable.sort(key=lambda each: -abs(each[1]))
    return join_notes(
        *(
            f"{term.kind.capitalize()}s with more judgments of "
            f"{agenda.outline.systems[term.system]} score {'higher' if t > 0 else 'lower'} "
            f"(t = {t:.1f})."
            for term, t in notable[:_MOST_TERMS]
        )
    )


def within_items(finding: Finding, pair: PairCoverage) -> Finding:
    """A difference of a model, refused where no items link the systems; a note where few do."""
    if not pair.is_within_items:
        return replace(
            finding,
            value=None,
            interval=None,
            standard_error=None,
            df=None,
            p=None,
            statistic=None,
            note=NONE_SHARED,
        )
    few = few_shared(pair.shared_items, pair.information_share)
    people = "" if pair.is_within_participants else _DIFFERENT_PEOPLE
    return replace(finding, note=join_notes(finding.note, few, people))


def coverage_by_name(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments
) -> Covered | None:
    """Who judged what on a question that gives scores, by name."""
    if asked.is_comparison or not len(judgments):
        return None
    table = scores(agenda.outline, judgments)
    found = coverage_of(agenda, table)
    names = agenda.outline.systems
    is_known = table.has_participants
    judged = {each.system for each in found.systems if each.judgments}
    return Covered(
        systems=tuple(
            CoveredSystem(
                names[each.system],
                each.judgments,
                each.items,
                each.participants if is_known else None,
            )
            for each in found.systems
        ),
        pairs=tuple(
            CoveredPair(
                names[each.first],
                names[each.second],
                each.shared_items,
                each.shared_participants if is_known else None,
                each.information_share,
            )
            for each in found.pairs
            if {each.first, each.second} <= judged
        ),
        is_even=found.is_even,
    )


def own_differences(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[OwnDifference]:
    """Each participant's own difference of each two systems, where participants are few."""
    if asked.is_comparison or not len(judgments):
        return
    table = scores(agenda.outline, judgments)
    if not table.has_participants or levels(table.participant) >= FEWEST:
        return
    names, people = agenda.outline.systems, judgments.participant.labels
    limited = agenda.check(asked).pairs
    pairs = [(names.index(a), names.index(b)) for a, b in limited] or pairs_of(names)
    for pair in pairs:
        for each in participant_differences(
            table.value,
            table.system,
            pair,
            item=table.item,
            participant=table.participant,
            level=agenda.level,
        ):
            own = each.difference
            who = people[each.participant]
            ends = own.interval
            yield OwnDifference(
                who, names[pair[0]], names[pair[1]], own.value, own.items, ends, own.note
            )
