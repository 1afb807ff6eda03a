"""The kinds of question a participant can be asked.

A kind is one class: its fields, how many outputs it puts side by side (`shows`), the level of
measurement of its answers (`level`), and how a raw answer becomes a value (`parse`).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic import model_validator as validate_model
from pydantic_core import PydanticCustomError

from rejudge.errors import DataError

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Value: TypeAlias = "str | float | tuple[str, ...] | tuple[float, ...]"
SLUG = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
Slug: TypeAlias = Annotated[str, StringConstraints(pattern=SLUG)]
Count: TypeAlias = Annotated[int, Field(ge=1)]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # the options of a task, in the order shown


class Part(BaseModel):
    """A part of study.yaml: frozen, and every unknown key is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, allow_inf_nan=False
    )


class _Question(Part):
    id: Slug = Field(
        description="Short name of the criterion, used in every table.", examples=["fluency"]
    )
    prompt: Text = Field(
        description="The question as participants read it.", examples=["How fluent is this text?"]
    )
    definition: str = Field("", description="What the criterion means; one tap away on the page.")
    beside: tuple[Literal["input", "reference"], ...] = Field(
        ("input",), description="What is shown beside the outputs: the input, the reference, both."
    )
    required: bool = Field(True, description="Whether an answer is needed to go on.")
    measured: Level | None = Field(
        None,
        description="Level of measurement, where it is not the usual one of the kind.",
        examples=["interval"],
    )

    usual_level: ClassVar[Level]

    @property
    def level(self) -> Level:
        """The level of measurement that agreement and tests take into account."""
        return self.measured or self.usual_level

    def shows(self, systems: int) -> int:
        """How many outputs stand side by side, in a study of so many systems."""
        raise NotImplementedError

    def parse(self, raw: str, parts: int) -> Value:
        """A raw answer as a value; `parts` is the number of outputs (or segments) shown."""
        raise NotImplementedError

    def _refuse(self, raw: str, remedy: str) -> DataError:
        return DataError(f"'{raw}' is no answer to '{self.id}'. {remedy}")


class _Scaled(_Question):
    """What rating and segments share: equidistant points with labels."""

    points: int = Field(5, ge=2, le=11, description="How many points the scale has, 2 to 11.")
    lowest: float = Field(1, description="The number of the lowest point, such as 0 or 1.")
    step: float = Field(1, gt=0, description="The distance between two points.")
    labels: dict[float, Text] = Field(
        default_factory=dict,
        description="Words by number of point: both ends, or all points.",
        examples=[{1: "bad", 5: "good"}],
    )

    @property
    def highest(self) -> float:
        """The number of the highest point."""
        return self.values[-1]

    @property
    def values(self) -> tuple[float, ...]:
        """All points, from the lowest to the highest."""
        return tuple(round(self.lowest + i * self.step, 9) for i in range(self.points))

    @validate_model(mode="after")
    def _labels_belong_to_points(self) -> _Scaled:
        strangers = sorted(set(self.labels) - set(self.values))
        if strangers:
            raise _wrong_key(
                "labels",
                f"the labels name {_numbers(strangers)}, but the points are "
                f"{_numbers(self.values)}. Label the ends or all of these points.",
            )
        unlabelled = sorted({self.lowest, self.highest} - set(self.labels))
        if self.labels and unlabelled:
            raise _wrong_key(
                "labels",
                f"the end {_numbers(unlabelled)} has no label. "
                "Label both ends, or all points, or none.",
            )
        return self

    @validate_model(mode="after")
    def _points_differ(self) -> _Scaled:
        if len(set(self.values)) < self.points:
            raise _wrong_key(
                "step",
                f"with a step of {self.step:g} the points are too near to tell apart. "
                "Write a larger step, such as `step: 1`.",
            )
        return self

    def _point(self, raw: str) -> float:
        try:
            value = float(raw)
        except ValueError:
            value = float("nan")
        if value not in self.values:
            raise self._refuse(raw, f"Choose one of {_numbers(self.values)}.")
        return value


