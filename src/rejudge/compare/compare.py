"""Runs of one study compared: the complete assessment. Every run must state its conditions.

Three readings of success stand side by side (van Miltenburg et al. 2024, section 7.1). By
hypotheses: does the run support what the original did? By means: are its scores the same? By
effects: are its differences as large? They need not agree, and no single one is the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, TypeAlias

from rejudge.compare.alignment import (
    Alignment,
    align,
    criterion_of,
    direction_notes,
    match_groups,
    study_of,
    unify_directions,
)
from rejudge.compare.comparison import (
    Comparison,
    ConfirmedShare,
    EffectComparison,
    RunCard,
    RunEquivalence,
    RunPairRate,
    SuccessReading,
)
from rejudge.compare.conditions import SEEN, conditions, similarities
from rejudge.compare.correlation import correlations
from rejudge.compare.deviations import correct_conditions, deviations
from rejudge.compare.differences import rank_stability, without_differences, without_shared_items
from rejudge.compare.effects import effect_comparisons, equivalences
from rejudge.compare.findings import (
    confirmations,
    trend_matches,
    unsupported_differences,
    verdicts,
)
from rejudge.compare.label_agreement import label_agreement
from rejudge.compare.meta_analysis import random_effects_summaries
from rejudge.compare.printed_figures import printed_checks
from rejudge.compare.run import Run, scores_on, wins_on
from rejudge.compare.shared_judgments import (
    join_studies,
    original_again,
    shared_judgment_notes,
)
from rejudge.compare.variation import variations
from rejudge.english import count, join_words
from rejudge.errors import DataError, Problem
from rejudge.version import __version__

_GIVE_ENDS = (
    "Give them with --scale 1..5, or under `criteria:` in the file of conditions, such as "
    "`- {id: fluency, scale: {kind: rating, low: 1, high: 5}}`."
)
Family: TypeAlias = Literal["significance", "claims", "pairwise-ranks"]
_FAMILIES: tuple[tuple[Family, str], ...] = (  # what comes closest to hypotheses first
    ("significance", "significant difference"),
    ("claims", "claim"),
    ("pairwise-ranks", "rank of two systems"),
)


def compare(original: Run, *others: Run, columns: Mapping[str, str] | None = None) -> Comparison:
    """Compare runs with the original: QRA types I to IV, claims, deviations, printed figures.

    `columns` name the original's column of groups for a column that has another name in a run.
    Precision of scores, sets of scores, labels and findings after Belz (2025); there is no overall
    verdict of success.
    """
    problems = tuple(_problems(original, others))
    if problems:
        raise DataError(*problems)
    runs = correct_conditions(_with_unique_names(match_groups(original, others, columns)))
    notes = tuple(direction_notes(runs))
    runs = unify_directions(join_studies(runs))
    original, others = runs[0], runs[1:]
    aligned = align(original, others)
    if not aligned.criteria:
        raise DataError(_no_common_criterion(aligned))
    if not _share_systems(aligned):
        raise DataError(_no_system(aligned))
    judged = verdicts(aligned)
    found = confirmations(aligned, judged)
    trends = trend_matches(aligned)
    effects, alike = effect_comparisons(aligned), equivalences(aligned)
    return Comparison(
        original=original.id,
        runs=tuple(_card(run) for run in runs),
        systems=dict(original.systems),
        criteria={criterion.id: criterion.name for criterion in original.criteria},
        conditions=conditions(runs),
        similarities=similarities(runs),
        deviations=deviations(original, others),
        variations=variations(aligned),
        correlations=correlations(aligned),
        agreement=label_agreement(aligned),
        confirmed=found,
        claims=judged,
        unsupported=unsupported_differences(aligned, effects),
        matching=trends,
        effects=effects,
        equivalence=alike,
        readings=readings(aligned, confirmed=found, equivalence=alike, effects=effects),
        pooled=random_effects_summaries(aligned),
        stability=rank_stability(aligned),
        rates=tuple(_rates(runs)),
        scores=tuple(aligned.scores.values()),
        printed=printed_checks(aligned, found, trends),
        dropped=aligned.dropped,
        notes=(*notes, *_notes(aligned)),
        version=__version__,
    )


def _problems(original: Run, others: Sequence[Run]) -> Iterator[Problem]:
    if not others:
        yield Problem(
            "there is nothing to compare the original with.", "Name one reproduction or more."
        )
    ids = [run.id for run in (original, *others)]
    for twice in sorted({each for each in ids if ids.count(each) > 1}):
        yield Problem(f"'{twice}' is given twice.", "Give each run its own id.")
    for run in (original, *others):
        if not run.conditions:
            yield Problem(
                f"the conditions of measurement of '{run.id}' are not known, and a "
                "reproducibility score means nothing without them.",
                "Write them under `conditions:` in its paper.yaml, or in a file that "
                "`--conditions` names.",
            )
    yield from original_again(original, others)


def _with_unique_names(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Runs of the same title, such as a study and its reproduction, also show their ids."""
    names = [run.name for run in runs]
    return tuple(
        replace(run, name=f"{run.name} ({run.id})") if names.count(run.name) > 1 else run
        for run in runs
    )


