"""One output on a line from 0 to 100."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from rejudge.study.kinds.question import Bounds, Level, ScoreQuestion
from rejudge.study.parts import Text


class Slider(ScoreQuestion):
    """One output on a line from 0 to 100, without a preset."""

    kind: Literal["slider"] = Field(description="One output on a line from 0 to 100.")
    low: Text = Field(description="The words at 0.", examples=["not at all"])
    high: Text = Field(description="The words at 100.", examples=["perfectly"])

    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 100.0
    usual_level: ClassVar[Level] = "interval"
    seconds: ClassVar[float] = 8.0  # nothing is published: as for a rating
    fault: ClassVar[str] = "fault_slider"
    tolerance: ClassVar[float] = 10.0  # nobody hits a number on a line exactly
    slack: ClassVar[float] = 5.0

    @property
    def bounds(self) -> Bounds:
        return self.lowest, self.highest

    @property
    def lower_half(self) -> float:
        return 49.0

    @property
    def instructed_scores(self) -> tuple[float, ...]:
        return self.bounds

    @property
    def simulated_scores(self) -> tuple[float, ...]:
        return tuple(float(point) for point in range(101))

    @property
    def task_in_words(self) -> str:
        return "slider from 0 to 100"

    def parse(self, raw: str, parts: int = 1) -> float:  # noqa: ARG002 - one output, one number
        try:
            value = float(raw)
        except ValueError:
            value = float("nan")
        if not self.lowest <= value <= self.highest:
            raise self._refuse(raw, "Give a number from 0 to 100.")
        return value
