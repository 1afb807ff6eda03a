"""How long the mixed models of choices take, beside what `estimated_choice_seconds` says before.

Comparisons at random between systems that items and people favour by different amounts, with ties.
Seconds of one processor. Writes results/choice_seconds.json.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import json
import math
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rejudge.stats import (
    ChoiceModel,
    Comparisons,
    choice_model,
    estimated_choice_seconds,
    pair_model,
)

RESULTS = Path(__file__).parent / "results" / "choice_seconds.json"
SEED = 7
FAVOUR, LIKING = 0.4, 0.25  # SDs over items and over people
TIE = 0.775  # looks closer than this: about 38 % of pairs
SIZES = (  # comparisons, systems, people, items
    (10_000, 10, 50, 100),
    (10_000, 10, 80, 1_000),
    (20_000, 5, 100, 500),
    (100_000, 4, 1_000, 5_000),
    (100_000, 10, 300, 1_000),
    (100_000, 10, 1_000, 20_000),
    (100_000, 30, 300, 1_000),
    (1_000_000, 5, 5_000, 30_000),
)
PAIR_SIZES = ((1_000_000, 300, 1_000), (1_000_000, 5_000, 30_000))  # comparisons, people, items


def main() -> None:
    """Print and write the seconds."""
    result = {"python": platform.python_version(), "rows": _seconds()}
    text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
    RESULTS.write_text(text, encoding="utf-8")


def _seconds() -> list[dict[str, object]]:
    rows = []
    choice_model(_random(1_000, 3, 20, 50))  # whatever is loaded at first use
    for n, systems, people, items in SIZES:
        table = _random(n, systems, people, items)
        taken = _timed(lambda t=table: choice_model(t, adjust="holm", most_seconds=math.inf))
        expected = estimated_choice_seconds(
            np.full(n, 2), systems=systems, items=items, participants=people
        )
        rows.append({"model": "choice_model", "comparisons": n, "systems": systems})
        rows[-1] |= {"people": people, "items": items, "seconds": taken}
        rows[-1]["estimate"] = round(expected, 2)
        print(rows[-1], flush=True)
    for n, people, items in PAIR_SIZES:
        table = _random(n, 2, people, items)
        taken = _timed(lambda t=table: pair_model(t, (0, 1)))
        rows.append({"model": "pair_model", "comparisons": n, "systems": 2})
        rows[-1] |= {"people": people, "items": items, "seconds": taken}
        print(rows[-1], flush=True)
    return rows


def _random(n: int, systems: int, people: int, items: int) -> Comparisons:
    rng = np.random.default_rng([SEED, n, systems])
    item, person = rng.integers(0, items, n), rng.integers(0, people, n)
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    favour, liking = (
        rng.normal(0, FAVOUR, (items, systems)),
        rng.normal(0, LIKING, (people, systems)),
    )
    lean = favour[item, first] - favour[item, second] + liking[person, first]
    apart = lean - liking[person, second] + rng.normal(0, math.sqrt(2), n)
    preference = np.where(apart > TIE, 1.0, np.where(apart < -TIE, 0.0, 0.5))
    return Comparisons(first, second, preference, item, person, systems)


def _timed(fit: Callable[[], ChoiceModel]) -> float:
    start = time.process_time()
    fit()
    return round(time.process_time() - start, 2)


if __name__ == "__main__":
    main()
