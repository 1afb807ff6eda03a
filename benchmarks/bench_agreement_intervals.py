"""How often do 95 % intervals of agreement hold the true value?

`items`: several outputs of each item are judged, and outputs of one item resemble each other: in
how good they are (SD 0.8 over items, 0.4 over outputs) and in how far people differ about them (the
noise of an item is exp(0.6 · normal)). Counted: how often intervals for these participants hold the
value for infinitely many items, with items as clusters, as an analysis has it, and with outputs (or
pairs of outputs) as if independent.

`new_participants`: Krippendorff's alpha for new participants and new units. Ratings on five points
from units of SD 0.8, participants of SD 0.6 (or 1.2) and noise of SD 1; choices cut the same at
0.3. Counted: how often the interval holds alpha for infinitely many units and participants; and how
wide it is beside 3.92 standard deviations of the estimate.

Writes results/agreement_intervals.json.

    python benchmarks/bench_agreement_intervals.py [--studies 1000] [--only items]
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from levels import error
from rejudge.stats import (
    ICC,
    Agreement,
    Interval,
    Kappas,
    alpha_for_new_participants,
    cohen_kappas,
    count_table,
    fleiss_kappa,
    gwet_agreement,
    intraclass,
    krippendorff_alpha,
    percent_agreement,
)
from rejudge.stats.agreement.alpha import observed
from rejudge.stats.agreement.disagreement import alphas

RESULTS = Path(__file__).parent / "results" / "agreement_intervals.json"
STUDIES = {"items": 2000, "new_participants": 1000}
SEED = 20261117
RESAMPLES = 300
MANY_ITEMS = 40_000
MANY_PEOPLE = 300
Seats = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Judged:
    """Who said what of which unit, and the item of the unit."""

    unit: np.ndarray
    person: np.ndarray
    value: np.ndarray
    item: np.ndarray | None

    @property
    def columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Without the item."""
        return self.unit, self.person, self.value

    @property
    def is_of_three(self) -> bool:
        """Whether three people share all units, as the mean of Cohen's kappas needs."""
        return len(np.unique(self.person)) == 3


