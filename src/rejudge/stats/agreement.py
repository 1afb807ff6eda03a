"""How far people agree: percent agreement and Krippendorff's alpha, from counts.

Everything starts from a table of units by values that counts who said what. Units with the same
counts are interchangeable, so they are kept once with their number; resampling units is then a
multinomial draw over the kinds of unit, exactly, and costs the same for a thousand units or ten
million.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rejudge.stats.alpha import Level, alphas, alphas_leaving_one_out
from rejudge.stats.clusters import Interval, Numbers
from rejudge.stats.counting import CountTable
from rejudge.stats.resampling import NO_WIDTH, joined, percentiles, unit_draws

NO_PAIRS = "Undefined: no unit was judged by two or more participants."
NO_VARIATION = "Undefined: all judgments are the same, so chance agreement is complete."
_ONE_UNIT = "No interval: it needs at least two units judged by two or more participants."


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement with what it rests on. Undefined is None, and `note` says why."""

    value: float | None
    n: int  # units judged by two or more participants
    judgments: int
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PercentAgreement(Agreement):
    """Percent agreement: its mean over units is `value`, its mean over pairs stands beside it."""

    per_pair: float | None = None
    per_pair_interval: Interval | None = None
    pairs: int = 0  # pairs of judgments of one unit


def percent_agreement(
    table: CountTable, *, rng: np.random.Generator, level: float = 0.95, replicates: int = 2000
) -> PercentAgreement:
    """How often two people who judged the same unit say the same, in percent, mean over units.

    Where units have different numbers of judgments, the mean over pairs of judgments, `per_pair`,
    differs from it, and the note says so. The intervals resample units, for these participants.
    """
    if not table.n:
        return PercentAgreement(None, 0, 0, note=NO_PAIRS)
    drawn = resampled(table, lambda units: percents(table, units), rng, replicates)
    value, per_pair = percents(table, observed(table))[0].tolist()
    interval, reason = table_percentiles(drawn[:, 0], table, level=level)
    size = table.patterns.sum(axis=1)
    differ = len(np.unique(size)) > 1
    return PercentAgreement(
        value,
        table.n,
        table.judgments,
        interval,
        joined(f"Over all pairs of judgments it is {per_pair:.1f} %." if differ else "", reason),
        per_pair=per_pair,
        per_pair_interval=table_percentiles(drawn[:, 1], table, level=level)[0],
        pairs=int(table.units @ (size * (size - 1))) // 2,
    )


def krippendorff_alpha(
    table: CountTable,
    measured: Level,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    replicates: int = 2000,
) -> Agreement:
    """Agreement beyond chance: 1 is perfect, 0 is what chance gives (Krippendorff 2011).

    The interval resamples units and so speaks for these participants and other items. (The
    resampling of pairs within units that some programs offer covers far less than it claims.)
    """
    value, reason = _alpha(table, measured)
    if value is None:
        return Agreement(None, table.n, table.judgments, note=reason)
    drawn = resampled(table, lambda units: alphas(table, units, measured), rng, replicates)
    undefined = int(np.isnan(drawn).sum())
    note = f"{undefined} of {replicates} resamples had no variation; left out." if undefined else ""
    interval, reason = table_percentiles(drawn[~np.isnan(drawn)], table, level=level)
    return Agreement(value, table.n, table.judgments, interval, joined(note, reason))


def alpha_jackknife(table: CountTable, measured: Level, *, level: float = 0.95) -> Agreement:
    """Krippendorff's alpha with an interval that leaves out one unit at a time, without chance.

    Variance (n−1)/n · Σ_u (α₋ᵤ − their mean)² over the n units, Student's t on n−1 degrees of
    freedom (Efron 1982); for these participants. Units of one kind are computed once.
    """
    from scipy.special import stdtrit

    value, reason = _alpha(table, measured)
    if value is None:
        return Agreement(None, table.n, table.judgments, note=reason)
    without = alphas_leaving_one_out(table, measured)
    if np.isnan(without).any():
        note = "No interval: without one of its units alpha is undefined."
        return Agreement(value, table.n, table.judgments, note=note)
    centre = float(table.units @ without) / table.n
    variance = (table.n - 1) / table.n * float(table.units @ (without - centre) ** 2)
    error = variance**0.5
    if error <= 1e-12:  # noqa: PLR2004 - zero but for rounding
        return Agreement(value, table.n, table.judgments, note=NO_WIDTH)
    reach = float(stdtrit(table.n - 1, (1 + level) / 2)) * error
    interval = Interval(value - reach, min(1.0, value + reach), level)
    return Agreement(value, table.n, table.judgments, interval)


def percents(table: CountTable, weights: Numbers) -> Numbers:
    """Percent agreement over units and over pairs, one row per row of weights."""
    size = table.patterns.sum(axis=1)
    pairs = size * (size - 1)
    same = (table.patterns * (table.patterns - 1)).sum(axis=1)
    total = weights @ np.column_stack([100 * same / pairs, 100 * same, pairs, np.ones(len(size))])
    return np.column_stack([total[:, 0] / total[:, 3], total[:, 1] / total[:, 2]])


def observed(table: CountTable) -> Numbers:
    """The weights of the units as they are."""
    return table.units[np.newaxis, :].astype(np.float64)


def resampled(
    table: CountTable,
    statistic: Callable[[Numbers], Numbers],
    rng: np.random.Generator,
    replicates: int,
) -> Numbers:
    """The statistic of as many resamples of units."""
    return np.concatenate([statistic(draw) for draw in unit_draws(table.units, rng, replicates)])


def table_percentiles(
    drawn: Numbers, table: CountTable, *, level: float
) -> tuple[Interval | None, str]:
    """The interval of resampled units, or why there is none."""
    if table.n < 2 or not len(drawn):  # noqa: PLR2004 - nothing to be resampled with
        return None, _ONE_UNIT
    return percentiles(drawn, level=level)


def _alpha(table: CountTable, measured: Level) -> tuple[float | None, str]:
    if not table.n:
        return None, NO_PAIRS
    value = float(alphas(table, observed(table), measured)[0])
    return (None, NO_VARIATION) if np.isnan(value) else (value, "")
