"""Runs of one study compared: the complete assessment. Every run must state its conditions.

Three readings of success stand side by side (van Miltenburg et al. 2024, section 7.1). By
hypotheses: does the run support what the original did? By means: are its scores the same? By
effects: are its differences as large? They need not agree, and no single one is the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

from rejudge.compare.alignment import (
    Alignment,
    align,
    criterion_of,
    direction_notes,
    match_groups,
    study_of,
    unify_directions,
)
from rejudge.compare.comparison import SHARE, Comparison, RunCard
from rejudge.compare.conditions import SEEN, conditions, similarities
from rejudge.compare.confirmation import (
    CLAIMS,
    RANKS,
    SIGNIFICANCE,
    confirmations,
    trend_matches,
    verdicts,
)
from rejudge.compare.deviations import correct_conditions, deviations
from rejudge.compare.differences import rank_stability, without_differences, without_shared_items
from rejudge.compare.effects import DIFFERENCE, EQUIVALENCE, effects, equivalences
from rejudge.compare.label_agreement import label_agreement
from rejudge.compare.meta_analysis import pooled_effects
from rejudge.compare.precision import correlations, variations
from rejudge.compare.printed_figures import printed_checks
from rejudge.compare.run import Run, scores_on, wins_on
from rejudge.compare.shared_judgments import (
    join_studies,
    original_again,
    same_score_notes,
    shared_judgment_notes,
)
from rejudge.english import join_words
from rejudge.errors import DataError, Problem
from rejudge.findings.model import Finding
from rejudge.stats import Interval
from rejudge.stats.reasons import Why
from rejudge.version import __version__

_GIVE_ENDS = (
    "Give them with --scale 1..5, or under `criteria:` in the file of conditions, such as "
    "`- {id: fluency, scale: {kind: rating, low: 1, high: 5}}`."
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
    runs = (replace(runs[0], cases=runs[0].cases[:1]), *runs[1:])
    aligned = align(runs[0], runs[1:])
    if not aligned.criteria:
        raise DataError(_no_common_criterion(aligned))
    if not _share_systems(aligned):
        raise DataError(_no_system(aligned))
    judged = verdicts(aligned)
    sizes = tuple(effects(aligned))
    found = (
        *aligned.scores.values(),
        *_wins(aligned),
        *variations(aligned),
        *correlations(aligned),
        *label_agreement(aligned),
        *confirmations(aligned, judged, sizes),
        *trend_matches(aligned),
        *sizes,
        *equivalences(aligned),
        *pooled_effects(aligned),
        *rank_stability(aligned),
    )
    found = (*found, *definitions_of_success(aligned, found))
    return Comparison(
        original=runs[0].id,
        runs=tuple(_card(run) for run in runs),
        systems=dict(runs[0].systems),
        criteria=aligned.original.criteria,
        conditions=conditions(runs),
        similarities=similarities(runs),
        deviations=deviations(runs[0], runs[1:]),
        findings=found,
        claims=judged,
        printed=tuple(printed_checks(aligned, found)),
        dropped=aligned.dropped,
        notes=(*notes, *_notes(aligned, runs)),
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
    found = tuple(dict.fromkeys(aligned.notes.values()))
    notes = " ".join(map(str, found))
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
        if any(each.why is Why.UNKNOWN_ENDS for each in found)
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
        cases=run.cases,
        shares=run.shares,
    )


def _wins(aligned: Alignment) -> Iterator[Finding]:
    for run in aligned.runs:
        for criterion in run.criteria:
            if criterion_of(aligned.original, criterion.id) is not None:
                for each in wins_on(run, criterion):
                    where = aligned.key(criterion, "win-percent", each.by, [run.id], each.systems)
                    yield replace(each, key=where)


def _notes(aligned: Alignment, runs: Sequence[Run]) -> Iterator[str]:
    yield from dict.fromkeys(map(str, aligned.notes.values()))
    yield from _scale_end_notes(aligned)
    yield from _no_score_notes(aligned)
    yield from _pair_notes(aligned)
    for run in runs[1:]:
        if run.reproduces not in (None, study_of(runs[0])):
            yield f"{run.name} states that it reproduces {run.reproduces}, not {runs[0].id}."
    bare = [run.name for run in runs if _is_bare(run)]
    if bare:
        yield (
            f"For {', '.join(bare)} only the conditions that the table shows are known. "
            "Give the others (platform, pay, instructions …) with --conditions."
        )
    yield from _difference_notes(aligned)
    yield from _shared_item_notes(aligned)
    yield from shared_judgment_notes(runs)
    yield from same_score_notes(aligned)
    for run in runs[1:]:
        if len(run.cases) > 1:
            yield (
                f"{run.name} has {len(run.cases)} analyses of its judgments: each is compared with "
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


def definitions_of_success(aligned: Alignment, found: Sequence[Finding]) -> Iterator[Finding]:
    """How much of each run agrees with the original, by each of the three readings."""
    parts = {each.cell for each in aligned.criteria if each.id in aligned.parts}
    wholes = [each for each in found if each.key.cell not in parts]
    for run in aligned.others:
        where = aligned.key(None, "success", "", (aligned.original.id, run.id))
        own = [
            each for each in wholes if (each.key.runs, each.key.case) == (where.runs, where.case)
        ]
        empty = Finding(
            key=where, by="success", value=None, n=0, n_of="findings", how=(), is_planned=True
        )
        for name, reading in (
            ("hypotheses", _by_hypotheses(own)),
            ("means", _by_means(own)),
            ("effects", _by_effects(own)),
        ):
            agreeing, of, extra, note = reading
            yield replace(
                empty,
                key=replace(where, method=name),
                value=agreeing / of if of else None,
                n=of,
                extra={"agreeing": float(agreeing), **extra},
                reasons=(Why.CANNOT_TELL(needs=note),) if note else (),
            )


_Reading: TypeAlias = tuple[int, int, dict[str, float | Interval | None], str]


def _by_hypotheses(found: Sequence[Finding]) -> _Reading:
    """What comes closest to hypotheses: significant differences, else claims, else ranks."""
    for family in (SIGNIFICANCE, CLAIMS, RANKS):
        for each in found:
            if each.measure == SHARE and each.by == family and not each.key.question and each.n:
                return (
                    int(each.extra["confirmed"] or 0),  # type: ignore[arg-type]  # a count
                    each.n,
                    {"contradicted": each.extra["contradicted"], family: 1.0},
                    "",
                )
    return 0, 0, {}, "the original's findings cannot be assessed"


def _by_means(found: Sequence[Finding]) -> _Reading:
    own = [each for each in found if each.measure == "run-difference"]
    same = [each for each in own if each.by == EQUIVALENCE and each.is_supported is not None]
    if not same:
        needs = (
            "needs the error of a difference between systems in the earlier run, from which the "
            "bound comes"
            if own
            else "needs the SD and the number of judgments of each score in both runs"
        )
        return 0, 0, {}, needs
    cells = {(each.key.cell, each.systems) for each in same if not each.is_supported}
    apart = sum(
        bool(each.is_supported) and (each.key.cell, each.systems) in cells
        for each in own
        if each.by == DIFFERENCE
    )
    independent = sum(not each.extra["clustered"] for each in same)
    held = sum(bool(each.is_supported) for each in same)
    extra = {"different": float(apart), "independent": float(independent)}
    return held, len(same), dict(extra), ""


def _by_effects(found: Sequence[Finding]) -> _Reading:
    known = [
        each for each in found if each.measure == "effect-difference" and "overlap" in each.extra
    ]
    if not known:
        return 0, 0, {}, "needs intervals of the effects in both runs"
    return sum(bool(each.extra["overlap"]) for each in known), len(known), {}, ""
