"""Does the Plackett–Luce model keep its level, and how long does it take?

Studies in which all systems are equally good on the whole, while items favour systems (SD 0.4) and
people do (SD 0.25), beside noise of SD 1 in each look at an output: a ranking is the order of four
looks, with ties where looks round to the same. Counted: how often p < .05 for a pair, with clusters
of items and participants, and with the errors of the model, which treats rankings as independent.
Seconds are of one processor. Writes results/plackett_luce.json.

    python benchmarks/bench_plackett_luce.py [--studies 1000] [--only levels|seconds]
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import time
from pathlib import Path

import numpy as np
from bench_choice_levels import DESIGNS, FAVOUR, LIKING, Design

from levels import LEVEL, error
from rejudge.stats import JudgedSets, plackett_luce

RESULTS = Path(__file__).parent / "results" / "plackett_luce.json"
STUDIES = 1000
SEED = 11
SYSTEMS = 4
SIZES = ((10_000, 10, 10), (100_000, 10, 10), (100_000, 30, 6))  # rankings, systems, ranked


def main() -> None:
    """Print and write the levels and the seconds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=STUDIES)
    options.add_argument("--only", choices=("levels", "seconds"))
    given = options.parse_args()
    parts = {"levels": lambda: _levels(given.studies), "seconds": _seconds}
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name, part in parts.items():
        if given.only in {None, name}:
            found[name] = part()
            text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
            RESULTS.write_text(text, encoding="utf-8")


def _levels(studies: int) -> list[dict[str, object]]:
    rows = []
    for place, design in enumerate(DESIGNS):
        rng = np.random.default_rng([SEED, place])
        rejected = {"two-way": 0.0, "model": 0.0}
        for _ in range(studies):
            sets = _rankings(design, rng)
            for errors in rejected:
                found = plackett_luce(sets, errors=errors).differences
                hits = sum(pair.p is not None and pair.p < LEVEL for pair in found)
                rejected[errors] += hits / max(len(found), 1)
        rates = {name: round(count / studies, 4) for name, count in rejected.items()}
        rows.append({"design": design.name, **rates, "studies": studies})
        rows[-1]["monte_carlo_error"] = error(LEVEL, studies)
        print(rows[-1], flush=True)
    return rows


def _rankings(design: Design, rng: np.random.Generator) -> JudgedSets:
    item, person = design.seats(rng)
    n = len(item)
    good = rng.normal(0, FAVOUR, (design.items, SYSTEMS))[item]
    liked = rng.normal(0, LIKING, (design.people, SYSTEMS))[person]
    look = good + liked + rng.normal(size=(n, SYSTEMS))
    score = np.round(look / design.tie) if design.tie else look
    return JudgedSets(
        judgment=np.repeat(np.arange(n), SYSTEMS),
        system=np.tile(np.arange(SYSTEMS), n),
        score=score.ravel(),
        item=np.repeat(item, SYSTEMS),
        participant=np.repeat(person, SYSTEMS),
        systems=SYSTEMS,
    )


def _seconds() -> list[dict[str, object]]:
    rows = []
    for n, systems, ranked in SIZES:
        rng = np.random.default_rng(SEED)
        shown = np.argsort(rng.random((n, systems)), axis=1)[:, :ranked]
        score = rng.normal(0, 0.5, systems)[shown] + rng.gumbel(size=shown.shape)
        item, person = rng.integers(0, n // 50, n), rng.integers(0, 500, n)
        sets = JudgedSets(
            judgment=np.repeat(np.arange(n), ranked),
            system=shown.ravel(),
            score=score.ravel(),
            item=np.repeat(item, ranked),
            participant=np.repeat(person, ranked),
            systems=systems,
        )
        start = time.process_time()
        plackett_luce(sets)
        spent = round(time.process_time() - start, 2)
        rows.append({"rankings": n, "systems": systems, "ranked": ranked, "cpu_seconds": spent})
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    main()
