"""What every part of study.yaml is made of: the base class, and the types of short texts."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SLUG = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
Slug: TypeAlias = Annotated[str, StringConstraints(pattern=SLUG)]
Count: TypeAlias = Annotated[int, Field(ge=1)]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Part(BaseModel):
    """A part of study.yaml: frozen, and every unknown key is an error."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        allow_inf_nan=False,
        defer_build=True,  # the validator of a part is made when it is first needed
    )
