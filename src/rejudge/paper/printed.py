"""Numbers as they are printed: what was rounded is known only within half of its last digit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

_EXACT = 1e-9  # relative: two programs seldom agree in all digits of a float
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_P = re.compile(rf"(?P<relation><<|[<>=]|<=|>=|≤|≥|≪)?\s*(?P<number>{_NUMBER.pattern}\s*%?)")
_LETTER_P = re.compile(r"^[pP](-?\s*value)?\s*")
_MINUS = re.compile(r"^[−–‐‑﹣－](?=[\d.])")
_MARKS = re.compile(r"^[*†‡§]+|[*†‡§]+$")  # of significance or of a footnote
_SEPARATOR = re.compile(r"[,'’\s\u00a0\u2009\u202f]")
_GROUPED = re.compile(  # digits in threes, as 12,345.6
    rf"[+-]?[1-9]\d{{0,2}}(?P<by>{_SEPARATOR.pattern})\d{{3}}((?P=by)\d{{3}})*(\.\d*)?", re.ASCII
)
_TWO_NUMBERS = re.compile(r"\d[*†‡§]*\s*(±|\(|/|\s)\s*[+-]?[\d.]")  # as 3.12 (0.92)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d{1,2}|0,\d+)", re.ASCII)  # as 3,72; 1,234 may be both
_P_COMMA = re.compile(r"(?<=\d),(?=\d)", re.ASCII)  # never between thousands
_EMPTY = frozenset(("-", "–", "—", "−", "n/a", "na", "n.a.", "none", "missing"))
_NOT_SIGNIFICANT = frozenset(("n.s.", "ns", "n.s", "notsignificant"))


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
        """Whether rounding the value could give what is printed, whichever way halves go.

        Figures that are printed to the last bit need not be as exact.
        """
        slack = abs(value) * _EXACT
        return abs(value - self.value) <= self.half_unit + slack


@dataclass(frozen=True, slots=True)
class PrintedProbability:
    """A p value as it is printed: exactly, as a bound, or as "not significant"."""

    relation: str  # one of = < >
    number: PrintedNumber
    is_words: bool = False  # "n.s." in place of a number

    @property
    def text(self) -> str:
        """As it is shown."""
        if self.is_words:
            return "n.s."
        return self.number.text if self.relation == "=" else f"{self.relation} {self.number.text}"


def as_share(given: Any) -> Any:  # whatever stands in a file
    """A number printed with a percent sign as a share: 80.5 % is 0.805; all else as it is."""
    if not isinstance(given, str) or "%" not in given:
        return given
    try:
        number = Decimal(_number(given).text)
    except ValueError:
        return given  # no number at all, which is told where it is read
    return format(number.scaleb(-2), "f")


def _number(given: Any) -> PrintedNumber:  # whatever stands in a file
    if isinstance(given, PrintedNumber):
        return given
    if given is None:
        raise ValueError(
            "No number stands here. Write it as printed, or – where the paper prints none."
        )
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise ValueError(  # noqa: TRY004 - pydantic tells of ValueErrors alone
            f"'{given}' is no number. Write it as printed, such as 0.50."
        )
    text = _bare(given) if isinstance(given, str) else format(Decimal(repr(given)), "f")
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"'{given}' is no number. {_remedy(text)}")
    return PrintedNumber(text)


def _remedy(text: str) -> str:
    if _TWO_NUMBERS.search(text):
        return "Write each number as printed under its own key, such as `value: 3.12, sd: 0.92`."
    return "Write it as printed, such as 0.50."


def _bare(text: str) -> str:
    """A number without what stands around it in a table: marks, a percent sign, separators."""
    bare = _MARKS.sub("", text.strip()).removesuffix("%").strip()
    bare = _MARKS.sub("", bare).strip()
    bare = _MINUS.sub("-", bare)
    if _GROUPED.fullmatch(bare):  # 1,234 is read as English papers print it
        return _SEPARATOR.sub("", bare)
    return bare.replace(",", ".") if _DECIMAL_COMMA.fullmatch(bare) else bare


def _cell(given: Any) -> PrintedNumber | None:  # whatever stands in a file
    is_empty = isinstance(given, str) and given.strip().lower() in _EMPTY
    return None if is_empty else _number(given)


def _optional_cell(given: Any) -> PrintedNumber | None:  # whatever stands in a file
    return None if given is None else _cell(given)


def _probability(given: Any) -> PrintedProbability:  # whatever stands in a file
    if isinstance(given, PrintedProbability):
        return given
    text = _MARKS.sub("", _MINUS.sub("-", str(given).strip())).strip()
    if text.lower().replace(" ", "") in _NOT_SIGNIFICANT:
        return PrintedProbability(">", PrintedNumber("0.05"), is_words=True)
    found = _P.fullmatch(_LETTER_P.sub("", _P_COMMA.sub(".", text)))
    if found is None:
        raise ValueError(
            f"'{given}' is no p value. Write it as printed: 0.208, < 0.001 or n.s.; for stars, "
            "the bound that the caption gives them."
        )
    relation = {"≤": "<", "<=": "<", "≥": ">", ">=": ">", "≪": "<", "<<": "<"}.get(
        found["relation"] or "=", found["relation"] or "="
    )
    return PrintedProbability(relation, _number(as_share(found["number"])))


def _count(given: Any) -> Any:  # whatever stands in a file
    bare = _bare(given) if isinstance(given, str) else given
    return int(bare) if isinstance(bare, str) and bare.isdecimal() and bare.isascii() else given


_SCHEMA = WithJsonSchema({"type": ["number", "string"]}, mode="validation")

_MOST = 10**9  # more than anybody ever asked; far larger ones are no floats, nor lengths

Count: TypeAlias = Annotated[int, Field(ge=1, le=_MOST), BeforeValidator(_count)]
CountOrZero: TypeAlias = Annotated[int, Field(ge=0, le=_MOST), BeforeValidator(_count)]
Printed: TypeAlias = Annotated[
    PrintedNumber, BeforeValidator(_number), PlainSerializer(lambda number: number.text), _SCHEMA
]
PrintedP: TypeAlias = Annotated[
    PrintedProbability, BeforeValidator(_probability), PlainSerializer(lambda p: p.text), _SCHEMA
]
_CELL = PlainSerializer(lambda number: "–" if number is None else number.text)
# A cell of a table that may be empty: printed as a dash, and written so in the file.
Cell: TypeAlias = Annotated[PrintedNumber | None, BeforeValidator(_cell), _CELL, _SCHEMA]
# The same for a number that may be left out altogether.
OptionalCell: TypeAlias = Annotated[
    PrintedNumber | None,
    BeforeValidator(_optional_cell),
    PlainSerializer(lambda number: None if number is None else number.text),
    _SCHEMA,
]
