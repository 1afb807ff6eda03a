"""Runs of one study compared: the complete assessment, which no run enters without conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from itertools import combinations

from rejudge.compare.aligned import Aligned, align, study_of
from rejudge.compare.claims import verdicts
from rejudge.compare.comparison import Comparison, PairRate, RunCard, SetBeside
from rejudge.compare.deviations import conditions, deviations, similarities
from rejudge.compare.differences import without_differences, without_shared_items
from rejudge.compare.directions import direction_notes, in_one_direction
from rejudge.compare.effects import effect_comparisons
from rejudge.compare.equivalence import equivalences
from rejudge.compare.matching import matched
from rejudge.compare.meta import meta
from rejudge.compare.pooled import pooled
from rejudge.compare.printed import printed_checks
from rejudge.compare.readings import readings
from rejudge.compare.run import Run
from rejudge.compare.stability import stability
from rejudge.compare.table_conditions import SEEN
from rejudge.compare.type_four import confirmed
from rejudge.compare.type_one import variations
from rejudge.compare.type_three import label_agreement
from rejudge.compare.type_two import correlations
from rejudge.english import count
from rejudge.errors import DataError, Problem
from rejudge.version import __version__

_GIVE_ENDS = (
    "Give them with --scale 1..5, or under `criteria:` in the file of conditions, such as "
    "`- {id: fluency, scale: {kind: rating, low: 1, high: 5}}`."
)


def compare(original: Run, *others: Run) -> Comparison:
    """Set runs beside the original: QRA types I to IV, claims, deviations, printed figures.

    Precision of scores, sets of scores, labels and findings after Belz (2025); no verdict of
    success is invented.
    """
    problems = tuple(_problems(original, others))
    if problems:
        raise DataError(*problems)
    runs = _told_apart((original, *others))
    notes = tuple(direction_notes(runs))
    runs = in_one_direction(runs)
    original, others = runs[0], runs[1:]
    aligned = align(original, others)
    if not aligned.criteria:
        raise DataError(_nothing_shared(aligned))
    if not _share_systems(aligned):
        raise DataError(_no_system(aligned))
    judged = verdicts(aligned)
    found = confirmed(aligned, judged)
    trends = matched(aligned)
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
        matching=trends,
        effects=effects,
        equivalence=alike,
        readings=readings(aligned, confirmed=found, equivalence=alike, effects=effects),
        pooled=(*pooled(aligned), *meta(aligned)),
        stability=stability(aligned),
        rates=tuple(PairRate(run.id, *astuple(rate)) for run in runs for rate in run.rates),
        scores=tuple(_beside(aligned)),
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
        yield Problem(f"'{twice}' is named twice.", "Give each run an id of its own.")
    for run in (original, *others):
        if not run.conditions:
            yield Problem(
                f"the conditions of measurement of '{run.id}' are not known, and a score of "
                "reproducibility says nothing without them.",
                "Write them under `conditions:` in its paper.yaml, or in a file that "
                "`--conditions` names.",
            )


def _told_apart(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Runs of the same title, as of a study and its reproduction, are named by their ids too."""
    names = [run.name for run in runs]
    return tuple(
        replace(run, name=f"{run.name} ({run.id})") if names.count(run.name) > 1 else run
        for run in runs
    )


def _nothing_shared(aligned: Aligned) -> Problem:
    notes = " ".join(dict.fromkeys(aligned.notes.values()))
    asked = ", ".join(criterion.id for criterion in aligned.original.criteria)
    theirs = ", ".join(
        dict.fromkeys(criterion.id for run in aligned.others for criterion in run.criteria)
    )
    return Problem(
        f"no criterion can be compared: the original has {asked}; the others have {theirs}. "
        f"{notes}".strip(),
        _GIVE_ENDS
        if "ends of the scale" in notes
        else "Name what belongs together, such as `--criteria quality=fluency`.",
    )


def _share_systems(aligned: Aligned) -> bool:
    return any(
        aligned.shared(criterion.id, (aligned.original.id, run.id))
        for criterion in aligned.criteria
        for run in aligned.others
    )


