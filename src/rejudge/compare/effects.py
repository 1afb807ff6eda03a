"""How large the differences between systems are in two runs, and whether their intervals overlap.

Overlapping intervals are consistent with one effect (van Miltenburg et al. 2024, footnote 16). They
are a lenient test, so the difference of the two effects is given with an interval of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.compare.alignment import Aligned, pairs_of
from rejudge.compare.comparison import EffectComparison
from rejudge.compare.differences import (
    COMPARED,
    INDEPENDENT,
    Pair,
    SystemDifference,
    better,
    differences,
    ordered_pairs,
    summaries_of,
    without_shared_items,
)
from rejudge.compare.run import Run, RunCriterion, contrast_of
from rejudge.stats import (
    Effect,
    Interval,
    Summary,
    cohen_d_from_summary,
    cohen_d_with_error,
    effect_difference,
)

_CLUSTERED = "Intervals of d allow for shared items and participants."
_STANDARDISED = frozenset({"d", "g"})


def effect_comparisons(aligned: Aligned) -> tuple[EffectComparison, ...]:
    """Each difference of two systems whose size is known in two runs, in every pair of runs.

    For scores Cohen's d as printed, or from means, SDs and numbers of judgments, with the error of
    the difference that the run's judgments or results give; for comparisons the difference of the
    two systems' scores on the original's scale.
    """
    return tuple(each for criterion in aligned.criteria for each in _compared(aligned, criterion))


def _compared(aligned: Aligned, criterion: RunCriterion) -> Iterator[EffectComparison]:
    pairs = ordered_pairs(aligned, criterion)
    known = {run.id: _effects(aligned, criterion, run, pairs) for run in aligned.runs}
    for pair in pairs:
        for runs in pairs_of(aligned.runs):
            first, second = known[runs[0]].get(pair), known[runs[1]].get(pair)
            if first is not None and second is not None and first.measure == second.measure:
                yield _comparison(criterion, pair, runs, (first, second))


def _effects(
    aligned: Aligned, criterion: RunCriterion, run: Run, pairs: Sequence[Pair]
) -> dict[Pair, Effect]:
    """The sizes of a run's differences, first minus second in the sense of better, if known."""
    if criterion.kind in COMPARED:
        apart = differences(aligned, criterion, run.id, pairs)
        return {pair: _share(found) for pair, found in apart.items()}
    apart = differences(aligned, criterion, run.id, pairs)
    refused = without_shared_items(aligned, criterion, run.id, pairs)
    pairs = [pair for pair in pairs if pair not in refused]
    found = {pair: _effect(aligned, criterion, run, (pair, apart.get(pair))) for pair in pairs}
    return {pair: each for pair, each in found.items() if each is not None}


def _comparison(
    criterion: RunCriterion, pair: Pair, runs: tuple[str, str], effects: tuple[Effect, Effect]
) -> EffectComparison:
    first, second = effects
    between = effect_difference(first, second)
    one, two = first.interval, second.interval
    return EffectComparison(
        criterion=criterion.id,
        first=pair[0],
        second=pair[1],
        runs=runs,
        name="difference" if criterion.kind in COMPARED else first.measure,
        values=(first.value or 0.0, second.value or 0.0),
        intervals=(one, two),
        do_overlap=None if one is None or two is None else _do_overlap(one, two),
        difference=between.value,
        difference_interval=between.interval,
        note=_notes(runs, first, second, between),
    )


def _notes(runs: tuple[str, str], first: Effect, second: Effect, between: Effect) -> str:
    """What holds of both, or of which of the two."""
    if first.note == second.note:
        told = [first.note]
    else:
        pairs = zip(runs, (first, second), strict=True)
        told = [f"{run}: {effect.note}" for run, effect in pairs if effect.note]
    return " ".join(note for note in (*told, between.note) if note)


def _do_overlap(one: Interval, two: Interval) -> bool:
    return one.low <= two.high and two.low <= one.high


def _effect(
    aligned: Aligned, criterion: RunCriterion, run: Run, known: tuple[Pair, SystemDifference | None]
) -> Effect | None:
    """The size of a difference of scores; None: not known.

    Its interval allows for clusters where that of the difference does.
    """
    pair, difference = known
    sizes = summaries_of(aligned, criterion, run.id, pair=pair, difference=difference)
    told = _printed(run, criterion, pair)
    if told is not None and (run.source == "paper" or None in sizes):
        return _with_interval(told, *sizes)
    first, second = sizes
    if first is None or second is None:
        return None
    if difference is not None and difference.basis != "summaries":
        d = replace(
            cohen_d_with_error(
                first, second, error=math.sqrt(difference.variance), df=difference.df
            ),
            note=difference.note if difference.basis == "scores" else _CLUSTERED,
        )
    else:
        d = cohen_d_from_summary(first, second)
    if d.value is None:
        return None
    return _turned(d) if better(criterion) < 0 else Effect(d.value, "d", d.n, d.interval, _note(d))


def _share(found: SystemDifference) -> Effect:
    return Effect(found.value, "share", found.n or 0, found.interval, found.note)


def _turned(d: Effect) -> Effect:
    ends = d.interval and Interval(-d.interval.high, -d.interval.low, d.interval.level)
    return Effect(-(d.value or 0.0), "d", d.n, ends, _note(d))


def _note(d: Effect) -> str:
    return d.note or INDEPENDENT


def _printed(run: Run, criterion: RunCriterion, pair: Pair) -> Effect | None:
    contrast = contrast_of(run, criterion.id, *pair)
    effect = None if contrast is None else contrast.effect
    if effect is None or effect.name not in _STANDARDISED:
        return None
    return Effect(effect.value, "d" if effect.name == "d" else "g", 0, effect.interval)


def _with_interval(told: Effect, first: Summary | None, second: Summary | None) -> Effect:
    """A printed effect, which was computed before means were rounded; its interval from n."""
    if told.interval is not None or told.value is None or first is None or second is None:
        return replace(told, note="As printed.")
    exact = cohen_d_from_summary(Summary(told.value, 1.0, first.n), Summary(0.0, 1.0, second.n))
    if told.measure == "g":
        return replace(told, n=exact.n, note="As printed.")
    return replace(exact, note=f"As printed. {INDEPENDENT}")
