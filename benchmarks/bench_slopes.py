"""Free random slopes beside equal ones: how often each is wrong, and how often it finds something.

Simulates whole studies as bench_headline.py does: ratings on five points cut from a latent normal
variable, in which items (standard deviation .7), participants (.5) and how far each item favours a
system (.4) vary beside a noise of 1. How far participants favour a system differs between systems
here, as the name of a design says: "B .8" has a standard deviation of .8 for B, all others have .1.

Counts the difference of two systems in the mixed model with coverage terms, with every system
varying equally (equal) and with free variances and correlations (free), and in the cluster-robust
test of these two systems alone that checks the model (check): the share of studies with
p < .05 where there is no difference (level) and where there is one of .4 (power), and how often the
95 % interval holds the true difference of the latter (coverage). Writes results/slopes.json;
`--studies N` of each kind, `--only WORD` of a design.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import rates
from bench_headline import CUTS, SPREAD, Who, crowd
from rejudge.analysis.columns import Scores
from rejudge.analysis.score_models import fit_contrasts
from rejudge.stats import adjusted_difference, coverage_terms

SEED = 20270411
STEADY, WIDE = 0.1, 0.8  # SD of a system over participants
RESULTS = Path(__file__).parent / "results" / "slopes.json"


@dataclass(frozen=True)
class Design:
    """A kind of study; the two systems of `pair` are compared."""

    name: str
    draw: Callable[[np.random.Generator], Who]
    by_person: tuple[float, ...]  # SD of each system over participants
    pair: tuple[int, int] = (0, 1)


def complete(items: int, people: int, systems: int = 2) -> Who:
    """Everybody judges every item for all systems."""
    return Who(*np.indices((items, people, systems)).reshape(3, -1))


def unequal_groups(rng: np.random.Generator, people: tuple[int, int], items: int, of: int) -> Who:
    """This many people judge A alone, and so many B alone, each on some of the items."""
    chosen = np.argsort(rng.random((sum(people), of)), axis=1)[:, :items]
    person = np.repeat(np.arange(sum(people)), items)
    return Who(chosen.reshape(-1), person, (person >= people[0]).astype(np.int64))


DESIGNS = (
    Design("100 × 10, both .25", lambda _: complete(100, 10), (0.25, 0.25)),
    Design("100 × 10, B .8", lambda _: complete(100, 10), (STEADY, WIDE)),
    Design("40 × 6, B .8", lambda _: complete(40, 6), (STEADY, WIDE)),
    Design("crowd of 60, 150 × 3, B .8", lambda rng: crowd(rng, (150, 60), 3), (STEADY, WIDE)),
    Design(
        "12 people judge A, 48 B, A .8",
        lambda rng: unequal_groups(rng, (12, 48), 20, 100),
        (WIDE, STEADY),
    ),
    Design(
        "three systems, 40 × 10, C .8: A − B",
        lambda _: complete(40, 10, 3),
        (STEADY, STEADY, WIDE),
    ),
    Design(
        "three systems, 40 × 10, C .8: A − C",
        lambda _: complete(40, 10, 3),
        (STEADY, STEADY, WIDE),
        (0, 2),
    ),
)


def ratings(design: Design, rng: np.random.Generator, effect: float) -> tuple[np.ndarray, Who]:
    """The scores of one study; the second system of the pair is better by `effect`."""
    who, systems = design.draw(rng), len(design.by_person)
    items, people = int(who.item.max()) + 1, int(who.participant.max()) + 1
    latent = rng.normal(0, SPREAD["item"], items)[who.item]
    latent += rng.normal(0, SPREAD["participant"], people)[who.participant]
    latent += rng.normal(0, SPREAD["item:system"], (items, systems))[who.item, who.system]
    by_person = rng.normal(size=(people, systems)) * np.array(design.by_person)
    latent += by_person[who.participant, who.system] + effect * (who.system == design.pair[1])
    return 1.0 + np.digitize(latent + rng.normal(size=len(latent)), CUTS), who


def true_difference(design: Design, effect: float) -> float:
    """The first system of the pair minus the second, in points of the scale."""
    shared = 1 + sum(SPREAD[name] ** 2 for name in ("item", "participant", "item:system"))
    spread = math.sqrt(shared + design.by_person[design.pair[1]] ** 2)
    above = stats.norm.sf((np.array(CUTS) - effect) / spread)
    return len(CUTS) / 2 - float(np.sum(above))  # without an effect half lies above the middle


def study(seed: rates.Seed) -> dict[str, rates.Outcome]:
    """The outcome with equal and with free slopes, and of the check, in one study."""
    rng, design = np.random.default_rng(seed), DESIGNS[seed[1]]
    effect = rates.EFFECT * rates.has_effect(seed)
    value, who = ratings(design, rng, effect)
    truth = true_difference(design, effect)
    table = Scores(value, who.system, who.item, who.participant)
    terms = coverage_terms(who.system, who.item, who.participant, systems=len(design.by_person))
    found = {}
    for slopes in ("equal", "free"):
        contrasts = fit_contrasts(table, terms, level=0.95, slopes=slopes)[1]
        pair = next(each for each in contrasts if (each.first, each.second) == design.pair)
        found[slopes] = rates.outcome(pair.p, pair.interval, truth)
    clusters = {"item": who.item, "participant": who.participant}
    check = adjusted_difference(value, who.system, design.pair, **clusters)
    return found | {"check": rates.outcome(check.p, check.interval, truth)}


def measure(place: int, studies: int) -> dict[str, Any]:
    """The rates of both models and of the check in one design."""
    return {"methods": rates.rates(study, (SEED, place), studies)}


if __name__ == "__main__":
    rates.run([each.name for each in DESIGNS], measure, RESULTS)
