"""One output on a scale of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field
from pydantic import model_validator as validate_model

from rejudge.study.kinds.question import Bounds, Level, ScoreQuestion, list_numbers, wrong_key
from rejudge.study.parts import Text


class PointScale(ScoreQuestion):
    """What rating and segments share: equidistant points with labels."""

    points: int = Field(5, ge=2, le=11, description="How many points the scale has, 2 to 11.")
    lowest: float = Field(1, description="The number of the lowest point, such as 0 or 1.")
    step: float = Field(1, gt=0, description="The distance between two points.")
    labels: dict[float, Text] = Field(
        default_factory=dict,
        description="Words by number of point: both ends, or all points.",
        examples=[{1: "bad", 5: "good"}],
    )

    usual_level: ClassVar[Level] = "ordinal"
    has_points: ClassVar[bool] = True

    @property
    def highest(self) -> float:
        """The number of the highest point."""
        return self.values[-1]

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(round(self.lowest + i * self.step, 9) for i in range(self.points))

    @property
    def bounds(self) -> Bounds:
        return self.lowest, self.highest

    @property
    def labels_by_value(self) -> Mapping[float, str]:
        return self.labels

    @validate_model(mode="after")
    def _labels_belong_to_points(self) -> PointScale:
        strangers = sorted(set(self.labels) - set(self.values))
        if strangers:
            raise wrong_key(
                "labels",
                f"the labels name {list_numbers(strangers)}, but the points are "
                f"{list_numbers(self.values)}. Label the ends or all of these points.",
            )
        unlabelled = sorted({self.lowest, self.highest} - set(self.labels))
        if self.labels and unlabelled:
            raise wrong_key(
                "labels",
                f"the end {list_numbers(unlabelled)} has no label. "
                "Label both ends, or all points, or none.",
            )
        return self

    @validate_model(mode="after")
    def _points_differ(self) -> PointScale:
        if len(set(self.values)) < self.points:
            raise wrong_key(
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
            raise self._refuse(raw, f"Choose one of {list_numbers(self.values)}.")
        return value


class Rating(PointScale):
    """One output on a scale of 2 to 11 points with any numbers, labelled at the ends or all."""

    kind: Literal["rating"] = Field(description="One output on a scale of points.")

    # Van Miltenburg et al. (2024) print 14 seconds per definition rated for fluency, of which one
    # sentence is about 6 of reading.
    seconds: ClassVar[float] = 8.0

    @property
    def task_in_words(self) -> str:
        return f"rating from {self.lowest:g} to {self.highest:g}"

    def parse(self, raw: str, parts: int = 1) -> float:  # noqa: ARG002 - one output, one point
        return self._point(raw)
