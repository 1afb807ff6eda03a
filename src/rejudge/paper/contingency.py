"""A printed table that counts how often two runs or annotators gave each pair of labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from rejudge.paper.printed import CountOrZero, Printed, as_share
from rejudge.study.parts import Part, Slug, Text

if TYPE_CHECKING:
    from rejudge.stats import Agreement

_WEIGHTED = ("cohen-kappa-linear", "cohen-kappa-quadratic")


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
        description="Level of measurement; the labels of an interval scale are numbers.",
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
        """The numbers that labels stand for; None where they are not all numbers."""
        try:
            return tuple(float(label) for label in self.labels)
        except ValueError:
            return None


def table_agreement(table: Contingency) -> dict[str, Agreement]:
    """The coefficients of agreement that follow from a table, by name."""
    import numpy as np

    from rejudge.stats import contingency_agreement

    values = None if table.values is None else np.array(table.values)
    counts = np.array(table.counts, dtype=np.int64)
    return contingency_agreement(counts, table.level, values=values)


Fault: TypeAlias = tuple[tuple[str | int, ...], str, str]  # where in the entry, what, remedy


def table_faults(table: Contingency) -> Iterator[Fault]:
    """Where the parts of a table do not fit each other; printed totals are left to the audit."""
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


def _label_faults(table: Contingency) -> Iterator[Fault]:
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
            "the labels of an interval scale are numbers, and not all of these are.",
            "Write numbers, or change `level` to ordinal.",
        )


def _are_finite(values: tuple[float, ...] | None) -> bool:
    return values is not None and all(abs(value) < float("inf") for value in values)


def _size_faults(table: Contingency) -> Iterator[Fault]:
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
