"""Tests for scores by block, where one system's win is another's loss.

Scores made of comparisons sum to 0 within an item, so the scores of systems are not independent and
a one-way analysis of variance has far too many false positives. These tests compare systems within
blocks (items, or batches of items) and assume only that blocks are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rejudge.stats.arrays import Codes, Numbers, is_negligible, refuse_missing, round_off, scale_of
from rejudge.stats.estimate import Interval
from rejudge.stats.preference.pairwise import Comparisons
from rejudge.stats.testing.effect_sizes import Summary
from rejudge.stats.testing.multiplicity import Correction, adjust_p

_TOO_FEW = "Undefined: it needs two or more systems and two or more blocks that have all of them."
_NO_RANKS = "Undefined: all systems are tied in every block."
_NO_RESIDUAL = "Undefined: the differences between systems are the same in every block."


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Scores of systems in blocks: a win is +1, a loss −1, a tie 0.

    One row per block that has every system, one column per system. With a zero-sum score per block
    the sums of a row are 0; means differ from that only where systems were compared unequally
    often.
    """

    means: Numbers
    sums: Numbers
    blocks: Codes  # the code of each row
    left_out: int  # blocks that lack a system
    note: str = ""


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test (1937) that all systems are ranked equally, corrected for ties."""

    chi_squared: float | None
    df: int
    p: float | None
    blocks: int
    mean_ranks: tuple[float, ...]  # 1 is the lowest score
    concordance: float | None  # Kendall's W, 0 to 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class RepeatedMeasures:
    """Analysis of variance with systems within blocks.

    `epsilon` is Greenhouse & Geisser's (1959): 1 where differences between any two systems vary
    equally, as the plain p assumes. `p_corrected` uses degrees of freedom multiplied by it.
    """

    f: float | None
    df: int
    df_error: int
    p: float | None
    epsilon: float | None
    p_corrected: float | None
    blocks: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hotelling:
    """Whether all systems have the same mean, whatever the covariance of their scores."""

    t_squared: float | None
    f: float | None
    df: int
    df_error: int
    p: float | None
    blocks: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class BlockContrast:
    """The mean difference of two systems over blocks, with the paired t test."""

    first: int
    second: int
    value: float | None
    t: float | None
    df: int
    p: float | None
    p_adjusted: float | None
    blocks: int
    interval: Interval | None = None
    note: str = ""


def scores_by_block(comparisons: Comparisons, block: Codes | None = None) -> BlockScores:
    """Mean and summed scores by block and system; blocks are items unless others are given.

    Blocks that lack a system cannot be compared within and are left out, and counted.
    """
    by = comparisons.item if block is None else block
    names, row = np.unique(by, return_inverse=True)
    shape = (len(names), comparisons.systems)
    score = 2 * comparisons.preference - 1
    sides = ((comparisons.first, score), (comparisons.second, -score))
    sums, counts = np.zeros(shape), np.zeros(shape)
    for system, gained in sides:
        cell = row * comparisons.systems + system
        sums += np.bincount(cell, gained, sums.size).reshape(shape)
        counts += np.bincount(cell, minlength=sums.size).reshape(shape)
    complete = (counts > 0).all(axis=1)
    lost = int((~complete).sum())
    note = f"{lost} of {len(names)} blocks lack a system; left out." if lost else ""
    sums = sums[complete]
    return BlockScores(sums / counts[complete], sums, names[complete], lost, note)


def friedman(scores: Numbers) -> Friedman:
    """Friedman's test on blocks × systems: mean ranks within blocks, p from chi-squared.

    Q = (k−1) Σ_j (R_j − n(k+1)/2)² / Σ_ij (r_ij − (k+1)/2)²; tied scores share their mean rank,
    and the denominator then corrects for ties (Conover 1999).
    """
    from scipy.special import chdtrc

    refuse_missing(scores)
    blocks, systems = scores.shape
    if not _is_enough(scores):
        return Friedman(None, max(systems - 1, 0), None, blocks, (), None, _TOO_FEW)
    settled = round_off(scores, scale_of(scores))  # they are means, and equal ones must be tied
    below = (settled[:, np.newaxis, :] < settled[:, :, np.newaxis]).sum(axis=2)
    level = (settled[:, np.newaxis, :] == settled[:, :, np.newaxis]).sum(axis=2)
    rank = below + (level + 1) / 2
    mean_ranks = tuple(rank.mean(axis=0).tolist())
    centred = rank - (systems + 1) / 2
    spread = float((centred**2).sum())
    if spread == 0:
        return Friedman(None, systems - 1, None, blocks, mean_ranks, None, _NO_RANKS)
    chi_squared = (systems - 1) * float((centred.sum(axis=0) ** 2).sum()) / spread
    return Friedman(
        chi_squared,
        systems - 1,
        float(chdtrc(systems - 1, chi_squared)),
        blocks,
        mean_ranks,
        chi_squared / (blocks * (systems - 1)),
    )


def repeated_measures(scores: Numbers) -> RepeatedMeasures:
    """One within-block factor: F = MS(systems) / MS(systems × blocks)."""
    from scipy.special import fdtrc

    refuse_missing(scores)
    blocks, systems = scores.shape
    df, df_error = systems - 1, (systems - 1) * (blocks - 1)
    if not _is_enough(scores):
        return RepeatedMeasures(None, df, df_error, None, None, None, blocks, _TOO_FEW)
    by_system = scores.mean(axis=0) - scores.mean()
    residual = scores - scores.mean(axis=1, keepdims=True) - by_system
    between = blocks * float((by_system**2).sum())
    within = float((residual**2).sum())
    if is_negligible(math.sqrt(within / scores.size), scale_of(scores)):
        return RepeatedMeasures(None, df, df_error, None, None, None, blocks, _NO_RESIDUAL)
    f = (between / df) / (within / df_error)
    epsilon = _greenhouse_geisser(scores)
    return RepeatedMeasures(
        f,
        df,
        df_error,
        float(fdtrc(df, df_error, f)),
        epsilon,
        float(fdtrc(df * epsilon, df_error * epsilon, f)),
        blocks,
    )


def hotelling(scores: Numbers) -> Hotelling:
    """Hotelling's T² of the differences between systems, against no difference.

    T² = n d̄ᵀ S⁻¹ d̄ of k−1 contrasts, F = T² (n−k+1) / ((n−1)(k−1)). It needs more blocks than
    contrasts, and contrasts that vary.
    """
    from scipy.special import fdtrc

    refuse_missing(scores)
    blocks, systems = scores.shape
    df, df_error = systems - 1, blocks - systems + 1
    if not _is_enough(scores) or df_error < 1:
        note = f"Undefined: {systems} systems need {systems} or more blocks, there are {blocks}."
        return Hotelling(None, None, df, max(df_error, 0), None, blocks, note)
    contrasts = round_off(scores[:, 1:] - scores[:, [0]], scale_of(scores))
    mean = contrasts.mean(axis=0)
    covariance = np.cov(contrasts, rowvar=False).reshape(df, df)
    if np.linalg.matrix_rank(covariance, hermitian=True) < df:
        note = "Undefined: a difference between systems does not vary from block to block."
        return Hotelling(None, None, df, df_error, None, blocks, note)
    t_squared = blocks * float(mean @ np.linalg.solve(covariance, mean))
    f = t_squared * df_error / ((blocks - 1) * df)
    return Hotelling(t_squared, f, df, df_error, float(fdtrc(df, df_error, f)), blocks)


def block_contrasts(
    scores: Numbers, *, correction: Correction = "holm", level: float = 0.95
) -> tuple[BlockContrast, ...]:
    """Paired t tests of all pairs of systems, corrected for their number.

    The intervals are not corrected; each holds for its pair alone.
    """
    refuse_missing(scores)
    blocks, systems = scores.shape
    pairs = tuple(combinations(range(systems), 2))
    ratios = tuple(_paired_t(scores[:, first], scores[:, second]) for first, second in pairs)
    corrected = adjust_p([_two_sided(ratio, blocks - 1) for ratio, _ in ratios], correction)
    return tuple(
        _contrast(pair, scores, *found, p_adjusted=p, level=level)
        for pair, found, p in zip(pairs, ratios, corrected, strict=True)
    )


def _is_enough(scores: Numbers) -> bool:
    blocks, systems = scores.shape
    return bool(blocks > 1 and systems > 1)


def _greenhouse_geisser(scores: Numbers) -> float:
    """ε = tr(S)² / ((k−1) tr(S²)), S the covariance of the scores centred within blocks."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    covariance = np.cov(centred, rowvar=False)
    whole, squares = float(np.trace(covariance)) ** 2, float((covariance**2).sum())
    return float(min(1.0, whole / ((scores.shape[1] - 1) * squares)))


def _paired_t(first: Numbers, second: Numbers) -> tuple[float | None, float | None]:
    """Student's t of the mean difference, and its standard error."""
    change = Summary.of_changes(first, second)
    if change.n < 2 or not change.varies:
        return None, None
    error = change.sd / math.sqrt(change.n)
    return change.mean / error, error


def _two_sided(t: float | None, df: int) -> float | None:
    from scipy.special import stdtr

    return None if t is None else min(1.0, 2 * float(stdtr(df, -abs(t))))


def _contrast(
    pair: tuple[int, int],
    scores: Numbers,
    t: float | None,
    error: float | None,
    *,
    p_adjusted: float | None,
    level: float,
) -> BlockContrast:
    from scipy.special import stdtrit

    blocks = len(scores)
    value = float((scores[:, pair[0]] - scores[:, pair[1]]).mean()) if blocks else None
    df = max(blocks - 1, 0)
    if value is None or t is None or error is None:
        note = "No test: the difference does not vary from block to block, or there is one block."
        return BlockContrast(*pair, value, None, df, None, None, blocks, note=note)
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    interval = Interval(value - reach, value + reach, level)
    return BlockContrast(*pair, value, t, df, _two_sided(t, df), p_adjusted, blocks, interval)
