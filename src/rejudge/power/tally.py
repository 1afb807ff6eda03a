"""What simulated studies of one size came to, counted: findings, rankings and verdicts on claims.

Only counts and sums are kept, so any number of studies takes the same memory, and parts can be
added in any order. Verdicts are those of `rejudge.analysis.claims`; a claim about agreement is not
judged, since simulated studies are summarised without it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rejudge.analysis.claims import claimed_pairs, judge_claims
from rejudge.analysis.evidence import USUAL_ALPHA
from rejudge.analysis.results import Verdict
from rejudge.findings.model import Finding, Key
from rejudge.power.plan import Pair, PowerTask, SimulatedTest, TestPlan
from rejudge.power.results import ComparisonPower, Repeat
from rejudge.stats import Interval
from rejudge.study.claims import Claim

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.stats import Correction

Z95: Final = 1.959964
_FEWEST: Final = 20  # found differences, below which their mean says nothing
DEFINED, FOUND, REVERSED, FOUND_SIZE, VALUE, VALUES, WIDTH, WIDTHS = range(8)
_EVEN: Final = 0.5  # the share that varies most
_WIN_SCALE: Final = 2.0  # from percentage points of wins to the scale from −100 to 100 of claims


@dataclass(frozen=True, slots=True)
class SimulatedStudies:
    """The planned test of each pair of systems in each study; arrays are studies × pairs.

    Pairs are in the order of `itertools.combinations` of the systems; what is undefined is NaN.
    """

    value: NDArray[np.float64]  # first minus second; of win percentages, minus 50
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]
    p: NDArray[np.float64]  # of the pair alone
    scores: NDArray[np.float64]  # studies × systems

    @classmethod
    def joined(cls, parts: Sequence[SimulatedStudies]) -> SimulatedStudies:
        """All studies of several simulations, in their order."""
        names = [each.name for each in fields(cls)]
        return cls(
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        )


@dataclass(frozen=True, slots=True)
class SizeTally:
    """What so many studies of one size came to."""

    studies: int
    sums: NDArray[np.float64]  # comparisons × what is counted
    all_found: int  # studies in which every true difference was found, in its direction
    rankings: Mapping[str, Mapping[tuple[int, ...], int]]  # by question: orders of the systems
    verdicts: Mapping[str, Mapping[Verdict, int]]  # by claim

    def __add__(self, other: SizeTally) -> SizeTally:
        return SizeTally(
            self.studies + other.studies,
            self.sums + other.sums,
            self.all_found + other.all_found,
            _added(self.rankings, other.rankings),
            _added(self.verdicts, other.verdicts),
        )


def count_findings(task: PowerTask, found: Sequence[SimulatedStudies]) -> SizeTally:
    """Count what the planned tests of the same studies came to, corrected together."""
    plan, studies = task.plan, len(found[0].value)
    tests = [_Tested(task, *each) for each in zip(plan.tests, found, strict=True)]
    ends = np.cumsum([len(test.pairs) for test in plan.tests])[:-1]
    p = np.split(_corrected_by_family(plan, [test.p for test in tests]), ends, axis=1)
    decided = list(zip(tests, p, strict=True))
    is_found = [test.finds_all(own, plan.alpha) for test, own in decided]
    deciding = {test.question: test.for_claims(own) for test, own in reversed(decided)}  # the first
    judge = partial(count_verdicts, systems=task.systems, alpha=plan.alpha)
    return SizeTally(
        studies,
        np.concatenate([test.sums(own, plan.alpha) for test, own in decided]),
        int(np.all(is_found, axis=0).sum()),
        {name: _rankings(deciding[name].scores) for name in plan.questions},
        {claim.id: judge(claim, deciding[claim.question]) for claim in simulated_claims(task)},
    )


class _Tested:
    """One test of one question in all studies, its pairs in the order and direction planned."""

    def __init__(self, task: PowerTask, test: SimulatedTest, found: SimulatedStudies) -> None:
        columns = list(combinations(task.systems, 2))
        is_forward = [pair in columns for pair in test.pairs]
        places = [
            columns.index(pair if forward else pair[::-1])
            for pair, forward in zip(test.pairs, is_forward, strict=True)
        ]
        self.question, self.found, self.places = test.question, found, places
        self.value = found.value[:, places] * np.where(is_forward, 1.0, -1.0)
        self.error, self.df = found.standard_error[:, places], found.df[:, places]
        self.p = one_sided(found.p[:, places], self.value, test.alternative)
        self.scale = _WIN_SCALE if task.questions[test.question].is_comparison else 1.0
        self.truth = np.array([task.difference(test.question, pair) for pair in test.pairs])

    def sums(self, p: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """What is counted of each pair."""
        is_found = p < alpha
        is_reversed = is_found & (self.value * self.truth < 0)
        width = 2 * self.error * t_quantile(1 - alpha / 2, self.df)
        counted = (
            (~np.isnan(p)).sum(axis=0),
            is_found.sum(axis=0),
            is_reversed.sum(axis=0),
            np.where(is_found, np.abs(self.value), 0.0).sum(axis=0),
            np.nansum(self.value, axis=0),
            (~np.isnan(self.value)).sum(axis=0),
            np.nansum(width, axis=0),
            (~np.isnan(width)).sum(axis=0),
        )
        return np.stack([np.asarray(each, dtype=np.float64) for each in counted], axis=1)

    def finds_all(self, p: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
        """In which studies every true difference is found, in its direction."""
        is_right = (p < alpha) & (self.value * self.truth > 0)
        return np.asarray((is_right | (self.truth == 0)).all(axis=1))

    def for_claims(self, p: NDArray[np.float64]) -> SimulatedStudies:
        """The studies on the scale of claims, with corrected p; NaN for pairs that have no test."""
        decided = np.full(self.found.value.shape, np.nan)
        decided[:, self.places] = p
        return replace(
            self.found,
            value=self.scale * self.found.value,
            standard_error=self.scale * self.found.standard_error,
            p=decided,
        )


def one_sided(
    p: NDArray[np.float64], value: NDArray[np.float64], alternative: str
) -> NDArray[np.float64]:
    """Two-sided p values made one-sided where that was planned."""
    if alternative == "two-sided":
        return p
    is_ahead = value > 0 if alternative == "greater" else value < 0
    return np.where(is_ahead, p / 2, 1 - p / 2)


def _corrected_by_family(plan: TestPlan, p: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """All planned p values are one family; what is not planned is corrected by test."""
    if plan.is_planned:
        return corrected(np.concatenate(p, axis=1), plan.correction, plan.others)
    return np.concatenate([corrected(own, plan.correction) for own in p], axis=1)


def corrected(
    p: NDArray[np.float64], correction: Correction, others: int = 0
) -> NDArray[np.float64]:
    """The p values of each row corrected together, as by `stats.adjusted`.

    `others` are further p values of the family that are not known; they count as not significant.
    """
    if correction == "none":
        return p
    known = (~np.isnan(p)).sum(axis=1, keepdims=True) + others
    if correction == "bonferroni":
        return np.asarray(np.minimum(p * known, 1.0))
    order = np.argsort(p, axis=1, kind="stable")  # what is undefined comes last
    ranked = np.take_along_axis(p, order, axis=1)
    rank = np.arange(1, p.shape[1] + 1)
    if correction == "holm":
        steps = np.maximum.accumulate(ranked * (known - rank + 1), axis=1)
    else:
        scaled = np.where(np.isnan(ranked), np.inf, ranked * known / rank)
        steps = np.minimum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
    result = np.empty_like(p)
    np.put_along_axis(result, order, np.minimum(steps, 1.0), axis=1)
    return np.asarray(np.where(np.isnan(p), np.nan, result))


def _rankings(scores: NDArray[np.float64]) -> dict[tuple[int, ...], int]:
    """How often each order of the systems came out; systems that are level share a place."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    is_new = np.diff(ranked, axis=1, prepend=np.inf) != 0
    places = np.empty_like(order)
    np.put_along_axis(places, order, is_new.cumsum(axis=1), axis=1)
    found, counts = np.unique(places, axis=0, return_counts=True)
    return {tuple(row): int(number) for row, number in zip(found.tolist(), counts, strict=True)}


