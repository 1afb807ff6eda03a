"""What a mixed model of choices says: contrasts of systems, the pull of a side, variances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.stats.choice_groups import NO_CLUSTERS, ChoiceGroups
from rejudge.stats.clusters import Estimate, Interval
from rejudge.stats.mixed import NO_RESIDUAL, NO_VARIATION, TOO_MANY_EFFECTS, MixedFit
from rejudge.stats.mixed_contrasts import LevelContrast
from rejudge.stats.mixed_effects import Coefficient

SIDE = "side"
NOT_LINKED = "Undefined: no chain of judgments links the two systems."
ALWAYS_ONE_SIDE = (
    "The pull of the side cannot be told from the preference: it always goes with the systems."
)
NOT_SETTLED = "No test: the judgments are too few, or too much alike, to tell the variances apart."
NO_TEST = {
    NO_VARIATION: "No test: every judgment is as the estimates have it, so that nothing shows how "
    "far they could be off.",
    NO_RESIDUAL: "No test: items and participants explain every judgment, and no residual is left.",
    TOO_MANY_EFFECTS: "No test: there are too few judgments for so many systems.",
}
_BEYOND = (
    "Beyond 0 to 100 %: the strengths of systems do not add up, or the two hardly met. "
    "Use the model of this pair alone."
)


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
class Scale:
    """How effects of a model are given: centre + factor · effect."""

    centre: float
    factor: float
    bounds: tuple[float, float] | None

    def holds(self, value: float) -> bool:
        return self.bounds is None or self.bounds[0] <= value <= self.bounds[1]


PERCENT = Scale(50.0, 50.0, (0.0, 100.0))
SCORES = Scale(0.0, 1.0, None)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a model rests on."""

    n: int
    groups: ChoiceGroups
    scale: Scale

    def empty(self, note: str, contrasts: Sequence[SystemContrast] = ()) -> ChoiceModel:
        """A model that was not fitted, and why."""
        counts = (self.n, self.groups.items, self.groups.participants)
        return ChoiceModel(tuple(contrasts), None, {}, *counts, None, self.said(note))

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
            self.said(fit.note if self.groups.has_clusters else NO_CLUSTERS),
        )

    def said(self, *notes: str) -> str:
        return " ".join(note for note in (*self.groups.notes, *notes) if note)

    def value(self, effect: float | None, note: str) -> Estimate:
        """An estimate without a test."""
        value = None if effect is None else self.scale.centre + self.scale.factor * effect
        counts = (self.n, self.groups.items, self.groups.participants)
        return Estimate(value, *counts, note=note)

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
            p=found.p,
            note=found.note if scale.holds(value) else f"{found.note} {_BEYOND}".strip(),
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
