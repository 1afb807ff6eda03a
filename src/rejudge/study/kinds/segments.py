"""Each sentence of a text on a scale of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from rejudge.study.kinds.question import Opinion, Segmentation, join_parts
from rejudge.study.kinds.rating import PointScale


class Segments(PointScale):
    """Each sentence of an output (or of the reference) on a scale of its own."""

    kind: Literal["segments"] = Field(description="Each sentence on a scale.")
    unit: Literal["output", "reference"] = Field(
        "output",
        description="Whose sentences are scored: those of the output or of the reference.",
    )
    split: Literal["sentences", "lines", "marker"] = Field(
        "sentences", description="Where a segment ends: found by language, a new line, a marker."
    )
    marker: str = Field("‖", min_length=1, description="The marker, when `split` is marker.")

    is_segmented: ClassVar[bool] = True
    scoring: ClassVar[str] = "mean over sentences"
    seconds: ClassVar[float] = 6.0  # nothing is published: guessed from ratings
    seconds_per: ClassVar[Literal["answer", "output", "segment"]] = "segment"
    fault: ClassVar[str] = "fault_segments"

    @property
    def segmentation(self) -> Segmentation:
        return Segmentation(self.unit, self.split, self.marker)

    @property
    def task_in_words(self) -> str:
        return f"score of each segment from {self.lowest:g} to {self.highest:g}"

    @property
    def elicitation(self) -> str:
        return "rating of each sentence"

    def parse(self, raw: str, parts: int) -> tuple[float, ...]:
        answers = raw.split(",")
        if len(answers) != parts:
            raise self._refuse(raw, f"There are {parts} segments, so give {parts} numbers.")
        return tuple(self._point(answer) for answer in answers)

    def simulated_answer(self, opinion: Opinion, parts: int) -> str:
        return ",".join(self.spell(opinion.score(self.values)) for _ in range(parts))

    def first_answer(self, parts: int) -> str:
        return ",".join([self.spell(self.highest)] * parts)

    def raw_answer(self, form: Mapping[str, str], name: str, parts: int) -> str | None:
        return join_parts(form.get(f"{name}:{number}", "") for number in range(parts))

    def controls(self, name: str, raw: str) -> dict[str, str]:
        return {f"{name}:{number}": point for number, point in enumerate(raw.split(","))}
