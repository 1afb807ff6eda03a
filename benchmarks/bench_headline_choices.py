"""How often the default test of two systems is wrong where participants choose, and what it finds.

Items favour systems (SD 0.4) and participants do (SD 0.25), beside noise of SD 1 in each look at an
output. A comparison goes to the better of two looks, and is a tie where they are closer than a
threshold; a ranking orders the looks at all systems, a best–worst answer names the ends. In half
of the studies all systems are equally good, in the others B is better by 0.4.

Compared are A and B: by the model of their comparisons alone (`pair_model`), by the model of all
systems together (`choice_model`; `set_model` of whole rankings and best–worst answers), by the
check (`pair_rates`, cluster-robust), and by the sign test over all judgments. The headline of an
analysis is the first of them, of rankings and best–worst answers the second, and below five
participants the sign-flip test by item. Counted as in
bench_headline.py. Writes results/headline_choices.json; `--studies N` of each kind, `--only WORD`;

"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.stats import binomtest

import rates
from rejudge.stats import (
    ChoiceModel,
    Comparisons,
    JudgedSets,
    choice_model,
    pair_model,
    pair_rates,
    set_model,
    sign_flip,
)

RESULTS = Path(__file__).parent / "results" / "headline_choices.json"
SEED = 20270306
FAVOUR, LIKING = 0.4, 0.25  # SDs over items and over participants
TIE = 0.775  # looks closer than this: about 38 % of pairs
TIED = 0.5  # the preference of a tie
TRUTH_DRAWS = 2_000_000

Seats = tuple[np.ndarray, np.ndarray]  # item and participant of each judgment


@dataclass(frozen=True)
class Design:
    """A kind of study."""

    name: str
    seats: Callable[[np.random.Generator], Seats]
    kind: Literal["pairs", "best-worst", "ranking"] = "pairs"
    systems: int = 2
    tie: float = 0.0
    pull: float = 0.0  # of the output shown first
    first_share: float = 0.5  # of comparisons, in which A's output is shown first
    is_few: bool = False  # fewer than five participants: the headline is by item


def complete(items: int, participants: int) -> Callable[[np.random.Generator], Seats]:
    """Everybody judges every item."""
    item, participant = np.indices((items, participants)).reshape(2, -1)
    return lambda _: (item, participant)


def nested(batches: int, participants: int, items: int) -> Callable[[np.random.Generator], Seats]:
    """Each batch of items has participants of its own."""
    batch, participant, item = np.indices((batches, participants, items)).reshape(3, -1)
    return lambda _: (batch * items + item, batch * participants + participant)


def crowd(
    items: int, participants: int, each: int, zipf: float = 0.0
) -> Callable[[np.random.Generator], Seats]:
    """This many judgments of each item, by participants drawn with probability 1/rank^zipf."""
    weight = -zipf * np.log(np.arange(1, participants + 1))

    def draw(rng: np.random.Generator) -> Seats:
        chosen = np.argsort(-(weight + rng.gumbel(size=(items, participants))), axis=1)[:, :each]
        return np.repeat(np.arange(items), each), chosen.reshape(-1)

    return draw


DESIGNS = (
    Design("pairs: 100 items × 5 participants", complete(100, 5)),
    Design("pairs with ties: 100 × 10", complete(100, 10), tie=TIE),
    Design("pairs with ties: 10 items × 50 participants", complete(10, 50), tie=TIE),
    Design("pairs: 20 × 20", complete(20, 20)),
    Design("pairs with ties: 6 × 6", complete(6, 6), tie=TIE),
    Design("pairs with ties: crowd of 60, few do most, 300 × 3", crowd(300, 60, 3, 1.1), tie=TIE),
    Design("pairs: crowd of 30, 100 × 3", crowd(100, 30, 3)),
    Design("pairs: 20 batches × 3 participants × 20 items", nested(20, 3, 20)),
    Design(
        "pairs: the first shown is favoured, 100 × 5", complete(100, 5), pull=0.5, first_share=0.7
    ),
    Design("all pairs of three systems with ties: 50 × 6", complete(50, 6), systems=3, tie=TIE),
    Design(
        "all pairs of three systems: crowd of 60, few do most, 100 × 3",
        crowd(100, 60, 3, 1.1),
        systems=3,
    ),
    Design("best–worst of four: 50 × 5", complete(50, 5), "best-worst", 4),
    Design("best–worst of four: crowd of 20, 100 × 3", crowd(100, 20, 3), "best-worst", 4),
    Design("ranking of four: 50 × 6", complete(50, 6), "ranking", 4),
    Design("ranking of three: crowd of 30, 100 × 3", crowd(100, 30, 3), "ranking", 3),
    Design("pairs: 100 items × 3 participants", complete(100, 3), is_few=True),
)


@dataclass(frozen=True)
class Judged:
    """The judgments of one study: comparisons, their sides, and whole sets where there are any."""

    comparisons: Comparisons
    side: np.ndarray | None = None
    sets: JudgedSets | None = None


def judge(design: Design, rng: np.random.Generator, effect: float) -> Judged:
    """The judgments of a study in which B is better by `effect`."""
    return _judge(design, design.seats(rng), effect, rng)


def _judge(design: Design, seats: Seats, effect: float, rng: np.random.Generator) -> Judged:
    item, participant = seats
    favour = rng.normal(0, FAVOUR, (int(item.max()) + 1, design.systems))
    liking = rng.normal(0, LIKING, (int(participant.max()) + 1, design.systems))
    if design.is_few:
        liking -= liking.mean(axis=0)  # the truth is that of these participants
    liked = favour[item] + liking[participant]
    liked[:, 1] += effect
    if design.kind == "pairs":
        return _pairs(design, seats, liked, rng)
    return _sets(design, seats, liked + rng.normal(size=liked.shape))


def _pairs(design: Design, seats: Seats, liked: np.ndarray, rng: np.random.Generator) -> Judged:
    pairs = np.array(list(combinations(range(design.systems), 2)))
    row = np.tile(np.arange(len(liked)), len(pairs))
    first, second = np.repeat(pairs, len(liked), axis=0).T
    apart = liked[row, first] - liked[row, second] + np.sqrt(2) * rng.normal(size=len(row))
    side = np.where(rng.random(len(row)) < design.first_share, 1, -1) if design.pull else None
    if side is not None:
        apart += design.pull * side
    preference = np.where(apart > design.tie, 1.0, np.where(apart < -design.tie, 0.0, 0.5))
    item, participant = seats[0][row], seats[1][row]
    return Judged(Comparisons(first, second, preference, item, participant, design.systems), side)


def _sets(design: Design, seats: Seats, looks: np.ndarray) -> Judged:
    """Rankings, or the best and the worst: whole judgments and the comparisons they imply."""
    rank = looks.argsort(axis=1).argsort(axis=1)
    score = 2.0 * rank / (design.systems - 1) - 1
    if design.kind == "best-worst":
        score = np.trunc(score)
    pairs = np.array(list(combinations(range(design.systems), 2)))
    row = np.tile(np.arange(len(looks)), len(pairs))
    first, second = np.repeat(pairs, len(looks), axis=0).T
    apart = score[row, first] - score[row, second]
    decided = apart != 0
    row, first, second = row[decided], first[decided], second[decided]
    comparisons = Comparisons(
        first,
        second,
        (apart[decided] > 0) * 1.0,
        seats[0][row],
        seats[1][row],
        design.systems,
        row,
    )
    judgment, system = (axis.ravel() for axis in np.indices(score.shape))
    sets = JudgedSets(
        judgment, system, score.ravel(), seats[0][judgment], seats[1][judgment], design.systems
    )
    return Judged(comparisons, None, sets)


@cache
def truth(place: int, effect: float) -> tuple[float, float]:
    """What A wins against B in percent, and the difference of their scores in whole judgments, over
    very many items and participants who judge once."""
    if not effect:
        return 50.0, 0.0
    design = DESIGNS[place]
    every = np.arange(TRUTH_DRAWS // design.systems)
    rng = np.random.default_rng([SEED, place])
    judged = _judge(replace(design, first_share=0.5), (every, every), effect, rng)
    win = 100 * float(judged.comparisons.of(0, 1).preference.mean())
    if judged.sets is None:
        return win, 0.0
    score = judged.sets.score.reshape(-1, design.systems).mean(axis=0)
    return win, float(score[0] - score[1])


def study(seed: rates.Seed) -> dict[str, rates.Outcome]:
    """The outcome of each method in one study."""
    place = seed[1]
    design, effect = DESIGNS[place], rates.EFFECT * rates.has_effect(seed)
    win, score = truth(place, effect)
    judged = judge(design, np.random.default_rng(seed), effect)
    pair = judged.comparisons.of(0, 1)
    pairs = pair_rates(judged.comparisons)
    check = next(r for r in pairs if (r.first, r.second) == (0, 1))
    model = pair_model(judged.comparisons, (0, 1), side=judged.side)
    found = {
        "model": _of(model, win),
        "check": rates.outcome(check.p, check.interval, win),
        "sign test": _sign_test(pair.preference),
    }
    if design.is_few:
        flip = sign_flip(pair.preference, pair.item, rng=np.random.default_rng(seed))
        found["by item"] = rates.outcome(flip.p, None, win)
    elif judged.sets is not None:
        found["joint"] = _of(set_model(judged.sets, adjust="none"), score)
    elif len(pairs) > 1:
        found["joint"] = _of(choice_model(judged.comparisons, adjust="none"), win)
    return found


def _of(model: ChoiceModel, truth: float) -> rates.Outcome:
    contrast = model.contrast(0, 1)
    return rates.outcome(contrast.p, contrast.interval, truth)


def _sign_test(preference: np.ndarray) -> rates.Outcome:
    decided = preference[preference != TIED]
    return float(binomtest(int(decided.sum()), len(decided)).pvalue), None


def measure(place: int, studies: int) -> dict[str, Any]:
    """The rates of all methods in one design."""
    design = DESIGNS[place]
    headline = "by item" if design.is_few else "model" if design.kind == "pairs" else "joint"
    return {"headline": headline, "methods": rates.rates(study, (SEED, place), studies)}


if __name__ == "__main__":
    rates.run([each.name for each in DESIGNS], measure, RESULTS)
