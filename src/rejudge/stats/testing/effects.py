"""Effect sizes: standardised differences and shares of variance, with intervals.

The intervals are exact for independent normal values: they invert the noncentral distribution of
the test statistic (Steiger & Fouladi 1997; Smithson 2003). Judgments that share items or
participants are not independent, and the intervals are then too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from rejudge.stats.arrays import Codes, Numbers, is_negligible, refuse_missing, scale_of
from rejudge.stats.estimate import Effect, Interval
from rejudge.stats.reasons import Reason, Why
from rejudge.stats.roots import find_root

NO_VARIATION = Why.NO_VARIATION(what="the values", over="")
TOO_FEW = Why.NEEDS(least="two", what="values in each group")
TOO_FEW_PAIRS = Why.NEEDS(least="two", what="pairs")
_NO_INTERVAL = Why.NO_BOUND(cause="the effect is too large for the noncentral distribution")
_Z_NODES = 128
_NODES, _NODES_FOR_SMALL_DF = 128, 384  # four times as many change nothing above 1e-12
_SMALL_DF = 20
_DROP = 40.0  # a part of an integrand below e^−40 of its peak is left out


@dataclass(frozen=True, slots=True)
class Summary:
    """What a paper prints of a group: mean, standard deviation (n − 1) and number of values."""

    mean: float
    sd: float
    n: int
    scale: float = field(default=0.0, repr=False, compare=False)  # largest value it was made from

    @classmethod
    def of(cls, values: Numbers) -> Summary:
        """The summary of values; the SD of fewer than two counts as 0."""
        numbers = np.asarray(values, dtype=np.float64)
        return cls._of(numbers, scale_of(numbers))

    @classmethod
    def of_changes(cls, first: Numbers, second: Numbers) -> Summary:
        """The summary of first minus second; rounding is relative to the values themselves."""
        one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        return cls._of(one - two, scale_of(one, two))

    @classmethod
    def _of(cls, values: Numbers, scale: float) -> Summary:
        refuse_missing(values)
        n = len(values)
        mean = float(np.mean(values)) if n else 0.0
        return cls(mean, float(np.std(values, ddof=1)) if n > 1 else 0.0, n, scale)

    @property
    def varies(self) -> bool:
        """Whether the SD is more than rounding."""
        return not is_negligible(self.sd, max(self.scale, abs(self.mean)))


def cohen_d(first: Numbers, second: Numbers, *, level: float = 0.95) -> Effect:
    """Difference of two independent means over their pooled SD (Cohen 1988)."""
    return cohen_d_from_summary(Summary.of(first), Summary.of(second), level=level)


def hedges_g(first: Numbers, second: Numbers, *, level: float = 0.95) -> Effect:
    """Cohen's d corrected for small-sample bias: d · J, the exact J (Hedges 1981)."""
    return _correct_bias(cohen_d(first, second, level=level), len(first) + len(second) - 2, "g")


def cohen_d_from_summary(first: Summary, second: Summary, *, level: float = 0.95) -> Effect:
    """Cohen's d of two independent groups from their printed means, SDs and sizes."""
    n = first.n + second.n
    if min(first.n, second.n) < 2:
        return Effect(None, "d", n, reasons=(TOO_FEW,))
    if not (first.varies or second.varies):
        return Effect(None, "d", n, reasons=(NO_VARIATION,))
    d = (first.mean - second.mean) / pooled_sd(first, second)
    return _with_interval(
        d, "d", n=n, df=n - 2, precision=math.sqrt(1 / (1 / first.n + 1 / second.n)), level=level
    )


def cohen_dz(first: Numbers, second: Numbers, *, level: float = 0.95) -> Effect:
    """Mean difference of pairs over the SD of the differences (Cohen 1988, d_z).

    It answers how consistent the difference is, and is not comparable with Cohen's d: the more the
    two members of a pair have in common, the larger it is.
    """
    change = Summary.of_changes(first, second)
    if change.n < 2:
        return Effect(None, "dz", change.n, reasons=(TOO_FEW_PAIRS,))
    if not change.varies:
        return Effect(None, "dz", change.n, reasons=(NO_VARIATION,))
    return _with_interval(
        change.mean / change.sd,
        "dz",
        n=change.n,
        df=change.n - 1,
        precision=math.sqrt(change.n),
        level=level,
    )


def hedges_gz(first: Numbers, second: Numbers, *, level: float = 0.95) -> Effect:
    """The paired d_z corrected for small-sample bias: d_z · J."""
    return _correct_bias(cohen_dz(first, second, level=level), len(first) - 1, "gz")


