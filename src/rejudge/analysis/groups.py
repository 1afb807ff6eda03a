"""Groups of items or of participants within which systems are estimated and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.english import counted
from rejudge.errors import Problem, UsageError
from rejudge.judgments import Coded, Judgments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_GROUPS = 50

GroupedBy: TypeAlias = Literal["items", "participants"]


@dataclass(frozen=True, slots=True)
class Grouping:
    """A column that puts each item, or each participant, into one group."""

    column: str
    of: GroupedBy
    group: Mapping[str, str]  # by item or by participant; who is not named is in no group
    is_planned: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The groups, in the order of the alphabet, and numbers as they are counted."""
        return tuple(counted(set(self.group.values())))

    def codes(self, judgments: Judgments) -> NDArray[np.integer]:
        """The group of each judgment as its place among the names; −1 for none."""
        import numpy as np

        column = judgments.item if self.of == "items" else judgments.participant
        place = {name: code for code, name in enumerate(self.names)}
        known = [place.get(self.group.get(label, ""), -1) for label in column.labels]
        return np.array([*known, -1], dtype=np.int64)[column.codes]


def grouping_of(name: str, judgments: Judgments, column: Coded) -> Grouping:
    """The groups of a table by one of its columns, which must belong to items or to participants.

    A column that differs within items and within participants has no groups of either.
    """
    parts: tuple[tuple[GroupedBy, Coded], ...] = (
        ("items", judgments.item),
        ("participants", judgments.participant),
    )
    for of, owner in parts:
        group = _one_for_each(owner, column)
        if group is not None:
            found = Grouping(name, of, group)
            _refuse_sizes(found)
            return found
    what = f"'{name}' differs between judgments of the same item and of the same participant."
    _refuse(what, "Name a column that says one thing of each item or of each participant.")
    raise AssertionError(name)  # refused above


def _one_for_each(owner: Coded, column: Coded) -> dict[str, str] | None:
    """What the column says of each owner; None where it says two things of one."""
    import numpy as np

    rows = (owner.codes >= 0) & (column.codes >= 0)
    pairs = np.unique(np.stack([owner.codes[rows], column.codes[rows]]), axis=1)
    if not pairs.size or len(np.unique(pairs[0])) < pairs.shape[1]:
        return None
    return {owner.labels[one]: column.labels[two] for one, two in pairs.T.tolist()}


def _refuse_sizes(found: Grouping) -> None:
    groups = len(found.names)
    if groups == 1:
        _refuse(f"'{found.column}' is '{found.names[0]}' in all rows.", "Name another column.")
    if groups > MOST_GROUPS:
        what = f"'{found.column}' has {groups:,} different values."
        _refuse(what, f"Name a column with {MOST_GROUPS} groups at most.")


def _refuse(what: str, remedy: str) -> None:
    raise UsageError(Problem(what, remedy, field="--by"))


@dataclass(frozen=True, slots=True)
class Group:
    """The group that a finding is about; no name: all groups of the column together."""

    column: str
    name: str | None


@dataclass(frozen=True, slots=True)
class GroupSize:
    """How much was judged in one group, on all questions together."""

    name: str
    judgments: int
    items: int
    participants: int | None  # None: not known
