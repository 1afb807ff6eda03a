"""Agreement beyond chance in a crowd, where few people share many units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejudge.stats.agreement import NO_PAIRS, Agreement
from rejudge.stats.alpha_participants import alpha_for_new_participants
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.counting import dense, distinct
from rejudge.stats.resampling import joined

_TINY = 1e-12
_ONE_VALUE = "Undefined: everybody always gave the same value, so chance agreement is complete."
_OF_ALPHA = "The interval is that of Krippendorff's alpha for nominal values."


@dataclass(frozen=True, slots=True)
class PooledKappa(Agreement):
    """Kappa over all pairs of judgments at once."""

    observed: float | None = None  # the share of pairs of judgments of a unit that agree
    expected: float | None = None  # the same by chance
    pairs: int = 0  # of judgments


def pooled_kappa(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    *,
    item: Codes | None = None,
    level: float = 0.95,
) -> PooledKappa:
    """(P_o − P_e)/(1 − P_e) over all pairs of judgments of one unit.

    P_o is the share of pairs that agree; P_e the chance that they would, each participant choosing
    values as often as in their other judgments (Conger 1980, pooled over pairs as by De Vries,
    Elliott, Kanouse & Teleki 2008). Unlike the mean of kappas it needs no pair that shares many
    units. Judgments of people without any other judgment do not count. The interval is that of
    nominal alpha for new participants, which estimates the same.
    """
    rows = np.flatnonzero(_have_others(participant))
    codes, height = dense(unit[rows])
    values, code = distinct(value[rows])
    people, _ = dense(participant[rows])
    size = np.bincount(codes, minlength=height).astype(np.float64)
    pairs = float(size @ (size - 1))
    if not pairs:
        return PooledKappa(None, 0, 0, note=NO_PAIRS)
    own = np.bincount(people)[people] - 1.0
    agreed = chance = 0.0
    for each in range(len(values)):
        said = (code == each).astype(np.float64)
        agreed += _crossed(codes, said)
        chance += _crossed(codes, (np.bincount(people, said)[people] - said) / own)
    observed, expected = agreed / pairs, chance / pairs
    units, judgments = int(np.count_nonzero(size > 1)), int(size[size > 1].sum())
    parts = {"observed": observed, "expected": expected, "pairs": round(pairs) // 2}
    if 1 - expected <= _TINY:
        return PooledKappa(None, units, judgments, note=_ONE_VALUE, **parts)  # type: ignore[arg-type]  # its fields
    alpha = alpha_for_new_participants(unit, participant, value, "nominal", item=item, level=level)
    note = joined(_OF_ALPHA if alpha.interval else "", alpha.note)
    kappa = (observed - expected) / (1 - expected)
    return PooledKappa(kappa, units, judgments, alpha.interval, note, **parts)  # type: ignore[arg-type]  # its fields


def _have_others(participant: Codes) -> np.ndarray:
    codes, _ = dense(participant)
    return np.asarray(np.bincount(codes)[codes] > 1) if len(codes) else np.zeros(0, np.bool_)


def _crossed(unit: Codes, share: Numbers) -> float:
    """Σ over ordered pairs of different judgments of a unit of the product of their shares."""
    sums = np.bincount(unit, share)
    return float(sums @ sums - share @ share)
