"""A kind of question that is not part of rejudge: is something true of one output?"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from rejudge.study.kinds.question import Level, ScoreQuestion

_SCORES = {"no": 0.0, "yes": 1.0}


class YesNo(ScoreQuestion):
    """Whether something is true of one output."""

    kind: Literal["yes-no"] = Field(description="One output, yes or no?")
    yes: str = Field("Yes", description="The word for yes on the page.")
    no: str = Field("No", description="The word for no on the page.")

    usual_level: ClassVar[Level] = "ordinal"
    has_points: ClassVar[bool] = True
    seconds: ClassVar[float] = 3.0
    templates: ClassVar[Path | None] = Path(__file__).parent / "templates"

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(_SCORES.values())

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def task_in_words(self) -> str:
        return f"choice of {self.yes} or {self.no}"

    @property
    def elicitation(self) -> str:
        return "yes or no"

    def parse(self, raw: str, parts: int = 1) -> float:  # noqa: ARG002 - one output
        if raw not in _SCORES:
            raise self._refuse(raw, "Choose yes or no.")
        return _SCORES[raw]

    def spell(self, score: float) -> str:
        return "yes" if score else "no"
