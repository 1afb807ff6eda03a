"""Rates of pay by country, and amounts that can be paid: exact, rounded to what a currency has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import resources
from math import ceil, floor
from typing import Literal, TypeAlias

from pydantic import TypeAdapter

WageKind: TypeAlias = Literal["living", "minimum"]


@dataclass(frozen=True, slots=True)
class Wage:
    """What an hour of work must bring in a region, from a day on."""

    region: str
    kind: WageKind
    currency: str
    valid_from: date
    hourly: Decimal
    source: str
    checked: bool  # seen in a second publication when the file was made
    due: date | None = None  # from this day on a newer rate is to be expected
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fee:
    """What a platform takes on top of every reward."""

    platform: str
    percent: Decimal
    as_of: date
    source: str
    checked: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlatformFloor:
    """The hourly pay below which a platform does not publish a study."""

    platform: str
    currency: str
    minimum: Decimal
    recommended: Decimal
    source: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Rates:
    """All dated numbers of one file."""

    about: str
    reviewed: date
    fees: tuple[Fee, ...]
    floors: tuple[PlatformFloor, ...]
    wages: tuple[Wage, ...]


@cache
def known_rates() -> Rates:
    """The rates that come with this version."""
    text = resources.files("rejudge.design").joinpath("wages.json").read_bytes()
    return TypeAdapter(Rates).validate_json(text)


def find_wage(region: str, kind: WageKind, on: date, *, rates: Rates | None = None) -> Wage | None:
    """The wage that holds in a region on a day; None where none is known.

    A part of a country does not take the country's rate: its own may be higher.
    """
    known = [
        wage
        for wage in (rates or known_rates()).wages
        if (wage.region, wage.kind) == (region, kind) and wage.valid_from <= on
    ]
    return max(known, key=lambda wage: wage.valid_from, default=None)


def regions(kind: WageKind, *, rates: Rates | None = None) -> Sequence[str]:
    """Every region with a wage of this kind."""
    return sorted({wage.region for wage in (rates or known_rates()).wages if wage.kind == kind})


def platform_floor(
    platform: str, currency: str, *, rates: Rates | None = None
) -> PlatformFloor | None:
    """The least a platform allows per hour in a currency; None where it sets nothing."""
    for least in (rates or known_rates()).floors:
        if (least.platform, least.currency) == (platform, currency):
            return least
    return None


def platform_fee(platform: str, *, rates: Rates | None = None) -> Fee | None:
    """What a platform takes; None where it is not known."""
    for fee in (rates or known_rates()).fees:
        if fee.platform == platform:
            return fee
    return None


# ISO 4217; every other currency has two.
_WITHOUT_DECIMALS = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
     "VUV", "XAF", "XOF", "XPF"}
)  # fmt: skip
_THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})


def decimal_of(number: float) -> Decimal:
    """The number that a person wrote, not its nearest binary fraction."""
    return Decimal(str(number))


def decimals(currency: str) -> int:
    """How many digits follow the point."""
    if currency in _WITHOUT_DECIMALS:
        return 0
    return 3 if currency in _THREE_DECIMALS else 2


def round_up(amount: Fraction, currency: str, *, multiple: Decimal = Decimal(0)) -> Decimal:
    """The least payable amount that is not smaller, and a multiple where one is asked for."""
    if multiple:
        amount = ceil(amount / Fraction(multiple)) * Fraction(multiple)
    return _payable(ceil(amount * 10 ** decimals(currency)), currency)


def round_down(amount: Fraction, currency: str) -> Decimal:
    """The largest payable amount that is not larger."""
    return _payable(floor(amount * 10 ** decimals(currency)), currency)


def round_to_currency(amount: Fraction, currency: str) -> Decimal:
    """The nearest payable amount; halves go up."""
    return _payable(floor(amount * 10 ** decimals(currency) + Fraction(1, 2)), currency)


def _payable(units: int, currency: str) -> Decimal:
    return Decimal(units).scaleb(-decimals(currency))