class Pairwise(_Question):
    """Which of two outputs is better; with `tie`, «about the same» is an answer too."""

    kind: Literal["pairwise"] = Field(description="Two outputs, which is better?")
    tie: bool = Field(False, description="Whether «about the same» can be chosen.")

    usual_level: ClassVar[Level] = "nominal"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - a pair is two, whatever the study
        return 2

    def parse(self, raw: str, parts: int = 2) -> str:
        allowed = (*LETTERS[:parts], "tie") if self.tie else tuple(LETTERS[:parts])
        if raw not in allowed:
            raise self._refuse(raw, f"Choose one of {', '.join(allowed)}.")
        return raw


class Rating(_Scaled):
    """One output on a scale of 2 to 11 points with any numbers, labelled at the ends or all."""

    kind: Literal["rating"] = Field(description="One output on a scale of points.")

    usual_level: ClassVar[Level] = "ordinal"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - one output at a time
        return 1

    def parse(self, raw: str, parts: int = 1) -> float:  # noqa: ARG002 - one output, one point
        return self._point(raw)


class Slider(_Question):
    """One output on a line from 0 to 100, without a preset."""

    kind: Literal["slider"] = Field(description="One output on a line from 0 to 100.")
    low: Text = Field(description="The words at 0.", examples=["not at all"])
    high: Text = Field(description="The words at 100.", examples=["perfectly"])

    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 100.0
    usual_level: ClassVar[Level] = "interval"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - one output at a time
        return 1

    def parse(self, raw: str, parts: int = 1) -> float:  # noqa: ARG002 - one output, one number
        try:
            value = float(raw)
        except ValueError:
            value = float("nan")
        if not self.lowest <= value <= self.highest:
            raise self._refuse(raw, "Give a number from 0 to 100.")
        return value


class BestWorst(_Question):
    """The best and the worst of n outputs."""

    kind: Literal["best-worst"] = Field(description="The best and the worst of n.")
    of: int = Field(4, ge=3, le=8, description="How many outputs stand side by side, 3 to 8.")

    usual_level: ClassVar[Level] = "nominal"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - the study says how many
        return self.of

    def parse(self, raw: str, parts: int) -> tuple[str, ...]:
        answer = tuple(raw.split(","))
        fits = len(answer) == 2 and answer[0] != answer[1]  # noqa: PLR2004 - best and worst
        if not fits or any(letter not in LETTERS[:parts] or not letter for letter in answer):
            raise self._refuse(raw, "Give the best and another one as the worst, such as 'a,c'.")
        return answer


class Ranking(_Question):
    """The outputs in order, the best first; all systems, or `of` of them."""

    kind: Literal["ranking"] = Field(description="Outputs in order, the best first.")
    of: int | None = Field(
        None, ge=2, le=8, description="How many outputs to rank; all systems when left out."
    )

    usual_level: ClassVar[Level] = "ordinal"

    def shows(self, systems: int) -> int:
        return self.of or systems

    def parse(self, raw: str, parts: int) -> tuple[str, ...]:
        answer = tuple(raw.split(","))
        if sorted(answer) != sorted(LETTERS[:parts]):
            raise self._refuse(raw, f"Give each of {', '.join(LETTERS[:parts])} once, best first.")
        return answer


class Segments(_Scaled):
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

    usual_level: ClassVar[Level] = "ordinal"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - one output at a time
        return 1

    def parse(self, raw: str, parts: int) -> tuple[float, ...]:
        answers = raw.split(",")
        if len(answers) != parts:
            raise self._refuse(raw, f"There are {parts} segments, so give {parts} numbers.")
        return tuple(self._point(answer) for answer in answers)


Question: TypeAlias = Annotated[
    Pairwise | Rating | Slider | BestWorst | Ranking | Segments, Field(discriminator="kind")
]
KINDS: tuple[type[_Question], ...] = (Pairwise, Rating, Slider, BestWorst, Ranking, Segments)


def _wrong_key(key: str, message: str) -> PydanticCustomError:
    """A fault of a whole question that one of its keys is to blame for."""
    return PydanticCustomError("wrong_key", "{message}", {"message": message, "key": key})


def _numbers(values: tuple[float, ...] | list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
