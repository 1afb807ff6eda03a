"""Results of a mixed model of choices, and the groupings it can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.english import count, join_notes
from rejudge.stats.arrays import Codes, count_distinct
from rejudge.stats.estimate import Estimate, Interval, Test
from rejudge.stats.mixed.contrasts import LevelContrast
from rejudge.stats.mixed.effects import Coefficient
from rejudge.stats.mixed.linear import (
    NO_RESIDUAL,
    NO_VARIATION,
    TOO_MANY_EFFECTS,
    MixedFit,
)
from rejudge.stats.mixed.sums import identical_groupings
from rejudge.stats.reasons import Why

SIDE = "side"
NOT_LINKED = "Undefined: no chain of judgments links the two systems."
ALWAYS_ONE_SIDE = (
    "The effect of the side cannot be separated from the preference, because each system was "
    "always shown on the same side."
)
NOT_SETTLED = (
    "No test: there are too few judgments, or they are too similar, to separate the variances."
)
NO_TEST = {
    NO_VARIATION: "No test: the estimates fit every judgment exactly, so their uncertainty is "
    "unknown.",
    NO_RESIDUAL: "No test: items and participants explain every judgment, and no residual is left.",
    TOO_MANY_EFFECTS: "No test: there are too few judgments for so many systems.",
}
_BEYOND = (
    "Outside 0 to 100 %: the strengths of systems are not additive, or the two were rarely "
    "compared. Use the model of this pair alone."
)
ITEM, PARTICIPANT = "item", "participant"

_UNKNOWN = "The {name} is not known for {rows}: the model has no variance between {name}s."
_ONE = "Only one {name}: the result holds for that {name} alone."
_ONCE = {
    ITEM: "No system was judged twice on one item: differences between items are part of the "
    "residual.",
    PARTICIPANT: "Nobody judged a system twice: differences between participants are part of the "
    "residual.",
}
_TOGETHER = "Items and participants always occur together: one variance covers both."
NO_CLUSTERS = "No test: the judgments do not show how much items or participants differ."


@dataclass(frozen=True, slots=True)
class SystemContrast:
    """Two systems compared: the first one's win percentage against the second, or its score minus
    that of the second. The p of the estimate allows for all contrasts of the model."""

    first: int
    second: int
    estimate: Estimate
    p_alone: float | None  # for this contrast only


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """A mixed model of choices. What is undefined is None, and a note says why."""

    contrasts: tuple[SystemContrast, ...]
    side: Estimate | None  # win percentage of what is shown first, all else equal; None: not asked
    variances: Mapping[str, float | None]  # by grouping, the residual last; as of choices −1 to 1
    n: int  # judgments
    items: int  # 0 where unknown
    participants: int  # 〃
    criterion: float | None  # −2 log restricted likelihood; None if solved by iteration
    note: str = ""

    def contrast(self, first: int, second: int) -> SystemContrast:
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

    def empty(self, note: str, contrasts: Sequence[SystemContrast] = ()) -> ChoiceModel:
        """A model that was not fitted, and why."""
        counts = (self.n, self.groups.items, self.groups.participants)
        return ChoiceModel(tuple(contrasts), None, {}, *counts, None, self.with_group_notes(note))

    def model(
        self, fit: MixedFit, contrasts: Sequence[SystemContrast], side: Estimate | None
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
            self.with_group_notes(fit.note if self.groups.has_clusters else NO_CLUSTERS),
        )

    def with_group_notes(self, *notes: str) -> str:
        return join_notes(*self.groups.notes, *notes)

    def value(self, effect: float | None, note: str) -> Estimate:
        """An estimate without a test."""
        value = None if effect is None else self.scale.centre + self.scale.factor * effect
        counts = (self.n, self.groups.items, self.groups.participants)
        return Estimate(value, *counts, reasons=(Why.TEXT(text=note),) if note else ())

    def estimate(self, found: LevelContrast | Coefficient) -> Estimate:
        """An effect of a model on the scale of the reader."""
        if found.value is None or not self.groups.has_clusters:
            return self.value(found.value, found.note if found.value is None else NO_CLUSTERS)
        scale = self.scale
        value = scale.centre + scale.factor * found.value
        error = found.standard_error
        return Estimate(
            value,
            self.n,
            self.groups.items,
            self.groups.participants,
            interval=self._interval(found.interval, value),
            standard_error=None if error is None else scale.factor * error,
            df=found.df,
            test=None if found.p is None else Test(found.p, "t"),
            reasons=tuple(
                Why.TEXT(text=each)
                for each in (found.note, "" if scale.holds(value) else _BEYOND)
                if each
            ),
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
    notes: tuple[str, ...]

    @property
    def has_clusters(self) -> bool:
        """Whether judgments come from two or more items or participants at all."""
        return max(self.items, self.participants) > 1


def choice_groups(item: Codes, participant: Codes, shows: Callable[[Codes], bool]) -> ChoiceGroups:
    """Choose the groupings. A code of −1 is unknown; `shows` says whether a grouping can be told
    from the residual."""
    columns = {ITEM: item, PARTICIPANT: participant}
    reasons = {name: _reason(name, codes, shows) for name, codes in columns.items()}
    groups = {name: codes for name, codes in columns.items() if not reasons[name]}
    levels = {name: count_distinct(codes) for name, codes in groups.items()}
    notes = [reason for reason in reasons.values() if reason]
    if identical_groupings(groups, levels):
        del groups[PARTICIPANT]
        notes.append(_TOGETHER)
    return ChoiceGroups(groups, known_levels(item), known_levels(participant), tuple(notes))


def no_groups(item: Codes, participant: Codes) -> ChoiceGroups:
    """The counts alone, of a model that is not fitted."""
    return ChoiceGroups({}, known_levels(item), known_levels(participant), ())


def _reason(name: str, codes: Codes, shows: Callable[[Codes], bool]) -> str:
    """Why a grouping is left out, or nothing."""
    unknown = int(np.count_nonzero(codes < 0))
    if unknown:
        return _UNKNOWN.format(name=name, rows=count(unknown, "judgment"))
    if count_distinct(codes) == 1:
        return _ONE.format(name=name)
    return "" if shows(codes) else _ONCE[name]


def known_levels(codes: Codes) -> int:
    """How many levels there are; 0 where some are unknown."""
    return 0 if (codes < 0).any() or not len(codes) else count_distinct(codes)
