"""Classical tests: t tests, analyses of variance, tests of scores by block, corrections of p.

They are here so that published analyses can be repeated. All assume independent values, pairs or
blocks. Judgments are rarely independent: several concern one item, several come from one
participant, and tests that ignore this have several times their nominal false-positive rate. For
judgments use `clustered` estimates or a mixed model; use these for one value per item.

Scores made of comparisons sum to 0 within an item, so the scores of systems are not independent
and a one-way analysis of variance has far too many false positives. The tests by block (items, or
batches of items) compare systems within blocks and assume only that blocks are independent.

One-sided tests need a direction that was fixed before the data were collected. A one-sided p is
half the two-sided p where the difference points in the expected direction, so choosing the
direction after seeing the data doubles the false-positive rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import Codes, Numbers, is_negligible, refuse_missing, round_off, scale_of
from rejudge.stats.estimate import (
    Alternative,
    Contrast,
    Effect,
    Interval,
    Test,
    t_interval,
    t_test_p,
)
from rejudge.stats.reasons import Reason, Why
from rejudge.stats.roots import find_root
from rejudge.stats.testing.effects import (
    NO_VARIATION,
    TOO_FEW,
    TOO_FEW_PAIRS,
    Summary,
    cohen_d_from_summary,
    cohen_dz,
    estimated_sd,
    eta_squared,
    legendre,
    omega_squared,
    pooled_sd,
    sums_of_squares,
)

Correction: TypeAlias = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]

_NEEDS_SPREAD = Why.NEEDS(least="two", what="different values in every group")
_NEEDS_BLOCKS = Why.NEEDS(least="two", what="systems and two blocks that have all of them")
_NO_GROUP = Why.NOT_JUDGED(what="groups")
_Z_NODES = 192  # four times as many change nothing above 1e-11, for up to 100 groups
_ALMOST_1 = 1 - 2**-53  # keeps the logarithm finite


# ── two groups, or pairs ────────────────────────────────────────────────────────────────────────


def t_test(
    first: Numbers,
    second: Numbers,
    *,
    equal_variances: bool = True,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Difference of two independent means: Student's pooled t, or Welch's (1947) without.

    Assumes independent values, near-normal means, and for the pooled test one common variance. Not
    for judgments that share items or participants, nor for two scores of the same things. With a
    one-sided `alternative` only p changes; the interval stays two-sided.
    """
    return t_test_from_summary(
        Summary.of(np.asarray(first)),
        Summary.of(np.asarray(second)),
        equal_variances=equal_variances,
        alternative=alternative,
        level=level,
    )


