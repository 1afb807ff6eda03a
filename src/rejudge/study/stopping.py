"""When a study may stop before all its participants have come: `stop` in study.yaml."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from rejudge.study.parts import Part, Slug

StopBoundary: TypeAlias = Literal["obrien-fleming", "pocock", "always-valid"]
_LEAST_GAP = 0.01


class Stop(Part):
    """Planned looks at the results, and the comparison that decides whether the study goes on."""

    looks: Annotated[int, Field(ge=2, le=20)] = Field(
        description="The number of looks at the results, including the last.", examples=[3]
    )
    boundary: StopBoundary = Field(
        "obrien-fleming",
        description="How strict each look is: strict at first (obrien-fleming), the same at all "
        "looks (pocock), or an interval that is valid at any time (always-valid).",
    )
    question: Slug = Field(
        description="The question of the comparison that decides.", examples=["fluency"]
    )
    systems: tuple[Slug, Slug] = Field(
        description="The two systems of the comparison that decides.",
        examples=[["ours", "baseline"]],
    )
    fractions: tuple[float, ...] | None = Field(
        None,
        description="The share of all places that is done at each look, rising to 1; equal steps "
        "when left out.",
        examples=[[0.5, 0.75, 1]],
    )

    @field_validator("systems", "fractions", mode="before")
    @classmethod
    def _a_list_will_do(cls, given: object) -> object:
        return tuple(given) if isinstance(given, list) else given

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.systems[0] == self.systems[1]:
            raise ValueError(f"'{self.systems[0]}' is compared with itself. Name two systems.")
        if self.fractions is None:
            return self
        if len(self.fractions) != self.looks:
            raise ValueError(
                f"there are {len(self.fractions)} fractions for {self.looks} looks. Give one for "
                "each look; the last is 1."
            )
        if self.fractions[-1] != 1:
            raise ValueError("the last look is at the end. Let the fractions end with 1.")
        if any(after - before < _LEAST_GAP for before, after in pairwise((0, *self.fractions))):
            raise ValueError(
                f"fractions rise by {_LEAST_GAP:g} or more from look to look. Write them in order, "
                "such as [0.5, 0.75, 1]."
            )
        return self

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of all places that is to be done at each look."""
        if self.fractions is not None:
            return self.fractions
        return tuple(look / self.looks for look in range(1, self.looks + 1))
