"""Numbers and contingency tables as printed: known within half a unit of the last digit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from rejudge.study.parts import Part, Slug, Text

if TYPE_CHECKING:
    from rejudge.stats import Estimate


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
_WEIGHTED = ("cohen-kappa-linear", "cohen-kappa-quadratic")


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
        """How many digits follow the point, without an exponent."""
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
    is_words: bool = False  # "n.s." instead of a number

    @property
    def text(self) -> str:
        """As it is shown."""
        if self.is_words:
            return "n.s."
        return self.number.text if self.relation == "=" else f"{self.relation} {self.number.text}"


def as_share(given: Any) -> Any:  # whatever is in a file
    """A number printed with a percent sign as a share: 80.5 % is 0.805; all else as it is."""
    if not isinstance(given, str) or "%" not in given:
        return given
    try:
        number = Decimal(_number(given).text)
    except ValueError:
        return given  # not a number, which is reported where it is read
    return format(number.scaleb(-2), "f")


def _number(given: Any) -> PrintedNumber:  # whatever is in a file
    if isinstance(given, PrintedNumber):
        return given
    if given is None:
        raise ValueError(
            "There is no number here. Write it as printed, or – where the paper prints none."
        )
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise ValueError(  # noqa: TRY004 - pydantic reports only ValueErrors
            f"'{given}' is not a number. Write it as printed, such as 0.50."
        )
    text = _strip_marks(given) if isinstance(given, str) else format(Decimal(repr(given)), "f")
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"'{given}' is not a number. {_remedy(text)}")
    return PrintedNumber(text)


def _remedy(text: str) -> str:
    if _TWO_NUMBERS.search(text):
        return "Write each number as printed under its own key, such as `value: 3.12, sd: 0.92`."
    return "Write it as printed, such as 0.50."


def _strip_marks(text: str) -> str:
    """A number without what surrounds it in a table: marks, a percent sign, separators."""
    bare = _MARKS.sub("", text.strip()).removesuffix("%").strip()
    bare = _MARKS.sub("", bare).strip()
    bare = _MINUS.sub("-", bare)
    if _GROUPED.fullmatch(bare):  # 1,234 is read as English papers print it
        return _SEPARATOR.sub("", bare)
    return bare.replace(",", ".") if _DECIMAL_COMMA.fullmatch(bare) else bare


def _cell(given: Any) -> PrintedNumber | None:  # whatever is in a file
    is_empty = isinstance(given, str) and given.strip().lower() in _EMPTY
    return None if is_empty else _number(given)


def _optional_cell(given: Any) -> PrintedNumber | None:  # whatever is in a file
    return None if given is None else _cell(given)


def _probability(given: Any) -> PrintedProbability:  # whatever is in a file
    if isinstance(given, PrintedProbability):
        return given
    text = _MARKS.sub("", _MINUS.sub("-", str(given).strip())).strip()
    if text.lower().replace(" ", "") in _NOT_SIGNIFICANT:
        return PrintedProbability(">", PrintedNumber("0.05"), is_words=True)
    found = _P.fullmatch(_LETTER_P.sub("", _P_COMMA.sub(".", text)))
    if found is None:
        raise ValueError(
            f"'{given}' is not a p value. Write it as printed: 0.208, < 0.001 or n.s.; for stars, "
            "the bound that the caption gives."
        )
    relation = {"≤": "<", "<=": "<", "≥": ">", ">=": ">", "≪": "<", "<<": "<"}.get(
        found["relation"] or "=", found["relation"] or "="
    )
    return PrintedProbability(relation, _number(as_share(found["number"])))


def _count(given: Any) -> Any:  # whatever is in a file
    bare = _strip_marks(given) if isinstance(given, str) else given
    return int(bare) if isinstance(bare, str) and bare.isdecimal() and bare.isascii() else given


_SCHEMA = WithJsonSchema({"type": ["number", "string"]}, mode="validation")

_MOST = 10**9  # larger than any real count; far larger ones are not valid floats or lengths

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
PrintedCell: TypeAlias = Annotated[PrintedNumber | None, BeforeValidator(_cell), _CELL, _SCHEMA]

# The same for a number that may be left out altogether.
OptionalPrintedCell: TypeAlias = Annotated[
    PrintedNumber | None,
    BeforeValidator(_optional_cell),
    PlainSerializer(lambda number: None if number is None else number.text),
    _SCHEMA,
]


def _label(given: Any) -> Any:  # whatever a file has here
    if isinstance(given, bool):
        raise ValueError(  # noqa: TRY004 - pydantic reports ValueErrors only
            "YAML reads this label as true or false. Put it in quotes, such as 'yes'."
        )
    return f"{given}" if isinstance(given, int | float) else given


Label: TypeAlias = Annotated[Text, BeforeValidator(_label)]


class TableCoefficient(Part):
    """A coefficient of agreement that the paper prints for a contingency table."""

    coefficient: Literal[
        "percent",
        "cohen-kappa",
        "cohen-kappa-linear",
        "cohen-kappa-quadratic",
        "krippendorff-alpha",
    ] = Field(description="Which coefficient.", examples=["cohen-kappa"])
    value: Printed = Field(description="As printed.", examples=["0.52"])
    place: str = Field("", description="Where it is printed.")

    @field_validator("value", mode="before")
    @classmethod
    def _in_its_unit(cls, given: Any, known: ValidationInfo) -> Any:  # whatever a file has here
        """Only percent agreement is counted in percent."""
        return given if known.data.get("coefficient") == "percent" else as_share(given)


class Contingency(Part):
    """How often two runs or annotators gave each pair of labels to the same units."""

    criterion: Slug = Field(description="Which criterion.", examples=["fluency"])
    rows: Text = Field(
        description="Whose labels are in the rows: the id of a paper, or an annotator's name.",
        examples=["steen-2025"],
    )
    columns: Text = Field(
        description="Whose labels are in the columns.", examples=["steen-2025-again"]
    )
    labels: Annotated[tuple[Label, ...], Field(min_length=2)] = Field(
        description="The labels in order, the same for rows and columns.",
        examples=[["bad", "good"]],
    )
    level: Literal["nominal", "ordinal", "interval"] = Field(
        description="Level of measurement; the labels of an interval scale must be numbers.",
        examples=["nominal"],
    )
    counts: tuple[tuple[CountOrZero, ...], ...] = Field(
        description="One list for each row of the table, without totals.",
        examples=[[[12, 3], [5, 20]]],
    )
    row_totals: tuple[CountOrZero, ...] = Field((), description="Totals of the rows, as printed.")
    column_totals: tuple[CountOrZero, ...] = Field(
        (), description="Totals of the columns, as printed."
    )
    total: CountOrZero | None = Field(None, description="The total of all cells, as printed.")
    coefficients: tuple[TableCoefficient, ...] = Field(
        (), description="Coefficients that the paper prints for this table."
    )
    place: str = Field("", description="Where it is printed, such as `Table 2`.")

    @property
    def values(self) -> tuple[float, ...] | None:
        """The numeric values of the labels; None if they are not all numbers."""
        try:
            return tuple(float(label) for label in self.labels)
        except ValueError:
            return None


def table_agreement(table: Contingency) -> dict[str, Estimate]:
    """The coefficients of agreement that follow from a table, by name."""
    import numpy as np

    from rejudge.stats import contingency_agreement

    values = None if table.values is None else np.array(table.values)
    counts = np.array(table.counts, dtype=np.int64)
    return contingency_agreement(counts, table.level, values=values)


TableFault: TypeAlias = tuple[tuple[str | int, ...], str, str]  # where in the entry, what, remedy


def table_faults(table: Contingency) -> Iterator[TableFault]:
    """Inconsistencies within a table; printed totals are left to the audit."""
    yield from _label_faults(table)
    yield from _size_faults(table)
    if table.rows == table.columns:
        yield (
            ("columns",),
            f"rows and columns are both '{table.rows}'.",
            "Name the two runs or annotators whose labels are compared.",
        )
    seen = set()
    for place, printed in enumerate(table.coefficients):
        name = printed.coefficient
        where = ("coefficients", place)
        if name in seen:
            yield where, f"{name} is given twice.", "Keep one of them."
        seen.add(name)
        if table.level == "nominal" and name in _WEIGHTED:
            yield (
                where,
                f"nominal labels have no {name}, since no two are closer than others.",
                "Change `level` to ordinal or interval, or the coefficient to cohen-kappa.",
            )


def _label_faults(table: Contingency) -> Iterator[TableFault]:
    same: dict[str | float, int] = {}
    names: tuple[str | float, ...] = table.labels
    if table.level == "interval" and table.values:
        names = table.values
    for place, name in enumerate(names):
        if same.setdefault(name, place) != place:
            yield (
                ("labels", place),
                f"the label '{table.labels[place]}' is given twice.",
                "Give each label once, in the order of the table.",
            )
    if table.level == "interval" and not _are_finite(table.values):
        yield (
            ("labels",),
            "the labels of an interval scale must be numbers, but not all of these are.",
            "Write numbers, or change `level` to ordinal.",
        )


def _are_finite(values: tuple[float, ...] | None) -> bool:
    return values is not None and all(abs(value) < float("inf") for value in values)


def _size_faults(table: Contingency) -> Iterator[TableFault]:
    wanted = len(table.labels)
    lists: dict[tuple[str | int, ...], tuple[int, str]] = {
        ("counts",): (len(table.counts), "rows"),
        **{
            ("counts", place): (len(row), "counts in this row")
            for place, row in enumerate(table.counts)
        },
        ("row_totals",): (len(table.row_totals) or wanted, "row totals"),
        ("column_totals",): (len(table.column_totals) or wanted, "column totals"),
    }
    for where, (size, what) in lists.items():
        if size != wanted:
            yield (
                where,
                f"there are {wanted} labels, but {size} {what}.",
                "Give one for each label, in the order of `labels`; write 0 for empty cells.",
            )
