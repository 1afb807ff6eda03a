"""How often the default test of two systems is wrong, and how often it finds a difference.

Simulates whole studies: ratings on five points cut from a latent normal variable, in which items,
participants and how far each of them favours a system vary (standard deviations .7, .5, .4 and .25
beside a noise of 1). In half of the studies the two systems are equally good, in the others B is
better by .4 on the latent scale. Designs are complete or sparse, even or dominated by few people,
and such in which a system was judged on harder items or by stricter people.

Counts for the headline of an analysis (mixed model with coverage terms; below five participants the
paired t test by item), its check (cluster-robust, within items) and, beside them, the plain mixed
model and the raw difference of means: the share of studies with p < .05 where there is no
difference (level) and where there is one (power), and how often the 95 % interval holds the true
difference of the latter (coverage). Writes results/headline.json; `--studies N` of each kind,
`--only WORD` of a design.
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
from rejudge.analysis.columns import Scores
from rejudge.analysis.score_models import fit_contrasts
from rejudge.stats import adjusted_difference, coverage_terms, mean_difference

SEED = 20270305
CUTS = (-1.5, -0.5, 0.5, 1.5)
HIGH_CUTS = (-4.5, -3.5, -2.5, -1.2)  # four fifths have the top score
SPREAD = {"item": 0.7, "participant": 0.5, "item:system": 0.4, "participant:system": 0.25}
SENTENCES = 9  # of an output at most, where they are scored one by one
SENTENCE = 0.5  # SD between the sentences of an output
RESULTS = Path(__file__).parent / "results" / "headline.json"


@dataclass(frozen=True)
class Who:
    """Who judged what: one row for each judgment."""

    item: np.ndarray
    participant: np.ndarray
    system: np.ndarray


@dataclass(frozen=True)
class Design:
    """A kind of study. Items and people with high codes may be harder or stricter."""

    name: str
    draw: Callable[[np.random.Generator], Who]
    is_harder: bool = False  # the later half of the items is harder
    is_stricter: bool = False  # the later half of the people is stricter
    cuts: tuple[float, ...] = CUTS
    is_few: bool = False  # fewer than five participants: the headline is by item
    has_sentences: bool = False  # outputs are scored sentence by sentence, and averaged

    @property
    def noise(self) -> float:
        """The variance of one score of an output, items and participants aside."""
        return 1 + self.has_sentences * SENTENCE**2


def complete(items: int, people: int) -> Who:
    """Everybody judges every item for both systems."""
    return Who(*np.indices((items, people, 2)).reshape(3, -1))


def crowd(rng: np.random.Generator, size: tuple[int, int], each: int, *, zipf: float = 0.0) -> Who:
    """This many judgments of each output, by people drawn with probabilities like 1/rank^zipf.

    `size`: items and people.
    """
    items, people = size
    chance = 1 / np.arange(1, people + 1) ** zipf
    keys = np.log(chance) + rng.gumbel(size=(items * 2, people))  # without replacement
    chosen = np.argsort(-keys, axis=1)[:, :each]
    output = np.repeat(np.arange(items * 2), each)
    return Who(output // 2, chosen.reshape(-1), output % 2)


def nested(batches: int, people: int, items: int) -> Who:
    """Each batch of items has people of its own."""
    batch, person, item, system = np.indices((batches, people, items, 2)).reshape(4, -1)
    return Who(batch * items + item, batch * people + person, system)


def one_system(rng: np.random.Generator, people: int, items: int, of: int) -> Who:
    """Each person judges one system, on so many of the items."""
    chosen = np.argsort(rng.random((people, of)), axis=1)[:, :items]
    person = np.repeat(np.arange(people), items)
    return Who(chosen.reshape(-1), person, person % 2)


def drawn(rng: np.random.Generator, items: int, each: int, people: int) -> Who:
    """Each item has judgments by so many people, each of a system drawn by lot."""
    chosen = np.argsort(rng.random((items, people)), axis=1)[:, :each]
    item = np.repeat(np.arange(items), each)
    return Who(item, chosen.reshape(-1), rng.integers(0, 2, items * each))


def of_b(who: Who, kept: np.ndarray) -> Who:
    """All judgments of A, and some of B."""
    rows = (who.system == 0) | kept
    return Who(who.item[rows], who.participant[rows], who.system[rows])


def later_half(who: Who) -> Who:
    """B was judged on the later half of the items alone."""
    return of_b(who, who.item >= (who.item.max() + 1) // 2)


def later_more_often(rng: np.random.Generator, who: Who) -> Who:
    """The later an item, the likelier B was judged on it."""
    share = 0.2 + 0.8 * who.item / (who.item.max() + 1)
    return of_b(who, rng.random(len(share)) < share)


def late_people_more_often(rng: np.random.Generator, who: Who) -> Who:
    """The later half of the people judged B more often."""
    share = np.where(who.participant > who.participant.max() / 2, 1.0, 0.3)
    return of_b(who, rng.random(len(share)) < share)


def in_a_twelfth(rng: np.random.Generator, who: Who) -> Who:
    """B was judged in every twelfth cell."""
    return of_b(who, rng.random(len(who.item)) < 1 / 12)


def shared(who: Who, items: int) -> Who:
    """This many items have both systems; the other early ones have A, the other late ones B."""
    middle = (int(who.item.max())) / 2
    is_shared = np.abs(who.item - middle) < items / 2
    rows = is_shared | ((who.item > middle) == (who.system == 1))
    return Who(who.item[rows], who.participant[rows], who.system[rows])


DESIGNS = (
    Design("100 items × 5 participants", lambda _: complete(100, 5)),
    Design("100 × 10", lambda _: complete(100, 10)),
    Design("10 items × 50 participants", lambda _: complete(10, 50)),
    Design("20 × 20", lambda _: complete(20, 20)),
    Design("6 × 6", lambda _: complete(6, 6)),
    Design("crowd of 60, few do most, 300 × 3", lambda rng: crowd(rng, (300, 60), 3, zipf=1.1)),
    Design("20 batches × 3 participants × 20 items", lambda _: nested(20, 3, 20)),
    Design("one system per participant, 60 × 20 of 100", lambda rng: one_system(rng, 60, 20, 100)),
    Design("system drawn for each judgment, 100 × 6 of 30", lambda rng: drawn(rng, 100, 6, 30)),
    Design("B in every twelfth cell, 100 × 10", lambda rng: in_a_twelfth(rng, complete(100, 10))),
    Design("80 % top scores, 100 × 10", lambda _: complete(100, 10), cuts=HIGH_CUTS),
    Design("B on the harder half, 40 × 6", lambda _: later_half(complete(40, 6)), is_harder=True),
    Design(
        "B on the harder half, crowd of 30, 200 × 3",
        lambda rng: later_half(crowd(rng, (200, 30), 3)),
        is_harder=True,
    ),
    Design(
        "B on the harder half, one judgment per output",
        lambda rng: later_half(crowd(rng, (100, 20), 1)),
        is_harder=True,
    ),
    Design(
        "B judged more often on harder items, 100 × 3 of 30",
        lambda rng: later_more_often(rng, crowd(rng, (100, 30), 3)),
        is_harder=True,
    ),
    Design(
        "strict participants judge B more often, 100 × 3 of 30",
        lambda rng: late_people_more_often(rng, crowd(rng, (100, 30), 3)),
        is_stricter=True,
    ),
    Design(
        "20 of 100 items shared, B on harder ones",
        lambda rng: shared(crowd(rng, (100, 30), 3), 20),
        is_harder=True,
    ),
    Design(
        "5 of 100 items shared, B on harder ones",
        lambda rng: shared(crowd(rng, (100, 30), 3), 5),
        is_harder=True,
    ),
    Design("50 items × 4 participants", lambda _: complete(50, 4), is_few=True),
    Design("100 items × 3 participants", lambda _: complete(100, 3), is_few=True),
    Design("100 items × 2 participants", lambda _: complete(100, 2), is_few=True),
    Design("sentences, 30 × 6", lambda _: complete(30, 6), has_sentences=True),
    Design(
        "sentences, crowd of 30, 100 × 3",
        lambda rng: crowd(rng, (100, 30), 3),
        has_sentences=True,
    ),
)


def ratings(design: Design, rng: np.random.Generator, effect: float) -> tuple[np.ndarray, Who]:
    """The scores of one study.

    Where there are few people the truth is that of these people: their leanings cancel.
    """
    who = design.draw(rng)
    items, people = int(who.item.max()) + 1, int(who.participant.max()) + 1
    late = np.arange(items) >= items / 2
    item = rng.normal(0, SPREAD["item"], items) + design.is_harder * np.where(late, -0.8, 0.8)
    strict = np.where(np.arange(people) >= people / 2, -0.6, 0.6)
    person = rng.normal(0, SPREAD["participant"], people) + design.is_stricter * strict
    by_item = rng.normal(0, SPREAD["item:system"], (items, 2))
    by_person = rng.normal(0, SPREAD["participant:system"], (people, 2))
    if design.is_few:
        by_person -= by_person.mean(axis=0)
    latent = (
        item[who.item]
        + person[who.participant]
        + by_item[who.item, who.system]
        + by_person[who.participant, who.system]
        + effect * who.system
    )
    if design.has_sentences:
        return _sentence_scores(latent, who, design.cuts, rng), who
    latent += rng.normal(size=len(latent))
    return 1.0 + np.digitize(latent, design.cuts), who


def _sentence_scores(
    latent: np.ndarray, who: Who, cuts: tuple[float, ...], rng: np.random.Generator
) -> np.ndarray:
    """The mean score of an output's sentences, of which there are one to nine."""
    outputs = 2 * who.item + who.system
    lengths = rng.integers(1, SENTENCES + 1, int(outputs.max()) + 1)
    sentence = rng.normal(0, SENTENCE, (len(lengths), SENTENCES))
    seen = latent[:, None] + sentence[outputs] + rng.normal(size=(len(latent), SENTENCES))
    is_there = np.arange(SENTENCES) < lengths[outputs][:, None]
    return np.average(1.0 + np.digitize(seen, cuts), axis=1, weights=is_there)


