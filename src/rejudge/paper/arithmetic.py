"""Printed numbers that must be consistent: sums, differences, power, correlations, durations.

Whole numbers are counts, which are exact, unless an entry says that they are `rounded`. Numbers
with decimals always count as rounded.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from rejudge.paper.printed import Count, CountOrZero, OptionalPrintedCell, Printed, PrintedP
from rejudge.study.parts import Part, Slug, Text


class Entry(Part):
    """What every entry has: what the numbers are, and where they are printed."""

    what: Text = Field(description="What the numbers are, such as `items by dataset`.")
    place: str = Field("", description="Where they are printed.")


class CalculatedEntry(Entry):
    """Numbers of which one follows from the others."""

    rounded: bool = Field(
        False, description="Whether whole numbers are rounded too, rather than exact counts."
    )


class PrintedSum(CalculatedEntry):
    """Parts and their printed total."""

    kind: Literal["sum"] = "sum"
    parts: Annotated[tuple[Printed, ...], Field(min_length=1)] = Field(
        description="The parts, as printed."
    )
    total: Printed = Field(description="The total, as printed.")


class PrintedDifference(CalculatedEntry):
    """Two numbers and their printed difference."""

    kind: Literal["difference"] = "difference"
    first: Printed = Field(description="What is subtracted from.")
    second: Printed = Field(description="What is subtracted.")
    difference: Printed = Field(description="First minus second, as printed.")
    absolute: bool = Field(False, description="Whether the sign was left out.")


class PrintedAverage(CalculatedEntry):
    """Numbers and their printed mean."""

    kind: Literal["average"] = "average"
    parts: Annotated[tuple[Printed, ...], Field(min_length=1)] = Field(
        description="What is averaged, as printed."
    )
    average: Printed = Field(description="The average, as printed.")


class PrintedProduct(CalculatedEntry):
    """Factors and their printed product."""

    kind: Literal["product"] = "product"
    factors: Annotated[tuple[Printed, ...], Field(min_length=2)] = Field(
        description="The factors, such as batches and people per batch."
    )
    product: Printed = Field(description="The product, as printed.")


class PrintedRatio(CalculatedEntry):
    """A part, its whole, and the printed share or rate."""

    kind: Literal["ratio"] = "ratio"
    part: Printed = Field(description="What is divided.")
    whole: Printed = Field(description="What it is divided by.")
    times: float = Field(1.0, gt=0, description="100 for a percentage, 60 for minutes to hours.")
    ratio: Printed = Field(description="Part / whole × times, as printed.")


class PrintedAgain(CalculatedEntry):
    """One quantity that is printed more than once."""

    kind: Literal["same"] = "same"
    values: Annotated[tuple[Printed, ...], Field(min_length=2)] = Field(
        description="The number, as each place prints it."
    )


class FromData(Entry):
    """A printed number and what the published judgments give for it."""

    kind: Literal["from-data"] = "from-data"
    printed: Printed = Field(description="As printed.")
    data: Printed = Field(description="What the data give, with all decimals that are known.")
    source: Text = Field(description="Which data, and how the number was computed from them.")


class PrintedFlow(Entry):
    """How many were planned, collected, excluded and kept."""

    kind: Literal["flow"] = "flow"
    planned: Count | None = Field(None, description="How many were planned.")
    collected: CountOrZero = Field(description="How many were collected.")
    left_out: CountOrZero = Field(0, description="How many of them were excluded.")
    kept: CountOrZero | None = Field(None, description="How many were analysed.")


class Counts(Entry):
    """How many items, judgments or people each group has, if all should have equally many."""

    kind: Literal["counts"] = "counts"
    counts: dict[Text, CountOrZero] = Field(description="How many, by group.")
    meant: Count | None = Field(
        None, description="How many each should have, according to the paper."
    )


class SpreadRow(Part):
    """A summary of numbers, such as one row of a table of times."""

    who: Text = Field(description="Whose numbers, as printed.")
    n: Count | None = Field(None, description="How many numbers.")
    low: OptionalPrintedCell = Field(None, description="The smallest.")
    high: OptionalPrintedCell = Field(None, description="The largest.")
    mean: OptionalPrintedCell = Field(None, description="The mean.")
    median: OptionalPrintedCell = Field(None, description="The median.")
    sd: OptionalPrintedCell = Field(None, description="The standard deviation.")
    total: OptionalPrintedCell = Field(None, description="The sum.")


class Durations(Entry):
    """How long people took, in rows that the paper prints; all numbers are rounded."""

    kind: Literal["durations"] = "durations"
    unit: Literal["seconds", "minutes", "hours"] = Field(description="The unit of time.")
    rows: Annotated[tuple[SpreadRow, ...], Field(min_length=1)] = Field(description="The rows.")


class PowerAnalysis(Entry):
    """A power analysis of a comparison of independent groups."""

    kind: Literal["power"] = "power"
    effect: Literal["f", "eta-squared", "partial-eta-squared", "d"] = Field(
        description="Which effect size is used."
    )
    value: Printed = Field(description="How large the effect is, as printed.")
    groups: int = Field(ge=2, description="How many groups are compared.")
    n: Count | None = Field(None, description="The sample size, as printed.")
    n_counts: Literal["per-group", "total"] = Field(
        "total", description="Whether the sample size is that of one group or of all."
    )
    alpha: float = Field(0.05, gt=0, lt=1, description="Level of the test.")
    power: Printed | None = Field(None, description="The power with this n, as printed.")
    target: float = Field(0.8, gt=0, lt=1, description="The target power.")
    needed: Count | None = Field(
        None, description="The n that the paper says is needed for the target."
    )
    needed_counts: Literal["per-group", "total", "unknown"] = Field(
        "unknown", description="Whether that is the size of one group or of all."
    )
    observed: bool = Field(False, description="Whether the effect is the observed one.")


class PrintedCorrelation(Entry):
    """A correlation with its p value."""

    kind: Literal["correlation"] = "correlation"
    coefficient: Literal["pearson", "spearman"] = Field(description="Which coefficient.")
    value: Printed = Field(description="As printed.")
    n: Count = Field(description="How many pairs of values.")
    p: PrintedP = Field(description="As printed, such as `0.208` or `< 0.05`.")


class PrintedMeanWithOthers(Entry):
    """A table of correlations between people, and their mean correlations with the others."""

    kind: Literal["mean-with-others"] = "mean-with-others"
    table: Annotated[tuple[tuple[Printed | None, ...], ...], Field(min_length=2)] = Field(
        description="The square table; null where a cell is unreadable."
    )
    between: tuple[Printed, Printed] | None = Field(
        None, description="The lowest and the highest correlation named in the text."
    )
    lowest: Printed | None = Field(None, description="The lowest mean that is printed.")
    highest: Printed | None = Field(None, description="The highest mean that is printed.")


class RandomEffect(Part):
    """One random effect of a mixed model."""

    of: Literal["participant", "item", "batch", "other"] = Field(description="What varies.")
    variance: Printed | None = Field(None, description="As printed.")
    sd: Printed | None = Field(None, description="Its standard deviation, as printed.")


class FixedEffect(Part):
    """One row of the table of fixed effects."""

    name: Text = Field(description="As printed.")
    estimate: Printed = Field(description="As printed.")
    se: Printed = Field(description="Standard error, as printed.")
    statistic: Printed | None = Field(None, description="Estimate / SE, as printed.")
    interval: tuple[Printed, Printed] | None = Field(None, description="Its 95 % interval.")


class MixedModel(Entry):
    """A mixed model of judgments."""

    kind: Literal["mixed-model"] = "mixed-model"
    items_shared: bool = Field(
        True, description="Whether several people judged the same items, as is usual."
    )
    random: tuple[RandomEffect, ...] = Field((), description="Its random effects.")
    fixed: tuple[FixedEffect, ...] = Field((), description="Its fixed effects.")


class NamedCorrection(Entry):
    """A correction for several tests: its name, and what was done."""

    kind: Literal["correction"] = "correction"
    named: Literal["holm", "bonferroni"] = Field(description="The name used in the paper.")
    p: tuple[Printed, ...] = Field((), description="The p values before it.")
    adjusted: tuple[Printed, ...] = Field((), description="The p values after it, in that order.")
    divided_by: tuple[Count, ...] = Field(
        (), description="What alpha was divided by for each test, from the smallest p on."
    )


class CVStarFormula(Entry):
    """The formula of CV* as the paper prints it."""

    kind: Literal["cv-star-formula"] = "cv-star-formula"
    factor: Literal["1 + 1/(4n)", "1/(4n)", "none"] = Field(
        description="What multiplies s* / mean."
    )
    criterion: Slug | None = Field(
        None, description="The criterion whose figures it gives; omit for all."
    )


Arithmetic: TypeAlias = Annotated[
    PrintedSum
    | PrintedDifference
    | PrintedAverage
    | PrintedProduct
    | PrintedRatio
    | PrintedAgain
    | FromData
    | PrintedFlow
    | Counts
    | Durations
    | PowerAnalysis
    | PrintedCorrelation
    | PrintedMeanWithOthers
    | MixedModel
    | NamedCorrection
    | CVStarFormula,
    Field(discriminator="kind"),
]
