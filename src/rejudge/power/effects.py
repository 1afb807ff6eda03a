"""From a difference on the scale of a question to qualities on the latent scale, and back.

The effect of interest is stated in the units of the results: points of the scale, or percentage
points of wins above one half. Simulated participants need it on the latent scale. What they say on
average follows from the normal distribution of all that varies; of best–worst answers, which have
no such formula, from a large sample that is always the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import Problem, UsageError
from rejudge.simulate.parameters import Parameters
from rejudge.stats.roots import find_root
from rejudge.study.kinds.question import Question

EffectUnit: TypeAlias = Literal["points of the scale", "percentage points"]
_FARTHEST = 40.0  # on the latent scale, whose scale is 4 long: nobody differs by more
_SAMPLE = 40_000
_EVEN = 50.0


def effect_unit(question: Question) -> EffectUnit:
    """The unit of a difference of two systems on a question."""
    return "percentage points" if question.is_comparison else "points of the scale"


def stated_truth(
    question: Question,
    parameters: Parameters,
    systems: Sequence[str],
    effect: float,
    *,
    pair: tuple[str, str] | None = None,
) -> Parameters:
    """Parameters in which the systems differ by the effect, whatever their qualities were before.

    Each system is better than the next one by the effect, in the order given; with a pair, its
    first system is better than its second one, and all others lie between them. Only the level of
    all systems together is kept.
    """
    offsets = _offsets(systems, pair)
    level = sum(parameters.quality.values()) / max(1, len(parameters.quality))
    qualities = (
        _compared(question, parameters, offsets, effect)
        if question.is_comparison
        else _scored(question, parameters, [offset * effect for offset in offsets], level)
    )
    return replace(parameters, quality=dict(zip(systems, qualities, strict=True)))


def true_differences(
    question: Question, parameters: Parameters, systems: Sequence[str]
) -> Mapping[tuple[str, str], float]:
    """The expected difference of each pair of systems, in the unit of the effect."""
    quality = [parameters.quality.get(name, 0.0) for name in systems]
    if question.is_comparison:
        return {
            (one, other): expected_wins(question, parameters, quality, (place, at)) - _EVEN
            for (place, one), (at, other) in combinations(enumerate(systems), 2)
        }
    scores = [expected_score(question, parameters, each) for each in quality]
    return {
        (one, other): scores[place] - scores[at]
        for (place, one), (at, other) in combinations(enumerate(systems), 2)
    }


def scale_points(question: Question) -> tuple[float, ...]:
    """The scores that simulated participants choose from."""
    points: tuple[float, ...] = getattr(question, "simulated_scores", (0.0, 1.0))
    return points


def expected_score(
    question: Question, parameters: Parameters, quality: float, *, power: int = 1
) -> float:
    """The mean score of a system of this quality; with power 2, that of the squared scores."""
    points = scale_points(question)
    middle, unit = (points[0] + points[-1]) / 2, (points[-1] - points[0]) / 4
    cuts = [((low + high) / 2 - middle) / unit for low, high in pairwise(points)]
    steps = [high**power - low**power for low, high in pairwise(points)]
    spread = math.sqrt(parameters.severity**2 + _variance(parameters))
    above = (_beyond(cut, quality, spread) for cut in cuts)
    attentive = points[0] ** power + math.fsum(map(math.prod, zip(steps, above, strict=True)))
    careless = math.fsum(point**power for point in points) / len(points)
    return (1 - parameters.careless) * attentive + parameters.careless * careless


def expected_wins(
    question: Question, parameters: Parameters, qualities: Sequence[float], pair: tuple[int, int]
) -> float:
    """The percentage of wins of one system over another, ties counted as half."""
    if question.is_implied and not question.is_order:
        shown = question.shows(len(qualities))
        return _sampled_wins(parameters, tuple(qualities), pair, shown)
    apart = qualities[pair[0]] - qualities[pair[1]]
    spread = math.sqrt(2 * (_variance(parameters) - parameters.item_difficulty**2))
    tie = parameters.tie_width if _allows_tie(question) else 0.0
    wins = 0.0
    for mean in (apart + parameters.position_bias, apart - parameters.position_bias):
        wins += (_beyond(tie, mean, spread) + _beyond(-tie, mean, spread)) / 4
    return 100 * ((1 - parameters.careless) * wins + parameters.careless / 2)


def _offsets(systems: Sequence[str], pair: tuple[str, str] | None) -> list[float]:
    """Where each system lies, in steps of the effect."""
    if pair is None:
        return [(len(systems) - 1) / 2 - place for place in range(len(systems))]
    return [(name == pair[0]) / 2 - (name == pair[1]) / 2 for name in systems]


def _scored(
    question: Question,
    parameters: Parameters,
    differences: Sequence[float],
    level: float,
) -> list[float]:
    centre = expected_score(question, parameters, level)
    low, high = (expected_score(question, parameters, end) for end in (-_FARTHEST, _FARTHEST))
    wanted = [centre + each for each in differences]
    room = 0.01 * (high - low)
    if min(wanted) < low + room or max(wanted) > high - room:
        raise _too_far(question, max(differences) - min(differences), "the scale")
    return [_quality_of(question, parameters, score) for score in wanted]


def _quality_of(question: Question, parameters: Parameters, score: float) -> float:
    return find_root(
        lambda at: expected_score(question, parameters, at) - score, -_FARTHEST, _FARTHEST
    )


def _compared(
    question: Question, parameters: Parameters, offsets: Sequence[float], effect: float
) -> list[float]:
    """Neighbours differ by the effect (of best–worst answers, the best two do); or a pair does."""
    steps = sorted(range(len(offsets)), key=lambda place: -offsets[place])
    is_pair = offsets[steps[0]] - offsets[steps[-1]] <= 1
    one, other = (steps[0], steps[-1]) if is_pair else (steps[0], steps[1])

    def excess(step: float) -> float:
        at = [step * offset for offset in offsets]
        return expected_wins(question, parameters, at, (one, other)) - _EVEN - effect

    if not abs(effect) < _EVEN or excess(_FARTHEST) * excess(-_FARTHEST) >= 0:
        raise _too_far(question, effect, "what choices can show")
    step = find_root(excess, -_FARTHEST, _FARTHEST)
    return [step * offset for offset in offsets]


def _too_far(question: Question, apart: float, limit: str) -> UsageError:
    what = f"systems {apart:g} {effect_unit(question)} apart on {question.id} are beyond "
    remedy = "Give a smaller --effect, or --pair A:B for the only two systems that differ."
    return UsageError(Problem(f"{what}{limit}.", remedy, field="--effect"))


def _variance(parameters: Parameters) -> float:
    """Of what one participant makes of one output, before their severity."""
    return (
        parameters.item_difficulty**2
        + parameters.system_by_item**2
        + parameters.system_by_participant**2
        + parameters.noise**2
    )


def _allows_tie(question: Question) -> bool:
    return bool(getattr(question, "allows_tie", False))


def _beyond(cut: float, mean: float, spread: float) -> float:
    """The share of a normal distribution above a cut; half of what lies on it."""
    if spread <= 0:
        return (mean > cut) + (mean == cut) / 2
    return math.erfc((cut - mean) / (spread * math.sqrt(2))) / 2


@lru_cache(maxsize=4)
def _deviates(systems: int) -> NDArray[np.float64]:
    return np.random.default_rng(17).standard_normal((_SAMPLE, systems))


@lru_cache(maxsize=64)
def _shown_sets(systems: int, pair: tuple[int, int], shown: int) -> NDArray[np.int64]:
    """Sets of systems that are shown together, the pair first and the others by chance."""
    others = [place for place in range(systems) if place not in pair]
    order = np.random.default_rng(18).random((_SAMPLE, len(others))).argsort(axis=1)
    drawn = np.array(others, dtype=np.int64)[order[:, : shown - len(pair)]]
    return np.concatenate([np.broadcast_to(pair, (_SAMPLE, len(pair))), drawn], axis=1)


def _sampled_wins(
    parameters: Parameters, qualities: tuple[float, ...], pair: tuple[int, int], shown: int
) -> float:
    """Of best–worst answers: the best beats all others, the worst loses to all, others are open."""
    spread = math.sqrt(_variance(parameters) - parameters.item_difficulty**2)
    quality = np.array(qualities)[_shown_sets(len(qualities), pair, shown)]
    seen = _deviates(shown) * spread + quality
    best, worst = seen.argmax(axis=1), seen.argmin(axis=1)
    won = (best == 0) | (worst == 1)
    lost = (best == 1) | (worst == 0)
    share = float(won.sum()) / max(1, int(won.sum() + lost.sum()))
    return 100 * ((1 - parameters.careless) * share + parameters.careless / 2)
