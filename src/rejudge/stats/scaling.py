"""Scores on other scales: between declared bounds, in each participant's terms, by severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.negligible import ROUNDING

MQM_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "non-translation": 25.0,
        "major": 5.0,
        "minor": 1.0,
        "minor-punctuation": 0.1,
        "neutral": 0.0,
    }
)
"""What an error costs in MQM (Lommel et al. 2014) with the weights of Freitag et al. (2021)."""

_MANY = 2  # judgments, from which a deviation can be taken


@dataclass(frozen=True, slots=True)
class ZScores:
    """Scores in units of each participant's own spread, around their own mean.

    Those of a participant who gave one score throughout are 0: centred, but not divided.
    """

    value: Numbers
    constant: tuple[int, ...]  # participants without spread
    note: str = ""


def normalised(value: Numbers, bounds: tuple[float, float]) -> Numbers:
    """Scores from 0 at the scale's lower bound to 1 at its upper one.

    The bounds are those declared for the question. The lowest and highest score that happened to
    be given would make the result depend on who was asked.
    """
    low, high = bounds
    if not low < high:
        raise DataError(
            Problem(
                f"The scale runs from {low:g} to {high:g}.",
                "Give its lower bound first and its higher one second.",
            )
        )
    outside = int(((value < low) | (value > high)).sum())
    if outside:
        raise DataError(
            Problem(
                f"{outside} of {len(value)} scores lie outside the scale of {low:g} to {high:g}.",
                "Give the bounds that the question declared, or mend the scores.",
            )
        )
    return np.asarray((value - low) / (high - low))


def z_by_participant(value: Numbers, participant: Codes) -> ZScores:
    """Scores minus the participant's mean, over their sample standard deviation (n − 1).

    It takes away that people use a scale differently, and with it that some saw better outputs
    than others: use it where everybody saw a fair share of all systems.
    """
    if not len(value):
        return ZScores(value, (), "No judgments.")
    count = np.bincount(participant)
    mean = np.bincount(participant, value) / np.maximum(count, 1)
    centred = value - mean[participant]
    spread = np.sqrt(np.bincount(participant, centred**2) / np.maximum(count - 1, 1))
    size = np.bincount(participant, np.abs(value)) / np.maximum(count, 1)
    varies = (count >= _MANY) & (spread > ROUNDING * size)
    scaled = np.where(varies[participant], centred / np.where(varies, spread, 1)[participant], 0.0)
    constant = tuple(np.flatnonzero((count > 0) & ~varies).tolist())
    note = (
        f"{len(constant)} of {int((count > 0).sum())} participants gave one score throughout; "
        "theirs are 0."
        if constant
        else ""
    )
    return ZScores(scaled, constant, note)


def mqm_scores(
    severity: Sequence[str],
    unit: Codes,
    *,
    units: int,
    weights: Mapping[str, float] = MQM_WEIGHTS,
) -> Numbers:
    """The penalty of each unit: the summed weights of the errors marked in it, 0 for none.

    A unit is what one participant judged (a segment of an output); average over participants and
    segments afterwards. Lower is better.
    """
    unknown = sorted(set(severity) - set(weights))
    if unknown:
        raise DataError(
            Problem(
                f"No weight is known for {', '.join(unknown)}.",
                f"Known are {', '.join(weights)}; give `weights` for others.",
            )
        )
    cost = np.array([weights[name] for name in severity], dtype=np.float64)
    return np.bincount(unit, cost, units).astype(np.float64)
