"""How often tests reject where there is nothing to find, beside those one would use instead.

Preferences: three people judge each batch of 30 items once; items lean by 1.5 and people by 0.7 on
the logit scale, to either system alike. Ratings: everybody rates two equally good systems on five
points; some items favour one by 0.4 and some people by 0.25 of the noise. Four systems: all six
pairs of each item, so that what one system wins another loses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import binomtest, ttest_ind

from rejudge.stats import (
    Comparisons,
    bradley_terry,
    friedman,
    hotelling,
    level_contrasts,
    linear_mixed,
    mean_difference,
    one_way_anova,
    ordinal_mixed,
    pair_rates,
    repeated_measures,
    scores_by_block,
    sign_flip,
)

LEVEL = 0.05
STUDIES = 2000
SEED = 20240503
SEED_OF_MODELS = 11
RATED = ((30, 3), (100, 3), (100, 5), (100, 10), (300, 10))  # items and people, each judges all
MODELLED = ((30, 5, 1000), (100, 5, 800), (100, 10, 600), (300, 10, 200))  # and how many studies
SYSTEMS = 4


@dataclass(frozen=True)
class Truth:
    """How preferences come about when the two systems are equally good on the whole."""

    name: str
    items: int
    people: int
    item_spread: float
    people_spread: float
    batch: int = 30
    is_level: bool = False  # these people's leanings cancel, as a test about them must assume


TRUTHS = (
    Truth("every judgment on its own", 100, 12, 0.0, 0.0),
    Truth("items differ", 100, 12, 1.5, 0.0),
    Truth("items and people differ", 100, 12, 1.5, 0.7),
    Truth("items and people differ, three times the items", 300, 30, 1.5, 0.7),
    Truth("items and people differ, three people in all", 100, 3, 1.5, 0.7, batch=100),
    Truth("items and people differ, but these people prefer neither", 100, 12, 1.5, 0.7,
          is_level=True),
    Truth("three people in all, who together prefer neither", 100, 3, 1.5, 0.7, batch=100,
          is_level=True),
)  # fmt: skip


def preferences() -> Iterator[dict[str, object]]:
    """Tests of one pair of systems."""
    for place, truth in enumerate(TRUTHS):
        rng = np.random.default_rng([SEED, place])
        yield {"truth": truth.name} | _rates(lambda t=truth, r=rng: _of_pair(_preferred(t, r)))


def ratings() -> Iterator[dict[str, object]]:
    """Tests of scores. The linear model is a default from five people on."""
    for items, people in RATED:
        rng = np.random.default_rng([SEED, items, people])
        study = lambda i=items, p=people, r=rng: _of_scores(_favourites(i, p, r))  # noqa: E731
        yield {"items": items, "people": people} | _rates(study)


def models() -> Iterator[dict[str, object]]:
    """The linear and the ordinal model on the same scores."""
    for items, people, studies in MODELLED:
        rng = np.random.default_rng(SEED_OF_MODELS)
        study = lambda i=items, p=people, r=rng: _of_models(_favourites(i, p, r))  # noqa: E731
        yield {"items": items, "people": people} | _rates(study, studies)


def four_systems() -> Iterator[dict[str, object]]:
    """Tests of four systems by their comparisons: all at once, and of single pairs."""
    for name, spread, is_level in (
        ("items differ", 0.0, False),
        ("items and people differ", 0.7, False),
        ("items and people differ, but these people prefer none", 0.7, True),
    ):
        rng = np.random.default_rng([SEED, SYSTEMS, round(10 * spread), int(is_level)])
        study = lambda s=spread, e=is_level, r=rng: _of_four(_duels(s, r, is_level=e))  # noqa: E731
        yield {"truth": name} | _rates(study)


def _rates(
    study: Callable[[], Mapping[str, float | list[float | None] | None]], studies: int = STUDIES
) -> dict[str, object]:
    """The share of studies (or of pairs in them) in which each test rejects; where it is undefined
    it does not."""
    rejected: dict[str, float] = {}
    for _ in range(studies):
        for name, found in study().items():
            tests = found if isinstance(found, list) else [found]
            count = sum(p is not None and p < LEVEL for p in tests)
            rejected[name] = rejected.get(name, 0.0) + count / max(len(tests), 1)
    rates = {name: round(count / studies, 4) for name, count in rejected.items()}
    return {**rates, "studies": studies, "monte_carlo_error": error(LEVEL, studies)}


def error(rate: float, studies: int = STUDIES) -> float:
    """1.96 standard errors of a share of so many studies."""
    return round(1.96 * math.sqrt(rate * (1 - rate) / studies), 4)


# ── what is tested ───────────────────────────────────────────────────────────────────────────────


def _of_pair(table: Comparisons) -> dict[str, float | None]:
    wins = int(table.preference.sum())
    return {
        "sign_test": float(binomtest(wins, len(table.preference)).pvalue),
        "sign_flip": sign_flip(table.preference, table.item).p,
        "cluster_robust": pair_rates(table)[0].p,
    }


def _of_scores(table: tuple[np.ndarray, ...]) -> dict[str, float | None]:
    value, item, participant, system = table
    offsets = {"participant": participant, "item": item}
    robust = mean_difference(value, system, (0, 1), item=item, participant=participant)
    return {
        "t_test": float(ttest_ind(value[system == 0], value[system == 1]).pvalue),
        "offsets_only": _linear_p(value, system, offsets),
        "mixed_model": _linear_p(value, system, offsets | _favours(table)),
        "cluster_robust": robust.p,
    }


def _of_models(table: tuple[np.ndarray, ...]) -> dict[str, float | None]:
    """The ordinal model's own z, and t for as many people as there are, as an analysis gives it."""
    value, item, participant, system = table
    groups = {"participant": participant, "item": item} | _favours(table)
    fit = ordinal_mixed(value, {"system": system}, groups)
    people = len(np.unique(participant))
    ways = {"ordinal_z": None, "ordinal_model": people}
    found = {
        name: level_contrasts(fit, "system", adjust="none", clusters=clusters)
        for name, clusters in ways.items()
    }
    return {"mixed_model": _linear_p(value, system, groups)} | {
        name: contrasts[0].p if contrasts else None for name, contrasts in found.items()
    }