def _added(one: Mapping[str, Mapping], other: Mapping[str, Mapping]) -> dict[str, Counter]:  # type: ignore[type-arg]
    return {name: Counter(one[name]) + Counter(other[name]) for name in one}


def repeats(counts: Mapping[Any, int]) -> float | None:
    """The chance that two studies come to the same."""
    n = sum(counts.values())
    return sum(k * (k - 1) for k in counts.values()) / (n * (n - 1)) if n > 1 else None


# ── the numbers of a power analysis ──────────────────────────────────────────────────────────────


def comparison_powers(task: PowerTask, tally: SizeTally) -> tuple[ComparisonPower, ...]:
    """What each test of each pair came to."""
    return tuple(
        _comparison(task, test, pair, (tally.studies, row))
        for (test, pair), row in zip(task.comparisons, tally.sums.tolist(), strict=True)
    )


def _comparison(
    task: PowerTask, test: SimulatedTest, pair: Pair, counted: tuple[int, Sequence[float]]
) -> ComparisonPower:
    studies, row = counted
    truth = task.difference(test.question, pair)
    mean = abs(row[VALUE] / max(1, row[VALUES]))
    has_effect = truth != 0 and row[FOUND] >= _FEWEST and mean > 0
    width = row[WIDTH] / row[WIDTHS] if row[WIDTHS] else None
    if (
        width is not None
        and truth
        and mean > 0
        and not test.is_on_scale(task.questions[test.question])
    ):
        width *= abs(truth) / mean
    return ComparisonPower(
        test.question,
        test.test,
        pair,
        truth,
        row[FOUND] / studies,
        wilson(row[FOUND], studies),
        row[FOUND_SIZE] / row[FOUND] / mean if has_effect else None,
        row[REVERSED] / row[FOUND] if has_effect else None,
        width,
        1 - row[DEFINED] / studies,
    )


