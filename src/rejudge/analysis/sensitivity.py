"""What a study could detect, and how precise and reliable one of another size would be.

The smallest difference follows from the standard error and the level of each test alone. Power at
the observed difference is never given: it is the p value in other words (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.data import QuestionData
from rejudge.analysis.decide import family_sizes
from rejudge.analysis.details import (
    Detectable,
    Precision,
    PrecisionPoint,
    Sensitivity,
    Stated,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.design.pay import quote_price
from rejudge.design.plan import Plan
from rejudge.design.wages import known_rates
from rejudge.english import join_notes
from rejudge.errors import DesignError
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Why
from rejudge.study.model import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

POWERS = (0.8, 0.9)
_ROLES = ("headline", "check")
_WITHOUT_ERROR = ("sign-flip", "wilcoxon", "mann-whitney")
_MEASURES = (
    "win-percent",
    "score-difference",
    "mean-difference",
    "median-difference",
    "latent-difference",
    "strength",
)
_NO_ERROR = (
    "Undefined: a test of ranks or signs has no standard error; look at the cluster-robust "
    "comparison of the same systems."
)
_UNTESTED = "Undefined: the comparison has no standard error."
_TOO_SMALL = "If none is given, not even the largest difference on the scale would be detected."
_NEAR_THE_ENDS = (
    "Based on the observed standard error. Near 0 or 100 %, win rates vary less, and smaller "
    "differences can be detected."
)
TIMES = (0.5, 1.0, 1.5, 2.0, 4.0)  # as many as there are
MOST_PAIRS = 45  # of one question, which is ten systems; the first of them are looked at
_PRECISION_METHOD = (
    "half-width of the cluster-robust interval, from the contributions of items, participants and "
    "single judgments to its variance"
)
_EXTRAPOLATED = (
    "Figures for other sizes are extrapolated from these judgments and are just as uncertain."
)
_RELIABILITY_METHOD = (
    "variance components from the squared differences of pairs of scores that share systems, items "
    "or participants; reliability as if all systems were judged on the same items by the same "
    "participants, each judging as much as now"
)
_CHOICES = (
    "Undefined: in a choice one system's gain is another's loss, so the variance cannot be split "
    "into parts."
)
_CONFOUNDED = (
    "Undefined: the systems were judged on different items or by different people, so differences "
    "between systems cannot be separated from differences between items or people."
)
_ONE = "Undefined: there is only one {}."
_EXTRAPOLATED_RELIABILITY = (
    "Reliability of other sizes is extrapolated from these judgments and has no interval."
)


def sensitivities(analysis: AnalysisPlan, findings: Sequence[Finding]) -> Iterator[Sensitivity]:
    """What planned tests of two systems could detect, headlines and checks; headlines first."""
    of_all = (each for each in findings if not each.group)
    listed = sorted(of_all, key=lambda each: each.role != "headline")
    tests = family_sizes(findings)
    asked = {question.id: question for question in analysis.outline.questions}
    for finding in listed:
        if is_comparison(finding) and (finding.is_planned or finding.role in _ROLES):
            yield _sensitivity(analysis, asked[finding.question], finding, tests[finding.key])


def is_comparison(finding: Finding) -> bool:
    """Whether a finding is a difference of two systems."""
    return len(finding.systems) == 2 and finding.measure in _MEASURES


def unit_of(asked: AnalysedQuestion, finding: Finding) -> Stated:
    """The unit of a difference."""
    if finding.measure == "win-percent":
        return "percentage points"
    if finding.measure in {"strength", "latent-difference"}:
        return "log odds"
    if finding.measure == "score-difference":
        return "points of best–worst score"
    return "points from −1 to 1" if asked.is_comparison else "points of the scale"


def _sensitivity(
    analysis: AnalysisPlan, asked: AnalysedQuestion, finding: Finding, tests: int
) -> Sensitivity:
    error = finding.standard_error
    unit = unit_of(asked, finding)
    detects = (
        tuple(_detects(analysis, finding, tests, most=_most(asked, unit)))
        if _has_test(finding)
        else ()
    )
    is_short = any(each.difference is None for each in detects)
    near = _NEAR_THE_ENDS if unit == "percentage points" and detects else ""
    return Sensitivity(
        finding=finding.id,
        question=finding.question,
        by=finding.by,
        systems=finding.systems,
        unit=unit,
        n=finding.n or 0,
        standard_error=error,
        df=finding.df if error is not None else None,
        tests=tests,
        correction="tukey" if finding.is_simultaneous else analysis.correction,
        detects=detects,
        items=finding.items,
        participants=finding.participants,
        is_planned=finding.is_planned,
        method=_method(analysis, finding, tests),
        note=join_notes(_reason(finding), _TOO_SMALL if is_short else "", near),
    )


def _detects(
    analysis: AnalysisPlan, finding: Finding, tests: int, *, most: float
) -> Iterator[Detectable]:
    """At the planned level, and at the strictest level of the correction."""
    strictest = analysis.alpha / (1 if analysis.correction == "none" else tests)
    sides = 1 if finding.alternative == "two-sided" else 2  # one side has all of alpha
    for is_corrected_, alpha in ((False, analysis.alpha), (True, strictest)):
        critical = _tukey(analysis, finding) if is_corrected_ and finding.is_simultaneous else None
        for power in POWERS:
            ratio = _in_errors(finding.df, power, sides * alpha, critical)
            found = None if ratio is None else ratio * (finding.standard_error or 0.0)
            is_there = found is not None and found <= most
            yield Detectable(power, alpha, is_corrected_, found if is_there else None)


@lru_cache(maxsize=256)
def _in_errors(
    df: float | None, power: float, alpha: float, critical: float | None
) -> float | None:
    """The smallest difference in standard errors, which most pairs of a study share."""
    return stats.smallest_detectable(1.0, df, power=power, alpha=alpha, critical=critical)


def _tukey(analysis: AnalysisPlan, finding: Finding) -> float:
    """The critical value of Tukey's test on the scale of t."""
    groups = len(analysis.outline.systems)
    return stats.studentized_range_isf(analysis.alpha, groups, finding.df or math.inf) / math.sqrt(
        2
    )