def _no_common_criterion(aligned: Alignment) -> Problem:
    notes = " ".join(dict.fromkeys(aligned.notes.values()))
    asked = ", ".join(criterion.id for criterion in aligned.original.criteria)
    theirs = ", ".join(
        dict.fromkeys(criterion.id for run in aligned.others for criterion in run.criteria)
    )
    original = aligned.original
    if not any(scores_on(original, each) for each in original.criteria):
        return Problem(
            f"no criterion can be compared: {asked} of the original has no scores of systems. "
            f"{notes}".strip(),
            "Labels without order have shares, which `rejudge analyse` gives; they are not "
            "compared.",
        )
    return Problem(
        f"no criterion can be compared: the original has {asked}; the others have {theirs}. "
        f"{notes}".strip(),
        _GIVE_ENDS
        if "ends of the scale" in notes
        else "Match the names, such as `--criteria quality=fluency`.",
    )


def _share_systems(aligned: Alignment) -> bool:
    return any(
        aligned.shared(criterion.id, (aligned.original.id, run.id))
        for criterion in aligned.criteria
        for run in aligned.others
    )


def _no_system(aligned: Alignment) -> Problem:
    theirs = dict.fromkeys(system for run in aligned.others for system in run.systems)
    return Problem(
        f"no system can be compared: the original has {', '.join(aligned.original.systems)}; "
        f"the others have {', '.join(theirs)}.",
        "Match the names, such as `--systems sep=separator`.",
    )


def _card(run: Run) -> RunCard:
    return RunCard(
        id=run.id,
        name=run.name,
        source=run.source,
        reproduces=run.reproduces,
        fingerprint=run.fingerprint,
        departures=run.departures,
        is_simulated=run.flow is not None and run.flow.is_simulated,
    )


def _rates(runs: Sequence[Run]) -> Iterator[RunPairRate]:
    for run in runs:
        for criterion in run.criteria:
            for each in wins_on(run, criterion):
                first, second = each.systems
                yield RunPairRate(
                    run.id, criterion.id, first, second, each.value or 0.0, each.n or 0
                )


def _notes(aligned: Alignment) -> Iterator[str]:
    yield from dict.fromkeys(aligned.notes.values())
    yield from _scale_end_notes(aligned)
    yield from _no_score_notes(aligned)
    yield from _pair_notes(aligned)
    of = study_of(aligned.original)
    for run in aligned.others:
        if run.reproduces not in (None, of):
            yield f"{run.name} states that it reproduces {run.reproduces}, not {of}."
    bare = [run.name for run in aligned.runs if _is_bare(run)]
    if bare:
        yield (
            f"For {', '.join(bare)} only the conditions that the table shows are known. "
            "Give the others (platform, pay, instructions …) with --conditions."
        )
    yield from _difference_notes(aligned)
    yield from _shared_item_notes(aligned)
    yield from shared_judgment_notes(aligned.runs)
    studies = [study_of(run) for run in aligned.others if not run.study]
    for study in dict.fromkeys(each for each in studies if studies.count(each) > 1):
        yield (
            f"{study} has {studies.count(study)} analyses of its judgments: each is compared with "
            "the original, and the first is used where all studies are combined."
        )


def _is_bare(run: Run) -> bool:
    return run.source == "results" and run.judgments is not None and set(run.conditions) <= SEEN


def _scale_end_notes(aligned: Alignment) -> Iterator[str]:
    names = [
        criterion.id
        for criterion in aligned.criteria
        if criterion.low is None and criterion.kind in {"rating", "slider"}
    ]
    if names:
        yield (
            f"The ends of the scale of {', '.join(names)} are not known, so CV* is undefined. "
            f"{_GIVE_ENDS}"
        )


def _no_score_notes(aligned: Alignment) -> Iterator[str]:
    """What was analysed in several runs but has no scores in one, such as labels without order."""
    scored = {
        (each.id, run.id) for run in aligned.runs for each in run.criteria if scores_on(run, each)
    }
    for criterion in aligned.original.criteria:
        asked = [run for run in aligned.runs if criterion_of(run, criterion.id) is not None]
        without = [
            run.name
            for run in asked
            if run.source != "paper" and (criterion.id, run.id) not in scored
        ]
        if without and len(asked) > 1:
            yield (
                f"{criterion.id} has no scores of systems in {join_words(without)}, so it is not "
                "compared there. Labels without order have shares, which `rejudge analyse` gives."
            )


