"""Dated wages, fees and platform minimums: the numbers that fair pay is computed from.

They stand in `wages.json` beside this module, each with its source and the day it begins to hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

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
    from pydantic import TypeAdapter

    text = resources.files("rejudge.design").joinpath("wages.json").read_bytes()
    return TypeAdapter(Rates).validate_json(text)


def rate(region: str, kind: WageKind, on: date, *, rates: Rates | None = None) -> Wage | None:
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
    for floor in (rates or known_rates()).floors:
        if (floor.platform, floor.currency) == (platform, currency):
            return floor
    return None


def platform_fee(platform: str, *, rates: Rates | None = None) -> Fee | None:
    """What a platform takes; None where it is not known."""
    for fee in (rates or known_rates()).fees:
        if fee.platform == platform:
            return fee
    return None
