"""Whether a table of choices can show how items and participants differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rejudge.english import count
from rejudge.stats.clusters import Codes
from rejudge.stats.mixed_groups import twins
from rejudge.stats.numbering import how_many

ITEM, PARTICIPANT = "item", "participant"

_UNKNOWN = "The {name} is not known for {rows}: the model has no variance between {name}s."
_ONE = "Only one {name}: the result holds for that {name} alone."
_ONCE = {
    ITEM: "No system was judged twice on one item: differences between items are part of the "
    "residual.",
    PARTICIPANT: "Nobody judged a system twice: differences between participants are part of the "
    "residual.",
}
_TOGETHER = "Items and participants always go together: one variance stands for both."
NO_CLUSTERS = "No test: nothing shows how far items or participants differ."


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
    levels = {name: how_many(codes) for name, codes in groups.items()}
    notes = [reason for reason in reasons.values() if reason]
    if twins(groups, levels):
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
    if how_many(codes) == 1:
        return _ONE.format(name=name)
    return "" if shows(codes) else _ONCE[name]


def known_levels(codes: Codes) -> int:
    """How many levels there are; 0 where some are unknown."""
    return 0 if (codes < 0).any() or not len(codes) else how_many(codes)
