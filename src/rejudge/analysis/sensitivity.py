"""What a study could detect: the smallest true difference that its tests would have found.

It follows from the standard error and the level of each test alone. Power at the difference that
was observed is never given: it is the p value in other words (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rejudge.analysis.analysis_plan import Agenda, family_of, is_corrected, joined
from rejudge.analysis.outline import Asked
from rejudge.analysis.reach import Detectable, Sensitivity, Stated
from rejudge.analysis.results import Finding, GroupAnalysis
from rejudge.stats import smallest_detectable, studentized_range_isf

POWERS = (0.8, 0.9)
_SHOWN = ("headline", "check")
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
_TOO_SMALL = "Where none is given, not even the largest difference on the scale would be found so."
_NEAR_THE_ENDS = (
    "The error is the one observed; near 0 or 100 % win rates vary less, and less is needed."
)


def sensitivities(
    agenda: Agenda, findings: Iterable[Finding], by_group: Iterable[GroupAnalysis] = ()
) -> Iterator[Sensitivity]:
    """What planned tests of two systems could detect, headlines and checks; headlines first."""
    listed = sorted(findings, key=lambda each: each.role != "headline")
    together = (*listed, *(finding for each in by_group for finding in each.findings))
    families = Counter(family_of(finding) for finding in together if is_corrected(finding))
    asked = {question.id: question for question in agenda.outline.questions}
    for finding in listed:
        if is_comparison(finding) and (finding.is_planned or finding.role in _SHOWN):
            tests = 1 if finding.is_simultaneous else max(1, families[family_of(finding)])
            yield _sensitivity(agenda, asked[finding.question], finding, tests)


def is_comparison(finding: Finding) -> bool:
    """Whether a finding says how far two systems lie apart."""
    return len(finding.systems) == 2 and finding.measure in _MEASURES  # noqa: PLR2004 - a pair


def unit_of(asked: Asked, finding: Finding) -> Stated:
    """What a difference is counted in."""
    if finding.measure == "win-percent":
        return "percentage points"
    if finding.measure in {"strength", "latent-difference"}:
        return "log odds"
    if finding.measure == "score-difference":
        return "points of best–worst score"
    return "points from −1 to 1" if asked.is_comparison else "points of the scale"


def _sensitivity(agenda: Agenda, asked: Asked, finding: Finding, tests: int) -> Sensitivity:
    error = finding.standard_error
    unit = unit_of(asked, finding)
    detects = (
        tuple(_detects(agenda, finding, tests, most=_most(asked, unit)))
        if error is not None
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
        n=finding.n,
        standard_error=error,
        df=finding.df if error is not None else None,
        tests=tests,
        correction="tukey" if finding.is_simultaneous else agenda.correction,
        detects=detects,
        items=finding.items,
        participants=finding.participants,
        is_planned=finding.is_planned,
        method=_method(agenda, finding, tests),
        note=joined(_reason(finding), _TOO_SMALL if is_short else "", near),
    )


def _detects(agenda: Agenda, finding: Finding, tests: int, *, most: float) -> Iterator[Detectable]:
    """At the level as planned, and at the strictest that a correction can ask for."""
    strictest = agenda.alpha / (1 if agenda.correction == "none" else tests)
    sides = 1 if finding.alternative == "two-sided" else 2  # one side has all of alpha
    for is_corrected_, alpha in ((False, agenda.alpha), (True, strictest)):
        critical = _tukey(agenda, finding) if is_corrected_ and finding.is_simultaneous else None
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
    return smallest_detectable(1.0, df, power=power, alpha=alpha, critical=critical)


def _tukey(agenda: Agenda, finding: Finding) -> float:
    """The critical value of Tukey's test on the scale of t."""
    groups = len(agenda.outline.systems)
    return studentized_range_isf(agenda.alpha, groups, finding.df or math.inf) / math.sqrt(2)


def _most(asked: Asked, unit: Stated) -> float:
    """The largest difference that there can be."""
    if unit == "percentage points":
        return 50.0
    if unit == "points of best–worst score":
        return 200.0
    if unit == "points from −1 to 1":
        return 2.0
    if unit == "points of the scale" and asked.bounds:
        return asked.bounds[1] - asked.bounds[0]
    return math.inf


def _reason(finding: Finding) -> str:
    if finding.standard_error is not None:
        return ""
    return _NO_ERROR if finding.by in _WITHOUT_ERROR else finding.note or _UNTESTED


def _method(agenda: Agenda, finding: Finding, tests: int) -> str:
    how = "normal" if finding.df is None else f"noncentral t with {finding.df:.4g} df"
    if finding.is_simultaneous:
        level = "corrected: Tukey's critical value"
    elif agenda.correction == "none" or tests == 1:
        level = "no correction"
    else:
        level = f"corrected: alpha / {tests}, the strictest step of {agenda.correction}"
    side = "two-sided" if finding.alternative == "two-sided" else "one-sided"
    return f"smallest true difference, {side}, {how}; {level}"
