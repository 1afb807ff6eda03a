"""Amounts that can be paid: exact numbers, rounded to what a currency has coins for."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

# ISO 4217; every other currency has two.
_WITHOUT_DECIMALS = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
     "VUV", "XAF", "XOF", "XPF"}
)  # fmt: skip
_THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})


def as_typed(number: float) -> Decimal:
    """The number that a person wrote, not its nearest binary fraction."""
    return Decimal(str(number))


def decimals(currency: str) -> int:
    """How many digits stand behind the point."""
    if currency in _WITHOUT_DECIMALS:
        return 0
    return 3 if currency in _THREE_DECIMALS else 2


def rounded_up(amount: Fraction, currency: str, *, multiple: Decimal = Decimal(0)) -> Decimal:
    """The least payable amount that is no smaller, and a multiple where one is asked for."""
    if multiple:
        amount = ceil(amount / Fraction(multiple)) * Fraction(multiple)
    return _payable(ceil(amount * 10 ** decimals(currency)), currency)


def rounded_down(amount: Fraction, currency: str) -> Decimal:
    """The largest payable amount that is no larger."""
    return _payable(floor(amount * 10 ** decimals(currency)), currency)


def rounded(amount: Fraction, currency: str) -> Decimal:
    """The nearest payable amount; halves go up."""
    return _payable(floor(amount * 10 ** decimals(currency) + Fraction(1, 2)), currency)


def _payable(units: int, currency: str) -> Decimal:
    return Decimal(units).scaleb(-decimals(currency))
