"""Answers of many studies at once, drawn with numpy.

A table of answers has the axes study, system, place of the participant in the block, and item. The
participants of different blocks are different people. A table of choices has a column for each pair
of systems instead of each system: 1 where the first is preferred, −1 where the second is, 0 for a
tie. Which of two outputs is shown first depends on the item, as in a plan: in every block, each is
first on half of the items.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rejudge.power.sizes import StudyShape
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
    noise = draw(parameters.noise, systems, k, items)
    by_item = draw(parameters.system_by_item, systems, 1, items)
    by_item = by_item + draw(parameters.item_difficulty, 1, 1, items)
    tastes = draw(parameters.system_by_participant, systems, k, shape.blocks)
    quality = np.asarray(qualities(parameters, systems), dtype=np.float32)[:, None, None]
    return np.asarray(noise + by_item + over_items(tastes, shape) + quality)


def draw_scores(
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
    k, blocks = shape.participants_per_item, shape.blocks
    marks += over_items(NormalDraws(rng, studies)(parameters.severity, 1, k, blocks), shape)
    marks *= np.float32(scale.steps_per_unit)
    if is_rounded:
        round_to_points(marks, scale)
    careless = draw_careless(shape, parameters, studies, rng)
    if careless.any():
        rows = np.broadcast_to(careless, marks.shape)
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


def draw_careless(
    shape: StudyShape, parameters: Parameters, studies: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether the participant of each item answers at random."""
    size = (studies, 1, shape.participants_per_item, shape.blocks)
    if parameters.careless <= 0:
        return np.zeros((1, 1, 1, 1), dtype=np.bool_)
    return over_items(rng.random(size, dtype=np.float32) < parameters.careless, shape)


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
    """Draws normal deviates for all studies; where the spread is 0, nothing is drawn."""

    def __init__(self, rng: np.random.Generator, studies: int) -> None:
        self._rng, self._studies = rng, studies

    def __call__(self, spread: float, *size: int) -> Table:
        if spread <= 0:
            return np.broadcast_to(np.float32(0), (self._studies, *size))
        drawn = self._rng.standard_normal((self._studies, *size), dtype=np.float32)
        drawn *= np.float32(spread)
        return drawn


# ── choices and rankings ──────────────────────────────────────────────────────────────────────────


