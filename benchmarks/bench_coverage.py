"""Do the default intervals and tests hold what they promise, on studies whose truth is known?

Simulates whole studies and counts: how often a test at 5 % rejects where there is nothing to find,
beside the naive test one would use instead (levels.py); how often a 95 % interval of agreement
holds the value for infinitely many units, beside plain percentiles and the jackknife; and how often
the interval for new participants holds the value for infinitely many units and people. Agreement is
that of ratings on five points with little, middling and high agreement, complete or with a fifth
missing, and of choices between two, one of them rare. Writes results/coverage.json with the
Monte-Carlo error (1.96 standard errors) of each figure. With names of parts (preferences, ratings,
models, four_systems, agreement, new_participants) only these are recomputed.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.special import ndtri

import levels
from levels import LEVEL, STUDIES, error
from rejudge.stats import (
    Agreement,
    alpha_jackknife,
    cohen_kappas,
    count_table,
    krippendorff_alpha,
    new_participants_interval,
    percent_agreement,
)
from rejudge.stats.agreement.disagreement import alphas
from rejudge.stats.agreement.resampling import unit_draws

KAPPA_STUDIES = 500
NEW_PEOPLE_STUDIES = 400
RESAMPLES = 400
MANY_UNITS = 400_000
MANY_PEOPLE = 300


@dataclass(frozen=True)
class Rated:
    """How ratings come about: one's own strictness, chance, and how many are missing."""

    name: str
    strictness: float
    noise: float
    values: int = 5
    threshold: float = 0.0  # of choices between two


@dataclass(frozen=True)
class Size:
    """How many units and people a study has, and the share of judgments that are missing."""

    units: int
    people: int
    missing: float = 0.0


LITTLE = Rated("little agreement", 0.6, 2.5)
SOME = Rated("some agreement", 0.5, 1.0)
MUCH = Rated("much agreement", 0.2, 0.35)
NEAR = Rated("nearly complete agreement", 0.05, 0.1)
CHOICES = Rated("choices between two", 0.3, 1.3, values=2)
RARE = Rated("choices between two, one rare (7 %)", 0.3, 1.0, values=2, threshold=2.1)


