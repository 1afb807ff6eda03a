"""Do the default intervals and tests hold what they promise, on studies whose truth is known?

Simulates whole studies and counts: how often a test at 5 % rejects where there is nothing to find,
beside the naive test one would use instead; how often a 95 % interval of alpha holds the value for
infinitely many units. Settings: pairs judged by three people per batch of 30 items, items with a
spread of 1.5 and people of 0.7 on the logit scale; ratings on five points with people's bias of
0.6; and ratings of two equally good systems that some items and some people favour, one by 0.4 and
the other by 0.25. Writes results/coverage.json with the Monte-Carlo error of each figure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binomtest, ttest_ind

from rejudge.stats import (
    Comparisons,
    count_table,
    krippendorff_alpha,
    level_contrasts,
    linear_mixed,
    mean_difference,
    pair_rates,
    sign_flip,
)

STUDIES = 600
RATED_STUDIES = 400
RATED = ((30, 3), (100, 3), (100, 10))  # items and people, everybody rates everything
LEVEL = 0.05


@dataclass(frozen=True)
class Truth:
    """How preferences come about when the two systems are equally good on the whole."""

    name: str
    items: int
    people: int
    item_spread: float
    people_spread: float


TRUTHS = (
    Truth("every judgment on its own", 100, 12, 0.0, 0.0),
    Truth("items differ", 100, 12, 1.5, 0.0),
    Truth("items and people differ", 100, 12, 1.5, 0.7),
    Truth("items and people differ, three times the items", 300, 30, 1.5, 0.7),
)


def main() -> None:
    """Print and write how often each promise was kept."""
    rng = np.random.default_rng(20240503)
    tests = [_type_one_error(truth, rng) for truth in TRUTHS]
    intervals = [
        _alpha_coverage(units, people, measured, rng)
        for units, people, measured in (
            (100, 3, "nominal"),
            (100, 3, "ordinal"),
            (30, 3, "ordinal"),
            (100, 10, "interval"),
        )
    ]
    ratings = [_rating_errors(items, people, rng) for items, people in RATED]
    for row in ratings:
        print(
            f"ratings, {row['items']} items × {row['people']}: t-test {row['t_test']:.3f}, mixed "
            f"model with offsets only {row['offsets_only']:.3f}, ours {row['mixed_model']:.3f}, "
            f"cluster-robust {row['cluster_robust']:.3f}"
        )
    for row in tests:
        print(
            f"{row['truth']}: naive sign test {row['sign_test']:.3f}, item sign-flip "
            f"{row['sign_flip']:.3f}, two-way cluster-robust {row['cluster_robust']:.3f}"
        )
    for row in intervals:
        print(f"alpha {row['measured']}, {row['units']} units × {row['people']}: {row['held']:.3f}")
    result = {
        "studies": STUDIES,
        "level": LEVEL,
        "preferences": tests,
        "ratings": ratings,
        "alpha": intervals,
    }
    path = Path(__file__).parent / "results" / "coverage.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _type_one_error(truth: Truth, rng: np.random.Generator) -> dict[str, object]:
    rejected = {"sign_test": 0, "sign_flip": 0, "cluster_robust": 0}
    for _ in range(STUDIES):
        table = _preferences(truth, rng)
        wins = int(table.preference.sum())
        flip = sign_flip(table.preference, table.item, rng=rng).p
        robust = pair_rates(table)[0].win_percent.p
        rejected["sign_test"] += binomtest(wins, len(table.preference)).pvalue < LEVEL
        rejected["sign_flip"] += flip is not None and flip < LEVEL
        rejected["cluster_robust"] += robust is not None and robust < LEVEL
    rates = {name: round(count / STUDIES, 4) for name, count in rejected.items()}
    return {"truth": truth.name, **rates, "monte_carlo_error": _error(LEVEL)}


def _preferences(truth: Truth, rng: np.random.Generator) -> Comparisons:
    """Three people judge each batch of 30 items once; items favour both systems alike."""
    lean = rng.normal(0, truth.item_spread, truth.items) if truth.item_spread else 0.0
    own = rng.normal(0, truth.people_spread, truth.people) if truth.people_spread else 0.0
    batches = math.ceil(truth.items / 30)
    item = np.repeat(np.arange(truth.items), 3)
    seat = np.tile(np.arange(3), truth.items)
    participant = (item // 30 * 3 + seat) % max(truth.people, 3 * batches)
    logit = (
        np.broadcast_to(lean, truth.items)[item]
        + np.broadcast_to(own, max(truth.people, 3 * batches))[participant]
    )
    chosen = (rng.random(len(item)) < 1 / (1 + np.exp(-logit))).astype(np.float64)
    zeros, ones = np.zeros(len(item), np.int64), np.ones(len(item), np.int64)
    return Comparisons(zeros, ones, chosen, item, participant, systems=2)


def _rating_errors(items: int, people: int, rng: np.random.Generator) -> dict[str, object]:
    """How often tests of two equally good systems reject, when items and people have favourites."""
    rejected = dict.fromkeys(("t_test", "offsets_only", "mixed_model", "cluster_robust"), 0)
    for _ in range(RATED_STUDIES):
        table = _favourites(items, people, rng)
        value, item, participant, system = table
        offsets = {"participant": participant, "item": item}
        cells = {"system × item": 2 * item + system, "system × people": 2 * participant + system}
        found = {
            "t_test": ttest_ind(value[system == 0], value[system == 1]).pvalue,
            "offsets_only": _mixed_p(value, system, offsets),
            "mixed_model": _mixed_p(value, system, offsets | cells),
            "cluster_robust": mean_difference(
                value, system, (0, 1), item=item, participant=participant
            ).p,
        }
        for name, p in found.items():
            rejected[name] += p is not None and p < LEVEL
    rates = {name: round(count / RATED_STUDIES, 4) for name, count in rejected.items()}
    error = round(1.96 * math.sqrt(LEVEL * (1 - LEVEL) / RATED_STUDIES), 4)
    return {"items": items, "people": people, **rates, "monte_carlo_error": error}


def _mixed_p(value: np.ndarray, system: np.ndarray, groups: dict[str, np.ndarray]) -> float | None:
    fit = linear_mixed(value, {"system": system}, groups)
    return level_contrasts(fit, "system", adjust="none")[0].p_alone


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


def _alpha_coverage(
    units: int, people: int, measured: str, rng: np.random.Generator
) -> dict[str, object]:
    """How often the unit bootstrap of these people's agreement holds its value for all units."""
    bias = rng.normal(0, 0.6, people)
    draw: Callable[[int], tuple[np.ndarray, np.ndarray]] = lambda n: _ratings(n, bias, rng)  # noqa: E731
    truth = krippendorff_alpha(count_table(*draw(60_000)), measured=measured, rng=rng, replicates=2)
    held = 0
    for _ in range(STUDIES):
        table = count_table(*draw(units))
        interval = krippendorff_alpha(table, measured=measured, rng=rng, replicates=500).interval
        held += interval is not None and interval.low <= (truth.value or 0.0) <= interval.high
    return {
        "units": units,
        "people": people,
        "measured": measured,
        "held": round(held / STUDIES, 4),
        "monte_carlo_error": _error(0.95),
    }


def _ratings(
    units: int, bias: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    quality = rng.normal(0, 1, units)[:, np.newaxis]
    latent = quality + bias + rng.normal(0, 1, (units, len(bias)))
    value = np.clip(np.round(3 + latent), 1, 5)
    return np.repeat(np.arange(units), len(bias)), value.ravel()


def _error(rate: float) -> float:
    return round(1.96 * math.sqrt(rate * (1 - rate) / STUDIES), 4)


if __name__ == "__main__":
    main()