def pairs_of(systems: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the second of each pair, in the order of `itertools.combinations`."""
    both = np.array(list(combinations(range(systems), 2)), dtype=np.int64)
    return both[:, 0], both[:, 1]


def difference_rows(systems: int) -> NDArray[np.float64]:
    """Differences of systems: pairs × systems."""
    first, second = pairs_of(systems)
    return np.asarray(np.eye(systems)[first] - np.eye(systems)[second])


def strength_rows(systems: int) -> NDArray[np.float64]:
    """Strengths from choices: systems × pairs."""
    return difference_rows(systems).T / systems


def draw_choices(
    shape: StudyShape,
    parameters: Parameters,
    studies: int,
    rng: np.random.Generator,
    *,
    has_ties: bool,
) -> Table:
    """Choices between the two outputs of each pair, every pair looked at by itself."""
    first, second = pairs_of(shape.systems)
    k, items, pairs = shape.participants_per_item, shape.items, len(first)
    draw = NormalDraws(rng, studies)
    chance = rng.standard_normal((studies, pairs, k, items), dtype=np.float32)
    chance *= np.float32(np.sqrt(2) * parameters.noise)
    quality = np.array(qualities(parameters, shape.systems))
    better = (quality[first] - quality[second]).astype(np.float32)[:, None, None]
    by_item = draw(parameters.system_by_item, shape.systems, 1, items)
    tastes = draw(parameters.system_by_participant, shape.systems, k, shape.blocks)
    known = better + (by_item[:, first] - by_item[:, second])
    known = known + over_items(tastes[:, first] - tastes[:, second], shape)
    known += np.float32(parameters.position_bias) * sides(shape)[:, None, :]
    seen = _look(shape, parameters, (known, chance), rng)
    width = parameters.tie_width if has_ties else 0.0
    return np.where(np.abs(seen) < width, np.float32(0), np.sign(seen))


def sides(shape: StudyShape) -> Table:
    """1 where the first system of a pair is shown first, −1 where the second is: pairs × items."""
    pairs = shape.systems * (shape.systems - 1) // 2
    turn = (np.arange(shape.items) + np.arange(pairs)[:, None]) % 2
    return (1 - 2 * turn).astype(np.float32)


def ranking_sides(shape: StudyShape) -> Table:
    """The same where all systems are shown together, each of them first in turn."""
    first, second = pairs_of(shape.systems)
    place = _places(shape)
    return np.where(place[first] < place[second], 1, -1).astype(np.float32)


def _places(shape: StudyShape) -> NDArray[np.int64]:
    """Where each system is shown on each item: all rotations of an order, then of its reverse."""
    s, turn = shape.systems, np.arange(shape.items)
    rotated = (np.arange(s)[:, None] - turn) % s
    return np.where(turn // s % 2 == 0, rotated, s - 1 - rotated)


def without_sides(table: Table, sides: Table, *, is_shared: bool) -> Table:
    """Choices without the effect of what is shown first, which is the same for all pairs or not.

    The effect is that of a regression within the table; it is estimated as in the mixed model
    where sides are balanced over the items of each block.
    """
    by_item = table.mean(axis=2, dtype=np.float64)
    apart = sides - sides.mean(axis=1, keepdims=True, dtype=np.float64)
    along, square = np.einsum("npi,pi->np", by_item, apart), np.square(apart).sum(axis=1)
    if is_shared:
        along, square = along.sum(axis=1, keepdims=True), square.sum(keepdims=True)
    effect = along / np.maximum(square, 1e-9)
    return np.asarray(table - (effect[:, :, None] * sides)[:, :, None, :], dtype=np.float32)


def _look(
    shape: StudyShape, parameters: Parameters, parts: tuple[Table, Table], rng: np.random.Generator
) -> Table:
    """How much better the first of two seems, from what is known of them and from chance.

    Careless people do not look: with them it is chance alone.
    """
    known, chance = parts
    seen = known + chance
    careless = draw_careless(shape, parameters, len(known), rng)
    if careless.any():
        if not parameters.noise:
            chance = rng.standard_normal(chance.shape, dtype=np.float32)
        seen = np.where(careless, chance, seen)
    return np.asarray(seen)


def draw_ranked(
    shape: StudyShape, parameters: Parameters, studies: int, rng: np.random.Generator
) -> Table:
    """How good the outputs of an item seem beside each other, higher is better."""
    seen = draw_opinions(shape, parameters, studies, rng)
    is_first = _places(shape) == 0
    seen += np.float32(parameters.position_bias) * is_first[:, None, :]
    careless = draw_careless(shape, parameters, studies, rng)
    if careless.any():
        seen = np.where(careless, rng.standard_normal(seen.shape, dtype=np.float32), seen)
    return seen


def implied_choices(seen: Table) -> Table:
    """The choice between each two systems that a ranking implies."""
    first, second = pairs_of(seen.shape[1])
    return np.asarray(np.sign(seen[:, first] - seen[:, second]))


def best_worst_scores(seen: Table) -> Table:
    """100 for the best output of a judgment, −100 for the worst, 0 for the others."""
    scores = np.zeros_like(seen)
    best = seen.argmax(axis=1)
    worst = seen.shape[1] - 1 - seen[:, ::-1].argmin(axis=1)  # the last where all seem equal
    np.put_along_axis(scores, best[:, None], np.float32(100), axis=1)
    np.put_along_axis(scores, worst[:, None], np.float32(-100), axis=1)
    return scores


def ranking_scores(choices: Table, systems: int) -> Table:
    """100 · (systems ranked below − above) / (systems − 1), from the implied choices."""
    rows = (strength_rows(systems) * 100 * systems / (systems - 1)).astype(np.float32)
    return np.asarray(np.tensordot(rows, choices, axes=(1, 1)).swapaxes(0, 1))
