"""Verdicts on claims in many simulated studies at once, by the rules of `rejudge.analysis.claims`.

A claim about agreement is not judged: simulated studies are summarised without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge.analysis.claims import claimed_pairs
from rejudge.analysis.evidence import USUAL_ALPHA
from rejudge.analysis.results import Verdict
from rejudge.study.claims import Claim

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERDICTS: Final[tuple[Verdict, ...]] = (
    "supported",
    "same-direction",
    "no-difference",
    "opposite-direction",
    "contradicted",
    "not-testable",
)
_SUPPORTED, _SAME, _NONE, _OPPOSITE, _CONTRADICTED, _NOT_TESTABLE = range(len(VERDICTS))


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
    apart = np.stack([seen.scores[:, p.better] - seen.scores[:, p.worse] for p in pairs], axis=1)
    tested = np.stack([p.sign * seen.value[:, p.column] for p in pairs], axis=1)
    is_small = seen.p[:, [pair.column for pair in pairs]] < seen.alpha
    found = _unsupported(apart)
    is_shown = ((apart > 0) & (tested > 0) & is_small).all(axis=1)
    found[is_shown] = _SUPPORTED
    found[((apart < 0) & (tested < 0) & is_small).any(axis=1)] = _CONTRADICTED
    found[np.isnan(apart).any(axis=1)] = _NOT_TESTABLE
    return found


def _unsupported(apart: NDArray[np.float64]) -> NDArray[np.int8]:
    """The verdict where nothing supports a claim or its opposite, by studies × claimed pairs."""
    found = np.full(len(apart), _NONE, dtype=np.int8)
    found[(apart > 0).all(axis=1)] = _SAME
    found[(apart < 0).any(axis=1)] = _OPPOSITE
    return found


def _by_test(
    seen: SimulatedEvidence, pairs: Sequence[_PlacedPair], alpha: float
) -> NDArray[np.int8]:
    p = seen.p[:, [pair.column for pair in pairs]]
    value = np.stack([pair.sign * seen.value[:, pair.column] for pair in pairs], axis=1)
    found = np.full(len(seen.scores), _SUPPORTED, dtype=np.int8)
    found[(np.isnan(p) | ((p < alpha) & ~(value != 0))).any(axis=1)] = _NOT_TESTABLE
    is_open = (p >= alpha).any(axis=1)
    tested = np.where(np.isnan(p), np.inf, value)  # a pair without a test says nothing
    found[is_open] = _unsupported(tested)[is_open]
    found[((p < alpha) & (value < 0)).any(axis=1)] = _CONTRADICTED
    return found


def _equivalence(claim: Claim, seen: SimulatedEvidence) -> NDArray[np.int8]:
    """By the interval of two one-sided tests, and contradicted by the whole interval."""
    bound = claim.bound or 0.0
    pair = _find_pair(seen.systems, (claim.systems[0], claim.systems[1]))
    value, error = seen.value[:, pair.column], seen.standard_error[:, pair.column]
    df = seen.df[:, pair.column]
    inner = error * t_quantile(1 - USUAL_ALPHA, df)
    outer = error * t_quantile(1 - seen.alpha / 2, df)
    found = np.where(np.abs(value) < bound, _SAME, _OPPOSITE).astype(np.int8)
    found[(value - outer >= bound) | (value + outer <= -bound)] = _CONTRADICTED
    found[(-bound < value - inner) & (value + inner < bound)] = _SUPPORTED
    found[np.isnan(value + inner)] = _NOT_TESTABLE
    return found


def t_quantile(level: float, df: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quantiles of Student's t; infinite degrees of freedom mean the normal distribution."""
    from scipy.special import ndtri, stdtrit

    with np.errstate(invalid="ignore"):
        t = stdtrit(np.where(np.isinf(df), 1.0, df), level)
    return np.asarray(np.where(np.isinf(df), ndtri(level), t))
