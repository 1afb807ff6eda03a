"""Do 95 % intervals hold the difference on all inputs of a file of which only some were judged?

Each study makes a file of inputs, on which two systems differ by an amount that grows with a
metric and is larger in a small dataset, selects some of the inputs by the study's own method, has
them rated by three of 30 people each, and compares the systems with and without weights. Listed
inputs are those with the highest metric. Writes results/item_samples.json: coverage in percent with
its Monte-Carlo error (1.96 standard errors), the bias, and the mean standard error beside the
standard deviation of the estimates.

    python benchmarks/bench_item_samples.py [--studies 2000]
"""

from __future__ import annotations

import json
import math
from argparse import ArgumentParser
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rejudge.design.sampling import Chance
from rejudge.design.selection import select_inputs
from rejudge.stats import (
    Estimate,
    ItemWeights,
    adjusted_difference,
    weighted_adjusted_difference,
)
from rejudge.study.model import Item, Spec, Study

SEED = 20261117
PEOPLE = 30
PER_INPUT = 3
SMALL = 0.2  # of the inputs are from the small dataset


@dataclass(frozen=True)
class Setting:
    """How many inputs the file has, and how those to be judged are selected."""

    name: str
    inputs: int
    sample: dict[str, Any]


SETTINGS = (
    Setting("random", 400, {"inputs": 80, "method": "random"}),
    Setting(
        "stratified, proportional",
        400,
        {"inputs": 80, "method": "stratified", "allocation": "proportional"},
    ),
    Setting("stratified, equal", 400, {"inputs": 80, "method": "stratified"}),
    Setting("weighted by a metric", 400, {"inputs": 80, "method": "weighted", "column": "w"}),
    Setting("weighted by a metric", 1000, {"inputs": 30, "method": "weighted", "column": "w"}),
    Setting("random, half of the file", 160, {"inputs": 80, "method": "random"}),
    Setting("weighted, half of the file", 160, {"inputs": 80, "method": "weighted", "column": "w"}),
    Setting("highest metric", 400, {"inputs": 80, "method": "listed", "column": "w"}),
)


def main() -> None:
    """Print and write the coverage of each way to select inputs."""
    parser = ArgumentParser()
    parser.add_argument("--studies", type=int, default=2000)
    studies = parser.parse_args().studies
    found = []
    for place, setting in enumerate(SETTINGS):
        row = measure(setting, [(SEED, place, study) for study in range(studies)])
        found.append(row)
        print(json.dumps(row), flush=True)
    place = Path(__file__).parent / "results" / "item_samples.json"
    content = {"studies": studies, "seed": SEED, "settings": found}
    place.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def measure(setting: Setting, seeds: list[tuple[int, ...]]) -> dict[str, Any]:
    """Coverage, bias and standard errors over studies, with weights and without."""
    truth, weighted, plain = [], [], []
    for seed in seeds:
        found = study_of(setting, seed)
        truth.append(found[0])
        weighted.append(found[1])
        plain.append(found[2])
    return {**asdict(setting)} | {
        "weighted": summary(weighted, truth),
        "unweighted": summary(plain, truth),
    }


def summary(found: list[Estimate], truth: list[float]) -> dict[str, float]:
    """How often intervals hold the truth, and how far estimates lie from it."""
    held = [
        e.interval is not None and e.interval.low <= t <= e.interval.high
        for e, t in zip(found, truth, strict=True)
    ]
    off = np.array([(e.value or 0.0) - t for e, t in zip(found, truth, strict=True)])
    share = float(np.mean(held))
    errors = [e.standard_error for e in found if e.standard_error is not None]
    return {
        "coverage": round(100 * share, 1),
        "error": round(196 * math.sqrt(share * (1 - share) / len(held)), 1),
        "bias": round(float(off.mean()), 3),
        "deviation": round(float(off.std()), 3),
        "standard_error": round(float(np.mean(errors)), 3),
    }


def study_of(setting: Setting, seed: tuple[int, ...]) -> tuple[float, Estimate, Estimate]:
    """The difference on all inputs, and its estimates from those selected."""
    rng = np.random.default_rng(seed)
    metric = np.exp(rng.normal(0, 0.7, setting.inputs))
    is_small = rng.random(setting.inputs) < SMALL
    difference = 0.3 + 0.4 * np.log(metric) + 0.6 * is_small
    difference += rng.normal(0, 0.6, setting.inputs)
    level = rng.normal(3, 0.8, setting.inputs)
    chosen, weights, strata = select(setting, metric, is_small, int(rng.integers(1 << 60)))
    item = np.repeat(np.arange(len(chosen)), 2 * PER_INPUT)
    people = np.concatenate([rng.permutation(PEOPLE)[:PER_INPUT] for _ in chosen])
    participant, system = np.repeat(people, 2), np.tile([0, 1], len(people))
    strict, leaning = rng.normal(0, 0.5, PEOPLE), rng.normal(0, 0.25, PEOPLE)
    apart = difference[chosen][item] + leaning[participant]
    value = level[chosen][item] + strict[participant] + np.where(system == 0, 0.5, -0.5) * apart
    value += rng.normal(0, 0.7, len(value))
    keys = {"item": item, "participant": participant}
    own = ItemWeights.of(weights[item], strata[item], item)
    return (
        float(difference.mean()),
        weighted_adjusted_difference(value, system, (0, 1), weights=own, **keys),
        adjusted_difference(value, system, (0, 1), **keys),
    )


def select(
    setting: Setting, metric: np.ndarray, is_small: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places of the selected inputs, their weights and strata."""
    size, sample = setting.sample["inputs"], setting.sample
    highest = set(np.argsort(-metric)[:size].tolist())
    items = tuple(
        Item(
            id=str(n),
            group=str(n),
            dataset="small" if is_small[n] else "large",
            input="",
            reference=None,
            outputs=("a", "b"),
            language="en",
            line=n,
            weight=float(metric[n]) if sample["method"] == "weighted" else None,
            is_listed=n in highest,
        )
        for n in range(setting.inputs)
    )
    spec = Spec.model_validate(
        {
            "id": "s",
            "title": "S",
            "systems": ["a", "b"],
            "items": {"sample": sample},
            "questions": [{"id": "q", "kind": "rating", "prompt": "?"}],
            "design": {"seed": 1, "batch": {"inputs": 5}},
        }
    )
    selection = select_inputs(Study(spec, items, {}), Chance(seed))[1]
    if selection is None:
        raise AssertionError(setting.name)
    selected = selection.selected
    names = sorted({each.stratum for each in selected})
    return (
        np.array([int(each.input) for each in selected]),
        np.array([1 / (each.probability or 1.0) for each in selected]),
        np.array([names.index(each.stratum) for each in selected]),
    )


if __name__ == "__main__":
    main()
