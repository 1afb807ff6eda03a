"""What tests and coefficients are called, and how a finding is put into words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rejudge.analysis import Finding
from rejudge.layout.numbers import df_text, number, percent
from rejudge.study import methods

_TWO_DIGITS = frozenset(
    ("mean", "mean-difference", "median-difference", "latent-difference", "strength", "test")
)
NOUNS = {
    "judgments": "judgment",
    "outputs": "output",
    "units": "unit",
    "items": "item",
    "participants": "participant",
    "batches": "batch",
    "pairs": "pair",
    "comparisons": "comparison",
}
TEST_NAMES: dict[str, str] = {name: test.label for name, test in methods.TESTS.items()}


def name_of_test(finding: Finding) -> str:
    """What the test behind a finding is called, with its direction if it has one."""
    side = "" if finding.alternative == "two-sided" else ", one-sided"
    return f"{TEST_NAMES.get(finding.by, finding.by)}{side}"


COEFFICIENTS: dict[str, str] = {
    **{name: each.label for name, each in methods.COEFFICIENTS.items()},
    "cohen-kappa-linear": "Cohen’s kappa, linear weights",
    "cohen-kappa-quadratic": "Cohen’s kappa, quadratic weights",
    "self-consistency, percent": "Same answer when asked again, percent",
    "self-consistency, alpha": "Alpha of participants with themselves",
}


def name_of_coefficient(finding: Finding) -> str:
    """What the coefficient behind a finding is called in a table."""
    is_pooled = finding.by == "cohen-kappa" and "pooled" in finding.method
    return "Cohen’s kappa, pooled" if is_pooled else COEFFICIENTS.get(finding.by, finding.by)


def coefficient(by: str) -> str:
    """What a coefficient of agreement is called inside a sentence."""
    name = COEFFICIENTS.get(by, by)
    return name if name.startswith(_AUTHORS) else name[:1].lower() + name[1:]


_AUTHORS = ("Krippendorff", "Cohen", "Fleiss", "Gwet", "Kendall")


def verdict(finding: Finding) -> str:
    """Whether a difference is supported; what is not supported is not thereby refuted."""
    if finding.is_supported is None:
        return "not tested"
    return "supported" if finding.is_supported else "not supported"


def shared_method(findings: Sequence[Finding]) -> str:
    """How findings of one kind were computed; where their degrees of freedom differ, the range.

    One that has no interval does not speak for those that have.
    """
    method = next((f.method for f in findings if _DF.search(f.method)), findings[0].method)
    df = sorted({float(found[1]) for f in findings if (found := _DF.search(f.method))})
    if len(df) < 2:  # noqa: PLR2004 - the same for all
        return method
    return _DF.sub(f"t with {df[0]:g} to {df[-1]:g} df", method)


_DF = re.compile(r"t with ([\d.]+) df")


def digits_of(finding: Finding) -> int:
    """How many decimals a number of this kind is given."""
    if finding.measure in _TWO_DIGITS:
        return 2
    if finding.measure == "agreement" and not finding.by.endswith("percent"):
        return 2
    return 1


def value_with_unit(finding: Finding) -> str:
    """The value of a finding with its unit."""
    is_percent = finding.measure.endswith("percent") or finding.by.endswith("percent")
    return percent(finding.value) if is_percent else number(finding.value, digits_of(finding))


def names_of(finding: Finding, labels: Mapping[str, str]) -> list[str]:
    """The systems of a finding by their labels."""
    return [labels.get(system, system) for system in finding.systems]


def final_p(finding: Finding) -> float | None:
    """The p value to report: corrected if there is a correction."""
    return finding.p if finding.p_adjusted is None else finding.p_adjusted


def statistic_text(finding: Finding) -> str | None:
    """Such as t(12) = 2.31; None if there is no statistic."""
    statistic = finding.statistic
    if statistic is None:
        return None
    df = df_text(statistic.df)
    return f"{statistic.name}{f'({df})' if df else ''} = {number(statistic.value, 2)}"
