"""Answers of many studies at once, drawn with numpy.

A table of answers has the axes study, system, place of the participant in the block, and item. The
participants of different blocks are different people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rejudge.power.studies import StudyShape
    from rejudge.simulate.parameters import Parameters

Table: TypeAlias = NDArray[np.float32]
Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True, slots=True)
class PointRange:
    """The points of a scale: equal steps from the lowest to the highest."""

    lowest: float
    highest: float
    step: float

    @property
    def middle(self) -> float:
        return (self.lowest + self.highest) / 2

    @property
    def steps_per_unit(self) -> float:
        """How many steps the unit of the latent scale has, which is a quarter of the scale."""
        return (self.points - 1) / 4

    @property
    def points(self) -> int:
        return round((self.highest - self.lowest) / self.step) + 1


def draw_opinions(
    shape: StudyShape, parameters: Parameters, studies: int, rng: np.random.Generator
) -> Table:
    """How good each output seems to each participant who judges it, before their severity."""
    k, items, systems = shape.participants_per_item, shape.items, shape.systems
    draw = NormalDraws(rng, studies)
    seen = draw(parameters.noise, systems, k, items)
    if seen is None:
        seen = np.zeros((studies, systems, k, items), dtype=np.float32)
    by_item = draw_by_item(shape, parameters, draw)
    tastes = draw(parameters.system_by_participant, systems, k, shape.blocks)
    if by_item is not None:
        seen += by_item
    if tastes is not None:
        seen += over_items(tastes, shape)
    seen += np.asarray(qualities(parameters, systems), dtype=np.float32)[:, None, None]
    return seen


def draw_by_item(shape: StudyShape, parameters: Parameters, draw: NormalDraws) -> Table | None:
    """What an item adds to the quality of each system."""
    own = draw(parameters.system_by_item, shape.systems, 1, shape.items)
    shared = draw(parameters.item_difficulty, 1, 1, shape.items)
    if own is None or shared is None:
        return shared if own is None else own
    return own + shared


def draw_scores(  # noqa: PLR0917 - what is simulated, for whom, how often
    shape: StudyShape,
    parameters: Parameters,
    scale: PointRange,
    studies: int,
    rng: np.random.Generator,
    *,
    is_rounded: bool = True,
) -> Table:
    """Scores of all outputs, as steps from the middle of the scale: small numbers are exact.

    With `is_rounded` false they are marks on a line without ends: closed forms can be checked.
    """
    marks = draw_opinions(shape, parameters, studies, rng)
    widths = draw_widths(shape, parameters, studies, rng)
    if widths is not None:
        marks *= over_items(widths, shape)
    k, blocks = shape.participants_per_item, shape.blocks
    severity = NormalDraws(rng, studies)(parameters.severity, 1, k, blocks)
    if severity is not None:
        marks += over_items(severity, shape)
    marks *= np.float32(scale.steps_per_unit)
    if is_rounded:
        round_to_points(marks, scale)
    careless = draw_careless(shape, parameters, studies, rng)
    if careless is not None:
        rows = np.broadcast_to(over_items(careless, shape), marks.shape)
        marks[rows] = random_scores(scale, int(np.count_nonzero(rows)), rng)
    return marks


def round_to_points(marks: Table, scale: PointRange) -> None:
    """Replace marks, in steps from the middle, by the nearest points of the scale."""
    top = np.float32(scale.points - 1)
    marks += top / 2
    np.rint(marks, out=marks)
    np.clip(marks, 0, top, out=marks)
    marks -= top / 2


def random_scores(scale: PointRange, count: int, rng: np.random.Generator) -> Table:
    """Points taken at random, in steps from the middle."""
    points = rng.integers(scale.points, size=count).astype(np.float32)
    return np.asarray(points - (scale.points - 1) / 2, dtype=np.float32)


def draw_widths(
    shape: StudyShape, parameters: Parameters, studies: int, rng: np.random.Generator
) -> Table | None:
    """How far from the middle each participant goes, relative to others; None if all alike."""
    draw = NormalDraws(rng, studies)
    drawn = draw(parameters.scale_use, 1, shape.participants_per_item, shape.blocks)
    return None if drawn is None else np.exp(drawn)


def draw_careless(
    shape: StudyShape, parameters: Parameters, studies: int, rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """Which participants answer at random; None if nobody does."""
    if parameters.careless <= 0:
        return None
    size = (studies, 1, shape.participants_per_item, shape.blocks)
    return np.asarray(rng.random(size, dtype=np.float32) < parameters.careless)


def over_items(by_person: NDArray[Kind], shape: StudyShape) -> NDArray[Kind]:
    """What is true of each participant, for each item of their block."""
    if shape.blocks == 1:
        return by_person
    return np.repeat(by_person, shape.block_sizes, axis=-1)


def qualities(parameters: Parameters, systems: int) -> tuple[float, ...]:
    """How good each system is, in the order of the study."""
    names = tuple(parameters.quality) or tuple(map(str, range(systems)))
    return tuple(parameters.qualities(names).values())


class NormalDraws:
    """Draws normal deviates for all studies; None where the spread is 0."""

    def __init__(self, rng: np.random.Generator, studies: int) -> None:
        self._rng, self._studies = rng, studies

    def __call__(self, spread: float, *size: int) -> Table | None:
        if spread <= 0:
            return None
        drawn = self._rng.standard_normal((self._studies, *size), dtype=np.float32)
        drawn *= np.float32(spread)
        return drawn
