"""Numbers as they are printed: what was rounded is known only within half of its last digit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_P = re.compile(rf"(?P<relation>[<>=]|<=|>=|≤|≥)?\s*(?P<number>{_NUMBER.pattern})")


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number and the text it was printed as."""

    text: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def decimals(self) -> int:
        """How many digits stand behind the point, once an exponent is written out."""
        exponent = Decimal(self.text).as_tuple().exponent
        return -exponent if isinstance(exponent, int) else 0

    @property
    def half_unit(self) -> float:
        """How far the number may lie from what was rounded."""
        return 0.5 * 10.0**-self.decimals

    def could_be(self, value: float) -> bool:
        """Whether rounding the value could give what is printed, whichever way halves go."""
        slack = abs(value) * 1e-12
        return abs(value - self.value) <= self.half_unit + slack


@dataclass(frozen=True, slots=True)
class PrintedProbability:
    """A p value as it is printed: exactly, or as a bound."""

    relation: str  # one of = < >
    number: PrintedNumber

    @property
    def text(self) -> str:
        """As it is shown."""
        return self.number.text if self.relation == "=" else f"{self.relation} {self.number.text}"


def _number(given: Any) -> PrintedNumber:  # whatever stands in a file
    if isinstance(given, PrintedNumber):
        return given
    if given is None:
        raise ValueError("No number stands here. Write it as printed, or take the entry away.")
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise ValueError(  # noqa: TRY004 - pydantic tells of ValueErrors alone
            f"'{given}' is no number. Write it as printed, such as 0.50."
        )
    text = given if isinstance(given, str) else format(Decimal(repr(given)), "f")
    text = text.strip().replace("−", "-")
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"'{given}' is no number. Write it as printed, such as 0.50.")
    return PrintedNumber(text)


def _probability(given: Any) -> PrintedProbability:  # 〃
    if isinstance(given, PrintedProbability):
        return given
    found = _P.fullmatch(str(given).strip().removeprefix("p").strip())
    if found is None:
        raise ValueError(f"'{given}' is no p value. Write it as printed: 0.208 or < 0.001.")
    relation = {"≤": "<", "<=": "<", "≥": ">", ">=": ">"}.get(
        found["relation"] or "=", found["relation"] or "="
    )
    return PrintedProbability(relation, _number(found["number"]))


_SCHEMA = WithJsonSchema({"type": ["number", "string"]}, mode="validation")

_MOST = 10**9  # more than anybody ever asked; far larger ones are no floats, nor lengths

Count: TypeAlias = Annotated[int, Field(ge=1, le=_MOST)]
Printed: TypeAlias = Annotated[
    PrintedNumber, BeforeValidator(_number), PlainSerializer(lambda number: number.text), _SCHEMA
]
PrintedP: TypeAlias = Annotated[
    PrintedProbability, BeforeValidator(_probability), PlainSerializer(lambda p: p.text), _SCHEMA
]
