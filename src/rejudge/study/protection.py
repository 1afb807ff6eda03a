"""What study.yaml says about data protection: how long data are kept, and for the record."""

from __future__ import annotations

from datetime import date as Day  # noqa: N812 - a type
from typing import Annotated, Final, Literal, Self, TypeAlias, get_args

from pydantic import Field, field_validator, model_validator

from rejudge.study.parts import Part

Erasure: TypeAlias = Literal["platform-ids", "times", "free-text", "everything"]
ERASURES: Final[tuple[Erasure, ...]] = get_args(Erasure)
_MOST_DAYS = 36_500  # a century


class Retention(Part):
    """Until when data about people are kept, and what is deleted then by `rejudge purge`."""

    until: Day | None = Field(
        None, description="The day on which they are deleted.", examples=["2028-06-30"]
    )
    days: Annotated[int, Field(ge=0, le=_MOST_DAYS)] | None = Field(
        None,
        description="Instead of a date: the number of days after the last answer.",
        examples=[365],
    )
    delete: tuple[Erasure, ...] = Field(
        ("platform-ids",),
        min_length=1,
        description="What is deleted: platform ids and their hashes; times, events and what "
        "browsers said; free text; or everything about participants.",
        examples=[["platform-ids", "free-text"]],
    )

    @field_validator("delete", mode="before")
    @classmethod
    def _one_may_stand_alone(cls, given: object) -> object:
        if isinstance(given, list):
            return tuple(given)
        return (given,) if isinstance(given, str) else given

    @model_validator(mode="after")
    def _has_one_end(self) -> Self:
        if (self.until is None) == (self.days is None):
            raise ValueError(
                "give either a date or a number of days, such as `until: 2028-06-30` or "
                "`days: 365`."
            )
        return self

    @property
    def erased(self) -> tuple[Erasure, ...]:
        """What is deleted, in one order and without what is said twice."""
        if "everything" in self.delete:
            return ("everything",)
        return tuple(each for each in ERASURES if each in self.delete)


class Processing(Part):
    """Facts for the record of processing that the study itself cannot know."""

    controller: str = Field(
        "", description="Who is responsible, with address.", examples=["University of Example"]
    )
    officer: str = Field(
        "", description="The data protection officer.", examples=["dpo@example.org"]
    )
    purpose: str = Field("", description="What the data are used for, in a sentence.")
    legal_basis: str = Field(
        "", description="The legal basis, in your own words.", examples=["consent"]
    )
    recipients: str = Field("", description="Who else receives data.")
    location: str = Field("", description="Where the site and the database run.")
    transfers: str = Field("", description="Countries that data are transferred to.")
    safeguards: str = Field("", description="What protects the data beyond what rejudge does.")
