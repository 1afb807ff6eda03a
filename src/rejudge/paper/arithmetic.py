"""Printed numbers that must fit each other: sums, differences, averages, power, durations."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from rejudge.paper.printed import Printed
from rejudge.study.questions import Part


class PrintedSum(Part):
    """Parts and the total that the paper prints of them."""

    kind: Literal["sum"] = "sum"
    what: str = Field(description="What is added up, such as `items by dataset`.")
    parts: tuple[Printed, ...] = Field(description="The parts, as printed.")
    total: Printed = Field(description="The total, as printed.")
    place: str = Field("", description="Where it is printed.")


Arithmetic: TypeAlias = Annotated[PrintedSum, Field()]
