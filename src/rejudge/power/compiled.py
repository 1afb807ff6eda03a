# ruff: noqa: PLR0917 - compiled functions take positional arguments only
"""Scores drawn and added up in one compiled pass; needs numba (the extra `speed`).

No table of answers is stored: a block's random numbers stay in the processor's cache. The numbers
differ from those of numpy, because chance is drawn in another order; their distribution is the
same. Numba keeps compiled code on disk, so only the first run on a machine waits for the compiler.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numba import int64, njit, uint64
from numpy.typing import NDArray

from rejudge.power.answers import PointRange, qualities
from rejudge.power.moments import Moments, without_rounding_errors

if TYPE_CHECKING:
    from rejudge.power.studies import StudyShape
    from rejudge.simulate.parameters import Parameters

Floats: TypeAlias = NDArray[np.float64]
State: TypeAlias = NDArray[np.uint64]  # of the random number generator
Truth: TypeAlias = tuple[Floats, Floats, Floats]  # qualities, spreads, and the points of the scale

_UNIT = 2.0**-53  # random numbers have 53 bits
_LAYERS = 256
_TAIL = 3.6541528853610088  # where the lowest of 256 layers begins to be tail


def draw_moments(
    shape: StudyShape,
    parameters: Parameters,
    scale: PointRange,
    studies: int,
    rng: np.random.Generator,
    *,
    is_rounded: bool = True,
) -> Moments:
    """The moments of scores of many studies (`answers.draw_scores`, `moments.moments_of`)."""
    s = shape.systems
    spreads = np.array([
        parameters.noise, parameters.system_by_item, parameters.item_difficulty,
        parameters.severity, parameters.system_by_participant, parameters.scale_use,
        parameters.careless,
    ])  # fmt: skip
    points = np.array([scale.steps_per_unit, scale.points - 1, float(is_rounded)])
    mean, parts = np.empty((studies, s)), np.empty((4, studies, s, s))
    state = rng.integers(2**64, size=4, dtype=np.uint64)
    sizes = np.array(shape.block_sizes)
    quality = np.array(qualities(parameters, s))
    _add_up(state, (quality, spreads, points), sizes, shape.participants_per_item, mean, parts)
    return without_rounding_errors(Moments(shape, mean, *parts))


def _edges() -> Floats:
    """The right edges of 256 layers of equal area under the normal curve, the lowest first
    (Marsaglia & Tsang 2000)."""
    area = _TAIL * math.exp(-(_TAIL**2) / 2) + math.sqrt(math.pi / 2) * math.erfc(_TAIL / 2**0.5)
    edges = [area / math.exp(-(_TAIL**2) / 2), _TAIL]
    while len(edges) < _LAYERS:
        height = math.exp(-(edges[-1] ** 2) / 2) + area / edges[-1]
        edges.append(math.sqrt(-2 * math.log(height)))
    return np.array([*edges, 0.0])


_EDGES = _edges()
_HEIGHTS = np.exp(-(_EDGES**2) / 2)


@njit(cache=True, inline="always")
def _random_bits(state: State) -> Any:  # Any: whole numbers are numba's here
    """The next 64 random bits: SFC64 (Doty-Humphrey 2010)."""
    drawn = state[0] + state[1] + state[3]
    state[3] += uint64(1)
    state[0] = state[1] ^ (state[1] >> uint64(11))
    state[1] = state[2] + (state[2] << uint64(3))
    state[2] = ((state[2] << uint64(24)) | (state[2] >> uint64(40))) + drawn
    return drawn


@njit(cache=True, inline="always")
def _uniform(state: State) -> float:
    return float(int64(_random_bits(state) >> uint64(11)) * _UNIT)


@njit(cache=True)
def _beyond_the_layer(state: State, layer: np.int64, x: float) -> float:
    """A normal number whose layer does not lie under the curve as a whole: one in a hundred."""
    while True:
        if layer == 0:
            while True:
                over = -math.log(1 - _uniform(state)) / _TAIL
                if -2 * math.log(1 - _uniform(state)) > over * over:
                    return _TAIL + over
        low, high = _HEIGHTS[layer], _HEIGHTS[layer + 1]
        if low + _uniform(state) * (high - low) < math.exp(-x * x / 2):
            return x
        drawn = _random_bits(state)
        layer = int64(drawn & uint64(255))
        x = int64(drawn >> uint64(11)) * _UNIT * _EDGES[layer]
        if x < _EDGES[layer + 1]:
            return x


@njit(cache=True)
def _fill_with_normals(state: State, out: Floats, count: int) -> None:
    """Normal numbers by layers; the generator's state stays in registers."""
    a, b, c, counter = state[0], state[1], state[2], state[3]
    for place in range(count):
        drawn = a + b + counter
        counter += uint64(1)
        a = b ^ (b >> uint64(11))
        b = c + (c << uint64(3))
        c = ((c << uint64(24)) | (c >> uint64(40))) + drawn
        layer = int64(drawn & uint64(255))
        x = int64(drawn >> uint64(11)) * _UNIT * _EDGES[layer]
        if x >= _EDGES[layer + 1]:
            state[0], state[1], state[2], state[3] = a, b, c, counter
            x = _beyond_the_layer(state, layer, x)
            a, b, c, counter = state[0], state[1], state[2], state[3]
        out[place] = -x if drawn & uint64(256) else x
    state[0], state[1], state[2], state[3] = a, b, c, counter


