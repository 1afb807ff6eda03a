"""Numbers and sentences as a careful writer would put them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from rejudge.analysis import Finding, Interval
from rejudge.study import methods

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
    return level_words(interval.level)


def level_words(share: float) -> str:
    """A level of confidence as a percentage, such as 95 %."""
    return f"{100 * share:g}{NARROW}%"


def known(number: int | None) -> str:
    """A count that may not be known."""
    return "–" if number is None else f"{number:,}"


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


def p_equals(p: float) -> str:
    """A p value for sentences: p = 0.042, p < 0.001."""
    text = p_value(p)
    return f"p\u00a0{text}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"


def day(when: date) -> str:
    """Such as 3 May 2026, whatever the language of the machine."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def capital(text: str) -> str:
    """The same with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def spelled(number_: int) -> str:
    """A small number as a word, as papers write it."""
    return _NUMBERS[number_] if 0 <= number_ < len(_NUMBERS) else f"{number_:,}"


_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip


def cut(text: str, most: int) -> str:
    """A text no longer than so many characters; where it was cut, it says so."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def ended(text: str) -> str:
    """The same, closed as a sentence."""
    words = text.strip()
    return words if not words or words.endswith((".", "!", "?", "…")) else f"{words}."


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


def shown(finding: Finding) -> str:
    """The value of a finding with its unit."""
    is_percent = finding.measure.endswith("percent") or finding.by.endswith("percent")
    return percent(finding.value) if is_percent else number(finding.value, digits_of(finding))
