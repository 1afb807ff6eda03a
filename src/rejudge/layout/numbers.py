"""How numbers are written: values, percentages, intervals, p values, degrees of freedom.

Every table, sentence and figure takes its formats from here. `–` means that there is no value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Protocol

NARROW = "\u202f"  # a narrow space that does not break, between number and unit
DASH = "–"
MINUS = "−"
_SMALLEST_P = 0.001
_HUGE = 1e15
_EXACT = 12  # significant digits of a number; what lies beyond comes from computing
_NEGATIVE = re.compile(r"(?<![\w.–-])-(?=\d)")


class Ends(Protocol):
    """An interval, of whichever kind."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


class ConfidenceInterval(Ends, Protocol):
    """An interval with its level of confidence."""

    @property
    def level(self) -> float: ...


def number(value: float | None, digits: int = 1) -> str:
    """A number with a true minus sign; zero has no sign."""
    if value is None:
        return DASH
    if not abs(value) < _HUGE:
        return f"{value:,.{digits}f}".replace("-", MINUS)
    # as people round: 2.275, which binary numbers keep as 2.27499…, is 2.28 wherever it stands
    exact = Decimal(f"{value:.{_EXACT}g}")
    text = f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"
    is_zero = not text.strip("-0.,")
    return text.lstrip("-") if is_zero else text.replace("-", MINUS)


def percent(value: float | None) -> str:
    """A percentage with one decimal."""
    return DASH if value is None else f"{number(value)}{NARROW}%"


def level_text(share: float) -> str:
    """A confidence level as a percentage, such as 95 %."""
    return f"{100 * share:g}{NARROW}%"


def interval_text(interval: Ends | None, digits: int = 1) -> str:
    """An interval for tables: [low, high]."""
    if interval is None:
        return DASH
    return f"[{number(interval.low, digits)}, {number(interval.high, digits)}]"


def range_text(interval: Ends | None, digits: int = 2) -> str:
    """An interval for screens: low to high; empty if there is none."""
    if interval is None:
        return ""
    return f"{number(interval.low, digits)} to {number(interval.high, digits)}"


def interval_phrase(interval: ConfidenceInterval | None, digits: int = 1) -> str:
    """An interval for sentences: 95 % interval low to high."""
    if interval is None:
        return "no interval"
    return f"{level_text(interval.level)} interval {range_text(interval, digits)}"


def p_value(p: float | None) -> str:
    """A p value with three decimals, never 0."""
    if p is None:
        return DASH
    return f"<{NARROW}0.001" if p < _SMALLEST_P else number(p, 3)


def p_equals(p: float) -> str:
    """A p value for sentences: p = 0.042, p < 0.001."""
    text = p_value(p)
    return f"p\u00a0{text}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"


def df_text(df: Sequence[float]) -> str:
    """Degrees of freedom, with four significant digits."""
    return ", ".join(f"{each:.4g}" for each in df)


def minus_signs(text: str) -> str:
    """A text with true minus signs before its numbers."""
    return _NEGATIVE.sub(MINUS, text)


def decimals_of(values: Sequence[float]) -> int:
    """The decimals that these values need: up to three for small numbers, two for larger ones."""
    most = 3 if max(map(abs, values), default=0.0) < 10 else 2
    parts = (f"{value:.{most}f}".rstrip("0").partition(".")[2] for value in values)
    return max(map(len, parts), default=0)
