"""How items were selected, what that does to the analysis, and which population each number is for.

Where items were not equally likely to be selected, means, win rates and cluster-robust differences
count each judgment by the inverse of its item's probability. Models and other tests do not, and
speak for the selected items only. So does everything where a person chose the items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.design.selection import Selection
    from rejudge.study.model import Study

_CHOSEN = (
    "They were chosen by hand, so results are for these items only and say nothing about others; "
    "standard errors still include the variation between items."
)
_UNKNOWN = (
    "It is not known how likely each input was to be selected, because the batches were read from "
    "a file. Every result is for these items."
)
_UNUSED = (
    "The inputs were not equally likely to be selected, and with `item_weights: false` the "
    "analysis does not account for this. Every result is for these items."
)
_NO_CORRECTION = (
    "There is no finite-population correction: intervals hold for further inputs of the same "
    "kind, and are slightly too wide for the file alone."
)


@dataclass(frozen=True, slots=True)
class ItemSelection:
    """How inputs were selected, as far as the analysis needs it."""

    note: str  # for readers of the results
    weight: Mapping[str, float] = field(default_factory=dict)  # 1/π by input; empty: equal
    stratum: Mapping[str, str] = field(default_factory=dict)  # by input; of weighted strata
    is_random: bool = True  # False: results are for these items only
    is_nearly_equal: bool = True  # weights hardly differ, so that models may do without

    @property
    def decides_by_weights(self) -> bool:
        """Whether the weighted comparison decides, because models do not know of the weights."""
        return bool(self.weight) and not self.is_nearly_equal


def selection_of(study: Study, plan: Plan | None) -> ItemSelection | None:
    """How the inputs of a study were selected; None where study.yaml names no method."""
    sample = study.spec.items.sample
    if sample is None or sample.method is None or plan is None:
        return None
    known = plan.selection
    if known is None:
        return ItemSelection(_UNKNOWN, is_random=False)
    how = known.describe(study.spec.items.file)
    if not known.weights:
        return ItemSelection(f"{how} {_CHOSEN}", is_random=False)
    if known.has_equal_probabilities:
        return ItemSelection(f"{how} {_covered(known, study)}")
    is_wanted = study.spec.analysis is None or study.spec.analysis.item_weights
    if not is_wanted:
        return ItemSelection(f"{how} {_UNUSED}", is_random=False)
    return ItemSelection(
        f"{how} {_weighting(known, study)}",
        weight=known.weights,
        stratum={each.input: each.stratum for each in known.selected},
        is_nearly_equal=known.is_nearly_equal,
    )


def _covered(selection: Selection, study: Study) -> str:
    return (
        f"Each was equally likely, so that results are for {_population(selection, study)} "
        f"without weights. {_NO_CORRECTION}"
    )


def _weighting(selection: Selection, study: Study) -> str:
    others = (
        "Models and other tests are not weighted, which hardly matters with weights as equal as "
        "these"
        if selection.is_nearly_equal
        else "Models and other tests, agreement, spread, reliability and times are not weighted "
        "and are for the selected items only"
    )
    return (
        "Means, win rates and cluster-robust differences count each judgment by the inverse of "
        f"this probability and are for {_population(selection, study)}. {others}. {_NO_CORRECTION}"
    )


def _population(selection: Selection, study: Study) -> str:
    """The inputs that the results are for."""
    covered = selection.inputs - selection.impossible
    of = f"{covered:,} of the {selection.inputs:,}" if selection.impossible else f"{covered:,}"
    return f"all {of} inputs of {study.spec.items.file} and inputs like them"
