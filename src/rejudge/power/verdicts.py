"""Verdicts on claims in many simulated studies at once, by the rules of `rejudge.analysis.claims`.

A claim about agreement is not judged: simulated studies are summarised without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge.analysis import Verdict
from rejudge.analysis.claims import claimed_pairs
from rejudge.analysis.evidence import USUAL_ALPHA
from rejudge.study import Claim

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERDICTS: Final[tuple[Verdict, ...]] = (
    "upheld",
    "contradicted",
    "undecided",
    "not-upheld",
    "not-testable",
)
_UPHELD, _CONTRADICTED, _UNDECIDED, _NOT_UPHELD, _NOT_TESTABLE = range(len(VERDICTS))


@dataclass(frozen=True, slots=True)
class SimulatedEvidence:
    """What simulated studies show on one question; arrays are studies × pairs, as combinations.

    Pairs that the analysis does not test have NaN instead of p.
    """

    systems: tuple[str, ...]
    scores: NDArray[np.float64]  # studies × systems
    value: NDArray[np.float64]  # first minus second, on the scale of the question
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]
    p: NDArray[np.float64]  # corrected as planned
    alpha: float


def can_be_simulated(claim: Claim, systems: Sequence[str]) -> bool:
    """Whether simulated studies can decide on a claim."""
    if claim.kind == "agreement" or any(name not in systems for name in claim.systems):
        return False
    return claim.kind == "equivalent" or bool(claimed_pairs(claim, systems))


def judge_studies(claim: Claim, seen: SimulatedEvidence) -> NDArray[np.int8]:
    """The verdict on a claim in each study, as a place in `VERDICTS`."""
    if claim.kind == "equivalent":
        return _equivalence(claim, seen)
    pairs = [_find_pair(seen.systems, pair) for pair in claimed_pairs(claim, seen.systems)]
    if claim.p_below is not None:
        return _by_test(seen, pairs, claim.p_below)
    return _by_rank(seen, pairs)


@dataclass(frozen=True, slots=True)
class _PlacedPair:
    """A pair as the claim names it: the places of its systems, its column, and its direction."""

    better: int
    worse: int
    column: int
    sign: int


def _find_pair(systems: Sequence[str], pair: tuple[str, str]) -> _PlacedPair:
    one, other = (systems.index(name) for name in pair)
    columns = list(combinations(range(len(systems)), 2))
    column = columns.index((min(one, other), max(one, other)))
    return _PlacedPair(one, other, column, 1 if one < other else -1)


def _by_rank(seen: SimulatedEvidence, pairs: Sequence[_PlacedPair]) -> NDArray[np.int8]:
    found = np.full(len(seen.scores), _UPHELD, dtype=np.int8)
    is_refuted = np.zeros(len(seen.scores), dtype=bool)
    is_known = np.ones(len(seen.scores), dtype=bool)
    for pair in pairs:
        apart = seen.scores[:, pair.better] - seen.scores[:, pair.worse]
        is_known &= ~np.isnan(apart)
        found[~(apart > 0)] = _UNDECIDED
        tested = pair.sign * seen.value[:, pair.column] < 0
        is_refuted |= (apart < 0) & tested & (seen.p[:, pair.column] < seen.alpha)
    found[(found == _UNDECIDED) & is_refuted] = _CONTRADICTED
    found[~is_known] = _NOT_TESTABLE
    return found


def _by_test(
    seen: SimulatedEvidence, pairs: Sequence[_PlacedPair], alpha: float
) -> NDArray[np.int8]:
    studies = len(seen.scores)
    is_opposite, is_open, is_missing = (np.zeros(studies, dtype=bool) for _ in range(3))
    for pair in pairs:
        p, value = seen.p[:, pair.column], pair.sign * seen.value[:, pair.column]
        is_opposite |= (p < alpha) & (value < 0)
        is_open |= p >= alpha
        is_missing |= np.isnan(p) | ((p < alpha) & ~(value != 0))
    found = np.full(studies, _UPHELD, dtype=np.int8)
    found[is_missing] = _NOT_TESTABLE
    found[is_open] = _NOT_UPHELD
    found[is_opposite] = _CONTRADICTED
    return found


def _equivalence(claim: Claim, seen: SimulatedEvidence) -> NDArray[np.int8]:
    """By the interval of two one-sided tests, and contradicted by the whole interval."""
    bound = claim.bound or 0.0
    pair = _find_pair(seen.systems, (claim.systems[0], claim.systems[1]))
    value, error = seen.value[:, pair.column], seen.standard_error[:, pair.column]
    df = seen.df[:, pair.column]
    inner = error * t_quantile(1 - USUAL_ALPHA, df)
    outer = error * t_quantile(1 - seen.alpha / 2, df)
    found = np.full(len(value), _NOT_UPHELD, dtype=np.int8)
    found[(value - outer >= bound) | (value + outer <= -bound)] = _CONTRADICTED
    found[(-bound < value - inner) & (value + inner < bound)] = _UPHELD
    found[np.isnan(value + inner)] = _NOT_TESTABLE
    return found


def t_quantile(level: float, df: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quantiles of Student's t; infinite degrees of freedom mean the normal distribution."""
    from scipy.special import ndtri, stdtrit

    with np.errstate(invalid="ignore"):
        t = stdtrit(np.where(np.isinf(df), 1.0, df), level)
    return np.asarray(np.where(np.isinf(df), ndtri(level), t))