def _most(asked: AnalysedQuestion, unit: Stated) -> float:
    """The largest possible difference."""
    if unit == "percentage points":
        return 50.0
    if unit == "points of best–worst score":
        return 200.0
    if unit == "points from −1 to 1":
        return 2.0
    if unit == "points of the scale" and asked.bounds:
        return asked.bounds[1] - asked.bounds[0]
    return math.inf


def _has_test(finding: Finding) -> bool:
    """Whether there is an error, and enough freedom to test with it."""
    return finding.standard_error is not None and (finding.df is None or finding.df > 0)


def _reason(finding: Finding) -> str:
    if _has_test(finding):
        return ""
    return _NO_ERROR if finding.by in _WITHOUT_ERROR else finding.note or _UNTESTED


def _method(analysis: AnalysisPlan, finding: Finding, tests: int) -> str:
    how = "normal" if finding.df is None else f"noncentral t with {finding.df:.4g} df"
    if finding.is_simultaneous:
        level = "corrected: Tukey's critical value"
    elif analysis.correction == "none" or tests == 1:
        level = "no correction"
    else:
        level = f"corrected: alpha / {tests}, the strictest step of {analysis.correction}"
    side = "two-sided" if finding.alternative == "two-sided" else "one-sided"
    return f"smallest true difference, {side}, {how}; {level}"


@dataclass(frozen=True, slots=True)
class Price:
    """What one participant costs, fee and taxes included."""

    each: float
    currency: str


def price_of(study: Study, plan: Plan, judgments: Judgments) -> Price | None:
    """What a participant costs, by the wages of the day on which the last of them answered.

    Without such a day, of the day on which the known wages were last looked through: the same
    judgments always give the same cost.
    """
    try:
        found = quote_price(study, plan, on=_last_day(judgments.submitted_at))
    except DesignError:
        return None
    if found.cost is None or found.currency is None or not found.work.participants:
        return None
    return Price(float(found.cost.total) / found.work.participants, found.currency)


def precisions(
    analysis: AnalysisPlan, data: QuestionData, price: Price | None
) -> Iterator[Precision]:
    """For each pair of systems, the interval against the size of the study."""
    asked = data.question
    if asked.is_named or not data.has_participants:
        return
    for systems, estimate in islice(_estimates(analysis, data), MOST_PAIRS):
        yield _precision(analysis, asked, estimate, systems=systems, price=price)


def _precision(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    estimate: stats.Estimate,
    *,
    systems: tuple[str, str],
    price: Price | None,
) -> Precision:
    shares = stats.variance_shares(estimate)
    blank = Precision(
        finding=f"{asked.id}.cluster-robust.{systems[0]}.{systems[1]}",
        question=asked.id,
        systems=systems,
        unit="percentage points" if asked.is_comparison else "points of the scale",
        level=analysis.level,
        from_items=shares.items,
        from_participants=shares.participants,
        from_rest=shares.rest,
    )
    if estimate.sums is None:
        return replace(blank, note=estimate.note)
    people, why_people = _precision_points(
        estimate, estimate.participants, price,
        lambda size: stats.with_participants(estimate, size, level=analysis.level),
    )  # fmt: skip
    items, why_items = _precision_points(
        estimate, estimate.items, price,
        lambda size: stats.with_items(estimate, size, level=analysis.level),
    )  # fmt: skip
    notes = dict.fromkeys((_EXTRAPOLATED, *why_people, *why_items))
    return replace(
        blank,
        by_participants=people,
        by_items=items,
        currency=price.currency if price else None,
        method=_PRECISION_METHOD,
        note=" ".join(notes),
    )