def _of_four(table: Comparisons) -> dict[str, float | list[float | None] | None]:
    scores = scores_by_block(table)
    system = np.tile(np.arange(SYSTEMS), len(scores.sums))
    return {
        "one_way_anova": one_way_anova(scores.sums.ravel(), system).p,
        "friedman": friedman(scores.means).p,
        "repeated_measures": repeated_measures(scores.means).p_corrected,
        "hotelling": hotelling(scores.means).p,
        "bradley_terry": [pair.p for pair in bradley_terry(table).differences],
        "cluster_robust": [pair.p for pair in pair_rates(table)],
    }


def _linear_p(value: np.ndarray, system: np.ndarray, groups: dict[str, np.ndarray]) -> float | None:
    fit = linear_mixed(value, {"system": system}, groups)
    return level_contrasts(fit, "system", adjust="none")[0].p


def _favours(table: tuple[np.ndarray, ...]) -> dict[str, np.ndarray]:
    _, item, participant, system = table
    return {"system × item": 2 * item + system, "system × people": 2 * participant + system}


# ── what happens in a study ──────────────────────────────────────────────────────────────────────


def _preferred(truth: Truth, rng: np.random.Generator) -> Comparisons:
    item, participant = _seats(truth.items, truth.batch)
    lean = truth.item_spread * rng.normal(size=truth.items)
    own = truth.people_spread * rng.normal(size=truth.people)
    if truth.is_level:
        own = _levelled(own)
    chosen = _chosen(lean[item] + own[participant], rng)
    zeros, ones = np.zeros(len(item), np.int64), np.ones(len(item), np.int64)
    return Comparisons(zeros, ones, chosen, item, participant, systems=2)


def _duels(spread: float, rng: np.random.Generator, *, is_level: bool) -> Comparisons:
    """Three people judge the six pairs of each of 100 items; each item and pair has its own lean,
    and each person may like some systems better."""
    item, participant = (np.repeat(each, 6) for each in _seats(100, 30))
    pairs = np.array(list(combinations(range(SYSTEMS), 2)))
    which = np.tile(np.arange(6), len(item) // 6)
    first, second = pairs[which].T
    liking = spread / math.sqrt(2) * rng.normal(size=(int(participant.max()) + 1, SYSTEMS))
    liking = _levelled(liking) if is_level else liking
    lean = rng.normal(0, 1.5, (100, 6))[item, which]
    chosen = _chosen(lean + liking[participant, first] - liking[participant, second], rng)
    return Comparisons(first, second, chosen, item, participant, systems=SYSTEMS)


def _seats(items: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """Three people judge each batch of items, each item once."""
    item = np.repeat(np.arange(items), 3)
    return item, item // batch * 3 + np.tile(np.arange(3), items)


def _levelled(own: np.ndarray) -> np.ndarray:
    """The likings of three people who share a batch cancel: one has them, one their opposite."""
    even = own.copy()
    even[1::3], even[2::3] = -own[::3], 0
    return even


def _chosen(logit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(np.float64)


def _favourites(items: int, people: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    shape = np.meshgrid(np.arange(items), np.arange(people), np.arange(2), indexing="ij")
    item, participant, system = (axis.ravel() for axis in shape)
    latent = (
        rng.normal(0, 0.8, items)[item]
        + rng.normal(0, 0.5, people)[participant]
        + rng.normal(0, 0.4, (items, 2))[item, system]
        + rng.normal(0, 0.25, (people, 2))[participant, system]
        + rng.normal(0, 1, len(item))
    )
    return np.clip(np.round(3 + latent), 1, 5), item, participant, system
