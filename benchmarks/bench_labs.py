"""Do the summaries over several labs hold what they promise, on studies whose truth is known?

Simulates studies that several labs carry out, with and without labs that prefer different systems.
No system is better over all labs. Counts how often the random-effects summary says at 5 % that one
is, and how often its 95 % interval holds 0. Beside it the way one would do it without labs: one
share or difference over all judgments, clustered by items and participants.

Every design has a name; `designs()` lists them. Ratings: system × item 0.5, system × participant
0.3, residual 0.8, system × lab 0.35 or 0 (standard deviations), as they are or cut to five points.
Comparisons of two systems, and the best and the worst of three: latent values with system × item
0.8, system × participant 0.4, noise 1 and system × lab 0.5 or 0, each divided by √2.

    python benchmarks/bench_labs.py --studies 2000 --processes 2 --seed 7

Writes results/labs.json with the Monte-Carlo error (1.96 standard errors) and the limits that
`tests/test_measured_levels.py` holds every row to. `--designs TEXT` runs the designs whose name
has TEXT in it, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Literal

import numpy as np

from rejudge.compare.alignment import Alignment, align
from rejudge.compare.labs import labs_of
from rejudge.compare.meta_analysis import pooled_effects
from rejudge.compare.run import Run, RunCriterion
from rejudge.findings.model import Finding, Key, Spread
from rejudge.findings.words import How
from rejudge.judgments.table import Judgment, Judgments
from rejudge.stats import mean_difference, pair_rates

LEVEL = 0.05
SEED = 20261117
FEW_LABS = 5
RESULTS = Path(__file__).parent / "results" / "labs.json"
SYSTEMS = ("x", "y", "z")
PAIR = ("x", "y")
CRITERIA = {
    "ratings": RunCriterion("quality", "Quality", "rating", -20.0, 20.0),
    "five points": RunCriterion("quality", "Quality", "rating", 1.0, 5.0),
    "comparisons": RunCriterion("quality", "Quality", "win-rate", 0.0, 1.0),
    "best-worst": RunCriterion("quality", "Quality", "best-worst", -100.0, 100.0),
}
SPREADS = {"ratings": 0.35, "five points": 0.35, "comparisons": 0.5, "best-worst": 0.5}


@dataclass(frozen=True)
class Design:
    """How a study of several labs comes about: for each lab its participants and its items."""

    kind: Literal["ratings", "five points", "comparisons", "best-worst"]
    people: tuple[int, ...]
    items: tuple[int, ...]
    sharing: Literal["shared", "own", "one lab with other items"]
    spread: float

    @property
    def labs(self) -> int:
        return len(self.people)

    @property
    def name(self) -> str:
        differ = "labs differ" if self.spread else "labs alike"
        sizes = f"{_sizes(self.people)} participants, {_sizes(self.items)} items"
        return f"{self.kind}, {self.labs} labs, {sizes} ({self.sharing}), {differ}"

    @property
    def systems(self) -> tuple[str, ...]:
        return SYSTEMS if self.kind == "best-worst" else PAIR

    @property
    def is_rated(self) -> bool:
        return self.kind in {"ratings", "five points"}


def designs() -> Iterator[Design]:
    """Every design, small and large, equal and unequal labs."""
    for kind in ("ratings", "comparisons"):
        for labs, sharing in product((2, 3, 5), ("shared", "own")):
            yield _design(kind, (4,) * labs, (24,) * labs, sharing, do_differ=False)
            yield _design(kind, (4,) * labs, (24,) * labs, sharing)
        yield _design(kind, (3, 12), (24, 24), "shared", do_differ=False)
        yield _design(kind, (3, 12), (24, 24), "shared")
        yield _design(kind, (3, 4, 6, 10, 20), (40, 24, 24, 30, 12), "own")
        yield _design(kind, (3, 4, 6, 10, 20), (24,) * 5, "shared")
        yield _design(kind, (3,) * 5, (24,) * 5, "shared")
        yield _design(kind, (4,) * 5, (24,) * 5, "one lab with other items")
    for kind in ("five points", "best-worst"):
        yield _design(kind, (4,) * 5, (24,) * 5, "shared")
        yield _design(kind, (6, 6, 6), (20,) * 3, "own")
    for kind, sharing in product(("ratings", "comparisons"), ("shared", "own")):
        yield _design(kind, (4,) * 10, (24,) * 10, sharing)


def _design(
    kind: str,
    people: tuple[int, ...],
    items: tuple[int, ...],
    sharing: str,
    *,
    do_differ: bool = True,
) -> Design:
    spread = SPREADS[kind] if do_differ else 0.0
    return Design(kind, people, items, sharing, spread)  # type: ignore[arg-type]  # closed choices


@dataclass
class Tally:
    """What was counted of the summaries of one design."""

    studies: int = 0
    rejected: int = 0
    intervals: int = 0
    held: int = 0

    def add(self, found: Finding) -> None:
        """Count a study in which systems are equal in labs in general."""
        self.studies += 1
        self.rejected += found.p is not None and found.p < LEVEL
        if found.interval is not None:
            self.intervals += 1
            self.held += found.interval.low <= 0 <= found.interval.high

    def shown(self) -> dict[str, object]:
        return {
            "rejected_percent": _percent(self.rejected, self.studies),
            "covered_percent": _percent(self.held, self.intervals),
            "studies": self.studies,
            "with_interval": self.intervals,
        }


def main() -> None:
    """Print and write how often each promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--designs", default="")
    given = parser.parse_args()
    chosen = [each for each in designs() if given.designs in each.name]
    chosen.sort(key=lambda each: (each.labs > FEW_LABS, not each.spread))  # the telling ones first
    rows: list[dict[str, object]] = []
    with ProcessPoolExecutor(given.processes) as pool:
        for row in pool.map(partial(measure, studies=given.studies, seed=given.seed), chosen):
            print(json.dumps(row), flush=True)
            rows.append(row)
            if not given.designs:
                _write(rows, given.studies, given.seed)


