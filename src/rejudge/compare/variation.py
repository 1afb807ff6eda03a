"""Type I: how far the runs' scores of one system spread (CV*), by system, criterion and study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from rejudge.compare.alignment import Alignment, groups_of
from rejudge.compare.comparison import AlignedScore, Variation
from rejudge.compare.run import RunCriterion
from rejudge.english import count
from rejudge.errors import DataError
from rejudge.stats import CVVariant, Interval, cv_star, cv_star_interval

VARIANTS: tuple[CVVariant, ...] = tuple(
    name for name in get_args(CVVariant) if name != "cv*"
)  # published definitions that leave out a step; never the default
_FEWEST = 2
_NO_SCORES = "No system has a defined CV* in these runs."


def variations(aligned: Alignment) -> tuple[Variation, ...]:
    """CV* of all studies together and of every pair: each system, each criterion, the study."""
    return tuple(each for group in groups_of(aligned.runs) for each in _of_group(aligned, group))


def variation(
    aligned: Alignment, criterion: RunCriterion, system: str, runs: Sequence[str]
) -> Variation:
    """CV* of one system's scores in some runs."""
    scores = {run: aligned.scores[criterion.id, run, system] for run in runs}
    values = [score.value for score in scores.values()]
    note = aligned.note(criterion.id, runs)
    try:
        whole = cv_star(values, scale_minimum=criterion.low)
    except DataError as error:  # a score below the declared scale
        return _missing_variation(criterion.id, system, scores, str(error))
    return Variation(
        criterion=criterion.id,
        system=system,
        runs=tuple(runs),
        value=whole.value,
        n=whole.n,
        scores={run: score.value for run, score in scores.items()},
        from_rounding=from_rounding(list(scores.values()), criterion.low),
        shift=None if criterion.low is None else whole.shift,
        sd=whole.unbiased_sd,
        sd_interval=whole.sd_interval,
        exact_sd_interval=whole.exact_sd_interval,
        variants={
            name: cv_star(values, scale_minimum=criterion.low, variant=name).value
            for name in VARIANTS
        },
        note=" ".join(part for part in (whole.note, note) if part),
    )


def from_rounding(
    scores: Sequence[AlignedScore], low: float | None, variant: CVVariant = "cv*"
) -> Interval | None:
    """Where CV* may lie, given how the scores were rounded; None where none was."""
    if low is None or not any(score.half_unit for score in scores):
        return None
    boxes = [_on_scale(score, low) for score in scores]
    return cv_star_interval(
        [middle for middle, _ in boxes],
        scale_minimum=low,
        half_unit=[half for _, half in boxes],
        variant=variant,
    )


def _on_scale(score: AlignedScore, low: float) -> tuple[float, float]:
    """Middle and half of where a rounded score may lie: no score was below the scale."""
    if score.value - score.half_unit >= low:
        return score.value, score.half_unit
    high = max(low, score.value + score.half_unit)
    return (low + high) / 2, (high - low) / 2


def mean_variation(aligned: Alignment, runs: Sequence[str], criterion: str | None) -> Variation:
    """CV* of a criterion, the mean over systems; of the study, the mean over criteria."""
    found = [
        _criterion_mean(aligned, each, runs)
        for each in _common_criteria(aligned, runs)
        if (each.id not in aligned.parts if criterion is None else criterion == each.id)
    ]
    if criterion is not None and found:
        return found[0]
    fewer = {str(part.criterion): len(part.runs) for part in found if len(part.runs) < len(runs)}
    return _mean(None, runs, found, of=aligned.total, in_fewer=fewer)


def _of_group(aligned: Alignment, group: tuple[str, ...]) -> Iterator[Variation]:
    """Each criterion over those runs of the group that asked it; two of them are a pair already."""
    asked = [
        (criterion, aligned.having(criterion.id, group))
        for criterion in _common_criteria(aligned, group)
    ]
    wanted = [(criterion, runs) for criterion, runs in asked if _is_whole(runs, group)]
    for criterion, runs in wanted:
        for each in _of_systems(aligned, criterion, runs):
            if _is_whole(each.runs, group):
                yield each
        yield mean_variation(aligned, runs, criterion.id)
    if wanted:
        yield mean_variation(aligned, group, None)


