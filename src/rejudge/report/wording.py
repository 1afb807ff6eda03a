"""Numbers and sentences as a careful writer would put them."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis import Finding, Interval

NARROW = "\u202f"  # a narrow space that does not break, between number and unit
_MINUS = "−"
_SMALLEST_P = 0.001
_TWO_DIGITS = frozenset(
    ("mean", "mean-difference", "median-difference", "latent-difference", "strength", "test")
)
NOUNS = {
    "judgments": "judgment",
    "outputs": "output",
    "units": "unit",
    "items": "item",
    "batches": "batch",
    "pairs": "pair",
}
TEST_NAMES = {
    "cluster-robust": "cluster-robust test",
    "sign-flip": "sign-flip test",
    "bradley-terry": "Bradley–Terry model",
    "friedman": "Friedman’s test",
    "hotelling": "Hotelling’s test",
    "repeated-measures": "repeated measures",
    "mixed-model": "linear mixed model",
    "ordinal-mixed-model": "ordinal mixed model",
    "one-way-anova": "one-way ANOVA with Tukey’s test",
    "t-test": "Student’s t",
    "welch": "Welch’s t",
    "paired-t": "paired t",
    "wilcoxon": "Wilcoxon’s signed ranks",
    "mann-whitney": "Mann–Whitney U",
}
COEFFICIENTS = {
    "percent": "Percent agreement",
    "krippendorff-alpha": "Krippendorff’s alpha",
    "cohen-kappa": "Cohen’s kappa, mean of pairs",
    "fleiss-kappa": "Fleiss’ kappa",
    "icc": "Intraclass correlation",
}


def number(value: float | None, digits: int = 1) -> str:
    """A number with a true minus, or a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:,.{digits}f}"
    is_zero = float(text.replace(",", "")) == 0
    return text.lstrip("-") if is_zero else text.replace("-", _MINUS)


def percent(value: float | None) -> str:
    """A percentage with one decimal."""
    return "–" if value is None else f"{number(value)}{NARROW}%"


def level(interval: Interval) -> str:
    """Such as 95 %."""
    return f"{100 * interval.level:g}{NARROW}%"


def between(interval: Interval | None, digits: int = 1) -> str:
    """An interval for tables."""
    if interval is None:
        return "–"
    return f"[{number(interval.low, digits)}, {number(interval.high, digits)}]"


def in_words(interval: Interval | None, digits: int = 1, unit: str = "") -> str:
    """An interval for sentences."""
    if interval is None:
        return "no interval"
    low, high = number(interval.low, digits), number(interval.high, digits)
    return f"{level(interval)} interval {low} to {high}{unit}"


def p_value(p: float | None) -> str:
    """A p value with three decimals, never 0."""
    if p is None:
        return "–"
    return f"<{NARROW}0.001" if p < _SMALLEST_P else number(p, 3)


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Such as a, b and c."""
    if len(words) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(words)
    return f"{', '.join(words[:-1])} {joint} {words[-1]}"


def verdict(finding: Finding) -> str:
    """Whether a difference is supported; what is not supported is not thereby refuted."""
    if finding.is_supported is None:
        return "not tested"
    return "supported" if finding.is_supported else "not supported"


def digits_of(finding: Finding) -> int:
    """How many decimals a number of this kind is given."""
    if finding.measure in _TWO_DIGITS:
        return 2
    if finding.measure == "agreement" and finding.by != "percent":
        return 2
    return 1


def shown(finding: Finding) -> str:
    """The value of a finding with its unit."""
    is_percent = finding.measure.endswith("percent") or finding.by == "percent"
    return percent(finding.value) if is_percent else number(finding.value, digits_of(finding))