def true_difference(design: Design, who: Who) -> float:
    """A minus B, when B is better, over the items and people who were judged for both.

    On a scale with ends, the difference depends on how hard the items are.
    """
    spread = math.sqrt(design.noise + sum(each**2 for each in SPREAD.values()))
    late = _late_shares(who.item, who.system), _late_shares(who.participant, who.system)
    cases = [
        (design.is_harder * shift + design.is_stricter * other, share * share_of_people)
        for shift, share in ((-0.8, late[0]), (0.8, 1 - late[0]))
        for other, share_of_people in ((-0.6, late[1]), (0.6, 1 - late[1]))
    ]

    def mean(effect: float) -> float:
        return sum(
            share * float(np.sum(stats.norm.sf((np.array(design.cuts) - effect - shift) / spread)))
            for shift, share in cases
        )

    return mean(0.0) - mean(rates.EFFECT)


def _late_shares(codes: np.ndarray, system: np.ndarray) -> float:
    """The share of the later half among those who have both systems; of all where none have."""
    total = int(codes.max()) + 1
    both = np.intersect1d(codes[system == 0], codes[system == 1])
    known = both if len(both) else np.unique(codes)
    return float(np.mean(known >= total / 2))


def study(seed: rates.Seed) -> dict[str, rates.Outcome]:
    """The outcome of each method in one study."""
    rng, design = np.random.default_rng(seed), DESIGNS[seed[1]]
    effect = rates.EFFECT * rates.has_effect(seed)
    value, who = ratings(design, rng, effect)
    truth = true_difference(design, who) if effect else 0.0
    table = Scores(value, who.system, who.item, who.participant)
    clusters = {"item": who.item, "participant": who.participant}
    found = {
        "check": adjusted_difference(value, who.system, (0, 1), **clusters),
        "raw": mean_difference(value, who.system, (0, 1), **clusters),
    }
    terms = coverage_terms(who.system, who.item, who.participant, systems=2)
    models = {"plain": fit_contrasts(table, (), level=0.95)[1]}
    models["model"] = fit_contrasts(table, terms, level=0.95)[1] if terms else models["plain"]
    outcomes = {name: rates.outcome(each.p, each.interval, truth) for name, each in found.items()}
    for name, contrasts in models.items():
        if contrasts:
            outcomes[name] = rates.outcome(contrasts[0].p, contrasts[0].interval, truth)
    if design.is_few:
        outcomes["by item"] = _by_item(value, who, truth)
    return outcomes


def _by_item(value: np.ndarray, who: Who, truth: float) -> rates.Outcome:
    means = [
        np.bincount(who.item[who.system == s], value[who.system == s])
        / np.bincount(who.item[who.system == s])
        for s in (0, 1)
    ]
    test = stats.ttest_rel(*means)
    low, high = test.confidence_interval()
    return float(test.pvalue), bool(low <= truth <= high)


def measure(place: int, studies: int) -> dict[str, Any]:
    """The rates of all methods in one design."""
    headline = "by item" if DESIGNS[place].is_few else "model"
    return {"headline": headline, "methods": rates.rates(study, (SEED, place), studies)}


if __name__ == "__main__":
    rates.run([each.name for each in DESIGNS], measure, RESULTS)