def eta_squared(value: Numbers, group: Codes, *, level: float = 0.95) -> Effect:
    """Share of the variance of the values that lies between groups: SS_between / SS_total.

    The interval is two-sided at `level`, for the share in the population, λ / (λ + N).
    """
    squares = sums_of_squares(value, group)
    reason = squares.reason()
    if reason:
        return Effect(None, "eta²", squares.n, reasons=(reason,))
    share = squares.between / (squares.between + squares.within)
    return _share(share, "eta²", squares.f, squares.df, level=level)


def omega_squared(value: Numbers, group: Codes, *, level: float = 0.95) -> Effect:
    """Eta² without most of its upward bias (Hays 1963): (SS_b − df_b·MS_w) / (SS_t + MS_w).

    It estimates the same share of variance in the population, so the interval is that of eta².
    """
    squares = sums_of_squares(value, group)
    reason = squares.reason()
    if reason:
        return Effect(None, "omega²", squares.n, reasons=(reason,))
    within = squares.within / squares.df[1]
    share = (squares.between - squares.df[0] * within) / (squares.between + squares.within + within)
    effect = _share(share, "omega²", squares.f, squares.df, level=level)
    return replace(effect, reasons=(Why.NEGATIVE(),)) if share < 0 else effect


def partial_eta_squared(f: float, df: tuple[float, float], *, level: float = 0.95) -> Effect:
    """Share of variance an effect explains of what no other effect explains, from its F.

    F·df₁ / (F·df₁ + df₂), for fixed effects between independent groups; `df` are those of the
    effect and of the error. `n` is their sum plus one.
    """
    first, second = df
    if not (f >= 0 and first > 0 and second > 0 and math.isfinite(f)):
        reason = Why.NEEDS(least="a", what="finite F and two degrees of freedom above 0")
        return Effect(None, "partial eta²", 0, reasons=(reason,))
    return _share(f * first / (f * first + second), "partial eta²", f, df, level=level)


@dataclass(frozen=True, slots=True)
class SumsOfSquares:
    """How the spread of values divides into that between and that within groups."""

    between: float
    within: float
    n: int
    groups: int
    scale: float  # largest absolute value, to tell spread from rounding

    @property
    def df(self) -> tuple[int, int]:
        return self.groups - 1, self.n - self.groups

    @property
    def f(self) -> float:
        return (self.between / self.df[0]) / (self.within / self.df[1])

    def reason(self) -> Reason | None:
        """Why the groups cannot be compared, or nothing."""
        if self.groups < 2:
            return Why.NEEDS(least="two", what="groups with values")
        if self.df[1] < 1:
            return Why.NEEDS(least="two", what="values in one of the groups")
        if is_negligible(math.sqrt(self.within / self.n), self.scale):
            return Why.NO_VARIATION(what="the values", over=" within the groups")
        return None


def sums_of_squares(value: Numbers, group: Codes, *, scale: float | None = None) -> SumsOfSquares:
    """Between and within groups; codes without values do not count as groups.

    `scale`: the largest number the values were computed from, where they are not scores themselves.
    """
    refuse_missing(value)
    if not len(value):
        return SumsOfSquares(0.0, 0.0, 0, 0, 0.0)
    _, place, counts = np.unique(group, return_inverse=True, return_counts=True)
    centre = float(np.mean(value))
    means = np.bincount(place, weights=value - centre) / counts
    return SumsOfSquares(
        between=float(counts @ means**2),
        within=float((((value - centre) - means[place]) ** 2).sum()),
        n=len(value),
        groups=len(counts),
        scale=scale_of(value) if scale is None else scale,
    )


def pooled_sd(first: Summary, second: Summary) -> float:
    """The common SD of two groups: variances weighted by their degrees of freedom."""
    squares = (first.n - 1) * first.sd**2 + (second.n - 1) * second.sd**2
    return math.sqrt(squares / (first.n + second.n - 2))


def unbiasing(df: int) -> float:
    """J = Γ(df/2) / (√(df/2) · Γ((df − 1)/2)), by which d shrinks to g (Hedges 1981)."""
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)


def noncentral_t_cdf(t: float, df: float, noncentrality: float) -> float:
    """P(T ≤ t), T = (Z + δ)/S with S the SD on `df`; by quadrature where scipy has no number."""
    from scipy.special import nctdtr

    chance = float(nctdtr(df, noncentrality, t))
    if math.isfinite(chance):
        return chance
    if t < 0:
        return 1 - _integrated_t_cdf(-t, df, -noncentrality)
    return _integrated_t_cdf(t, df, noncentrality)


