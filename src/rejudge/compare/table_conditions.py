"""Conditions of measurement that a table of judgments shows by itself.

Labels are those of `study_conditions`. How people were found, paid or instructed is not in a table
and must be given beside it; what is not given is not known, and unknown is not equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.paper import PropertyValue

if TYPE_CHECKING:
    from rejudge.judgments import Judgments


SEEN = frozenset(
    ("items", "units", "criteria", "elicitation", "participants", "participants-per-item")
)


def table_conditions(kept: Judgments, *, participants: int | None) -> dict[str, PropertyValue]:
    """Items, units, criteria, form of answers and participants; what cannot be seen is left out."""
    real = kept.of_kind("real")
    if not len(real):
        return {}
    found: dict[str, PropertyValue] = {
        "items": len(real.item.used()),
        "criteria": tuple(sorted(real.question.used())),
        "elicitation": _elicitation(real),
    }
    units, people = _units(real)
    found["units"] = units
    if people is not None:
        found["participants-per-item"] = people
    if participants:
        found["participants"] = participants
    return found


def _elicitation(judgments: Judgments) -> str:
    forms = []
    if judgments.is_comparison.any():
        forms.append("choice of one of two outputs")
    if not judgments.is_comparison.all():
        forms.append("rating of one output")
    return ", ".join(forms)


def _units(judgments: Judgments) -> tuple[int, int | None]:
    """How many outputs or pairs were judged, and by how many people each, if by equally many."""
    import numpy as np

    columns = (judgments.item, judgments.system, judgments.system_a, judgments.system_b)
    keys = np.stack([column.codes.astype(np.int64) for column in columns], axis=1)
    unit = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    units = int(unit.max(initial=-1)) + 1
    pairs = np.unique(np.stack([unit, judgments.participant.codes.astype(np.int64)]), axis=1)
    per_unit = np.bincount(pairs[0], minlength=units)
    is_even = bool((per_unit == per_unit[0]).all())
    return units, int(per_unit[0]) if is_even else None