def _pair_notes(aligned: Alignment) -> Iterator[str]:
    """Where only the pairs of a plan are compared."""
    names: dict[str, list[str]] = {}
    for criterion in aligned.criteria:
        run = aligned.planner(criterion)
        if run is not None:
            names.setdefault(run.name, []).append(criterion.id)
    for name, criteria in names.items():
        yield (
            f"On {join_words(criteria)} only the pairs of systems that {name} plans to compare are "
            "compared."
        )


def _difference_notes(aligned: Alignment) -> Iterator[str]:
    runs: dict[tuple[str, ...], list[str]] = {}
    for run, criteria in without_differences(aligned):
        runs.setdefault(criteria, []).append(run.name)
    for criteria, names in runs.items():
        yield (
            f"No judgments and no intervals of the differences between systems on "
            f"{', '.join(criteria)} were found for {', '.join(names)}. Effects, summaries over "
            "runs and the stability of the order are estimated from the intervals of single "
            "scores, which is less exact. To avoid this, give `rejudge compare` the judgments."
        )


def _shared_item_notes(aligned: Alignment) -> Iterator[str]:
    for criterion in aligned.criteria:
        for run in aligned.runs:
            pairs = tuple(combinations(aligned.shared(criterion.id, [run.id]), 2))
            for one, two in sorted(without_shared_items(aligned, criterion, run.id, pairs)):
                yield (
                    f"{run.name}: no item was judged for both {one} and {two} on {criterion.id}, "
                    "so a difference between them may be a difference between items. They are "
                    "not compared in this run. If items were assigned to systems at "
                    "random, say so where the run is analysed (items_dealt_at_random in "
                    "study.yaml; for a table, `rejudge analyse FILE --items-dealt-at-random --out "
                    "FOLDER`, and compare FOLDER)."
                )


def readings(
    aligned: Alignment,
    *,
    confirmed: Sequence[ConfirmedShare],
    equivalence: Sequence[RunEquivalence],
    effects: Sequence[EffectComparison],
) -> tuple[SuccessReading, ...]:
    """The three readings of each run against the original."""
    of = aligned.original.id
    equivalence = [each for each in equivalence if each.criterion not in aligned.parts]
    effects = [each for each in effects if each.criterion not in aligned.parts]
    return tuple(
        reading
        for run in aligned.others
        for reading in (
            _by_hypotheses(run.id, [each for each in confirmed if each.run == run.id]),
            _by_means(run.id, [each for each in equivalence if each.runs == (of, run.id)]),
            _by_effects(run.id, [each for each in effects if each.runs == (of, run.id)]),
        )
    )


def _by_hypotheses(run: str, found: Sequence[ConfirmedShare]) -> SuccessReading:
    for family, noun in _FAMILIES:
        whole = [each for each in found if each.family == family and each.criterion is None]
        if whole and whole[0].assessable:
            held, of = whole[0].confirmed, whole[0].assessable
            against = f", {whole[0].contradicted} contradicted" if whole[0].contradicted else ""
            again = "supported again" if family == "significance" else "confirmed"
            says = f"{held} of {_many(of, noun)} of the original {again}{against}"
            return SuccessReading(run, "hypotheses", held, of, says)
    return SuccessReading(
        run, "hypotheses", 0, 0, "unknown: the original's findings cannot be assessed"
    )


def _by_means(run: str, found: Sequence[RunEquivalence]) -> SuccessReading:
    tested = [each for each in found if each.is_equivalent is not None]
    if not tested:
        says = (
            "unknown: needs the error of a difference between systems in the earlier run, from "
            "which the bound comes"
            if found
            else "unknown: needs the SD and the number of judgments of each score in both runs"
        )
        return SuccessReading(run, "means", 0, 0, says)
    held = sum(each.is_equivalent is True for each in tested)
    apart = sum(
        each.p_differ is not None and each.p_differ < 0.05 and not each.is_equivalent
        for each in tested
    )
    naive = sum(not each.is_clustered for each in tested)
    how = (
        "errors allow for shared items and participants"
        if not naive
        else "judgments assumed independent"
        if naive == len(tested)
        else f"judgments of {count(naive, 'score')} assumed independent"
    )
    says = (
        f"{held} of {_many(len(tested), 'score')} equivalent within the smallest difference "
        f"that the original could call significant; {apart} significantly different ({how})"
    )
    return SuccessReading(run, "means", held, len(tested), says)


def _by_effects(run: str, found: Sequence[EffectComparison]) -> SuccessReading:
    known = [each for each in found if each.do_overlap is not None]
    if not known:
        says = "unknown: needs intervals of the effects in both runs"
        return SuccessReading(run, "effects", 0, 0, says)
    held = sum(each.do_overlap is True for each in known)
    says = f"intervals of {held} of {_many(len(known), 'difference')} between systems overlap"
    return SuccessReading(run, "effects", held, len(known), says)


def _many(number: int, noun: str) -> str:
    head, _, rest = noun.partition(" of ")
    return f"{count(number, head)} of {rest}" if rest else count(number, head)
