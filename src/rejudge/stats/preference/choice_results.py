"""Results of a mixed model of choices, and the groupings it can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rejudge.english import count
from rejudge.stats.arrays import Codes, count_distinct
from rejudge.stats.estimate import Contrast, Estimate, Interval
from rejudge.stats.mixed.linear import MixedFit
from rejudge.stats.mixed.sums import identical_groupings
from rejudge.stats.reasons import Reason, Why, WithReasons, unique

SIDE = "side"
NOT_LINKED = Why.NOT_CHAINED()
ALWAYS_ONE_SIDE = Why.NOT_SEPARABLE(
    what="the effect of the side",
    other="the preference",
    cause="each system was always shown on the same side",
)
NOT_SETTLED = Why.NO_BOUND(
    "test", cause="there are too few judgments, or they are too similar, to separate the variances"
)
PERFECT_FIT = Why.PERFECT_FIT()
_BEYOND = Why.OUTSIDE(
    what="the estimate",
    limits="0 to 100 %",
    cause=": the strengths of systems are not additive, or the two were rarely compared. "
    "Use the model of this pair alone",
)
ITEM, PARTICIPANT = "item", "participant"

_ONCE = {ITEM: "No system was judged twice on one item", PARTICIPANT: "Nobody judged twice"}
_TOGETHER = Why.NOT_ESTIMATED(
    what="items and participants always occur together", effect="one variance covers both"
)
NO_CLUSTERS = Why.NO_BOUND(
    "test", cause="the judgments do not show how much items or participants differ"
)


def why_no_test(fit: MixedFit) -> Reason:
    """Why a model of choices that was not fitted has no test."""
    reason = fit.reasons[0] if fit.reasons else NOT_SETTLED
    if reason.why is Why.NO_VARIATION:
        return PERFECT_FIT
    if reason.why in {Why.NO_RESIDUAL, Why.NEEDS}:
        return replace(reason, lost="test")
    return NOT_SETTLED


@dataclass(frozen=True, slots=True)
class ChoiceModel(WithReasons):
    """A mixed model of choices. What is undefined is None, and `reasons` say why."""

    contrasts: tuple[Contrast, ...]  # of scores, or win percentages of the first system
    side: Contrast | None  # win percentage of what is shown first, all else equal; None: not asked
    variances: Mapping[str, float | None]  # by grouping, the residual last; as of choices −1 to 1
    n: int  # judgments
    items: int  # 0 where unknown
    participants: int  # 〃
    criterion: float | None  # −2 log restricted likelihood; None if solved by iteration
    reasons: tuple[Reason, ...] = ()

    def contrast(self, first: int, second: int) -> Contrast:
        """The contrast of two systems in the order of the model, the lower number first."""
        return next(each for each in self.contrasts if (each.first, each.second) == (first, second))


@dataclass(frozen=True, slots=True)
class EffectScale:
    """How effects of a model are given: centre + factor · effect."""

    centre: float
    factor: float
    bounds: tuple[float, float] | None

    def holds(self, value: float) -> bool:
        return self.bounds is None or self.bounds[0] <= value <= self.bounds[1]


PERCENT = EffectScale(50.0, 50.0, (0.0, 100.0))
SCORES = EffectScale(0.0, 1.0, None)


@dataclass(frozen=True, slots=True)
class JudgmentCounts:
    """The data behind a model."""

    n: int
    groups: ChoiceGroups
    scale: EffectScale

    def empty(self, reason: Reason, contrasts: Sequence[Contrast] = ()) -> ChoiceModel:
        """A model that was not fitted, and why."""
        counts = (self.n, self.groups.items, self.groups.participants)
        return ChoiceModel(
            tuple(contrasts), None, {}, *counts, None, self.with_group_reasons(reason)
        )

    def model(
        self, fit: MixedFit, contrasts: Sequence[Contrast], side: Contrast | None
    ) -> ChoiceModel:
        variances = {part.group: part.variance for part in fit.components}
        return ChoiceModel(
            tuple(contrasts),
            side,
            variances,
            self.n,
            self.groups.items,
            self.groups.participants,
            fit.criterion,
            self.with_group_reasons(*(fit.reasons if self.groups.has_clusters else (NO_CLUSTERS,))),
        )

    def with_group_reasons(self, *reasons: Reason) -> tuple[Reason, ...]:
        return unique(self.groups.reasons, reasons)

    def value(
        self, effect: float | None, reason: Reason, *, pair: tuple[int, int] | None = None
    ) -> Contrast:
        """An estimate without a test."""
        value = None if effect is None else self.scale.centre + self.scale.factor * effect
        counts = (self.n, self.groups.items, self.groups.participants)
        first, second = pair or (0, 1)
        return Contrast(value, *counts, first=first, second=second, reasons=(reason,))

    def estimate(self, found: Estimate, *, pair: tuple[int, int] | None = None) -> Contrast:
        """An effect of a model on the scale of the reader."""
        if found.value is None or not self.groups.has_clusters:
            reason = NOT_LINKED if found.value is None and pair else NO_CLUSTERS
            if found.value is None and not pair:
                reason = found.reasons[0]
            return self.value(found.value, reason, pair=pair)
        scale, error = self.scale, found.standard_error
        value = scale.centre + scale.factor * found.value
        first, second = pair or (0, 1)
        return Contrast(
            value,
            self.n,
            self.groups.items,
            self.groups.participants,
            interval=self._interval(found.interval, value),
            standard_error=None if error is None else scale.factor * error,
            df=found.df,
            test=found.test and replace(found.test, null=scale.centre),
            first=first,
            second=second,
            reasons=found.reasons if scale.holds(value) else (*found.reasons, _BEYOND),
        )

    def _interval(self, given: Interval | None, value: float) -> Interval | None:
        """Cut at the bounds, unless the value itself lies beyond."""
        if given is None:
            return None
        ends = [self.scale.centre + self.scale.factor * end for end in (given.low, given.high)]
        if self.scale.bounds is None or not self.scale.holds(value):
            return Interval(ends[0], ends[1], given.level)
        least, most = self.scale.bounds
        return Interval(max(ends[0], least), min(ends[1], most), given.level)


@dataclass(frozen=True, slots=True)
class ChoiceGroups:
    """The groupings that a model can have, by judgment, and why it lacks the others."""

    groups: dict[str, Codes]
    items: int  # 0 where unknown
    participants: int  # 〃
    reasons: tuple[Reason, ...]

    @property
    def has_clusters(self) -> bool:
        """Whether judgments come from two or more items or participants at all."""
        return max(self.items, self.participants) > 1


def choice_groups(item: Codes, participant: Codes, shows: Callable[[Codes], bool]) -> ChoiceGroups:
    """Choose the groupings. A code of −1 is unknown; `shows` says whether a grouping can be told
    from the residual."""
    columns = {ITEM: item, PARTICIPANT: participant}
    left_out = {name: _reason(name, codes, shows) for name, codes in columns.items()}
    groups = {name: codes for name, codes in columns.items() if not left_out[name]}
    levels = {name: count_distinct(codes) for name, codes in groups.items()}
    reasons = [reason for reason in left_out.values() if reason]
    if identical_groupings(groups, levels):
        del groups[PARTICIPANT]
        reasons.append(_TOGETHER)
    return ChoiceGroups(groups, known_levels(item), known_levels(participant), tuple(reasons))


def no_groups(item: Codes, participant: Codes) -> ChoiceGroups:
    """The counts alone, of a model that is not fitted."""
    return ChoiceGroups({}, known_levels(item), known_levels(participant), ())


def _reason(name: str, codes: Codes, shows: Callable[[Codes], bool]) -> Reason | None:
    """Why a grouping is left out, or nothing."""
    unknown = int(np.count_nonzero(codes < 0))
    if unknown:
        what = f"the {name} is not known for {count(unknown, 'judgment')}"
        return Why.NOT_ESTIMATED(what=what, effect=f"the model has no variance between {name}s")
    if count_distinct(codes) == 1:
        return Why.ONE_LEVEL(what=name, effect=f": the result holds for that {name} alone")
    if shows(codes):
        return None
    effect = f"differences between {name}s are part of the residual"
    return Why.NOT_ESTIMATED(what=_ONCE[name], effect=effect)


def known_levels(codes: Codes) -> int:
    """How many levels there are; 0 where some are unknown."""
    return 0 if (codes < 0).any() or not len(codes) else count_distinct(codes)
