"""What every part of study.yaml is made of: the base class, types of short texts, and answers."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)

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


def answer_text(answer: object) -> object:
    """People write an answer as `4` or `[a, c]`; it is kept as `"4"` and `"a,c"`."""
    if isinstance(answer, list | tuple):
        return ",".join(str(answer_text(part)) for part in answer)
    is_number = isinstance(answer, int | float) and not isinstance(answer, bool)
    return f"{answer:.12g}" if is_number else answer


Answer: TypeAlias = Annotated[
    str,
    BeforeValidator(answer_text),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": ["string", "number"]},
                {"type": "array", "items": {"type": ["string", "number"]}},
            ]
        }
    ),
]