def _integrated_t_cdf(t: float, df: float, noncentrality: float) -> float:
    """For t ≥ 0: the mean of Φ(t S − δ) over S, or of P(S ≥ (Z + δ)/t) over Z, whichever is
    smooth."""
    from scipy.special import chdtrc, ndtr

    if t < math.sqrt(2 * df):
        s, weight = estimated_sd(df)
        return min(1.0, float(weight @ ndtr(t * s - noncentrality)))
    start = min(9.0, max(-9.0, -noncentrality))
    z, weight = legendre(_Z_NODES, start, 9.0)
    above = chdtrc(df, df * ((z + noncentrality) / t) ** 2)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return min(1.0, float(ndtr(start)) + float((weight * density) @ above))


def _correct_bias(effect: Effect, df: int, measure: str) -> Effect:
    if effect.value is None:
        return replace(effect, measure=measure)
    if df < 2:
        reason = Why.NEEDS(least="two", what="degrees of freedom")
        return Effect(None, measure, effect.n, reasons=(reason,))
    shrink = unbiasing(df)
    limits = effect.interval
    if limits:
        limits = Interval(limits.low * shrink, limits.high * shrink, limits.level)
    return Effect(effect.value * shrink, measure, effect.n, limits, effect.reasons)


def _with_interval(
    d: float, measure: str, *, n: int, df: int, precision: float, level: float
) -> Effect:
    """d with the noncentralities that put t = d · precision at either end of the distribution."""
    t = d * precision

    def quantile(nc: float) -> float:
        return noncentral_t_cdf(t, df, nc)

    low = _invert_cdf(quantile, (1 + level) / 2, around=t)
    high = _invert_cdf(quantile, (1 - level) / 2, around=t)
    if low is None or high is None:
        return Effect(d, measure, n, reasons=(_NO_INTERVAL,))
    return Effect(d, measure, n, Interval(low / precision, high / precision, level))


def _share(
    share: float,
    measure: str,
    f: float,
    df: tuple[float, float],
    *,
    level: float,
) -> Effect:
    """A share of variance with the interval λ / (λ + df₁ + df₂ + 1) from the noncentral F."""
    from scipy.special import ncfdtr

    n = round(df[0] + df[1] + 1)

    def quantile(nc: float) -> float:
        return float(ncfdtr(*df, nc, f))

    ends = []
    for p in ((1 + level) / 2, (1 - level) / 2):
        # Where even no effect puts F further down than p, the interval ends at 0.
        nc = _invert_cdf(quantile, p, around=f * df[0], least=0.0) if quantile(0.0) > p else 0.0
        if nc is None:
            return Effect(share, measure, n, reasons=(_NO_INTERVAL,))
        ends.append(nc / (nc + df[0] + df[1] + 1))
    return Effect(share, measure, n, Interval(ends[0], ends[1], level))


def _invert_cdf(
    quantile: Callable[[float], float], p: float, *, around: float, least: float = -math.inf
) -> float | None:
    """The noncentrality at which a falling cumulative chance is p; None where it is not found."""
    step = 1.0 + abs(around) / 8
    low, high = max(least, around - step), around + step
    for _ in range(60):
        ends = quantile(low), quantile(high)
        if not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
            return None
        if ends[0] >= p >= ends[1]:
            try:
                return find_root(lambda nc: quantile(nc) - p, low, high, xtol=1e-13)
            except ValueError:  # scipy has no value for an intermediate point
                return None
        step *= 2
        low, high = max(least, around - step), around + step
    return None


def estimated_sd(df: float, q: float = 0.0) -> tuple[Numbers, Numbers]:
    """Values s of an SD estimated on `df` when the true one is 1, and their weights.

    The sum of weight · g(s) is the mean of g over χ_df/√df. In v = log s its density is
    proportional to s^df · exp(−df s²/2). Where g falls like exp(−q² s²/4), the peak of the product
    lies between s² = df / (df + q²/2) and s = 1, and the nodes reach from there.
    """
    width = math.sqrt(_DROP / df)
    low = 0.5 * math.log(df / (df + q * q / 2)) - width - _DROP / df
    v, weight = legendre(_NODES_FOR_SMALL_DF if df < _SMALL_DF else _NODES, low, width)
    s = np.exp(v)
    share = weight * np.exp(df * (v + (1 - s * s) / 2))
    return s, share / share.sum()  # by the formula, Γ(df/2) would cost digits at large df


def legendre(count: int, low: float, high: float) -> tuple[Numbers, Numbers]:
    """Nodes and weights for an integral from low to high."""
    node, weight = _unit(count)
    half = (high - low) / 2
    return half * node + (high + low) / 2, half * weight


@cache
def _unit(count: int) -> tuple[Numbers, Numbers]:
    return np.polynomial.legendre.leggauss(count)
