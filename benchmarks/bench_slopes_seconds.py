"""How long mixed models with free slopes take, beside what `estimated_slopes_seconds` says before.

Every output is judged by so many people of a crowd, at random. Seconds of one processor.
Writes results/slopes_seconds.json.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import json
import platform
import time
from pathlib import Path

import numpy as np

from rejudge.stats import estimated_slopes_seconds, free_slopes_model

RESULTS = Path(__file__).parent / "results" / "slopes_seconds.json"
SEED = 7
SIZES = (  # systems, items, people, judgments of each output
    (2, 100, 10, 10),
    (2, 1_000, 200, 3),
    (3, 300, 100, 5),
    (4, 2_000, 20, 20),
    (4, 1_000, 150, 3),
    (6, 100, 10, 10),
    (6, 300, 60, 5),
    (8, 200, 50, 5),
    (2, 5_000, 500, 3),
    (3, 2_000, 500, 3),
)


def main() -> None:
    """Print and write the seconds."""
    rows = []
    _fit(*_random(2, 20, 5, 5))  # whatever is loaded at first use
    for systems, items, people, each in SIZES:
        table = _random(systems, items, people, each)
        expected = estimated_slopes_seconds(table[1], table[2])
        start = time.process_time()
        _fit(*table)
        taken = round(time.process_time() - start, 2)
        rows.append({"systems": systems, "items": items, "people": people})
        rows[-1] |= {"judgments": len(table[0]), "seconds": taken}
        rows[-1]["estimate"] = round(expected, 2)
        print(rows[-1], flush=True)
    result = {"python": platform.python_version(), "rows": rows}
    RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _fit(value: np.ndarray, system: np.ndarray, groups: dict[str, np.ndarray]) -> None:
    free_slopes_model(value, system, groups)


def _random(
    systems: int, items: int, people: int, each: int
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng([SEED, systems, items, people])
    person = np.argsort(rng.random((items * systems, people)), axis=1)[:, :each].reshape(-1)
    output = np.repeat(np.arange(items * systems), each)
    item, system = output // systems, output % systems
    value = rng.normal(0, 0.7, items)[item] + rng.normal(0, 0.5, people)[person]
    value += rng.normal(0, 0.4, (items, systems))[item, system]
    value += (rng.normal(0, 0.2, (people, systems)) * np.arange(1, systems + 1))[person, system]
    return value + rng.normal(size=len(value)), system, {"item": item, "participant": person}


if __name__ == "__main__":
    main()