def _precision_points(
    estimate: stats.Estimate,
    now: int,
    price: Price | None,
    resized: Callable[[int], stats.Estimate],
) -> tuple[tuple[PrecisionPoint, ...], list[str]]:
    sizes = dict.fromkeys(max(1, round(times * now)) for times in TIMES)
    found = [resized(size) for size in sizes]
    points = tuple(
        PrecisionPoint(
            participants=each.participants,
            items=each.items,
            judgments=round(estimate.n * size / now),
            standard_error=each.standard_error,
            half_width=_half_width(each),
            cost=price.each * estimate.participants * size / now if price else None,
        )
        for size, each in zip(sizes, found, strict=True)
    )
    return points, [each.note for each in found if each.note]


def _half_width(found: stats.Estimate) -> float | None:
    between = found.interval
    if between is None or found.standard_error is None:
        return None
    return stats.t_half_width(found.standard_error, found.df, between.level)


def _estimates(
    analysis: AnalysisPlan, data: QuestionData
) -> Iterator[tuple[tuple[str, str], stats.Estimate]]:
    """The cluster-robust estimate of each pair that was compared, as the findings have it."""
    pairs = data.pairs(analysis.check(data.question))
    if data.question.is_comparison:
        rates = stats.pair_rates(data.comparisons, level=analysis.level)
        known = {(rate.first, rate.second): rate for rate in rates}
        found = ((pair, known.get((min(pair), max(pair)))) for pair in pairs)
        yield from ((data.names(pair), each) for pair, each in found if each is not None)
        return
    for pair in pairs:
        difference = data.difference(pair, analysis.level)
        if difference.value is not None:
            yield data.names(pair), difference


def _last_day(submitted_at: NDArray[np.datetime64]) -> date:
    known = submitted_at[~np.isnat(submitted_at)]
    if not len(known):
        return known_rates().reviewed
    day: date = known.max().astype("datetime64[D]").item()
    return day


def generalizability(data: QuestionData, price: Price | None) -> Iterator[Frame]:
    """The variance components of one question and its D study, or why there are none."""
    why = _why_no_g_study(data)
    if why:
        yield Frame("reliability", question=data.question.id, notes=(why,))
        return
    table = data.scores
    facets = {"system": table.system, "item": table.item, "participant": table.participant}
    found = stats.g_study(table.value, facets)
    few = next((name for name, size in zip(facets, found.levels, strict=True) if size < 2), None)
    if few is not None:
        yield Frame("reliability", question=data.question.id, notes=(_ONE.format(few),))
        return
    yield Frame.of(
        "variance",
        (
            {
                "part": part.facets,  # systems, items, participants, and how they combine
                "variance": part.variance,
                "share": part.share,
                "note": part.note,
            }
            for part in found.parts
        ),
        question=data.question.id,
    )
    yield _d_study(data.question.id, found, price)


def _why_no_g_study(data: QuestionData) -> str:
    if data.question.is_comparison:
        return _CHOICES
    if data.question.is_named:
        return str(Why.NO_ORDER())
    if not len(data.rows):
        return "Undefined: no judgments."
    if not data.has_participants:
        return str(Why.UNKNOWN_PEOPLE())
    return "" if data.has_comparable_means else _CONFOUNDED


def _d_study(question: str, found: stats.GStudy, price: Price | None) -> Frame:
    """How reliably studies of this and other sizes distinguish the systems, from 0 to 1."""
    _, items, people = found.levels
    here = _reliability_at(found, items, people)
    if here.relative is None:
        reasons = dict.fromkeys(part.note for part in found.parts if part.variance is None)
        notes = (here.note, *reasons)
        return Frame("reliability", question=question, notes=tuple(filter(None, notes)))
    sizes = [
        ("now", items, people, 1.0),
        *(("participants", items, size, size / people) for size in _sizes(people)),
        *(("items", size, people, size / items) for size in _sizes(items)),
    ]
    rows = []
    for grows_by, of_items, of_people, times in sizes:
        each = _reliability_at(found, of_items, of_people, times)
        rows.append(
            {
                "grows_by": grows_by,  # "now": this study
                "participants": of_people,
                "items": of_items,
                "judgments": each.judgments,  # of each system
                "relative": each.relative,  # Eρ²: of their order
                "absolute": each.absolute,  # Φ: of their means as they are
                "cost": price.each * people * times if price else None,
            }
        )
    return Frame.of(
        "reliability",
        rows,
        question=question,
        facts={"currency": price.currency if price else None, "method": _RELIABILITY_METHOD},
        notes=tuple(filter(None, (here.note, _EXTRAPOLATED_RELIABILITY))),
    )


def _sizes(now: int) -> Iterable[int]:
    return dict.fromkeys(max(1, round(times * now)) for times in TIMES)


def _reliability_at(
    found: stats.GStudy, items: int, people: int, times: float = 1.0
) -> stats.Reliability:
    each = max(1, round(times * found.n / found.levels[0]))
    return stats.reliability(
        found, "system", {"item": items, "participant": people}, judgments=each
    )
