"""What judgments show of systems, items and participants on the latent scale.

Scores and choices are answered in steps and end where the scale ends, so the variances of a mixed
model of the answers are not those of the opinions: rounding adds to them (Sheppard 1898), and the
ends of the scale take away. `score_components` and `choice_components` take the covariances of
answers from such a model, and from `HiddenScale` the opinions that have such answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.simulate.parameters import Parameters

ITEM, BY_ITEM = "item_difficulty", "system_by_item"
SEVERITY, BY_PARTICIPANT = "severity", "system_by_participant"
NOISE = "noise"
PARTS = (ITEM, BY_ITEM, SEVERITY, BY_PARTICIPANT, NOISE)
LEAST_NOISE = 0.02  # of the variance of opinions; nobody is without
_WORDS = {
    ITEM: "difficulty of items",
    BY_ITEM: "system × item",
    SEVERITY: "severity of participants",
    BY_PARTICIPANT: "system × participant",
    NOISE: "noise",
}
NO_UNIT = (
    "Choices, and scores on two points, show only ratios: the variance of opinions is that assumed "
    "without data, and everything else is relative to it."
)


@dataclass(frozen=True, slots=True)
class Components:
    """Standard deviations on the latent scale, and each system's quality."""

    quality: Mapping[int, float]  # by number of the system; those that were judged
    spreads: Mapping[str, float]  # by name of the parameter
    shared: tuple[str, ...] = ()  # sentences: parts that cannot be separated, and how they were
    position_bias: float | None = None  # None: not known
    tie_width: float | None = None  # 〃


def share_out(variance: float, parts: Sequence[str]) -> dict[str, float]:
    """A variance divided in the proportions of the assumed values."""
    assumed = {name: getattr(Parameters(), name) ** 2 for name in parts}
    total = sum(assumed.values())
    if not total:
        return {name: variance / len(parts) for name in parts}
    return {name: variance * each / total for name, each in assumed.items()}


def not_separable_note(parts: Sequence[str]) -> str:
    words = [_WORDS[name] for name in parts]
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    return (
        f"The design cannot separate {listed}: their sum was divided in the same "
        "proportions as in the values assumed without data."
    )


def assumed_spread(parts: Sequence[str]) -> float:
    """The assumed variance of opinions from these parts together."""
    return math.sqrt(sum(getattr(Parameters(), name) ** 2 for name in parts))