def ranking_repeats(tally: SizeTally) -> tuple[Repeat, ...]:
    """How often the order of the systems comes out the same again, by question."""
    return tuple(Repeat(name, repeats(own)) for name, own in tally.rankings.items())


def claim_repeats(task: PowerTask, tally: SizeTally) -> tuple[Repeat, ...]:
    """How often each verdict comes out, and how often it does so again."""
    return tuple(
        Repeat(
            claim.id,
            repeats(own),
            claim.says,
            dict(sorted((verdict, n / tally.studies) for verdict, n in own.items())),
        )
        for claim in simulated_claims(task)
        for own in (tally.verdicts[claim.id],)
    )


def wilson(found: float, n: float, z: float = Z95) -> Interval:
    """The interval of a share after Wilson (1927), at 95 %."""
    if n <= 0:
        return Interval(0.0, 1.0, 0.95)
    share, square = found / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if found <= 0 else max(0.0, middle - reach)
    high = 1.0 if found >= n else min(1.0, middle + reach)  # rounding must not cut off the share
    return Interval(min(low, share), max(high, share), 0.95)


def studies_needed(mc: Interval, precision: float) -> int:
    """How many studies make the interval of a power as narrow as this, for any power within it."""
    share = min(max(_EVEN, mc.low), mc.high)
    return math.ceil(Z95**2 * share * (1 - share) / precision**2)


# ── verdicts on claims ────────────────────────────────────────────────────────────────────────────


def simulated_claims(task: PowerTask) -> tuple[Claim, ...]:
    """The claims on which simulated studies can decide."""
    return tuple(
        claim
        for claim in task.claims
        if claim.question in task.plan.questions and can_be_simulated(claim, task.systems)
    )


def can_be_simulated(claim: Claim, systems: Sequence[str]) -> bool:
    """Whether simulated studies of these systems can decide on a claim."""
    if claim.kind == "agreement" or any(name not in systems for name in claim.systems):
        return False
    return claim.kind == "equivalent" or bool(claimed_pairs(claim, systems))