def main() -> None:
    """Print and write how often each interval held the truth."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int)
    options.add_argument("--only", choices=("items", "new_participants"))
    given = options.parse_args()
    parts = {"items": _items, "new_participants": _new_participants}
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name, part in parts.items():
        if given.only in {None, name}:
            found[name] = []
            for row in part(given.studies or STUDIES[name]):
                print(row, flush=True)
                found[name].append(row)
            text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
            RESULTS.write_text(text, encoding="utf-8")


# ── items as clusters ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Shape:
    """How many items, participants and systems; with `each` participants drawn for each item."""

    name: str
    items: int
    people: int
    systems: int
    each: int | None = None
    noise: float = 1.0


SHAPES = (
    Shape("30 items × 3 participants × 4 systems", 30, 3, 4),
    Shape("100 × 3 × 4", 100, 3, 4),
    Shape("100 × 3 of 30 × 4", 100, 30, 4, each=3),
    Shape("12 × 3 × 4", 12, 3, 4),
    Shape("30 × 10 × 3", 30, 10, 3),
    Shape("30 × 3 × 4, high agreement", 30, 3, 4, noise=0.35),
)


def _items(studies: int) -> Iterator[dict[str, object]]:
    for place, shape in enumerate(SHAPES):
        for kind, judged in (("ratings", _ratings), ("choices", _choices)):
            rng = np.random.default_rng([SEED, place, len(kind)])
            make = lambda items, s=shape, j=judged, r=rng: j(s, items, r)  # noqa: E731
            truth = _values(kind, make(MANY_ITEMS), rng)
            held: dict[str, int] = dict.fromkeys(_ways(truth), 0)
            for _ in range(studies):
                for name, is_held in _outcomes(kind, make(shape.items), truth, rng):
                    held[name] += is_held
            yield {
                "design": shape.name,
                "kind": kind,
                "studies": studies,
                "monte_carlo_error": error(0.95, studies),
                "held": {name: round(count / studies, 4) for name, count in held.items()},
            }


def _ways(truth: Mapping[str, float]) -> Iterator[str]:
    return (f"{name}, {way}" for name in truth for way in ("items", "units"))


def _outcomes(
    kind: str, judged: Judged, truth: Mapping[str, float], rng: np.random.Generator
) -> Iterator[tuple[str, bool]]:
    """Whether each interval holds the truth, with items as clusters and with units."""
    for way, each in (("items", judged), ("units", replace(judged, item=None))):
        for name, interval in _intervals(kind, each, rng).items():
            is_held = interval is not None and interval.low <= truth[name] <= interval.high
            yield f"{name}, {way}", is_held


def _intervals(kind: str, judged: Judged, rng: np.random.Generator) -> dict[str, Interval | None]:
    """The interval of each coefficient, as an analysis computes it."""
    found = _coefficients(kind, judged, rng, RESAMPLES)
    return {name: each.interval for name, each in found.items()}


def _values(kind: str, judged: Judged, rng: np.random.Generator) -> dict[str, float]:
    """The values of the coefficients."""
    found = _coefficients(kind, replace(judged, item=None), rng, 1)
    return {name: each.value for name, each in found.items()}


def _coefficients(
    kind: str, judged: Judged, rng: np.random.Generator, times: int
) -> dict[str, Agreement | Kappas | ICC]:
    unit, _, value = judged.columns
    counts = count_table(unit, value, item=judged.item)
    levels = ("nominal", "ordinal", "interval") if kind == "ratings" else ("nominal",)
    found: dict[str, Agreement | Kappas | ICC] = {
        f"alpha, {level}": krippendorff_alpha(counts, level, rng=rng, replicates=times)
        for level in levels
    }
    found["percent"] = percent_agreement(counts)
    found["fleiss"] = fleiss_kappa(counts, rng=rng, replicates=times)
    found["gwet-ac1"] = gwet_agreement(unit, value, item=judged.item)
    if judged.is_of_three:
        most = min(times, 100)
        found["cohen"] = cohen_kappas(*judged.columns, rng=rng, item=judged.item, replicates=most)
    if kind == "ratings":
        found["gwet-ac2"] = gwet_agreement(unit, value, weights="ordinal", item=judged.item)
        forms = {each.form: each for each in intraclass(*judged.columns, item=judged.item)}
        found["icc"] = forms["2,1"] if forms["2,1"].value is not None else forms["1,1"]
    return found


def _ratings(shape: Shape, items: int, rng: np.random.Generator) -> Judged:
    item, person = _seats(shape, items, rng)
    system = np.tile(np.arange(shape.systems), len(item))
    item, person = (np.repeat(each, shape.systems) for each in (item, person))
    latent = (
        rng.normal(0, 0.8, items)[item]
        + rng.normal(0, 0.4, (items, shape.systems))[item, system]
        + _strict(shape)[person]
        + _favours(shape)[person, system]
        + _noise(shape, items, rng)[item] * rng.normal(size=len(item))
    )
    value = np.clip(np.round(3 + latent), 1, 5)
    return Judged(item * shape.systems + system, person, value, item)


def _choices(shape: Shape, items: int, rng: np.random.Generator) -> Judged:
    """All pairs of systems; a tie where the two are closer than 0.3."""
    item, person = _seats(shape, items, rng)
    pairs = np.array(list(combinations(range(shape.systems), 2)))
    which = np.tile(np.arange(len(pairs)), len(item))
    item, person = (np.repeat(each, len(pairs)) for each in (item, person))
    first, second = pairs[which].T
    good = rng.normal(0, 0.6, (items, shape.systems))
    liking = _favours(shape)
    apart = good[item, first] - good[item, second] + liking[person, first] - liking[person, second]
    apart += _noise(shape, items, rng)[item] * rng.normal(size=len(item))
    value = np.where(np.abs(apart) < 0.3, 0.5, (apart > 0).astype(np.float64))
    return Judged(item * len(pairs) + which, person, value, item)


def _seats(shape: Shape, items: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    if shape.each is None:
        item, person = np.indices((items, shape.people))
        return item.ravel(), person.ravel()
    drawn = np.argsort(rng.random((items, shape.people)), axis=1)[:, : shape.each]
    return np.repeat(np.arange(items), shape.each), drawn.ravel()


def _strict(shape: Shape) -> np.ndarray:
    """Of these participants, evenly over its normal law."""
    return 0.5 * shape.noise * ndtri((np.arange(shape.people) + 0.5) / shape.people)


def _favours(shape: Shape) -> np.ndarray:
    rng = np.random.default_rng(5)
    return 0.25 * shape.noise * rng.normal(size=(shape.people, shape.systems))


def _noise(shape: Shape, items: int, rng: np.random.Generator) -> np.ndarray:
    return shape.noise * np.exp(rng.normal(0, 0.6, items))


# ── new participants ─────────────────────────────────────────────────────────────────────────────


def _crowd(units: int, people: int, each: int, power: float) -> Seats:
    """`each` participants for each unit, who judge by Zipf's law with this power."""

    def seats(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        often = -power * np.log(np.arange(1, people + 1))
        drawn = np.argsort(-(often + rng.gumbel(size=(units, people))), axis=1)[:, :each]
        return np.repeat(np.arange(units), each), drawn.ravel()

    return seats


def _everybody(units: int, people: int) -> Seats:
    def seats(_: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        unit, person = np.indices((units, people))
        return unit.ravel(), person.ravel()

    return seats


def _batches(batches: int, people: int, units: int) -> Seats:
    def seats(_: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        unit = np.repeat(np.arange(batches * units), people)
        return unit, unit // units * people + np.tile(np.arange(people), batches * units)

    return seats


DESIGNS = {
    "100 units × 3 of 40 participants": _crowd(100, 40, 3, 0.0),
    "〃, by Zipf's law (1.2)": _crowd(100, 40, 3, 1.2),
    "300 × 3 of 60, by Zipf's law": _crowd(300, 60, 3, 1.0),
    "10 batches × 3 participants × 10 units": _batches(10, 3, 10),
    "100 units × 3 participants": _everybody(100, 3),
    "100 × 4": _everybody(100, 4),
    "100 × 5": _everybody(100, 5),
    "30 × 5": _everybody(30, 5),
    "50 × 10": _everybody(50, 10),
    "20 × 20": _everybody(20, 20),
    "10 × 50": _everybody(10, 50),
}
KINDS = (  # values, strictness, level
    ("ratings", 0.6, "ordinal"),
    ("ratings", 0.6, "nominal"),
    ("ratings", 0.6, "interval"),
    ("ratings", 1.2, "ordinal"),
    ("choices", 0.6, "nominal"),
)


def _new_participants(studies: int) -> Iterator[dict[str, object]]:
    truth = {kind: _for_everybody(*kind) for kind in KINDS}
    for place, (name, seats) in enumerate(DESIGNS.items()):
        for kind in KINDS:
            rng = np.random.default_rng([SEED, place, KINDS.index(kind)])
            found = [_study(kind, seats, rng) for _ in range(studies)]
            held = sum(low <= truth[kind] <= high for _, low, high in found)
            width = float(np.mean([high - low for _, low, high in found]))
            yield {
                "design": name,
                "kind": kind[0],
                "strictness": kind[1],
                "level": kind[2],
                "alpha": round(truth[kind], 3),
                "coverage": round(held / studies, 4),
                "width": round(width, 3),
                "of_spread": round(3.92 * float(np.std([value for value, _, _ in found])), 3),
                "studies": studies,
                "monte_carlo_error": error(0.95, studies),
            }


def _study(
    kind: tuple[str, float, str], seats: Seats, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Alpha and the limits of its interval; without one, limits that hold nothing."""
    unit, person = seats(rng)
    strict = kind[1] * rng.normal(size=int(person.max()) + 1)
    value = _judged(kind[0], unit, strict[person], rng)
    found = alpha_for_new_participants(unit, person, value, kind[2])
    if found.interval is None:
        return found.value or 0.0, 1.0, 1.0
    return found.value, found.interval.low, found.interval.high


def _judged(
    kind: str, unit: np.ndarray, strict: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    latent = rng.normal(0, 0.8, int(unit.max()) + 1)[unit] + strict + rng.normal(size=len(unit))
    if kind == "choices":
        return (latent > 0.3).astype(np.float64)
    return np.clip(np.round(3 + latent), 1, 5)


def _for_everybody(kind: str, strictness: float, level: str) -> float:
    rng = np.random.default_rng(1)
    unit, person = (each.ravel() for each in np.indices((10_000, MANY_PEOPLE)))
    strict = strictness * ndtri((np.arange(MANY_PEOPLE) + 0.5) / MANY_PEOPLE)
    counts = count_table(unit, _judged(kind, unit, strict[person], rng))
    return float(alphas(counts, observed(counts), level)[0])


if __name__ == "__main__":
    main()
