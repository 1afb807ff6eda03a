"""Which units people disagree about most."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.agreement import NO_PAIRS
from rejudge.stats.alpha import Level, disagreement_by_chance, disagreement_by_kind
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.counting import CountTable, count_cells, dense, distinct
from rejudge.stats.negligible import scale_of, settle
from rejudge.stats.numbering import numbered


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Units judged by two or more people, in order of their codes, with how far these disagree.

    Ranks begin with 1 for the most disputed unit; units that disagree alike share the best rank.
    """

    unit: NDArray[np.int64]
    n: NDArray[np.int64]  # judgments of each unit
    contribution: Numbers  # d_u; alpha is 1 − Σ d_u / by_chance
    contribution_rank: NDArray[np.int64]
    by_chance: float | None
    span: Numbers | None  # largest minus smallest value; None for nominal values
    span_rank: NDArray[np.int64] | None
    variance: Numbers | None  # mean square about the unit's mean; None for nominal values
    variance_rank: NDArray[np.int64] | None
    note: str = ""


def disagreement_by_unit(unit: Codes, value: Numbers, measured: Level) -> Disagreement:
    """How far people disagree about each unit: its part in alpha, its range and its variance.

    d_u = Σ_vk n_uv n_uk δ²_vk / (m_u − 1) as in Krippendorff's alpha. The variance is divided by
    the number of judgments, for it describes them. Where units have different numbers of judgments,
    range and d_u grow with them.
    """
    table, kept = _by_unit(unit, value)
    size = table.patterns.sum(axis=1)
    has_order = bool(table.n) and measured != "nominal"
    span = _span(table) if has_order else None
    variance = _variance(table, size) if has_order else None
    part = disagreement_by_kind(table, measured) if table.n else np.zeros(0)
    largest = scale_of(table.values) if measured == "interval" else 0.0
    return Disagreement(
        unit=kept,
        n=size,
        contribution=part,
        contribution_rank=_ranks(part, largest),
        by_chance=disagreement_by_chance(table, measured) if table.n else None,
        span=span,
        span_rank=None if span is None else _ranks(span**2, scale_of(table.values)),
        variance=variance,
        variance_rank=None if variance is None else _ranks(variance, scale_of(table.values)),
        note=_unequal(size) if table.n else NO_PAIRS,
    )


def _by_unit(unit: Codes, value: Numbers) -> tuple[CountTable, NDArray[np.int64]]:
    """A table with a row for each unit, however alike, and the units' codes."""
    values, code = distinct(value)
    codes, row = numbered(unit)
    row, height = dense(row)
    counts = count_cells(row, code, height=height, width=len(values))
    shared = counts.sum(axis=1) >= 2  # noqa: PLR2004 - a pair
    once = np.ones(int(shared.sum()), dtype=np.int64)
    return CountTable(values, counts[shared], once), codes[shared].astype(np.int64)


def _span(table: CountTable) -> Numbers:
    said = table.patterns > 0
    highest = table.values[said.shape[1] - 1 - said[:, ::-1].argmax(axis=1)]
    return np.asarray(highest - table.values[said.argmax(axis=1)])


def _variance(table: CountTable, size: NDArray[np.int64]) -> Numbers:
    mean = table.patterns @ table.values / size
    off = table.values - mean[:, np.newaxis]
    return np.asarray((table.patterns * off**2).sum(axis=1) / size)


def _ranks(disputed: Numbers, largest: float) -> NDArray[np.int64]:
    """1 for the largest; equal ones, but for rounding, share the best rank they could have.

    Squares of differences between values up to `largest` are rounded relative to both.
    """
    most = scale_of(disputed)
    rounded = settle(disputed, max(most, math.sqrt(most) * largest))
    larger = np.sort(-rounded)
    return np.searchsorted(larger, -rounded, side="left").astype(np.int64) + 1


def _unequal(size: NDArray[np.int64]) -> str:
    if int(size.min()) == int(size.max()):
        return ""
    return "Units have different numbers of judgments; range and contribution grow with them."