def count_verdicts(
    claim: Claim, studies: SimulatedStudies, *, systems: Sequence[str], alpha: float
) -> dict[Verdict, int]:
    """How often each verdict comes out, by the judge of claims.

    `studies` are on the scale of claims, with p as corrected; NaN for pairs that have no test.
    Studies that differ in nothing that a verdict depends on are judged once.
    """
    signs = _signs(claim, studies, systems, alpha)
    _, first, counts = np.unique(signs, axis=0, return_index=True, return_counts=True)
    found: Counter[Verdict] = Counter()
    for place, number in zip(first.tolist(), counts.tolist(), strict=True):
        findings = _findings(claim.question, studies, place, systems=systems, alpha=alpha)
        (outcome,) = judge_claims([claim], findings, [claim.question], {})
        found[outcome.verdict] += number
    return dict(found)


def _signs(
    claim: Claim, studies: SimulatedStudies, systems: Sequence[str], alpha: float
) -> NDArray[np.int8]:
    """What a verdict depends on, by study: on which side of which limit the numbers lie."""
    is_equivalent = claim.kind == "equivalent"
    pairs = [claim.systems[:2]] if is_equivalent else claimed_pairs(claim, systems)
    places = [(systems.index(one), systems.index(other)) for one, other in pairs]
    every = {pair: at for at, pair in enumerate(combinations(range(len(systems)), 2))}
    columns = [every[min(pair), max(pair)] for pair in places]
    first, second = zip(*places, strict=True)
    apart = studies.scores[:, first] - studies.scores[:, second]
    value, p = studies.value[:, columns], studies.p[:, columns]
    signs = [np.sign(np.round(apart, 9)), np.sign(np.round(value, 9)), p < alpha, np.isnan(p)]
    signs += [np.isnan(apart), p < (claim.p_below or alpha)]
    if is_equivalent:
        bound = claim.bound or 0.0
        error, df = studies.standard_error[:, columns], studies.df[:, columns]
        signs.append(np.abs(value) < bound)
        for level in (1 - USUAL_ALPHA, 1 - alpha / 2):
            for end in (
                value - error * t_quantile(level, df),
                value + error * t_quantile(level, df),
            ):
                signs += [end > -bound, end < bound, np.isnan(end)]
    return np.asarray(np.nan_to_num(np.concatenate(signs, axis=1)), dtype=np.int8)


def _findings(
    question: str,
    studies: SimulatedStudies,
    place: int,
    *,
    systems: Sequence[str],
    alpha: float,
) -> list[Finding]:
    """What an analysis would find in one of the studies."""
    found = [
        Finding(
            Key(question, "mean", "mean", (name,)), "mean", _known(score), None, "judgments", ()
        )
        for name, score in zip(systems, studies.scores[place].tolist(), strict=True)
    ]
    every = (studies.value, studies.standard_error, studies.df, studies.p)
    values, errors, dfs, p_values = (each[place] for each in every)
    halves = errors * t_quantile(1 - alpha / 2, dfs)
    for column, pair in enumerate(combinations(systems, 2)):
        value, half, p, error, df = (
            _known(float(each[column])) for each in (values, halves, p_values, errors, dfs)
        )
        ends = None
        if value is not None and half is not None:
            ends = Interval(value - half, value + half, 1 - alpha)
        found.append(
            Finding(
                Key(question, "mean-difference", "simulated", pair), "simulated", value, None,
                "judgments", (), interval=ends, standard_error=error,
                df=None if df == math.inf else df, p=p,
                is_supported=None if p is None else p < alpha, role="headline",
            )
        )  # fmt: skip
    return found


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def t_quantile(level: float, df: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quantiles of Student's t; infinite degrees of freedom mean the normal distribution."""
    from scipy.special import ndtri, stdtrit

    with np.errstate(invalid="ignore"):
        t = stdtrit(np.where(np.isinf(df), 1.0, df), level)
    return np.asarray(np.where(np.isinf(df), ndtri(level), t))