def _common_criteria(aligned: Alignment, group: Sequence[str]) -> list[RunCriterion]:
    """The criteria that two runs of the group or more have scores on."""
    return [
        criterion
        for criterion in aligned.criteria
        if len(aligned.having(criterion.id, group)) >= _FEWEST
    ]


def _is_whole(runs: Sequence[str], group: Sequence[str]) -> bool:
    """Whether these runs are more than a pair that is listed by itself."""
    return len(group) == _FEWEST or len(runs) > _FEWEST


def _of_systems(
    aligned: Alignment, criterion: RunCriterion, group: Sequence[str]
) -> list[Variation]:
    """Each system over the runs that have a score of it, if these are two or more."""
    found = []
    for system in aligned.original.systems:
        runs = [run for run in group if aligned.score(criterion.id, run, system) is not None]
        if len(runs) >= _FEWEST:
            found.append(variation(aligned, criterion, system, runs))
    return found


def _criterion_mean(aligned: Alignment, criterion: RunCriterion, group: Sequence[str]) -> Variation:
    runs = aligned.having(criterion.id, group)
    parts = _of_systems(aligned, criterion, runs)
    of = len(aligned.shared(criterion.id, [aligned.original.id])) or len(aligned.original.systems)
    fewer = {str(part.system): len(part.runs) for part in parts if len(part.runs) < len(runs)}
    return _mean(criterion.id, runs, parts, of=of, in_fewer=fewer)


def _mean(
    criterion: str | None,
    runs: Sequence[str],
    parts: Sequence[Variation],
    *,
    of: int,
    in_fewer: dict[str, int],
) -> Variation:
    """The plain mean over systems or criteria, with the least and the greatest in the note."""
    known = [part for part in parts if part.value is not None]
    values = [part.value for part in known if part.value is not None]
    return Variation(
        criterion=criterion,
        system=None,
        runs=tuple(runs),
        value=sum(values) / len(values) if values else None,
        n=len(values),
        scores={},
        from_rounding=_mean_interval([part.from_rounding for part in known], values),
        shift=None,
        sd=None,
        sd_interval=None,
        exact_sd_interval=None,
        variants={name: _mean_variant(known, name) for name in VARIANTS},
        note=_span(values, len(parts), "criterion" if criterion is None else "system"),
        of=of,
        in_fewer=in_fewer,
    )


def _mean_interval(parts: Sequence[Interval | None], values: Sequence[float]) -> Interval | None:
    if not values or all(part is None for part in parts):
        return None
    whole = [part or Interval(value, value, 1.0) for part, value in zip(parts, values, strict=True)]
    low = sum(part.low for part in whole) / len(whole)
    return Interval(low, sum(part.high for part in whole) / len(whole), 1.0)


def _mean_variant(parts: Sequence[Variation], name: str) -> float | None:
    values = [part.variants[name] for part in parts]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if values and len(known) == len(values) else None


def _span(values: Sequence[float], parts: int, noun: str) -> str:
    if not values:
        return _NO_SCORES
    span = f"Mean over {count(len(values), noun)}, from {min(values):.2f} to {max(values):.2f}."
    left = parts - len(values)
    return f"{span} {count(left, noun)} left out as undefined." if left else span


def _missing_variation(
    criterion: str, system: str, scores: dict[str, AlignedScore], note: str
) -> Variation:
    return Variation(
        criterion=criterion,
        system=system,
        runs=tuple(scores),
        value=None,
        n=len(scores),
        scores={run: score.value for run, score in scores.items()},
        from_rounding=None,
        shift=None,
        sd=None,
        sd_interval=None,
        exact_sd_interval=None,
        variants=dict.fromkeys(VARIANTS),
        note=note,
    )
