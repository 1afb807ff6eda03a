"""What an analysis plan can name: coefficients of agreement and tests.

The study file and its schema, lint, the command line, reports and the audit of papers read these
tables. What computes them is in `rejudge.analysis`: `agreement` and `tests`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.study.kinds.question import Question

Fits: TypeAlias = Callable[[type[Question]], bool]

Coefficient: TypeAlias = Literal[
    "percent",
    "krippendorff-alpha",
    "cohen-kappa",
    "fleiss-kappa",
    "gwet-ac1",
    "gwet-ac2",
    "icc",
    "kendall-w",
    "kendall-w-uncorrected",
]
"""A measure of agreement that can be planned and claimed."""

Test: TypeAlias = Literal[
    "cluster-robust", "sign-flip", "bradley-terry", "friedman", "hotelling", "repeated-measures",
    "mixed-model", "joint-mixed-model", "ordinal-mixed-model", "binary-mixed-model",
    "plackett-luce", "one-way-anova", "t-test", "welch", "paired-t", "wilcoxon", "mann-whitney",
]  # fmt: skip

USUAL_AGREEMENT: tuple[Coefficient, ...] = ("percent", "krippendorff-alpha")


def _any(_: type[Question]) -> bool:
    return True


def _compares(kind: type[Question]) -> bool:
    return kind.is_comparison


def _scores(kind: type[Question]) -> bool:
    return not kind.is_comparison


def _has_points(kind: type[Question]) -> bool:
    return kind.has_points


def _has_categories(kind: type[Question]) -> bool:
    return kind.is_comparison or kind.has_points


def _ranks(kind: type[Question]) -> bool:
    return kind.is_order


def _has_whole_points(kind: type[Question]) -> bool:
    return kind.has_points and not kind.is_segmented


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """What is known of a coefficient of agreement without computing it."""

    label: str  # in tables and figures
    statistic: str  # the function of rejudge.stats, under which the reference documents it
    fits: Fits = _any  # kinds of question
    lowest: float = -1.0
    highest: float = 1.0


@dataclass(frozen=True, slots=True)
class SignificanceTest:
    """What is known of a test without computing it."""

    label: str  # in sentences and tables
    statistic: str  # the function of rejudge.stats, under which the reference documents it
    fits: Fits = _any  # kinds of question
    compares_pairs: bool = True  # False: all systems at once; it has no direction
    has_interval: bool = True  # of the difference of two systems, on the scale of the question
    assumes_independence: bool = False  # treats every answer as independent of all others


COEFFICIENTS: dict[Coefficient, AgreementCoefficient] = {
    "percent": AgreementCoefficient("Percent agreement", "percent_agreement", _any, 0.0, 100.0),
    "krippendorff-alpha": AgreementCoefficient("Krippendorff’s alpha", "krippendorff_alpha"),
    "cohen-kappa": AgreementCoefficient(
        "Cohen’s kappa, mean of pairs", "cohen_kappas", _has_categories
    ),
    "fleiss-kappa": AgreementCoefficient("Fleiss’ kappa", "fleiss_kappa", _has_categories),
    "gwet-ac1": AgreementCoefficient("Gwet’s AC1", "gwet_agreement", _has_categories),
    "gwet-ac2": AgreementCoefficient("Gwet’s AC2", "gwet_agreement", _has_points),
    "icc": AgreementCoefficient("Intraclass correlation", "intraclass", _scores),
    "kendall-w": AgreementCoefficient("Kendall’s W", "kendall_w", _scores, 0.0),
    "kendall-w-uncorrected": AgreementCoefficient(
        "Kendall’s W, not corrected for ties", "kendall_w", _scores, 0.0
    ),
}

TESTS: dict[Test, SignificanceTest] = {
    "cluster-robust": SignificanceTest("cluster-robust test", "adjusted_difference"),
    "sign-flip": SignificanceTest("sign-flip test", "sign_flip", _compares, has_interval=False),
    "bradley-terry": SignificanceTest(
        "Bradley–Terry model", "bradley_terry", _compares, has_interval=False
    ),
    "friedman": SignificanceTest(
        "Friedman’s test", "friedman", compares_pairs=False, has_interval=False
    ),
    "hotelling": SignificanceTest(
        "Hotelling’s test", "hotelling", compares_pairs=False, has_interval=False
    ),
    "repeated-measures": SignificanceTest(
        "repeated measures", "repeated_measures", compares_pairs=False, has_interval=False
    ),
    "mixed-model": SignificanceTest("linear mixed model", "linear_mixed"),
    "joint-mixed-model": SignificanceTest(
        "joint mixed model of all choices", "choice_model", _compares
    ),
    "ordinal-mixed-model": SignificanceTest(
        "ordinal mixed model", "ordinal_mixed", _has_points, has_interval=False
    ),
    "binary-mixed-model": SignificanceTest("binary mixed model", "binary_mixed", _has_whole_points),
    "plackett-luce": SignificanceTest(
        "Plackett–Luce model", "plackett_luce", _ranks, has_interval=False
    ),
    "one-way-anova": SignificanceTest(
        "one-way ANOVA with Tukey’s test",
        "one_way_anova",
        compares_pairs=False,
        assumes_independence=True,
    ),
    "t-test": SignificanceTest("Student’s t test", "t_test", assumes_independence=True),
    "welch": SignificanceTest("Welch’s t test", "t_test", assumes_independence=True),
    "paired-t": SignificanceTest("paired t test", "paired_t_test"),
    "wilcoxon": SignificanceTest("Wilcoxon’s signed ranks", "wilcoxon"),
    "mann-whitney": SignificanceTest("Mann–Whitney U", "mann_whitney", assumes_independence=True),
}


def has_direction(test: Test) -> bool:
    """Whether a test compares two systems, so that it can be one-sided."""
    return TESTS[test].compares_pairs