def _no_system(aligned: Aligned) -> Problem:
    theirs = dict.fromkeys(system for run in aligned.others for system in run.systems)
    return Problem(
        f"no system can be compared: the original has {', '.join(aligned.original.systems)}; "
        f"the others have {', '.join(theirs)}.",
        "Name what belongs together, such as `--systems sep=separator`.",
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


def _beside(aligned: Aligned) -> Iterator[SetBeside]:
    for (criterion, run, system), score in aligned.scores.items():
        yield SetBeside(
            run=run,
            criterion=criterion,
            system=system,
            value=score.value,
            half_unit=score.half_unit,
            interval=score.interval,
            n=score.n,
            sd=score.sd,
        )


def _notes(aligned: Aligned) -> Iterator[str]:
    yield from dict.fromkeys(aligned.notes.values())
    yield from _without_ends(aligned)
    of = study_of(aligned.original.id)
    for run in aligned.others:
        if run.reproduces not in (None, of):
            yield f"{run.name} says that it reproduces {run.reproduces}, not {of}."
    bare = [run.name for run in aligned.runs if _is_bare(run)]
    if bare:
        yield (
            f"Of the conditions of {', '.join(bare)} only what the table itself shows is known. "
            "Give the rest (platform, pay, instructions …) with --conditions."
        )
    yield from _without_differences(aligned)
    yield from _without_shared_items(aligned)
    yield from _same_judgments(aligned)
    studies = [study_of(run.id) for run in aligned.others]
    for study in dict.fromkeys(each for each in studies if studies.count(each) > 1):
        yield (
            f"{study} analyses its judgments in {studies.count(study)} ways: each is compared with "
            "the original, and the first stands for it where all studies are taken together."
        )


def _is_bare(run: Run) -> bool:
    return run.source == "results" and run.judgments is not None and set(run.conditions) <= SEEN


def _without_ends(aligned: Aligned) -> Iterator[str]:
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


def _without_differences(aligned: Aligned) -> Iterator[str]:
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


def _without_shared_items(aligned: Aligned) -> Iterator[str]:
    for criterion in aligned.criteria:
        for run in aligned.runs:
            pairs = tuple(combinations(aligned.shared(criterion.id, [run.id]), 2))
            for one, two in sorted(without_shared_items(aligned, criterion, run.id, pairs)):
                yield (
                    f"{run.name}: no item was judged for both {one} and {two} on {criterion.id}, "
                    "so a difference between them cannot be told from one between items. They are "
                    "not compared in this run. If chance decided which items each system was "
                    "judged on, say so where the run is analysed (items_dealt_at_random in "
                    "study.yaml; for a table, `rejudge analyse FILE --items-dealt-at-random --out "
                    "FOLDER`, and compare FOLDER)."
                )


def _same_judgments(aligned: Aligned) -> Iterator[str]:
    """Runs made from the same collected judgments, such as a study and its own bundle.

    The fingerprint names what was collected. What counts may still differ: one file analysed once
    for each half of its participants gives two runs that share nothing.
    """
    for one, two in combinations(aligned.runs, 2):
        is_one_study = study_of(one.id) == study_of(two.id)
        if not one.fingerprint or one.fingerprint != two.fingerprint or is_one_study:
            continue
        names = f"{one.name} and {two.name}"
        both = _people_in_both(one, two)
        if _left_out(one) == _left_out(two):
            yield f"{names} hold the same judgments, which count twice here."
        elif both is None:
            yield f"{names} come from the same file: judgments that both keep count twice here."
        elif both:
            yield f"{names} share {count(both, 'participant')}, whose judgments count twice here."


def _left_out(run: Run) -> frozenset[tuple[str, str | None, str, int]]:
    exclusions = run.flow.exclusions if run.flow is not None else ()
    return frozenset((each.participant, each.batch, each.rule, each.rows) for each in exclusions)


def _people_in_both(one: Run, two: Run) -> int | None:
    """How many participants of one file count in both runs; None: the judgments are not there."""
    if one.judgments is None or two.judgments is None:
        return None
    return len(set(one.judgments.participant.used()) & set(two.judgments.participant.used()))
