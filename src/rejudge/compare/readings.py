"""Three ways to say that a run succeeded, side by side (van Miltenburg et al. 2024, section 7.1).

By hypotheses: does it support what the original's did? By means: are its scores the same? By
effects: are its differences as large? They need not agree, and none of them is the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from rejudge.compare.aligned import Aligned
from rejudge.compare.comparison import Confirmed, EffectComparison, Equivalent, Reading
from rejudge.english import count

Family: TypeAlias = Literal["significance", "claims", "pairwise-ranks"]

_FAMILIES: tuple[tuple[Family, str], ...] = (  # what comes closest to hypotheses first
    ("significance", "significant difference"),
    ("claims", "claim"),
    ("pairwise-ranks", "rank of two systems"),
)


def readings(
    aligned: Aligned,
    *,
    confirmed: Sequence[Confirmed],
    equivalence: Sequence[Equivalent],
    effects: Sequence[EffectComparison],
) -> tuple[Reading, ...]:
    """The three readings of each run against the original."""
    of = aligned.original.id
    return tuple(
        reading
        for run in aligned.others
        for reading in (
            _by_hypotheses(run.id, [each for each in confirmed if each.run == run.id]),
            _by_means(run.id, [each for each in equivalence if each.runs == (of, run.id)]),
            _by_effects(run.id, [each for each in effects if each.runs == (of, run.id)]),
        )
    )


def _by_hypotheses(run: str, found: Sequence[Confirmed]) -> Reading:
    for family, noun in _FAMILIES:
        whole = [each for each in found if each.family == family and each.criterion is None]
        if whole and whole[0].assessable:
            held, of = whole[0].confirmed, whole[0].assessable
            against = f", {whole[0].contradicted} contradicted" if whole[0].contradicted else ""
            says = f"{held} of {_many(of, noun)} of the original confirmed{against}"
            return Reading(run, "hypotheses", held, of, says)
    return Reading(run, "hypotheses", 0, 0, "not known: the original's findings cannot be assessed")


def _by_means(run: str, found: Sequence[Equivalent]) -> Reading:
    tested = [each for each in found if each.is_equivalent is not None]
    if not tested:
        says = "not known: it needs the SD and the number of judgments of each score in both"
        return Reading(run, "means", 0, 0, says)
    held = sum(each.is_equivalent is True for each in tested)
    apart = sum(
        each.p_differ is not None and each.p_differ < 0.05 and not each.is_equivalent  # noqa: PLR2004
        for each in tested
    )
    naive = sum(not each.is_clustered for each in tested)
    how = (
        "errors allow for shared items and participants"
        if not naive
        else "judgments taken as independent"
        if naive == len(tested)
        else f"judgments of {count(naive, 'score')} taken as independent"
    )
    says = (
        f"{held} of {_many(len(tested), 'score')} equivalent within the original's smallest "
        f"effect of interest; {apart} significantly different ({how})"
    )
    return Reading(run, "means", held, len(tested), says)


def _by_effects(run: str, found: Sequence[EffectComparison]) -> Reading:
    known = [each for each in found if each.do_overlap is not None]
    if not known:
        says = "not known: it needs intervals of the effects in both"
        return Reading(run, "effects", 0, 0, says)
    held = sum(each.do_overlap is True for each in known)
    says = f"intervals of {held} of {_many(len(known), 'difference')} between systems overlap"
    return Reading(run, "effects", held, len(known), says)


def _many(number: int, noun: str) -> str:
    head, _, rest = noun.partition(" of ")
    return f"{count(number, head)} of {rest}" if rest else count(number, head)
