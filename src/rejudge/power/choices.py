"""Choices and rankings of many studies at once, drawn with numpy.

A table of choices has a column for each pair of systems instead of each system: 1 where the first
is preferred, −1 where the second is, 0 for a tie. Which of two outputs is shown first depends on
the item, as in a plan: in every block, each is first on half of the items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rejudge.power.answers import (
    NormalDraws,
    Table,
    draw_careless,
    draw_opinions,
    draw_widths,
    over_items,
    qualities,
)
from rejudge.power.moments import pairs_of, strength_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.power.studies import StudyShape
    from rejudge.simulate.parameters import Parameters


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
    better = quality[first] - quality[second]
    known = np.broadcast_to(better.astype(np.float32)[:, None, None], chance.shape).copy()
    by_item = draw(parameters.system_by_item, shape.systems, 1, items)
    if by_item is not None:
        known += by_item[:, first] - by_item[:, second]
    tastes = draw(parameters.system_by_participant, shape.systems, k, shape.blocks)
    if tastes is not None:
        known += over_items(tastes[:, first] - tastes[:, second], shape)
    if parameters.position_bias:
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
    studies = len(known)
    seen = known + chance
    widths = draw_widths(shape, parameters, studies, rng)
    if widths is not None:
        seen *= over_items(widths, shape)
    careless = draw_careless(shape, parameters, studies, rng)
    if careless is not None:
        if not parameters.noise:
            chance = rng.standard_normal(chance.shape, dtype=np.float32)
        seen = np.where(over_items(careless, shape), chance, seen)
    return seen


def draw_ranked(
    shape: StudyShape, parameters: Parameters, studies: int, rng: np.random.Generator
) -> Table:
    """How good the outputs of an item seem beside each other, higher is better."""
    seen = draw_opinions(shape, parameters, studies, rng)
    if parameters.position_bias:
        is_first = _places(shape) == 0
        seen += np.float32(parameters.position_bias) * is_first[:, None, :]
    careless = draw_careless(shape, parameters, studies, rng)
    if careless is not None:
        chance = rng.standard_normal(seen.shape, dtype=np.float32)
        seen = np.where(over_items(careless, shape), chance, seen)
    return seen  # how much of a scale people use does not change an order


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
