"""Does a study find what its sensitivity says, and does a larger one get the foretold interval?

Everybody judges every item for two systems, on a scale or by choosing one of them; some items and
some people favour one system. Power: studies are simulated at the smallest difference that
`smallest_detectable` gives for their own standard error (its root mean square), and those are
counted that find it. Precision: the half-width that `with_participants` and `with_items` foretell
from each small study, beside the one that larger simulated studies have. Writes
results/reach.json with the Monte-Carlo error (1.96 standard errors).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.special import expit

from rejudge.stats import (
    Comparisons,
    Estimate,
    mean_difference,
    pair_rates,
    smallest_detectable,
    with_items,
    with_participants,
)

STUDIES = 2000
PILOTS = 4000  # for the standard error
SEED = 20240516
STRICT = 0.05 / 6  # the strictest step of Holm's correction for four systems


@dataclass(frozen=True)
class Truth:
    """How much items and people favour a system, and the difference of the systems themselves."""

    kind: str  # scores or choices
    items: int
    people: int
    item_spread: float
    people_spread: float
    difference: float = 0.0


TRUTHS = (
    Truth("scores", 100, 8, 0.0, 0.4),
    Truth("scores", 20, 40, 0.5, 0.0),
    Truth("scores", 60, 12, 0.4, 0.25),
    Truth("scores", 30, 30, 0.4, 0.25),
    Truth("choices", 60, 12, 0.8, 0.5),
    Truth("choices", 100, 30, 0.8, 0.5),
)


def main() -> None:
    """Print and write what was promised and what came out."""
    found = {"studies": STUDIES, "power": [], "precision": []}
    for part, rows in (("power", powers()), ("precision", precisions())):
        for row in rows:
            print(part, row, flush=True)
            found[part].append(row)
    path = Path(__file__).parent / "results" / "reach.json"
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def powers() -> Iterator[dict[str, object]]:
    """How often the smallest detectable difference is found."""
    for place, truth in enumerate(TRUTHS):
        rng = np.random.default_rng([SEED, place])
        pilots = [_judged(truth, rng) for _ in range(PILOTS)]
        error = math.sqrt(np.mean([each.standard_error**2 for each in pilots]))
        df = pilots[0].df
        read = [smallest_detectable(each.standard_error, df) for each in pilots[:400]]
        for alpha in (0.05, STRICT):
            for power in (0.8, 0.9):
                smallest = smallest_detectable(error, df, power=power, alpha=alpha)
                real = replace(truth, difference=_as_given(truth, smallest))
                hits = sum(_judged(real, rng).p < alpha for _ in range(STUDIES))
                yield {
                    **asdict(truth),
                    "alpha": round(alpha, 5),
                    "power": power,
                    "difference": round(smallest, 4),
                    "found": hits / STUDIES,
                    "monte_carlo_error": _error(power),
                    "read_from_one_study": [round(q, 4) for q in np.quantile(read, [0.1, 0.9])]
                    if (alpha, power) == (0.05, 0.8)
                    else None,
                }


def precisions() -> Iterator[dict[str, object]]:
    """The foretold half-width over the one that studies of that size have."""
    for place, truth in enumerate(TRUTHS):
        rng = np.random.default_rng([SEED, 100, place])
        small = [_judged(truth, rng) for _ in range(STUDIES)]
        for what, resize in (("people", with_participants), ("items", with_items)):
            for times in (0.5, 2, 4):
                size = round(times * getattr(truth, what))
                told = np.mean([_half_width(resize(each, size)) for each in small])
                larger = replace(truth, **{what: size})
                widths = [_half_width(_judged(larger, rng)) for _ in range(STUDIES // 4)]
                yield {
                    **asdict(truth),
                    what: size,
                    "from": getattr(truth, what),
                    "foretold": round(float(told), 4),
                    "simulated": round(float(np.mean(widths)), 4),
                    "monte_carlo_error": round(
                        1.96 * float(np.std(widths)) / math.sqrt(len(widths)), 4
                    ),
                }


def _judged(truth: Truth, rng: np.random.Generator) -> Estimate:
    """One study of everybody on every item."""
    item = np.repeat(np.arange(truth.items), truth.people)
    person = np.tile(np.arange(truth.people), truth.items)
    lean = (
        truth.difference
        + truth.item_spread * rng.normal(size=truth.items)[item]
        + truth.people_spread * rng.normal(size=truth.people)[person]
    )
    if truth.kind == "choices":
        chosen = (rng.random(len(item)) < expit(lean)).astype(np.float64)
        zeros = np.zeros(len(item), dtype=np.int64)
        (rate,) = pair_rates(Comparisons(zeros, zeros + 1, chosen, item, person, 2))
        return rate
    shared = rng.normal(size=truth.items)[item] + 0.5 * rng.normal(size=truth.people)[person]
    first, second = (shared + sign * lean / 2 + rng.normal(size=len(item)) for sign in (1, -1))
    return mean_difference(
        np.concatenate([first, second]),
        np.repeat([0, 1], len(item)),
        (0, 1),
        item=np.tile(item, 2),
        participant=np.tile(person, 2),
    )


def _as_given(truth: Truth, difference: float) -> float:
    """A win rate of 50 % and so many points as the logit that gives it over items and people."""
    if truth.kind == "scores":
        return difference
    spread = math.hypot(truth.item_spread, truth.people_spread)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        rate = float(weights @ expit(middle + spread * nodes)) / float(weights.sum())
        low, high = (middle, high) if 100 * rate < 50 + difference else (low, middle)
    return low


def _half_width(estimate: Estimate) -> float:
    return (estimate.interval.high - estimate.interval.low) / 2


def _error(share: float) -> float:
    return round(1.96 * math.sqrt(share * (1 - share) / STUDIES), 4)


if __name__ == "__main__":
    main()
