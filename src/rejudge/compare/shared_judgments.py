"""Runs that rest on the same judgments: a study and its bundle, a table twice.

Nothing can be learned about labs from judgments that are compared with themselves. Such runs count
as one study: each is compared with the others, but they are not compared with each other, and only
the first of them is used where studies are combined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from rejudge.compare.alignment import Alignment, study_of
from rejudge.compare.run import Run
from rejudge.english import count
from rejudge.errors import Problem
from rejudge.findings.model import Population
from rejudge.findings.words import POPULATIONS

if TYPE_CHECKING:
    from rejudge.judgments.table import Judgments

_FEWEST = 20  # equal judgments in two files that are no coincidence
_EQUAL = 0.95  # of the judgments in both files: somebody may have corrected a few
_ROUNDED = 1.001  # half units: a printed score may be at the end of what it can be
_KAPPA = 0.9  # of these judgments: most may be the same answer by chance
_Key: TypeAlias = tuple[str | int | None, ...]


def original_again(original: Run, others: Sequence[Run]) -> Iterator[Problem]:
    """Reproductions that have judgments of the original, which they would seem to confirm."""
    for run in others:
        why = _in_common(original, run)
        if why:
            yield Problem(
                f"'{original.id}' and '{run.id}' {why}, and judgments cannot confirm themselves.",
                "Leave one of the two out.",
            )


def join_studies(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The same runs; each that shares judgments with an earlier one belongs to its study."""
    found: list[Run] = []
    for run in runs:
        first = next((each for each in found if _in_common(each, run)), None)
        found.append(run if first is None else replace(run, shares=study_of(first)))
    return tuple(found)


def shared_judgment_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Which runs share judgments, and what was therefore left out; and which may share some."""
    for one, two in combinations(runs, 2):
        why = _in_common(one, two)
        if why:
            yield (
                f"{one.name} and {two.name} {why}. They are not compared with each other, and the "
                "first of them is used where all studies are combined."
            )
        elif _may_share(one, two):
            yield (
                f"{one.name} and {two.name} come from the same file: judgments that both keep "
                "count twice here."
            )


def same_score_notes(aligned: Alignment) -> Iterator[str]:
    """Printed numbers and judgments that give the same scores: one study, with two populations.

    What is computed from printed numbers holds for other judgments, as if each was independent;
    what is computed from judgments, for other items and people. The two may differ in what they
    call significant.
    """
    for printed in aligned.runs:
        for judged in aligned.runs:
            if printed.source != "paper" or judged.judgments is None:
                continue
            names = _in_both(aligned, printed, judged)
            if names and all(_are_the_same(aligned, name, printed, judged) for name in names):
                yield (
                    f"{printed.name} and {judged.name} have the same scores, so they may be one "
                    "study, once as printed and once from its judgments. Intervals and tests from "
                    "printed means and SDs are for new judgments, treated as independent; those "
                    f"from judgments are {POPULATIONS[_population(aligned, judged)]}, and the two "
                    "may disagree. Compare the original with one of them."
                )


def _in_both(aligned: Alignment, one: Run, two: Run) -> list[str]:
    """The criteria on which both have scores of two systems or more."""
    names = [each.id for each in aligned.criteria]
    return [name for name in names if len(aligned.shared(name, [one.id, two.id])) > 1]


def _are_the_same(aligned: Alignment, criterion: str, printed: Run, judged: Run) -> bool:
    """Whether the printed scores are the others, rounded."""
    pairs = [
        (aligned.scores[criterion, printed.id, system], aligned.value(criterion, judged.id, system))
        for system in aligned.shared(criterion, [printed.id, judged.id])
    ]
    return all(
        each.half_unit > 0 and abs((each.value or 0.0) - value) <= each.half_unit * _ROUNDED
        for each, value in pairs
    )


def _population(aligned: Alignment, run: Run) -> Population:
    known = (
        score.population
        for (_, where, _), score in aligned.scores.items()
        if where == run.id and score.population
    )
    return next(known, "items and participants")


def _in_common(one: Run, two: Run) -> str:
    """What two runs share, in words; empty: nothing.

    The fingerprint names what was collected. What counts may still differ: one file analysed once
    for each half of its participants gives two runs that share nothing.
    """
    if one.fingerprint and one.fingerprint == two.fingerprint:
        if _left_out(one) == _left_out(two):
            return "have the same judgments"
        people = _people_in_both(one, two)
        return f"share the judgments of {count(people, 'participant')}" if people else ""
    equal = _equal_judgments(one.judgments, two.judgments)
    same = "of the same participants, items and systems, with the same answers"
    return f"share {count(equal, 'judgment')} ({same})" if equal else ""


def _may_share(one: Run, two: Run) -> bool:
    is_one_file = bool(one.fingerprint) and one.fingerprint == two.fingerprint
    return is_one_file and (one.judgments is None or two.judgments is None)


def _left_out(run: Run) -> frozenset[tuple[str, str | None, str, int]]:
    exclusions = run.flow.exclusions if run.flow is not None else ()
    return frozenset((each.participant, each.batch, each.rule, each.rows) for each in exclusions)


def _people_in_both(one: Run, two: Run) -> int:
    """How many participants of one file count in both runs; 0 without judgments."""
    if one.judgments is None or two.judgments is None:
        return 0
    return len(set(one.judgments.participant.used()) & set(two.judgments.participant.used()))


def _equal_judgments(one: Judgments | None, two: Judgments | None) -> int:
    """How many judgments of two files are the same; 0 where that may be a coincidence.

    Two labs may both have a p1, who then judged the same outputs, but not with the same answers.
    """
    if one is None or two is None:
        return 0
    if not set(one.participant.used()) & set(two.participant.used()):
        return 0
    here, there = _answers(one), _answers(two)
    values = [(here[key], there[key]) for key in here.keys() & there.keys()]
    equal = sum(first == second for first, second in values)
    if equal < _FEWEST or equal < _EQUAL * len(values):
        return 0
    firsts, seconds = (Counter(column) for column in zip(*values, strict=True))
    by_chance = sum(firsts[value] * seconds[value] for value in firsts) / len(values)
    return equal if equal - by_chance > _KAPPA * (len(values) - by_chance) else 0


def _answers(table: Judgments) -> dict[_Key, float]:
    real = table.of_kind("real")
    names = (real.participant, real.item, real.question, real.system, real.system_a, real.system_b)
    keys = zip(*(each.words() for each in names), real.segment.tolist(), strict=True)
    return {
        key: value
        for key, value in zip(keys, real.value.tolist(), strict=True)
        if key[0] is not None
    }
