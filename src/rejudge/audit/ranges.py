"""Ranges of what printed numbers may have been, and the arithmetic on them.

A finding is made only where two ranges have nothing in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product as combinations

from rejudge.paper.printed import PrintedNumber, PrintedProbability

_SLACK = 1e-9  # relative: decimal numbers are not exact in binary


@dataclass(frozen=True, slots=True)
class Range:
    """The range of values that a printed number may stand for."""

    low: float
    high: float

    def meets(self, other: Range) -> bool:
        """Whether the ranges overlap, whichever way halves were rounded."""
        slack = _SLACK * max(abs(self.low), abs(self.high), abs(other.low), abs(other.high), 1e-300)
        return self.low <= other.high + slack and other.low <= self.high + slack

    @property
    def text(self) -> str:
        """The range as text: one number if both ends look the same."""
        low, high = digits(self.low), digits(self.high)
        return low if low == high else f"{low} to {high}"


def of(number: PrintedNumber, *, rounded: bool = True) -> Range:
    """The range of a printed number; whole numbers that are not rounded are exact."""
    half = number.half_unit if rounded or number.decimals > 0 else 0.0
    return Range(number.value - half, number.value + half)


def of_p(p: PrintedProbability) -> Range:
    """The range of a printed p value."""
    if p.relation == "<":
        return Range(0.0, p.number.value)
    if p.relation == ">":
        return Range(p.number.value, 1.0)
    near = of(p.number)
    return Range(max(0.0, near.low), min(1.0, near.high))


def total(parts: Iterable[Range]) -> Range:
    """The sum of several ranges."""
    found = tuple(parts)
    return Range(math.fsum(each.low for each in found), math.fsum(each.high for each in found))


def difference(first: Range, second: Range) -> Range:
    """The first range minus the second."""
    return Range(first.low - second.high, first.high - second.low)


def absolute(number: Range) -> Range:
    """The absolute value of a range."""
    ends = abs(number.low), abs(number.high)
    return Range(0.0 if number.low <= 0 <= number.high else min(ends), max(ends))


def scale(number: Range, factor: float) -> Range:
    """A range times a known number."""
    ends = number.low * factor, number.high * factor
    return Range(min(ends), max(ends))


def product(factors: Sequence[Range]) -> Range:
    """The product of several ranges."""
    corners = [math.prod(each) for each in combinations(*((f.low, f.high) for f in factors))]
    return Range(min(corners), max(corners))


def quotient(part: Range, whole: Range) -> Range | None:
    """Part divided by whole; None if the whole may be 0."""
    if whole.low <= 0 <= whole.high:
        return None
    corners = [p / w for p in (part.low, part.high) for w in (whole.low, whole.high)]
    return Range(min(corners), max(corners))


def in_brackets(number: PrintedNumber) -> str:
    """A printed number as written in a formula."""
    return f"({number.text})" if number.value < 0 else number.text


def digits(number: float) -> str:
    """A computed number with four significant digits."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    if abs(number) < 0.0001:
        return f"{number:.2e}"
    decimals = max(0, 4 - math.floor(math.log10(abs(number))) - 1)
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
