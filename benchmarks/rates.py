"""How often tests are wrong, and how often they find something, over many simulated studies."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

LEVEL = 0.05
EFFECT = 0.4  # by which B is better on the latent scale, in studies with a difference
Outcome: TypeAlias = tuple[float, bool | None]  # p; whether the interval holds the truth, if any
Seed: TypeAlias = tuple[int, int, int, int]  # of the benchmark, design, kind of study, study
Study: TypeAlias = Callable[[Seed], Mapping[str, Outcome]]  # the outcome of each method


def outcome(p: float | None, interval: Any, truth: float) -> Outcome:
    """A test that could not be computed finds nothing, and has no interval to hold anything."""
    held = None if interval is None else bool(interval.low <= truth <= interval.high)
    return (1.0 if p is None else p), held


def has_effect(seed: Seed) -> bool:
    """Whether B is better in the study of this seed."""
    return seed[2] > 0


def rates(study: Study, seed: tuple[int, int], studies: int) -> dict[str, dict[str, float | None]]:
    """Level, power and coverage of every method, in percent of so many studies of each kind.

    `seed`: of the benchmark, and the place of the design.
    """
    found: dict[str, dict[str, float | None]] = {}
    for kind, name in enumerate(("level", "power")):
        seeds = [(*seed, kind, each) for each in range(studies)]
        with ProcessPoolExecutor(2) as pool:
            outcomes = list(pool.map(study, seeds, chunksize=max(1, studies // 20)))
        for method in outcomes[0]:
            known = [each[method] for each in outcomes if method in each]
            row = found.setdefault(method, {})
            row[name] = _percent(p < LEVEL for p, _ in known)
            if kind:
                row["coverage"] = _percent(held for _, held in known if held is not None)
    return found


def _percent(happened: Iterable[bool]) -> float | None:
    listed = list(happened)
    return round(100 * float(np.mean(listed)), 2) if listed else None


def run(
    designs: Sequence[str],
    measure: Callable[[int, int], dict[str, Any]],
    results: Path,
) -> None:
    """The command line of a benchmark of designs.

    `measure` takes the place of a design and the number of studies; each design is written as soon
    as it is done.
    """
    parser = ArgumentParser()
    parser.add_argument("--studies", type=int, default=2000, help="of each kind in each design")
    parser.add_argument("--only", default="", help="designs with this word in their name")
    given = parser.parse_args()
    known = json.loads(results.read_text("utf-8")) if results.exists() else []
    rows = {row["design"]: row for row in known}
    for place, design in enumerate(designs):
        if given.only not in design:
            continue
        start = time.perf_counter()
        rows[design] = {"design": design, **measure(place, given.studies), "studies": given.studies}
        print(f"{design} ({time.perf_counter() - start:.0f} s)", flush=True)
        for method, found in rows[design]["methods"].items():
            print(f"  {method:10} {found}", flush=True)
        ordered = [rows[each] for each in designs if each in rows]
        results.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