def main() -> None:
    """Print and write how often each promise was kept."""
    parts = {
        "preferences": lambda _: _shown(levels.preferences()),
        "ratings": lambda _: _shown(levels.ratings()),
        "models": lambda _: _shown(levels.models()),
        "four_systems": lambda _: _shown(levels.four_systems()),
        "agreement": _agreement,
        "new_participants": _new_participants,
    }
    path = Path(__file__).parent / "results" / "coverage.json"
    for name in sys.argv[1:] or parts:
        rows = parts[name](np.random.default_rng(levels.SEED))
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        kept = {part: known[part] for part in parts if part in known} | {name: rows}
        kept = {"level": LEVEL, **{part: kept[part] for part in parts if part in kept}}
        path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def _shown(rows: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """The rows, each printed as soon as it is there."""
    made = []
    for row in rows:
        print(row, flush=True)
        made.append(row)
    return made


def _agreement(rng: np.random.Generator) -> list[dict[str, object]]:
    """How often intervals for these people hold the value of their agreement on all units."""
    settings = (
        (SOME, Size(100, 3)),
        (SOME, Size(30, 3)),
        (SOME, Size(100, 10, missing=0.2)),
        (MUCH, Size(100, 3)),
        (MUCH, Size(30, 3)),
        (CHOICES, Size(100, 3)),
        (CHOICES, Size(30, 3)),
        (LITTLE, Size(100, 3)),
        (RARE, Size(100, 3)),
        (RARE, Size(300, 3)),
        (NEAR, Size(100, 3)),
        (SOME, Size(20, 3)),
    )
    return [row for setting in settings for row in _agreement_rows(*setting, rng)]


def _agreement_rows(kind: Rated, size: Size, rng: np.random.Generator) -> list[dict[str, object]]:
    everything = count_table(*_ratings(kind, replace(size, units=MANY_UNITS), rng)[::2])
    levels = ("nominal",) if kind in (CHOICES, RARE) else ("nominal", "ordinal", "interval")
    truth = {level: float(alphas(everything, _whole(everything), level)[0]) for level in levels}
    percent = percent_agreement(everything).value or 0.0
    held = {(level, way): 0 for level in levels for way in ("held", "percentiles", "jackknife")}
    held_percent = none = 0
    for _ in range(STUDIES):
        unit, _, value = _ratings(kind, size, rng)
        table = count_table(unit, value)
        for level in levels:
            found = krippendorff_alpha(table, level, rng=rng, replicates=RESAMPLES)
            none += found.interval is None
            held[level, "held"] += _holds(found, truth[level])
            held[level, "jackknife"] += _holds(alpha_jackknife(table, level), truth[level])
            held[level, "percentiles"] += _percentiles_hold(table, level, truth[level], rng)
        found = percent_agreement(table)
        held_percent += _holds(found, percent)
    here = {"ratings": kind.name, **asdict(size)}
    rows = [
        here
        | {"statistic": f"alpha, {level}", "value": round(truth[level], 3)}
        | {
            way: round(held[level, way] / STUDIES, 4)
            for way in ("held", "percentiles", "jackknife")
        }
        for level in levels
    ]
    rows[0]["without_interval"] = round(none / STUDIES / len(levels), 4)
    rows.append(
        here
        | {"statistic": "percent", "value": round(percent, 1)}
        | {"held": round(held_percent / STUDIES, 4)}
    )
    if kind is SOME and size.people == 3:
        rows.append(here | _kappa_row(kind, size, rng))
    for row in rows:
        row.setdefault("monte_carlo_error", error(0.95))
        print(row, flush=True)
    return rows


def _kappa_row(kind: Rated, size: Size, rng: np.random.Generator) -> dict[str, object]:
    many = _ratings(kind, replace(size, units=MANY_UNITS // 10), rng)
    truth = cohen_kappas(*many, rng=rng, replicates=1).value or 0.0
    held = 0
    for _ in range(KAPPA_STUDIES):
        found = cohen_kappas(*_ratings(kind, size, rng), rng=rng, replicates=RESAMPLES)
        held += found.interval is not None and found.interval.low <= truth <= found.interval.high
    return {
        "statistic": "cohen, mean of pairs",
        "value": round(truth, 3),
        "held": round(held / KAPPA_STUDIES, 4),
        "monte_carlo_error": error(0.95, KAPPA_STUDIES),
    }


def _percentiles_hold(table: object, level: str, truth: float, rng: np.random.Generator) -> bool:
    """What the plain percentiles of the same resamples would hold."""
    blocks = unit_draws(table.units, rng, RESAMPLES)
    drawn = np.concatenate([alphas(table, block, level) for block in blocks])
    if np.isnan(drawn).all():
        return False
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return bool(low <= truth <= high)


def _new_participants(rng: np.random.Generator) -> list[dict[str, object]]:
    """How often the two-way interval holds the agreement of all people on all units."""
    rows = []
    for units, people in ((30, 3), (100, 3), (100, 5), (100, 10), (100, 20)):
        for kind, level in ((SOME, "ordinal"), (SOME, "nominal"), (CHOICES, "nominal")):
            truth = _for_everybody(kind, level)
            held = 0
            for _ in range(NEW_PEOPLE_STUDIES):
                strictness = kind.strictness * rng.normal(size=people)
                ratings = _ratings(kind, Size(units, people), rng, strictness)
                found = new_participants_interval(
                    *ratings,
                    "krippendorff-alpha",
                    measured=level,
                    rng=rng,
                    replicates=200,
                )
                held += _holds(found, truth)
            rows.append(
                {"ratings": kind.name, "units": units, "people": people}
                | {"statistic": f"alpha, {level}", "value": round(truth, 3)}
                | {"held": round(held / NEW_PEOPLE_STUDIES, 4)}
                | {"monte_carlo_error": error(0.95, NEW_PEOPLE_STUDIES)}
            )
            print(rows[-1], flush=True)
    return rows


def _for_everybody(kind: Rated, level: str) -> float:
    """Alpha of many people whose strictness is spread evenly over its normal law."""
    rng = np.random.default_rng(1)
    strictness = kind.strictness * ndtri((np.arange(MANY_PEOPLE) + 0.5) / MANY_PEOPLE)
    unit, _, value = _ratings(kind, Size(10_000, MANY_PEOPLE), rng, strictness)
    table = count_table(unit, value)
    return float(alphas(table, _whole(table), level)[0])


def _whole(table: object) -> np.ndarray:
    return table.units[np.newaxis, :].astype(np.float64)


def _holds(found: Agreement, truth: float) -> bool:
    return found.interval is not None and found.interval.low <= truth <= found.interval.high


def _ratings(
    kind: Rated, size: Size, rng: np.random.Generator, strictness: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Units, participants and values; strictness evenly over its normal law unless given."""
    if strictness is None:
        strictness = kind.strictness * ndtri((np.arange(size.people) + 0.5) / size.people)
    chance = kind.noise * rng.normal(size=(size.units, size.people))
    latent = rng.normal(size=(size.units, 1)) + strictness + chance
    if kind.values > 2:
        value = np.clip(np.round(3 + 1.2 * latent / math.hypot(1, kind.noise)), 1, 5)
    else:
        value = (latent > kind.threshold).astype(np.float64)
    unit, person = np.nonzero(rng.random(value.shape) >= size.missing)
    return unit, person, value[unit, person]


if __name__ == "__main__":
    main()