def t_test_from_summary(
    first: Summary,
    second: Summary,
    *,
    equal_variances: bool = True,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """The same test from what a paper prints: means, SDs and numbers of values.

    Printed means are rounded; with two decimals the statistic can move in its second digit.
    """
    method, n = "Student's t" if equal_variances else "Welch's t", first.n + second.n
    value = first.mean - second.mean if min(first.n, second.n) else None
    reason = None if min(first.n, second.n) > 1 else TOO_FEW
    if reason is None and not (first.varies or second.varies):
        reason = NO_VARIATION
    if value is None or reason:
        return _untested(value, n, method, reason or TOO_FEW)
    error, df = standard_error(first, second, equal_variances=equal_variances)
    effect = cohen_d_from_summary(first, second, level=level)
    found = _TestableDifference(value, error, df, n, method, effect)
    return found.test(alternative, level)


def paired_t_test(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Mean difference of pairs, for example the same item scored for two systems.

    Assumes independent pairs with near-normal mean differences. Not where several pairs share an
    item or a participant: average them first, or use a mixed model.
    """
    require_pairs(first, second)
    change, method = Summary.of_changes(first, second), "paired t"
    if change.n < 2 or not change.varies:
        reason = TOO_FEW_PAIRS if change.n < 2 else NO_VARIATION
        return _untested(change.mean if change.n else None, change.n, method, reason)
    error, effect = change.sd / math.sqrt(change.n), cohen_dz(first, second, level=level)
    found = _TestableDifference(change.mean, error, change.n - 1, change.n, method, effect)
    return found.test(alternative, level)


def standard_error(
    first: Summary, second: Summary, *, equal_variances: bool
) -> tuple[float, float]:
    """Of the difference of two means, with its degrees of freedom."""
    if equal_variances:
        return (
            pooled_sd(first, second) * math.sqrt(1 / first.n + 1 / second.n),
            first.n + second.n - 2,
        )
    parts = first.sd**2 / first.n, second.sd**2 / second.n
    total = sum(parts)
    df = total**2 / (parts[0] ** 2 / (first.n - 1) + parts[1] ** 2 / (second.n - 1))
    return math.sqrt(total), df


def require_pairs(first: Numbers, second: Numbers) -> None:
    """Two lists are pairs only if they are of one length."""
    if len(first) != len(second):
        raise DataError(
            f"A paired test needs as many values on either side, got {len(first)} and "
            f"{len(second)}. Leave out what has no partner first."
        )


@dataclass(frozen=True, slots=True)
class _TestableDifference:
    """A difference of means that can be tested by t."""

    value: float
    size: float  # standard error
    df: float
    n: int
    method: str
    effect: Effect

    def test(self, alternative: Alternative, level: float) -> Contrast:
        t = self.value / self.size
        p = one_sided(t_test_p(self.value, self.size, self.df), self.value, alternative)
        test = Test(
            p,
            "t",
            t,
            (float(self.df),),
            n=self.n,
            alternative=alternative,
            method=self.method,
            effects=(self.effect,),
        )
        return Contrast(
            self.value,
            self.n,
            interval=t_interval(self.value, self.size, self.df, level),
            standard_error=self.size,
            df=self.df,
            counted="values",
            test=test,
        )


def _untested(value: float | None, n: int, method: str, reason: Reason) -> Contrast:
    return Contrast(
        value, n, counted="values", test=Test(None, "t", n=n, method=method), reasons=(reason,)
    )


def one_sided(p: float | None, difference: float | None, alternative: Alternative) -> float | None:
    """The p of a test by t or z against a difference above 0 (`greater`) or below it (`less`).

    Exact from its two-sided p and the sign of the difference, since t and z are symmetric.
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    if p is None or difference is None or alternative == "two-sided":
        return p
    points_there = difference > 0 if alternative == "greater" else difference < 0
    return p / 2 if points_there else 1 - p / 2


@dataclass(frozen=True, slots=True)
class Equivalence(Test):
    """Two one-sided tests; p is the larger of the two."""

    above: Test = field(kw_only=True)  # that the difference lies above the lower bound
    below: Test = field(kw_only=True)  # 〃 below the upper one


def tost(value: float, standard_error: float, df: float | None, bounds: Interval) -> Equivalence:
    """Equivalence: that a difference lies within bounds (Schuirmann 1987), by two one-sided tests.

    For a difference with its standard error, however that was estimated: of a t test, of pairs, or
    of judgments that share items. Student's t, or the normal distribution where `df` is None. An
    interval of level 1 − 2 · alpha (`t_interval`) lies within the bounds exactly if p < alpha.
    """
    if not bounds.low < bounds.high:
        raise DataError(
            f"The lower bound must lie below the upper one, got {bounds.low} and {bounds.high}."
        )
    degrees = math.inf if df is None else df
    above = _beyond(value, standard_error, degrees, bounds.low, "greater")
    below = _beyond(value, standard_error, degrees, bounds.high, "less")
    larger = max(above.p or 0.0, below.p or 0.0)
    method = "TOST, normal" if df is None else "TOST, Student's t"
    return Equivalence(larger, "t", df=above.df, method=method, above=above, below=below)


def _beyond(value: float, error: float, df: float, bound: float, alternative: Alternative) -> Test:
    distance = value - bound
    p = one_sided(t_test_p(distance, error, df), distance, alternative)
    return Test(p, "t", distance / error, (df,), null=bound, alternative=alternative)


# ── several independent groups ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Anova(Test):
    """F of several groups, with eta² and omega² among its effects."""

    between: float = 0.0  # sum of squares
    within: float = 0.0  # 〃


def one_way_anova(
    value: Numbers, group: Codes, *, equal_variances: bool = True, level: float = 0.95
) -> Anova:
    """F of the variance between groups over that within; Welch's F (1951) for unequal variances.

    It treats the values as independent draws, normal within groups. Do not use it where several
    judgments share an item or a participant: it then has far too many false positives; use a
    mixed model. Nor for preference scores in which each win is another's loss: those sum to zero
    within items, and 12 % are then significant at 5 %; use Friedman's or a repeated-measures test.
    The shares of variance are those of the classical analysis in either case.
    """
    numbers = np.asarray(value, dtype=np.float64)
    squares = sums_of_squares(numbers, group)
    reason = squares.reason()
    if reason is None and not equal_variances and not _all_vary(numbers, group):
        reason = _NEEDS_SPREAD
    df: tuple[float, ...] = ()
    f = p = None
    if reason is None:
        f, df = (squares.f, squares.df) if equal_variances else _welch(numbers, group)
        p = _upper_tail(f, *df)
    return Anova(
        p,
        "F",
        f,
        df,
        n=squares.n,
        groups=squares.groups,
        method="one-way ANOVA" if equal_variances else "Welch's ANOVA",
        effects=(
            eta_squared(numbers, group, level=level),
            omega_squared(numbers, group, level=level),
        ),
        reasons=() if reason is None else (reason,),
        between=squares.between,
        within=squares.within,
    )


def levene(value: Numbers, group: Codes) -> Test:
    """Test of equal variances: ANOVA of the distances from each group's median.

    Levene's test in the form of Brown & Forsythe (1974), for independent values.
    """
    numbers = np.asarray(value, dtype=np.float64)
    distance = np.zeros(len(numbers))
    for code in np.unique(group):
        members = group == code
        distance[members] = np.abs(numbers[members] - np.median(numbers[members]))
    squares = sums_of_squares(distance, group, scale=scale_of(numbers))
    reason, n, groups = squares.reason(), squares.n, squares.groups
    if reason:
        return Test(None, "F", n=n, groups=groups, reasons=(reason,))
    return Test(_upper_tail(squares.f, *squares.df), "F", squares.f, squares.df, n=n, groups=groups)


def kruskal_wallis(value: Numbers, group: Codes) -> Test:
    """Rank test that several groups have the same location: H corrected for ties, with χ².

    For independent values; of shared items or participants use Friedman's test. The effect is
    η²_H = (H − k + 1) / (n − k) (Tomczak & Tomczak 2014).
    """
    from scipy.special import chdtrc

    numbers = np.asarray(value, dtype=np.float64)
    refuse_missing(numbers)
    n, k = len(numbers), len(np.unique(group))
    if k < 2 or n <= k:
        reason = Why.NEEDS(least="two", what="groups, and more values than groups")
        return Test(None, "chi²", n=n, groups=k, reasons=(reason,))
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    if len(counts) == 1:
        return Test(None, "chi²", n=n, groups=k, reasons=(Why.SAME(what="values"),))
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    squares = sums_of_squares(ranks, group)
    h = (n - 1) * squares.between / (squares.between + squares.within)
    effect = Effect((h - k + 1) / (n - k), "eta²H", n)
    return Test(float(chdtrc(k - 1, h)), "chi²", h, (k - 1.0,), n=n, groups=k, effects=(effect,))


def _all_vary(value: Numbers, group: Codes) -> bool:
    parts = [value[group == code] for code in np.unique(group)]
    return all(
        len(part) > 1 and not is_negligible(float(np.ptp(part)), scale_of(part)) for part in parts
    )


def _welch(value: Numbers, group: Codes) -> tuple[float, tuple[float, float]]:
    """Welch (1951): groups weigh n/s²; F* and its approximate degrees of freedom."""
    members = [value[group == code] for code in np.unique(group)]
    k = len(members)
    n = np.array([len(each) for each in members], dtype=np.float64)
    mean = np.array([each.mean() for each in members])
    weight = n / np.array([each.var(ddof=1) for each in members])
    share = weight / weight.sum()
    between = float(weight @ (mean - share @ mean) ** 2) / (k - 1)
    slack = float(((1 - share) ** 2 / (n - 1)).sum())
    f = between / (1 + 2 * (k - 2) / (k * k - 1) * slack)
    return f, (k - 1, (k * k - 1) / (3 * slack))


def _upper_tail(f: float, df: float, df_error: float) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(df, df_error, f))


def tukey_hsd(groups: Sequence[Numbers], *, level: float = 0.95) -> tuple[Contrast, ...]:
    """Every difference of two group means, with p and intervals that hold for all together.

    Tukey (1949), for unequal sizes Kramer (1956): q = |difference| / √(MSW/2 · (1/n₁ + 1/n₂)) on
    N − k degrees of freedom, one variance for all groups. It treats the values as independent and
    the groups as equally spread. Judgments that share items or participants are neither; nor are
    preference scores, where each win is another's loss. Then use a mixed model or paired t tests
    with Holm's correction.
    """
    arrays = [np.asarray(group, dtype=np.float64) for group in groups]
    refuse_missing(*arrays)
    whole = np.concatenate([*arrays, np.zeros(0)])
    squares = sums_of_squares(whole, np.repeat(np.arange(len(arrays)), [*map(len, arrays)]))
    known = squares.reason() is None
    df = squares.df[1]
    critical = studentized_range_isf(1 - level, squares.groups, df) if known else math.nan
    found = []
    for first, second in combinations(range(len(arrays)), 2):
        one, two = arrays[first], arrays[second]
        n, is_whole = len(one) + len(two), bool(len(one) and len(two))
        value = float(one.mean() - two.mean()) if is_whole else None
        reason = squares.reason() or (None if is_whole else _NO_GROUP)
        if value is None or reason:
            reasons = (reason or _NO_GROUP,)
            found.append(
                Contrast(value, n, counted="values", first=first, second=second, reasons=reasons)
            )
            continue
        error = math.sqrt(squares.within / df * (1 / len(one) + 1 / len(two)))
        q, reach = math.sqrt(2) * value / error, critical * error / math.sqrt(2)
        p = float(studentized_range_sf(abs(q), squares.groups, df)[0])
        found.append(
            Contrast(
                value,
                n,
                interval=Interval(value - reach, value + reach, level),
                standard_error=error,
                df=df,
                counted="values",
                test=Test(p, "q", q, (float(df),), simultaneous=True, groups=squares.groups),
                first=first,
                second=second,
            )
        )
    return tuple(found)


# ── systems within blocks: one row of scores for each block, one column for each system ─────────


def friedman(scores: Numbers) -> Test:
    """Friedman's test (1937) that all systems are ranked equally: p from chi-squared.

    Q = (k−1) Σ_j (R_j − n(k+1)/2)² / Σ_ij (r_ij − (k+1)/2)²; tied scores share their mean rank,
    and the denominator then corrects for ties (Conover 1999). The effect is Kendall's W, 0 to 1.
    """
    from scipy.special import chdtrc

    refuse_missing(scores)
    blocks, systems = scores.shape
    if min(scores.shape) < 2:
        return _no_block_test("chi²", scores, _NEEDS_BLOCKS)
    settled = round_off(scores, scale_of(scores))  # they are means, and equal ones must be tied
    below = (settled[:, np.newaxis, :] < settled[:, :, np.newaxis]).sum(axis=2)
    level = (settled[:, np.newaxis, :] == settled[:, :, np.newaxis]).sum(axis=2)
    centred = below + (level + 1) / 2 - (systems + 1) / 2
    spread = float((centred**2).sum())
    if spread == 0:
        return _no_block_test("chi²", scores, Why.TIED(what="systems", within="block"))
    statistic = (systems - 1) * float((centred.sum(axis=0) ** 2).sum()) / spread
    concordance = Effect(statistic / (blocks * (systems - 1)), "W", blocks)
    p, df = float(chdtrc(systems - 1, statistic)), (systems - 1.0,)
    return Test(p, "chi²", statistic, df, n=blocks, groups=systems, effects=(concordance,))


@dataclass(frozen=True, slots=True)
class RepeatedMeasures(Test):
    """F with the degrees of freedom corrected after Greenhouse & Geisser (1959)."""

    epsilon: float | None = None  # 1 where differences between any two systems vary equally
    p_uncorrected: float | None = None


def repeated_measures(scores: Numbers) -> RepeatedMeasures:
    """One within-block factor: F = MS(systems) / MS(systems × blocks).

    The effect is partial eta²; its interval is known for independent groups only.
    """
    refuse_missing(scores)
    blocks, systems = scores.shape
    residual = scores - scores.mean(axis=1, keepdims=True) if scores.size else scores
    by_system = scores.mean(axis=0) - scores.mean() if scores.size else scores
    reason = _NEEDS_BLOCKS if min(scores.shape) < 2 else None
    within = float(((residual - by_system) ** 2).sum()) if scores.size else 0.0
    if reason is None and is_negligible(math.sqrt(within / scores.size), scale_of(scores)):
        reason = Why.NO_VARIATION(
            what="the differences between systems", over=" from block to block"
        )
    if reason:
        return RepeatedMeasures(None, "F", n=blocks, groups=systems, reasons=(reason,))
    df, df_error = systems - 1, (systems - 1) * (blocks - 1)
    between = blocks * float((by_system**2).sum())
    f, epsilon = (between / df) / (within / df_error), _greenhouse_geisser(residual)
    return RepeatedMeasures(
        _upper_tail(f, df * epsilon, df_error * epsilon),
        "F",
        f,
        (df * epsilon, df_error * epsilon),
        n=blocks,
        groups=systems,
        effects=(Effect(f * df / (f * df + df_error), "partial eta²", blocks),),
        epsilon=epsilon,
        p_uncorrected=_upper_tail(f, df, df_error),
    )


def hotelling(scores: Numbers) -> Test:
    """Hotelling's T² of the differences between systems, against no difference.

    T² = n d̄ᵀ S⁻¹ d̄ of k−1 contrasts, F = T² (n−k+1) / ((n−1)(k−1)). It needs more blocks than
    contrasts, and contrasts that vary, but assumes nothing about their covariance.
    """
    refuse_missing(scores)
    blocks, systems = scores.shape
    df, df_error = systems - 1, blocks - systems + 1
    if min(scores.shape) < 2 or df_error < 1:
        reason = Why.NEEDS_MORE(least=max(systems, 2), what="blocks", n=blocks)
        return _no_block_test("F", scores, reason)
    contrasts = round_off(scores[:, 1:] - scores[:, [0]], scale_of(scores))
    mean = contrasts.mean(axis=0)
    covariance = np.cov(contrasts, rowvar=False).reshape(df, df)
    if np.linalg.matrix_rank(covariance, hermitian=True) < df:
        reason = Why.NO_VARIATION(
            what="some differences between systems", over=" from block to block"
        )
        return _no_block_test("F", scores, reason)
    t_squared = blocks * float(mean @ np.linalg.solve(covariance, mean))
    f = t_squared * df_error / ((blocks - 1) * df)
    p = _upper_tail(f, df, df_error)
    return Test(p, "F", f, (float(df), float(df_error)), n=blocks, groups=systems)


def _no_block_test(name: str, scores: Numbers, reason: Reason) -> Test:
    blocks, systems = scores.shape
    return Test(None, name, n=blocks, groups=systems, reasons=(reason,))


def _greenhouse_geisser(centred: Numbers) -> float:
    """ε = tr(S)² / ((k−1) tr(S²)), S the covariance of the scores centred within blocks."""
    covariance = np.cov(centred, rowvar=False)
    whole, squares = float(np.trace(covariance)) ** 2, float((covariance**2).sum())
    return float(min(1.0, whole / ((centred.shape[1] - 1) * squares)))


# ── several tests at once ───────────────────────────────────────────────────────────────────────


def adjust_p(p_values: Sequence[float | None], correction: Correction) -> tuple[float | None, ...]:
    """The p values of one family, corrected; those that are undefined stay so and do not count.

    Holm (1979) and Bonferroni control the family-wise error rate, Benjamini & Hochberg (1995) the
    false discovery rate.
    """
    require_known(correction, get_args(Correction), option="correction")
    known = [place for place, p in enumerate(p_values) if p is not None]
    raw = np.array([p for p in p_values if p is not None], dtype=np.float64)
    corrected = dict(zip(known, _correct(raw, correction).tolist(), strict=True))
    return tuple(corrected.get(place) for place in range(len(p_values)))


def _correct(
    raw: np.ndarray[tuple[int], np.dtype[np.float64]], correction: Correction
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    count = len(raw)
    if correction == "none" or count == 0:
        return raw
    if correction == "bonferroni":
        return np.minimum(raw * count, 1.0)
    order = np.argsort(raw, kind="stable")
    rank = np.arange(1, count + 1)
    if correction == "holm":
        steps = np.maximum.accumulate(raw[order] * (count - rank + 1))
    else:
        steps = np.minimum.accumulate((raw[order] * count / rank)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(steps, 1.0)
    return result


def studentized_range_sf(q: ArrayLike, k: int, df: float) -> Numbers:
    """The chance that the range of k normal values over an independent SD on `df` exceeds q.

        P(Q > q) = ∫ f(s) · P(R > q s) ds,   f the density of χ_df/√df,
        P(R > w) = ∫ k φ(z) [Φ(z)^(k−1) − (Φ(z) − Φ(z − w))^(k−1)] dz

    Fixed Gauss–Legendre nodes over where the integrands live, log s instead of s. The complement
    is integrated itself, so that small probabilities keep their digits, down to 1e-20 or so. An
    infinite `df` means a known SD.
    """
    if k < 2 or not df > 0:
        raise DataError(
            f"The studentized range needs k ≥ 2 groups and df > 0, got k = {k}, df = {df}."
        )
    wanted = np.atleast_1d(np.asarray(q, dtype=np.float64))
    found = np.array([_sf(float(each), k, df) for each in wanted.ravel()])
    return np.asarray(found.reshape(wanted.shape))


def studentized_range_isf(p: float, k: int, df: float) -> float:
    """The q that is exceeded with chance p: for example the critical value at p = 0.05."""
    if not 0 < p < 1:
        raise DataError(f"A critical value needs 0 < p < 1, got {p}.")
    high = 4.0
    while studentized_range_sf(high, k, df)[0] > p:
        high *= 2
    target = math.log(p)
    return find_root(lambda q: _log(float(studentized_range_sf(q, k, df)[0])) - target, 0.0, high)


def _sf(q: float, k: int, df: float) -> float:
    if q <= 0:
        return 1.0
    if math.isinf(df):
        return min(1.0, float(_range_sf(np.array([q]), k)[0]))
    s, weight = estimated_sd(df, q)
    return min(1.0, float(weight @ _range_sf(q * s, k)))


def _range_sf(w: Numbers, k: int) -> Numbers:
    """P(R > w) for the range of k independent standard normal values, one per w."""
    from scipy.special import ndtr

    z, weight = legendre(_Z_NODES, -8.5, 15.5)
    below = ndtr(z)
    beyond = ndtr(z - w[:, np.newaxis])
    share = -np.expm1((k - 1) * np.log1p(-np.minimum(beyond / below, _ALMOST_1)))
    density = k * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * below ** (k - 1)
    return np.asarray(share @ (weight * density))


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