@njit(cache=True, nogil=True)
def _add_up(
    state: State, truth: Truth, sizes: NDArray[np.int64], k: int, mean: Floats, parts: Floats
) -> None:
    """Fill `mean` and `parts`: products of blocks, of items and participants in them, the rest."""
    s, largest = len(truth[0]), sizes.max()
    sums = np.empty((4, s, s))  # of blocks, items, people and single judgments
    total, own = np.empty(s), np.empty(s)
    chance = np.empty(max(largest * s, k) * (s + 2))
    tastes, habits = np.empty((k, s)), np.empty((k, 3))
    levels, items = np.empty((s, largest)), np.empty((s, largest))
    for study in range(len(mean)):
        sums[:] = 0.0
        total[:] = 0.0
        for size in sizes:
            _draw_people(state, truth[1], chance, tastes, habits)
            _draw_items(state, truth, chance, levels, size)
            items[:] = 0.0
            own[:] = 0.0
            for p in range(k):
                _fill_with_normals(state, chance, size * s)
                _score_all(state, truth, (tastes[p], habits[p], levels), chance, size)
                _add_person(chance, size, own, items, sums)
            for one in range(s):
                total[one] += own[one]
                for other in range(one, s):
                    sums[0, one, other] += own[one] * own[other] / (size * k)
                    sums[1, one, other] += _product(items[one], items[other], size)
        _finish(sums, total, k * sizes.sum(), mean[study], parts[:, study], k)


@njit(cache=True)
def _finish(sums: Floats, total: Floats, judged: int, mean: Floats, parts: Floats, k: int) -> None:
    """Take the larger parts off the smaller ones."""
    for one in range(len(total)):
        mean[one] = total[one] / judged
        for other in range(one, len(total)):
            block, item = sums[0, one, other], sums[1, one, other] / k
            people, cell = sums[2, one, other], sums[3, one, other]
            parts[0, one, other] = block - total[one] * total[other] / judged
            parts[1, one, other] = item - block
            parts[2, one, other] = people - block
            parts[3, one, other] = cell - item - people + block
            for part in range(4):
                parts[part, other, one] = parts[part, one, other]


@njit(cache=True)
def _draw_people(
    state: State, spreads: Floats, chance: Floats, tastes: Floats, habits: Floats
) -> None:
    """Tastes, and severity, width and carelessness, of the participants of a block."""
    k, s = tastes.shape
    _fill_with_normals(state, chance, k * (s + 2))
    for p in range(k):
        habits[p, 0] = spreads[3] * chance[p]
        habits[p, 1] = math.exp(spreads[5] * chance[k + p])
        habits[p, 2] = 1.0 if spreads[6] > 0 and _uniform(state) < spreads[6] else 0.0
        for one in range(s):
            tastes[p, one] = spreads[4] * chance[(2 + one) * k + p]


@njit(cache=True)
def _draw_items(state: State, truth: Truth, chance: Floats, levels: Floats, size: int) -> None:
    """How good each output of the items of a block is."""
    quality, spreads, _ = truth
    s, difficulty = len(quality), spreads[2]
    _fill_with_normals(state, chance, size * (s + 1 if difficulty > 0 else s))
    for one in range(s):
        for i in range(size):
            levels[one, i] = quality[one] + spreads[1] * chance[one * size + i]
            if difficulty > 0:
                levels[one, i] += difficulty * chance[s * size + i]


@njit(cache=True)
def _score_all(
    state: State, truth: Truth, person: tuple[Floats, Floats, Floats], chance: Floats, size: int
) -> None:
    """Turn chance into the scores that somebody gives, system by system."""
    tastes, habits, levels = person
    for one in range(len(tastes)):
        row = chance[one * size : (one + 1) * size]
        _score(truth[1][0], truth[2], (tastes[one], habits[0], habits[1]), levels[one], row)
        if habits[2] > 0:
            _guess(state, truth[2], row)


@njit(cache=True, fastmath=True)
def _score(
    noise: float, points: Floats, person: tuple[float, float, float], levels: Floats, row: Floats
) -> None:
    """Turn chance into the scores that somebody gives to the outputs of one system."""
    unit, top = points[0], points[1]
    taste, strict, width = person
    for i in range(len(row)):
        row[i] = unit * (strict + width * (levels[i] + taste + noise * row[i]))
    if points[2] > 0:
        for i in range(len(row)):
            row[i] = min(max(np.rint(row[i] + top / 2), 0.0), top) - top / 2


@njit(cache=True)
def _guess(state: State, points: Floats, row: Floats) -> None:
    """Scores of somebody who does not look."""
    for i in range(len(row)):
        row[i] = math.floor(_uniform(state) * (points[1] + 1)) - points[1] / 2


@njit(cache=True, fastmath=True)
def _add_person(scores: Floats, size: int, own: Floats, items: Floats, sums: Floats) -> None:
    """Add the scores of one participant to those of the block, the items and all products."""
    for one in range(len(own)):
        row = scores[one * size : (one + 1) * size]
        total = 0.0
        for i in range(size):
            items[one, i] += row[i]
            total += row[i]
        own[one] += total
        for other in range(one + 1):
            beside = scores[other * size : (other + 1) * size]
            sums[3, other, one] += _product(row, beside, size)
            sums[2, other, one] += _total(beside) * total / size


@njit(cache=True, fastmath=True)
def _total(row: Floats) -> float:
    total = 0.0
    for each in row:
        total += each
    return total


@njit(cache=True, fastmath=True)
def _product(one: Floats, other: Floats, count: int) -> float:
    total = 0.0
    for place in range(count):
        total += one[place] * other[place]
    return total