def _write(rows: list[dict[str, object]], studies: int, seed: int) -> None:
    error = 196 * math.sqrt(LEVEL * (1 - LEVEL) / studies)
    out = {
        "level_percent": 5,
        "most_rejected_percent": 6.5,
        "least_covered_percent": 93.5,
        "monte_carlo_error_percent": round(error, 2),
        "seed": seed,
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


def measure(design: Design, studies: int, seed: int) -> dict[str, object]:
    """What was counted in so many simulated studies of one design."""
    rng = np.random.default_rng([seed, zlib.crc32(design.name.encode())])
    tally = Tally()
    templates = [_template(design, lab) for lab in range(design.labs)]
    without_labs = 0
    for _ in range(studies):
        # One lab more than there are: so the draws stay those that were measured.
        pulls = rng.normal(0, design.spread, (design.labs + 1, len(design.systems)))
        runs = _study(design, templates, pulls, rng)
        aligned = align(runs[0], runs[1:])
        tally.add(_of_pair(pooled_effects(aligned)))
        without_labs += _without_labs(design, runs, aligned)
    return {
        "design": design.name,
        "kind": design.kind,
        "labs": design.labs,
        "items": design.sharing,
        "lab_spread": design.spread,
        **tally.shown(),
        "without_labs_rejected_percent": _percent(without_labs, studies),
    }


def _of_pair(found: Iterator[Finding]) -> Finding:
    return next(each for each in found if set(each.systems) == set(PAIR))


def _template(design: Design, lab: int) -> Run:
    """A run of one lab whose judgments still lack their values."""
    prefix = "i" if _has_shared_items(design, lab) else f"lab{lab}i"
    rows = [
        _row(design, f"p{p}", f"{prefix}{i}", which)
        for p in range(design.people[lab])
        for i in range(design.items[lab])
        for which in _columns(design)
    ]
    return Run(
        id=f"lab{lab}",
        name=f"lab{lab}",
        source="results",
        reproduces=None,
        systems={system: system for system in design.systems},
        criteria=(CRITERIA[design.kind],),
        findings=(),
        conditions={"platform": "none"},
        judgments=Judgments.from_rows(rows, systems=design.systems),
    )


def _has_shared_items(design: Design, lab: int) -> bool:
    if design.sharing == "one lab with other items":
        return lab < design.labs - 1
    return design.sharing == "shared"


def _columns(design: Design) -> list[tuple[str, ...]]:
    systems = design.systems
    return [(each,) for each in systems] if design.is_rated else list(combinations(systems, 2))


def _row(design: Design, participant: str, item: str, which: tuple[str, ...]) -> Judgment:
    if design.is_rated:
        return Judgment(participant, item, "quality", 0.0, system=which[0])
    task = item if design.kind == "best-worst" else None
    return Judgment(
        participant, item, "quality", "a", system_a=which[0], system_b=which[1], task=task
    )


def _study(
    design: Design, templates: list[Run], pulls: np.ndarray, rng: np.random.Generator
) -> list[Run]:
    spread, person, noise = (0.5, 0.3, 0.8) if design.is_rated else np.array([0.8, 0.4, 1]) / 2**0.5
    width = len(design.systems)
    common = rng.normal(0, spread, (max(design.items), width))
    runs = []
    for lab, template in enumerate(templates):
        people, items = design.people[lab], design.items[lab]
        own = rng.normal(0, spread, (items, width))
        item = common[:items] if _has_shared_items(design, lab) else own
        value = rng.normal(0, noise, (people, items, width)) + item + _pull(design, pulls[lab])
        value += rng.normal(0, person, (people, 1, width)) + rng.normal(0, 0.5) * design.is_rated
        runs.append(_filled(design, template, value))
    return runs


def _pull(design: Design, pull: np.ndarray) -> np.ndarray:
    return pull if design.is_rated else pull / 2**0.5


def _filled(design: Design, template: Run, value: np.ndarray) -> Run:
    """The template with these latent values as judgments, and the scores that follow."""
    if design.kind == "five points":
        value = np.clip(np.round(3.6 + value), 1, 5)
    if not design.is_rated:
        pairs = list(combinations(range(len(design.systems)), 2))
        won = np.stack([value[..., a] > value[..., b] for a, b in pairs], axis=-1).astype(float)
        scores = _shares(design, won, pairs)
        value = won
    else:
        scores = tuple(
            _score(system, float(own.mean()), own.size, sd=float(own.std(ddof=1)))
            for system, own in zip(design.systems, np.moveaxis(value, -1, 0), strict=True)
        )
    judgments = template.judgments and replace(template.judgments, value=value.reshape(-1))
    return replace(template, findings=scores, judgments=judgments)


def _shares(design: Design, won: np.ndarray, pairs: list[tuple[int, int]]) -> tuple[Finding, ...]:
    shares = won.mean(axis=(0, 1))
    scores = []
    for place, system in enumerate(design.systems):
        own = [s if a == place else 1 - s for s, (a, b) in zip(shares, pairs, strict=True)
               if place in (a, b)]  # fmt: skip
        share = float(np.mean(own))
        value = share if design.kind == "comparisons" else 200 * share - 100
        scores.append(_score(system, value, won[..., 0].size))
    return tuple(scores)


def _score(system: str, value: float, n: int, *, sd: float | None = None) -> Finding:
    return Finding(
        key=Key("quality", "mean", "mean", (system,)),
        by="mean",
        value=value,
        n=n,
        n_of="judgments",
        how=(How.MEAN(),),
        spread=None if sd is None else Spread(sd),
    )


def _without_labs(design: Design, runs: list[Run], aligned: Alignment) -> bool:
    rows = labs_of(aligned, CRITERIA[design.kind], [run.id for run in runs])
    if rows is None:
        return False
    if design.is_rated:
        found = mean_difference(
            rows.value, rows.system, (0, 1), item=rows.item, participant=rows.participant
        )
    else:
        found = pair_rates(rows.comparisons)[0]
    return found.p is not None and found.p < LEVEL


def _percent(count: int, of: int) -> float | None:
    return round(100 * count / of, 1) if of else None


def _sizes(numbers: tuple[int, ...]) -> str:
    if len(set(numbers)) == 1:
        return str(numbers[0])
    return "/".join(map(str, numbers))


if __name__ == "__main__":
    main()
