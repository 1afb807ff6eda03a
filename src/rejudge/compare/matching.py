"""Do trends and significance match? The measures of Ito et al. (2023), original against each run.

Pairs are those that the original tested; where it tested none, all pairs of systems. A score is
labelled where it is significantly better than the other of its pair, the original's labels taken
as right.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from rejudge.analysis import sign_of
from rejudge.compare.aligned import Aligned
from rejudge.compare.comparison import Matched
from rejudge.compare.contrasts import contrast_of, decisive
from rejudge.compare.run import Run
from rejudge.stats import matching_accuracy, significance_f1

Pair: TypeAlias = tuple[str, str, str]  # criterion, first and second system

_ALL_PAIRS = "The original tested no pair, so all pairs of systems are taken."
_UNTESTED = "No F1: the runs have no tests of the same pairs."


def matched(aligned: Aligned) -> tuple[Matched, ...]:
    """Matching accuracy and F1 of significance, for each run."""
    tested = tuple(
        (found.criterion, found.first, found.second) for found in decisive(aligned.original)
    )
    return tuple(_one(aligned, run, tested) for run in aligned.others)


def _one(aligned: Aligned, run: Run, tested: tuple[Pair, ...]) -> Matched:
    pairs = [pair for pair in tested or _all(aligned) if _is_scored(aligned, run, pair)]
    one, two = (
        [
            aligned.scores[criterion, each, system].value
            for criterion, first, second in pairs
            for system in (first, second)
        ]
        for each in (aligned.original.id, run.id)
    )
    places = [(2 * place, 2 * place + 1) for place in range(len(pairs))]
    accuracy = matching_accuracy(one, two, places)  # type: ignore[arg-type]  # numbers in a list
    both = [labels for pair in tested if (labels := _labels(aligned.original, run, pair))]
    f1 = significance_f1(
        [label for labels in both for label in labels[0]],
        [label for labels in both for label in labels[1]],
    )
    notes = ("" if tested else _ALL_PAIRS, accuracy.note, f1.note if both else _UNTESTED)
    return Matched(
        run=run.id,
        matching=accuracy.value,
        matched=accuracy.matches,
        pairs=accuracy.n,
        f1=f1.value if both else None,
        true_positives=f1.both,
        predicted=f1.reproduction,
        actual=f1.original,
        note=" ".join(note for note in notes if note),
    )


def _all(aligned: Aligned) -> tuple[Pair, ...]:
    return tuple(
        (criterion.id, first, second)
        for criterion in aligned.criteria
        for first, second in combinations(aligned.original.systems, 2)
    )


def _is_scored(aligned: Aligned, run: Run, pair: Pair) -> bool:
    criterion, *systems = pair
    return all(
        (criterion, each, system) in aligned.scores
        for each in (aligned.original.id, run.id)
        for system in systems
    )


def _labels(original: Run, run: Run, pair: Pair) -> tuple[list[bool], list[bool]] | None:
    """For each of the two systems whether it is significantly better, in both runs."""
    found = [contrast_of(each, *pair) for each in (original, run)]
    known = [each for each in found if each is not None and each.is_significant is not None]
    if len(known) < len(found):
        return None
    signs = [sign_of(each.difference) if each.is_significant else 0 for each in known]
    one, two = ([sign == 1, sign == -1] for sign in signs)
    return one, two
