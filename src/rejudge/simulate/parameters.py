"""What is true of simulated systems, items and participants, for one question.

All opinions lie on one hidden line whose unit is a quarter of the scale: on a scale from 1 to 5 the
middle is 0 and the ends are −2 and +2. How good an output seems to somebody is

    quality of the system + difficulty of the item + system × item
    + severity of the participant + system × participant + noise,

each but the first drawn from a normal distribution with mean 0 and the standard deviation below. A
score is the nearest point of the scale; a choice goes to the output that seems best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parameters:
    """One question's parameters; spreads are standard deviations on the hidden line."""

    quality: Mapping[str, float] = field(default_factory=dict)  # by system
    item_difficulty: float = 0.0  # how much higher or lower all outputs of an item are
    system_by_item: float = 0.6  # how much a system's quality changes from item to item
    severity: float = 0.5  # how much higher or lower some people score altogether
    system_by_participant: float = 0.3  # how much people differ in which system they like
    noise: float = 0.7  # of a single judgment
    scale_use: float = 0.0  # of the logarithm of how much of the scale somebody uses
    position_bias: float = 0.0  # how much better the output shown first seems
    tie_width: float = 0.5  # differences below this are “about the same”
    careless: float = 0.0  # share of participants who answer at random, and fast
    dropout: float = 0.0  # share of participants who leave before the end of their batch
    slip: float = 0.01  # how often an attentive person misses a check
