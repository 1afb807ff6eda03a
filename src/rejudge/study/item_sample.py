"""Which inputs of the item file take part: drawn at random, by strata, by weights, or listed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    WithJsonSchema,
    model_validator,
)

from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import Problem
from rejudge.study.parts import Count, Part, Text

if TYPE_CHECKING:
    from rejudge.study.model import Item

SampleMethod: TypeAlias = Literal["random", "stratified", "weighted", "listed"]
Allocation: TypeAlias = Literal["equal", "proportional"]

_YES = frozenset({"1", "x", "yes", "y", "true"})
_NO = frozenset({"", "0", "no", "n", "false"})
# What the sample's column says of an item, by method.
ROLES: Final[dict[SampleMethod, str]] = {
    "stratified": "stratum",
    "weighted": "weight",
    "listed": "selection",
}


def _as_id(given: object) -> object:
    """An id that looks like a number is written as one in YAML; `007` is read as 7, however."""
    is_whole = isinstance(given, int) and not isinstance(given, bool)
    return str(given) if is_whole else given


ItemId: TypeAlias = Annotated[
    Text, BeforeValidator(_as_id), WithJsonSchema({"type": ["string", "integer"]})
]


class Sample(Part):
    """How many inputs are drawn from the item file, and how."""

    inputs: Count | None = Field(
        None,
        description="How many inputs are judged; the rest can be used for checks. Not needed if "
        "they are listed.",
        examples=[100],
    )
    balance: bool = Field(
        True, description="Without `method`: the same number from each dataset, as far as possible."
    )
    method: SampleMethod | None = Field(
        None,
        description="random: each input is equally likely; stratified: a number from each stratum; "
        "weighted: probabilities in proportion to a column; listed: you choose. The analysis then "
        "weights inputs by their probabilities. When left out, inputs are drawn by `balance` and "
        "not weighted.",
    )
    column: Text | None = Field(
        None,
        description="The column of the item file that holds the strata (left out: the dataset), "
        "the weights, or yes for each item that is listed.",
    )
    allocation: Allocation | None = Field(
        None,
        description="Of strata: `equal` numbers from each (the default), or `proportional` to "
        "their size.",
    )
    ids: tuple[ItemId, ...] = Field((), description="The listed items, instead of a column.")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for wrong in self._contradictions():
            raise ValueError(wrong)
        return self

    def _contradictions(self) -> Iterator[str]:
        if self.inputs is None and self.method != "listed":
            yield "the number of inputs is missing. Write for instance `inputs: 100`."
        if self.method is not None and "balance" in self.model_fields_set:
            yield (
                "`balance` and `method` both say how inputs are drawn. Leave out `balance`; "
                "`method: stratified` takes the same number from each dataset."
            )
        if self.column is not None and self.method in {None, "random"}:
            yield "`column` needs `method: stratified`, `weighted` or `listed`. Add one of them."
        if self.allocation is not None and self.method != "stratified":
            yield "`allocation` is for strata. Leave it out, or write `method: stratified`."
        if self.ids and self.method != "listed":
            yield "`ids` are for inputs that you choose. Leave them out, or write `method: listed`."
        if self.method == "weighted" and self.column is None:
            yield "a weighted sample needs the column of the weights. Write `column: weight`."
        if self.method == "listed" and (self.column is None) == (not self.ids):
            yield "listed inputs are named by a column or by ids. Write either `column` or `ids`."

    @property
    def is_balanced(self) -> bool:
        """Whether the same number is to come from each dataset."""
        if self.method is None:
            return self.balance
        return self.method == "stratified" and self.column is None and not self.is_proportional

    @property
    def is_proportional(self) -> bool:
        """Whether larger strata give more inputs."""
        return self.allocation == "proportional"

    @property
    def role(self) -> str | None:
        """What its column says of an item; None where it needs none."""
        if self.method is None or self.column is None:
            return None
        return ROLES.get(self.method)


def read_weight(cell: Any) -> float | None:  # any JSON value
    """A weight of 0 or more; None if the cell holds anything else."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | str):
        return None
    try:
        weight = float(cell) if not isinstance(cell, str) or "_" not in cell else math.nan
    except (ValueError, OverflowError):
        return None
    return abs(weight) if weight >= 0 and math.isfinite(weight) else None


def read_mark(cell: Any) -> bool | None:  # any JSON value
    """Whether a cell marks its item as listed; None if it is neither yes nor no."""
    text = "" if cell is None else str(cell).strip().casefold()
    return True if text in _YES else False if text in _NO else None


def sample_problems(items: Sequence[Item], sample: Sample, *, file: str) -> Iterator[Problem]:
    """Listed ids that do not exist, and inputs of which only some items are listed."""
    known = {item.id for item in items}
    for name in dict.fromkeys(sample.ids):
        if name not in known:
            hint = did_you_mean(name, known) or "Write the id as in the item file."
            yield Problem(
                f"there is no item '{name}' in {file}.",
                f"{hint} Put ids with leading zeros into quotes.",
                file="study.yaml",
                field="items.sample.ids",
            )
    if sample.method == "listed":
        yield from _split_inputs(items, file)


def _split_inputs(items: Sequence[Item], file: str) -> Iterator[Problem]:
    """Items of one group are one input to a participant, who sees all of them or none."""
    listed: dict[str, list[bool]] = {}
    for item in items:
        listed.setdefault(item.group, []).append(item.is_listed)
    split = [group for group, marks in listed.items() if len(set(marks)) > 1]
    if split:
        yield Problem(
            f"only some items of {join_quoted(split)} are listed, but items of one group are shown "
            "together.",
            "List all items of the group, or none.",
            file=file,
        )
